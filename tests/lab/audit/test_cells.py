"""Workplace cells that share a random word are found; independent cells are not accused."""

from typing import Any

import numpy as np
import pytest

from leeward.core.exact import ball
from leeward.core.noise.draws import SecretNoise
from leeward.core.noise.tabulated import Floats
from leeward.core.randomness import SeededBits
from leeward.lab.audit.audit_line import QUICK_GRID
from leeward.lab.audit.controls import CONTROLS
from leeward.lab.audit.independence import BETWEEN_CELLS, CELLS, RARE, dependence
from leeward.lab.audit.lines import LINES
from leeward.lab.audit.neighbours import QUICK
from leeward.lab.audit.row import CONFIRMED, REJECTED

OWN_CELLS = [line for line in LINES if BETWEEN_CELLS in getattr(line, "detail", "")]


def test_every_kind_of_noise_is_examined(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the draws of releases: each method of their noise is called."""
    called = set()
    kinds = {name for name in vars(SecretNoise) if not name.startswith("_")}
    for kind in kinds:
        genuine = getattr(SecretNoise, kind)

        def noted(*args: Any, kind: str = kind, genuine: Any = genuine) -> Any:  # noqa: ANN401
            called.add(kind)
            return genuine(*args)

        monkeypatch.setattr(SecretNoise, kind, noted)
    rows = [row for line in OWN_CELLS for row in line.rows(QUICK_GRID, QUICK)]
    assert called == kinds
    assert len(rows) == len(OWN_CELLS)
    assert {row.verdict for row in rows} == {CONFIRMED}


def test_a_word_used_in_two_cells_is_rejected() -> None:
    (twin,) = (control for control in CONTROLS if control.detail == BETWEEN_CELLS)
    assert twin.row(QUICK).verdict == REJECTED


def normal(seed: int = 7) -> Floats:
    """Eight releases of cells with two numbers each."""
    return SeededBits(seed).generator.normal(size=(8, CELLS // 8, 2))


@pytest.mark.parametrize("decimals", [6, 1, 0])
def test_independent_cells_are_not_accused(decimals: int) -> None:
    assert dependence(np.round(normal(), decimals)) > ball(RARE)


@pytest.mark.parametrize("start", [0, 1])
def test_a_little_of_the_next_cell_is_found(start: int) -> None:
    """Wherever pairs of cells begin, and with one number of another number only."""
    cells = normal()
    later = cells[:, start + 1 :: 2]
    later[..., 1] += 0.2 * cells[:, start::2, 0][:, : later.shape[1]]
    assert not dependence(cells) > ball(RARE)


def test_a_repeated_half_is_found() -> None:
    cells = normal()
    half = cells.shape[1] // 2
    cells[:, half:, 0] = cells[:, :half, 0]
    assert not dependence(cells) > ball(RARE)


def test_a_scale_of_a_whole_release_is_found() -> None:
    """Signs that are independent hide nothing."""
    size = SeededBits(8).generator.gamma(3, size=8)
    assert not dependence(normal() / size[:, None, None]) > ball(RARE)
