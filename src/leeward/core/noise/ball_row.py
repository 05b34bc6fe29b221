"""BallRow: one row of tables that add up, in ball arithmetic, for rows that floats leave open."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cmp_to_key
from typing import TYPE_CHECKING

from flint import arb

from leeward.core.exact import ball
from leeward.core.noise.sampling import Uniform

if TYPE_CHECKING:
    from leeward.core.noise.joint_draws import WordLayout


class Undecided(Exception):
    """More bits are needed."""


class BallRow:
    """One row in ball arithmetic, step by step as in floats."""

    def __init__(
        self, layout: "WordLayout", scale: Fraction, wide: list[Uniform], narrow: list[Uniform]
    ) -> None:
        self.layout, self.design = layout, layout.design
        self.wide, self.narrow = wide, narrow
        self.unit = ball(scale)
        if layout.shape:
            self.unit = _certain(self.unit / _ball_gamma(wide[layout.shared]))

    def rounded(self) -> list[int]:
        design, layout = self.design, self.layout
        power = _option(design.powers, self.wide[layout.power])
        gammas = self.wide[layout.gammas]
        total = self.unit * _ball_gamma(gammas[: power + 1])
        rest = self.unit * _ball_gamma(gammas[power + 1 :])
        sign = -1 if self.narrow[0].word >> (self.narrow[0].size - 1) else 1
        whole = _floor(sign * total + arb(1) / 2)
        noise: list[int] = []
        for j, cells in enumerate(design.slices()):
            own, signs, inner = layout.of_table(j)
            e = _option(design.power_of(j, power), self.wide[own])
            power -= e
            size = design.tables[j]
            a = _option(design.positive(j, e), self.wide[signs]) + (
                size if e == size - 1 else e + 1
            )
            below = rest * ball(design.part) * _ball_largest(self.wide[inner], size - 1 - e)
            values = self._cells(cells, a, total + below, below)
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
    """The option of a uniform, by whole numbers alone."""
    total, reached = sum(weights), 0
    for option, weight in enumerate(weights):
        reached += weight
        if (uniform.word + 1) * total <= reached << uniform.size:
            return option
        if uniform.word * total < reached << uniform.size:
            raise Undecided
    raise AssertionError("the last option ends at one")


def _ball_gamma(uniforms: Sequence[Uniform]) -> arb:
    product = arb(1)
    for uniform in uniforms:
        product *= uniform.ball()
    return _certain(-product.log())


def _ball_largest(uniform: Uniform, count: int) -> arb:
    return (uniform.ball().log() / count).exp() if count else arb(0)


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
    order = sorted(range(len(rest)), key=cmp_to_key(_falling(rest)))
    return [floor + (order.index(i) < short) for i, floor in enumerate(floors)]


def _falling(rest: list[arb]) -> Callable[[int, int], int]:
    def compare(i: int, j: int) -> int:
        if rest[i] > rest[j]:
            return -1
        if rest[i] < rest[j]:
            return 1
        if i == j:
            return 0
        raise Undecided

    return compare
