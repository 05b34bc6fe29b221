"""Jobs rule: what is done about workers with several jobs, and what it means for them."""

from dataclasses import dataclass


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
    """Each worker's job with the largest value of a column counts, ties by workplace id."""

    column: str
    name = "primary"

    @property
    def words(self) -> str:
        """The rule in short, as the ledger keeps it."""
        return f"primary: {self.column}"


@dataclass(frozen=True)
class BoundedJobs:
    """At most `most` jobs of each worker count, in the order of workplace ids."""

    most: int
    name = "bounded"

    @property
    def words(self) -> str:
        """The rule in short, as the ledger keeps it."""
        return f"max_per_worker: {self.most}"


JobsRule = EveryJob | SingleJob | PrimaryJob | BoundedJobs
