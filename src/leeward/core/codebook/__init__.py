"""What is tabulated: codebook, marginals and statistics, and the two types of values."""

from leeward.core.codebook.attribute import (
    LEFT_OUT,
    TABLES,
    Attribute,
    Dimension,
    NumericRange,
    RealRange,
)
from leeward.core.codebook.cells import Batch, Cells, Confidential, Entries, Flag, Published
from leeward.core.codebook.codebook import Codebook, read_codebook
from leeward.core.codebook.known_statistics import (
    STATISTICS,
    Classes,
    Flows,
    Gains,
    Mean,
    Payroll,
    Percentiles,
)
from leeward.core.codebook.marginal import Breakdown, Marginal
from leeward.core.codebook.row_rules import (
    EVERY_STEP,
    ROW_RULES,
    BoundedJobs,
    EveryJob,
    Finding,
    JobsRule,
    Loss,
    PrimaryJob,
    RowRule,
    SingleJob,
    Steps,
    most_rows,
)
from leeward.core.codebook.statistic import COUNT, Count, Statistic

__all__ = [
    "COUNT",
    "EVERY_STEP",
    "LEFT_OUT",
    "ROW_RULES",
    "STATISTICS",
    "TABLES",
    "Attribute",
    "Batch",
    "BoundedJobs",
    "Breakdown",
    "Cells",
    "Classes",
    "Codebook",
    "Confidential",
    "Count",
    "Dimension",
    "Entries",
    "EveryJob",
    "Finding",
    "Flag",
    "Flows",
    "Gains",
    "JobsRule",
    "Loss",
    "Marginal",
    "Mean",
    "NumericRange",
    "Payroll",
    "Percentiles",
    "PrimaryJob",
    "Published",
    "RealRange",
    "RowRule",
    "SingleJob",
    "Statistic",
    "Steps",
    "most_rows",
    "read_codebook",
]
