"""Statements about values: what is promised about pay, and what a value is, if not a count."""

from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from leeward.core.codebook import COUNT, STATISTICS, Statistic
from leeward.core.codebook.known_statistics import taking
from leeward.core.privacy.words import Sentence
from leeward.core.show.numbers import listed
from leeward.publishing.bundle.statements import Listed, Prose, SparseStatement, Statement, Text

Pays = Annotated[int, Field(ge=-(10**15), le=10**15)]
"""An amount in the unit of its column: float64 holds it exactly."""

Percent = Annotated[int, Field(ge=1, le=99)]


class PayStatement(Statement):
    """What is promised about pay, and what is not protected of it."""

    promised: Listed[Prose]
    unprotected: Listed[Prose]

    @classmethod
    def of(cls, said: tuple[Sentence, ...]) -> Self:
        """Sentences that bound something, and those that warn."""
        return cls(
            promised=tuple(sentence.text for sentence in said if sentence.steps is not None),
            unprotected=tuple(sentence.text for sentence in said if sentence.steps is None),
        )


class StatisticStatement(SparseStatement):
    """What a value is, where it is no plain count: of which column, and how its pay was read.

    `low` and `cap` are the public bounds of the pay of a job, and `cap_from` says where the cap
    comes from. `edges` are those of classes, `at` the percentages of percentiles. `count` says
    that a column holds the number of jobs.
    """

    optional = ("period", "cap_from", "edges", "at", "count")

    name: Literal["payroll", "mean", "classes", "percentiles"]
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
    def of_statistic(cls, statistic: Statistic, *, count: bool) -> Self:
        """The statement of a statistic of a numeric column."""
        numbers = statistic.numbers
        return cls.model_validate(
            {
                "name": statistic.name,
                "of": statistic.column.name,
                "unit": numbers.unit,
                "period": numbers.period,
                "low": numbers.low,
                "cap": numbers.cap,
                "cap_from": numbers.cap_from,
                "edges": statistic.edges or None,
                "at": statistic.at or None,
                "count": True if count else None,
                "sentence": statistic.sentence,
            }
        )

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if self.low > self.cap:
            raise ValueError("low must not be above cap")
        for name, numbers, key in (("edges", self.edges, "bins"), ("at", self.at, "at")):
            with_it = taking(key)
            if (numbers is not None) != (self.name in with_it):
                raise ValueError(f"{name} must be there with {listed(with_it)} alone")
        if any(a >= b for column in (self.edges, self.at) for a, b in pairwise(column or ())):
            raise ValueError("edges and at must ascend")
        return self

    @property
    def value_unit(self) -> str:
        """The unit of a value."""
        return COUNT.unit if STATISTICS[self.name].counts else self.per_period

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

    @property
    def value_unit(self) -> str:
        """The unit of a value."""
        return COUNT.unit

    @property
    def words(self) -> str:
        """What a value is, in a few words."""
        return f"{self.name} of {self.of}"


def statistic_statement(
    statistic: Statistic, *, count: bool
) -> StatisticStatement | FlowStatement | None:
    """The statement of a statistic; None of plain counts. `count`: there is such a column."""
    if "of" not in statistic.takes:
        return None
    if statistic.requires:
        named = {"name": statistic.name, "of": statistic.column.name}
        return FlowStatement.model_validate({**named, "sentence": statistic.sentence})
    return StatisticStatement.of_statistic(statistic, count=count)
