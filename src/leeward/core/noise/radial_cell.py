"""Radial cell: one coordinate, and the largest of all, where the norm is the sum of their sizes.

A coordinate is ±ρ·D with P(D > t) = (1−t)^(p−1). No guarantee depends on what is in float64 here.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import comb, log

import numpy as np
from flint import arb

from leeward.core.exact import ball, precision
from leeward.core.noise.law import PiecewiseLaw, symmetric
from leeward.core.noise.piece import Piece
from leeward.core.noise.radial_law import RadialLaw
from leeward.core.noise.tabulated import Floats, Words

BITS = 256

NEAR, EACH, GROWTH = 2, 6, 1.3
"""Nodes of a stated law: up to how many mean errors, how many in each, then by what factor."""


@dataclass(frozen=True)
class RadialCell:
    """The exact law of one coordinate in at least two dimensions; floats come of the stated one."""

    radius: RadialLaw

    @property
    def joints(self) -> tuple[Fraction, ...]:
        """Those of the radius, on both sides."""
        ends = self.radius.joints
        return (*(-end for end in reversed(ends)), Fraction(0), *ends)

    def tails(self, z: Fraction) -> tuple[arb, arb]:
        """P(Z < z) and P(Z > z)."""
        far = self.radius.cell_tail(abs(z)) / 2
        return (far, 1 - far) if z < 0 else (1 - far, far)

    def between(self, low: Fraction, high: Fraction) -> arb:
        """P(low < Z < high)."""
        if low >= high:
            return arb(0)
        if low < 0 < high:
            return 1 - self.tails(low)[0] - self.tails(high)[1]
        near, far = sorted((abs(low), abs(high)))
        return (self.radius.cell_tail(near) - self.radius.cell_tail(far)) / 2

    def moment(self, order: int, *, absolute: bool = False) -> float | None:
        """That of the radius times that of D, 1 over C(p−1+order, order)."""
        whole = self.radius.moment(order)
        if whole is None or (order % 2 and not absolute):
            return None if whole is None else 0.0
        return whole / comb(self.radius.dimension - 1 + order, order)

    def powers(self, reach: Fraction) -> tuple[list[Fraction], list[Fraction]]:
        """Nodes, and between each two the order of a power of reach+z that meets both tails.

        From the last joint of the radius on a tail is just that of the last power.
        """
        mean, last = self.moment(1, absolute=True) or 1.0, self.radius.joints[-1]
        nodes = [Fraction(mean * i / EACH) for i in range(NEAR * EACH + 1)]
        while nodes[-1] < last:
            nodes.append(Fraction(float(nodes[-1]) * GROWTH))
        nodes = [*(node for node in nodes if node < last), last]
        with precision(BITS):
            tails = [self.radius.cell_tail(node) for node in nodes]
            orders = [
                Fraction(float((before / after).log() / (ball(reach + b) / ball(reach + a)).log()))
                for (a, b), (before, after) in zip(pairwise(nodes), pairwise(tails), strict=True)
            ]
        return nodes, orders

    def float_tails(self, z: Floats) -> tuple[Floats, Floats]:
        """The tails in float64."""
        return stated_cell(self.radius).float_tails(z)

    def approximate(self, words: Words) -> tuple[Floats, Floats]:
        """Of no use to draw a cell by itself: cells of a block share their radius."""
        raise TypeError("cells of a block are drawn together")


def cell_law(radius: RadialLaw) -> PiecewiseLaw | RadialCell:
    """The exact law of one coordinate."""
    simple = radius.dimension == 1 or (len(radius.pieces) == 1 and radius.tail is not None)
    return stated_cell(radius) if simple else RadialCell(radius)


@lru_cache(maxsize=64)
def stated_cell(radius: RadialLaw) -> PiecewiseLaw:
    """The same in pieces: exact in one dimension, and for Pareto.

    Else tails are powers between nodes, at which they are exact.
    """
    if radius.dimension == 1:
        return symmetric(radius.pieces)
    last = radius.pieces[-1]
    if last.centre is None or radius.tail is None:
        raise ValueError("the law of a cell is stated where tails are powers")
    if len(radius.pieces) == 1:
        return symmetric([Piece(Fraction(0), None, -(radius.tail + 1), last.centre)])
    nodes, orders = RadialCell(radius).powers(-last.centre)
    right = [
        Piece(low, high, -(order + 1), last.centre)
        for low, high, order in zip(nodes, (*nodes[1:], None), (*orders, radius.tail), strict=True)
    ]
    rises = [Fraction(log(after / before)) for before, after in pairwise((*orders, radius.tail))]
    both = symmetric(right)
    return PiecewiseLaw(both.pieces, (*(-rise for rise in reversed(rises)), Fraction(0), *rises))


@dataclass(frozen=True)
class PublicTail:
    """The tail of one of the numbers that add up to a radius, in float64."""

    radius: RadialLaw

    def tail(self, x: Floats) -> Floats:
        """P(ρ·D > x)."""
        return np.asarray(2 * stated_cell(self.radius).float_tails(np.asarray(x))[1])

    def steep(self, x: Floats) -> Floats:
        """x·density."""
        law = stated_cell(self.radius)
        at = np.searchsorted(law.float_joints, x, side="right")
        reach = np.array([float(-(piece.centre or 0)) for piece in law.pieces])[at]
        order = np.array([float(-piece.rate - 1) for piece in law.pieces])[at]
        return np.asarray(self.tail(x) * order * x / (reach + x))
