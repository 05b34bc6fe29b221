"""What is audited: one line a mechanism and exam, each giving rows over policies, α and ε.

A control is the line of a known defect: it gives one row, which must be rejected.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Literal, cast

from leeward.core.codebook import (
    Attribute,
    Dimension,
    Flows,
    Gains,
    Marginal,
    NumericRange,
    Pay,
    Percentiles,
)
from leeward.core.codebook.flow_classes import FLOW_CODES
from leeward.core.errors import InvalidParameter
from leeward.core.mechanisms import Mechanism, mechanism
from leeward.core.mechanisms.calibrated import PAY as PAY_KINDS
from leeward.core.mechanisms.choice import AUTO, measurement
from leeward.core.mechanisms.measurement import Measurement
from leeward.core.privacy import Guarantee
from leeward.core.privacy.policy import POLICIES
from leeward.lab.audit.clipped_exam import (
    examine_clipped,
    examine_clipped_chains,
    examine_gaussian,
    gaussian_rho,
)
from leeward.lab.audit.exams import (
    Exam,
    examine_block,
    examine_chains,
    examine_kept,
    examine_scalar,
)
from leeward.lab.audit.history_exam import HISTORY_LINES, HistoryLine
from leeward.lab.audit.homes_exam import HOMES_LINES, HomesLine
from leeward.lab.audit.independence import BETWEEN_CELLS, Independence
from leeward.lab.audit.joint_code import JOINT_CLIPPED_CODE, JOINT_CODE
from leeward.lab.audit.joint_exam import (
    examine_joint,
    examine_joint_chains,
    examine_joint_clipped,
    examine_joint_clipped_chains,
    examine_joint_gaussian,
)
from leeward.lab.audit.local_exam import LOCAL_LINES, LocalLine
from leeward.lab.audit.loss import Loss, zcdp_loss
from leeward.lab.audit.neighbours import Depth
from leeward.lab.audit.pay_code import LOG_CODE, PAY_CLIPPED_CODE, PAY_CODE
from leeward.lab.audit.pay_exam import (
    by_raises,
    examine_pay,
    examine_pay_chains,
    examine_pay_clipped,
    pay_clipped_loss,
    pay_loss,
)
from leeward.lab.audit.regression_exam import REGRESSION_LINES, RegressionLine
from leeward.lab.audit.released_code import (
    BLOCK_CODE,
    CLIPPED_CODE,
    COUNT_CODE,
    GAUSSIAN_CODE,
    KEPT_CODE,
    RELEASED_CODE,
)
from leeward.lab.audit.report_exam import REPORT_LINES, ReportLine
from leeward.lab.audit.row import Claim, Row
from leeward.lab.audit.row_exam import ROW_LINES, RowLine
from leeward.lab.audit.table_exam import (
    WITH_MARGINS,
    ClippedTable,
    examine_clipped_table,
    examine_table,
)
from leeward.lab.baselines.printed import stated_delta

Grid = tuple[tuple[str, str], ...]
"""Pairs of α and ε."""

Options = tuple[tuple[str, object], ...]
"""Further parameters of a mechanism by name."""

QUICK_GRID: Grid = (("0.01", "0.5"), ("0.05", "2"), ("0.1", "1"), ("0.3", "2"), ("1", "4"))
"""One 1/α is not whole, so that a floor Δ/α that was rounded to whole jobs shows."""

ONE: Grid = (("0.1", "1"),)
CAP = ("cap", 30)
"""The cap of pay in all examined databases, as an option."""

FULL_GRID: Grid = tuple(
    (alpha, epsilon)
    for alpha in ("0.01", "0.05", "0.1", "0.3", "1")
    for epsilon in ("0.25", "0.5", "1", "4", "20")
)


@dataclass(frozen=True)
class Line:
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
                examined = self._made(alpha, epsilon)
                if examined is not None:
                    yield self._row(examined, name, depth)

    def _made(self, alpha: str, epsilon: str) -> Mechanism | None:
        """The mechanism, or None where its own conditions refuse these numbers."""
        options = dict(self.options)
        if self.delta is not None:
            options["delta"] = self.delta(Fraction(alpha), Fraction(epsilon))
        numbers = {"alpha": alpha, "epsilon": epsilon, "calibration": self.calibration}
        try:
            return mechanism(self.mechanism, **cast(Any, numbers | options))
        except InvalidParameter:
            return None

    def _row(self, mechanism: Mechanism, name: str, depth: Depth) -> Row:
        promised = mechanism.guarantee(name)
        shown = (key for key in dict(self.options) if key != "delta" or promised.rho)
        options = (f"{key} {dict(self.options)[key]}" for key in shown)
        claim = Claim(
            self.mechanism,
            self.calibration,
            name,
            promised.alpha,
            mechanism.parameters.epsilon,
            mechanism.parameters.delta if promised.rho else promised.delta,
            promised.rho,
            detail=", ".join(filter(None, (*options, self.detail))),
        )
        return Row(claim, self.examine(mechanism, name, depth))


MARGINS = Fraction(1, 10)
"""The share of ε that pays for margins in an examined table."""


@dataclass(frozen=True)
class TableLine:
    """Values and margins of a table together, by the measurement that a plan gets."""

    mechanism: str
    policy: str = "strong"
    cells: int = 1
    alpha: str | None = "0.1"
    epsilon: str = "1"
    statistic: Literal["payroll", "mean", "gains", "flows", "percentiles"] | None = None
    examine: Callable[..., Loss] = examine_table
    deep: ClassVar[bool] = False

    @property
    def policies(self) -> tuple[str, ...]:
        """The one policy."""
        return (self.policy,)

    def rows(self, _: Grid, depth: Depth) -> Iterator[Row]:
        """One row."""
        measured, kind = self.made(), self.marginal.kind
        promised = measured.guarantee(self.policy, table=kind)
        shown = (f"cells {self.cells}" if self.cells > 1 else "", self.statistic)
        claim = Claim(
            self.mechanism,
            "tight",
            self.policy,
            promised.alpha,
            promised.epsilon,
            detail=", ".join(filter(None, (*shown, WITH_MARGINS))),
        )
        cap = CAP[1] if kind in PAY_KINDS else None
        yield Row(claim, self.examine(measured, promised.policy, depth, promised.epsilon, cap))

    def made(self) -> Measurement:
        """The measurement, by the function that plans call."""
        budget = Guarantee(self.policy, self.alpha, self.epsilon)
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
                return replace(counted, statistic=Pay(name, pay))


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
class RhoLine:
    """A table of a plan with a budget in ρ: its Gaussian noise, by the measurement that it gets."""

    mechanism: str
    policy: str = "strong"
    cells: int = 1
    alpha: str = "0.1"
    rho: str = "1/5"
    deep: ClassVar[bool] = False

    @property
    def policies(self) -> tuple[str, ...]:
        """The one policy."""
        return (self.policy,)

    def rows(self, _: Grid, depth: Depth) -> Iterator[Row]:
        """One row: the verdict is on ρ, and the row shows the ε that it implies."""
        marginal, budget = _by_kinds(self.cells), Guarantee(self.policy, self.alpha, 0, 0, self.rho)
        measured = measurement(self.mechanism, marginal, budget, AUTO)
        promised = measured.guarantee(self.policy, table=marginal.kind)
        table = ClippedTable(measured, establishments=2)
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
    examine: Callable[[Depth], Loss]
    policy: str = "strong"
    epsilon: Fraction = EPSILON
    calibration: str = "tight"
    alpha: Fraction = ALPHA
    delta: Fraction = Fraction(0)
    detail: str = ""

    def row(self, depth: Depth) -> Row:
        """The control as a row of the audit."""
        claim = Claim(
            self.mechanism,
            self.calibration,
            self.policy,
            self.alpha if self.policy in POLICIES and POLICIES[self.policy].uses_alpha else None,
            self.epsilon,
            self.delta,
            control=self.defect,
            detail=self.detail,
        )
        return Row(claim, self.examine(depth))


def _code(
    name: str, exam: Exam, policy: str = "strong", *, options: Options = (), at: Grid = ONE
) -> Line:
    """A line of the code that releases call."""
    return Line(name, exam, (policy,), options=options, at=at, detail=RELEASED_CODE)


GAUSSIAN: Options = (("noise", "gaussian"), ("delta", "1e-6"))

SMALL_PRODUCT: Options = (("tables", (2, 2)),)
LODES_SIX: Options = (("tables", (3, 3, 6, 2, 5, 2)),)
"""The breakdowns of a LODES workplace file: age, earnings, race, ethnicity, schooling and sex."""

FOUR: Grid = (("0.1", "4"),)
OF_GAINS = "gains"
UNIT_EMPLOYER = "unit employer"
TWO: Grid = (("0.1", "2"),)
PLUS_LINES: tuple[tuple[str, Exam, Options, Grid], ...] = (
    ("log_laplace", examine_scalar, (), ONE),
    ("smooth_gamma", examine_scalar, (), ONE),
    ("smooth_laplace", examine_scalar, (("delta", "1/1000"),), ONE),
    ("slope", examine_scalar, (), ONE),
    ("staircase", examine_scalar, (), QUICK_GRID[3:4]),
    ("vector_pareto", examine_block, (), ONE),
    ("vector_pareto", examine_block, (("cells", 2),), ONE),
    ("clipped", examine_clipped, (("cells", 2),), ONE),
    ("scale", examine_scalar, (), ONE),
)
"""Mechanisms that are examined with an additive factor Δ above 1."""

BETWEEN: tuple[tuple[str, Exam, Options, Grid], ...] = (
    ("slope", Independence(COUNT_CODE), (), ONE),
    ("staircase", Independence(COUNT_CODE), (), TWO),
    ("vector_pareto", Independence(BLOCK_CODE), (("cells", 2),), (("3", "3"),)),
    ("clipped", Independence(GAUSSIAN_CODE, releases=1), GAUSSIAN, (("1", "4"),)),
    ("joint_pareto", Independence(JOINT_CODE), SMALL_PRODUCT, (("1", "4"),)),
    ("pay_pareto", Independence(PAY_CODE), (CAP,), (("1", "4"),)),
)
"""A mechanism for each kind of noise: rounded by one law and by the law of a size, block, Gaussian,
joint, pairs. Where cells share an H, it is one that varies."""

PAY_GRID: Grid = (("0.01", "0.5"), ("0.1", "4"), ("1", "4"))
RAISES = "raises"
STRONG, PROPORTIONAL = ("strong",), ("proportional",)
PayLine = tuple[str, Exam, tuple[str, ...], Options]

PAY: tuple[PayLine, ...] = (
    ("pay_centred", examine_pay, STRONG, ()),
    ("pay_pareto", examine_pay, STRONG + PROPORTIONAL, ()),
    ("pay_two_scales", examine_pay, PROPORTIONAL, ()),
    ("pay_clipped", examine_pay_clipped, STRONG + PROPORTIONAL, ()),
    ("log_pair", examine_pay, PROPORTIONAL, ()),
    ("payroll_pareto", examine_pay, STRONG, ()),
    ("payroll_pareto", examine_pay, PROPORTIONAL, (("by_payroll", True),)),
    ("payroll_slope", examine_pay, PROPORTIONAL, ()),
)
"""Mechanisms of pay; the full audit has them at several α and ε, and with a Δ above 1."""

PAY_CELLS: tuple[PayLine, ...] = (
    ("pay_centred", examine_pay, STRONG, ()),
    ("pay_pareto", examine_pay, STRONG, ()),
    ("payroll_pareto", examine_pay, STRONG, ()),
    ("payroll_pareto", examine_pay, PROPORTIONAL, (("by_payroll", True),)),
)
PAY_RAISES: tuple[tuple[str, Exam], ...] = (
    ("pay_pareto", by_raises(pay_loss)),
    ("payroll_pareto", by_raises(pay_loss)),
    ("pay_clipped", by_raises(pay_clipped_loss)),
)
"""Those under which a changed pay is one step whatever the policy."""


def _pay_lines() -> Iterator[Line]:
    for name, exam, policies, options in PAY:
        yield Line(name, exam, policies, options=(CAP, *options), at=ONE)
        several = PAY_GRID[1:] if exam is examine_pay_clipped else PAY_GRID
        yield Line(name, exam, policies, options=(CAP, *options), at=several, deep=True)
        wide = (CAP, *options, ("plus", 3))
        yield Line(name, exam, policies[-1:], options=wide, at=ONE, deep=name != "pay_two_scales")
    for name, exam, policies, options in PAY_CELLS:
        both = (CAP, *options, ("cells", 2))
        yield Line(name, exam, policies, options=both, at=ONE, deep=policies != STRONG)
        yield Line(name, exam, policies, options=both, at=PAY_GRID[1:2], deep=True)
    yield Line("pay_clipped", examine_pay_clipped, options=(CAP, ("cells", 2)), at=ONE, deep=True)
    for name, exam in PAY_RAISES:
        yield Line(name, exam, options=(CAP,), at=ONE, detail=RAISES)
        yield Line(name, exam, options=(CAP,), at=PAY_GRID[:1], detail=RAISES, deep=True)
    for options, at in (((CAP,), ONE), ((CAP, ("cells", 2)), ONE), ((CAP,), PAY_GRID[:2])):
        yield Line("edge_pay", examine_pay, ("worker",), options=options, at=at, deep=at != ONE)
    for name, policy_name in (("pay_centred", "strong"), ("pay_two_scales", "proportional")):
        yield Line(
            name, examine_pay_chains, (policy_name,), options=(CAP,), at=ONE, detail=UNIT_EMPLOYER
        )


# Weak neighbours are some of the strong ones, and two cells at ε are one cell at ε/2, twice: of
# either one point will do. Of published calibrations, which promise more than they use, fewer.
LINES: tuple[
    Line
    | TableLine
    | RhoLine
    | RegressionLine
    | HistoryLine
    | HomesLine
    | RowLine
    | LocalLine
    | ReportLine,
    ...,
] = (
    Line("edge_laplace", examine_scalar, ("worker",)),
    Line("node_laplace", examine_kept, ("establishment",), options=(("theta", 8),)),
    Line("log_laplace", examine_scalar, ("strong",), "published", every=2),
    Line("log_laplace", examine_scalar, ("strong",)),
    Line("log_laplace", examine_scalar, ("weak",), options=(("cells", 2),), at=ONE),
    Line("smooth_gamma", examine_scalar, ("strong",), "published", every=2),
    Line("smooth_gamma", examine_scalar, ("strong",)),
    Line("smooth_gamma", examine_scalar, ("weak",), options=(("cells", 2),), at=ONE),
    Line("smooth_laplace", examine_scalar, ("strong",), "published", delta=stated_delta),
    Line("smooth_laplace", examine_scalar, ("strong",), options=(("delta", "1/1000"),)),
    Line("smooth_laplace", examine_scalar, ("weak",), options=(("cells", 2), ("delta", "1/100"))),
    Line("slope", examine_scalar, ("strong",)),
    Line("slope", examine_scalar, ("weak",), options=(("cells", 2),), at=ONE),
    Line("staircase", examine_scalar, ("strong",)),
    Line("staircase", examine_scalar, ("weak",), options=(("cells", 2),), at=(("0.1", "4"),)),
    Line("vector_pareto", examine_block, ("strong",)),
    Line("vector_pareto", examine_block, ("strong",), options=(("cells", 2),)),
    Line("vector_pareto", examine_block, ("weak",), options=(("cells", 2),), at=ONE),
    Line("vector_pareto", examine_block, options=(("cells", 8),)),
    Line("clipped", examine_clipped, ("strong",)),
    Line("clipped", examine_clipped, ("strong",), options=(("cells", 8),)),
    Line("clipped", examine_clipped, ("weak",), options=(("cells", 8),), at=ONE),
    Line("clipped", examine_clipped, ("strong",), options=(("establishments", 1),), at=ONE),
    Line(
        "clipped",
        examine_clipped,
        ("strong",),
        options=(("cells", 8), ("establishments", 30)),
        at=ONE,
    ),
    *(
        Line(
            "clipped",
            examine_gaussian,
            (name,),
            options=(("cells", cells), *GAUSSIAN),
            at=at,
            every=2,
        )
        for cells, name, at in (
            (1, "strong", (("0.05", "2"), ("1", "4"))),
            (2, "strong", (("0.05", "2"), ("1", "4"))),
            (8, "strong", ()),
            (8, "weak", ONE),
        )
    ),
    Line("joint_pareto", examine_joint, options=SMALL_PRODUCT, at=ONE),
    Line("joint_pareto", examine_joint, options=(("plus", 5), *SMALL_PRODUCT), at=ONE, deep=True),
    Line("joint_pareto", examine_joint, ("weak",), options=(("tables", (2, 3)),), at=FOUR),
    Line("joint_pareto", examine_joint, options=(("tables", (2, 3, 2)),)),
    Line("joint_pareto", examine_joint, options=LODES_SIX, at=FOUR),
    Line("joint_pareto", examine_joint, options=(("plus", 5), *LODES_SIX), at=FOUR),
    Line("joint_clipped", examine_joint_clipped, options=SMALL_PRODUCT, at=ONE),
    Line("joint_clipped", examine_joint_clipped, options=SMALL_PRODUCT, every=2, deep=True),
    Line("joint_clipped", examine_joint_clipped, options=(("plus", 5), *SMALL_PRODUCT), at=ONE),
    Line("joint_clipped", examine_joint_clipped, ("weak",), options=(("tables", (3, 4)),), at=FOUR),
    Line("joint_clipped", examine_joint_clipped, options=LODES_SIX, at=FOUR),
    Line(
        "joint_clipped",
        examine_joint_gaussian,
        options=(*SMALL_PRODUCT, *GAUSSIAN),
        at=(("1", "4"),),
    ),
    Line(
        "joint_clipped",
        examine_joint_gaussian,
        options=(("plus", 5), ("tables", (2, 3)), *GAUSSIAN),
        at=FOUR,
        deep=True,
    ),
    Line("scale", examine_scalar, ("strong",)),
    Line("scale", examine_scalar, ("weak",)),
    *(
        Line(name, exam, ("strong",), options=(("plus", plus), *options), at=at, deep=plus > 3)
        for plus in (3, 10)
        for name, exam, options, at in PLUS_LINES
    ),
    Line("slope", examine_scalar, ("weak",), options=(("plus", 3), ("cells", 2)), at=ONE),
    TableLine("slope"),
    TableLine("staircase", epsilon="2"),
    TableLine("vector_pareto", cells=2),
    TableLine("slope", "weak", cells=2),
    TableLine("vector_pareto", cells=2, statistic="gains"),
    TableLine("vector_pareto", cells=4, statistic="flows"),
    TableLine("vector_pareto", cells=2, statistic="percentiles"),
    TableLine("edge_laplace", "worker", cells=2, alpha=None, statistic="percentiles"),
    TableLine("clipped", cells=2, examine=examine_clipped_table),
    TableLine("clipped", cells=2, statistic="gains", examine=examine_clipped_table),
    TableLine("clipped", cells=4, statistic="flows", examine=examine_clipped_table),
    TableLine("clipped", cells=2, statistic="percentiles", examine=examine_clipped_table),
    *_pay_lines(),
    TableLine("pay_centred", statistic="payroll"),
    TableLine("pay_two_scales", "proportional", statistic="mean"),
    TableLine("payroll_slope", "proportional", statistic="payroll"),
    RhoLine("clipped"),
    RhoLine("clipped", "weak", cells=2),
    Line("slope", examine_chains, at=ONE, detail=UNIT_EMPLOYER),
    Line("staircase", examine_chains, at=TWO, detail=UNIT_EMPLOYER, deep=True),
    Line(
        "clipped",
        examine_clipped_chains,
        options=(("cells", 2),),
        at=ONE,
        detail=UNIT_EMPLOYER,
    ),
    Line(
        "joint_pareto",
        examine_joint_chains,
        options=(("tables", (2, 3)),),
        at=FOUR,
        detail=UNIT_EMPLOYER,
    ),
    Line(
        "joint_clipped",
        examine_joint_clipped_chains,
        options=SMALL_PRODUCT,
        at=ONE,
        detail=UNIT_EMPLOYER,
        deep=True,
    ),
    replace(_code("slope", COUNT_CODE, options=(("plus", 3),)), deep=True),
    replace(_code("clipped", CLIPPED_CODE, options=(("plus", 3),)), deep=True),
    _code("edge_laplace", COUNT_CODE, "worker"),
    _code("node_laplace", KEPT_CODE, "establishment", options=(("theta", 8),)),
    _code("log_laplace", COUNT_CODE),
    _code("smooth_gamma", COUNT_CODE),
    _code("slope", COUNT_CODE),
    _code("staircase", COUNT_CODE, at=(("0.1", "2"),)),
    _code("scale", COUNT_CODE),
    _code("vector_pareto", BLOCK_CODE),
    _code("clipped", CLIPPED_CODE),
    _code("smooth_laplace", COUNT_CODE, options=(("delta", "1/1000"),)),
    _code("vector_pareto", BLOCK_CODE, options=(("cells", 2),), at=(("3", "3"),)),
    _code("clipped", CLIPPED_CODE, options=(("cells", 2),), at=(("1", "4"),)),
    _code("clipped", GAUSSIAN_CODE, options=GAUSSIAN, at=(("1", "4"),)),
    _code("joint_pareto", JOINT_CODE, options=SMALL_PRODUCT, at=(("1", "4"),)),
    _code("joint_clipped", JOINT_CLIPPED_CODE, options=SMALL_PRODUCT, at=(("1", "4"),)),
    *REGRESSION_LINES,
    *HOMES_LINES,
    *ROW_LINES,
    *LOCAL_LINES,
    *REPORT_LINES,
    *(
        _code(name, exam, policy_name, options=(CAP,))
        for name, exam, policy_name in (
            ("pay_centred", PAY_CODE, "strong"),
            ("pay_pareto", PAY_CODE, "proportional"),
            ("pay_two_scales", PAY_CODE, "proportional"),
            ("pay_clipped", PAY_CLIPPED_CODE, "strong"),
            ("log_pair", LOG_CODE, "proportional"),
            ("payroll_pareto", PAY_CODE, "strong"),
            ("payroll_slope", PAY_CODE, "proportional"),
            ("edge_pay", PAY_CODE, "worker"),
        )
    ),
    _code("pay_pareto", PAY_CODE, options=(CAP, ("cells", 2), ("plus", 3)), at=FOUR),
    *(
        Line(name, exam, STRONG, options=options, at=at, detail=BETWEEN_CELLS)
        for name, exam, options, at in BETWEEN
    ),
    *HISTORY_LINES,
)
