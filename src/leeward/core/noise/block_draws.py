"""Exact draws of whole blocks, of counts and of pairs (count, payroll), rounded.

A direction is exponentials over their sum: of a block one for each cell, with its sign; of pairs
two for each cell, added up along the cone that was chosen. The radius is one number for all cells
of a row, by the quantile of its law. Every uniform can be refined by more bits of itself, and all
cells of a row see the same ones, also in the slow path. Pairs may be only exponentials.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leeward.core.exact import START_BITS, ball, precision
from leeward.core.noise.body import Body
from leeward.core.noise.radial_law import RadialLaw
from leeward.core.noise.sampling import Uniform, settle
from leeward.core.noise.scales import LEAST_NOISE, MOST_NOISE, Integers, Scales, TwoScales
from leeward.core.noise.tabulated import FUNCTION, ROUNDING, Floats, Words, require_accuracy
from leeward.core.randomness import SecretBits

CHUNK_WORDS = 1 << 15
SIGN = np.uint64(1 << 63)


@dataclass(frozen=True)
class RowBits:
    """The random words of some rows, of 64 bits: one a cell, and one of the radius."""

    cells: Words
    radius: Words

    @classmethod
    def read(cls, rows: int, cells: int, bits: SecretBits) -> "RowBits":
        """Fresh words for `rows` rows."""
        return cls(bits.words64(rows * cells).reshape(rows, cells), bits.words64(rows))


def draw_block(scales: Scales, cells: int, law: RadialLaw, bits: SecretBits) -> Integers:
    """Joint noise (rows, cells), one row for each scale."""
    require_accuracy()
    noise = np.empty((len(scales.base), cells), dtype=np.int64)
    step = max(1, CHUNK_WORDS // (1 + cells))
    for start in range(0, len(noise), step):
        part = scales.part(slice(start, start + step))
        words = RowBits.read(len(part.base), cells, bits)
        noise[start : start + step] = decide_block(part, words, law, bits)
    return noise


def decide_block(scales: Scales, words: RowBits, law: RadialLaw, bits: SecretBits) -> Integers:
    """The integers that these words name; rows that float64 leaves open are refined."""
    with np.errstate(all="ignore"):
        exponential, slip = exponentials(words.cells & ~SIGN)
        whole = exponential.sum(axis=1)
        blur = slip.sum(axis=1) + exponential.shape[1] * ROUNDING * whole
        unit, loose = radius_over(whole, blur, law, words.radius)
        z = exponential * unit[:, None]
        error = slip * (unit + loose)[:, None] + exponential * loose[:, None] + ROUNDING * z
    size, open_ = settle(z, error, scales.floats[:, None])
    for row in np.flatnonzero(open_.any(axis=1)):
        refined = RefinedBlock(words, int(row), law, bits)
        for cell in np.flatnonzero(open_[row]):
            size[row, cell] = refined.rounded(scales.exact(int(row)), int(cell))
    # The lower bound lies further out: n + J must leave ±BOUND on either side.
    return np.where(words.cells >= SIGN, -size, np.minimum(size, MOST_NOISE))


def radius_over(whole: Floats, blur: Floats, law: RadialLaw, words: Words) -> tuple[Floats, Floats]:
    """The radius over a sum that is known to be within `blur`, and a bound on its error."""
    radius, error = law.approximate(words)
    unit = radius / whole
    loose = (error + unit * blur) / (whole - blur) + ROUNDING * unit
    return unit, np.where(blur < whole / 2, loose, np.inf)


def exponentials(words: Words) -> tuple[Floats, Floats]:
    """−ln((u+½)/2^63); the true uniform is anywhere within ½ of u+½."""
    middle = words.astype(np.float64) + 0.5
    value = -np.log(middle * 2.0**-63)
    slip = 1 / middle + FUNCTION * np.abs(value) + ROUNDING
    slip[middle < 2] = np.inf
    return value, slip


class RefinedBlock:
    """The uniforms of one row of a block, which get more bits as questions need them."""

    def __init__(self, words: RowBits, row: int, law: RadialLaw, bits: SecretBits) -> None:
        self.law = law
        self.radius = Uniform(int(words.radius[row]), 64, bits)
        self.cells = [Uniform(int(w & ~SIGN), 63, bits) for w in words.cells[row]]

    def rounded(self, scale: Fraction, cell: int) -> int:
        """⌊scale·ρ·E/ΣE + ½⌋ of one cell."""
        while True:
            # The floor too must be taken at this precision, or it is no integer beyond 2^53.
            with precision(self.radius.size + START_BITS):
                logs = [uniform.ball().log() for uniform in self.cells]
                share = logs[cell] / sum(logs, arb(0))
                value = ball(scale) * share * radius_ball(self.law, self.radius) + arb(1) / 2
                integer = value.floor().unique_fmpz() if value.is_finite() else None
            if integer is not None:
                return min(int(integer), -LEAST_NOISE)
            for uniform in (self.radius, *self.cells):
                uniform.extend()


def radius_ball(law: RadialLaw, uniform: Uniform) -> arb:
    """A ball around the radii that the drawn bits leave."""
    return law.quantile_ball(*uniform.ends())


@dataclass(frozen=True)
class PairBits:
    """The random words of some rows: (rows, cells) cones, two words a pair, one of the radius.

    Where there is no law of the radius there are no words of it.
    """

    cones: Integers
    pairs: Words
    radius: Words

    @classmethod
    def read(
        cls, rows: int, cells: int, body: Body, law: RadialLaw | None, bits: SecretBits
    ) -> "PairBits":
        """Fresh words for `rows` rows."""
        cones = _below(len(body.vertices), rows * cells, bits).reshape(rows, cells)
        pairs = bits.words64(rows * cells * 2).reshape(rows, cells, 2) & ~SIGN
        return cls(cones, pairs, bits.words64(0 if law is None else rows))

    def signed_sums(self, signs: NDArray[np.int64], law: RadialLaw | None) -> tuple[Floats, Floats]:
        """±E₁ ± E₂, with a radius times that over the sum of all, and a bound on its error."""
        exponential, slip = exponentials(self.pairs)
        value = (signs * exponential[:, :, None, :]).sum(axis=3)
        size = (np.abs(signs) * exponential[:, :, None, :]).sum(axis=3)
        error = (np.abs(signs) * slip[:, :, None, :]).sum(axis=3) + ROUNDING * size
        if law is None:
            return value, error
        whole = exponential.sum(axis=(1, 2))
        blur = slip.sum(axis=(1, 2)) + 2 * exponential.shape[1] * ROUNDING * whole
        both = radius_over(whole, blur, law, self.radius)
        unit, loose = (column[:, None, None] for column in both)
        return value * unit, error * (unit + loose) + size * loose + ROUNDING * size * unit


def _below(end: int, count: int, bits: SecretBits) -> Integers:
    """Uniform whole numbers below `end`: words at the uneven end of the range are replaced."""
    words = bits.words32(count)
    most = 2**32 - 2**32 % end
    while (uneven := np.flatnonzero(words.astype(np.uint64) >= most)).size:
        words[uneven] = bits.words32(uneven.size)
    return (words % end).astype(np.int64)


def draw_pairs(
    scales: TwoScales, cells: int, body: Body, law: RadialLaw | None, bits: SecretBits
) -> Integers:
    """Joint noise (rows, cells, 2), one row for each pair of scales."""
    require_accuracy()
    rows = len(scales[0].base)
    noise = np.empty((rows, cells, 2), dtype=np.int64)
    step = max(1, CHUNK_WORDS // (1 + 3 * cells))
    for start in range(0, rows, step):
        some = slice(start, start + step)
        part = (scales[0].part(some), scales[1].part(some))
        words = PairBits.read(len(part[0].base), cells, body, law, bits)
        noise[some] = decide_pairs(part, words, body, law, bits)
    return noise


def decide_pairs(
    scales: TwoScales, words: PairBits, body: Body, law: RadialLaw | None, bits: SecretBits
) -> Integers:
    """The integers that these words name; numbers that float64 leaves open are refined."""
    signs = body.cones[words.cones]  # (rows, cells, 2 numbers, 2 exponentials)
    with np.errstate(all="ignore"):
        z, error = words.signed_sums(signs, law)
    floats = np.stack([one.floats for one in scales], axis=-1)[:, None, :]
    noise, open_ = settle(z, error, floats)
    for row in np.flatnonzero(open_.any(axis=(1, 2))):
        refined = RefinedPairs(words, int(row), law, bits)  # both numbers share uniforms
        for cell, number in zip(*np.nonzero(open_[row]), strict=True):
            scale = scales[number].exact(int(row))
            noise[row, cell, number] = refined.rounded(scale, int(cell), signs[row, cell, number])
    return noise


class RefinedPairs:
    """The uniforms of one row of pairs, which get more bits as questions need them."""

    def __init__(self, words: PairBits, row: int, law: RadialLaw | None, bits: SecretBits) -> None:
        self.law = law
        self.radius = [Uniform(int(word), 64, bits) for word in words.radius[row : row + 1]]
        self.pairs = [[Uniform(int(w), 63, bits) for w in pair] for pair in words.pairs[row]]

    def rounded(self, scale: Fraction, cell: int, signs: Integers) -> int:
        """⌊scale·Z + ½⌋ of one number, saturated."""
        while True:
            with precision(self.pairs[0][0].size + START_BITS):
                logs = [[-uniform.ball().log() for uniform in pair] for pair in self.pairs]
                total = sum((s * x for s, x in zip(signs.tolist(), logs[cell], strict=True) if s),
                            arb(0))  # fmt: skip
                if self.law is not None:
                    whole = sum((x for pair in logs for x in pair), arb(0))
                    total *= radius_ball(self.law, self.radius[0]) / whole
                value = ball(scale) * total + arb(1) / 2
                integer = value.floor().unique_fmpz() if value.is_finite() else None
            if integer is not None:
                return min(max(int(integer), LEAST_NOISE), MOST_NOISE)
            for uniform in (*self.radius, *(u for pair in self.pairs for u in pair)):
                uniform.extend()
