"""Exact draws of tables that add up: one random vector for all tables of a workplace cell.

Whole numbers are chosen first, with exact weights (`Design`). Then the total is Γ(K+1), the rest
Γ(p−K), and each table shares its positive and its negative sum among its cells by exponentials.
With a radial law the vector is divided by its norm and gets a radius of that law. It is rounded:
the total to the nearest whole number, the cells by largest remainders. Rows that float64 leaves
open are decided with balls by more bits of the same uniforms; sampling.proof.md has the proof.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from leeward.core.exact import START_BITS, precision
from leeward.core.noise.design import Design, largest_remainders
from leeward.core.noise.joint_row import (
    BallRow,
    Near,
    Open,
    Undecided,
    WordLayout,
    exponentials,
    gamma,
    largest,
    settled,
)
from leeward.core.noise.radial_law import RadialLaw
from leeward.core.noise.sampling import Uniform
from leeward.core.noise.scales import LEAST_NOISE, MOST_NOISE, Integers, Scales
from leeward.core.noise.tabulated import ROUNDING, Floats, Words, require_accuracy
from leeward.core.randomness import SecretBits

CHUNK_WORDS = 1 << 17
LAST = 2**64 - 1
HALF = np.uint32(1 << 31)
Steps = NDArray[np.uint64]
"""Where the options of a choice end, in units of 2^-64 and rounded down, but the last one."""


@dataclass(frozen=True)
class RowWords:
    """The random words of some rows: 64 bits each, and 32 bits for signs."""

    wide: Words
    narrow: NDArray[np.uint32]

    @classmethod
    def read(cls, rows: int, layout: WordLayout, bits: SecretBits) -> "RowWords":
        """Fresh words for `rows` rows."""
        cells = layout.design.cells
        return cls(
            bits.words64(rows * layout.words).reshape(rows, layout.words),
            bits.words32(rows * (cells + 1)).reshape(rows, cells + 1),
        )


def draw_joint(design: Design, scales: Scales, law: RadialLaw | None, bits: SecretBits) -> Integers:
    """Noise (rows, D) of tables that add up, one row for each scale; without a law ∝ e^−N."""
    require_accuracy()
    layout = WordLayout(design, law)
    noise = np.empty((len(scales.base), design.cells), dtype=np.int64)
    step = max(1, CHUNK_WORDS // layout.words)
    for start in range(0, len(noise), step):
        part = scales.part(slice(start, start + step))
        words = RowWords.read(len(part.base), layout, bits)
        noise[start : start + step] = decide_joint(layout, part, words, bits)
    return noise


def decide_joint(layout: WordLayout, scales: Scales, words: RowWords, bits: SecretBits) -> Integers:
    """The integers that these words name; rows that float64 leaves open are refined."""
    with np.errstate(all="ignore"):
        noise, open_ = _in_floats(layout, scales.floats, words)
    for row in np.flatnonzero(open_):
        noise[row] = refine_joint(layout, scales.exact(int(row)), words, int(row), bits)
    return np.clip(noise, LEAST_NOISE, MOST_NOISE)


def _in_floats(layout: WordLayout, scale: Floats, words: RowWords) -> tuple[Integers, Open]:
    """The integers, and which rows are not certain."""
    design, rows = layout.design, len(scale)
    steps = choices(design)
    power, open_ = _chosen(
        np.broadcast_to(steps.powers, (rows, len(steps.powers))), words.wide[:, 0]
    )
    first = np.arange(design.dimension + 1) <= power[:, None]
    gammas = words.wide[:, layout.gammas]
    total, rest = gamma(gammas, first), gamma(gammas, ~first)
    belows, positives, torn = steps.split(layout, power, words)
    open_ |= torn
    belows = [rest.times(below) for below in belows]
    unit = Near(scale, ROUNDING * scale)
    if layout.law is not None:
        unit = unit.times(Near(*layout.law.approximate(words.wide[:, layout.radius])))
        unit = unit.over(norm_of(design, total, belows))
    total = total.times(unit)
    sign = np.where(words.narrow[:, 0] >= HALF, -1.0, 1.0)
    whole, torn = settled(sign * total.value + 0.5, total.error)
    open_ |= torn
    noise = np.zeros((rows, design.cells), dtype=np.int64)
    for j, cells in enumerate(design.slices()):
        below = belows[j].times(unit)
        values, error = _shared_out(total.plus(below), below, positives[j],
                                    words.wide[:, layout.cells][:, cells])  # fmt: skip
        noise[:, cells], torn = _rounded(sign[:, None] * values, error, whole)
        open_ |= torn
    return noise, open_


def norm_of(design: Design, total: Near, belows: Sequence[Near]) -> Near:
    """N: the total and the largest q over its part."""
    most = Near(
        np.maximum.reduce([below.value for below in belows]) / float(design.part),
        np.maximum.reduce([below.error for below in belows]) / float(design.part),
    )
    return total.plus(most)


def _chosen(steps: Steps, words: Words) -> tuple[Integers, Open]:
    """The option of each word; one that meets a rounded end may be of either side."""
    reached = (words[:, None] >= steps).sum(axis=1)
    return reached.astype(np.int64), (words[:, None] == steps).any(axis=1)


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
    each = exponentials(words)
    values, errors = np.zeros(words.shape), np.zeros(words.shape)
    for sign, sums, here in ((1, above, positive), (-1, below, ~positive)):
        some = Near(np.where(here, each.value, 0.0), np.where(here, each.error, 0.0))
        added = some.value.sum(axis=1)
        whole = Near(added, some.error.sum(axis=1) + ROUNDING * len(words.T) * (1 + added))
        share = some.over(whole.column()).times(sums.column())
        values += np.where(here, sign * share.value, 0.0)
        errors += np.where(here, share.error, 0.0)
    return values, errors


def _rounded(values: Floats, error: Floats, whole: Integers) -> tuple[Integers, Open]:
    """Cells of one table as integers of this sum, and which rows are not certain."""
    floors, torn = settled(values, error)
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

    def split(
        self, layout: WordLayout, power: Integers, words: RowWords
    ) -> tuple[list[Near], list[Open], Open]:
        """Each table's q in units of the rest and its positive cells; which rows are not certain."""
        design, left = layout.design, power
        belows, positives, open_ = list[Near](), list[Open](), np.zeros(len(power), dtype=np.bool_)
        for j, cells in enumerate(design.slices()):
            own, signs, inner = layout.of_table(j)
            size = design.tables[j]
            e, unsure = _chosen(self.exponents[j][left], words.wide[:, own])
            left = np.clip(left - e, 0, None)
            a, torn = _chosen(self.signs[j][e], words.wide[:, signs])
            positive, open_cells = _subset(np.where(e == size - 1, size, e + 1 + a), size,
                                           words.narrow[:, 1:][:, cells])  # fmt: skip
            open_ |= unsure | torn | open_cells
            belows.append(largest(words.wide[:, inner], size - 1 - e, float(design.part)))
            positives.append(positive)
        return belows, positives, open_


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


def refine_joint(
    layout: WordLayout, scale: Fraction, words: RowWords, row: int, bits: SecretBits
) -> list[int]:
    """The same row with balls, extending its own uniforms until every question has an answer."""
    wide = [Uniform(int(word), 64, bits) for word in words.wide[row]]
    narrow = [Uniform(int(word), 32, bits) for word in words.narrow[row]]
    while True:
        try:
            with precision(wide[0].size + 2 * START_BITS):
                found = BallRow(layout, scale, wide, narrow).rounded()
        except Undecided:
            for uniform in (*wide, *narrow):
                uniform.extend()
        else:
            return [min(max(one, LEAST_NOISE), MOST_NOISE) for one in found]
