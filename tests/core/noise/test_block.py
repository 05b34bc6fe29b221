"""Blocks in float64 against balls: same words, same integers, one H for all cells of a row."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from leeward.core.exact import ball, precision
from leeward.core.noise import block_draws
from leeward.core.noise.block_draws import RowBits, decide_block, draw_block, refine_row
from leeward.core.noise.scales import LEAST_NOISE, MOST_NOISE, Integers, Scales
from leeward.core.noise.tabulated import Floats
from leeward.core.randomness import SecretBits, SeededBits
from tests.core.noise.scripted import constant_bits

CELLS, SHAPE = 4, 30
SCALES = [Fraction(1, 10**6), Fraction(5, 3), Fraction(10**6), Fraction(2) ** 45, Fraction(2) ** 70]


def row_bits(rows: int, seed: int = 3) -> RowBits:
    generator = SeededBits(seed).generator
    return RowBits(
        generator.integers(0, 2**64, size=(rows, CELLS), dtype=np.uint64),
        generator.integers(0, 2**32, size=(rows, SHAPE), dtype=np.uint32),
    )


def scales(scale: Fraction, rows: int) -> Scales:
    return Scales(np.ones(rows, dtype=np.int64), factor=scale)


def slow(scale: Fraction, words: RowBits) -> Integers:
    """Every cell of every row refined, signs and saturation put on afterwards."""
    rows = []
    for row in range(len(words.cells)):
        refined = refine_row(scale, words, row, SecretBits())
        sizes = [refined(cell) for cell in range(CELLS)]
        signs = [word >= 2**63 for word in words.cells[row].tolist()]
        pairs = zip(sizes, signs, strict=True)
        rows.append([-size if minus else min(size, MOST_NOISE) for size, minus in pairs])
    return np.array(rows, dtype=np.int64)


@pytest.mark.parametrize("scale", SCALES, ids=lambda scale: f"{float(scale):.0e}")
def test_both_paths_give_the_same_integers(
    scale: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    constant_bits(monkeypatch, 0x5A)
    words = row_bits(30)
    fast = decide_block(scales(scale, 30), words, SecretBits())
    assert fast.tolist() == slow(scale, words).tolist()


def edge_rows() -> RowBits:
    """The smallest and largest words for the cells, with the smallest and largest for H."""
    corners = [0, 1, 2, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 2, 2**64 - 1]
    cells = np.array([[w] * CELLS for w in corners for _ in range(4)], dtype=np.uint64)
    shared = [0, 1, 2**32 - 2, 2**32 - 1]
    return RowBits(cells, np.array([[w] * SHAPE for w in shared * 8], dtype=np.uint32))


@pytest.mark.parametrize("byte", [0x01, 0xFE])
def test_extreme_words_go_the_right_way(byte: int, monkeypatch: pytest.MonkeyPatch) -> None:
    constant_bits(monkeypatch, byte)
    words = edge_rows()
    for scale in SCALES:
        fast = decide_block(scales(scale, len(words.cells)), words, SecretBits())
        assert fast.tolist() == slow(scale, words).tolist()


def value(refined: refine_row, cell: int) -> arb:
    """⌊σE/H + ½⌋ before the floor, from the bits that the row holds now."""
    with precision(1000):
        total = arb(0)
        for uniform in refined.shared:
            total -= uniform.ball().log()
        return -ball(refined.scale) * refined.cells[cell].ball().log() / total + arb(1) / 2


def test_all_cells_of_a_refined_row_see_the_same_h() -> None:
    words = row_bits(20)
    for row in range(20):
        # So large a scale needs more bits of H for each cell; the last cell adds the last.
        refined = refine_row(Fraction(2) ** 50, words, row, SecretBits())
        sizes = [refined(cell) for cell in range(CELLS)]
        assert all(uniform.size > 32 for uniform in refined.shared)
        for cell, size in enumerate(sizes):
            assert value(refined, cell).overlaps(arb(size) + arb(1) / 2 + arb(0, 0.5))
        other = refine_row(Fraction(2) ** 50, words, row, SecretBits())
        assert [other(cell) for cell in range(CELLS)] != sizes


def test_refining_extends_the_words_and_replaces_none() -> None:
    words = row_bits(1)
    refined = refine_row(Fraction(2) ** 60, words, 0, SecretBits())
    refined(0)
    kept = [uniform.word >> (uniform.size - 32) for uniform in refined.shared]
    assert kept == words.shared[0].tolist()
    own = refined.cells[0]
    assert own.word >> (own.size - 63) == int(words.cells[0, 0]) % 2**63


def bounds(words: RowBits) -> tuple[Floats, Floats]:
    with np.errstate(all="ignore"):
        return block_draws._ratio(words)


def outside(words: RowBits, tighter: float = 1.0) -> int:
    """How many cells have an E/H that is certainly not within its bound."""
    ratio, error = bounds(words)
    count = 0
    for row in range(len(ratio)):
        refined = refine_row(Fraction(1), words, row, SecretBits())
        for uniform in (*refined.cells, *refined.shared):
            uniform.extend()
        for cell in range(CELLS):
            off = abs(value(refined, cell) - arb(1) / 2 - arb(float(ratio[row, cell])))
            count += bool(off > arb(float(error[row, cell]) * tighter))
    return count


def test_error_bounds_hold_and_tighter_ones_would_not() -> None:
    words = row_bits(100)
    assert np.isfinite(bounds(words)[1]).all()
    assert outside(words) == 0
    assert outside(words, tighter=2.0**-10) > 0


def test_noise_beyond_2_to_the_53_is_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    constant_bits(monkeypatch, 0x5A)
    noise = decide_block(scales(Fraction(2) ** 60, 50), row_bits(50), SecretBits())
    assert (np.abs(noise) > 2**53).mean() > 0.5
    assert (noise % 2 == 1).any()


def test_noise_beyond_64_bits_saturates_on_either_side() -> None:
    noise = decide_block(scales(Fraction(2) ** 80, 50), row_bits(50), SecretBits())
    assert set(noise.ravel().tolist()) == {LEAST_NOISE, MOST_NOISE}


@pytest.mark.parametrize("rows", [0, 1, 5000])
def test_rows_are_kept_whatever_their_number(rows: int) -> None:
    noise = draw_block(scales(Fraction(7), rows), CELLS, SHAPE, SecretBits())
    assert noise.shape == (rows, CELLS)
    assert noise.dtype == np.int64
