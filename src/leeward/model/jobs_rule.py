"""Jobs rule: what is done about workers with several jobs, and what it means for them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class EveryJob:
    """Every job counts, however many a worker holds: a job is the record."""

    name = "every"
    words = "every"

    @property
    def sentence(self) -> str:
        """What the certificate says."""
        return (
            "Every job counts, however many a worker holds. The guarantee speaks of single jobs: "
            "a person who holds m jobs has m times the stated epsilon."
        )


@dataclass(frozen=True)
class SingleJob:
    """Every worker holds at most one job; data in which one holds more are refused.

    Only strict plans (`rows: strict`) have this rule.
    """

    name = "single"
    words = "single"

    @property
    def sentence(self) -> str:
        """What the certificate says."""
        return "Every worker holds at most one job; the data were checked for it."


@dataclass(frozen=True)
class PrimaryJob:
    """Each worker's job with the largest value of a column counts, ties by workplace id."""

    column: str
    name = "primary"

    @property
    def words(self) -> str:
        """The rule in short, as the ledger keeps it."""
        return f"primary: {self.column}"

    @property
    def sentence(self) -> str:
        """What the certificate says."""
        return (
            f"Only each worker's primary job counts: the one with the largest {self.column}. "
            "The guarantee speaks of this reduced table: a worker with all jobs together has the "
            "stated epsilon, one single job has twice that (another job may become the primary "
            "one), and sizes of establishments are numbers of primary jobs."
        )


@dataclass(frozen=True)
class BoundedJobs:
    """At most `most` jobs of each worker count, in the order of workplace ids."""

    most: int
    name = "bounded"

    @property
    def words(self) -> str:
        """The rule in short, as the ledger keeps it."""
        return f"max_per_worker: {self.most}"

    @property
    def sentence(self) -> str:
        """What the certificate says."""
        return (
            f"At most {self.most} jobs of each worker count; further ones were dropped. The "
            "guarantee speaks of this reduced table: a worker with all jobs together has "
            f"{self.most} times the stated epsilon, one single job at most twice (another may take "
            "its place), and sizes of establishments are numbers of counted jobs."
        )


JobsRule = EveryJob | SingleJob | PrimaryJob | BoundedJobs
