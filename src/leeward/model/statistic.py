"""Statistic: what a table publishes about the jobs of each cell."""

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from leeward.model.attribute import Attribute, NumericRange


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


@dataclass(frozen=True)
class Pay:
    """The pay of all jobs of a cell together, or its mean; `of` is a numeric column.

    Pay is counted from 0 up to the column's public cap, job by job.
    """

    name: Literal["payroll", "mean"]
    of: Attribute
    counts: ClassVar[bool] = False

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


Statistic: TypeAlias = Count | Pay
"""Any statistic of a marginal."""

COUNT = Count()
STATISTICS = (COUNT.name, "payroll", "mean")
"""The names of statistics that plans use."""
