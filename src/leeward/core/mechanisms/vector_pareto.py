"""Vector Pareto: a whole block of worker cells for one ε.

Proof in vector_pareto.proof.md. n + σ·(L_1, …, L_d)/H with L_i Laplace and one shared
H ~ Gamma(k), so the density is ∝ (1+‖z‖₁)^−(d+k); each cell alone is two-sided Pareto.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import lgamma, log, sqrt
from typing import ClassVar

import numpy as np
from flint import arb

from leeward.core.exact import at_most, ball, dyadic_down, precision
from leeward.core.mechanisms.additive import Covered
from leeward.core.mechanisms.calibrated import JobLoss, Words
from leeward.core.mechanisms.one_job import by_power
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.radial_block import LOG_REACHES, RadialBlock
from leeward.core.noise.radial_law import RadialLaw, pareto_radius
from leeward.core.noise.tabulated import Floats

BITS = 96
NODES = 801
"""Points of the integral over ln H, whose integrand falls off faster than exponentially."""


class PowerTails:
    """A radius of density ∝ ρ^(p−1)·(1+ρ)^−(p+shape) in units of S/step."""

    parameters: Parameters
    radius: RadialLaw
    shape: Fraction
    step: Fraction

    @property
    def unit(self) -> Fraction:
        """1/t."""
        return 1 / self.step

    def one_job(self) -> JobLoss:
        """By the three conditions of the theorem."""
        dimension = self.radius.dimension
        return by_power(self.parameters, dimension, self.shape, self.step), Fraction(0)


@dataclass(frozen=True)
class VectorPareto(PowerTails, RadialBlock):
    """Joint noise of scale S/t, S = max(α·largest total size, Δ), of power tails k."""

    name: ClassVar[str] = "vector_pareto"
    words: ClassVar[Words] = Words(
        label="Pareto",
        noise="All worker cells of a workplace cell get their random numbers together, in "
        "proportion to the largest establishment; they are zero on average, mostly small, and "
        "now and then large.",
    )
    parameters: Parameters
    radius: RadialLaw = field(repr=False)
    shape: Fraction
    step: Fraction

    @classmethod
    def calibrated(cls, parameters: Parameters) -> "VectorPareto":
        """The k and t of smallest expected error among those that keep the promise."""
        parameters.only_tight(cls.name)
        cells = parameters.cells
        shape, step = tail_and_step(parameters, cells)
        return cls(parameters, pareto_radius(cells, shape), shape, step)

    @property
    def shared(self) -> int | None:
        """k of one H ~ Gamma(k), by which every Laplace number is divided."""
        return int(self.shape) if self.parameters.cells > 1 else None

    def together(self, alone: Covered) -> Covered:
        """P(|Z| ≤ z in all d cells) = E(1−e^(−zH))^d, between points of a fine table."""
        d = self.parameters.cells
        return lambda z: np.interp(np.log(z), LOG_REACHES, _joint(float(self.shape), d), left=0.0)


@lru_cache(maxsize=64)
def _joint(k: float, d: int) -> Floats:
    """E(1−e^(−zH))^d, H ~ Gamma(k), at the points of the table.

    The trapezoidal rule in ln H: the alternating sum Σ C(d,j)(−1)^j(1+jz)^−k loses all digits
    for large d.
    """
    wide = 12 / sqrt(k)
    t = np.linspace(log(k) - wide - 45 / k, log(k) + wide, NODES)
    weight = np.exp(k * t - np.exp(t) - lgamma(k)) * (t[1] - t[0])
    inside = -np.expm1(-np.exp(LOG_REACHES[:, None] + t))
    return np.asarray(inside**d @ weight)


def tail_and_step(
    parameters: Parameters, dimension: int, *, whole: bool = False
) -> tuple[Fraction, Fraction]:
    """The k and t of smallest error for noise of density ∝ (1+‖z‖)^−(dimension+k), any norm.

    In several dimensions k is whole, and everywhere if it is asked to be.
    """
    whole = whole or dimension > 1
    with precision(256):
        growth, total = parameters.log_growth(), ball(parameters.aimed)
        top, least = dyadic_down(total / growth, 32), growth * dimension
        if not total > least or top <= (2 if whole else 0):
            number = "cells" if parameters.cells == dimension else "dimension"
            raise parameters.refuse_epsilon(f"must be above {number}·ln(1+alpha)", least)
        if whole:  # for a block, so that H is a sum of exponentials
            most = min(int(top), max(64, 16 * dimension))
            shapes = [Fraction(k) for k in range(2, most + 1)]
        else:  # a fine grid for a single cell, whose quantile needs no H
            grid = np.geomspace(1.0, float(top), 400)[1:-1]
            shapes = [top, *(Fraction(round(k * 2**32), 2**32) for k in grid if 1 < k < top)]
        shape = max(shapes, key=lambda k: _step(parameters, k, dimension) * (k - 1))
        step = _step(parameters, shape, dimension)
    _certify(parameters, shape, step, dimension)
    return shape, step


def _step(parameters: Parameters, shape: Fraction, dimension: int) -> Fraction:
    """The largest t, rounded down, that the first two conditions of the theorem allow."""
    epsilon, growth = ball(parameters.aimed), parameters.log_growth()
    order = ball(shape + dimension)
    shift_only = (epsilon / order).expm1()
    with_dilation = growth.exp() * ((epsilon - dimension * growth) / order).expm1()
    return min(dyadic_down(shift_only, BITS), dyadic_down(with_dilation, BITS))


def _certify(parameters: Parameters, shape: Fraction, step: Fraction, dimension: int) -> None:
    """All three conditions of the theorem, checked once more in ball arithmetic."""
    growth, order = parameters.log_growth, shape + dimension

    def promised() -> arb:
        return ball(parameters.epsilon)

    conditions = (
        lambda: ball(order) * ball(step).log1p(),
        lambda: dimension * growth() + ball(order) * (ball(step) * (-growth()).exp()).log1p(),
        lambda: ball(shape) * growth(),
    )
    if step <= 0 or not all(at_most(condition, promised) for condition in conditions):
        raise ArithmeticError("a power-tailed calibration does not meet its own conditions")
