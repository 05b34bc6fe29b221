"""Sensitive cells: those that few contribute to, or whose largest contributor is nearly known."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from leeward.core.codebook import Entries
from leeward.core.codebook.cells import Integers
from leeward.core.errors import InvalidParameter
from leeward.lab.baselines.feasibility import Equations, Mask


@dataclass(frozen=True, eq=False, repr=False)
class Contributions:
    """Jobs of employers in n cells and in the r margins of their table, which are items n to n+r.

    `item`, `rank` and `jobs` have an entry for each employer of an item, the largest has rank 0.
    """

    codes: tuple[Integers, ...]
    counts: Integers
    margins: Equations
    item: Integers
    rank: Integers
    jobs: Integers

    @classmethod
    def of(cls, entries: Entries, codes: Sequence[Integers]) -> "Contributions":
        """From the entries of a table whose cells, all in one row, have these codes."""
        if entries.employer is None:
            raise TypeError("the entries were tabulated without employers")
        cells, margins = codes[0].size, Equations.of(codes)
        cell, employer = entries.where(), entries.employer[entries.row]
        counts = np.zeros(cells, dtype=np.int64)
        np.add.at(counts, cell, entries.counts)
        rows = margins.row[np.argsort(margins.cell, kind="stable")].reshape(cells, -1)
        items = np.concatenate([cell[:, None], cells + rows[cell]], axis=1)
        owner = np.unique(employer, return_inverse=True)[1].reshape(-1)
        owners = int(owner.max(initial=0)) + 1
        keys, inverse = np.unique(items * owners + owner[:, None], return_inverse=True)
        item, jobs = keys // owners, np.zeros(keys.size, dtype=np.int64)
        np.add.at(jobs, inverse.reshape(-1), np.repeat(entries.counts, items.shape[1]))
        order = np.lexsort((-jobs, item))
        item, jobs = item[order], jobs[order]
        rank = np.arange(item.size) - np.searchsorted(item, item)
        return cls(tuple(codes), counts, margins, item, rank, jobs)

    @property
    def items(self) -> int:
        """n+r."""
        return self.counts.size + self.margins.count

    @cached_property
    def totals(self) -> Integers:
        """The jobs of every item."""
        return np.concatenate([self.counts, self.margins.totals(self.counts)])

    @cached_property
    def employers(self) -> Integers:
        """How many employers every item has."""
        return np.bincount(self.item, minlength=self.items)

    def top(self, number: int) -> Integers:
        """The jobs of so many of the largest employers of every item."""
        largest = np.zeros(self.items, dtype=np.int64)
        some = self.rank < number
        np.add.at(largest, self.item[some], self.jobs[some])
        return largest


class Rule(Protocol):
    """A primary rule."""

    @property
    def words(self) -> str:
        """The rule for a reader."""

    def sensitive(self, table: Contributions) -> Mask:
        """The items that it withholds; zeros are published."""


@dataclass(frozen=True)
class FewJobs:
    """Fewer than so many jobs: k-anonymity of cells."""

    fewest: int = 3

    def __post_init__(self) -> None:
        require_within("fewest", self.fewest, 2, 1_000_000)

    @property
    def words(self) -> str:
        return f"fewer than {self.fewest} jobs"

    def sensitive(self, table: Contributions) -> Mask:
        return (table.totals > 0) & np.less(table.totals, self.fewest)


@dataclass(frozen=True)
class FewEmployers:
    """Fewer than so many employers."""

    fewest: int = 3

    def __post_init__(self) -> None:
        require_within("fewest", self.fewest, 2, 1_000_000)

    @property
    def words(self) -> str:
        return f"fewer than {self.fewest} employers"

    def sensitive(self, table: Contributions) -> Mask:
        return (table.totals > 0) & np.less(table.employers, self.fewest)


@dataclass(frozen=True)
class Dominance:
    """(n, k): the n largest employers have more than k per cent."""

    largest: int = 2
    share: int = 85

    def __post_init__(self) -> None:
        require_within("largest", self.largest, 1, 1000)
        require_within("share", self.share, 1, 99)

    @property
    def words(self) -> str:
        return f"the largest {self.largest} have more than {self.share} % of the jobs"

    def sensitive(self, table: Contributions) -> Mask:
        return np.greater(100 * table.top(self.largest), self.share * table.totals)


@dataclass(frozen=True)
class PercentRule:
    """p %: the second largest employer can estimate the largest within p per cent."""

    percent: int = 10

    def __post_init__(self) -> None:
        require_within("percent", self.percent, 1, 100)

    @property
    def words(self) -> str:
        return f"the second largest knows the largest within {self.percent} %"

    def sensitive(self, table: Contributions) -> Mask:
        rest: Integers = table.totals - table.top(2)
        return np.less(100 * rest, self.percent * table.top(1))


def require_within(name: str, value: int, least: int, most: int) -> None:
    """Refuse a whole number outside its limits."""
    if not least <= value <= most:
        step = "Leave it out for what is usual."
        raise InvalidParameter.not_whole(name, value, least, most, next_step=step)
