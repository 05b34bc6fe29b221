"""What is tabulated: codebook, marginals, and the two types that values have."""

from leeward.model.attribute import LEFT_OUT, TABLES, Attribute
from leeward.model.cells import Cells, Entries
from leeward.model.codebook import Codebook, read_codebook
from leeward.model.confidential import Batch, Confidential
from leeward.model.jobs_rule import BoundedJobs, EveryJob, JobsRule, PrimaryJob, SingleJob
from leeward.model.marginal import Dimension, Marginal
from leeward.model.published import Flag, Published
from leeward.model.row_rules import EVERY_STEP, ROW_RULES, Finding, RowRule, Steps, needed_steps

__all__ = [
    "EVERY_STEP",
    "LEFT_OUT",
    "ROW_RULES",
    "TABLES",
    "Attribute",
    "Batch",
    "BoundedJobs",
    "Cells",
    "Codebook",
    "Confidential",
    "Dimension",
    "Entries",
    "EveryJob",
    "Finding",
    "Flag",
    "JobsRule",
    "Marginal",
    "PrimaryJob",
    "Published",
    "RowRule",
    "SingleJob",
    "Steps",
    "needed_steps",
    "read_codebook",
]
