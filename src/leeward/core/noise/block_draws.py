"""Exact draws of whole blocks, of counts and of pairs (count, payroll), rounded.

Counts are J_i = ±⌊σ·E_i/H + ½⌋, E_i exponential, with one H for all cells of a row. A pair is two
signed sums of E₁ and E₂ over H: its cone and its two exponentials are its own. H is Gamma(k) with
integer k, minus the logarithm of a product of k uniforms, each of which can be refined by more bits
of itself; pairs may have none. All cells of a row see the same H, also in the slow path.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leeward.core.exact import START_BITS, ball, precision
from leeward.core.noise.body import Body
from leeward.core.noise.sampling import Uniform, gamma_ball, settle
from leeward.core.noise.scales import LEAST_NOISE, MOST_NOISE, Integers, Scales, TwoScales
from leeward.core.noise.tabulated import FUNCTION, ROUNDING, Floats, Words, require_accuracy
from leeward.core.randomness import SecretBits

TOGETHER = 24
"""Uniforms multiplied before one logarithm: (2^-33)^24 is still a normal float64."""

CHUNK_WORDS = 1 << 16
SIGN = np.uint64(1 << 63)


@dataclass(frozen=True)
class RowBits:
    """The random words of some rows: one of 64 bits a cell, `shape` of 32 bits for H."""

    cells: Words
    shared: NDArray[np.uint32]

    @classmethod
    def read(cls, rows: int, cells: int, shape: int, bits: SecretBits) -> "RowBits":
        """Fresh words for `rows` rows."""
        return cls(
            bits.words64(rows * cells).reshape(rows, cells),
            bits.words32(rows * shape).reshape(rows, shape),
        )


def draw_block(scales: Scales, cells: int, shape: int, bits: SecretBits) -> Integers:
    """Joint noise (rows, cells), one row for each scale."""
    require_accuracy()
    noise = np.empty((len(scales.base), cells), dtype=np.int64)
    step = max(1, CHUNK_WORDS // (shape + 2 * cells))
    for start in range(0, len(noise), step):
        part = scales.part(slice(start, start + step))
        words = RowBits.read(len(part.base), cells, shape, bits)
        noise[start : start + step] = decide_block(part, words, bits)
    return noise


def decide_block(scales: Scales, words: RowBits, bits: SecretBits) -> Integers:
    """The integers that these words name; rows that float64 leaves open are refined."""
    negative = words.cells >= SIGN
    with np.errstate(all="ignore"):
        z, error = _ratio(words)
    size, open_ = settle(z, error, scales.floats[:, None])
    for row in np.flatnonzero(open_.any(axis=1)):
        refined = refine_row(scales.exact(int(row)), words, int(row), bits)
        for cell in np.flatnonzero(open_[row]):
            size[row, cell] = refined(int(cell))
    # The lower bound lies further out: n + J must leave ±BOUND on either side.
    return np.where(negative, -size, np.minimum(size, MOST_NOISE))


def _ratio(words: RowBits) -> tuple[Floats, Floats]:
    """E/H and a bound on its error."""
    exponential, slip = exponentials(words.cells & ~SIGN)
    gamma, blur = _gamma(words.shared)
    z = exponential / gamma[:, None]
    error = (slip + z * blur[:, None]) / (gamma - blur)[:, None] + ROUNDING * z
    error[(blur >= gamma / 2)] = np.inf
    return z, error


def exponentials(words: Words) -> tuple[Floats, Floats]:
    """−ln((u+½)/2^63); the true uniform is anywhere within ½ of u+½."""
    middle = words.astype(np.float64) + 0.5
    value = -np.log(middle * 2.0**-63)
    slip = 1 / middle + FUNCTION * np.abs(value) + ROUNDING
    slip[middle < 2] = np.inf
    return value, slip


def _gamma(words: NDArray[np.uint32]) -> tuple[Floats, Floats]:
    """−Σ ln((w+½)/2^32), each true uniform anywhere within ½ of w+½."""
    middle = words.astype(np.float64)
    middle += 0.5
    middle *= 2.0**-32
    value = np.zeros(len(middle))
    for start in range(0, middle.shape[1], TOGETHER):
        value -= np.log(np.multiply.reduce(middle[:, start : start + TOGETHER], axis=1))
    # Each logarithm is off by at most 1/(w+½) while that is below ½.
    slack = np.reciprocal(middle).sum(axis=1) * 2.0**-32
    blur = slack + middle.shape[1] * ROUNDING + 2 * FUNCTION * value
    blur[slack >= 0.5] = np.inf
    return value, blur


class refine_row:  # noqa: N801 (a function that remembers the bits of one row)
    """Decides cells of one row with balls, extending the row's own uniforms."""

    def __init__(self, scale: Fraction, words: RowBits, row: int, bits: SecretBits) -> None:
        self.scale = scale
        self.shared = [Uniform(int(word), 32, bits) for word in words.shared[row]]
        self.cells = [Uniform(int(w & ~SIGN), 63, bits) for w in words.cells[row]]

    def __call__(self, cell: int) -> int:
        """⌊σ·E/H + ½⌋ of one cell."""
        own = self.cells[cell]
        while True:
            # The floor too must be taken at this precision, or it is no integer beyond 2^53.
            with precision(own.size + START_BITS):
                value = ball(self.scale) * -own.ball().log() / gamma_ball(self.shared) + arb(1) / 2
                integer = value.floor().unique_fmpz() if value.is_finite() else None
            if integer is not None:
                return min(int(integer), -LEAST_NOISE)
            for uniform in (own, *self.shared):
                uniform.extend()


@dataclass(frozen=True)
class PairBits:
    """The random words of some rows: (rows, cells) cones, two words a pair, `shape` for H."""

    cones: Integers
    pairs: Words
    shared: Words

    @classmethod
    def read(cls, rows: int, cells: int, body: Body, shape: int, bits: SecretBits) -> "PairBits":
        """Fresh words for `rows` rows."""
        cones = _below(len(body.vertices), rows * cells, bits).reshape(rows, cells)
        pairs = bits.words64(rows * cells * 2).reshape(rows, cells, 2) & ~SIGN
        return cls(cones, pairs, bits.words64(rows * shape).reshape(rows, shape) & ~SIGN)


def _below(end: int, count: int, bits: SecretBits) -> Integers:
    """Uniform whole numbers below `end`: words at the uneven end of the range are replaced."""
    words = bits.words32(count)
    most = 2**32 - 2**32 % end
    while (uneven := np.flatnonzero(words.astype(np.uint64) >= most)).size:
        words[uneven] = bits.words32(uneven.size)
    return (words % end).astype(np.int64)


def draw_pairs(scales: TwoScales, cells: int, body: Body, shape: int, bits: SecretBits) -> Integers:
    """Joint noise (rows, cells, 2), one row for each pair of scales."""
    require_accuracy()
    rows = len(scales[0].base)
    noise = np.empty((rows, cells, 2), dtype=np.int64)
    step = max(1, CHUNK_WORDS // (shape + 3 * cells))
    for start in range(0, rows, step):
        some = slice(start, start + step)
        part = (scales[0].part(some), scales[1].part(some))
        words = PairBits.read(len(part[0].base), cells, body, shape, bits)
        noise[some] = decide_pairs(part, words, body, bits)
    return noise


def decide_pairs(scales: TwoScales, words: PairBits, body: Body, bits: SecretBits) -> Integers:
    """The integers that these words name; numbers that float64 leaves open are refined."""
    signs = body.cones[words.cones]  # (rows, cells, 2 numbers, 2 exponentials)
    with np.errstate(all="ignore"):
        z, error = _pair_ratio(words, signs)
    floats = np.stack([one.floats for one in scales], axis=-1)[:, None, :]
    noise, open_ = settle(z, error, floats)
    for row in np.flatnonzero(open_.any(axis=(1, 2))):
        refined = RefinedRow(words, int(row), bits)  # one for both numbers: they share uniforms
        for cell, number in zip(*np.nonzero(open_[row]), strict=True):
            scale = scales[number].exact(int(row))
            noise[row, cell, number] = refined.rounded(scale, int(cell), signs[row, cell, number])
    return noise


def _pair_ratio(words: PairBits, signs: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """(±E₁ ± E₂)/H and a bound on its error."""
    exponential, slip = exponentials(words.pairs)
    value = (signs * exponential[:, :, None, :]).sum(axis=3)
    size = (np.abs(signs) * exponential[:, :, None, :]).sum(axis=3)
    loose = (np.abs(signs) * slip[:, :, None, :]).sum(axis=3) + ROUNDING * size
    if not words.shared.shape[1]:
        return value, loose
    each, blurred = exponentials(words.shared)
    gamma = each.sum(axis=1)[:, None, None]
    blur = blurred.sum(axis=1)[:, None, None] + FUNCTION * gamma
    error = (loose + size / gamma * blur) / (gamma - blur) + ROUNDING * size / gamma
    return value / gamma, np.where(blur >= gamma / 2, np.inf, error)


class RefinedRow:
    """The uniforms of one row, which get more bits as questions need them."""

    def __init__(self, words: PairBits, row: int, bits: SecretBits) -> None:
        self.shared = [Uniform(int(word), 63, bits) for word in words.shared[row]]
        self.pairs = [[Uniform(int(w), 63, bits) for w in pair] for pair in words.pairs[row]]

    def rounded(self, scale: Fraction, cell: int, signs: Integers) -> int:
        """⌊σ·(±E₁ ± E₂)/H + ½⌋ of one number, saturated."""
        own = self.pairs[cell]
        while True:
            with precision(own[0].size + START_BITS):
                total = arb(0)
                for sign, uniform in zip(signs.tolist(), own, strict=True):
                    if sign:
                        total -= sign * uniform.ball().log()
                if self.shared:
                    total /= gamma_ball(self.shared)
                value = ball(scale) * total + arb(1) / 2
                integer = value.floor().unique_fmpz() if value.is_finite() else None
            if integer is not None:
                return min(max(int(integer), LEAST_NOISE), MOST_NOISE)
            for uniform in (*own, *self.shared):
                uniform.extend()
