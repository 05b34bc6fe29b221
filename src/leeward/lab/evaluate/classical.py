"""Classical: withholding and rounding beside ours, on the tables of a study.

None of these protections has a guarantee. What they cost is compared by error, with the best public
guess in place of what is withheld; what they give away by the intervals that sums leave.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from leeward.core.codebook import Marginal
from leeward.core.codebook.cells import Floats, Integers
from leeward.core.codebook.size_profile import SizeProfile
from leeward.core.errors import LeewardError
from leeward.core.exact import alpha_text
from leeward.core.mechanisms.choice import choose
from leeward.core.privacy import Guarantee
from leeward.core.show.notebook import PageRow
from leeward.core.show.numbers import capital, count, percent, significant
from leeward.lab.baselines.feasibility import UNBOUNDED, has_solver
from leeward.lab.baselines.protected import Protected, controlled
from leeward.lab.baselines.sensitive_cells import (
    Contributions,
    Dominance,
    FewEmployers,
    FewJobs,
    PercentRule,
)
from leeward.lab.baselines.suppression import suppress, threshold
from leeward.lab.evaluate.point import ScoredPoint
from leeward.lab.evaluate.truth import Truth
from leeward.lab.evaluate.workloads import Workload

ALPHA, EPSILON = Fraction(1, 10), Fraction(1)
"""Where intervals fail (hi < (1+α)·lo), and the release that regressions are compared with."""

MOST_CELLS = 50_000
"""Larger tables are left out."""

SOLVED = 3_000
"""Cells of tables whose intervals a solver narrows; those of larger ones are propagated alone."""

SECONDS = 3.0
"""How long the solver may take for one protection of one table."""

SMALL = 20
"""Regressions are over cells with at most so many establishments in the frame."""

DRAWS = 50

PROTECTIONS: Mapping[str, Callable[[Contributions], Protected]] = {
    "threshold": threshold,
    "primary": lambda table: suppress(table, [FewEmployers(), FewJobs()], percent=None),
    "suppression": lambda table: suppress(table, [FewEmployers(), FewJobs()]),
    "dominance": lambda table: suppress(table, [Dominance()]),
    "p_percent": lambda table: suppress(table, [PercentRule()]),
    "rounding_5": lambda table: controlled(table.counts, table.margins, 5),
    "rounding_10": lambda table: controlled(table.counts, table.margins, 10),
}
"""What is compared, by name."""


@dataclass(frozen=True)
class Classical:
    """One protection of one table, all in jobs or shares.

    `l1` and `l2` (root mean square) are of all cells, with the public guess where one is withheld;
    `l1_withheld` is of the withheld cells alone. `lone` cells have jobs of one employer: of these
    `exact` are known to the job and `fail` within α; `width` is the median width of their intervals
    in units of the count, None without an upper end. `slope` is that of jobs on establishments over
    the published cells with few of these, beside the true one and that of a release, whose errors
    are `l1_release` and `l2_release`.
    """

    workload: str
    protection: str
    words: str
    cells: int
    withheld_cells: float
    withheld_jobs: float
    withheld_margins: float
    l1: float
    l2: float
    l1_withheld: float | None
    lone: int
    exact: int
    fail: int
    width: float | None
    settled: float
    slope: float | None
    slope_true: float | None
    slope_release: float | None
    slope_release_sd: float | None
    l1_release: float | None
    l2_release: float | None

    @property
    def row(self) -> PageRow:
        """The protection as a row of the page."""
        cells = (
            percent(self.withheld_cells),
            percent(self.withheld_jobs),
            significant(self.l1),
            significant(self.l2),
            significant(self.l1_withheld),
            f"{count(self.exact)} of {count(self.lone)}",
            count(self.fail),
            "no end" if self.width is None else percent(self.width),
            significant(self.slope),
        )
        return PageRow(capital(self.words), cells)

    @property
    def point(self) -> ScoredPoint:
        """The same as a point of the tidy file: no policy, no ε."""
        return ScoredPoint(
            self.workload,
            self.protection,
            "published",
            "none",
            "single",
            cells=self.cells,
            trials=1,
            l1=self.l1,
            l1_source="no noise",
        )


CLASSICAL_COLUMNS = tuple(field.name for field in fields(Classical))

HEADINGS = (
    *("Protection", "Cells withheld", "Jobs withheld", "Mean error", "Root mean square error"),
    *("Mean error of withheld cells", "Lone employers known exactly", "Known within 10 %"),
    *("Median width left", "Slope"),
)


def compared(
    workloads: Sequence[Workload], truths: Mapping[Marginal, Truth]
) -> tuple[Classical, ...]:
    """Every protection on every table that is neither a product nor too large, each once."""
    rows = []
    tables = {workload.marginal: workload for workload in workloads if not workload.alone}
    for marginal, load in tables.items():
        truth = truths[marginal]
        if not marginal.dimensions or marginal.breakdowns or truth.counts.size > MOST_CELLS:
            continue
        if truth.cells.in_frame is None:
            raise TypeError("the cells were tabulated without a frame")
        keys, worker = truth.numbered(), truth.worker_cells
        codes = [np.repeat(position, worker) for position in marginal.workplace_positions(keys)]
        codes += [np.tile(position, keys.size) for position in marginal.worker_positions()]
        table = Contributions.of(truth.entries, codes)
        frame = np.repeat(truth.cells.in_frame, worker)
        release = _drawn(marginal, truth, frame)
        for name, protect in PROTECTIONS.items():
            rows.append(_scored(load.name, name, protect(table), table, frame, release))
    return tuple(rows)


@dataclass(frozen=True)
class ClassicalSection:
    """The protections of one table on the page."""

    title: str
    rows: Sequence[PageRow]
    beside: str


def sections(protections: Sequence[Classical], words: Mapping[str, str]) -> list[ClassicalSection]:
    """A section for each table, in their order."""
    tables: dict[str, list[Classical]] = {}
    for classical in protections:
        tables.setdefault(classical.workload, []).append(classical)
    return [
        ClassicalSection(capital(words[name]), [row.row for row in rows], _beside(rows[0]))
        for name, rows in tables.items()
    ]


def _beside(classical: Classical) -> str:
    """What a release does to the same table, and to the same regression."""
    if classical.l1_release is None:
        return "No release was drawn beside these: no proof covers this table."
    words = (
        f"{DRAWS} draws of a release at α = {alpha_text(ALPHA)} and ε = {EPSILON} have a mean "
        f"error of {significant(classical.l1_release)} and a root mean square error of "
        f"{significant(classical.l2_release)}; they give no cell for certain."
    )
    if classical.slope_true is None:
        return words
    return (
        f"{words} Jobs on establishments over cells of at most {SMALL} establishments have a true "
        f"slope of {significant(classical.slope_true)}; that of the draws is "
        f"{significant(classical.slope_release)} on average, with a standard deviation of "
        f"{significant(classical.slope_release_sd)}."
    )


class Beside(NamedTuple):
    """Draws of a release: the slope of the regression, and the errors of a cell."""

    slope_release: float | None = None
    slope_release_sd: float | None = None
    l1_release: float | None = None
    l2_release: float | None = None


def _scored(
    workload: str,
    name: str,
    protected: Protected,
    table: Contributions,
    frame: Integers,
    release: Beside,
) -> Classical:
    """A protected table against the truth."""
    counts, hidden, small = table.counts, protected.withheld, frame <= SMALL
    lone = np.flatnonzero(table.employers[: counts.size] == 1)
    seconds = SECONDS if counts.size <= SOLVED and has_solver() else 0.0
    left = protected.feasible(table.margins).intervals(lone, seconds=seconds)
    error = protected.imputed(table.margins, frame) - counts
    width = None  # also where most have no upper end
    if lone.size and np.mean(left.high < UNBOUNDED) > 0.5:
        width = float(np.median((left.high - left.low) / counts[lone]))
    return Classical(
        workload=workload,
        protection=name,
        words=protected.words,
        cells=counts.size,
        withheld_cells=float(hidden.mean()),
        withheld_jobs=float(counts[hidden].sum() / max(counts.sum(), 1)),
        withheld_margins=float(np.mean(protected.most >= UNBOUNDED)),
        l1=float(np.abs(error).mean()),
        l2=root_mean_square(error),
        l1_withheld=float(np.abs(error[hidden]).mean()) if hidden.any() else None,
        lone=lone.size,
        exact=int(left.exact.sum()),
        fail=int(left.fails(ALPHA).sum()),
        width=width,
        settled=float(left.settled.mean()) if lone.size else 1.0,
        slope=slope(frame, protected.values, small & ~hidden),
        slope_true=slope(frame, counts, small),
        **release._asdict(),
    )


def _drawn(marginal: Marginal, truth: Truth, frame: Integers) -> Beside:
    """A release that a plan with `mechanism: auto` would make; nothing where no proof covers it."""
    try:
        measurement, _ = choose(marginal, Guarantee("strong", ALPHA, EPSILON), None, SizeProfile())
    except LeewardError:
        return Beside()
    values = [measurement.measure(truth.columns(measurement)).values.ravel() for _ in range(DRAWS)]
    errors = np.stack(values) - truth.counts.ravel()
    slopes = [slope(frame, value, frame <= SMALL) for value in values]
    known = [value for value in slopes if value is not None]
    return Beside(
        float(np.mean(known)) if known else None,
        float(np.std(known)) if known else None,
        float(np.abs(errors).mean()),
        root_mean_square(errors),
    )


def root_mean_square(errors: Integers | Floats) -> float:
    """The root of the mean square."""
    return float(np.sqrt(np.mean(errors.astype(np.float64) ** 2)))


def slope(x: Integers, y: Integers | Floats, where: np.ndarray) -> float | None:
    """Of least squares over some cells; None where x does not vary."""
    across = x[where] - x[where].mean() if where.any() else x[where]
    square = float(np.sum(across * across))
    return float(np.sum(across * y[where])) / square if square else None
