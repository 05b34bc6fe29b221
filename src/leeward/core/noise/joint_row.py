"""One row of tables that add up: which word is for what, and numbers that are known to be near.

`Near` are numbers in float64 with a bound on their error. A row that they leave open is computed
again in balls, step by step as in floats (`BallRow`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leeward.core.exact import ball
from leeward.core.noise.design import Design
from leeward.core.noise.radial_law import RadialLaw
from leeward.core.noise.sampling import Uniform, gamma_ball
from leeward.core.noise.scales import Integers
from leeward.core.noise.tabulated import FUNCTION, ROUNDING, Floats, Words

TOGETHER = 15
"""Uniforms multiplied before one logarithm: (2^-65)^15 is still a normal float64."""


Open = NDArray[np.bool_]
"""Which numbers are not certain."""


@dataclass(frozen=True)
class Near:
    """Numbers of at least 0, each within `error` of the truth."""

    value: Floats
    error: Floats

    def plus(self, other: "Near") -> "Near":
        value = self.value + other.value
        return Near(value, self.error + other.error + ROUNDING * value)

    def times(self, other: "Near") -> "Near":
        value = self.value * other.value
        error = self.value * other.error + (other.value + other.error) * self.error
        return Near(value, error + ROUNDING * value)

    def over(self, other: "Near") -> "Near":
        """Known nothing of where the divisor may be half of what it seems."""
        value = self.value / other.value
        error = (self.error + value * other.error) / (other.value - other.error)
        error = np.where(other.error < other.value / 2, error + ROUNDING * value, np.inf)
        return Near(value, error)

    def column(self) -> "Near":
        """For all cells of a row."""
        return Near(self.value[:, None], self.error[:, None])


def gamma(words: Words, kept: NDArray[np.bool_] | None = None) -> Near:
    """−Σ ln((w+½)/2^64) over the words that are kept; each true uniform is within ½ of w+½."""
    middle = (words.astype(np.float64) + 0.5) * 2.0**-64
    slack = 2.0**-64 / middle
    if kept is not None:
        middle, slack = np.where(kept, middle, 1.0), np.where(kept, slack, 0.0)
    value = np.zeros(len(middle))
    for start in range(0, middle.shape[1], TOGETHER):
        value -= np.log(np.multiply.reduce(middle[:, start : start + TOGETHER], axis=1))
    blur = slack.sum(axis=1)
    error = 2 * blur + middle.shape[1] * ROUNDING + 2 * FUNCTION * value
    return Near(value, np.where(blur < 0.25, error, np.inf))


def exponentials(words: Words) -> Near:
    """−ln((w+½)/2^64) of each word."""
    middle = words.astype(np.float64) + 0.5
    value = np.maximum(-np.log(middle * 2.0**-64), 0.0)
    error = 2 / middle + FUNCTION * value + ROUNDING
    return Near(value, np.where(middle < 8, np.inf, error))


def largest(words: Words, count: Integers, part: float) -> Near:
    """part·U^(1/c), in proportion to the largest of c uniforms; 0 for none of them."""
    depth = exponentials(words)
    c = np.maximum(count, 1)
    value = part * np.exp(-depth.value / c)
    error = value * 2 * (depth.error / c + FUNCTION)
    error = np.where(depth.error < 0.25, error, np.inf)
    none = count == 0
    return Near(np.where(none, 0.0, value), np.where(none, 0.0, error))


def settled(value: Floats, error: Floats) -> tuple[Integers, Open]:
    """⌊value⌋ where it is certain, and where not."""
    error = error + ROUNDING * (1 + np.abs(value))
    low = np.floor(value - error)
    open_ = ~((low == np.floor(value + error)) & (np.abs(value) < 2.0**52))
    return np.where(open_, 0, low).astype(np.int64), open_


@dataclass(frozen=True)
class WordLayout:
    """Which word of a row is for what; without a law the density is ∝ e^−N."""

    design: Design
    law: RadialLaw | None

    @property
    def words(self) -> int:
        """Words of 64 bits of a row."""
        tables, p = len(self.design.tables), self.design.dimension
        return 1 + 3 * tables + (p + 1) + (self.law is not None) + self.design.cells

    @property
    def power(self) -> int:
        """The word of K."""
        return 0

    def of_table(self, table: int) -> tuple[int, int, int]:
        """The words of a table's power, of its number of positive cells, and of q."""
        return 1 + 3 * table, 2 + 3 * table, 3 + 3 * table

    @property
    def gammas(self) -> slice:
        """The words of the total and of the rest."""
        start = 1 + 3 * len(self.design.tables)
        return slice(start, start + self.design.dimension + 1)

    @property
    def radius(self) -> int:
        """The word of the radius, if it has a law."""
        return 2 + 3 * len(self.design.tables) + self.design.dimension

    @property
    def cells(self) -> slice:
        """The words of the cells."""
        return slice(self.words - self.design.cells, self.words)


class Undecided(Exception):
    """More bits are needed."""


class BallRow:
    """One row in ball arithmetic, step by step as in floats."""

    def __init__(
        self, layout: WordLayout, scale: Fraction, wide: list[Uniform], narrow: list[Uniform]
    ) -> None:
        self.layout, self.design = layout, layout.design
        self.wide, self.narrow = wide, narrow
        self.scale = ball(scale)

    def rounded(self) -> list[int]:
        design, layout = self.design, self.layout
        power = _option(design.powers, self.wide[layout.power])
        gammas = self.wide[layout.gammas]
        total = _certain(gamma_ball(gammas[: power + 1]))
        rest = _certain(gamma_ball(gammas[power + 1 :]))
        chosen = list[tuple[int, arb]]()
        for j in range(len(design.tables)):
            own, signs, inner = layout.of_table(j)
            e = _option(design.power_of(j, power), self.wide[own])
            power -= e
            size = design.tables[j]
            a = _option(design.positive(j, e), self.wide[signs]) + (
                size if e == size - 1 else e + 1
            )
            count = size - 1 - e
            below = arb(0)
            if count:  # q, in proportion to the largest of `count` uniforms
                below = rest * ball(design.part) * (self.wide[inner].ball().log() / count).exp()
            chosen.append((a, below))
        unit = self.scale
        if layout.law is not None:
            norm = total
            for _, below in chosen:
                norm = norm.max(total + below / ball(design.part))
            unit *= layout.law.quantile_ball(*self.wide[layout.radius].ends()) / _certain(norm)
            unit = _certain(unit)
        sign = -1 if self.narrow[0].word >> (self.narrow[0].size - 1) else 1
        whole = _floor(sign * unit * total + arb(1) / 2)
        noise: list[int] = []
        for cells, (a, below) in zip(design.slices(), chosen, strict=True):
            values = self._cells(cells, a, unit * (total + below), unit * below)
            noise += _by_remainders([sign * value for value in values], whole)
        return noise

    def _cells(self, cells: slice, wanted: int, above: arb, below: arb) -> list[arb]:
        words = self.wide[self.layout.cells][cells]
        each = [-word.ball().log() for word in words]
        chosen, size = [], len(each)
        for i, uniform in enumerate(self.narrow[1:][cells]):
            taken = _option((wanted, size - i - wanted), uniform) == 0
            chosen.append(taken)
            wanted -= taken
        sums = [sum((x for x, c in zip(each, chosen, strict=True) if c == side), arb(0))
                for side in (False, True)]  # fmt: skip
        return [
            _certain(above * x / sums[1] if c else -below * x / sums[0])
            for x, c in zip(each, chosen, strict=True)
        ]


def _option(weights: Sequence[int], uniform: Uniform) -> int:
    """The option of a uniform, by whole numbers only."""
    total, reached = sum(weights), 0
    for option, weight in enumerate(weights):
        reached += weight
        if (uniform.word + 1) * total <= reached << uniform.size:
            return option
        if uniform.word * total < reached << uniform.size:
            raise Undecided
    raise AssertionError("the last option ends at one")


def _certain(value: arb) -> arb:
    if not value.is_finite():
        raise Undecided
    return value


def _floor(value: arb) -> int:
    integer = value.floor().unique_fmpz()
    if integer is None:
        raise Undecided
    return int(integer)


def _by_remainders(values: list[arb], whole: int) -> list[int]:
    floors = [_floor(value) for value in values]
    rest = [number - floor for number, floor in zip(values, floors, strict=True)]
    short = whole - sum(floors)

    def falling(i: int, j: int) -> int:
        if rest[i] > rest[j]:
            return -1
        if rest[i] < rest[j]:
            return 1
        if i == j:
            return 0
        raise Undecided

    order = sorted(range(len(rest)), key=cmp_to_key(falling))
    return [floor + (order.index(i) < short) for i, floor in enumerate(floors)]
