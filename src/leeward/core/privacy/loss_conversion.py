"""Between the measures of loss: ρ to (ε, δ), and δ over several steps, always rounded up."""

from fractions import Fraction
from math import exp, log, log1p

from flint import arb

from leeward.core.exact import ball, dyadic_up, precision

BITS = 256
GOLDEN = (5**0.5 - 1) / 2


def steps_delta(epsilon: Fraction, delta: Fraction, steps: int) -> Fraction:
    """δ_k = δ(e^{kε}−1)/(e^ε−1) = δ(1 + e^ε + … + e^{(k−1)ε}), rounded up, and 1 at most."""
    if delta == 0 or steps == 1:
        return delta
    if epsilon == 0:
        return min(Fraction(1), steps * delta)
    finer = (delta.denominator // delta.numerator).bit_length()
    with precision(BITS + finer):
        value = ball(delta) * ball(steps * epsilon).expm1() / ball(epsilon).expm1()
        return Fraction(1) if not value < 1 else min(Fraction(1), dyadic_up(value, 64 + finer))


def zcdp_epsilon(rho: Fraction, delta: Fraction) -> Fraction:
    """The ε, rounded up, for which ρ-zCDP implies (ε, δ)."""
    order = 1 + Fraction(_best_order_minus_one(rho, delta))
    with precision(BITS + delta.denominator.bit_length()):
        return max(Fraction(0), dyadic_up(_epsilon_at(order, rho, delta)))


def tail_epsilon(rho: Fraction, delta: Fraction) -> Fraction:
    """ρ + 2√(ρ·ln(1/δ)), rounded up: the loss passes it with a probability of at most δ."""
    # Bun and Steinke 2016, Lemma 3.5: the loss passes ρ + t with probability at most e^(−t²/4ρ).
    with precision(BITS + delta.denominator.bit_length()):
        return dyadic_up(ball(rho) + 2 * (-ball(rho) * ball(delta).log()).sqrt())


def largest_rho(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest ρ, to nine digits and rounded down, for which ρ-zCDP implies (ε, δ)."""
    low, high = Fraction(0), epsilon
    while high - low > high / 2**30:
        middle = (low + high) / 2
        low, high = (middle, high) if zcdp_epsilon(middle, delta) <= epsilon else (low, middle)
    return low


def _epsilon_at(order: Fraction, rho: Fraction, delta: Fraction) -> arb:
    """aρ + (ln(1/δ) + (a−1)ln(1−1/a) − ln a)/(a−1): true for every order a > 1."""
    # Canonne, Kamath, Steinke 2020, Prop. 12; Asoodeh et al. 2020; Rényi bound aρ of zCDP.
    fall = -ball(delta).log() - ball(order).log()
    return ball(order * rho) + fall / ball(order - 1) + ball((order - 1) / order).log()


def _best_order_minus_one(rho: Fraction, delta: Fraction) -> float:
    """Golden-section search in ln(a−1). Any order is true, so floats can only cost tightness."""
    slope, fall = max(float(rho), 1e-300), float(-ball(delta).log().mid())

    def epsilon(u: float) -> float:
        a = 1 + exp(u)
        return a * slope + (fall - log(a)) * exp(-u) - log1p(exp(-u))

    # ε(a) is quasi-convex (Proposition 8); near its minimum a − 1 ≈ √(ln(1/δ)/ρ).
    low, high = -40.0, max(0.0, 0.5 * log(max(fall, 1.0) / slope)) + 5
    while high - low > 1e-9:
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        low, high = (low, right) if epsilon(left) <= epsilon(right) else (left, high)
    return exp((low + high) / 2)
