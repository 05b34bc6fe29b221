"""Row rules: what becomes of every row of workers and jobs, so that none can refuse a release.

Whether a bundle appears must not depend on confidential rows. A plan with `rows: strict` refuses
such rows instead; its bundles state that there were none. A check reports findings, and from these
follows which rules a release must apply. The jobs rule of a plan says what is done about workers
with several jobs.
"""

from dataclasses import dataclass
from fractions import Fraction

from leeward.core.codebook.attribute import Attribute
from leeward.core.codebook.marginal import Marginal


@dataclass(frozen=True)
class RowRule:
    """A rule: its id, and what it says."""

    id: str
    sentence: str


NUMBER_RULES: tuple[RowRule, ...] = (
    RowRule(
        "number_range",
        "In a numeric column a fraction is rounded down; a number above the cap then counts as "
        "the cap, and one below the least value as the least value.",
    ),
    RowRule(
        "missing_number",
        "In a numeric column a missing value, and a text that is not a number, counts in the "
        "class that the codebook names with null_as; where it names none, the job counts in no "
        "cell of that column, but in the size of its establishment. In a sum or a mean of the "
        "column it counts as 0, or as the least value where that is above 0.",
    ),
)
"""The further rules of a codebook with numeric columns; each looks at one row alone."""

NULL_RULES: tuple[RowRule, ...] = (
    RowRule(
        "null_text",
        "A text that the codebook names with nulls for a column counts as a missing value there.",
    ),
)
"""The further rule of a codebook with texts that mean missing."""

IMPOSSIBLE = RowRule(
    "impossible",
    "A job with a combination of codes that the codebook calls impossible counts like any other; "
    "a release does not look for it.",
)
"""No rule of a release, so no bundle states it: a check alone looks."""

AS_THEY_ARE = RowRule(
    "as_they_are",
    "These rows count as they are; a release does not look for them.",
)
"""No rule of a release either: a check alone asks whether rows mean what they say."""

LIMIT = RowRule(
    "limit",
    "Of each worker as many jobs count as the plan's jobs rule allows, in the order of workplace "
    "ids as texts; further ones, and those without a code of the attribute that it names, do not "
    "count.",
)
"""The jobs rule of a plan, which a bundle states by itself."""

ROW_RULES: tuple[RowRule, ...] = (
    RowRule(
        "missing_id",
        "A row of workers without an id, and a row of jobs without the id of a worker or of a "
        "workplace, is left out.",
    ),
    RowRule(
        "worker_rows",
        "Of several rows of one worker the first counts, in a fixed order of all columns that are "
        "read.",
    ),
    RowRule(
        "repeated_job",
        "Rows of jobs that agree in all columns that are read count once.",
    ),
    RowRule(
        "lost_job",
        "A job whose worker is not in the table of workers, or whose workplace is not in the "
        "table of workplaces, is left out.",
    ),
    RowRule(
        "missing_rank",
        "A job without a rank ranks last; equal ranks go by the workplace's id, then by the other "
        "columns that are read.",
    ),
    RowRule(
        "missing_code",
        "A missing code counts as the code that the codebook names with null_as; where it names "
        "none, the job counts in no cell of that attribute, but in the size of its establishment.",
    ),
    RowRule(
        "unlisted_code",
        "A code that the codebook does not list counts as the one that it names with other; where "
        "it names none, the job counts in no cell of that attribute, but in the size of its "
        "establishment.",
    ),
    RowRule(
        "ambiguous_code",
        "A text that the database takes for several codes counts as one that is not listed.",
    ),
    RowRule(
        "fraction",
        "A number with a fraction is no id and no listed code; a whole number is one however it "
        "is stored.",
    ),
    RowRule("empty_table", "Tables of workers and jobs without rows are tables."),
)
"""The rules, in the order in which they are applied; the jobs rule follows."""


@dataclass(frozen=True)
class Finding:
    """What is wrong with some rows, where, how often, and what to do; whether it refuses a release.

    If it does not, `rule` is the id of the row rule by which the rows are counted. `of` is how many
    rows there are; `into` is the code that such rows count as, where the codebook names one. That
    is `doubtful` where they have a text, or the code does not mean unknown.

    CONFIDENTIAL: `rows` and `examples` come from the data, also in the repr. Findings are shown by
    internal commands to the operator and never reach a bundle, a log or an error message.
    """

    problem: str
    table: str
    column: str
    rows: int
    examples: tuple[str, ...]
    remedy: str
    rule: str = ""
    refuses: bool = True
    of: int = 0
    into: str | None = None
    doubtful: bool = False


@dataclass(frozen=True)
class Loss:
    """How many jobs count in no cell, although they should, of tables by some attributes.

    CONFIDENTIAL, also in the repr. `what` names the tables, `of` is how many jobs should count.
    With `into` they count as this code, because their workplaces have no listed one; `most` is the
    share of jobs that may do so whatever is allowed else.
    """

    what: str
    lost: int
    of: int
    into: str | None = None
    most: Fraction = Fraction(0)


Steps = frozenset[str]
"""Ids of row rules that must be applied."""

EVERY_STEP: Steps = frozenset(
    {"missing_id", "worker_rows", "repeated_job", "lost_job", "ambiguous_code"}
)
"""The rules that cost a query; every query obeys the others anyway."""


@dataclass(frozen=True)
class EveryJob:
    """Every job counts, however many a worker holds: a job is the record."""

    name = "every"
    words = "every"


@dataclass(frozen=True)
class SingleJob:
    """Every worker holds at most one job; data in which one holds more are refused.

    Only strict plans (`rows: strict`) have this rule.
    """

    name = "single"
    words = "single"


@dataclass(frozen=True)
class PrimaryJob:
    """Each worker's job with the largest value of a column counts, ties by workplace id as text."""

    column: str
    name = "primary"

    @property
    def words(self) -> str:
        """The rule in short, as the ledger keeps it."""
        return f"primary: {self.column}"


@dataclass(frozen=True)
class BoundedJobs:
    """At most `most` jobs of each worker count, in the order of workplace ids as texts.

    With `per`, an attribute of jobs such as years, as many count under each of its codes, and jobs
    without one of its codes do not count.
    """

    most: int
    per: str | None = None
    name = "bounded"

    @property
    def words(self) -> str:
        """The rule in short, as the ledger keeps it."""
        return f"max_per_worker: {self.most}" + ("" if self.per is None else f" per {self.per}")


JobsRule = EveryJob | SingleJob | PrimaryJob | BoundedJobs


def most_rows(rule: JobsRule, table: Marginal, per: Attribute | None = None) -> int | None:
    """How many rows of one person a table counts at most; None where every job counts.

    `per` is the attribute that the rule names, if it names one. Of a table that keeps some of its
    codes, as a dimension or a filter, these alone count.
    """
    if isinstance(rule, EveryJob):
        return None
    if not isinstance(rule, BoundedJobs):
        return 1
    if rule.per is None:
        return rule.most
    if per is None or per.name != rule.per:
        raise TypeError(f"{rule.per} is the attribute that the rule names")
    kept = (dimension.size for dimension in table.restricted if dimension.attribute == per)
    return rule.most * min(kept, default=len(per.codes))
