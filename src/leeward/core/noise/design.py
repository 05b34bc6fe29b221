"""Design: the tables of a whole product, and the shape of the noise that keeps them adding up.

Noise lives in V, the vectors whose tables all have one sum. A point of the unit ball of V with sum
h ≥ 0 has in each table positive cells of sum h + q and negative ones of sum q. The volume of such
points is a polynomial in h and 1−h with positive coefficients, so that a uniform point is found by
whole numbers first: the power K of h, the power of each table, and how many of its cells are
positive. All weights are whole numbers; sampling.proof.md has the proof.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb, factorial, lcm
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from leeward.core.noise.scales import Integers

Norm = Literal["sum", "side"]
"""The size of a vector: the largest Σ|z| of a table, or its largest positive or negative part."""

Weights = tuple[int, ...]


@dataclass(frozen=True)
class Design:
    """Numbers of cells of tables that have one sum, and the norm whose unit ball is meant."""

    tables: tuple[int, ...]
    norm: Norm = "sum"

    @property
    def cells(self) -> int:
        """D, the cells of all tables."""
        return sum(self.tables)

    @property
    def dimension(self) -> int:
        """p = D − m + 1."""
        return self.cells - len(self.tables) + 1

    @property
    def starts(self) -> tuple[int, ...]:
        """Where each table begins."""
        return tuple(sum(self.tables[:j]) for j in range(len(self.tables)))

    def slices(self) -> tuple[slice, ...]:
        """The cells of each table."""
        return tuple(slice(a, a + d) for a, d in zip(self.starts, self.tables, strict=True))

    @property
    def part(self) -> Fraction:
        """q is at most this part of 1−h."""
        return Fraction(1, 2) if self.norm == "sum" else Fraction(1)

    def positive(self, table: int, power: int) -> Weights:
        """Weights of power+1, …, d−1 positive cells; of d alone at the highest power."""
        d = self.tables[table]
        if power == d - 1:
            return (1,)
        return tuple(
            comb(d, a) * comb(a - 1, power) * comb(d - 2, a - 1) for a in range(power + 1, d)
        )

    @cached_property
    def volumes(self) -> tuple[Weights, ...]:
        """For each table the weight of each power of h; one common factor is left out.

        s^c/c·Σ_a C(d,a)C(a−1,e)/((a−1)!(d−a−1)!) with c = d−1−e, and 1/(d−1)! at e = d−1.
        """
        volumes = []
        for j, d in enumerate(self.tables):
            weights = [
                self.part ** (d - 1 - e) * sum(self.positive(j, e)) / (d - 1 - e) / factorial(d - 2)
                for e in range(d - 1)
            ]
            weights.append(Fraction(1, factorial(d - 1)))
            factor = lcm(*(weight.denominator for weight in weights))
            volumes.append(tuple(int(weight * factor) for weight in weights))
        return tuple(volumes)

    @cached_property
    def rests(self) -> tuple[Weights, ...]:
        """For each table, products of the volumes of it and all later ones, by power."""
        products: list[Weights] = [(1,)]
        for volume in reversed(self.volumes):
            products.append(_product(volume, products[-1]))
        return tuple(reversed(products))

    @cached_property
    def powers(self) -> Weights:
        """The weight of each K: of the density h^K·(1−h)^(p−1−K), times K!(p−1−K)!."""
        p = self.dimension
        return tuple(
            rest * factorial(k) * factorial(p - 1 - k) for k, rest in enumerate(self.rests[0])
        )

    def power_of(self, table: int, left: int) -> Weights:
        """Weights of the powers of a table where it and all later ones have `left` together."""
        own, rest = self.volumes[table], self.rests[table + 1]
        return tuple(
            number * (rest[left - e] if 0 <= left - e < len(rest) else 0)
            for e, number in enumerate(own)
        )

    def _pairs(self, table: int) -> list[tuple[int, int, float]]:
        """K and the power of one table, with their probability."""
        p, total = self.dimension, sum(self.powers)
        others: Weights = (1,)
        for j, volume in enumerate(self.volumes):
            others = others if j == table else _product(others, volume)
        return [
            (k, e, weight * others[k - e] * factorial(k) * factorial(p - 1 - k) / total)
            for e, weight in enumerate(self.volumes[table])
            for k in range(e, e + len(others))
        ]

    @cached_property
    def absolute(self) -> tuple[float, ...]:
        """E|cell| of each table, in units of the scale, for noise of density e^−norm.

        E of h + 2q for the whole table: q = s·G·M, G ~ Γ(p−K), M the largest of c uniforms.
        """
        p, s, absolute = self.dimension, float(self.part), []
        for j, d in enumerate(self.tables):
            terms = (
                chance * (k + 1 + 2 * s * (p - k) * (d - 1 - e) / (d - e))
                for k, e, chance in self._pairs(j)
            )
            absolute.append(sum(terms) / d)
        return tuple(absolute)

    @cached_property
    def squares(self) -> tuple[float, ...]:
        """E of the square of a cell of each table, in the same units.

        A sum x over a cells is a flat Dirichlet's: the squares have mean 2x²/(a+1) together.
        """
        p, s, squares = self.dimension, float(self.part), []
        for j, d in enumerate(self.tables):
            square = 0.0
            for k, e, chance in self._pairs(j):
                c = d - 1 - e
                q1, q2 = s * (p - k) * c / (c + 1), s**2 * (p - k) * (p - k + 1) * c / (c + 2)
                above = (k + 1) * (k + 2) + 2 * (k + 1) * q1 + q2
                weights = self.positive(j, e)
                for a, weight in enumerate(weights, d if c == 0 else e + 1):
                    share = chance * weight / sum(weights)
                    square += share * 2 * (above / (a + 1) + q2 / (d - a + 1))
            squares.append(square / d)
        return tuple(squares)

    @cached_property
    def total_moments(self) -> tuple[float, float]:
        """E|total| and E total², in the same units."""
        chances = [power / sum(self.powers) for power in self.powers]
        first = sum(chance * (k + 1) for k, chance in enumerate(chances))
        return first, sum(chance * (k + 1) * (k + 2) for k, chance in enumerate(chances))


def largest_remainders(
    rest: NDArray[np.number], short: Integers
) -> tuple[Integers, NDArray[np.intp]]:
    """One for the `short` largest remainders of a row, ties by position; and their order."""
    order = np.argsort(-rest, axis=1, kind="stable")
    raised = np.zeros(rest.shape, dtype=np.int64)
    rank = np.arange(rest.shape[1]) < short[:, None]
    np.put_along_axis(raised, order, rank.astype(np.int64), axis=1)
    return raised, order


def _product(left: Sequence[int], right: Sequence[int]) -> Weights:
    product = [0] * (len(left) + len(right) - 1)
    for i, weight in enumerate(left):
        for j, other in enumerate(right):
            product[i + j] += weight * other
    return tuple(product)
