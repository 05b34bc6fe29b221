"""Exact draws of tables that add up: one random vector for all tables of a workplace cell.

Whole numbers are chosen first, with exact weights (`Design`). Then the total is Γ(K+1), the rest
Γ(p−K), and each table shares its positive and its negative sum among its cells by exponentials.
Everything is divided by one H ~ Γ(k) where tails are a power, and rounded: the total to the
nearest whole number, the cells by largest remainders. Rows that float64 leaves open are decided
with balls by more bits of the same uniforms; sampling.proof.md has the proof.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key, lru_cache

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leeward.core.exact import START_BITS, ball, precision
from leeward.core.noise.design import Design
from leeward.core.noise.remainders import largest_remainders
from leeward.core.noise.sampling import Uniform
from leeward.core.noise.scales import LEAST_NOISE, MOST_NOISE, Integers, Scales
from leeward.core.noise.selftest import require_accuracy
from leeward.core.noise.tabulated import FUNCTION, ROUNDING, Floats, Words
from leeward.core.randomness import SecretBits

TOGETHER = 15
"""Uniforms multiplied before one logarithm: (2^-65)^15 is still a normal float64."""

CHUNK_WORDS = 1 << 17
LAST = 2**64 - 1
HALF = np.uint32(1 << 31)
Open = NDArray[np.bool_]
Steps = NDArray[np.uint64]
"""Where the options of a choice end, in units of 2^-64 and rounded down, but the last one."""


@dataclass(frozen=True)
class RowWords:
    """The random words of some rows: 64 bits each, and 32 bits for signs."""

    wide: Words
    narrow: NDArray[np.uint32]

    @classmethod
    def read(cls, rows: int, layout: "Layout", bits: SecretBits) -> "RowWords":
        """Fresh words for `rows` rows."""
        cells = layout.design.cells
        return cls(
            bits.words64(rows * layout.words).reshape(rows, layout.words),
            bits.words32(rows * (cells + 1)).reshape(rows, cells + 1),
        )


@dataclass(frozen=True)
class Layout:
    """Which word of a row is for what; `shape` is k, or 0 where tails are exponential."""

    design: Design
    shape: int

    @property
    def words(self) -> int:
        """Words of 64 bits of a row."""
        tables, p = len(self.design.tables), self.design.dimension
        return 1 + 3 * tables + (p + 1) + self.shape + self.design.cells

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
    def shared(self) -> slice:
        """The words of H."""
        return slice(self.gammas.stop, self.gammas.stop + self.shape)

    @property
    def cells(self) -> slice:
        """The words of the cells."""
        return slice(self.shared.stop, self.words)


def draw_joint(design: Design, scales: Scales, shape: int, bits: SecretBits) -> Integers:
    """Noise (rows, D) of tables that add up, one row for each scale; with shape 0 there is no H."""
    require_accuracy()
    layout = Layout(design, shape)
    noise = np.empty((len(scales.base), design.cells), dtype=np.int64)
    step = max(1, CHUNK_WORDS // layout.words)
    for start in range(0, len(noise), step):
        part = scales.part(slice(start, start + step))
        words = RowWords.read(len(part.base), layout, bits)
        noise[start : start + step] = decide_joint(layout, part, words, bits)
    return noise


def decide_joint(layout: Layout, scales: Scales, words: RowWords, bits: SecretBits) -> Integers:
    """The integers that these words name; rows that float64 leaves open are refined."""
    with np.errstate(all="ignore"):
        noise, open_ = _in_floats(layout, scales.floats, words)
    for row in np.flatnonzero(open_):
        noise[row] = refine_joint(layout, scales.exact(int(row)), words, int(row), bits)
    return np.clip(noise, LEAST_NOISE, MOST_NOISE)


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


def _in_floats(layout: Layout, scale: Floats, words: RowWords) -> tuple[Integers, Open]:
    """The integers, and which rows are not certain."""
    design, rows = layout.design, len(scale)
    steps = choices(design)
    power, open_ = _chosen(
        np.broadcast_to(steps.powers, (rows, len(steps.powers))), words.wide[:, 0]
    )
    unit = Near(scale, ROUNDING * scale)
    if layout.shape:
        unit = unit.over(_gamma(words.wide[:, layout.shared]))
    first = np.arange(design.dimension + 1) <= power[:, None]
    gammas = words.wide[:, layout.gammas]
    total = _gamma(gammas, first).times(unit)
    rest = _gamma(gammas, ~first).times(unit)
    sign = np.where(words.narrow[:, 0] >= HALF, -1.0, 1.0)
    whole, torn = _settled(sign * total.value + 0.5, total.error)
    open_ |= torn
    noise = np.zeros((rows, design.cells), dtype=np.int64)
    left = power
    for j, cells in enumerate(design.slices()):
        own, signs, inner = layout.of_table(j)
        e, torn = _chosen(steps.exponents[j][left], words.wide[:, own])
        open_ |= torn
        left = np.clip(left - e, 0, None)
        a, torn = _chosen(steps.signs[j][e], words.wide[:, signs])
        open_ |= torn
        size = design.tables[j]
        positive, torn = _subset(np.where(e == size - 1, size, e + 1 + a), size,
                                 words.narrow[:, 1:][:, cells])  # fmt: skip
        open_ |= torn
        below = rest.times(_largest(words.wide[:, inner], size - 1 - e, float(design.part)))
        values, error = _shared_out(total.plus(below), below, positive,
                                    words.wide[:, layout.cells][:, cells])  # fmt: skip
        noise[:, cells], torn = _rounded(sign[:, None] * values, error, whole)
        open_ |= torn
    return noise, open_


def _chosen(steps: Steps, words: Words) -> tuple[Integers, Open]:
    """The option of each word; one that meets a rounded end may be of either side."""
    reached = (words[:, None] >= steps).sum(axis=1)
    return reached.astype(np.int64), (words[:, None] == steps).any(axis=1)


def _gamma(words: Words, kept: NDArray[np.bool_] | None = None) -> Near:
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


def _exponentials(words: Words) -> Near:
    """−ln((w+½)/2^64) of each word."""
    middle = words.astype(np.float64) + 0.5
    value = np.maximum(-np.log(middle * 2.0**-64), 0.0)
    error = 2 / middle + FUNCTION * value + ROUNDING
    return Near(value, np.where(middle < 8, np.inf, error))


def _largest(words: Words, count: Integers, part: float) -> Near:
    """part·U^(1/c), in proportion to the largest of c uniforms; 0 for none of them."""
    depth = _exponentials(words)
    c = np.maximum(count, 1)
    value = part * np.exp(-depth.value / c)
    error = value * 2 * (depth.error / c + FUNCTION)
    error = np.where(depth.error < 0.25, error, np.inf)
    none = count == 0
    return Near(np.where(none, 0.0, value), np.where(none, 0.0, error))


def _subset(wanted: Integers, size: int, words: NDArray[np.uint32]) -> tuple[Open, Open]:
    """Which cells are among the `wanted` of a table, all subsets alike: cell by cell."""
    left, open_ = wanted.copy(), np.zeros(len(wanted), dtype=np.bool_)
    chosen = np.zeros((len(wanted), size), dtype=np.bool_)
    for cell in range(size):
        rest = size - cell
        edge = (left << 32) // rest
        word = words[:, cell].astype(np.int64)
        chosen[:, cell] = word < edge
        open_ |= (word == edge) & (left > 0)
        left -= chosen[:, cell]
    return chosen, open_


def _shared_out(above: Near, below: Near, positive: Open, words: Words) -> tuple[Floats, Floats]:
    """Cells of both signs, and their errors: each sum times a flat Dirichlet."""
    each = _exponentials(words)
    values, errors = np.zeros(words.shape), np.zeros(words.shape)
    for sign, sums, here in ((1, above, positive), (-1, below, ~positive)):
        some = Near(np.where(here, each.value, 0.0), np.where(here, each.error, 0.0))
        added = some.value.sum(axis=1)
        whole = Near(added, some.error.sum(axis=1) + ROUNDING * len(words.T) * (1 + added))
        share = some.over(whole.column()).times(sums.column())
        values += np.where(here, sign * share.value, 0.0)
        errors += np.where(here, share.error, 0.0)
    return values, errors


def _settled(value: Floats, error: Floats) -> tuple[Integers, Open]:
    """⌊value⌋ where it is certain, and where not."""
    error = error + ROUNDING * (1 + np.abs(value))
    low = np.floor(value - error)
    open_ = ~((low == np.floor(value + error)) & (np.abs(value) < 2.0**52))
    return np.where(open_, 0, low).astype(np.int64), open_


def _rounded(values: Floats, error: Floats, whole: Integers) -> tuple[Integers, Open]:
    """Cells of one table as integers of this sum, and which rows are not certain."""
    floors, torn = _settled(values, error)
    short = whole - floors.sum(axis=1)
    rest = values - floors
    raised, order = largest_remainders(rest, short)
    open_ = torn.any(axis=1) | (short < 0) | (short > values.shape[1])
    # The last that is raised must be above the first that is not, for certain.
    blur = error + ROUNDING * (1 + np.abs(values))
    ranked = np.take_along_axis(rest, order, axis=1)
    blurred = np.take_along_axis(blur, order, axis=1)
    last = np.clip(short, 1, max(values.shape[1] - 1, 1))
    if values.shape[1] > 1:
        at = np.arange(len(values))
        # All that are raised are as sure as the least sure one, and so are the others.
        gap = ranked[at, last - 1] - ranked[at, last]
        unsure = gap <= 2 * blurred.max(axis=1)
        open_ |= unsure & (short > 0) & (short < values.shape[1])
    return floors + raised, open_


@dataclass(frozen=True)
class Choices:
    """The ends of all options, rounded down to words."""

    powers: Steps
    exponents: tuple[Steps, ...]
    signs: tuple[Steps, ...]


@lru_cache(maxsize=16)
def choices(design: Design) -> Choices:
    """The ends of a design's options; rows are numbered by what was chosen before."""
    exponents, signs = [], []
    for j, d in enumerate(design.tables):
        lefts = range(len(design.rests[j]))
        exponents.append(_table([design.power_of(j, left) for left in lefts]))
        signs.append(_table([design.positive(j, e) for e in range(d)]))
    return Choices(_table([design.powers])[0], tuple(exponents), tuple(signs))


def _table(weights: Sequence[Sequence[int]]) -> Steps:
    """Ends of options in rows, filled up with the last word."""
    width = max(len(one) for one in weights) - 1
    ends = np.full((len(weights), width), LAST, dtype=np.uint64)
    for row, one in enumerate(weights):
        total, reached = sum(one), 0
        for i, weight in enumerate(one[:-1]):
            reached += weight
            ends[row, i] = min((reached << 64) // total, LAST)
    return ends


class Undecided(Exception):
    """More bits are needed."""


def refine_joint(
    layout: Layout, scale: Fraction, words: RowWords, row: int, bits: SecretBits
) -> list[int]:
    """The same row with balls, extending its own uniforms until every question has an answer."""
    wide = [Uniform(int(word), 64, bits) for word in words.wide[row]]
    narrow = [Uniform(int(word), 32, bits) for word in words.narrow[row]]
    while True:
        try:
            with precision(wide[0].size + 2 * START_BITS):
                found = _BallRow(layout, scale, wide, narrow).rounded()
        except Undecided:
            for uniform in (*wide, *narrow):
                uniform.extend()
        else:
            return [min(max(one, LEAST_NOISE), MOST_NOISE) for one in found]


class _BallRow:
    """One row in ball arithmetic, step by step as in floats."""

    def __init__(
        self, layout: Layout, scale: Fraction, wide: list[Uniform], narrow: list[Uniform]
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
            noise += _by_remainders([sign * one for one in values], whole)
        return noise

    def _cells(self, cells: slice, wanted: int, above: arb, below: arb) -> list[arb]:
        words = self.wide[self.layout.cells][cells]
        each = [-one.ball().log() for one in words]
        chosen, size = [], len(each)
        for i, one in enumerate(self.narrow[1:][cells]):
            taken = _option((wanted, size - i - wanted), one) == 0
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
    floors = [_floor(one) for one in values]
    rest = [one - floor for one, floor in zip(values, floors, strict=True)]
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
