"""Planted faults: controls on the code that a release calls, examined as the genuine code is.

Each broken twin overrides one step of a mechanism and claims what the genuine one claims. The exam
that confirms a mechanism must reject its twins: they are what a slip in the code would look like.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar

import numpy as np
from flint import arb
from numpy.typing import ArrayLike

from leeward.core.codebook import Entries
from leeward.core.exact import ball, dyadic_down, precision
from leeward.core.mechanisms import Mechanism, mechanism
from leeward.core.mechanisms.clipped import Clipped
from leeward.core.mechanisms.clipped_counts import ClippedCounts
from leeward.core.mechanisms.clipping import Clipping, JointClipping
from leeward.core.mechanisms.error_margins import PublicMargins
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
from leeward.core.noise.scales import Integers, LawByScale, Laws, Scales, Some, TwoScales
from leeward.core.privacy import StrongAlpha
from leeward.lab.audit.clipped_exam import clipped_loss
from leeward.lab.audit.exams import block, scalar, workplace_view
from leeward.lab.audit.joint_code import JOINT_CLIPPED_CODE, JOINT_CODE
from leeward.lab.audit.joint_exam import joint_clipped_loss, joint_loss
from leeward.lab.audit.lines import ALPHA, EPSILON, Control
from leeward.lab.audit.loss import Loss
from leeward.lab.audit.neighbours import Depth, pairs
from leeward.lab.audit.released_code import (
    BLOCK_CODE,
    CLIPPED_CODE,
    COUNT_CODE,
    RELEASED_CODE,
    CodeExam,
)
from leeward.lab.audit.table_exam import WITH_MARGINS, examine_clipped_table

M = TypeVar("M")
STRONG = StrongAlpha()
HALF = Fraction(1, 2)
CUT = Fraction(9, 10)
WIDE = {"alpha": Fraction(3), "epsilon": Fraction(3), "cells": 2}
"""Parameters at which few draws show whether cells share their H."""


def made(kind: type[M], name: str, **options: object) -> M:
    """A genuine mechanism, to be spoilt."""
    built = mechanism(name, **{"alpha": ALPHA, "epsilon": EPSILON, **options})  # type: ignore[arg-type] # as in plans
    if not isinstance(built, kind):
        raise TypeError(name)
    return built


def twin(kind: type[M], genuine: object) -> M:
    """The genuine mechanism's numbers in a broken class."""
    return kind(**vars(genuine))


def clipped_twin(genuine: Clipped, kind: type[Clipping]) -> Clipped:
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


class DataHeadroom(Clipped):
    """The headroom follows the establishments that have jobs, not those of the public frame."""

    def _release(self, entries: Entries, noise: Noise) -> tuple[Integers, Integers]:
        busy = np.bincount(entries.workplace[entries.sizes > 0], minlength=1).max()
        return Clipped._release(self.suited(establishment_class(int(busy) + 1)), entries, noise)


class StaffedTable(ClippedCounts):
    """The class of a workplace cell follows the establishments that have jobs, not the frame."""

    def by_class(self, entries: Entries) -> Iterator[tuple[Clipped, Integers]]:
        staffed = np.bincount(entries.workplace[entries.sizes > 0], minlength=entries.shape[0])
        return super().by_class(replace(entries, in_frame=np.maximum(staffed, 1)))


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
    """Draws of a part of the scale that was asked for: only sampling can show it."""

    part: Fraction

    def rounded(self, true: Integers, law: Laws, scales: Scales) -> Integers:
        """Narrow noise for each entry."""
        return SECRET.rounded(true, law, self._narrow(scales))

    def gaussian(self, true: Integers, variance: Fraction) -> Integers:
        """Narrow noise for each entry."""
        return SECRET.gaussian(true, variance * self.part**2)

    def block(self, true: Integers, scales: Scales, shape: int) -> Integers:
        """Narrow noise for each row."""
        return SECRET.block(true, self._narrow(scales), shape)

    def pairs(self, true: Integers, scales: TwoScales, body: Body, shape: int) -> Integers:
        """Narrow noise for each row."""
        narrow = (self._narrow(scales[0]), self._narrow(scales[1]))
        return SECRET.pairs(true, narrow, body, shape)

    def joint(self, true: Integers, scales: Scales, design: Design, shape: int) -> Integers:
        """Narrow noise for each row."""
        return SECRET.joint(true, self._narrow(scales), design, shape)

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
            noise.joint(n[:, cells], scales, Design((size,)), int(self.shape))
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
        busy = np.bincount(entries.workplace[entries.sizes > 0], minlength=1).max()
        other = self.suited(establishment_class(64 * int(busy) + 1))
        return JointClipped._release(replace(other), entries, noise)


class NarrowProduct(JointPareto):
    """Asks for the right noise, and is given half of it."""

    def _release(self, counts: ArrayLike, largest: ArrayLike, noise: Noise) -> Integers:
        return super()._release(counts, largest, NarrowNoise(HALF) if noise is SECRET else noise)


class HalfMovedProduct(JointClipping):
    """Noise of the sums for half of what a neighbour can move them."""

    def moved(self, theta: Integers) -> Integers:
        return super().moved(theta) // 2


class WholeJobsProduct(JointClipping):
    """A lattice of whole jobs, and no allowance for rounding to it."""

    @property
    def lattice(self) -> int:
        return 1

    @property
    def allowance(self) -> int:
        return 0


SIX = (3, 3, 6, 2, 5, 2)
FOUR = Fraction(4)


def dimension_forgotten(depth: Depth) -> Loss:
    """t without the price of the dimension: a larger scale thins the noise out p times."""
    genuine = made(JointPareto, "joint_pareto", epsilon=FOUR, tables=SIX)
    with precision(256):
        order = ball(genuine.shape + genuine.design.dimension)
        step = dyadic_down((ball(FOUR) / order).expm1(), 96)
    return joint_loss(replace(genuine, step=step), STRONG, depth)


def cut_product(depth: Depth) -> Loss:
    """A tenth less noise."""
    genuine = made(JointPareto, "joint_pareto", epsilon=FOUR, tables=SIX)
    return joint_loss(replace(genuine, step=genuine.step / CUT), STRONG, depth)


def each_table(depth: Depth) -> Loss:
    """Tables that are independent lose one by one."""
    genuine = made(JointPareto, "joint_pareto", epsilon=FOUR, tables=(2, 3, 2))
    return joint_loss(twin(EachTable, genuine), STRONG, depth)


def product_by(kind: type[JointClipping]) -> Callable[[Depth], Loss]:
    """The released code with one step of its clipping replaced."""

    def examine(depth: Depth) -> Loss:
        genuine = made(JointClipped, "joint_clipped", tables=(2, 3))
        spoilt = replace(genuine, clipping=kind(**vars(replace(genuine.clipping))))
        return joint_clipped_loss(spoilt, STRONG, depth)

    return examine


def cut_clipped(depth: Depth) -> Loss:
    """A tenth less noise on index and sums."""
    genuine = made(Clipped, "clipped", cells=8)
    spoilt = made(Clipped, "clipped", cells=8, epsilon=EPSILON / CUT, split=genuine.split)
    return replace(clipped_loss(spoilt, STRONG, depth), delta=arb("nan"))


def clipped_by(kind: type[Clipping], cells: int = 8) -> Callable[[Depth], Loss]:
    """The released code with one step of its clipping replaced."""

    def examine(depth: Depth) -> Loss:
        genuine = made(Clipped, "clipped", cells=cells)
        return clipped_loss(clipped_twin(genuine, kind), STRONG, depth)

    return examine


def low_floor(depth: Depth) -> Loss:
    """θ without its +1, where one joiner of an empty establishment shows."""
    genuine = made(Clipped, "clipped", alpha=Fraction(1), epsilon=Fraction(4), establishments=1)
    return clipped_loss(clipped_twin(genuine, LowFloor), STRONG, depth)


def data_headroom(depth: Depth) -> Loss:
    """θ of another headroom as soon as an establishment has its first job."""
    return clipped_loss(twin(DataHeadroom, made(Clipped, "clipped", cells=2)), STRONG, depth)


def data_split(depth: Depth) -> Loss:
    """Scales that follow the data, and not only θ."""
    return clipped_loss(twin(DataSplit, made(Clipped, "clipped", cells=2)), STRONG, depth)


def staffed_classes(depth: Depth) -> Loss:
    """A split and a headroom of another class as soon as a second establishment has a job."""
    spoilt = StaffedTable(made(Clipped, "clipped", cells=2), PublicMargins())
    return examine_clipped_table(spoilt, STRONG, depth, EPSILON)


UNEVEN = Fraction(3, 10)
"""An α with a Δ/α that is not whole."""


def whole_floor(depth: Depth) -> Loss:
    """Less noise for an establishment of 1/α jobs, which one joiner makes larger."""
    slope = made(Slope, "slope", alpha=UNEVEN)
    spoilt = replace(slope, parameters=WholeFloor(**vars(slope.parameters)))
    return scalar(workplace_view(spoilt), pairs(STRONG, UNEVEN, depth), EPSILON)


def early_law(depth: Depth) -> Loss:
    """Edges of less than half a job, where one joiner passes a step and more."""
    stairs = twin(EarlyStairs, made(Staircase, "staircase", epsilon=FOUR))
    return scalar(workplace_view(stairs), pairs(STRONG, ALPHA, depth), FOUR)


def fresh_gamma(depth: Depth) -> Loss:
    """Cells that are independent lose one by one."""
    pareto = made(VectorPareto, "vector_pareto", epsilon=Fraction(4), cells=2)
    return block(twin(FreshGamma, pareto), STRONG, depth)


def sampled(exam: CodeExam, spoilt: Callable[[], Mechanism]) -> Callable[[Depth], Loss]:
    """What draws of the released code show, without a look at its definition."""
    return lambda _: exam.sampled(spoilt(), STRONG)


def compared(exam: CodeExam, spoilt: Callable[[], Mechanism]) -> Callable[[Depth], Loss]:
    """The released code compared with its definition."""
    return lambda depth: exam(spoilt(), "strong", depth)


def _wide_product() -> JointPareto:
    return made(JointPareto, "joint_pareto", epsilon=Fraction(2), tables=(2, 2))


def _clipped_draws(kind: type[Clipping]) -> Callable[[], Clipped]:
    return lambda: clipped_twin(made(Clipped, "clipped"), kind)


SAMPLED: tuple[Control, ...] = (
    Control(
        "clipped by the covered jobs",
        "clipped",
        sampled(CLIPPED_CODE, _clipped_draws(CoveredNorm)),
        detail=RELEASED_CODE,
    ),
    Control(
        "a split that depends on the data",
        "clipped",
        sampled(CLIPPED_CODE, lambda: twin(DataSplit, made(Clipped, "clipped"))),
        detail=RELEASED_CODE,
    ),
    Control(
        "draws of half the scale asked for",
        "clipped",
        sampled(CLIPPED_CODE, lambda: twin(NarrowClipped, made(Clipped, "clipped"))),
        detail=RELEASED_CODE,
    ),
    Control(
        "draws of half the scale asked for",
        "slope",
        sampled(COUNT_CODE, lambda: twin(NarrowSlope, made(Slope, "slope"))),
        detail=RELEASED_CODE,
    ),
    Control(
        "a fresh H for every cell",
        "vector_pareto",
        sampled(BLOCK_CODE, lambda: twin(FreshGamma, made(VectorPareto, "vector_pareto", **WIDE))),
        epsilon=Fraction(3),
        alpha=Fraction(3),
        detail=RELEASED_CODE,
    ),
    Control(
        "a cell of each table without noise",
        "joint_pareto",
        compared(JOINT_CODE, lambda: twin(BareCell, _wide_product())),
        epsilon=Fraction(2),
        detail=RELEASED_CODE,
    ),
    Control(
        "a headroom that depends on the data",
        "joint_clipped",
        compared(
            JOINT_CLIPPED_CODE,
            lambda: twin(StaffedClasses, made(JointClipped, "joint_clipped", tables=(2, 2))),
        ),
        detail=RELEASED_CODE,
    ),
    Control(
        "draws of half the scale asked for",
        "joint_pareto",
        sampled(JOINT_CODE, lambda: twin(NarrowProduct, _wide_product())),
        epsilon=Fraction(2),
        detail=RELEASED_CODE,
    ),
)

PLANTED: tuple[Control, ...] = (
    Control("clipped by the covered jobs", "clipped", clipped_by(CoveredNorm)),
    Control("lattice rounding without its allowance", "clipped", clipped_by(WholeJobs)),
    Control("noise of the sums halved", "clipped", clipped_by(HalfMoved)),
    Control("θ without its +1", "clipped", low_floor, epsilon=Fraction(4), alpha=Fraction(1)),
    Control("a split that depends on the data", "clipped", data_split),
    Control("a headroom that depends on the data", "clipped", data_headroom),
    Control(
        "a class of the establishments that have jobs",
        "clipped",
        staffed_classes,
        detail=f"cells 2, {WITH_MARGINS}",
    ),
    Control("Δ/α rounded down to whole jobs", "slope", whole_floor, alpha=UNEVEN),
    Control("the law of large sizes too early", "staircase", early_law, epsilon=FOUR),
    Control("a fresh H for every cell", "vector_pareto", fresh_gamma, epsilon=Fraction(4)),
    Control("the dimension p forgotten", "joint_pareto", dimension_forgotten, epsilon=FOUR),
    Control("scale cut by 10 %", "joint_pareto", cut_product, epsilon=FOUR),
    Control("every table drawn by itself", "joint_pareto", each_table, epsilon=FOUR),
    Control("noise of the sums halved", "joint_clipped", product_by(HalfMovedProduct)),
    Control(
        "lattice rounding without its allowance", "joint_clipped", product_by(WholeJobsProduct)
    ),
    *SAMPLED,
    Control("scale cut by 10 %", "clipped", cut_clipped),
)
