"""Vector Pareto: a whole block of worker cells for one ε.

Proof in vector_pareto.proof.md. n + σ·(L_1, …, L_d)/H with L_i Laplace and one shared
H ~ Gamma(k), so the density is ∝ (1+‖z‖₁)^−(d+k); each cell alone is two-sided Pareto.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np
from flint import arb
from numpy.typing import ArrayLike

from leeward.exact import at_most, ball, dyadic_down, precision
from leeward.mechanisms.additive import Additive
from leeward.mechanisms.measurement import Claims, Words
from leeward.mechanisms.parameters import Parameters
from leeward.noise.integers import block_shape, whole_numbers
from leeward.noise.law import PiecewiseLaw, pareto
from leeward.noise.scales import Integers, Noise, Scales
from leeward.privacy import StrongAlpha

BITS = 96


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
    claims: ClassVar[Claims] = {"workplace": (StrongAlpha(),), "worker": (StrongAlpha(),)}

    parameters: Parameters
    law: PiecewiseLaw = field(repr=False)
    shape: Fraction
    step: Fraction

    @classmethod
    def calibrated(cls, parameters: Parameters) -> "VectorPareto":
        """The k and t of smallest expected error among those that keep the promise."""
        parameters.only_tight(cls.name)
        d = parameters.cells
        with precision(256):
            total = parameters.aim() * d
            top = dyadic_down(total / parameters.log_growth(), 32)
            least = parameters.log_growth() * d
            if not total > least or top <= min(d, 2) - Fraction(d == 1):
                raise parameters.refuse_epsilon("must be above cells·ln(1+alpha)", least)
            shape = max(_shapes(top, d), key=lambda k: _step(parameters, k) * (k - 1))
            step = _step(parameters, shape)
        _certify(parameters, shape, step)
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

    def scales(self, counts: Integers, largest: Integers) -> Scales:
        """S/t with S = max(αX, Δ)."""
        alpha = self.parameters.growth
        return Scales(largest, floor=self.parameters.floor, factor=alpha / self.step)


def _shapes(top: Fraction, d: int) -> Iterable[Fraction]:
    """Candidates for k: integers for a block, so that H is a sum of exponentials; a fine grid
    for a single cell, whose quantile needs no H."""
    if d > 1:
        return (Fraction(k) for k in range(2, min(int(top), max(64, 16 * d)) + 1))
    grid = np.geomspace(1.0, float(top), 400)[1:-1]
    return (top, *(Fraction(round(k * 2**32), 2**32) for k in grid if 1 < k < top))


def _step(parameters: Parameters, shape: Fraction) -> Fraction:
    """The largest t, rounded down, that the first two conditions of the theorem allow."""
    d, epsilon = parameters.cells, parameters.aim() * parameters.cells
    growth = parameters.log_growth()
    order = ball(shape + d)
    shift_only = (epsilon / order).expm1()
    with_dilation = growth.exp() * ((epsilon - d * growth) / order).expm1()
    return min(dyadic_down(shift_only, BITS), dyadic_down(with_dilation, BITS))


def _certify(parameters: Parameters, shape: Fraction, step: Fraction) -> None:
    """All three conditions of the theorem, checked once more in ball arithmetic."""
    d, growth = parameters.cells, parameters.log_growth

    def promised() -> arb:
        return ball(parameters.epsilon)

    conditions = (
        lambda: ball(shape + d) * ball(step).log1p(),
        lambda: d * growth() + ball(shape + d) * (ball(step) * (-growth()).exp()).log1p(),
        lambda: ball(shape) * growth(),
    )
    if step <= 0 or not all(at_most(condition, promised) for condition in conditions):
        raise ArithmeticError("vector_pareto: calibration does not meet its own conditions")
