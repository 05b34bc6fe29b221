"""Twins: genuine mechanisms with one step spoilt, which claim what the genuine ones claim."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from leeward.core.codebook import Entries
from leeward.core.mechanisms import mechanism
from leeward.core.mechanisms.clipped import Clipped
from leeward.core.mechanisms.clipped_counts import ClippedCounts
from leeward.core.mechanisms.clipping import Clipping
from leeward.core.mechanisms.joint import JointClipping
from leeward.core.mechanisms.joint_clipped import JointClipped
from leeward.core.mechanisms.joint_pareto import JointPareto
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.slope import Slope
from leeward.core.mechanisms.split import establishment_class
from leeward.core.mechanisms.staircase import Staircase
from leeward.core.mechanisms.vector_pareto import VectorPareto
from leeward.core.noise.body import Body
from leeward.core.noise.design import Design
from leeward.core.noise.draws import SECRET
from leeward.core.noise.law import Law
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.radial_law import RadialLaw, pareto_radius
from leeward.core.noise.scales import Integers, LawByScale, Laws, Scales, Some, TwoScales
from leeward.core.privacy import StrongAlpha
from leeward.lab.audit.audit_line import ALPHA, EPSILON
from leeward.lab.audit.neighbours import DatabasePair
from leeward.lab.audit.outputs import HALF


class Named(Protocol):
    """What every mechanism has."""

    name: ClassVar[str]


M = TypeVar("M", bound=Named)
C = TypeVar("C", Clipped, JointClipped)
STRONG = StrongAlpha()
CUT = Fraction(9, 10)


def sound(kind: type[M], **options: object) -> M:
    """A genuine mechanism, to be spoilt."""
    built = mechanism(kind.name, **{"alpha": ALPHA, "epsilon": EPSILON, **options})  # type: ignore[arg-type] # as in plans
    if not isinstance(built, kind):
        raise TypeError(kind.name)
    return built


def twin(kind: type[M], genuine: object) -> M:
    """The genuine mechanism's numbers in a broken class."""
    return kind(**vars(genuine))


def clipped_twin(genuine: C, kind: type[Clipping]) -> C:
    """The genuine mechanism with one step of its clipping replaced."""
    return replace(genuine, clipping=kind(**vars(replace(genuine.clipping))))


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


def staffed(entries: Entries) -> Integers:
    """The establishments of each workplace cell that have jobs: what no class may follow."""
    return np.bincount(entries.workplace[entries.sizes > 0], minlength=entries.shape[0])


class DataHeadroom(Clipped):
    """The headroom follows the establishments that have jobs, not those of the public frame."""

    def _release(self, entries: Entries, noise: Noise) -> tuple[Integers, Integers]:
        busy = int(staffed(entries).max())
        return Clipped._release(self.suited(establishment_class(busy + 1)), entries, noise)


class StaffedTable(ClippedCounts):
    """The class of a workplace cell follows the establishments that have jobs, not the frame."""

    def by_class(self, entries: Entries) -> Iterator[tuple[Clipped, Integers]]:
        return super().by_class(replace(entries, in_frame=np.maximum(staffed(entries), 1)))


class WholeFloor(Parameters):
    """Δ/α rounded down to whole jobs."""

    @property
    def floor(self) -> Fraction:
        return Fraction(int(super().floor))


class EarlyLarge(LawByScale):
    """Draws have the law of large sizes from half of the size on from which they may."""

    def shared(self, scales: Scales) -> Iterator[tuple[Law, Some]]:
        return LawByScale(self.large / 2, self.beyond, self.below).shared(scales)


class EarlyStairs(Staircase):
    """A staircase with these laws."""

    @property
    def laws(self) -> LawByScale:
        return EarlyLarge(**vars(super().laws))


class FreshRadius(VectorPareto):
    """Every cell has a radius of its own."""

    def _release(
        self, counts: ArrayLike | None, largest: ArrayLike | None, noise: Noise
    ) -> Integers:
        n, x = np.asarray(counts), np.repeat(np.asarray(largest), self.parameters.cells)
        drawn = noise.block(n.reshape(-1, 1), self.scales(x, x), pareto_radius(1, self.shape))
        return drawn.reshape(n.shape)


@dataclass(frozen=True)
class NarrowNoise:
    """Draws of a part of the scale that was asked for: only sampling can show it."""

    part: Fraction

    def rounded(self, true: Integers, law: Laws, scales: Scales) -> Integers:
        """Narrow noise for each entry."""
        return SECRET.rounded(true, law, self._narrow(scales))

    def gaussian(self, true: Integers, variance: Fraction) -> Integers:
        """Narrow noise for each entry."""
        return SECRET.gaussian(true, variance * self.part**2)

    def block(self, true: Integers, scales: Scales, law: RadialLaw) -> Integers:
        """Narrow noise for each row."""
        return SECRET.block(true, self._narrow(scales), law)

    def pairs(
        self, true: Integers, scales: TwoScales, body: Body, law: RadialLaw | None
    ) -> Integers:
        """Narrow noise for each row."""
        narrow = (self._narrow(scales[0]), self._narrow(scales[1]))
        return SECRET.pairs(true, narrow, body, law)

    def joint(
        self, true: Integers, scales: Scales, design: Design, law: RadialLaw | None
    ) -> Integers:
        """Narrow noise for each row."""
        return SECRET.joint(true, self._narrow(scales), design, law)

    def _narrow(self, scales: Scales) -> Scales:
        return replace(scales, factor=scales.factor * self.part)


class NarrowClipped(Clipped):
    """Asks for the right noise, and is given half of it."""

    def _release(self, entries: Entries, noise: Noise) -> tuple[Integers, Integers]:
        return super()._release(entries, NarrowNoise(HALF) if noise is SECRET else noise)


class NarrowSlope(Slope):
    """Asks for the right noise, and is given half of it."""

    def _release(
        self, counts: ArrayLike | None, largest: ArrayLike | None, noise: Noise
    ) -> Integers:
        return super()._release(counts, largest, NarrowNoise(HALF) if noise is SECRET else noise)


class EachTable(JointPareto):
    """Every table of a product has noise of its own, as if it were alone."""

    def _release(self, counts: ArrayLike, largest: ArrayLike, noise: Noise) -> Integers:
        n, scales = np.asarray(counts), self.scales(np.asarray(largest))
        drawn = [
            noise.joint(n[:, cells], scales, Design((size,)), pareto_radius(size, self.shape))
            for cells, size in zip(self.design.slices(), self.design.tables, strict=True)
        ]
        return np.concatenate(drawn, axis=1)


class BareCell(JointPareto):
    """The last cell of each table has no noise."""

    def _release(self, counts: ArrayLike, largest: ArrayLike, noise: Noise) -> Integers:
        values = super()._release(counts, largest, noise)
        last = [cells.stop - 1 for cells in self.design.slices()]
        values[:, last] = np.asarray(counts)[:, last]
        return values


class StaffedClasses(JointClipped):
    """The headroom follows the establishments that have jobs, not those of the public frame."""

    def _release(self, entries: Entries, noise: Noise) -> tuple[Integers, Integers]:
        other = self.suited(establishment_class(64 * int(staffed(entries).max()) + 1))
        return JointClipped._release(replace(other), entries, noise)


class NarrowProduct(JointPareto):
    """Asks for the right noise, and is given half of it."""

    def _release(self, counts: ArrayLike, largest: ArrayLike, noise: Noise) -> Integers:
        return super()._release(counts, largest, NarrowNoise(HALF) if noise is SECRET else noise)


class HalfMovedProduct(HalfMoved, JointClipping):
    """The same of a product."""


class WholeJobsProduct(JointClipping):
    """A lattice of whole jobs, and no allowance for rounding to it."""

    @property
    def lattice(self) -> int:
        return 1

    @property
    def allowance(self) -> int:
        return 0


def strong(pair: DatabasePair) -> list[DatabasePair]:
    """A pair that is certainly a strong step."""
    if not STRONG.admits(pair.before, pair.after, ALPHA):
        raise ValueError(pair)
    return [pair]
