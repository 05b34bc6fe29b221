"""Radial laws for tests, and their definition: F rises as fast as a step of the policy allows."""

from fractions import Fraction
from functools import lru_cache

import numpy as np

from leeward.core.exact import dyadic_up, log_growth, precision
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.radial_slope import radius_and_order
from leeward.core.noise.radial_law import RadialLaw, pareto_radius
from leeward.core.noise.tabulated import Floats


@lru_cache(maxsize=64)
def slope(alpha: str, epsilon: str | int | Fraction, dimension: int) -> tuple[RadialLaw, Fraction]:
    """The radial slope in so many dimensions, and its r."""
    with precision(256):
        return radius_and_order(Parameters.read(alpha, epsilon, 0, 1, "tight"), dimension)


def barely(alpha: str, dimension: int) -> Fraction:
    """An ε that is hardly above p·ln(1+α)."""
    with precision(256):
        return dyadic_up(log_growth(Fraction(alpha)) * dimension, 64) * (1 + Fraction(1, 2**30))


LAWS: dict[str, RadialLaw] = {
    "p 1": slope("0.1", "0.5", 1)[0],
    "p 2": slope("0.1", 1, 2)[0],
    "p 2, no power near zero": slope("0.1", 8, 2)[0],
    "p 8": slope("0.1", 1, 8)[0],
    "p 24": slope("0.1", 4, 24)[0],
    "p 200": slope("0.01", 4, 200)[0],
    "p 8, r barely above p": slope("0.1", barely("0.1", 8), 8)[0],
    "Pareto k 2, p 2": pareto_radius(2, Fraction(2)),
    "Pareto k 30, p 4": pareto_radius(4, Fraction(30)),
}


@lru_cache(maxsize=16)
def defined(alpha: float, epsilon: float, dimension: int) -> tuple[Floats, Floats]:
    """Radii from 10^-6 on and the density there, from the definition by steps of float64."""
    order = epsilon / np.log1p(alpha)
    radii = np.exp(np.linspace(np.log(1e-6), np.log(1e9), 2_000_001))
    with np.errstate(divide="ignore"):
        near = np.where(radii < 1 / alpha, (order - dimension) / (1 / alpha - radii), np.inf)
    rising = np.minimum(np.minimum(epsilon, near), (order + dimension) / (1 / alpha + radii))
    steps = np.diff(radii) * (rising[1:] + rising[:-1]) / 2
    density = radii ** (dimension - 1) * np.exp(-np.concatenate([[0.0], np.cumsum(steps)]))
    return radii, density / np.trapezoid(density, radii)
