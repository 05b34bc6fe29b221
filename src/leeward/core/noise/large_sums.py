"""Large sums: draws of the noise of sums over very many units. Proof in large_sums.proof.md.

A sum is cut into body and tail. Units beyond a bound are drawn one by one, and the rest is a normal
number with their exact mean and variance. What is drawn has the mean 0.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import floor, lgamma, sqrt

import numpy as np
from numpy.typing import NDArray

from leeward.core.noise.radial_law import RadialLaw
from leeward.core.noise.scales import CellNoise, Integers
from leeward.core.noise.shared_radius import SharedRadius
from leeward.core.noise.tabulated import Floats
from leeward.core.noise.tail_table import TailTable, growth_table
from leeward.core.randomness import SeededBits

BEYOND = 256.0
"""How many units are beyond the bound, on average."""

FARTHEST_CUT = 2.0**62
HALVINGS = 100
POINTS = 1 << 12
"""Points at which the law of H is tabulated."""

LARGEST = 40.0
"""Largest logarithm of a factor of the scale: beyond it a margin is without end anyway."""


@dataclass(frozen=True)
class Drawing:
    """What errors are drawn from, and how often."""

    noise: CellNoise
    seed: int
    draws: int

    @property
    def by_row(self) -> bool:
        """Whether a workplace cell is a unit."""
        return self.noise.shared is not None

    @property
    def halved(self) -> bool:
        """Whether there are twice as many draws: of the lower end, and then of the upper one."""
        return bool(self.noise.clips) or self.noise.lean > 0

    def classes(self, w: int, establishments: Integers | None) -> Integers:
        """The class of clipping of each cell; the worst, after the last, if it is not known."""
        if establishments is None:
            return np.full(w, len(self.noise.clips))
        most = [member.establishments for member in self.noise.clips[:-1]]
        return np.searchsorted(most, establishments)

    def norms(self, units: NDArray[np.float32], first: int, dimension: int) -> NDArray[np.float32]:
        """Σ|L| of all worker cells that share a radius, also of those that are not in the table."""
        whole: NDArray[np.float32] = np.abs(units).sum(axis=1, keepdims=True)
        if dimension > units.shape[1]:
            for row in range(len(whole)):  # the same however rows are cut
                rest = SeededBits(self.seed + (1 + first + row << 64) + 1).generator
                whole[row] += rest.standard_gamma(dimension - units.shape[1], whole[row].shape)
        return whole

    def growths(self) -> list[tuple[float, float]]:
        """Spread and room of each class of clipping; last, those where most may be taken."""
        pairs = [(clip.spread, clip.room) for clip in self.noise.clips]
        return [*pairs, (max(a for a, _ in pairs), min(b for _, b in pairs))] if pairs else []

    def growth_tables(self) -> list[TailTable]:
        """The laws of what clipping takes, as a share of what it leaves, of each class."""
        gaussian = self.noise.law is None
        return [growth_table(*growth, LARGEST, gaussian=gaussian) for growth in self.growths()]


@dataclass(frozen=True)
class Units:
    """Units of one law: their scales, and how many there are of each.

    `rounded`: each is a whole number, and their number is whole.
    """

    law: TailTable
    scales: Floats
    counts: Floats
    rounded: bool = True

    def beyond(self, cut: float) -> Floats:
        """The chance of a unit of each scale to be below −cut, and above cut."""
        return self.law.beyond(cut / self.scales)

    def number_beyond(self, cut: float) -> float:
        """How many are expected there."""
        return float(self.beyond(cut).sum(axis=0) @ self.counts)

    def body_moments(self, cut: float, outside: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of a unit that is not outside."""
        z, inside = cut / self.scales, np.maximum(1 - outside, np.finfo(float).tiny)
        mean = self.scales * self.law.cut_mean(z) / inside
        if self.rounded:
            square = self.law.rounded_square(self.scales, cut - 0.5)
        else:
            square = self.scales**2 * self.law.cut_square(z)
        return mean, np.maximum(square / inside - mean**2, 0.0)


def body_and_tail(
    parts: Sequence[Units], bits: SeededBits, draws: int
) -> tuple[Floats, Floats, float]:
    """Draws of all but the chance of the body, the variance of that, and the bound."""
    cut = _cut(lambda bound: sum(part.number_beyond(bound) for part in parts))
    # The next bound between two whole numbers; from 2^52 on every number is as good.
    cut = floor(min(cut, FARTHEST_CUT) + 0.5) + 0.5
    middle, variance = np.zeros(draws), np.zeros(draws)
    for part in parts:
        tails = part.beyond(cut)
        outside = tails.sum(axis=0)
        shape = (draws, len(part.scales))
        if part.rounded:
            number = bits.generator.binomial(
                part.counts.astype(np.int64), np.minimum(outside, 1), shape
            )
        else:
            number = bits.generator.poisson(part.counts * outside, shape)
        mean, square = part.body_moments(cut, outside)
        rest = part.counts - number if part.rounded else part.counts * (1 - outside)
        middle += rest @ mean - part.law.mean * (part.counts @ part.scales) * part.rounded
        variance += rest @ square
        row, at = _each(number)
        z = part.law.drawn_beyond(tails[:, at], bits.generator.random(len(at)))
        noise = part.scales[at] * z
        middle += np.bincount(row, np.rint(noise) if part.rounded else noise, draws)
    return middle, np.maximum(variance, 0.0), cut


def block_sums(
    scales: Floats, counts: Floats, shape: tuple[int | RadialLaw, int, int], bits: SeededBits,
    draws: int,
) -> Floats:  # fmt: skip
    """Draws (columns, draws) of sums over workplace cells whose worker cells share a factor 1/H.

    `shape` has k of H ~ Gamma(k) or the law of 1/H, the number of columns, and the worker cells
    added in each. The bound is one of scale/H: given H, a unit has no tail but that of a Laplace
    number, or none.
    """
    shared, columns, cells = shape
    factor = SharedFactor.of(shared) if isinstance(shared, int) else SharedRadius.of(shared)
    cut = _cut(lambda one: float(factor.below(scales / one) @ counts))
    outside = factor.below(scales / cut)
    number = bits.generator.binomial(counts.astype(np.int64), outside, (draws, len(scales)))
    inside = np.maximum(1 - outside, np.finfo(float).tiny)
    deviation = np.sqrt((counts - number) @ (cells * factor.squares(scales, cut) / inside))
    row, at = _each(number)
    wide = scales[at] / factor.drawn_below(bits.generator.random(len(at)) * outside[at])
    found = np.empty((columns, draws))
    for column, sums in enumerate(factor.sums(columns, cells, bits, len(at))):
        noise = np.rint(wide * sums) if cells == 1 else wide * sums
        tail = np.bincount(row, noise, draws)
        found[column] = tail + deviation * bits.generator.standard_normal(draws)
    return found


def _each(number: Integers) -> tuple[Integers, Integers]:
    """The row and the column of each that is counted."""
    places = np.repeat(np.arange(number.size), number.ravel())
    row, at = np.divmod(places, number.shape[1])
    return row, at


def _cut(number: Callable[[float], float]) -> float:
    """The bound that as many are beyond as should be."""
    low, high = -64.0, 62.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if number(2.0**middle) > BEYOND else (low, middle)
    return float(2.0**high)


@dataclass(frozen=True, eq=False)
class SharedFactor:
    """H ~ Gamma(k) at points around its mode: the logarithms, P(H below) and the masses."""

    logarithms: Floats
    cumulated: Floats
    masses: Floats

    @classmethod
    @lru_cache(maxsize=16)
    def of(cls, k: int) -> "SharedFactor":
        """As far to both sides as a word of 64 bits could reach."""
        reach = 60 / k + 14 / sqrt(k)
        at = np.log(k) + np.linspace(-reach, min(reach, 5.0), POINTS)
        density = np.exp(k * at - np.exp(at) - lgamma(k))
        step = at[1] - at[0]
        steps = (density[1:] + density[:-1]) / 2 * step
        cumulated = np.cumsum(np.concatenate([[density[0] / k], steps]))
        return cls(at, cumulated / cumulated[-1], density * step / cumulated[-1])

    def below(self, h: Floats) -> Floats:
        """P(H < h)."""
        at, share = self.logarithms, np.log(self.cumulated)
        found = np.exp(np.interp(np.log(h), at, share))
        return np.where(np.log(h) < at[0], 0.0, found)

    def drawn_below(self, shares: Floats) -> Floats:
        """H where its distribution function has these values."""
        least = self.cumulated[0]
        wanted = np.log(np.maximum(shares, least))
        return np.asarray(np.exp(np.interp(wanted, np.log(self.cumulated), self.logarithms)))

    def sums(self, columns: int, cells: int, bits: SeededBits, count: int) -> Iterator[Floats]:
        """Sums of Laplace numbers, one row for each column."""
        for _ in range(columns):
            if cells == 1:
                yield bits.generator.laplace(size=count)
            else:
                up, down = bits.generator.gamma(cells, size=(2, count))
                yield up - down

    def squares(self, scales: Floats, cut: float) -> Floats:
        """E J² where scale/H ≤ cut, and 0 beyond, of J = ⌊scale·L/H + ½⌋.

        E⌊wide·L + ½⌋² is Σ(2j−1)·P(|J| ≥ j), and P(|J| ≥ j) = exp(−(j−½)/wide).
        """
        wide = scales[:, None] * np.exp(-self.logarithms)
        with np.errstate(over="ignore", divide="ignore"):
            step = -np.expm1(-1 / wide)
            ratio = 1 - step
            squares = np.where(wide < 1e-3, 0.0, np.sqrt(ratio) * (1 + ratio) / step**2)
        return np.asarray(np.where(wide <= cut, squares, 0.0) @ self.masses)


STEPS = 64
"""Steps of an octave by which scales are counted."""

PARTS = 16
"""Equal parts of the law of a cell's noise, each with one value, of which clipping is a share."""

LAW_BITS, CODE_BITS = 8, 14
MIDDLE = 1 << (CODE_BITS - 1)

WASTE = 4
"""Counts are merged when there are this many times more than after the last merge."""


@dataclass(frozen=True, eq=False)
class ScaleCounts:
    """How many units of each law and scale a sum has, by one key; in parts of a unit."""

    keys: Integers
    counts: Integers
    compact: int = 0

    @classmethod
    def of(cls, sums: Integers, law: Integers | int, scales: Floats, count: int) -> "ScaleCounts":
        """Units of these scales, each of one sum."""
        code = np.rint(STEPS * np.log2(scales)).astype(np.int64) + MIDDLE
        code = np.clip(code, 0, 2 * MIDDLE - 1)
        keys = ((sums << LAW_BITS) + law << CODE_BITS) + code
        return cls(keys, np.full(len(keys), count)).compacted()

    def compacted(self) -> "ScaleCounts":
        """The same with each key once, in order."""
        keys, place = np.unique(self.keys, return_inverse=True)
        counts = np.zeros(len(keys), np.int64)
        np.add.at(counts, place, self.counts)
        return ScaleCounts(keys, counts, len(keys))

    def joined(self, *others: "ScaleCounts") -> "ScaleCounts":
        """Those of all together."""
        parts = (self, *others)
        keys, counts = (
            np.concatenate(one) for one in ([p.keys for p in parts], [p.counts for p in parts])
        )
        all_counts = ScaleCounts(keys, counts, self.compact)
        return all_counts.compacted() if len(keys) > WASTE * self.compact else all_counts

    def moved(self, sums: Integers) -> "ScaleCounts":
        """The same units in the sums of these numbers; −1 leaves them out."""
        bits = LAW_BITS + CODE_BITS
        number = sums[self.keys >> bits]
        kept = number >= 0
        keys = (number << bits) + (self.keys & ((1 << bits) - 1))
        return ScaleCounts(keys[kept], self.counts[kept]).compacted()

    def of_sum(self, number: int) -> dict[int, tuple[Floats, Floats]]:
        """Scales and numbers of the units of one sum, by their law."""
        bits = LAW_BITS + CODE_BITS
        start, stop = np.searchsorted(self.keys, (number << bits, (number + 1) << bits))
        keys, counts = self.keys[start:stop], self.counts[start:stop] / PARTS
        law = keys >> CODE_BITS & ((1 << LAW_BITS) - 1)
        scales = np.exp2(((keys & (2 * MIDDLE - 1)) - MIDDLE) / STEPS)
        return {int(one): (scales[law == one], counts[law == one]) for one in np.unique(law)}
