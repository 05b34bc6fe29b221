"""One job: what noise of each law loses where one establishment has one job more.

Proofs in one_job.proof.md, with Δ the floor `least` of the noise. All numbers are rounded up, and
none is above the price, which it is at Δ = 1: there one job is a whole step.
"""

from collections.abc import Iterable
from fractions import Fraction

from flint import arb

from leeward.core.exact import ball, dyadic_up, precision, root_up
from leeward.core.mechanisms.parameters import Parameters

BITS, PRECISION = 40, 256
"""Losses are rounded up to multiples of 2^-BITS, which short fractions and 53 bits tell apart."""


def rise(parameters: Parameters) -> arb:
    """μ = ln(1+α/Δ): the most that one job adds to the logarithm of A."""
    return ball(parameters.growth / parameters.least).log1p()


def of_growth(parameters: Parameters) -> Fraction:
    """j = μ/λ, at most 1: the part of a growth by α that one job is."""
    if parameters.least == 1:
        return Fraction(1)
    with precision(PRECISION):
        return min(Fraction(1), dyadic_up(rise(parameters) / parameters.log_growth(), BITS))


def by_slope(parameters: Parameters) -> Fraction:
    """ε·j, ε that of one worker cell: a job is in one."""
    return parameters.share * of_growth(parameters)


def by_power(parameters: Parameters, dimension: int, shape: Fraction, step: Fraction) -> Fraction:
    """A density ∝ (1+N)^−(p+k) at scale S/t: the conditions of its theorem with t/Δ and μ."""
    return _conditions(parameters, (0, dimension, 0), dimension + shape, (shape, step))


def by_two_scales(parameters: Parameters, shape: Fraction, step: Fraction) -> Fraction:
    """The same of a pair on two scales that grow apart."""
    return _conditions(parameters, (1, 2, 1), 2 + shape, (shape, step))


def _conditions(
    parameters: Parameters,
    dilated: tuple[int, int, int],
    order: Fraction,
    law: tuple[Fraction, Fraction],
) -> Fraction:
    """The largest of three, each with a number of μ: a shift, one with dilation, and the tail."""
    (shape, step), least = law, parameters.least
    if least == 1:
        return parameters.epsilon
    with precision(PRECISION):
        mu, power = rise(parameters), ball(order)
        shifted = dilated[0] * mu + power * ball(step / least).log1p()
        both = dilated[1] * mu + power * ball(step / (least + parameters.growth)).log1p()
        tail = (ball(shape) + dilated[2]) * mu
        return min(parameters.epsilon, dyadic_up(shifted.max(both).max(tail), BITS))


def by_quartic(parameters: Parameters, steepest: arb, multiple: Fraction) -> Fraction:
    """3μ + s/(cΔ): density ∝ 1/(1+z⁴) at scale cS, whose logarithm has the slope s at most."""
    if parameters.least == 1:
        return parameters.share
    with precision(PRECISION):
        lost = dyadic_up(3 * rise(parameters) + steepest / ball(multiple * parameters.least), BITS)
    return min(parameters.share, lost)


def by_clipping(index: Fraction, moved: Fraction, splits: Iterable[Fraction]) -> Fraction:
    """s·i + (1−s)·c, the part of ε: the index of the maximum, and sums that move by c of a step.

    Workplace cells may have different splits s; it is the largest. With i² and c² it is that of ρ.
    """
    return min(Fraction(1), max(s * index + (1 - s) * moved for s in splits))


def part_of_sums(jobs: int, rounding: int, least: Fraction, lattice: int) -> Fraction:
    """c = (mL + e − 1)/(⌊mΔL⌋ + e): the lattice points by which one job moves sums, of their noise.

    A job moves them by less than mL + e, a whole number.
    """
    return Fraction(jobs * lattice + rounding - 1, int(jobs * least * lattice) + rounding)


def part_of_squares(jobs: int, rounding: int, least: Fraction, lattice: int) -> Fraction:
    """The same of Gaussian noise: (√m·L + √e)/(√m·ΔL + √e), as its variance rounds the roots."""
    root, more = root_up(jobs) * lattice, root_up(rounding)
    return (root + more) / (root * least + more)


def between_sizes(parameters: Parameters, small: int, large: int) -> Fraction:
    """Φ(y) − Φ(x) of Theorem H: for slope and for the radial slope, whatever the joiners are."""
    epsilon, floor = parameters.epsilon, parameters.floor
    near, far = min(Fraction(small), floor), min(Fraction(large), floor)
    flat = epsilon * (far - near) / parameters.least
    if large <= floor:
        return flat
    with precision(PRECISION):
        grown = ball(large / max(Fraction(small), floor)).log() / parameters.log_growth()
        part = dyadic_up(grown, BITS)
    return flat + epsilon * part
