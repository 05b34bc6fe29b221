"""Statements about values: what is promised about pay, and what a value is, if not a count."""

from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from leeward.core.codebook import (
    COUNT,
    Attribute,
    Classes,
    Count,
    Flows,
    Gains,
    Pay,
    Percentiles,
    Statistic,
)
from leeward.core.codebook.attribute import NumericRange
from leeward.core.privacy.words import Sentence
from leeward.core.show.numbers import count, listed
from leeward.publishing.bundle.statements import Listed, Prose, SparseStatement, Statement, Text

Pays = Annotated[int, Field(ge=-(10**15), le=10**15)]
"""An amount in the unit of its column: float64 holds it exactly."""

Percent = Annotated[int, Field(ge=1, le=99)]
Name = Literal["payroll", "mean", "classes", "percentiles"]


class PayStatement(Statement):
    """What is promised about pay, and what is not protected of it."""

    promised: Listed[Prose]
    unprotected: Listed[Prose]

    @classmethod
    def of(cls, said: tuple[Sentence, ...]) -> Self:
        """Sentences that bound something, and those that warn."""
        return cls(
            promised=tuple(one.text for one in said if one.steps is not None),
            unprotected=tuple(one.text for one in said if one.steps is None),
        )


class StatisticStatement(SparseStatement):
    """What a value is, where it is no plain count: of which column, and how its pay was read.

    `low` and `cap` are the public bounds of the pay of a job, and `cap_from` says where the cap
    comes from. `edges` are those of classes, `at` the percentages of percentiles. `count` says
    that a column holds the number of jobs.
    """

    optional = ("period", "cap_from", "edges", "at", "count")

    name: Name
    of: Text
    unit: Text
    period: Text | None = None
    low: Pays
    cap: Pays
    cap_from: Prose | None = None
    edges: Listed[Pays] | None = Field(None, min_length=2, max_length=1000)
    at: Listed[Percent] | None = Field(None, min_length=1)
    count: Literal[True] | None = None
    sentence: Prose

    @classmethod
    def of_statistic(cls, statistic: Pay | Classes | Percentiles, *, count: bool) -> Self:
        """The statement of a statistic of a numeric column."""
        match statistic:
            case Pay(name=name, of=column):
                return cls._read(name, column, count=count)
            case Classes(of=column, edges=edges):
                return cls._read("classes", column, edges, count=count)
            case Percentiles(of=column, edges=edges, at=at):
                return cls._read("percentiles", column, edges, at, count=count)

    @classmethod
    def _read(
        cls,
        name: Name,
        column: Attribute,
        edges: tuple[int, ...] | None = None,
        at: tuple[int, ...] | None = None,
        *,
        count: bool,
    ) -> Self:
        numbers = column.numbers
        if numbers is None:
            raise TypeError(f"{column.name} is no numeric column")
        return cls(
            name=name,
            of=column.name,
            unit=numbers.unit,
            period=numbers.period,
            low=numbers.low,
            cap=numbers.cap,
            cap_from=numbers.cap_from,
            edges=edges,
            at=at,
            count=True if count else None,
            sentence=f"{_meaning(name, column.name, numbers, edges, at)} {_read_as(numbers)}",
        )

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if self.low > self.cap:
            raise ValueError("low must not be above cap")
        if (self.edges is not None) != (self.name in ("classes", "percentiles")):
            raise ValueError("edges must be there with classes and percentiles alone")
        if (self.at is not None) != (self.name == "percentiles"):
            raise ValueError("at must be there with percentiles alone")
        if any(a >= b for column in (self.edges, self.at) for a, b in pairwise(column or ())):
            raise ValueError("edges and at must ascend")
        return self

    @property
    def counts(self) -> bool:
        """Whether a value is a number of jobs."""
        return self.name == "classes"

    @property
    def value_unit(self) -> str:
        """The unit of a value."""
        return COUNT.unit if self.counts else self.per_period

    @property
    def per_period(self) -> str:
        """The unit of the column with its period."""
        return self.unit if self.period is None else f"{self.unit} per {self.period}"

    @property
    def words(self) -> str:
        """What a value is, in a few words."""
        return f"{self.name} of {self.of}"


class FlowStatement(Statement):
    """What the rows of flows or gains are, and of which attribute."""

    name: Literal["flows", "gains"]
    of: Text
    sentence: Prose

    @classmethod
    def of_statistic(cls, statistic: Flows | Gains) -> Self:
        """The statement of flows or gains."""
        if isinstance(statistic, Flows):
            return cls(name="flows", of=statistic.of.name, sentence=MEASURED)
        return cls(name="gains", of=statistic.of.name, sentence=f"{GAINED} {statistic.note}")

    @property
    def counts(self) -> Literal[True]:
        """A value is a number of jobs, or a difference of such numbers."""
        return True

    @property
    def value_unit(self) -> str:
        """The unit of a value."""
        return COUNT.unit

    @property
    def words(self) -> str:
        """What a value is, in a few words."""
        return f"{self.name} of {self.of}"


MEASURED = (
    "Jobs with pay in the quarter are in four classes, by pay in the quarter before and in the "
    "quarter after: 11, 10, 01 and 00. A value is a sum of released classes: EmpTotal of all, Emp "
    "11 + 10, EmpEnd 11 + 01, EmpS 11, HirA 01 + 00, Sep 10 + 00; FrmJbC is 01 less 10, and may be "
    "below 0. So Emp + HirA = EmpTotal = EmpEnd + Sep and FrmJbC = EmpEnd - Emp, to the last job."
)
GAINED = (
    "The net change of an establishment is its jobs with pay in the quarter after and none in the "
    "quarter before, less those of the contrary. FrmJbGn is the sum of all net changes above 0, "
    "FrmJbLs that of all below 0, without sign; in a row of some workers, of the net changes among "
    "them. They have noise of their own, so FrmJbGn - FrmJbLs "
    "is not the FrmJbC of a table of flows."
)


def statistic_statement(
    statistic: Statistic, *, count: bool
) -> StatisticStatement | FlowStatement | None:
    """The statement of a statistic; None of plain counts. `count`: there is such a column."""
    match statistic:
        case Count():
            return None
        case Flows() | Gains():
            return FlowStatement.of_statistic(statistic)
        case _:
            return StatisticStatement.of_statistic(statistic, count=count)


def _meaning(
    name: Name,
    column: str,
    numbers: NumericRange,
    edges: tuple[int, ...] | None,
    at: tuple[int, ...] | None,
) -> str:
    """What a value is."""
    cap = f"{count(numbers.cap)} {numbers.unit}"
    source = f" The cap is public: {numbers.cap_from}." if numbers.cap_from else ""
    if name == "payroll":
        return (
            f"A value is the {column} of all jobs of a cell together, in {numbers.per_period}: "
            f"payroll counted up to {cap} a job.{source}"
        )
    if name == "mean":
        return (
            f"A value is the mean {column} of the jobs of a cell, in {numbers.per_period}: payroll "
            f"counted up to {cap} a job, over the number of jobs. Jobs above the cap and jobs "
            f"without pay are jobs.{source}"
        )
    first, last = (edges or (numbers.low, numbers.cap))[:: max(1, len(edges or ()) - 1)]
    classes = (
        f"classes of {column} from {count(first)} to {count(last)} {numbers.per_period}; jobs "
        "below the first edge are left out, and jobs from the last edge on are in the last class"
    )
    if name == "classes":
        return f"A value is the number of jobs of a cell in one of the {classes}."
    places = listed([f"{one} %" for one in at or ()])
    return (
        f"A value is the {column} below which {places} of the jobs of a cell are, in "
        f"{numbers.per_period}, found between the edges of {classes}."
    )


def _read_as(numbers: NumericRange) -> str:
    """What became of pay that is not a whole number between the bounds."""
    low = count(numbers.low)
    below = (
        "Missing pay counts as 0, and so does pay below 0"
        if numbers.low == 0
        else f"Missing pay counts as 0, and what is below {low} counts as {low}"
    )
    return f"{below}; pay that is not whole is rounded down."
