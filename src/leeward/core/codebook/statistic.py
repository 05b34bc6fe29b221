"""Statistic: what a table publishes about the jobs of each cell.

Each statistic is a class that says, as data, which keys of a plan it takes and forbids, how its
values behave and how readers are told. Those who read plans, choose mechanisms or write
certificates ask it: none of them knows one by name.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from leeward.core.codebook.attribute import Attribute, Dimension, NumericRange
from leeward.core.errors import InvalidParameter

Kind = Literal["workplace", "worker", "joint", "gains", "pay", "worker_pay"]
"""Kinds of tables that proofs distinguish; those of pay have payroll beside counts."""


class Forbidden(NamedTuple):
    """Why a key cannot stand beside a statistic, and what to write; both may name `statistic`."""

    rule: str
    next_step: str


NOT_ADDED = {
    key: Forbidden(
        "must be left out of a table whose statistic is {statistic}",
        f"Leave {key} out, or give the coarser numbers a table of their own.",
    )
    for key in ("totals", "breakdowns")
}
"""What is forbidden to values that do not add up."""


@dataclass(frozen=True)
class Statistic:
    """Any statistic: of which column, with which edges of classes and which percentages, if any.

    Edges and percentages ascend.
    """

    of: Attribute | None = None
    edges: tuple[int, ...] = ()
    at: tuple[int, ...] = ()

    name: ClassVar[str]
    takes: ClassVar[tuple[str, ...]] = ("of",)
    """Which of the keys of, bins and at a table with it has."""

    forbids: ClassVar[Mapping[str, Forbidden]] = {}
    """What cannot stand beside it: keys of a table, `unit`, and `worker_totals`.

    Those are totals over attributes of workers and jobs.
    """

    requires: ClassVar[tuple[str, ...]] = ()
    """The codes of the attribute that it is of; none where that is a numeric column."""

    tabulated: ClassVar[tuple[str, ...]] = ()
    """Those of them by which jobs are counted."""

    several_classes: ClassVar[bool] = False
    """Whether a single class is rejected: it gives no information."""

    sql: ClassVar[str | None] = None
    """The function of SQL that asks for it."""

    kinds: ClassVar[tuple[Kind, Kind]] = ("workplace", "worker")
    """The kind of a table whose cells have all jobs of their workplaces, and of any other."""

    counts: ClassVar[bool] = True
    """Whether a value is a number of jobs, so that it is always there."""

    disjoint: ClassVar[bool] = True
    """Whether a job counts in one row at most, so that rows add up."""

    capped: ClassVar[bool] = False
    """Whether it adds up the pay of jobs, each from 0 up to the public cap of its column."""

    adds_classes: ClassVar[bool] = False
    """Whether a value is a sum of released classes, whose noise is known."""

    note: ClassVar[str | None] = None
    """What the author of a plan must know of such a table."""

    @property
    def column(self) -> Attribute:
        if self.of is None:
            raise TypeError(f"{self.name} is of no column")
        return self.of

    @property
    def numbers(self) -> NumericRange:
        """Unit, period and public bounds of the column."""
        return self.column.numeric_range

    @property
    def cap(self) -> int:
        """The most that a job adds to a value."""
        return self.numbers.cap if self.capped else 1

    @property
    def unit(self) -> str:
        """The unit of a value: jobs, or that of the column with its period."""
        return "jobs" if self.counts else self.numbers.per_period

    @property
    def needs(self) -> tuple[Attribute, ...]:
        """The numeric columns whose numbers it reads, beside the cells of the jobs."""
        return (self.column,) if self.capped else ()

    @property
    def options(self) -> tuple[tuple[str, int | str], ...]:
        """What a mechanism must know of it beside the cells."""
        return (("cap", self.cap), ("statistic", self.name)) if self.capped else ()

    @classmethod
    def in_classes(cls) -> bool:
        """Whether jobs are tabulated by classes of its column, beside the attributes of a table."""
        return "bins" in cls.takes or bool(cls.tabulated)

    @property
    def classes(self) -> Dimension | None:
        """Those classes, which are the last of the table's dimensions; None without any."""
        if not self.in_classes():
            return None
        return Dimension.keeping(self.column, self.tabulated or self.column.codes)

    @property
    def identifier(self) -> Attribute | None:
        """The identifier of its rows where it replaces the classes."""
        return None

    @property
    def words(self) -> str:
        """What a value is, in a few words."""
        return f"{self.name} of {self.column.name}"

    @property
    def sentence(self) -> str:
        """What a value is and how it came about."""
        raise NotImplementedError

    @classmethod
    def rejection(cls, key: str, value: str, *, parameter: str | None = None) -> InvalidParameter:
        """The refusal of something that it forbids."""
        forbidden = cls.forbids[key]
        return InvalidParameter(
            parameter or key,
            rule=forbidden.rule.format(statistic=cls.name),
            value=value,
            next_step=forbidden.next_step.format(statistic=cls.name),
        )


class Count(Statistic):
    """How many jobs a cell has."""

    name = "count"
    takes = ()

    @property
    def words(self) -> str:
        return "number of jobs"


COUNT = Count()
