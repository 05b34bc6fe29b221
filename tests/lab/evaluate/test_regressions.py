"""The comparison of regressions: its measures by hand, units of every method, and its sentences."""

from dataclasses import replace
from fractions import Fraction
from math import nan
from pathlib import Path

import numpy as np
import pytest

from leeward.core.errors import BadFile, InvalidParameter
from leeward.lab.evaluate import run
from leeward.lab.evaluate.regression_cells import made_up_cells, read_cells
from leeward.lab.evaluate.regression_page import SHOWN, regression_findings
from leeward.lab.evaluate.regressions import (
    ESTIMANDS,
    RegressionPoint,
    Regressions,
    SensitivityMethod,
    StatisticOfCells,
    compare,
    contenders,
    median_error,
    tail_share,
)
from leeward.systems.regress.mose import Mose
from leeward.systems.regress.scatter import ScaledPoints

TRUTH = np.arange(10.0)


def test_tails_by_hand() -> None:
    """Fifths of ten cells are two: 0 and 1, 8 and 9."""
    assert tail_share(TRUTH, TRUTH) == 1
    assert tail_share(-TRUTH, TRUTH) == 0
    swapped = TRUTH[[0, 2, 1, 3, 4, 5, 6, 7, 8, 9]]
    assert tail_share(swapped, TRUTH) == 3 / 4
    withheld = np.where(TRUTH < 2, nan, TRUTH)
    assert tail_share(withheld, TRUTH) == 1 / 2
    assert tail_share(np.full(10, nan), TRUTH) == 0


def test_the_error_is_the_median_over_cells_of_means_over_trials() -> None:
    released = np.array([[1.0, 5.0, nan], [3.0, 1.0, nan]])
    assert median_error(released, np.zeros(3)) == 2.5  # of 2 and 3; the third has no estimate
    assert median_error(np.full((2, 3), nan), np.zeros(3)) is None


def exact_lines() -> dict[str, ScaledPoints]:
    """Cells whose points lie on a line each: every method finds it if it adds next to nothing."""
    x = np.linspace(0.02, 0.98, 50)
    return {str(n): ScaledPoints(x, 0.2 + 0.05 * n * x) for n in range(10)}


def test_every_method_speaks_of_the_same_statistics_in_the_same_units() -> None:
    cells = exact_lines()
    known = {of.name: [one.fit.estimate(of) for one in cells.values()] for of in ESTIMANDS}
    found = contenders(cells)
    assert set(found) == set(SHOWN)
    assert {name for name, one in found.items() if one.private} == {"moments", "theil-sen"}
    for name, one in found.items():
        for statistic, drawn in one.draws(Fraction(1000), 2).items():
            assert drawn.shape == (2, 10)
            assert drawn[0] == pytest.approx(known[statistic], abs=0.05), (name, statistic)


def test_drawn_errors_are_those_of_the_formula() -> None:
    """E|error| of a cell is χ/(εN) with Laplace noise."""
    cells = made_up_cells()
    of = ESTIMANDS[0]
    chi = Mose().envelopes(cells, of)[""].chi
    drawn = SensitivityMethod.of(Mose(), cells).draws(Fraction(8), 2000)[of.name]
    truth = np.array([one.fit.estimate(of) for one in cells.values()])
    expected = np.median([chi / (8 * one.fit.count) for one in cells.values()])
    assert median_error(drawn, truth) == pytest.approx(expected, rel=0.05)


def test_a_comparison_has_a_point_for_every_method_statistic_and_epsilon() -> None:
    done = compare(exact_lines(), data="lines", epsilons=("1/2", 8), trials=2)
    assert {(one.method, one.statistic, one.epsilon) for one in done.points} == {
        (name, of.name, epsilon) for name in SHOWN for of in ESTIMANDS for epsilon in (0.5, 8)
    }
    assert (done.made_up, done.data, done.trials) == (False, "lines", 2)
    few = dict(list(exact_lines().items())[:9])
    with pytest.raises(InvalidParameter, match="--cells: must hold at least 10 cells"):
        compare(few)
    with pytest.raises(InvalidParameter, match=r"regressions\.compare\(\)"):
        run(preset="mose")


def point(method: str, statistic: str, epsilon: float) -> RegressionPoint:
    private = method in {"moments", "theil-sen"}
    return RegressionPoint(method, private, statistic, epsilon, 10, 2, 0.01, 0.5, 1.0, 0.75)


def test_findings_tell_the_epsilon_of_the_atlas_and_what_corners_miss() -> None:
    p25, slope = (of.name for of in ESTIMANDS)
    points = tuple(point(m, s, e) for m in SHOWN for s in (p25, slope) for e in (1.0, 9.0, 20.0))
    lines = (StatisticOfCells(p25, 0.02, 3.0, 3.0), StatisticOfCells(slope, 0.04, 7.5, 8.25))
    done = Regressions("cells", True, 10, 2, lines, points)
    rows = regression_findings(done)
    assert ("ε = 9", "MOSE", 0.75) in [
        (one.setting, one.whose, one.number) for one in rows if "fifths" in one.compared
    ]
    assert [one.number for one in rows if one.compared == "standard error"] == [0.02, 0.04]
    assert [(one.table, one.number, one.verdict) for one in rows if "χ" in one.compared] == [
        ("Slope of the line", 7.5, ""),
        ("Slope of the line", 8.25, "corners miss a point"),
    ]
    unbounded = regression_findings(replace(done, lines=(replace(lines[0], chi_local=None),)))
    assert [one.verdict for one in unbounded if "χ by all" in one.compared] == ["unbounded"]


def test_cells_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "cells.csv"
    file.write_text("parent_rank,kid_rank,cell\n0.1,0.2,b\n0.5,1.5,a\n,0.3,a\n0.9,0.4,b\n0.2,0,\n")
    cells = read_cells(file)
    assert list(cells) == ["a", "b"]
    assert cells["a"].y.tolist() == [1.0]
    assert cells["b"].x.tolist() == [0.1, 0.9]
    file.write_text("x,z,cell\n0.1,0.2,b\n")
    with pytest.raises(InvalidParameter, match="--cells: must have the columns x, y and cell"):
        read_cells(file)
    with pytest.raises(BadFile, match="--cells: must be a file whose name ends in"):
        read_cells(tmp_path / "cells.txt")
