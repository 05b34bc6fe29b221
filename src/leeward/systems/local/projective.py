"""Projective geometry response: answers and reports are points; a report lies on answers' planes.

Feldman, Nelson, Nguyen and Talwar 2022. Over a field of Q ≈ e^ε + 1 elements the points of t
coordinates are lines through 0, K = (Q^t − 1)/(Q − 1) of them. The reports u with ⟨u, v⟩ = 0, a
hyperplane, are e^ε times as likely for the answer v as all others. The error is that of subset
selection, a report has log₂ K bits, and one transform counts the reports of every hyperplane.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from leeward.core.errors import InvalidParameter
from leeward.core.exact import Number
from leeward.core.privacy.local_privacy import LocalEpsilon, bounded_epsilon
from leeward.core.randomness import SecretBits
from leeward.systems.local.channel import (
    ChannelDesign,
    Counts,
    Matrix,
    OneNumber,
    Support,
    Supported,
    read_domain,
)
from leeward.systems.local.field import Field, prime_powers
from leeward.systems.local.hadamard import walsh
from leeward.systems.local.word_draws import (
    WORD,
    Answers,
    Reports,
    approximate_factor,
    below,
    kept,
    threshold,
)

MOST_VECTORS = 1 << 25
"""Largest Q^t: its transform takes a few seconds and half a gigabyte."""


@dataclass(frozen=True)
class Space:
    """The projective space of the vectors of t coordinates, and its numbering of points.

    Among the multiples of a vector one has 1 as its last coordinate that is not 0. Its coordinates
    are the digits, to the base Q, of a number N from Q^i to 2Q^i − 1, the lowest first, and points
    are numbered in the order of N.
    """

    field: Field
    dimension: int

    @property
    def points(self) -> int:
        """K = 1 + Q + … + Q^(t−1)."""
        return self.points_of(self.dimension)

    def points_of(self, dimension: int) -> int:
        """Points of a space of another dimension over the same field."""
        return int((self.field.order**dimension - 1) // (self.field.order - 1))

    @property
    def hyperplane(self) -> int:
        """c, the points of a hyperplane."""
        return self.points_of(self.dimension - 1)

    @property
    def vectors(self) -> int:
        """Q^t."""
        return int(self.field.order**self.dimension)

    def support(self, inside: Fraction) -> Support:
        """p and q where a report is in the own hyperplane with this chance.

        Two hyperplanes share c' points, so that others' reports are in one with the chance
        q = p·c'/c + (1 − p)(c − c')/(K − c).
        """
        c, shared = self.hyperplane, self.points_of(self.dimension - 2)
        outside = (1 - inside) * Fraction(c - shared, self.points - c)
        return Support(inside, inside * Fraction(shared, c) + outside)

    @cached_property
    def _powers(self) -> Answers:
        return self.field.order ** np.arange(self.dimension, dtype=np.int64)

    @cached_property
    def _first(self) -> Answers:
        """The number of the first point whose last coordinate that is not 0 is the i-th."""
        return (self._powers - 1) // (self.field.order - 1)

    def places(self, points: Answers) -> NDArray[np.intp]:
        """Of each point the last coordinate that is not 0."""
        return np.searchsorted(self._first, points, side="right") - 1

    def coordinates(self, points: Answers) -> Answers:
        """An array (t, points)."""
        place = self.places(points)
        return self.digits(points - self._first[place] + self._powers[place], self.dimension)

    def digits(self, numbers: Answers, count: int) -> Answers:
        """The lowest `count` digits to the base Q, an array (count, numbers)."""
        digits = np.empty((count, len(numbers)), dtype=np.int64)
        for digit in digits:
            numbers, digit[:] = np.divmod(numbers, self.field.order)
        return digits

    def numbered(self, coordinates: Answers) -> Answers:
        """The points with these coordinates, the last of which, unless 0, is 1."""
        numbers = self._powers @ coordinates
        place = np.searchsorted(self._powers, numbers, side="right") - 1
        return numbers - self._powers[place] + self._first[place]

    def normed(self, coordinates: Answers) -> Answers:
        """The multiple whose last coordinate that is not 0 is 1."""
        last = np.zeros(coordinates.shape[1], dtype=np.int64)
        for coordinate in coordinates:
            np.copyto(last, coordinate, where=coordinate != 0)
        return self.field.times(coordinates, self.field.inverses[last])

    def product(self, left: Answers, right: Answers) -> Answers:
        """⟨u, v⟩ of columns."""
        total = self.field.times(left[0], right[0])
        for u, v in zip(left[1:], right[1:], strict=True):
            total = self.field.plus(total, self.field.times(u, v))
        return total

    def on_hyperplanes(self, seen: NDArray[np.int64], answers: Answers) -> Counts:
        """Of counted reports, how many lie on the hyperplane of each answer.

        Let h(u) be the count of the point that a vector u ≠ 0 belongs to. Its Fourier transform
        at v sums to Q·(reports with ⟨u, v⟩ = 0) − n, a whole number.
        """
        field, t = self.field, self.dimension
        p, digits = field.prime, field.degree * t
        table = self._spread(seen).reshape((p,) * digits)
        v = self.coordinates(answers)
        if p == 2:
            sums = walsh(table.reshape(1, -1)).ravel()
        else:
            sums = np.fft.rfftn(table).real.ravel()
            # A real transform keeps half of the last digit; v and −v have the same sum.
            far = field.dual[v[-1]] % p > p // 2
            v[:, far] = field.minus(v[:, far])
        index = self._powers[::-1] @ field.dual[v]
        index = index // p * (p // 2 + 1) + index % p
        on_planes: Counts = np.rint((sums[index] + seen.sum()) / field.order)
        return on_planes

    def _spread(self, seen: NDArray[np.int64]) -> Counts:
        """h of all vectors, those of every multiple s by the order of coordinates times 1/s."""
        field, q = self.field, self.field.order
        table = np.zeros(self.vectors)
        for place in range(self.dimension):
            size = q**place
            first = (size - 1) // (q - 1)
            block = seen[first : first + size].reshape((q,) * place)
            for s in range(1, q):
                order = field.times(np.arange(q), field.inverses[s : s + 1])
                table[s * size : (s + 1) * size] = block[np.ix_(*[order] * place)].ravel()
        return table


@dataclass(frozen=True)
class Projective(Supported, OneNumber, ChannelDesign):
    """Points of `space`; `threshold`/2^64 is the chance of the own hyperplane.

    A report is numbered by its coordinates in reverse order: where v ends, u begins.
    """

    name: ClassVar[str] = "projective"

    space: Space
    threshold: int

    @classmethod
    def of(
        cls, domain: int, epsilon: Number | LocalEpsilon, space: Space | None = None
    ) -> "Projective":
        """Over the space of the least variance, or over this one."""
        k, loss = read_domain(domain), bounded_epsilon(epsilon)
        chosen = best_space(k, loss) if space is None else space
        read_domain(k, chosen.points)
        c = chosen.hyperplane
        return cls(k, loss, chosen, threshold(loss, c, chosen.points - c))

    @property
    def outputs(self) -> int:
        """Every point is a report."""
        return self.space.points

    @cached_property
    def support(self) -> Support:
        """p and q of the threshold."""
        return self.space.support(Fraction(self.threshold, WORD))

    def _draw(self, own: Answers, bits: SecretBits) -> Answers:
        space, field = self.space, self.space.field
        inside = kept(self.threshold, len(own), bits)
        v, place = space.coordinates(own), space.places(own)
        u = np.zeros_like(v)
        for some, draw in ((inside, self._points), (~inside, self._vectors)):
            free, rows = draw(int(some.sum()), bits), np.flatnonzero(some)
            for i, coordinate in enumerate(free):  # to all places but the own one
                u[i + (place[rows] <= i), rows] = coordinate
        # The coordinate that is left, where v has its 1, makes ⟨u, v⟩ 0 inside and 1 outside.
        rest = field.minus(space.product(u, v))
        u[place, np.arange(len(own))] = np.where(inside, rest, field.plus(rest, np.ones_like(own)))
        outside = np.flatnonzero(~inside)
        u[:, outside] = space.normed(u[::-1, outside])[::-1]
        return space.numbered(u[::-1])

    def _points(self, count: int, bits: SecretBits) -> Answers:
        """Uniform points of one coordinate less, whose first coordinate that is not 0 is 1."""
        less = Space(self.space.field, self.space.dimension - 1)
        return less.coordinates(below(less.points, count, bits))[::-1]

    def _vectors(self, count: int, bits: SecretBits) -> Answers:
        """Uniform vectors of one coordinate less."""
        less = self.space.dimension - 1
        return self.space.digits(below(self.space.field.order**less, count, bits), less)

    def counts(self, reports: Reports) -> Counts:
        """By the number of reports on the hyperplane of each answer."""
        seen = np.bincount(reports.astype(np.int64), minlength=self.outputs)
        hyperplanes = self.space.on_hyperplanes(seen, np.arange(self.domain))
        return self.support.estimates(hyperplanes, len(reports))

    def matrix(self) -> Matrix:
        """Reports in the order of their numbers."""
        space, p = self.space, self.support.p
        chances = (1 - p) / (space.points - space.hyperplane), p / space.hyperplane
        u = space.coordinates(np.arange(self.outputs))[::-1]
        answers = space.coordinates(np.array(self.few))
        return tuple(
            tuple(chances[int(on)] for on in space.product(u, np.broadcast_to(v, u.T.shape).T) == 0)
            for v in answers.T
        )

    def public(self) -> dict[str, Any]:
        """What a browser needs; `modulus` has the coefficients of the field's polynomial."""
        field = self.space.field
        return {
            "kind": self.name,
            "domain": str(self.domain),
            "prime": str(field.prime),
            "degree": str(field.degree),
            "modulus": list(map(str, field.modulus)),
            "dimension": str(self.space.dimension),
            "points": str(self.space.points),
            "threshold": str(self.threshold),
        }


def best_space(domain: int, epsilon: LocalEpsilon, most: int = MOST_VECTORS) -> Space:
    """The space with a point for every answer that has the least variance for a rare answer."""
    factor = approximate_factor(epsilon)
    spaces = []
    for field in prime_powers(min(domain, int(most**0.5))):
        space = Space(field, 2)
        while space.points < domain:
            space = Space(field, space.dimension + 1)
        if space.vectors <= most:
            spaces.append(space)
    if not spaces:
        raise InvalidParameter(
            "domain",
            rule=f"must leave at most {most} vectors to transform",
            value=domain,
            next_step="Write method: hadamard.",
        )
    rare = []
    for space in spaces:
        c = space.hyperplane
        rare.append(space.support(factor * c / (factor * c + space.points - c)).rare)
    return spaces[rare.index(min(rare))]
