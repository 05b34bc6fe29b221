"""Noise: what mechanisms ask for; releases have it of the system's random bits.

Nothing here draws, so a mechanism can be calibrated and judged without a random bit.
"""

from fractions import Fraction
from typing import Protocol

from leeward.core.noise.body import Body
from leeward.core.noise.design import Design
from leeward.core.noise.radial_law import RadialLaw
from leeward.core.noise.scales import Integers, Laws, Scales, TwoScales


class Noise(Protocol):
    """True whole numbers become noisy ones of the same shape, within ±BOUND.

    A mechanism says to which numbers noise is added, of which law and scale. Releases add
    `secret()`, whose bits are the system's; no public function takes another. The auditor runs
    the same code with noise of its own, which records what was asked for.
    """

    def rounded(self, true: Integers, law: Laws, scales: Scales) -> Integers:
        """true + ⌊scale·Z + ½⌋, independently for each entry of a column."""

    def gaussian(self, true: Integers, variance: Fraction) -> Integers:
        """Discrete Gaussian noise, independently for each entry of any shape."""

    def block(self, true: Integers, scales: Scales, law: RadialLaw) -> Integers:
        """Joint noise of each row (rows, cells): its size Σ|z| has this law, its direction none."""

    def pairs(
        self, true: Integers, scales: TwoScales, body: Body, law: RadialLaw | None
    ) -> Integers:
        """Noise of pairs (count, payroll) of each row (rows, cells, 2), drawn together.

        Σ‖z_i‖ in the body's norm has this law; without one the density is ∝ e^−Σ‖z_i‖.
        """

    def joint(
        self, true: Integers, scales: Scales, design: Design, law: RadialLaw | None
    ) -> Integers:
        """Noise of each row (rows, D) that keeps its tables adding up.

        N, the design's norm, has this law; without one the density is ∝ e^−N.
        """


def secret() -> Noise:
    """The noise of releases, loaded with the first draw: a plan loads none."""
    from leeward.core.noise.draws import SECRET  # noqa: PLC0415 (a plan must not load draws)

    return SECRET
