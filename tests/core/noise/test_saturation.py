"""Noise of any size: what is released stays within a public bound and never wraps."""

import numpy as np
import pytest

from leeward import mechanism
from leeward.core.mechanisms.additive import Additive
from leeward.core.noise.scales import BOUND, MOST
from tests.core.mechanisms.built import additive, vector_pareto
from tests.core.noise.scripted import constant_bits, scripted_bits

ZEROS, ONES = b"\x00", b"\xff"
SIGN_ONLY = b"\x00" * 7 + b"\x80"
"""A cell's word: negative, and its exponential as large as 63 bits allow."""

COUNTS = [0, MOST]


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(("bits", "bound"), [(ZEROS, -BOUND), (ONES, BOUND)])
def test_slope_without_a_variance_is_clipped_at_the_bound(
    count: int, bits: bytes, bound: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = additive("slope", alpha=1, epsilon="0.694")
    scripted_bits(monkeypatch, bits)
    assert built.release([count] * 9, [MOST] * 9).tolist() == [bound] * 9


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(("bits", "bound"), [(ZEROS, -BOUND), (ONES, BOUND)])
def test_one_pareto_cell_is_clipped_at_the_bound(
    count: int, bits: bytes, bound: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = vector_pareto(alpha=1, epsilon="0.694")
    scripted_bits(monkeypatch, bits)
    assert built.release([count], [MOST]).tolist() == [bound]


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("name", ["vector_pareto", "radial_slope"])
@pytest.mark.parametrize(("cell", "bound"), [(ZEROS, BOUND), (SIGN_ONLY, -BOUND)])
def test_a_block_is_clipped_at_the_bound(
    name: str, count: int, cell: bytes, bound: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = mechanism(name, alpha="0.1", epsilon="0.3", cells=3)
    assert isinstance(built, Additive)
    scripted_bits(monkeypatch, cell, ONES)  # the words of the cells, then that of the radius
    released = built.release([[count] * 3] * 2, [MOST] * 2)
    assert released.tolist() == [[bound] * 3] * 2


@pytest.mark.parametrize("count", COUNTS)
def test_log_laplace_is_clipped_above_and_ends_below_at_its_floor(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = additive("log_laplace published", alpha="0.1", epsilon="0.01")
    scripted_bits(monkeypatch, ONES)
    assert built.release([count] * 9).tolist() == [BOUND] * 9
    scripted_bits(monkeypatch, ZEROS)
    assert built.release([count] * 9).tolist() == [-10] * 9  # −1/α, whatever the count


@pytest.mark.parametrize("case", ["slope", "smooth_gamma", "smooth_laplace", "edge_laplace"])
@pytest.mark.parametrize("byte", [0x01, 0xFE])
def test_the_most_extreme_words_stay_within_the_bound(
    case: str, byte: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    constant_bits(monkeypatch, byte)
    released = additive(case).release([MOST] * 3, [MOST] * 3)
    assert released.dtype == np.int64
    assert np.abs(released).max() <= BOUND
    assert ((released > MOST) == (byte == 0xFE)).all()
