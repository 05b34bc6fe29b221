"""Statistic: what a table publishes about the jobs of each cell."""

from dataclasses import dataclass
from typing import ClassVar

from leeward.model.attribute import Attribute


@dataclass(frozen=True)
class Count:
    """How many jobs a cell has."""

    name: ClassVar[str] = "count"
    unit: ClassVar[str] = "jobs"
    """The unit of a published value."""

    needs: ClassVar[tuple[Attribute, ...]] = ()
    """The numeric columns whose numbers it reads, beside the cells of the jobs."""


Statistic = Count
"""Any statistic of a marginal."""

COUNT = Count()
STATISTICS: dict[str, Statistic] = {COUNT.name: COUNT}
"""The statistics by the names that plans use."""
