"""Broken twins of the released code: each overrides one step and claims what the genuine claims.

The exam that confirms a mechanism must reject its twins: they are what a slip in the code that a
release calls would look like.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from leeward.mechanisms.clipped import Clipped
from leeward.mechanisms.clipping import Clipping
from leeward.mechanisms.slope import Slope
from leeward.mechanisms.vector_pareto import VectorPareto
from leeward.model import Entries
from leeward.noise.draws import SECRET
from leeward.noise.law import Law
from leeward.noise.scales import Integers, Noise, Scales

M = TypeVar("M")
HALF = Fraction(1, 2)


class CoveredNorm(Clipping):
    """An establishment's size is taken to be its jobs in the table, instead of all its jobs."""

    def sums(self, entries: Entries, theta: Integers) -> Integers:
        covered = np.zeros_like(entries.sizes)
        np.add.at(covered, entries.row, entries.counts)
        return super().sums(replace(entries, sizes=covered), theta)


class HalfMoved(Clipping):
    """Noise of the sums for half of what a neighbour can move them."""

    def moved(self, theta: Integers) -> Integers:
        return super().moved(theta) // 2


class LowFloor(Clipping):
    """θ may fall to 1/α: there one joiner moves a cell by more than αθ/(1+α)."""

    @property
    def least(self) -> Fraction:
        return 1 / self.alpha


class WholeJobs(Clipping):
    """A lattice of whole jobs, and no allowance for flooring to it."""

    @property
    def lattice(self) -> int:
        return 1

    def moved(self, theta: Integers) -> Integers:
        return super().moved(theta) - self.cells


class DataSplit(Clipped):
    """The share for the maximum is another one where an establishment has more than 1000 jobs."""

    def _release(self, entries: Entries, noise: Noise) -> tuple[Integers, Integers]:
        split = Fraction(1, 10) if entries.sizes.max(initial=0) > 1000 else self.split
        return Clipped._release(replace(self, split=split), entries, noise)


class FreshGamma(VectorPareto):
    """Every cell has an H of its own."""

    def _release(
        self, counts: ArrayLike | None, largest: ArrayLike | None, noise: Noise
    ) -> Integers:
        n, x = np.asarray(counts), np.repeat(np.asarray(largest), self.parameters.cells)
        drawn = noise.block(n.reshape(-1, 1), self.scales(x, x), int(self.shape))
        return drawn.reshape(n.shape)


@dataclass(frozen=True)
class NarrowNoise:
    """Draws of a part of the scale that was asked for: only their sampling can show it."""

    part: Fraction

    def rounded(self, true: Integers, law: Law, scales: Scales) -> Integers:
        """Narrow noise for each entry."""
        return SECRET.rounded(true, law, self._narrow(scales))

    def gaussian(self, true: Integers, variance: Fraction) -> Integers:
        """Narrow noise for each entry."""
        return SECRET.gaussian(true, variance * self.part**2)

    def block(self, true: Integers, scales: Scales, shape: int) -> Integers:
        """Narrow noise for each row."""
        return SECRET.block(true, self._narrow(scales), shape)

    def _narrow(self, scales: Scales) -> Scales:
        return replace(scales, factor=scales.factor * self.part)


def clipped_twin(genuine: Clipped, kind: type[Clipping]) -> Clipped:
    """The genuine mechanism with one step of its clipping replaced."""
    return replace(genuine, clipping=kind(genuine.clipping.alpha, genuine.clipping.cells))


class NarrowClipped(Clipped):
    """Asks for the right noise, and is given half of it."""

    def release_entries(self, entries: Entries) -> tuple[Integers, Integers]:
        return self._release(entries, NarrowNoise(HALF))


class NarrowSlope(Slope):
    """Asks for the right noise, and is given half of it."""

    def release(self, counts: ArrayLike | None, largest: ArrayLike | None = None) -> Integers:
        return self._release(counts, largest, NarrowNoise(HALF))


def twin(kind: type[M], genuine: object) -> M:
    """The genuine mechanism's numbers in a broken class."""
    return kind(**vars(genuine))
