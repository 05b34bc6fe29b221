"""Pair block: the distribution of counts and payrolls that are drawn together, exactly.

Masses are integrals of the density over rounding cells. The largest ratio of two densities is found
where it can be, at finitely many points and directions: norms of polygons are linear on cones.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, product

from flint import arb

from leeward.core.exact import accurate, ball, precision
from leeward.core.noise.body import Body
from leeward.core.noise.radial_law import RadialLaw
from leeward.lab.audit.loss import INFINITE, PrivacyLoss, over
from leeward.lab.audit.outputs import FAR, GEOMETRIC, HALF
from leeward.lab.audit.radial_bound import peaks, radial_bound

Point = tuple[Fraction, Fraction]
Form = tuple[Fraction, Fraction]
"""Coefficients of count and payroll."""

NEAR = GEOMETRIC[::5]
DIGITS = 9


@dataclass(frozen=True)
class PairBlock:
    """Pairs (count, payroll) of one workplace cell, drawn together: true + noise, rounded.

    Its density is a function of Σ‖z_i‖ in the norm of the body; z is the distance of counts and
    payrolls from the true ones in units of the two scales.
    """

    true: tuple[tuple[int, int], ...]
    scales: tuple[Fraction, Fraction]
    body: Body
    radius: RadialLaw

    @property
    def centre(self) -> Point:
        """The pair of a block of one cell."""
        ((jobs, pay),) = self.true
        return Fraction(jobs), Fraction(pay)

    def seen_from(self, origin: "PairBlock") -> "PairBlock":
        """The same with outputs counted from another block's centre."""
        both = zip(self.true, origin.true, strict=True)
        return replace(self, true=tuple((n - m, p - q) for (n, p), (m, q) in both))

    def norm(self, vector: Iterable[tuple[int | Fraction, int | Fraction]]) -> Fraction:
        """Σ‖z_i‖ of a vector of counts and payrolls."""
        jobs, pay = self.scales
        return sum((norm(self.body, (n / jobs, p / pay)) for n, p in vector), Fraction(0))

    def mass(self, output: tuple[int, ...]) -> arb:
        """Of one cell: the integral of the density over the rectangle that rounds to the output."""
        ((n, p),), (jobs, pay) = self.true, self.scales
        left, low = (Fraction(output[0] - n) - HALF) / jobs, (Fraction(output[1] - p) - HALF) / pay
        return _mass(self.body, self.radius, (left, left + 1 / jobs), (low, low + 1 / pay))

    def landmarks(self) -> Iterator[tuple[int, ...]]:
        """Of one cell: the centre, and steps along the rays on which the density is bent."""
        (n, p), (jobs, pay) = self.true[0], self.scales
        heavy = self.radius.tail is not None
        far = FAR[::3] if heavy else ()
        steps = (*(unit for unit in NEAR if heavy or unit < 40), *far)
        yield n, p
        for (a, b), step in product(self.body.vertices, steps):
            yield n + round(a * step * jobs), p + round(b * step * pay)

    def rays(self) -> list[Point]:
        """Where the norm is bent, in counts and payrolls."""
        jobs, pay = self.scales
        return [(a * jobs, b * pay) for a, b in self.body.vertices]


@lru_cache(maxsize=16)
def forms(body: Body) -> tuple[Form, ...]:
    """For each side of the polygon the linear form that is 1 on it."""
    sides = []
    for (a, b), (c, d) in _sides(body):
        turn = a * d - b * c
        sides.append((Fraction(d - b, turn), Fraction(a - c, turn)))
    return tuple(sides)


def _sides(body: Body) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    return zip(body.vertices, (*body.vertices[1:], body.vertices[0]), strict=True)


def norm(body: Body, at: Point) -> Fraction:
    """The largest of the forms."""
    return max(a * at[0] + b * at[1] for a, b in forms(body))


# Masses.


@lru_cache(maxsize=1 << 16)
def _mass(body: Body, radius: RadialLaw, across: Point, along: Point) -> arb:
    """A rectangle is cut into the cones of the body, and each part into triangles."""
    corners = [(across[0], along[0]), (across[1], along[0]), (across[1], along[1]),
               (across[0], along[1])]  # fmt: skip
    triangles = [triangle for side in _sides(body) for triangle in _triangles(corners, *side)]
    cones = len(body.vertices)

    def mass() -> arb:
        # ∫ s·g(s) ds over s > 0, of E₁+E₂ in one cone.
        return _integral(triangles, radius) / (radius.falling(Fraction(0), 2) * cones)

    return accurate(mass)


Triangle = tuple[Fraction, tuple[Fraction, Fraction, Fraction]]
"""Twice its area, and the norm at its corners."""


def _triangles(corners: list[Point], v: tuple[int, int], w: tuple[int, int]) -> Iterator[Triangle]:
    """The part of a rectangle in the cone of v and w, by E₁ and E₂: the norm is their sum."""
    turn = v[0] * w[1] - v[1] * w[0]
    part = [((x * w[1] - y * w[0]) / turn, (y * v[0] - x * v[1]) / turn) for x, y in corners]
    for axis in (0, 1):
        part = _positive(part, axis)
    for second, third in pairwise(part[1:]):
        (a, b), (c, d), (e, f) = part[0], second, third
        area = (c - a) * (f - b) - (d - b) * (e - a)
        if area:
            low, middle, high = sorted((a + b, c + d, e + f))
            yield abs(area * turn), (low, middle, high)


def _positive(corners: list[Point], axis: int) -> list[Point]:
    """The part of a convex polygon on which this coordinate is not negative."""
    if all(corner[axis] >= 0 for corner in corners):
        return corners
    kept = list[Point]()
    for vertex, other in zip(corners, (*corners[1:], *corners[:1]), strict=True):
        if vertex[axis] >= 0:
            kept.append(vertex)
        if (vertex[axis] < 0) != (other[axis] < 0):
            share = vertex[axis] / (vertex[axis] - other[axis])
            x, y = (a + share * (b - a) for a, b in zip(vertex, other, strict=True))
            kept.append((x, y))
    return kept


def _integral(triangles: list[Triangle], radius: RadialLaw) -> arb:
    """∫ g(‖z‖) over triangles, g = G'', is twice the area times G[a, b, c] (Hermite–Genocchi)."""
    total = arb(0)
    for area, (a, b, c) in triangles:
        if a == c:
            divided = radius.falling(a) / 2
        else:
            divided = (_slope(radius, b, c) - _slope(radius, a, b)) / ball(c - a)
        total += ball(area) * divided
    return total


def _slope(radius: RadialLaw, a: Fraction, b: Fraction) -> arb:
    """G[a, b]; the derivatives of G are those integrals of g, with signs."""
    if a == b:
        return -radius.falling(a, 1)
    return (radius.falling(b, 2) - radius.falling(a, 2)) / ball(b - a)


# The largest ratio of densities.


def density_bounds(before: PairBlock, after: PairBlock) -> tuple[arb, arb]:
    """The suprema of the density's log-ratio over the whole plane, forward and backward.

    Infinite where two releases are of different form, and where scales move apart for several
    cells or a law of several pieces, of which nothing is proved.
    """
    if (before.body, before.radius) != (after.body, after.radius):
        return INFINITE, INFINITE
    grown = {wide / narrow for narrow, wide in zip(before.scales, after.scales, strict=True)}
    if len(grown) > 1:
        alone = len(before.true) == 1 == len(before.radius.pieces)
        return cone_bounds(before, after) if alone else (INFINITE, INFINITE)
    # Both scales multiply by the same number: the triangle inequality bounds the ratio.
    (factor,) = grown
    distance = before.norm(after.seen_from(before).true)
    bound = radial_bound(distance, (Fraction(1), factor), before.radius)
    return bound, bound


def cone_bounds(before: PairBlock, after: PairBlock) -> tuple[arb, arb]:
    """The same for one cell and one piece, by the points where a ratio of norms is largest.

    On the common refinement of the two fans of cones both norms are linear, so the ratio of 1+N is
    monotone along every line: it is largest at a vertex, or at infinity along a ray.
    """
    points = list(_vertices(before, after))
    ends = [*before.rays(), *after.rays()]
    with precision(128):
        volumes = after.scales[0] * after.scales[1] / (before.scales[0] * before.scales[1])
        wider = ball(volumes).log()
        (piece,) = before.radius.pieces
        if piece.centre is not None:
            norms = (_norms(before, after, at) for at in points)
            ratios = [(b - piece.centre) / (a - piece.centre) for a, b in norms]
            ratios += [after.norm([ray]) / before.norm([ray]) for ray in ends]
            order = ball(-piece.rate)
            logs = [order * ball(ratio).log() for ratio in (max(ratios), min(ratios))]
            return wider + logs[0], -wider - logs[1]
        apart = [after.norm([ray]) - before.norm([ray]) for ray in ends]
        moved = [b - a for a, b in (_norms(before, after, at) for at in points)]
        most, least = (ball(-piece.rate * extreme(moved)) for extreme in (max, min))
        forward = INFINITE if max(apart) > 0 else wider + most
        return forward, INFINITE if min(apart) < 0 else -wider - least


def _norms(before: PairBlock, after: PairBlock, at: Point) -> tuple[Fraction, Fraction]:
    left, right = (
        block.norm([(at[0] - block.centre[0], at[1] - block.centre[1])])
        for block in (before, after)
    )
    return left, right


def _vertices(before: PairBlock, after: PairBlock) -> Iterator[Point]:
    """Both centres, and where a ray of one meets a ray of the other."""
    (x, y), (u, v) = before.centre, after.centre
    yield x, y
    yield u, v
    for (a, b), (c, d) in product(before.rays(), after.rays()):
        turn = a * d - b * c
        if turn:
            along = ((u - x) * d - (v - y) * c) / turn
            across = ((u - x) * b - (v - y) * a) / turn
            if along >= 0 and across >= 0:
                yield x + along * a, y + along * b


def density_loss(before: PairBlock, after: PairBlock, claimed: Fraction) -> PrivacyLoss:
    """The largest ratios of the densities, which no output exceeds."""
    forward, backward = density_bounds(before, after)
    return PrivacyLoss(forward, backward, arb(0), forward.max(backward)).kept(claimed)


def mass_loss(before: PairBlock, after: PairBlock, claimed: Fraction) -> PrivacyLoss:
    """Of one cell by integer masses, where the ratio of densities may be largest; and its bound."""
    bound = density_loss(before, after, claimed)
    if len(before.true) > 1 or not bound.epsilon.is_finite():
        return bound
    near = {(round(x), round(y)) for x, y in _vertices(before, after)}
    # Where the ratio of densities is largest if both scales grow alike.
    centres, distance = (before.true[0], after.true[0]), before.norm(after.seen_from(before).true)
    grown = after.scales[0] / before.scales[0]
    top = peaks(centres, distance, (Fraction(1), grown), before.radius)
    outputs = {*before.landmarks(), *after.landmarks(), *near, *top}
    loss = over(outputs, before.mass, after.mass, claimed)
    return replace(loss, bound=bound.bound).kept(claimed)


def tops(losses: Sequence[PrivacyLoss], few: int, widths: Sequence[Fraction]) -> list[int]:
    """The numbers of the largest losses forward and backward, of equal ones the widest."""
    chosen = set[int]()
    ways = zip(*((float(loss.forward), float(loss.backward)) for loss in losses), strict=True)
    for way in ways:
        order = sorted(range(len(losses)), key=lambda i: (round(way[i], DIGITS), widths[i]))
        chosen.update(order[-few:])
    return sorted(chosen)
