"""What is audited: one line a mechanism and exam."""

from dataclasses import replace

from leeward.lab.audit.audit_line import (
    CAP,
    FOUR,
    ONE,
    QUICK_GRID,
    UNIT_EMPLOYER,
    AuditLine,
    Options,
    RhoLine,
    TableLine,
    code_line,
)
from leeward.lab.audit.clipped_exam import examine_clipped, examine_clipped_chains, examine_gaussian
from leeward.lab.audit.exams import (
    Exam,
    examine_block,
    examine_chains,
    examine_kept,
    examine_scalar,
)
from leeward.lab.audit.history_exam import HISTORY_LINES
from leeward.lab.audit.homes_exam import HOMES_LINES
from leeward.lab.audit.independence import BETWEEN_CELLS, Independence
from leeward.lab.audit.job_lines import JOB_LINES, JOB_TABLES
from leeward.lab.audit.joint_code import JOINT_CLIPPED_CODE, JOINT_CODE
from leeward.lab.audit.joint_exam import (
    examine_joint,
    examine_joint_chains,
    examine_joint_clipped,
    examine_joint_clipped_chains,
    examine_joint_gaussian,
)
from leeward.lab.audit.local_exam import LOCAL_LINES
from leeward.lab.audit.parts_exam import PARTS_LINES
from leeward.lab.audit.pay_code import PAY_CODE
from leeward.lab.audit.pay_exam import PAY_CODE_LINES, PAY_LINES
from leeward.lab.audit.regression_exam import REGRESSION_LINES
from leeward.lab.audit.released_code import (
    BLOCK_CODE,
    CLIPPED_CODE,
    COUNT_CODE,
    GAUSSIAN_CODE,
    KEPT_CODE,
)
from leeward.lab.audit.report_exam import REPORT_LINES
from leeward.lab.audit.row import Grid, PolicyLine
from leeward.lab.audit.row_exam import ROW_LINES
from leeward.lab.audit.soft_exam import SOFT_LINES
from leeward.lab.audit.table_exam import examine_clipped_table
from leeward.lab.baselines.printed import stated_delta

GAUSSIAN: Options = (("noise", "gaussian"), ("delta", "1e-6"))

SMALL_PRODUCT: Options = (("tables", (2, 2)),)
LODES_SIX: Options = (("tables", (3, 3, 6, 2, 5, 2)),)
"""The breakdowns of a LODES workplace file: age, earnings, race, ethnicity, schooling and sex."""

OF_GAINS = "gains"
TWO: Grid = (("0.1", "2"),)
PLUS_LINES: tuple[tuple[str, Exam, Options, Grid], ...] = (
    ("log_laplace", examine_scalar, (), ONE),
    ("smooth_gamma", examine_scalar, (), ONE),
    ("smooth_laplace", examine_scalar, (("delta", "1/1000"),), ONE),
    ("slope", examine_scalar, (), ONE),
    ("staircase", examine_scalar, (), QUICK_GRID[3:4]),
    ("vector_pareto", examine_block, (), ONE),
    ("vector_pareto", examine_block, (("cells", 2),), ONE),
    ("radial_slope", examine_block, (("cells", 2),), ONE),
    ("clipped", examine_clipped, (("cells", 2),), ONE),
    ("scale", examine_scalar, (), ONE),
)
"""Mechanisms that are examined with an additive factor Δ above 1."""

BETWEEN: tuple[tuple[str, Exam, Options, Grid], ...] = (
    ("slope", Independence(COUNT_CODE), (), ONE),
    ("staircase", Independence(COUNT_CODE), (), TWO),
    ("vector_pareto", Independence(BLOCK_CODE), (("cells", 2),), (("3", "3"),)),
    ("clipped", Independence(GAUSSIAN_CODE, releases=1), GAUSSIAN, (("1", "4"),)),
    ("radial_slope", Independence(BLOCK_CODE), (("cells", 2),), (("3", "3"),)),
    ("joint_pareto", Independence(JOINT_CODE), SMALL_PRODUCT, (("1", "4"),)),
    ("pay_pareto", Independence(PAY_CODE), (CAP,), (("1", "4"),)),
)
"""A mechanism for each kind of noise: rounded by one law and by the law of a size, block, Gaussian,
joint, pairs. Where cells share a radius, it is one that varies."""


# Weak neighbours are some of the strong ones, and two cells at ε are one cell at ε/2, twice: of
# either one point will do. Of published calibrations, which promise more than they use, fewer.
LINES: tuple[AuditLine | PolicyLine, ...] = (
    AuditLine("edge_laplace", examine_scalar, ("worker",)),
    AuditLine("node_laplace", examine_kept, ("establishment",), options=(("theta", 8),)),
    AuditLine("log_laplace", examine_scalar, ("strong",), "published", every=2),
    AuditLine("log_laplace", examine_scalar),
    AuditLine("log_laplace", examine_scalar, ("weak",), options=(("cells", 2),), at=ONE),
    AuditLine("smooth_gamma", examine_scalar, ("strong",), "published", every=2),
    AuditLine("smooth_gamma", examine_scalar),
    AuditLine("smooth_gamma", examine_scalar, ("weak",), options=(("cells", 2),), at=ONE),
    AuditLine("smooth_laplace", examine_scalar, ("strong",), "published", delta=stated_delta),
    AuditLine("smooth_laplace", examine_scalar, options=(("delta", "1/1000"),)),
    AuditLine(
        "smooth_laplace", examine_scalar, ("weak",), options=(("cells", 2), ("delta", "1/100"))
    ),
    AuditLine("slope", examine_scalar),
    AuditLine("slope", examine_scalar, ("weak",), options=(("cells", 2),), at=ONE),
    AuditLine("staircase", examine_scalar),
    AuditLine("staircase", examine_scalar, ("weak",), options=(("cells", 2),), at=(("0.1", "4"),)),
    AuditLine("vector_pareto", examine_block),
    AuditLine("vector_pareto", examine_block, options=(("cells", 2),)),
    AuditLine("vector_pareto", examine_block, ("weak",), options=(("cells", 2),), at=ONE),
    AuditLine("vector_pareto", examine_block, options=(("cells", 8),)),
    AuditLine("radial_slope", examine_block),
    AuditLine("radial_slope", examine_block, options=(("cells", 2),)),
    AuditLine("radial_slope", examine_block, ("weak",), options=(("cells", 2),), at=ONE),
    AuditLine("radial_slope", examine_block, options=(("cells", 8),)),
    AuditLine("clipped", examine_clipped),
    AuditLine("clipped", examine_clipped, options=(("cells", 8),)),
    AuditLine("clipped", examine_clipped, ("weak",), options=(("cells", 8),), at=ONE),
    AuditLine("clipped", examine_clipped, options=(("establishments", 1),), at=ONE),
    AuditLine(
        "clipped",
        examine_clipped,
        ("strong",),
        options=(("cells", 8), ("establishments", 30)),
        at=ONE,
    ),
    *(
        AuditLine(
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
    AuditLine("joint_pareto", examine_joint, options=SMALL_PRODUCT, at=ONE),
    AuditLine(
        "joint_pareto", examine_joint, options=(("plus", 5), *SMALL_PRODUCT), at=ONE, deep=True
    ),
    AuditLine("joint_pareto", examine_joint, ("weak",), options=(("tables", (2, 3)),), at=FOUR),
    AuditLine("joint_pareto", examine_joint, options=(("tables", (2, 3, 2)),)),
    AuditLine("joint_pareto", examine_joint, options=LODES_SIX, at=FOUR),
    AuditLine("joint_pareto", examine_joint, options=(("plus", 5), *LODES_SIX), at=FOUR),
    AuditLine("joint_radial", examine_joint, options=SMALL_PRODUCT, at=ONE),
    AuditLine(
        "joint_radial", examine_joint, options=(("plus", 5), *SMALL_PRODUCT), at=ONE, deep=True
    ),
    AuditLine("joint_radial", examine_joint, ("weak",), options=(("tables", (2, 3)),), at=FOUR),
    AuditLine("joint_radial", examine_joint, options=(("tables", (2, 3, 2)),)),
    AuditLine("joint_radial", examine_joint, options=LODES_SIX, at=TWO),
    AuditLine("joint_radial", examine_joint, options=(("plus", 5), *LODES_SIX), at=FOUR),
    AuditLine("joint_clipped", examine_joint_clipped, options=SMALL_PRODUCT, at=ONE),
    AuditLine("joint_clipped", examine_joint_clipped, options=SMALL_PRODUCT, every=2, deep=True),
    AuditLine(
        "joint_clipped", examine_joint_clipped, options=(("plus", 5), *SMALL_PRODUCT), at=ONE
    ),
    AuditLine(
        "joint_clipped", examine_joint_clipped, ("weak",), options=(("tables", (3, 4)),), at=FOUR
    ),
    AuditLine("joint_clipped", examine_joint_clipped, options=LODES_SIX, at=FOUR),
    AuditLine(
        "joint_clipped",
        examine_joint_gaussian,
        options=(*SMALL_PRODUCT, *GAUSSIAN),
        at=(("1", "4"),),
    ),
    AuditLine(
        "joint_clipped",
        examine_joint_gaussian,
        options=(("plus", 5), ("tables", (2, 3)), *GAUSSIAN),
        at=FOUR,
        deep=True,
    ),
    AuditLine("scale", examine_scalar),
    AuditLine("scale", examine_scalar, ("weak",)),
    *(
        AuditLine(name, exam, options=(("plus", plus), *options), at=at, deep=plus > 3)
        for plus in (3, 10)
        for name, exam, options, at in PLUS_LINES
    ),
    AuditLine("slope", examine_scalar, ("weak",), options=(("plus", 3), ("cells", 2)), at=ONE),
    TableLine("slope"),
    TableLine("staircase", epsilon="2"),
    TableLine("vector_pareto", cells=2),
    TableLine("radial_slope", cells=2),
    TableLine("slope", "weak", cells=2),
    TableLine("vector_pareto", cells=2, statistic="gains"),
    TableLine("vector_pareto", cells=2, statistic="gains", epsilon="4", epsilon_job="1"),
    TableLine("vector_pareto", cells=4, statistic="flows"),
    TableLine("vector_pareto", cells=2, statistic="percentiles"),
    TableLine("radial_slope", cells=2, statistic="gains"),
    TableLine("radial_slope", cells=4, statistic="flows"),
    TableLine("radial_slope", cells=2, statistic="percentiles"),
    TableLine("edge_laplace", "worker", cells=2, alpha=None, statistic="percentiles"),
    TableLine("clipped", cells=2, examine=examine_clipped_table),
    TableLine("clipped", cells=2, statistic="gains", examine=examine_clipped_table),
    TableLine("clipped", cells=4, statistic="flows", examine=examine_clipped_table),
    TableLine("clipped", cells=2, statistic="percentiles", examine=examine_clipped_table),
    *PAY_LINES,
    TableLine("pay_centred", statistic="payroll"),
    TableLine("pay_centred_radial", statistic="payroll"),
    TableLine("pay_two_scales", "proportional", statistic="mean"),
    TableLine("payroll_slope", "proportional", statistic="payroll"),
    RhoLine("clipped"),
    RhoLine("clipped", "weak", cells=2),
    AuditLine("slope", examine_chains, at=ONE, detail=UNIT_EMPLOYER),
    AuditLine("staircase", examine_chains, at=TWO, detail=UNIT_EMPLOYER, deep=True),
    AuditLine(
        "clipped", examine_clipped_chains, options=(("cells", 2),), at=ONE, detail=UNIT_EMPLOYER
    ),
    AuditLine(
        "joint_pareto",
        examine_joint_chains,
        options=(("tables", (2, 3)),),
        at=FOUR,
        detail=UNIT_EMPLOYER,
    ),
    AuditLine(
        "joint_radial",
        examine_joint_chains,
        options=(("tables", (2, 3)),),
        at=FOUR,
        detail=UNIT_EMPLOYER,
        deep=True,
    ),
    AuditLine(
        "joint_clipped",
        examine_joint_clipped_chains,
        options=SMALL_PRODUCT,
        at=ONE,
        detail=UNIT_EMPLOYER,
        deep=True,
    ),
    replace(code_line("slope", COUNT_CODE, options=(("plus", 3),)), deep=True),
    replace(code_line("clipped", CLIPPED_CODE, options=(("plus", 3),)), deep=True),
    code_line("edge_laplace", COUNT_CODE, "worker"),
    code_line("node_laplace", KEPT_CODE, "establishment", options=(("theta", 8),)),
    code_line("log_laplace", COUNT_CODE),
    code_line("smooth_gamma", COUNT_CODE),
    code_line("slope", COUNT_CODE),
    code_line("staircase", COUNT_CODE, at=(("0.1", "2"),)),
    code_line("scale", COUNT_CODE),
    code_line("vector_pareto", BLOCK_CODE),
    code_line("clipped", CLIPPED_CODE),
    code_line("smooth_laplace", COUNT_CODE, options=(("delta", "1/1000"),)),
    code_line("vector_pareto", BLOCK_CODE, options=(("cells", 2),), at=(("3", "3"),)),
    code_line("clipped", CLIPPED_CODE, options=(("cells", 2),), at=(("1", "4"),)),
    code_line("clipped", GAUSSIAN_CODE, options=GAUSSIAN, at=(("1", "4"),)),
    code_line("radial_slope", BLOCK_CODE),
    code_line("radial_slope", BLOCK_CODE, options=(("cells", 2),), at=(("3", "3"),)),
    code_line("joint_radial", JOINT_CODE, options=SMALL_PRODUCT, at=(("1", "4"),)),
    code_line("joint_pareto", JOINT_CODE, options=SMALL_PRODUCT, at=(("1", "4"),)),
    code_line("joint_clipped", JOINT_CLIPPED_CODE, options=SMALL_PRODUCT, at=(("1", "4"),)),
    *SOFT_LINES,
    *REGRESSION_LINES,
    *HOMES_LINES,
    *ROW_LINES,
    *LOCAL_LINES,
    *REPORT_LINES,
    *PAY_CODE_LINES,
    *(
        AuditLine(name, exam, options=options, at=at, detail=BETWEEN_CELLS)
        for name, exam, options, at in BETWEEN
    ),
    *HISTORY_LINES,
    *PARTS_LINES,
    *JOB_LINES,
    *JOB_TABLES,
)
