"""Statistic: what a table publishes about the jobs of each cell."""

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from leeward.core.codebook.attribute import Attribute, NumericRange
from leeward.core.codebook.flow_classes import Flows, Gains

MOST_JOBS = 10**9
"""No data have more jobs than this."""

MOST_PAY = 2**61 // MOST_JOBS
"""The highest cap of pay: the payroll of so many jobs is at most 2^61, the most that is noised."""

PERCENTILE = "percentile"
"""The identifier of the rows of percentiles."""


@dataclass(frozen=True)
class Count:
    """How many jobs a cell has."""

    name: ClassVar[str] = "count"
    unit: ClassVar[str] = "jobs"
    """The unit of a published value."""

    counts: ClassVar[bool] = True
    """Whether a published value is a number of jobs, so that it is always there."""

    needs: ClassVar[tuple[Attribute, ...]] = ()
    """The numeric columns whose numbers it reads, beside the cells of the jobs."""

    identifier: ClassVar[None] = None
    """The identifier of its rows where that is not the last one by which it is tabulated."""


@dataclass(frozen=True)
class Pay:
    """The pay of all jobs of a cell together, or its mean; `of` is a numeric column.

    Pay is counted from 0 up to the column's public cap, job by job.
    """

    name: Literal["payroll", "mean"]
    of: Attribute
    counts: ClassVar[bool] = False
    identifier: ClassVar[None] = None

    @property
    def needs(self) -> tuple[Attribute, ...]:
        """The column of pay."""
        return (self.of,)

    @property
    def numbers(self) -> NumericRange:
        """Unit, period and public bounds of the column."""
        if self.of.numbers is None:
            raise TypeError(f"{self.of.name} is no numeric column")
        return self.of.numbers

    @property
    def unit(self) -> str:
        """The unit of the column, with its period."""
        return self.numbers.per_period

    @property
    def cap(self) -> int:
        """B: the most pay of a job that counts."""
        return self.numbers.cap


@dataclass(frozen=True)
class Classes:
    """How many jobs of a cell have a number in each class; the codes of `of` are the classes.

    Class i holds the numbers from `edges[i]` to below `edges[i + 1]`, the last one also those above
    it. Jobs whose number is below the first edge are in none.
    """

    of: Attribute
    edges: tuple[int, ...]
    name: ClassVar[str] = "classes"
    unit: ClassVar[str] = "jobs"
    counts: ClassVar[bool] = True
    needs: ClassVar[tuple[Attribute, ...]] = ()
    identifier: ClassVar[None] = None


@dataclass(frozen=True)
class Percentiles:
    """Numbers below which so many of a hundred jobs are, from the counts of the same classes.

    `at` are whole percentages, ascending.
    """

    of: Attribute
    edges: tuple[int, ...]
    at: tuple[int, ...]
    name: ClassVar[str] = "percentiles"
    counts: ClassVar[bool] = False
    needs: ClassVar[tuple[Attribute, ...]] = ()

    @property
    def unit(self) -> str:
        """The unit of the column, with its period."""
        return "" if self.of.numbers is None else self.of.numbers.per_period

    @property
    def identifier(self) -> Attribute:
        """The percentages in place of the classes."""
        codes = tuple(str(one) for one in self.at)
        return Attribute(
            name=PERCENTILE,
            table=self.of.table,
            column=self.of.column,
            codes=codes,
            labels=tuple(f"{code} % of jobs below" for code in codes),
            public=False,
            recode={},
        )


Statistic: TypeAlias = Count | Pay | Classes | Percentiles | Flows | Gains
"""Any statistic of a marginal."""

COUNT = Count()
OF_CLASSES = (Classes.name, Percentiles.name)
"""Names of statistics that put numbers into classes."""

OF_FLOWS = (Flows.name, Gains.name)
STATISTICS_OF_PAY = ("payroll", "mean")
"""Names of statistics of the pay of all jobs of a cell."""

STATISTICS = (COUNT.name, *STATISTICS_OF_PAY, *OF_CLASSES, *OF_FLOWS)
"""The names of statistics that plans use."""
