"""Distributions of what is released, as exact integer mass functions.

An auditor asks a mechanism only for these: which law, which scale, where it is centred. How the
scale was calibrated is not used.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import comb
from typing import Protocol, cast

from flint import arb

from leeward.core.exact import accurate, ball
from leeward.core.noise.design import Design
from leeward.core.noise.law import Law, PiecewiseLaw
from leeward.core.noise.radial_law import RadialLaw
from leeward.lab.audit.cell_tail import cell_tail

HALF = Fraction(1, 2)
DENSE, FEW = 24, 4
COARSE = 40
GROWTH = Fraction(3, 2)
GEOMETRIC = tuple(GROWTH**i / 1000 for i in range(35))
FAR = tuple(Fraction(10**i) for i in (4, 5, 6, 8, 10, 15, 20, 40))


class Output(Protocol):
    """One database's released value: a mass for every possible output."""

    def mass(self, output: tuple[int, ...]) -> arb:
        """P(released = output), accurate relative to its own size."""

    def landmarks(self) -> Iterable[tuple[int, ...]]:
        """Outputs at which a likelihood ratio may be extreme."""


@lru_cache(maxsize=1 << 18)
def _mass(law: Hashable, scale: Fraction, noise: int) -> arb:
    low, high = (noise - HALF) / scale, (noise + HALF) / scale
    return accurate(lambda: cast(Law, law).between(low, high))


@dataclass(frozen=True)
class Rounded:
    """true + ⌊scale·Z + ½⌋."""

    true: int
    law: Law
    scale: Fraction

    def mass(self, output: tuple[int, ...]) -> arb:
        """The mass of the real noise between the two half-integers."""
        return _mass(cast(Hashable, self.law), self.scale, output[0] - self.true)

    def landmarks(self) -> Iterable[tuple[int, ...]]:
        """All outputs near the centre, those around joints of the density, and far tails."""
        # Where a job is a small part of the scale, masses hardly differ between neighbours.
        dense = max(DENSE, int(2 * self.scale)) if self.scale < COARSE else FEW
        near = set(range(self.true - dense, self.true + dense + 1))
        for joint in self.joints:
            at = self.true + int(self.scale * joint // 1)
            near.update(range(at - 2, at + 4))
        for step in (*GEOMETRIC, *self.far):
            near.update((self.true + int(self.scale * step), self.true - int(self.scale * step)))
        return ((output,) for output in sorted(near))

    @property
    def joints(self) -> tuple[Fraction, ...]:
        """Where the density changes its form."""
        return self.law.joints if isinstance(self.law, PiecewiseLaw) else ()

    @property
    def exponential(self) -> bool:
        """Whether tails fall exponentially, so that log-ratios of unequal scales have no bound."""
        return isinstance(self.law, PiecewiseLaw) and self.law.pieces[-1].centre is None

    @property
    def far(self) -> tuple[Fraction, ...]:
        """Multiples of the scale out in the tails."""
        return () if self.exponential else FAR


@dataclass(frozen=True)
class CellBlock:
    """true + noise of a whole block: its density is a function of Σ|z_i|, cells are rounded.

    P(|Z_i| > a_i for all i) is the tail of one cell at Σa_i, so the mass of a box of integers is a
    finite difference of that tail.
    """

    true: tuple[int, ...]
    scale: Fraction
    radius: RadialLaw

    def mass(self, output: tuple[int, ...]) -> arb:
        """The joint mass: the order of the cells does not matter."""
        distances = (abs(o - n) for o, n in zip(output, self.true, strict=True))
        return _block_mass(self.scale, self.radius, tuple(sorted(distances)))

    def landmarks(self) -> Iterable[tuple[int, ...]]:
        """The centre, steps along one cell, along all cells, and against each other."""
        d = len(self.true)
        directions = {(1,) + (0,) * (d - 1), (0,) * (d - 1) + (1,), (1,) * d, (-1,) * d}
        directions.add((1,) + (-1,) * (d - 1))
        directions.add((-1,) + (0,) * (d - 1))
        steps = {0, 1, 2, *(int(self.scale * s) for s in (*GEOMETRIC[::6], *FAR[::2]))}
        for direction, step in product(sorted(directions), sorted(steps)):
            yield tuple(n + step * x for n, x in zip(self.true, direction, strict=True))


POINTS = 3
"""Points of each coordinate in the rounding cell over which a joint density is averaged."""


@dataclass(frozen=True)
class JointBlock:
    """Tables of a product: true + noise whose density is a function of N.

    A released row is rounded to whole numbers with one sum in all tables. Its mass is the mean of
    the density over fixed points of the rounding cell, up to a factor that all rows share. A ratio
    of two such means is never above the largest ratio of densities.
    """

    true: tuple[int, ...]
    scale: Fraction
    design: Design
    radius: RadialLaw

    def mass(self, output: tuple[int, ...]) -> arb:
        """Up to a constant factor."""
        moved = tuple(o - n for o, n in zip(output, self.true, strict=True))
        return accurate(lambda: self._mass(moved))

    def _mass(self, moved: tuple[int, ...]) -> arb:
        norms = Counter(
            self.norm([2 * POINTS * m + u for m, u in zip(moved, point, strict=True)])
            for point in rounding_points(self.design.tables)
        )
        total = arb(0)
        for norm, times in norms.items():
            total += times * self.radius.falling(norm / (2 * POINTS * self.scale))
        return total / ball(self.scale) ** self.design.dimension

    def norm(self, vector: Sequence[int]) -> int:
        """N: the largest Σ|z| of a table, or its largest positive or negative part."""
        tables = [vector[cells] for cells in self.design.slices()]
        if self.design.norm == "sum":
            return max(sum(map(abs, table)) for table in tables)
        return max(max(sum(z for z in row if z > 0), -sum(z for z in row if z < 0))
                   for row in tables)  # fmt: skip

    def distance(self, other: "JointBlock") -> int:
        """N between two centres."""
        return self.norm([a - b for a, b in zip(other.true, self.true, strict=True)])

    def landmarks(self) -> Iterable[tuple[int, ...]]:
        """The centre, and steps: a job in one cell of each table, or from one cell to another."""
        steps = {0, 1, 2, *(int(self.scale * s) for s in (*GEOMETRIC[::8], *FAR[::3]))}
        directions = {(1, 0, 0), (-1, 0, 0), (0, 1, 0), (1, 1, 0), (-1, 0, 1)}
        for (first, change, last), step in product(sorted(directions), sorted(steps)):
            moved = list(self.true)  # jobs in the first cells, in the last, from last to first ones
            for cells in self.design.slices():
                moved[cells.start] += (first + change) * step
                moved[cells.stop - 1] += (last - change) * step
            yield tuple(moved)


@lru_cache(maxsize=16)
def rounding_points(tables: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Points that round to zero, spread evenly, in units of 1/(2·POINTS)."""
    unit, free = 2 * POINTS, sum(tables) - len(tables) + 1
    points = []
    for coordinates in product(range(1, unit, 2), repeat=free):
        left = iter(coordinates)
        total, point = next(left), list[int]()
        for size in tables:
            cells = [next(left) for _ in range(size - 1)]
            cells.append(total - sum(cells))
            # Less what it is rounded to: floors, and one more for the largest remainders.
            rest = [cell % unit for cell in cells]
            short = (2 * total + unit) // (2 * unit) - sum(cell // unit for cell in cells)
            order = [i for _, i in sorted((-part, i) for i, part in enumerate(rest))]
            point += [part - unit * (order.index(i) < short) for i, part in enumerate(rest)]
        points.append(tuple(point))
    return tuple(points)


@dataclass(frozen=True)
class Independent:
    """Blocks that were drawn one by one, side by side: their masses multiply."""

    parts: tuple[CellBlock, ...]

    @property
    def true(self) -> tuple[int, ...]:
        """The centre of all of them."""
        return tuple(value for part in self.parts for value in part.true)

    def seen_from(self, origin: tuple[int, ...]) -> "Independent":
        """The same with outputs counted from `origin`."""
        left = iter(origin)
        return Independent(
            tuple(
                replace(part, true=tuple(n - next(left) for n in part.true)) for part in self.parts
            )
        )

    def mass(self, output: tuple[int, ...]) -> arb:
        """The joint mass."""
        total, start = arb(1), 0
        for part in self.parts:
            stop = start + len(part.true)
            total, start = total * part.mass(output[start:stop]), stop
        return total

    def landmarks(self) -> Iterable[tuple[int, ...]]:
        """Those of one block of all cells."""
        first = self.parts[0]
        return CellBlock(self.true, first.scale, first.radius).landmarks()


@lru_cache(maxsize=1 << 18)  # neighbours and landmarks come by the same distances
def _block_mass(scale: Fraction, radius: RadialLaw, distances: tuple[int, ...]) -> arb:
    return accurate(lambda: _difference(scale, radius, Counter(distances)))


def _difference(scale: Fraction, radius: RadialLaw, distances: Counter[int]) -> arb:
    """Equal distances share their terms.

    Ends of intervals are whole numbers of half-integers, so reaches are summed as such.
    """
    spans = [(t, max(2 * distance - 1, 0), 2 * distance + 1) for distance, t in distances.items()]
    total, tail = arb(0), cell_tail(radius, 1 / (2 * scale))
    for upper in product(*(range(times + 1) for times, _, _ in spans)):
        weight, reach = 1, 0
        for (times, low, high), above in zip(spans, upper, strict=True):
            weight *= comb(times, above) * (-1) ** above
            reach += above * high + (times - above) * low
        total += weight * tail.at(reach)
    signs = sum(times for distance, times in distances.items() if distance)
    return total / arb(2) ** signs
