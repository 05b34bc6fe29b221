"""Delta: how large it may be, and what ρ and several steps mean with one, always rounded up.

A mechanism that publishes one of n records as it is, chosen by chance, has δ = 1/n. So [H15] asks
for δ < 1/n. How many jobs there are is confidential; a hundred for each establishment is a public
number that is larger.
"""

from fractions import Fraction
from math import ceil, exp, log, log1p

from flint import arb

from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import ball, dyadic_up, precision

JOBS_EACH = 100
PLENTY = 10**12
"""More establishments than any frame has."""

REASON = (
    "a delta of 1/n allows one of n jobs to be published as it is (Haney et al. 2015); n is "
    "confidential, and a hundred jobs for each establishment bound it"
)


def most_establishments(delta: Fraction) -> int:
    """The largest frame for which a δ above 0 is small enough: E with δ < 1/(100 E)."""
    return ceil(1 / (JOBS_EACH * delta)) - 1


def delta_rule(delta: Fraction) -> str:
    """The rule in words, for whoever does not know the frame yet; δ is above 0."""
    most = most_establishments(delta)
    frames = f"at most {most:,} establishments" if most < PLENTY else "any number of them"
    return (
        "Delta must be below 1/(100 × establishments of the frame), which this one is for "
        f"{frames}: {REASON}."
    )


def too_large(
    parameter: str, delta: Fraction, establishments: int, next_step: str
) -> InvalidParameter | None:
    """The refusal of a δ for the size of a frame in establishments; a δ of 0 is never refused."""
    if delta == 0 or establishments <= most_establishments(delta):
        return None
    return InvalidParameter(
        parameter,
        rule=f"must be below 1/(100 × establishments of the frame): {REASON}",
        value=f"{shown(delta)} for {establishments} establishments",
        next_step=next_step,
    )


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
