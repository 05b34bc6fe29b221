"""The share of the budget that clipped spends on the maximum, chosen from public numbers.

Left out, it is the share with the smallest expected error in a workplace cell that is one large
establishment, noise and clipping together. Any share is as private as another (clipped.proof.md),
so the choice may be made in floats.
"""

from fractions import Fraction
from math import erfc, exp, inf, log, pi, sqrt

from leeward.errors import InvalidParameter
from leeward.exact import Number, positive, precision
from leeward.mechanisms.clipping import HEADROOM
from leeward.mechanisms.parameters import Parameters

LEAST_SPLIT = Fraction(1, 1000)
CANDIDATES = tuple(Fraction(k, 64) for k in range(1, 64))
EVEN = Fraction(1, 2)
"""Where no candidate gives the error a mean."""

ABOVE = log(HEADROOM)
"""μ: ln θ lies so far above the released maximum."""

WIDEST = 37.0
"""Noise of ln θ beyond which e^(σ²/2) is no float."""


def given_split(split: Number) -> Fraction:
    """A share that a user wrote."""
    share = positive(split, "split")
    if not LEAST_SPLIT <= share <= 1 - LEAST_SPLIT:
        raise InvalidParameter(
            "split",
            rule="must be from 1/1000 to 999/1000",
            value=share,
            next_step="Leave it out: it is then chosen for the smallest expected error.",
        )
    return share


def best_split(parameters: Parameters, rho: Fraction) -> Fraction:
    """The candidate with the smallest expected error; the noise is Gaussian where ρ > 0."""
    errors = [expected_error(parameters, rho, share) for share in CANDIDATES]
    least = min(errors)
    return EVEN if least == inf else CANDIDATES[errors.index(least)]


def expected_error(parameters: Parameters, rho: Fraction, share: Fraction) -> float:
    """Mean error of a worker cell, in units of the only and large establishment.

    E θ·min(d, 2)·β/ε₂ for the noise, or √(2/π)·E θ·√min(d, 2)·β/√(2ρ₂); and E(1−θ)⁺ for what
    clipping takes, spread over d worker cells.
    """
    cells, alpha = parameters.cells, parameters.growth
    with precision(128):
        growth = float(parameters.log_growth())
    if rho:
        theta, lost = _gaussian(growth / sqrt(2 * share * rho))
        unit = sqrt(min(cells, 2) / (pi * (1 - share) * rho))
    else:
        theta, lost = _laplace(growth / float(share * parameters.aimed))
        unit = min(cells, 2) / float((1 - share) * parameters.aimed)
    return theta * unit * float(alpha / (1 + alpha)) + lost / cells


def _laplace(s: float) -> tuple[float, float]:
    """E θ and E(1−θ)⁺ for ln θ = μ + s·Laplace: e^μ/(1−s²) and e^(−μ/s)·s/(2(1+s))."""
    if s >= 1:
        return inf, 1.0
    return float(HEADROOM) / (1 - s**2), exp(-ABOVE / s) * s / (2 * (1 + s))


def _gaussian(sigma: float) -> tuple[float, float]:
    """The same for ln θ = μ + σZ: e^(μ+σ²/2) and Φ(−μ/σ) − e^(μ+σ²/2)·Φ(−μ/σ−σ)."""
    if sigma > WIDEST:
        return inf, 1.0
    theta, far = exp(ABOVE + sigma**2 / 2), ABOVE / sigma
    return theta, _below(far) - theta * _below(far + sigma)


def _below(z: float) -> float:
    """Φ(−z)."""
    return erfc(z / sqrt(2)) / 2
