"""Audit line: one mechanism and exam, which gives rows over policies, α and ε.

A control is the line of a known defect: it gives one row, which must be rejected.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from leeward.core.codebook import (
    STATISTICS,
    Attribute,
    Dimension,
    Flows,
    Gains,
    Marginal,
    NumericRange,
    Percentiles,
)
from leeward.core.codebook.flow_classes import FLOW_CODES
from leeward.core.errors import InvalidParameter
from leeward.core.mechanisms import Mechanism, mechanism
from leeward.core.mechanisms.calibrated import PAY as PAY_KINDS
from leeward.core.mechanisms.measurement import Measurement
from leeward.core.mechanisms.parameters import AUTO
from leeward.core.mechanisms.table_measurement import measurement
from leeward.core.privacy import Guarantee
from leeward.core.privacy.policy import POLICIES
from leeward.lab.audit.clipped_exam import gaussian_rho
from leeward.lab.audit.exams import Exam
from leeward.lab.audit.job_relation import JOB_QUESTIONS, ONE_JOB, Examined, MoreJobs
from leeward.lab.audit.loss import PrivacyLoss, zcdp_loss
from leeward.lab.audit.neighbours import Depth
from leeward.lab.audit.released_code import RELEASED_CODE
from leeward.lab.audit.row import Claim, Grid, PolicyLine, Row
from leeward.lab.audit.table_exam import WITH_MARGINS, ClippedTable, examine_table

Options = tuple[tuple[str, object], ...]
"""Further parameters of a mechanism by name."""

QUICK_GRID: Grid = (("0.01", "0.5"), ("0.05", "2"), ("0.1", "1"), ("0.3", "2"), ("1", "4"))
"""One 1/α is not whole, so that a floor Δ/α that was rounded to whole jobs shows."""

ONE: Grid = (("0.1", "1"),)
FOUR: Grid = (("0.1", "4"),)
UNIT_EMPLOYER = "unit employer"
CAP = ("cap", 30)
"""The cap of pay in all examined databases, as an option."""

FULL_GRID: Grid = tuple(
    (alpha, epsilon)
    for alpha in ("0.01", "0.05", "0.1", "0.3", "1")
    for epsilon in ("0.25", "0.5", "1", "4", "20")
)


@dataclass(frozen=True)
class AuditLine:
    """One mechanism in one calibration, examined in one way under some policies."""

    mechanism: str
    examine: Exam
    policies: tuple[str, ...] = ("strong",)
    calibration: str = "tight"
    options: Options = ()
    delta: Callable[[Fraction, Fraction], Fraction] | None = None
    at: Grid = ()
    """Where it is examined, if not on the grid."""

    every: int = 1
    """Of the grid, each point or every second one."""

    deep: bool = False
    """Whether it is examined in the full audit only."""

    detail: str = ""
    """What a reader is shown beside the options."""

    def rows(self, grid: Grid, depth: Depth) -> Iterator[Row]:
        """One row for every policy, α and ε at which the mechanism exists."""
        if self.deep and grid == QUICK_GRID:
            return
        for name in self.policies:
            for alpha, epsilon in self.at or grid[:: self.every]:
                options: dict[str, Any] = dict(self.options)
                if self.delta is not None:
                    options["delta"] = self.delta(Fraction(alpha), Fraction(epsilon))
                numbers = {"alpha": alpha, "epsilon": epsilon, "calibration": self.calibration}
                try:
                    calibrated = mechanism(self.mechanism, **numbers | options)
                except InvalidParameter:  # its own conditions exclude these numbers
                    continue
                yield self._row(calibrated, name, depth)

    def _row(self, calibrated: Mechanism, name: str, depth: Depth) -> Row:
        parameters = calibrated.parameters
        if name in JOB_QUESTIONS:
            epsilon, rho = MoreJobs.of(name, parameters).claimed(calibrated)
            alpha, delta = parameters.alpha, calibrated.price().delta
        else:
            promised = calibrated.guarantee(name)
            epsilon, rho = parameters.epsilon, promised.rho
            alpha, delta = promised.alpha, promised.delta
        shown = (key for key in dict(self.options) if key != "delta" or rho)
        options = (f"{key} {dict(self.options)[key]}" for key in shown)
        claim = Claim(
            self.mechanism,
            self.calibration,
            name,
            alpha,
            parameters.epsilon if rho else epsilon,
            parameters.delta if rho else delta,
            rho,
            detail=", ".join(filter(None, (*options, self.detail))),
        )
        return Row(claim, self.examine(calibrated, name, depth))


MARGINS = Fraction(1, 10)
"""The share of ε that pays for margins in an examined table."""


@dataclass(frozen=True)
class TableLine(PolicyLine):
    """Values and margins of a table together, by the measurement that a plan gets."""

    mechanism: str
    policy: str = "strong"
    cells: int = 1
    alpha: str | None = "0.1"
    epsilon: str = "1"
    statistic: str | None = None
    examine: Callable[..., PrivacyLoss] = examine_table
    epsilon_job: str | None = None
    """With a cap on one job the question is what that costs."""

    def rows(self, _: Grid, depth: Depth) -> Iterator[Row]:
        """One row."""
        planned, kind = self.made(), self.marginal.kind
        promised = planned.guarantee(self.policy, table=kind)
        relation: Examined = promised.policy
        if self.epsilon_job is not None:
            relation = MoreJobs.of(ONE_JOB, planned.parameters)
        shown = (f"cells {self.cells}" if self.cells > 1 else "", self.statistic)
        claim = Claim(
            self.mechanism,
            "tight",
            self.policy if relation is promised.policy else ONE_JOB,
            promised.alpha,
            promised.epsilon if relation is promised.policy else promised.epsilon_job,
            detail=", ".join(filter(None, (*shown, WITH_MARGINS))),
        )
        cap = CAP[1] if kind in PAY_KINDS else None
        yield Row(claim, self.examine(planned, relation, depth, promised.epsilon, cap))

    def made(self) -> Measurement:
        """The measurement, by the function that plans call."""
        budget = Guarantee(self.policy, self.alpha, self.epsilon, epsilon_job=self.epsilon_job)
        return measurement(self.mechanism, self.marginal, budget, MARGINS)

    @property
    def marginal(self) -> Marginal:
        """Jobs of workplaces, or their pay, by as many kinds of workers as there are cells.

        Of gains, the first kind are jobs that began, the second jobs that ended.
        """
        counted = _by_kinds(self.cells)
        match self.statistic:
            case None:
                return counted
            case "gains":
                return replace(counted, statistic=GAINS)
            case "flows":
                return replace(counted, statistic=FLOWS)
            case "percentiles":
                return replace(counted, statistic=MEDIANS)
            case name:
                numbers = NumericRange(0, CAP[1], "euros", None, ())
                pay = Attribute("pay", "jobs", "pay", (), (), False, {}, numbers=numbers)
                return replace(counted, statistic=STATISTICS[name](pay))


BEGAN_FIRST = FLOW_CODES[::-1]
GAINS = Gains(Attribute("flow", "jobs", "flow", BEGAN_FIRST, BEGAN_FIRST, False, {}))
FLOWS = Flows(Attribute("flow", "jobs", "flow", FLOW_CODES, FLOW_CODES, False, {}))
MEDIANS = Percentiles(
    Attribute("pay", "jobs", "pay", ("0", "1"), ("0", "1"), False, {}), (0, 10, 30), (50,)
)


def _by_kinds(cells: int) -> Marginal:
    codes = tuple(map(str, range(cells)))
    kind = Attribute("kind", "workers", "kind", codes, codes, False, {})
    worker = (Dimension(kind, tuple(range(cells))),) if cells > 1 else ()
    return Marginal("table", (), worker)


@dataclass(frozen=True)
class RhoLine(PolicyLine):
    """A table of a plan with a budget in ρ: its Gaussian noise, by the measurement that it gets."""

    mechanism: str
    policy: str = "strong"
    cells: int = 1
    alpha: str = "0.1"
    rho: str = "1/5"

    def rows(self, _: Grid, depth: Depth) -> Iterator[Row]:
        """One row: the verdict is on ρ, and the row shows the ε that it implies."""
        marginal, budget = _by_kinds(self.cells), Guarantee(self.policy, self.alpha, 0, 0, self.rho)
        planned = measurement(self.mechanism, marginal, budget, AUTO)
        promised = planned.guarantee(self.policy, table=marginal.kind)
        table = ClippedTable(planned, establishments=2)
        claim = Claim(
            self.mechanism,
            "tight",
            self.policy,
            promised.alpha,
            promised.restated.epsilon,
            promised.reading,
            promised.rho,
            detail=", ".join((f"cells {self.cells}", "budget in rho")),
        )
        yield Row(claim, zcdp_loss(gaussian_rho(table, promised.policy, depth), promised.reading))


ALPHA, EPSILON = Fraction(1, 10), Fraction(1)


@dataclass(frozen=True)
class Control:
    """One defect: what it pretends to be, and how its loss is computed."""

    defect: str
    mechanism: str
    examine: Callable[[Depth], PrivacyLoss]
    policy: str = "strong"
    epsilon: Fraction = EPSILON
    calibration: str = "tight"
    alpha: Fraction = ALPHA
    delta: Fraction = Fraction(0)
    detail: str = ""

    def row(self, depth: Depth) -> Row:
        """The control as a row of the audit."""
        grows = self.policy in POLICIES and POLICIES[self.policy].uses_alpha
        claim = Claim(
            self.mechanism,
            self.calibration,
            self.policy,
            self.alpha if grows or self.policy in JOB_QUESTIONS else None,
            self.epsilon,
            self.delta,
            control=self.defect,
            detail=self.detail,
        )
        return Row(claim, self.examine(depth))


def code_line(
    name: str, exam: Exam, policy: str = "strong", *, options: Options = (), at: Grid = ONE
) -> AuditLine:
    """A line of the code that releases call."""
    return AuditLine(name, exam, (policy,), options=options, at=at, detail=RELEASED_CODE)
