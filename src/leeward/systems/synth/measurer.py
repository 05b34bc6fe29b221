"""Measuring: the one module that takes counts of a file to what may be published.

A method asks for counts with noise and for choices, each at a part of its price; it never sees a
true count.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from leeward.core.exact import printed
from leeward.core.mechanisms.row_choice import UNIT, RowChoice, distance
from leeward.core.mechanisms.row_counts import RowCounts
from leeward.core.noise.exact_selection import Selection
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import Integers
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import Guarantee
from leeward.systems.synth.counting import Counts, Groups
from leeward.systems.synth.domain import Domain

Columns = TypeVar("Columns", bound=tuple[int, ...])
"""A set of columns as a key: a pair, or one of any size."""


@dataclass(frozen=True)
class NoisyGroups:
    """A released table of groups, and the variance of the noise in each of its cells."""

    table: Floats
    variance: Floats

    @classmethod
    def of(cls, counts: Integers, deviation: float) -> "NoisyGroups":
        """Counts with noise of one deviation."""
        table = counts.astype(np.float64)
        return cls(table, np.full(table.shape, deviation**2))

    def onto(self, axes: Sequence[int]) -> "NoisyGroups":
        """Added up to some of its columns, in this order."""
        others = tuple(at for at in range(self.table.ndim) if at not in axes)
        order = [sorted(axes).index(at) for at in axes]
        table, variance = (cells.sum(axis=others) for cells in (self.table, self.variance))
        return NoisyGroups(table.transpose(order), variance.transpose(order))

    def grouped(self, groups: Integers) -> "NoisyGroups":
        """One column with its values in groups."""
        table, variance = (np.bincount(groups, cells) for cells in (self.table, self.variance))
        return NoisyGroups(table.astype(np.float64), variance.astype(np.float64))


def mean(parts: Sequence[NoisyGroups]) -> NoisyGroups:
    """The mean of several measurements of the same table, weighted by inverse variances."""
    weight = sum((1 / part.variance for part in parts), np.zeros_like(parts[0].table))
    value = sum((groups.table / groups.variance for groups in parts), np.zeros_like(parts[0].table))
    return NoisyGroups(value / weight, 1 / weight)


@dataclass(frozen=True)
class Margin:
    """Released counts of groups of some columns, with the law and the scale of their noise."""

    columns: tuple[int, ...]
    counts: Integers
    law: str
    scale: Fraction
    deviation: float

    @property
    def noisy(self) -> NoisyGroups:
        """As numbers to fit to."""
        return NoisyGroups.of(self.counts, self.deviation)

    def as_json(self, names: Sequence[str]) -> dict[str, object]:
        """Plain values; the parameter is the scale of Laplace noise, the variance of a Gaussian."""
        return {
            "columns": [names[at] for at in self.columns],
            "counts": self.counts.tolist(),
            "law": self.law,
            "parameter": str(self.scale),
            "deviation": round(self.deviation, 6),
        }

    @classmethod
    def read(cls, told: Mapping[str, Any], names: Sequence[str]) -> "Margin":
        """From plain values."""
        columns = tuple(map(names.index, told["columns"]))
        counts = np.array(told["counts"], dtype=np.int64)
        return cls(columns, counts, told["law"], printed(told["parameter"]), told["deviation"])


def collected(margins: Iterable[Margin]) -> dict[tuple[int, ...], NoisyGroups]:
    """Measured tables by their columns; of those measured twice, the mean."""
    found: dict[tuple[int, ...], NoisyGroups] = {}
    for margin in margins:
        seen = found.get(margin.columns)
        found[margin.columns] = margin.noisy if seen is None else mean([seen, margin.noisy])
    return found


@dataclass(frozen=True)
class Measurer:
    """Counts of a file, reached with noise and by choices alone."""

    counts: Counts
    noise: Noise
    selection: Selection
    spent: list[Guarantee] = field(default_factory=list)
    """What was paid for, in order."""

    def measured(
        self, sets: Sequence[Sequence[int]], groups: Groups, price: Guarantee
    ) -> tuple[Margin, ...]:
        """Noisy counts of some sets of columns, which share the price."""
        cells = [int(np.prod([groups[at].max() + 1 for at in one])) for one in sets]
        counts = RowCounts.calibrated(price, cells)
        self.spent.append(price)
        true = [self.counts.of(one, groups) for one in sets]
        columns = zip(
            sets, counts.release(true, self.noise), counts.scales, counts.deviations, strict=True
        )
        return tuple(
            Margin(tuple(one), noisy, counts.law, scale, deviation)
            for one, noisy, scale, deviation in columns
        )

    def one_way(self, domain: Domain, price: Guarantee) -> tuple[Margin, ...]:
        """Every column by itself."""
        groups = [np.arange(size) for size in domain.sizes]
        return self.measured([(at,) for at in range(len(groups))], groups, price)

    def scores(
        self, expected: Mapping[Columns, Floats], groups: Groups, penalty: float
    ) -> dict[Columns, int]:
        """CONFIDENTIAL: how far pairs are from released expectations; a cell costs the penalty."""
        return {
            held: distance(self.counts.of(held, groups), column)
            - round(UNIT * penalty * column.size)
            for held, column in expected.items()
        }

    def chosen(
        self,
        scores: Mapping[Columns, int],
        price: Guarantee,
        times: int,
        allowed: Callable[[Columns, tuple[Columns, ...]], bool],
    ) -> tuple[Columns, ...]:
        """Sets of large scores, one after another; `allowed` says which may follow which."""
        choice = RowChoice(price, times)
        self.spent.append(price)
        taken: tuple[Columns, ...] = ()
        for _ in range(times):
            open_ = [pair for pair in scores if pair not in taken and allowed(pair, taken)]
            if not open_:
                break
            place = choice.release([scores[pair] for pair in open_], self.selection)
            taken = (*taken, open_[place])
        return taken

    def best(self, scores: Mapping[Columns, int], price: Guarantee, weight: int = 1) -> Columns:
        """One set of a large score; scores were multiplied by public weights up to this one."""
        choice = RowChoice(price, step=weight * UNIT)
        self.spent.append(price)
        return list(scores)[choice.release(list(scores.values()), self.selection)]
