"""Exact discrete Gaussian noise: P(j) ∝ exp(−j²/2σ²).

Rejection from discrete Laplace as in Canonne, Kamath and Steinke 2020, with every acceptance
decided exactly: a uniform is compared with exp(−γ) in float64 within an error bound, and by
more bits of the same uniform where that does not decide.
"""

from fractions import Fraction
from functools import partial
from math import isqrt

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from leeward.core.exact import ball
from leeward.core.noise.law import discrete_laplace
from leeward.core.noise.sampling import Uniform, draw
from leeward.core.noise.scales import Integers, Scales
from leeward.core.noise.tabulated import FUNCTION, ROUNDING
from leeward.core.randomness import SecretBits

SPARE = 64


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
        kept[i] = not Uniform(int(words[i]), 64, bits).decide(partial(_tails, exact))
    return kept


def _tails(gamma: Fraction) -> tuple[arb, arb]:
    chance = ball(-gamma).exp()
    return chance, 1 - chance


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
