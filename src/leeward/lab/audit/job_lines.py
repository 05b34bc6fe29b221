"""Lines and controls at one job and between two sizes (mechanisms/one_job.proof.md)."""

from fractions import Fraction

from leeward.core.exact import ball, dyadic_up, precision
from leeward.core.mechanisms.clipped import Clipped
from leeward.core.mechanisms.joint_pareto import JointPareto
from leeward.core.mechanisms.one_job import of_growth
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.scale import Scale
from leeward.core.mechanisms.slope import Slope
from leeward.core.mechanisms.vector_pareto import VectorPareto
from leeward.lab.audit.audit_line import (
    ALPHA,
    CAP,
    FOUR,
    ONE,
    AuditLine,
    Control,
    Options,
    TableLine,
)
from leeward.lab.audit.clipped_exam import clipped_loss, examine_clipped, examine_gaussian
from leeward.lab.audit.exams import (
    Exam,
    block,
    examine_block,
    examine_scalar,
    scalar,
    workplace_view,
)
from leeward.lab.audit.job_relation import (
    BETWEEN_SIZES,
    DOUBLED,
    ONE_JOB,
    MoreJobs,
)
from leeward.lab.audit.joint_exam import (
    examine_joint,
    examine_joint_clipped,
    examine_joint_gaussian,
    joint_loss,
)
from leeward.lab.audit.loss import PrivacyLoss
from leeward.lab.audit.neighbours import Depth, pairs
from leeward.lab.audit.pay_exam import examine_pay, examine_pay_clipped
from leeward.lab.audit.row import Grid
from leeward.lab.audit.table_exam import examine_clipped_table, examine_table
from leeward.lab.audit.twins import LowFloor, clipped_twin, sound

QUARTER: Options = (("epsilon_job", "1"),)
"""Of ε = 4: by slope the floor is Δ = 4.147."""

FIVE: Options = (("plus", 5),)
"""Δ/α is a whole number, and one job reaches what is claimed."""

GAUSSIAN: Options = (("noise", "gaussian"), ("delta", "1e-6"))
PRODUCT: Options = (("tables", (2, 2)),)
CELLS: Options = (("cells", 2),)
ODD: Grid = (("0.23", "4"),)

JobLine = tuple[str, Exam, Options]

ALONE: tuple[JobLine, ...] = (
    ("slope", examine_scalar, ()),
    ("slope", examine_scalar, CELLS),
    ("log_laplace", examine_scalar, ()),
    ("smooth_gamma", examine_scalar, ()),
    ("scale", examine_scalar, ()),
    ("vector_pareto", examine_block, ()),
    ("vector_pareto", examine_block, CELLS),
    ("radial_slope", examine_block, ()),
    ("radial_slope", examine_block, CELLS),
    ("joint_radial", examine_joint, PRODUCT),
    ("clipped", examine_clipped, ()),
    ("clipped", examine_clipped, CELLS),
    ("joint_pareto", examine_joint, PRODUCT),
    ("joint_clipped", examine_joint_clipped, PRODUCT),
)
PAY: tuple[JobLine, ...] = (
    ("pay_centred", examine_pay, ()),
    ("pay_pareto", examine_pay, CELLS),
    ("pay_two_scales", examine_pay, ()),
    ("pay_clipped", examine_pay_clipped, ()),
    ("log_pair", examine_pay, ()),
    ("payroll_pareto", examine_pay, ()),
    ("pay_centred_radial", examine_pay, ()),
    ("pay_radial", examine_pay, CELLS),
    ("payroll_radial", examine_pay, ()),
    ("payroll_slope", examine_pay, ()),
)
WHOLE: tuple[JobLine, ...] = (
    ("staircase", examine_scalar, ()),
    ("edge_laplace", examine_scalar, ()),
    ("edge_pay", examine_pay, (CAP,)),
)
"""One job costs ε whatever the floor."""


def _line(name: str, exam: Exam, *options: tuple[str, object], **how: object) -> AuditLine:
    return AuditLine(name, exam, (ONE_JOB,), options=options, **{"at": FOUR, **how})  # type: ignore[arg-type] # as of lines


JOB_LINES: tuple[AuditLine, ...] = (
    *(_line(name, exam, *options, *QUARTER) for name, exam, options in ALONE),
    *(_line(name, exam, *options, *FIVE) for name, exam, options in ALONE if not options),
    *(_line(name, exam, *options, *QUARTER, at=ODD, deep=True) for name, exam, options in ALONE),
    *(_line(name, exam, CAP, *options, *QUARTER) for name, exam, options in PAY),
    *(_line(name, exam, CAP, *options, *FIVE, deep=True) for name, exam, options in PAY),
    *(_line(name, exam, *options, ("plus", 3), at=FOUR) for name, exam, options in WHOLE[:1]),
    *(_line(name, exam, *options, at=ONE) for name, exam, options in WHOLE[1:]),
    _line("node_laplace", examine_scalar, ("theta", 8), at=ONE),
    _line("log_laplace", examine_scalar, *FIVE, calibration="published"),
    _line("smooth_gamma", examine_scalar, *FIVE, calibration="published", deep=True),
    _line("clipped", examine_gaussian, *CELLS, *GAUSSIAN, *FIVE),
    _line("joint_clipped", examine_joint_gaussian, *PRODUCT, *GAUSSIAN, *FIVE, deep=True),
    *(
        AuditLine(name, exam, BETWEEN_SIZES, options=options, at=FOUR)
        for name, exam in (
            ("slope", examine_scalar),
            ("vector_pareto", examine_block),
            ("radial_slope", examine_block),
        )
        for options in (QUARTER, FIVE)
    ),
    AuditLine("clipped", examine_clipped, BETWEEN_SIZES, options=QUARTER, at=FOUR, deep=True),
    AuditLine("scale", examine_scalar, BETWEEN_SIZES, options=FIVE, at=FOUR),
)

JOB_TABLES: tuple[TableLine, ...] = tuple(
    TableLine(name, policy, cells, "0.1", "4", statistic, exam, "1")
    for name, policy, cells, statistic, exam in (
        ("slope", "strong", 1, None, examine_table),
        ("slope", "weak", 2, None, examine_table),
        ("vector_pareto", "strong", 2, None, examine_table),
        ("clipped", "strong", 2, None, examine_clipped_table),
        ("pay_centred", "strong", 1, "payroll", examine_table),
        ("pay_two_scales", "proportional", 1, "mean", examine_table),
    )
)
"""Values and margins together, as a plan with a cap on one job gets them."""

NUMBERS = Parameters(ALPHA, Fraction(4), plus=5)
"""Those of the defects: α = .1, ε = 4, Δ = 5."""

FOURTH = Fraction(4)


def counts(counting: Slope | Scale, depth: Depth, question: str = ONE_JOB) -> PrivacyLoss:
    """The loss of counts or indices, as their own exam has it."""
    neighbours = pairs(MoreJobs.of(question, NUMBERS), ALPHA, depth)
    return scalar(workplace_view(counting), neighbours, NUMBERS.epsilon)


def theta_of_one_job(depth: Depth) -> PrivacyLoss:
    """Clipped with a θ that may fall to 1/α."""
    twin = clipped_twin(sound(Clipped, epsilon=NUMBERS.epsilon, plus=5), LowFloor)
    return clipped_loss(twin, MoreJobs.of(ONE_JOB, NUMBERS), depth)


def block_of_one_job(depth: Depth) -> PrivacyLoss:
    """Blocks of noise for Δ = 1."""
    small = sound(VectorPareto, epsilon=NUMBERS.epsilon, cells=2)
    return block(small, MoreJobs.of(ONE_JOB, NUMBERS), depth)


def product_of_one_job(depth: Depth) -> PrivacyLoss:
    """Products with noise for Δ = 1."""
    small = sound(JointPareto, epsilon=NUMBERS.epsilon, tables=(2, 2))
    return joint_loss(small, MoreJobs.of(ONE_JOB, NUMBERS), depth)


def in_steps_of_alpha() -> Fraction:
    """ε·ln 2/α, as if a size grew by ln(1+α) with each step of α."""
    with precision(128):
        return NUMBERS.epsilon * dyadic_up(ball(2).log() / ball(ALPHA), 64)


LITTLE = Fraction(9, 10)
"""Above what one job costs at Δ = 5 by any of these."""

FORGOTTEN = "the floor of Δ = 1 with what one job costs at 5"
JOB_CONTROLS: tuple[Control, ...] = (
    Control(
        "a part of a grid step for one job",
        "scale",
        lambda depth: counts(sound(Scale, epsilon=NUMBERS.epsilon, plus=5), depth),
        ONE_JOB,
        NUMBERS.epsilon * of_growth(NUMBERS),
        detail="plus 5",
    ),
    Control(
        FORGOTTEN,
        "slope",
        lambda depth: counts(sound(Slope, epsilon=NUMBERS.epsilon), depth),
        ONE_JOB,
        LITTLE,
    ),
    Control(
        "twice the size booked as ln 2/α steps",
        "slope",
        lambda depth: counts(sound(Slope, epsilon=NUMBERS.epsilon, plus=5), depth, DOUBLED),
        DOUBLED,
        in_steps_of_alpha(),
        detail="plus 5",
    ),
    Control(FORGOTTEN, "clipped", theta_of_one_job, ONE_JOB, LITTLE, detail="plus 5"),
    Control(FORGOTTEN, "vector_pareto", block_of_one_job, ONE_JOB, LITTLE, detail="cells 2"),
    Control(FORGOTTEN, "joint_pareto", product_of_one_job, ONE_JOB, LITTLE),
)
