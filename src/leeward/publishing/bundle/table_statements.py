"""Table statements: what a certificate says of one table, of its values and of their noise."""

from itertools import pairwise
from typing import Annotated, Any, Literal, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from leeward.core.codebook import COUNT, STATISTICS, Statistic
from leeward.core.codebook.known_statistics import taking
from leeward.core.show.numbers import listed
from leeward.publishing.bundle.statements import (
    Count,
    Decimal,
    Exact,
    Listed,
    Prose,
    SparseStatement,
    Statement,
    Text,
)

OF_CLASSES = [name for name, statistic in STATISTICS.items() if statistic.requires]
OF_NUMBERS = [name for name in taking("of") if name not in OF_CLASSES]
"""The statistics of classes of jobs, and those of a column of numbers."""

Pays = Annotated[int, Field(ge=-(10**15), le=10**15)]
"""An amount in the unit of its column: float64 holds it exactly."""

Percent = Annotated[int, Field(ge=1, le=99)]


class MarginStatement(Statement):
    """How the margins of a table were made, what they cost, and with which probability they hold.

    `coverage` is for each cell by itself, `block_coverage` for all worker cells of a workplace
    cell together and left out where that is one cell. `ends` says that they are columns `low` and
    `high`, and is left out where they are not.
    """

    method: Literal["spent", "public", "free", "none"]
    coverage: Exact | None
    block_coverage: Exact | None = None
    ends: bool = False
    epsilon: Exact | None
    note: Prose

    @model_serializer(mode="wrap")
    def _without_defaults(self, written: SerializerFunctionWrapHandler) -> dict[str, Any]:
        content: dict[str, Any] = written(self)
        usual = {"block_coverage": None, "ends": False}
        return {key: part for key, part in content.items() if usual.get(key, content) != part}


class FrameStatement(Statement):
    """That a column counts the establishments of the public frame, exactly."""

    exact: Literal[True] = True
    sentence: Prose = (
        "The column establishments is the exact number of establishments of the frame in a "
        "workplace combination. It is not protected: which establishments exist, and their public "
        "codes, is public by definition (Haney et al. 2015, section 4.3). It says nothing of jobs."
    )


class TotalsStatement(Statement):
    """Which attributes have rows of totals, under which code, and how their margins were drawn."""

    codes: dict[str, Text]
    rows: Count
    draws: Count | None
    seed: Count | None
    sentence: Prose


class JointStatement(SparseStatement):
    """That a table was drawn together with others, and what is public of the size of its noise.

    All tables of one name were paid once, and each states the guarantee of all. `covers` is
    whether the rows of a workplace combination add up to its total. `deviation` is the standard
    deviation of the noise of a cell, in units of the column `bound` of the block's total or of the
    cell's own margin; both keys are left out where there is neither.
    """

    optional = ("unit", "deviation")

    name: Text
    covers: bool
    unit: Literal["bound", "margin"] | None = None
    deviation: Decimal | None = None
    sentence: Prose


class ParentStatement(Statement):
    """To which code of a coarser attribute each code of the identifier `of` belongs."""

    of: Text
    codes: dict[str, str]


class TidiedStatement(Statement):
    """That the values of a table were made of released ones, which stand beside them.

    `added` is the sum of its tidy values less that of the released ones, over all its cells.
    `shrunk` is whether shares were moved towards those of other workplaces.
    """

    added: Annotated[int, Field(ge=-(2**53), le=2**53)]
    shrunk: bool
    sentence: Prose


class StatisticStatement(SparseStatement):
    """What a value is, where it is no plain count: of which column, and how its pay was read.

    `low` and `cap` are the public bounds of the pay of a job, and `cap_from` says where the cap
    comes from. `edges` are those of classes, `at` the percentages of percentiles. `count` says
    that a column holds the number of jobs.
    """

    optional = ("period", "cap_from", "edges", "at", "count")

    name: Literal[*OF_NUMBERS]  # type: ignore[valid-type] # known when this is imported
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

    name: Literal[*OF_CLASSES]  # type: ignore[valid-type] # as above
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
