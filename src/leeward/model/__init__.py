"""What is tabulated: codebook, marginals and statistics, and the two types of values."""

from leeward.model.attribute import LEFT_OUT, TABLES, Attribute, NumericRange, RealRange
from leeward.model.cells import Cells, Entries
from leeward.model.codebook import Codebook, read_codebook
from leeward.model.flows import Flows, Gains
from leeward.model.jobs_rule import (
    BoundedJobs,
    EveryJob,
    JobsRule,
    PrimaryJob,
    SingleJob,
    most_rows,
)
from leeward.model.marginal import Breakdown, Dimension, Marginal
from leeward.model.row_rules import EVERY_STEP, ROW_RULES, Finding, Loss, RowRule, Steps
from leeward.model.statistic import COUNT, STATISTICS, Classes, Count, Pay, Percentiles, Statistic
from leeward.model.values import Batch, Confidential, Flag, Published

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
    "NumericRange",
    "Pay",
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
