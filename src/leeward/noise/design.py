"""Design: the tables of a whole product, and the shape of the noise that keeps them adding up.

Noise lives in V, the vectors whose tables all have one sum. A point of the unit ball of V with sum
h ≥ 0 has in each table positive cells of sum h + q and negative ones of sum q. The volume of such
points is a polynomial in h and 1−h with positive coefficients, so that a uniform point is found by
whole numbers first: the power K of h, the power of each table, and how many of its cells are
positive. All weights are whole numbers; sampling.proof.md has the proof.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil, comb, factorial, lcm, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from leeward.randomness import SeededBits

Norm = Literal["sum", "side"]
"""The size of a vector: the largest Σ|z| of a table, or its largest positive or negative part."""

Weights = tuple[int, ...]
Floats = NDArray[np.float64]


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
        """For each table the weight of each power of h; one common factor is left out."""
        return tuple(_whole(self._volume(j)) for j in range(len(self.tables)))

    def _volume(self, table: int) -> list[Fraction]:
        """s^c/c·Σ_a C(d,a)C(a−1,e)/((a−1)!(d−a−1)!) with c = d−1−e, and 1/(d−1)! at e = d−1."""
        d = self.tables[table]
        below = [
            self.part ** (d - 1 - e) * sum(self.positive(table, e)) / (d - 1 - e) / factorial(d - 2)
            for e in range(d - 1)
        ]
        return [*below, Fraction(1, factorial(d - 1))]

    @cached_property
    def rests(self) -> tuple[Weights, ...]:
        """For each table, products of the volumes of it and all later ones, by power."""
        found: list[Weights] = [(1,)]
        for volume in reversed(self.volumes):
            found.append(_product(volume, found[-1]))
        return tuple(reversed(found))

    @cached_property
    def powers(self) -> Weights:
        """The weight of each K: of the density h^K·(1−h)^(p−1−K), times K!(p−1−K)!."""
        p = self.dimension
        return tuple(
            one * factorial(k) * factorial(p - 1 - k) for k, one in enumerate(self.rests[0])
        )

    def power_of(self, table: int, left: int) -> Weights:
        """Weights of the powers of a table where it and all later ones have `left` together."""
        own, rest = self.volumes[table], self.rests[table + 1]
        return tuple(
            one * (rest[left - e] if 0 <= left - e < len(rest) else 0) for e, one in enumerate(own)
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
        """E|cell| of each table, in units of the scale, for noise of density e^−norm."""
        return tuple(self._absolute(j) / d for j, d in enumerate(self.tables))

    def _absolute(self, table: int) -> float:
        """E of h + 2q for the whole table: q = s·G·M, G ~ Γ(p−K), M the largest of c uniforms."""
        p, s, d = self.dimension, float(self.part), self.tables[table]
        return sum(
            chance * (k + 1 + 2 * s * (p - k) * (d - 1 - e) / (d - e))
            for k, e, chance in self._pairs(table)
        )

    @cached_property
    def squares(self) -> tuple[float, ...]:
        """E of the square of a cell of each table, in the same units."""
        return tuple(self._square(j) / d for j, d in enumerate(self.tables))

    def _square(self, table: int) -> float:
        """A sum x over a cells is a flat Dirichlet's: the squares have mean 2x²/(a+1) together."""
        p, s, d = self.dimension, float(self.part), self.tables[table]
        found = 0.0
        for k, e, chance in self._pairs(table):
            c = d - 1 - e
            q1, q2 = s * (p - k) * c / (c + 1), s**2 * (p - k) * (p - k + 1) * c / (c + 2)
            above = (k + 1) * (k + 2) + 2 * (k + 1) * q1 + q2
            weights = self.positive(table, e)
            for a, weight in enumerate(weights, d if c == 0 else e + 1):
                share = chance * weight / sum(weights)
                found += share * 2 * (above / (a + 1) + q2 / (d - a + 1))
        return found

    @cached_property
    def total_moments(self) -> tuple[float, float]:
        """E|total| and E total², in the same units."""
        chances = [one / sum(self.powers) for one in self.powers]
        first = sum(chance * (k + 1) for k, chance in enumerate(chances))
        return first, sum(chance * (k + 1) * (k + 2) for k, chance in enumerate(chances))


def _product(left: Sequence[int], right: Sequence[int]) -> Weights:
    found = [0] * (len(left) + len(right) - 1)
    for i, one in enumerate(left):
        for j, other in enumerate(right):
            found[i + j] += one * other
    return tuple(found)


def _whole(weights: Sequence[Fraction]) -> Weights:
    factor = lcm(*(one.denominator for one in weights))
    return tuple(int(one * factor) for one in weights)


ROWS = 1 << 15
"""Draws of the public law behind margins."""

SURE = 3.0
"""Standard errors by which a margin from draws is widened."""


@dataclass(frozen=True)
class PublicDraws:
    """Seeded draws of the noise of a design in units of its scale: its total, then each table.

    `shape` is k, or 0 where tails are exponential. Everyone can repeat them; no release uses them.
    """

    design: Design
    shape: int = 0

    def _drawn(self, generator: np.random.Generator) -> Iterator[Floats]:
        design, p = self.design, self.design.dimension
        power = _options([design.powers], np.zeros(ROWS, dtype=np.int64), generator)
        total, rest = generator.gamma(power + 1), generator.gamma(p - power)
        unit = 1 / generator.gamma(self.shape, size=ROWS) if self.shape else np.ones(ROWS)
        yield (total * unit)[:, None]
        left = power
        for j, d in enumerate(design.tables):
            weights = [design.power_of(j, one) for one in range(len(design.rests[j]))]
            e = _options(weights, left, generator)
            left = left - e
            a = _options([design.positive(j, one) for one in range(d)], e, generator)
            a = np.where(e == d - 1, d, e + 1 + a)
            below = rest * float(design.part) * generator.beta(np.maximum(d - 1 - e, 1), 1)
            below = np.where(e == d - 1, 0.0, below)
            positive = np.arange(d) < a[:, None]  # cells of a table are alike
            each = generator.exponential(size=(ROWS, d))
            with np.errstate(invalid="ignore"):
                above = np.where(positive, each, 0) / np.where(positive, each, 0).sum(1)[:, None]
                under = np.where(positive, 0, each) / np.where(positive, 0, each).sum(1)[:, None]
            cells = (total + below)[:, None] * above - below[:, None] * np.nan_to_num(under)
            yield cells * unit[:, None]

    def reach(self, table: int, coverage: float, *, block: bool = False) -> float:
        """What |noise| of a cell keeps to with this probability; `block`: that of all cells.

        `table` 0 is the total. It is the draw of a rank so far up that chance is allowed for.
        """
        drawn = _ranked(self, table, block)
        blur = SURE * sqrt(coverage * (1 - coverage) / ROWS)
        rank = min(ceil((coverage + blur) * len(drawn)), len(drawn)) - 1
        return float(drawn[rank])

    def within(self, table: int, reach: Floats, *, block: bool = False) -> Floats:
        """The share of draws within some reaches, less what chance may have added."""
        share = self.share_within(table, reach, block=block)
        return np.asarray(np.maximum(share - SURE * np.sqrt(share * (1 - share) / ROWS), 0.0))

    def share_within(self, table: int, reach: Floats, *, block: bool = False) -> Floats:
        """The share of draws within some reaches."""
        drawn = _ranked(self, table, block)
        return np.asarray(np.searchsorted(drawn, reach, side="right") / len(drawn))


@lru_cache(maxsize=256)
def _ranked(draws: PublicDraws, table: int, block: bool) -> Floats:
    column = _columns(draws)[table]
    return np.sort((column.max(axis=1) if block else column).ravel())


@lru_cache(maxsize=8)
def _columns(draws: PublicDraws) -> tuple[Floats, ...]:
    """|noise| of the total and of the cells of each table, (ROWS, cells)."""
    generator = SeededBits(draws.design.cells).generator
    return tuple(np.abs(one) for one in draws._drawn(generator))


def _options(
    weights: Sequence[Sequence[int]], given: NDArray[np.int64], generator: np.random.Generator
) -> NDArray[np.int64]:
    """An option of each row, with the weights that are its own."""
    width = max(map(len, weights))
    ends = np.ones((len(weights), width))
    for row, one in enumerate(weights):
        shares = np.cumsum([float(Fraction(weight, sum(one))) for weight in one])
        ends[row, : len(one)] = shares / shares[-1]
    found = (generator.random(len(given))[:, None] >= ends[given]).sum(axis=1)
    return np.asarray(np.minimum(found, width - 1), dtype=np.int64)
