"""Exact draws of pairs (count, payroll): signed sums of E₁ and E₂ over one H a row, rounded.

The cone of a pair and its two exponentials are its own; all pairs of a row share H ~ Gamma(k), or
have none. A number that float64 leaves open is decided by balls with more bits of the same
uniforms, as in `block`.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leeward.core.exact import START_BITS, ball, precision
from leeward.core.noise.block_draws import SIGN, exponentials
from leeward.core.noise.body import Body
from leeward.core.noise.sampling import Uniform, settle
from leeward.core.noise.scales import LEAST_NOISE, MOST_NOISE, Integers, TwoScales
from leeward.core.noise.selftest import require_accuracy
from leeward.core.noise.tabulated import FUNCTION, ROUNDING, Floats, Words
from leeward.core.randomness import SecretBits

CHUNK_WORDS = 1 << 16


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
    """Uniform whole numbers below `end`: words at the uneven end of the range are drawn anew."""
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
        z, error = _ratio(words, signs)
    floats = np.stack([one.floats for one in scales], axis=-1)[:, None, :]
    noise, open_ = settle(z, error, floats)
    for row in np.flatnonzero(open_.any(axis=(1, 2))):
        refined = RefinedRow(words, int(row), bits)  # one for both numbers: they share uniforms
        for cell, number in zip(*np.nonzero(open_[row]), strict=True):
            scale = scales[number].exact(int(row))
            noise[row, cell, number] = refined.rounded(scale, int(cell), signs[row, cell, number])
    return noise


def _ratio(words: PairBits, signs: NDArray[np.int64]) -> tuple[Floats, Floats]:
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
                value = self._value(scale, own, signs)
                integer = value.floor().unique_fmpz() if value.is_finite() else None
            if integer is not None:
                return min(max(int(integer), LEAST_NOISE), MOST_NOISE)
            for uniform in (*own, *self.shared):
                uniform.extend()

    def _value(self, scale: Fraction, own: list[Uniform], signs: Integers) -> arb:
        total = arb(0)
        for sign, uniform in zip(signs.tolist(), own, strict=True):
            if sign:
                total -= sign * uniform.ball().log()
        if self.shared:
            product = arb(1)
            for uniform in self.shared:
                product *= uniform.ball()
            total /= -product.log()
        return ball(scale) * total + arb(1) / 2
