"""What is tabulated: codebook, marginals and statistics, and the two types of values."""

from leeward.model.attribute import LEFT_OUT, TABLES, Attribute, NumericRange
from leeward.model.cells import Cells, Entries
from leeward.model.codebook import Codebook, read_codebook
from leeward.model.confidential import Batch, Confidential
from leeward.model.marginal import Dimension, Marginal
from leeward.model.published import Flag, Published
from leeward.model.row_rules import (
    NUMBER_RULES,
    ROW_RULES,
    BoundedJobs,
    EveryJob,
    JobsRule,
    PrimaryJob,
    RowRule,
    SingleJob,
)
from leeward.model.statistic import COUNT, STATISTICS, Count, Statistic

__all__ = [
    "COUNT",
    "LEFT_OUT",
    "NUMBER_RULES",
    "ROW_RULES",
    "STATISTICS",
    "TABLES",
    "Attribute",
    "Batch",
    "BoundedJobs",
    "Cells",
    "Codebook",
    "Confidential",
    "Count",
    "Dimension",
    "Entries",
    "EveryJob",
    "Flag",
    "JobsRule",
    "Marginal",
    "NumericRange",
    "PrimaryJob",
    "Published",
    "RowRule",
    "SingleJob",
    "Statistic",
    "read_codebook",
]
