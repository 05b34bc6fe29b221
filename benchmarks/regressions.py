"""Errors of private regressions: the median over cells of E|released − least squares|.

    python -m benchmarks.regressions FILE --x COL --y COL --by COL [--draws 200]

x and y lie in 0 to 1. What is not estimated is left out of a cell's mean, and its share is shown.
The output is computed from the rows of FILE: if these are confidential, so is the output.
"""

import argparse
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np

from leeward.core.codebook import RealRange
from leeward.core.mechanisms.moments import Moments, lattice_points
from leeward.core.mechanisms.theil_sen import TheilSen
from leeward.core.noise.scales import Integers
from leeward.core.noise.tabulated import Floats
from leeward.publishing.engines.table_files import opened_file
from leeward.systems.regress.cell_lines import Lines, MedianLines, MomentLines
from leeward.systems.regress.cell_points import NAME, Rows, read_rows
from leeward.systems.regress.regression_request import RegressionRequest
from leeward.systems.regress.scatter import SLOPE, ScaledPoints, prediction
from leeward.systems.regress.setting import Columns

EPSILONS = ("1", "8", "16")
LOW, HIGH = Fraction(0), Fraction(1)


def moments(rows: Rows, epsilon: str) -> Callable[[], Lines]:
    """Lines of noisy sums, drawn anew with every call."""
    made, held = Moments.calibrated(epsilon), rows.establishments(RealRange("x"), RealRange("y"))
    return lambda: MomentLines.of(made.release(held))


def medians(rows: Rows, epsilon: str) -> Callable[[], Lines]:
    """Lines of selected medians, drawn anew with every call."""
    made = TheilSen.calibrated(epsilon)
    cells = [
        (lattice_points(x, LOW, HIGH), lattice_points(y, LOW, HIGH)) for x, y in rows.by_cell()
    ]
    counts: Integers = np.array([len(u) for u, _ in cells])

    def drawn() -> Lines:
        points = np.array([made.release(u, v, len(u)) for u, v in cells])
        return MedianLines.of(points, counts, counts >= 2)

    return drawn


def errors(draw: Callable[[], Lines], true: tuple[Floats, Floats], draws: int) -> str:
    """Median over cells of the mean absolute error of p25 and of the slope; share without."""
    off: list[tuple[Floats, Floats]] = []
    for _ in range(draws):
        lines = draw()
        p25, slope = (lines.predictions(-0.5).value + 1) / 2, lines.slopes().value
        off.append((np.abs(p25 - true[0]), np.abs(slope - true[1])))
    both = np.array(off)
    means = [float(np.median(np.nanmean(both[:, k], axis=0))) for k in (0, 1)]
    return f"{means[0]:.4f} / {means[1]:.4f}   {np.isnan(both[:, 0]).mean():8.1%}"


def main() -> None:
    """Print one line for each method and ε."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("file", type=Path)
    for name in ("x", "y", "by"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--draws", type=int, default=200)
    given = parser.parse_args()
    request = RegressionRequest(given.file, Columns(given.x, given.y, given.by), "suppression", "1")
    with opened_file(request.file, NAME) as files:
        rows = read_rows(files, request)
    fits = [ScaledPoints(np.clip(x, 0, 1), np.clip(y, 0, 1)).fit for x, y in rows.by_cell()]
    true = (
        np.array([one.estimate(prediction(0.25)) for one in fits]),
        np.array([one.estimate(SLOPE) for one in fits]),
    )
    print(
        f"{len(fits)} cells, {given.draws} draws\nmethod     epsilon  p25 / slope       no estimate"
    )
    for name, method in (("moments", moments), ("theil-sen", medians)):
        for epsilon in EPSILONS:
            told = errors(method(rows, epsilon), true, given.draws)
            print(f"{name:<10} {epsilon:>7}  {told}")


if __name__ == "__main__":
    main()
