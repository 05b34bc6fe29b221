"""Exact draws: J = ⌊scale·Z + ½⌋ with exactly the distribution of the rounded real noise.

A word of 64 random bits names an interval of U. In float64 the quantile is known within an
error bound; where both ends round to the same integer, that integer is certain. The others
(about one in 10⁸) get *more bits of the same U* and are decided by the exact distribution
function in ball arithmetic. Nothing is redrawn: that would condition on having been easy.

Discrete Gaussian noise, P(j) ∝ exp(−j²/2σ²), is kept or rejected discrete Laplace noise (Canonne,
Kamath and Steinke 2020). Every acceptance is decided exactly, in the same way.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isqrt

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from leeward.core.exact import START_BITS, ball, precision
from leeward.core.noise.law import Law, discrete_laplace
from leeward.core.noise.scales import Integers, LawByScale, Laws, Scales, bisect, by_law
from leeward.core.noise.tabulated import FUNCTION, ROUNDING, Floats, Words, require_accuracy
from leeward.core.randomness import SecretBits

CHUNK = 1 << 14
"""Draws worked on together: small enough to stay in the cache."""


def draw(law: Laws, scales: Scales, bits: SecretBits) -> Integers:
    """One exact draw of ⌊scale·Z + ½⌋ for each scale, saturated at the 64-bit bounds."""
    require_accuracy()
    words = bits.words64(len(scales.base))
    noise = np.empty(len(words), dtype=np.int64)
    if isinstance(law, LawByScale) and law.table is not None:
        chunks = (slice(i, i + CHUNK) for i in range(0, len(words) or 1, CHUNK))
        return np.concatenate([decide_by_size(law, scales.part(c), words[c], bits) for c in chunks])
    for one, some in by_law(law, scales):
        part, given = scales.part(some), words[some]
        chunks = (slice(i, i + CHUNK) for i in range(0, len(given) or 1, CHUNK))
        noise[some] = np.concatenate([decide(one, part.part(c), given[c], bits) for c in chunks])
    return noise


def decide(law: Law, scales: Scales, words: Words, bits: SecretBits) -> Integers:
    """The integers that these words name, asking for more bits where they do not suffice."""
    z, error = law.approximate(words)
    noise, open_ = settle(z, error, scales.floats)
    for i in np.flatnonzero(open_):
        noise[i] = refine(law, scales.exact(int(i)), int(words[i]), bits)
    return noise


def decide_by_size(law: LawByScale, scales: Scales, words: Words, bits: SecretBits) -> Integers:
    """The same where each draw has the law of its own size, which only open ones need."""
    if law.table is None:
        raise ValueError("these laws have no table of all sizes")
    size = scales.floats
    noise, open_ = settle(*law.table.quantiles(words, size), size)
    for i in np.flatnonzero(open_):
        scale = scales.exact(int(i))
        noise[i] = refine(law.at(scale), scale, int(words[i]), bits)
    return noise


def settle(z: Floats, error: Floats, scale: Floats) -> tuple[Integers, NDArray[np.bool_]]:
    """⌊scale·z + ½⌋ where every value within the error gives the same integer, and where not."""
    with np.errstate(all="ignore"):
        value = scale * z
        error = scale * error + ROUNDING * np.abs(value) + ROUNDING
        value += 0.5
        low = np.floor(value - error)
        open_ = ~((low == np.floor(value + error)) & (np.abs(value) < 2.0**52))
        low[open_] = 0
    return low.astype(np.int64), open_


def refine(law: Law, scale: Fraction, word: int, bits: SecretBits) -> int:
    """The integer that U names, by bisection on the exact distribution function of J."""
    uniform = Uniform(word, 64, bits)

    def reaches(j: int) -> bool:
        edge = (j - Fraction(1, 2)) / scale
        return uniform.decide(lambda: law.tails(edge))

    return bisect(reaches)


class Uniform:
    """A uniform U of which some bits are drawn; the rest are drawn when a question needs them."""

    def __init__(self, word: int, size: int, bits: SecretBits) -> None:
        self.word = word
        self.size = size
        self.bits = bits

    def extend(self) -> None:
        """Append 64 bits to the same U."""
        self.word = (self.word << 64) | self.bits.word(64)
        self.size += 64

    def ends(self) -> tuple[arb, arb]:
        """The exact ends of the interval that the drawn bits leave for U."""
        scale = arb(2) ** -self.size
        return arb(self.word) * scale, arb(self.word + 1) * scale

    def ball(self) -> arb:
        """That interval as one ball."""
        low, high = self.ends()
        return low.union(high)

    def decide(self, tails: Callable[[], tuple[arb, arb]]) -> bool:
        """Whether U ≥ P(Z < z), given the two tails at z."""
        while True:
            with precision(self.size + START_BITS):
                below, above = tails()
                low, high = self.ends()
                if low >= below or 1 - low <= above:
                    return True
                if high <= below or 1 - high >= above:
                    return False
            self.extend()

    def below_exp(self, exponent: Fraction) -> bool:
        """Whether U < e^(−exponent)."""

        def tails() -> tuple[arb, arb]:
            chance = ball(-exponent).exp()
            return chance, 1 - chance

        return not self.decide(tails)


def gamma_ball(uniforms: Sequence[Uniform]) -> arb:
    """Minus the logarithm of their product as a ball: Gamma of their number."""
    product = arb(1)
    for uniform in uniforms:
        product *= uniform.ball()
    return -product.log()


def secret_uniforms(count: int) -> NDArray[np.float64]:
    """In double precision: what has no guarantee needs no exact draws."""
    return (SecretBits().words64(count) >> np.uint64(11)).astype(np.float64) * 2.0**-53


SPARE = 64
"""Gaussian proposals beyond the expected number."""


def draw_gaussian(variance: Fraction, count: int, bits: SecretBits) -> Integers:
    """`count` independent discrete Gaussians with this variance parameter σ²."""
    width = isqrt(variance.numerator // variance.denominator) + 1
    proposal = discrete_laplace(Fraction(width))
    noise = np.empty(count, dtype=np.int64)
    filled = 0
    while filled < count:
        ones = np.ones(2 * (count - filled) + SPARE, dtype=np.int64)
        tries = draw(proposal, Scales(ones), bits)
        kept = tries[accept(tries, width, variance, bits)][: count - filled]
        noise[filled : filled + len(kept)] = kept
        filled += len(kept)
    return noise


def accept(tries: Integers, width: int, variance: Fraction, bits: SecretBits) -> NDArray[np.bool_]:
    """Each kept with probability exp(−γ), γ = (|j| − σ²/width)²/(2σ²)."""
    centre = variance / width
    gamma = (np.abs(tries) - float(centre)) ** 2 / (2 * float(variance))
    words = bits.words64(len(tries))
    chance = np.exp(-gamma)
    uniform = words.astype(np.float64) * 2.0**-64
    # |j| and σ²/width nearly cancel, so γ is off by up to ROUNDING·(|j| + width)·|j|/σ².
    reach = np.abs(tries) + float(centre)
    slip = chance * (FUNCTION * (1 + gamma) + 4 * ROUNDING * reach**2 / float(variance)) + 2.0**-52
    kept = uniform < chance
    for i in np.flatnonzero(np.abs(uniform - chance) <= slip):
        exact = (abs(int(tries[i])) - centre) ** 2 / (2 * variance)
        kept[i] = Uniform(int(words[i]), 64, bits).below_exp(exact)
    return kept


def gaussian_mass(noise: int, variance: Fraction) -> arb:
    """P(J = noise) as a ball."""
    return ball(-(Fraction(noise) ** 2) / (2 * variance)).exp() / normaliser(variance)


def normaliser(variance: Fraction, centre: Fraction = Fraction(0)) -> arb:
    """Σ over all integers j of exp(−(j−centre)²/2σ²), by Poisson summation.

    It is √(2πσ²)·(1 + 2·Σ exp(−2π²σ²m²)·cos(2πm·centre)); what is left out after a term is
    bounded by a geometric series.
    """
    pi, total, m = arb.pi(), arb(1), 0
    rate = 2 * pi * pi * ball(variance)
    rest = arb(1)
    while not rest < arb(2) ** -ctx.prec:
        m += 1
        term = 2 * (-rate * m * m).exp()
        total += term * arb.cos_pi(ball(2 * m * centre))
        rest = term * (-rate).exp() / -(-rate).expm1()
    return (2 * pi * ball(variance)).sqrt() * (total + rest * arb(0, 1))
