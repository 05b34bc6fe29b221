"""Printed: Smooth Gamma and Smooth Laplace as [H15] prints them, Algorithms 3 and 2. Not private.

Released is n + m·α·x/ε·Z + L/ε, x the largest establishment of the cell, Z with density ∝ 1/(1+z⁴)
and m = 16, or Z Laplace and m = 2, and L a second Laplace. Without the floor of one job under α·x a
small establishment that gains a worker is told apart (erratum 8), so this is compared, never
released. Numbers are real, as printed.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from leeward.core.codebook import Cells
from leeward.core.codebook.cells import Floats
from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import at_most, ball, dyadic_up, log_growth, precision, three_digits_up
from leeward.core.noise.law import Law, laplace
from leeward.core.noise.quartic import QuarticLaw
from leeward.core.noise.scales import Error
from leeward.core.randomness import SecretBits

LOG_LAPLACE, SMOOTH_GAMMA, SMOOTH_LAPLACE = "log_laplace", "smooth_gamma", "smooth_laplace"
"""The three algorithms of [H15]; the first is printed there as in [H16]."""


class FormOf2015(NamedTuple):
    """The law of the noise that follows the establishment, its multiple, and the least ε/λ."""

    law: Law
    multiple: int
    least: int


FORMS = {
    SMOOTH_GAMMA: FormOf2015(QuarticLaw(), 16, 4),
    SMOOTH_LAPLACE: FormOf2015(laplace(), 2, 0),
}

_STEPS = np.arange(-4.0, 4.0, 1 / 16)
NODES = np.exp(np.pi / 2 * np.sinh(_STEPS))
WEIGHTS = NODES * np.pi / 2 * np.cosh(_STEPS) / 16
"""A quadrature of [0, ∞) that is as good for a peak at 10⁻⁶ as for one at 10⁶."""


@dataclass(frozen=True)
class PrintedForm:
    """One of the two algorithms at an α and an ε that its condition allows."""

    mechanism: str
    alpha: Fraction
    epsilon: Fraction

    def __post_init__(self) -> None:
        times = FORMS[self.mechanism].least
        if not at_most(lambda: times * log_growth(self.alpha), lambda: ball(self.epsilon)):
            with precision(256):
                least = three_digits_up(times * log_growth(self.alpha))
            raise InvalidParameter(
                "epsilon",
                rule=f"must be at least {times}·ln(1+alpha) for each worker cell",
                value=shown(self.epsilon),
                next_step=f"The smallest that works is {least}.",
            )

    def released(self, cells: Cells) -> Floats:
        """Real numbers (w, d) with the noise of both terms."""
        bits, counts = SecretBits(), cells.counts
        size = counts.size
        near, far = (
            law.approximate(bits.words64(size))[0].reshape(counts.shape)
            for law in (FORMS[self.mechanism].law, laplace())
        )
        return counts + (self._multiples(cells) * near + far) / float(self.epsilon)

    def errors(self, cells: Cells) -> Error:
        """Mean, mean absolute value and mean square of the noise of each cell (w, d)."""
        law, epsilon = FORMS[self.mechanism].law, float(self.epsilon)
        wide = self._multiples(cells)
        unique, inverse = np.unique(wide, return_inverse=True)
        absolute = mean_absolute(law, unique)[inverse].reshape(wide.shape)
        square = (law.moment(2) or 0.0) * wide**2 + 2
        return Error(np.zeros(wide.shape), absolute / epsilon, square / epsilon**2)

    def _multiples(self, cells: Cells) -> Floats:
        """m·α·x: the noise that follows the establishment, in units of the second noise."""
        times = float(self.alpha * FORMS[self.mechanism].multiple)
        return times * cells.own_largest().astype(np.float64)


def mean_absolute(law: Law, scale: Floats) -> Floats:
    """E|s·Z + L| of a symmetric Z and a Laplace L, for each scale s.

    E|y + L| = |y| + e^−|y|, and E e^−s|Z| = 1 − ∫ s·e^−sz·P(|Z| > z) dz by parts.
    """
    beyond = law.float_tails(-NODES)[0] + law.float_tails(NODES)[1]
    taken = (scale[:, None] * np.exp(-scale[:, None] * NODES)) @ (WEIGHTS * beyond)
    errors: Floats = scale * (law.moment(1, absolute=True) or 0.0) + 1 - taken
    return errors


def stated_delta(alpha: Fraction, epsilon: Fraction) -> Fraction:
    """The smallest δ for which the papers state Smooth Laplace: e^(−ε/2λ), rounded up."""
    with precision(128):
        halvings = int(float(ball(epsilon) / log_growth(alpha)))
    with precision(256 + halvings):
        return dyadic_up((-ball(epsilon) / (2 * log_growth(alpha))).exp(), 128 + halvings)
