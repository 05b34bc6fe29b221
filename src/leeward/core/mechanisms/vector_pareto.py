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
from numpy.typing import ArrayLike

from leeward.core.exact import at_most, ball, dyadic_down, precision
from leeward.core.mechanisms.additive import Additive, Covered
from leeward.core.mechanisms.calibrated import Claims, JobLoss, Words
from leeward.core.mechanisms.checked_columns import block_shape, whole_numbers
from leeward.core.mechanisms.one_job import by_power
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.noise.law import PiecewiseLaw, pareto
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import Integers, Scales
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import StrongAlpha

BITS = 96
LOG_REACHES = np.linspace(np.log(1e-6), np.log(1e9), 1201)
"""Where joint coverage is computed, as ln z: between them it is straight to 10⁻⁴."""

NODES = 801
"""Points of the integral over ln H, whose integrand falls off faster than exponentially."""


@dataclass(frozen=True)
class VectorPareto(Additive):
    """Joint noise of scale S/t, S = max(α·largest total size, Δ).

    `counts` is (workplaces, cells), `largest` (workplaces,): the largest establishment counted
    with *all* its jobs. Filters and incomplete code lists are covered. With one cell, plain
    columns of equal shape are accepted too. Errors and distributions are those of one cell.
    """

    name: ClassVar[str] = "vector_pareto"
    words: ClassVar[Words] = Words(
        label="Pareto",
        noise="All worker cells of a workplace cell get their random numbers together, in "
        "proportion to the largest establishment; they are zero on average, mostly small, and "
        "now and then large.",
    )
    joint: ClassVar[bool] = True
    claims: ClassVar[Claims] = {kind: (StrongAlpha(),) for kind in ("workplace", "worker", "gains")}

    parameters: Parameters
    law: PiecewiseLaw = field(repr=False)
    shape: Fraction
    step: Fraction

    @classmethod
    def calibrated(cls, parameters: Parameters) -> "VectorPareto":
        """The k and t of smallest expected error among those that keep the promise."""
        parameters.only_tight(cls.name)
        shape, step = tail_and_step(parameters, parameters.cells)
        return cls(parameters, pareto(shape), shape, step)

    def _release(
        self, counts: ArrayLike | None, largest: ArrayLike | None, noise: Noise
    ) -> Integers:
        """Noisy counts (workplaces, cells), each row drawn jointly."""
        n = whole_numbers([] if counts is None else counts, "counts")
        x = whole_numbers([] if largest is None else largest, "largest")
        if self.parameters.cells == 1 and n.shape == x.shape:
            return super()._release(n, x, noise)
        block_shape(n, x, self.parameters.cells)
        if self.parameters.cells == 1:
            return super()._release(n[:, 0], x, noise)[:, None]
        return noise.block(n, self.scales(x, x), int(self.shape))

    @property
    def shared(self) -> int | None:
        """A single cell has no block."""
        return int(self.shape) if self.parameters.cells > 1 else None

    def columns(
        self, counts: ArrayLike | None, largest: ArrayLike | None
    ) -> tuple[Integers, Integers]:
        """Only the largest establishment matters for the noise."""
        if largest is None or self.parameters.cells == 1:
            return super().columns(counts, largest)
        x = whole_numbers(largest, "largest")
        return x, x

    def together(self, alone: Covered) -> Covered:
        """P(|Z| ≤ z in all d cells) = E(1−e^(−zH))^d, between points of a fine table."""
        d = self.parameters.cells
        return lambda z: np.interp(np.log(z), LOG_REACHES, _joint(float(self.shape), d), left=0.0)

    def one_job(self) -> JobLoss:
        """By the three conditions of the theorem."""
        return by_power(self.parameters, self.parameters.cells, self.shape, self.step), Fraction(0)

    def scales(self, counts: Integers, largest: Integers) -> Scales:
        """S/t with S = max(αX, Δ)."""
        alpha = self.parameters.growth
        return Scales(largest, floor=self.parameters.floor, factor=alpha / self.step)


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
