"""Difference: tests whether two noisy numbers have one true number, and how many pass by chance.

Every step rounds a tail up, so that a p-value is at most u with probability at most u wherever both
true numbers are equal. In float64, no draws: everything follows from the public law of the noise.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from leeward.core.noise.scales import CellNoise, Integers
from leeward.core.noise.tabulated import Floats
from leeward.core.noise.tail_table import (
    FINE,
    HAIR,
    HALVES,
    NoisyWidth,
    UnitTails,
    growth_table,
    unit_tails,
)

GROWTHS = 24
"""Points of what clipping takes away, one for each halving of its tail."""

AT_ONCE, MOST = 1 << 21, 1 << 28
"""Numbers that are held at once, and that a test of all cells takes: of more cells, points are
left out, which makes p-values larger."""

SMALL = 20
"""A bound on a true number fails with this part of the smallest p-value that matters."""

Booleans = NDArray[np.bool_]


@dataclass(frozen=True)
class Noisy:
    """Released numbers (n,) with the public law of their noise.

    `below` is how far the lower end of each interval is from the number; `noisy` says that this
    width was paid for, and has noise of its own.
    """

    noise: CellNoise
    values: Integers
    below: Integers
    establishments: Integers | None = None
    noisy: NoisyWidth | None = None

    def take(self, some: Booleans | Integers) -> "Noisy":
        """Some of the numbers."""
        frame = None if self.establishments is None else self.establishments[some]
        return replace(self, values=self.values[some], below=self.below[some], establishments=frame)

    @property
    def tails(self) -> UnitTails:
        """Of an error in units of its width."""
        return unit_tails(self.noise, self.noisy)

    @property
    def by_count(self) -> bool:
        """Whether the width follows from the true number, and from nothing that is released."""
        return not self.noise.share and self.noise.slope is not None

    def widths(self, bound: Floats) -> Floats:
        """The width of each error; `bound` is the largest true number, where it follows from it."""
        noise = self.noise
        if self.by_count and noise.slope is not None:
            return np.maximum(noise.slope * bound, noise.least)
        wide = noise.share * (self.below + 0.5) / _allowance(noise, self.noisy)
        return np.asarray(np.maximum(wide, noise.least))

    def most(self, chance: float) -> Floats:
        """What the true number passes with at most this probability, where the width follows it."""
        reach = float(self.tails.quantiles(np.array([chance]), upper=False)[0])
        high, slope = self.values + 0.5, self.noise.slope or 0.0
        if slope * reach >= 1:
            return np.full(len(high), np.inf)
        return np.asarray(np.maximum(high / (1 - slope * reach), high + self.noise.least * reach))

    def clipped(self) -> tuple[Floats, Floats] | None:
        """What clipping grows by (n, points), and the chance of each; the last is without end."""
        classes = self.noise.clips
        if not classes:
            return None
        spreads, rooms = np.array([(member.spread, member.room) for member in classes]).T
        if self.establishments is None:
            at = np.zeros(len(self.values), np.int64)
            spreads, rooms = spreads.max(keepdims=True), rooms.min(keepdims=True)
        else:
            at = np.searchsorted(
                [member.establishments for member in classes[:-1]], self.establishments
            )
        pairs, gaussian = zip(spreads, rooms, strict=True), self.noise.law is None
        found = [_growths(*pair, gaussian=gaussian) for pair in pairs]
        grown, chances = (np.array(part)[at] for part in zip(*found, strict=True))
        return grown, chances


@lru_cache(maxsize=32)
def _allowance(noise: CellNoise, noisy: NoisyWidth | None) -> float:
    """By how much a margin is wider for the noise of its width, at least: of a median width."""
    if noisy is None or not noisy.spread:
        return 1.0
    wide = unit_tails(noise, replace(noisy, step=0.0))
    points = wide.points[1:]
    missed = np.exp(wide.logarithms[:, 1:]).sum(axis=0)
    reach = float(np.interp(-0.1 * (1 + 4 * HAIR), -missed, points))
    return max(reach * noise.share, 1.0)


@lru_cache(maxsize=64)
def _growths(spread: float, room: float, *, gaussian: bool) -> tuple[Floats, Floats]:
    """Factors less 1 by which clipping may have made jobs fewer, and the chance of each."""
    table = growth_table(spread, room, 40.0, gaussian=gaussian)
    some = float(table.beyond(np.zeros(1))[1][0])
    shares = some * np.exp2(-np.arange(1, GROWTHS + 1))
    tails, points = table.at_nodes[1], table.nodes
    falling = np.maximum.accumulate(tails[::-1])
    grown = np.interp(shares, falling, points[::-1])
    above = table.beyond(grown)[1]
    chances = -np.diff(np.concatenate([[1.0, some], above, [0.0]]))
    return np.concatenate([[0.0], grown, [np.inf]]), chances


def comparable(first: CellNoise, second: CellNoise) -> bool:
    """Whether a difference of numbers with these laws can be tested."""
    return first.relative == second.relative


def p_values(first: Noisy, second: Noisy, least: float) -> Floats:
    """Of each pair, how seldom equal true numbers differ as much by noise; at most 1.

    Twice the tail of the side on which the difference is. Where the level `least`, which a
    p-value must reach to count, is small, so is what a bound on the true number may miss.
    """
    # The largest true number of each pair that widths follow from, and how often it is larger.
    bound, missed = np.zeros(len(first.values)), 0.0
    follow = [noisy for noisy in (first, second) if noisy.by_count]
    if follow:
        missed = least / SMALL
        # All numbers are small only if all errors are.
        bound = np.maximum.reduce([noisy.most(missed ** (1 / len(follow))) for noisy in follow])
    found = np.ones(len(first.values))
    for low, high, some in (
        (first, second, second.values > first.values),
        (second, first, second.values < first.values),
    ):
        rows = np.flatnonzero(some)
        found[rows] = 2 * _side(low.take(rows), high.take(rows), bound[rows])
    return np.minimum(found + missed, 1.0)


def _side(low: Noisy, high: Noisy, bound: Floats) -> Floats:
    """P(truth − low + high − truth ≥ difference), rounded up."""
    wide, apart = (low.widths(bound), high.widths(bound)), (high.values - low.values).astype(float)
    if low.noise.relative:
        # ln of the quotient of two released numbers plus Δ/α, less what rounding may have added. A
        # margin is |value| + Δ/α + ½ over its share, rounded to a whole number.
        top = high.noise.share * (high.below - 0.5) - np.abs(high.values) + high.values - 1
        apart = np.log(np.maximum(top, 1e-9) / (low.noise.share * (low.below + 0.5)))
        wide = (np.ones_like(apart),) * 2
    # As one of two symmetric errors does as much in half of the cases, these cannot be small.
    sure = np.maximum(
        high.tails.beyond((apart + 0.5) / wide[1], upper=True),
        low.tails.beyond((apart + 0.5) / wide[0], upper=False),
    )
    found = np.ones_like(apart)
    small = np.flatnonzero(sure < 0.25)
    coarse = 1
    while len(small) * FINE * HALVES / coarse > MOST:
        coarse *= 2
    each = AT_ONCE // (FINE * HALVES)
    for rows in (small[start : start + each] for start in range(0, len(small), each)):
        pair = low.take(rows), high.take(rows)
        found[rows] = _summed(*pair, (wide[0][rows], wide[1][rows]), apart[rows], coarse)
    return found


def _summed(
    low: Noisy, high: Noisy, wide: tuple[Floats, Floats], apart: Floats, coarse: int
) -> Floats:
    """The chance of each point of the lower error, times the tail of the higher one beyond it."""
    half = 0.0 if low.noise.relative else 0.5
    clipped = low.clipped()
    points, chances = low.tails.parts(coarse, upper=False)
    lower = wide[0][:, None] * points
    if clipped is None:
        return _tail(high, wide[1], apart, _rounded(lower, half), chances, half)
    grown, often = clipped
    found = often[:, 0] * _tail(high, wide[1], apart, _rounded(lower, half), chances, half)
    points, chances = low.tails.parts(max(coarse, 2 * FINE), upper=False)
    lower = wide[0][:, None] * points
    for at in range(1, grown.shape[1]):
        with np.errstate(invalid="ignore"):
            jobs = np.maximum(low.values[:, None] + lower, 0.0)
            more = np.nan_to_num(jobs * grown[:, at, None], nan=0.0, posinf=np.inf)
        found += often[:, at] * _tail(
            high, wide[1], apart, _rounded(lower + more, half), chances, half
        )
    return found


def _rounded(errors: Floats, half: float) -> Floats:
    """Whole jobs; logarithms as they are."""
    return np.floor(errors + half) if half else errors


def _tail(
    high: Noisy, wide: Floats, apart: Floats, lower: Floats, chances: Floats, half: float
) -> Floats:
    """Σ chance · P(higher error ≥ what the lower one leaves)."""
    with np.errstate(invalid="ignore"):
        left = (apart[:, None] - lower - half) / wide[:, None]
    reached = np.where(np.isinf(lower), 1.0, high.tails.beyond(left, upper=True))
    return np.asarray(np.minimum(reached, 1.0) @ chances)


def significant(found: Floats, level: float, *, independent: bool) -> Booleans:
    """Which p-values are small enough that at most `level` of those chosen are noise, on average.

    Benjamini and Hochberg (1995), where errors of cells are independent. Otherwise the level is
    divided by Σ 1/i: Benjamini and Yekutieli (2001), theorem 1.3, for any dependence.
    """
    chosen = np.zeros(len(found), np.bool_)
    if not len(found):
        return chosen
    order = np.argsort(found, kind="stable")
    allowed = smallest_level(len(found), level, independent=independent)
    passing = np.flatnonzero(found[order] <= allowed * np.arange(1, len(found) + 1))
    chosen[order[: passing.max(initial=-1) + 1]] = True
    return chosen


def smallest_level(number: int, level: float, *, independent: bool) -> float:
    """What the smallest of so many p-values must reach."""
    together = 1.0 if independent else float((1 / np.arange(1, number + 1)).sum())
    return level / (number * together)
