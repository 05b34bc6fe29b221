"""Jobs rule: what is done about workers with several jobs, and what it means for them."""

from dataclasses import dataclass

from leeward.core.codebook.attribute import Attribute
from leeward.core.codebook.marginal import Marginal


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
