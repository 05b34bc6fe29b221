"""Noise of one establishment: the interval and the curve are those of real draws."""

from pathlib import Path

import numpy as np
import pytest

from leeward.core.codebook import Batch, Cells, Confidential
from leeward.core.noise.scales import Integers
from leeward.publishing.plan.prediction import CURVE, Noise, noise
from leeward.publishing.release.measuring import publish
from tests.publishing.plans import STRONG, WEAK, WORKER, planned

PLACE, SEX = "[place, sector]", "[place, sex]"
CELLS = 20_000

CASES = [
    (PLACE, "slope", STRONG),
    (PLACE, "vector_pareto", STRONG),
    (PLACE, "log_laplace", STRONG),
    (PLACE, "smooth_gamma", STRONG),
    (PLACE, "edge_laplace", WORKER),
    (SEX, "vector_pareto", STRONG),
    (SEX, "edge_laplace", WORKER),
    (SEX, "slope", WEAK),
    (SEX, "log_laplace", WEAK),
]


@pytest.mark.parametrize("size", [10, 1000])
@pytest.mark.parametrize(("by", "mechanism", "protect"), CASES)
def test_nine_draws_in_ten_lie_in_the_interval(
    tmp_path: Path, by: str, mechanism: str, protect: str, size: int
) -> None:
    table = f"{{name: a, by: {by}, mechanism: {mechanism}, margins: none}}"
    (made,) = planned(tmp_path, table, protect=protect).tables
    told = noise(made, size)
    cells = made.marginal.worker_cells
    assert told.true == size // cells
    counts = np.full((CELLS, cells), told.true, dtype=np.int64)
    largest = np.full(CELLS, size, dtype=np.int64)
    columns = Confidential(Cells(counts, largest, counts))
    drawn = publish(Batch(np.arange(CELLS), columns), made.measurement).values[:, 0]
    inside = np.mean((drawn >= told.low) & (drawn <= told.high))
    assert inside >= 0.89
    assert np.mean((drawn > told.low) & (drawn < told.high)) <= 0.91
    follows(told, drawn)


@pytest.mark.parametrize("name", ["slope", "clipped"])
def test_a_mechanism_for_one_cell_publishes_no_table_of_several(tmp_path: Path, name: str) -> None:
    """Known bad: eight cells at the price of one."""
    (made,) = planned(tmp_path, f"{{name: a, by: {PLACE}, mechanism: {name}}}").tables
    counts = np.ones((3, 8), dtype=np.int64)
    columns = Confidential(Cells(counts, np.full(3, 8), counts))
    with pytest.raises(AssertionError, match=f"{name} is not made for 8 worker cells"):
        publish(Batch(np.arange(3), columns), made.measurement)


def test_counts_without_an_establishment_get_no_noise(tmp_path: Path) -> None:
    """Known bad: an engine that loses the largest establishment would lose the noise's scale."""
    (made,) = planned(tmp_path, f"{{name: a, by: {PLACE}, mechanism: slope}}").tables
    columns = Confidential(Cells(np.full((3, 1), 7), np.array([7, 0, 7])))
    with pytest.raises(ArithmeticError, match="do not belong together"):
        publish(Batch(np.arange(3), columns), made.measurement)


def test_margins_follow_a_noisy_scale_of_each_cell(tmp_path: Path) -> None:
    """Known bad: margins that follow the true scale are the same for cells that are."""
    (made,) = planned(tmp_path, f"{{name: a, by: {PLACE}, mechanism: slope}}").tables
    columns = Confidential(Cells(np.full((100, 1), 900), np.full(100, 500)))
    margins = publish(Batch(np.arange(100), columns), made.measurement).margins
    assert len(np.unique(margins["margin"])) > 10


def follows(told: Noise, drawn: Integers) -> None:
    """The curve, summed over each half of itself, holds as much as the draws do."""
    x, y = (np.array(column) for column in zip(*told.curve, strict=True))
    assert len(x) <= CURVE
    assert np.all(y >= 0)
    width = np.diff(np.append(x, 2 * x[-1] - x[-2]))
    below = float((y * width)[x <= told.true].sum())
    reach = x[1] - x[0]
    assert below == pytest.approx(
        np.mean((drawn >= x[0] - reach / 2) & (drawn <= told.true)), abs=0.08
    )


def test_the_interval_of_clipped_is_its_margin(tmp_path: Path) -> None:
    (made,) = planned(tmp_path, f"{{name: a, by: {SEX}, mechanism: clipped}}").tables
    told = noise(made, 1000)
    assert told.true == 500
    assert told.high - told.true == told.true - told.low
    x, y = (np.array(column) for column in zip(*told.curve, strict=True))
    assert float(np.trapezoid(y, x)) == pytest.approx(0.98, abs=0.02)
    assert abs(x[np.argmax(y)] - told.true) <= x[1] - x[0]


def test_the_curve_of_symmetric_noise_is_symmetric_and_holds_almost_all(tmp_path: Path) -> None:
    (made,) = planned(tmp_path, "{name: a, by: [place], mechanism: vector_pareto}").tables
    for size in (10, 100):
        told = noise(made, size)
        x, y = (np.array(column) for column in zip(*told.curve, strict=True))
        assert np.allclose(x + x[::-1], 2 * told.true)
        assert np.allclose(y, y[::-1])
        assert float(np.trapezoid(y, x)) == pytest.approx(0.99, abs=0.012)


def test_more_epsilon_is_a_narrower_interval(tmp_path: Path) -> None:
    widths = []
    for epsilon in ("1", "4", "1000"):
        protect = f"{{policy: strong, alpha: 0.1, epsilon: {epsilon}}}"
        (made,) = planned(tmp_path, "{name: a, by: [place]}", protect=protect).tables
        told = noise(made, 100)
        widths.append(told.high - told.low)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] == 0
