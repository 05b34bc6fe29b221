"""Tail tables: tails of a law of noise in float64, for sums of very many cells and for comparisons.

`TailTable` has cut moments too. No guarantee depends on it; between two nodes nothing is assumed
but a smooth density, so joints of a law are nodes too. `UnitTails` are rounded up: what tests of
equal numbers need.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from leeward.core.noise.law import Normal
from leeward.core.noise.scales import CellNoise
from leeward.core.noise.tabulated import Floats

OCTAVES, EACH = (-24, 60), 128
"""First and last power of two of the nodes, and the number of nodes in an octave."""


WHOLE = 64
"""Up to here rounding to whole jobs is added up job by job; beyond, a law is smooth."""


CONVERGED = 1e-3
"""A mean exists where the last octaves add less than this share of it."""


Tails = Callable[[Floats], tuple[Floats, Floats]]
"""P(Z < −z) and P(Z > z) of z ≥ 0."""


@dataclass(frozen=True, eq=False)
class TailTable:
    """Both tails of Z at all nodes, below zero and above, with their integrals from 0.

    `first` has ∫P, `second` ∫2zP, each (2, nodes).
    """

    tails: Tails
    nodes: Floats
    at_nodes: Floats
    first: Floats
    second: Floats

    @classmethod
    def of(cls, tails: Tails, joints: Floats) -> "TailTable":
        """By quadrature of four points between each two nodes."""
        low, high = OCTAVES
        powers = np.exp2(np.arange(low * EACH, high * EACH + 1) / EACH)
        inside = np.abs(joints[np.isfinite(joints)])
        nodes = np.unique(np.concatenate([[0.0], inside, powers]))
        points, weights = np.polynomial.legendre.leggauss(4)
        wide = np.diff(nodes)[:, None] / 2
        z = nodes[:-1, None] + wide * (1 + points)
        found = np.stack(tails(z.ravel())).reshape(2, *z.shape)
        integrals = [
            (found * wide * weights * number).sum(axis=2) for number in (np.ones_like(z), 2 * z)
        ]
        first, second = (
            np.cumsum(np.pad(integral, ((0, 0), (1, 0))), axis=1) for integral in integrals
        )
        return cls(tails, nodes, np.stack(tails(nodes)), first, second)

    @property
    def mean(self) -> float:
        """E Z; 0 where there is none, or where the law is symmetric."""
        last = self.first[:, -1]
        grown = (last - self.first[:, -EACH]).sum() / last.sum()
        return float(last[1] - last[0]) if grown < CONVERGED else 0.0

    @property
    def symmetric(self) -> bool:
        """Whether both tails are the same."""
        return np.array_equal(*self.at_nodes)

    def beyond(self, z: Floats) -> Floats:
        """P(Z < −z) and P(Z > z), (2, …)."""
        return np.stack(self.tails(z))

    def cut_mean(self, z: Floats) -> Floats:
        """E Z where |Z| ≤ z, and 0 beyond."""
        tails = self.beyond(z)
        below, above = self._integral(self.first, z, tails, np.ones_like(z)) - z * tails
        return np.asarray(above - below)

    def cut_square(self, z: Floats) -> Floats:
        """E Z² where |Z| ≤ z, and 0 beyond."""
        tails = self.beyond(z)
        both = self._integral(self.second, z, tails, 2 * z) - z**2 * tails
        return np.asarray(both.sum(axis=0))

    def _integral(self, kept: Floats, z: Floats, tails: Floats, weight: Floats) -> Floats:
        """From 0 to z: up to the last node as kept, and a trapezium from there."""
        at = np.searchsorted(self.nodes, z, side="right") - 1
        start = self.nodes[at]
        before = self.at_nodes[:, at] * (1.0 if kept is self.first else 2 * start)
        return np.asarray(kept[:, at] + (z - start) * (before + weight * tails) / 2)

    def rounded_square(self, scales: Floats, whole: float) -> Floats:
        """E J² where |J| ≤ `whole`, and 0 beyond, of J = ⌊scale·Z + ½⌋."""
        near = min(whole, WHOLE)
        jobs = np.arange(1, near + 1)
        last = self.beyond((near + 0.5) / scales).sum(axis=0)
        each = self.beyond((jobs[:, None] - 0.5) / scales).sum(axis=0) - last
        far = self.cut_square((whole + 0.5) / scales) - self.cut_square((near + 0.5) / scales)
        return np.asarray((2 * jobs - 1) @ each + scales**2 * np.maximum(far, 0.0))

    def rounding_bias(self, scales: Floats, jobs: int = WHOLE) -> Floats:
        """E J less scale·E Z: a rule of midpoints, less the integral that it stands for."""
        halves = np.arange(1, jobs + 1) - 0.5
        below, above = self.beyond(halves[:, None] / scales).sum(axis=1)
        z = jobs / scales
        tails = self.beyond(z)
        integrals = scales * self._integral(self.first, z, tails, np.ones_like(z))
        return np.asarray((above - integrals[1]) - (below - integrals[0]))

    def drawn_beyond(self, tails: Floats, uniform: Floats) -> Floats:
        """Draws of Z beyond the points that have these tails, (2, n), one for each."""
        share = uniform * tails.sum(axis=0)
        lower = share < tails[0]
        left = self._quantiles(0, np.where(lower, share, tails[0]))
        right = self._quantiles(1, np.where(lower, tails[1], share - tails[0]))
        return np.where(lower, -left, right)

    def _quantiles(self, side: int, shares: Floats) -> Floats:
        """z ≥ 0 whose tail has this share, between nodes along a line of logarithms."""
        there = (self.at_nodes[side] > 0) & (self.nodes > 0)
        if not there.any():
            return np.zeros_like(shares)
        tails, points = self.at_nodes[side][there][::-1], self.nodes[there][::-1]
        wanted = np.log(np.maximum(shares, tails[0]))
        return np.asarray(np.exp(np.interp(wanted, np.log(tails), np.log(points))))


@lru_cache(maxsize=64)
def unit_table(noise: CellNoise) -> TailTable:
    """The table of Z, standard normal without a law; where noise is relative, of Z/(1+Z)."""
    known = Normal() if noise.law is None else noise.law
    joints: Floats = getattr(known, "float_joints", np.zeros(0))

    def both(low: Floats, high: Floats) -> tuple[Floats, Floats]:
        return known.float_tails(low)[0], known.float_tails(high)[1]

    if not noise.relative:
        return TailTable.of(lambda z: both(-z, z), joints)

    def relative_tails(z: Floats) -> tuple[Floats, Floats]:
        with np.errstate(divide="ignore"):
            below, above = both(-z / (1 + z), np.where(z < 1, z / (1 - np.minimum(z, 1)), np.inf))
        return below, np.where(z < 1, above, 0.0)

    with np.errstate(divide="ignore", invalid="ignore"):
        return TailTable.of(relative_tails, joints / (1 + joints))


@lru_cache(maxsize=256)
def growth_table(spread: float, room: float, most: float, *, gaussian: bool) -> TailTable:
    """The table of e^G − 1, G = spread·L − room between 0 and `most`; L Laplace or normal."""

    def tails(z: Floats) -> tuple[Floats, Floats]:
        logarithm = np.log1p(z)
        above = _above((logarithm + room) / spread, gaussian=gaussian)
        return np.zeros_like(z), np.where(logarithm < most, above, 0.0)

    return TailTable.of(tails, np.array([np.expm1(most)]))


def _above(x: Floats, *, gaussian: bool) -> Floats:
    """P(L > x)."""
    if gaussian:
        return np.asarray(Normal().float_tails(x)[1])
    side: NDArray[np.float64] = np.exp(-np.abs(x)) / 2
    return np.where(x < 0, 1 - side, side)


POINTS = np.concatenate([[0.0], np.exp2(np.arange(-24 * 32, 64 * 32 + 1) / 32)])
"""Points at which tails of an error are rounded up: 32 in an octave."""


HAIR = 1e-3
"""What lines between points may err, as a share of a tail."""


LEAST = 1e-280
"""Smallest tail that differs from 0."""


WIDTHS = np.linspace(-40.0, 40.0, 1601)
"""Points of the logarithm of a noisy width, in units of its spread."""


FINE, HALVES = 4, 40
"""Points of an error for each halving of its tail, and the halvings."""


@dataclass(frozen=True)
class NoisyWidth:
    """A width that was released with noise of its own: ln(true/released) is at most
    spread·L + step, L Laplace."""

    spread: float
    step: float


@dataclass(frozen=True, eq=False)
class UnitTails:
    """P(X ≤ −x) and P(X ≥ x) of an error in units of its released width, at points x ≥ 0."""

    points: Floats
    logarithms: Floats

    @classmethod
    def of(cls, tails: Floats) -> "UnitTails":
        """Of tails (2, points) at the usual points."""
        return cls(POINTS, np.log(np.clip(tails * (1 + HAIR), LEAST, 1.0)))

    def beyond(self, x: Floats, *, upper: bool) -> Floats:
        """P(X ≥ x), or P(−X ≥ x); of any sign."""
        near = np.interp(np.maximum(x, 0.0), self.points, self.logarithms[int(upper)])
        other = np.interp(np.maximum(-x, 0.0), self.points, self.logarithms[1 - int(upper)])
        # A table that is rounded up is rounded down where it is taken from 1.
        rest = 1 - np.exp(other) / (1 + HAIR) ** 2
        return np.asarray(np.where(x > 0, np.exp(near), rest))

    def quantiles(self, shares: Floats, *, upper: bool) -> Floats:
        """x ≥ 0 whose tail is at most about these shares."""
        tails = self.logarithms[int(upper)][::-1]
        return np.asarray(np.interp(np.log(shares), tails, self.points[::-1]))

    def parts(self, coarse: int, *, upper: bool) -> tuple[Floats, Floats]:
        """Points of X, or −X, and the chance of each: every error counts as the point above it.

        The last point is without end.
        """
        shares = np.exp2(-np.arange(FINE, FINE * HALVES, coarse) / FINE)
        below = -self.quantiles(shares[shares > 2.0**-10][::-1], upper=not upper)
        points = np.unique(np.concatenate([below, self.quantiles(shares, upper=upper)]))
        above = self.beyond(points, upper=upper)
        return np.append(points, np.inf), -np.diff(np.concatenate([[1.0], above, [0.0]]))


@lru_cache(maxsize=32)
def unit_tails(noise: CellNoise, noisy: NoisyWidth | None) -> UnitTails:
    """Of Z, of ln(1+Z) where noise is relative, and of Z times e^(spread·L + step)."""
    law, x = Normal() if noise.law is None else noise.law, POINTS
    low, high = (np.expm1(-x), np.expm1(np.minimum(x, 600.0))) if noise.relative else (-x, x)
    with np.errstate(divide="ignore", over="ignore"):
        own = UnitTails.of(np.stack([law.float_tails(low)[0], law.float_tails(high)[1]]))
    if noisy is None or not noisy.spread:
        return own
    grown = np.exp(noisy.spread * WIDTHS[1:] + noisy.step)
    above = _above(WIDTHS, gaussian=False)
    chances = -np.diff(np.append(above, 0.0))
    chances[0] += 1 - above[0]
    factors = np.append(grown, np.inf)
    tails = np.zeros((2, len(x)))
    for side in (0, 1):
        for factor, chance in zip(factors, chances, strict=True):
            tails[side] += chance * own.beyond(x / factor, upper=bool(side))
    return UnitTails.of(tails)
