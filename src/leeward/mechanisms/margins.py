"""Margins: how a table gets its 90 % error margins without giving sizes away.

The noise of most mechanisms follows the largest establishment, which is confidential; a margin
computed from it would publish it. So either some of the budget pays for a noisy scale, or the
mechanism's scale is public and margins are free, or there are none.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np

from leeward.errors import InvalidParameter, shown
from leeward.exact import precision
from leeward.mechanisms.additive import Additive
from leeward.mechanisms.measurement import (
    COVERAGE,
    MarginMethod,
    MarginRule,
    Mechanism,
    PublicScale,
)
from leeward.mechanisms.parameters import LEAST_EPSILON, Parameters
from leeward.mechanisms.scale import Scale, least_margin
from leeward.mechanisms.size_grid import STEPS
from leeward.model.size_profile import MOST_JOBS
from leeward.noise.integers import for_each_cell, whole_margins
from leeward.noise.scales import BOUND, CellNoise, Integers, Noise


@dataclass(frozen=True)
class NoMargins:
    """The plan says: none."""

    method: ClassVar[MarginMethod] = "none"
    note: ClassVar[str] = "This table has no margins; its plan says so."
    coverage: ClassVar[None] = None
    epsilon: ClassVar[Fraction] = Fraction(0)

    def released(
        self, mechanism: PublicScale, values: Integers, largest: Integers, noise: Noise
    ) -> None:
        """No margins."""

    def typical(self, mechanism: PublicScale, size: int) -> None:
        """No margin."""

    def noise(self, mechanism: PublicScale) -> None:
        """Nothing follows from margins that are not there."""


@dataclass(frozen=True)
class PublicMargins:
    """The noise scale is public or follows from what is released: margins cost nothing."""

    method: ClassVar[MarginMethod] = "public"
    note: ClassVar[str] = (
        "The scale of the noise is public, so margins cost nothing. They cover the noise, not a "
        "bias from clipping."
    )
    coverage: ClassVar[Fraction] = COVERAGE
    epsilon: ClassVar[Fraction] = Fraction(0)

    def released(
        self, mechanism: PublicScale, values: Integers, largest: Integers, noise: Noise
    ) -> Integers:
        """As the mechanism says; the largest establishments play no part."""
        return mechanism.public_margins(values)

    def typical(self, mechanism: PublicScale, size: int) -> int:
        """The margin of a released value of this size."""
        return int(mechanism.public_margins(np.array([size]))[0])

    def noise(self, mechanism: PublicScale) -> CellNoise:
        """As the mechanism says."""
        return mechanism.public_noise()


@dataclass(frozen=True)
class SpentMargins:
    """Part of the budget pays for a noisy scale."""

    scale: Scale
    mechanism: Additive
    cells: int
    method: ClassVar[MarginMethod] = "spent"
    note: ClassVar[str] = (
        "Part of the table's budget pays for a noisy scale, from which the margins follow."
    )
    coverage: ClassVar[Fraction] = COVERAGE

    @property
    def epsilon(self) -> Fraction:
        """What the scales of all worker cells cost together."""
        return self.scale.parameters.epsilon * self.cells

    def released(
        self, mechanism: PublicScale, values: Integers, largest: Integers, noise: Noise
    ) -> Integers:
        """Margins of scales that are released with noise of their own."""
        return for_each_cell(self.margins(self.scale._release(None, largest, noise)), values)

    def typical(self, mechanism: PublicScale, size: int) -> int:
        """The margin of the scale's true grid index."""
        return int(self.margins(self.scale.grid.index(np.array([size])))[0])

    def noise(self, mechanism: PublicScale) -> CellNoise:
        """Margins are `factor` times a noisy S, so the true S follows but for the noise of it."""
        made, scale = self.mechanism, self.scale
        unit = float(made.scale(0, 0))
        with precision(128):
            step = float(scale.parameters.log_growth() / STEPS)
        return CellNoise(
            made.law,
            share=unit / made.parameters.plus / self.factor,
            least=unit,
            rate=float(scale.law.pieces[0].rate),
            step=step,
            by_cell=self.cells > 1,
            shared=made.shared,
        )

    @property
    def factor(self) -> float:
        """The margin in units of the noisy scale; it allows for the noise of that scale too."""
        return _factor(self.scale, self.mechanism)

    def margins(self, indices: Integers) -> Integers:
        """Margins of released grid indices: post-processing of what is published."""
        with np.errstate(over="ignore"):  # an infinite margin is cut to the largest
            wide = self.factor * self.scale.smooth(indices)
        # S is at least Δ, so a margin below that of S = Δ would be known to be too small.
        return whole_margins(np.maximum(wide, self.least) + 0.5)

    @property
    def fit(self) -> bool:
        """Whether the margin of the largest establishment there may be is a number of 64 bits."""
        parameters = self.scale.parameters
        scale = max(parameters.growth * MOST_JOBS, Fraction(parameters.plus))
        return self.scale.covers(float(BOUND / scale), self.mechanism, COVERAGE)

    @property
    def least(self) -> float:
        """The margin where the noise is smallest, in jobs."""
        return _least(self.mechanism)


@lru_cache(maxsize=64)  # slow to find, and the same in the plan and in every batch
def _factor(scale: Scale, mechanism: Additive) -> float:
    return scale.margin(mechanism, COVERAGE)


@lru_cache(maxsize=64)
def _least(mechanism: Additive) -> float:
    return least_margin(mechanism, COVERAGE)


def spend(made: Mechanism, epsilon: Fraction, parts: int = 1) -> SpentMargins:
    """Margins of a mechanism for ε, which pays for the scales of `parts` worker cells.

    Refuses an ε that buys nothing: its scale is so noisy that no margin of 64 bits allows for it.
    """
    if not isinstance(made, Additive):
        raise AssertionError("margins of a public scale are not paid for")
    alpha, each = made.parameters.alpha, epsilon / parts
    if each >= LEAST_EPSILON:
        plus = made.parameters.plus
        scale = Scale.calibrated(Parameters.read(alpha, each, 0, 1, "tight", plus))
        rule = SpentMargins(scale, made, parts)
        if rule.fit:
            return rule
    raise InvalidParameter(
        "margins",
        rule="must be paid with enough epsilon for margins of 64 bits, for establishments of up to "
        f"{MOST_JOBS} jobs",
        value=f"epsilon {shown(epsilon)} for margins of {made.name}"
        + (f", shared by {parts} worker cells" if parts > 1 else ""),
        next_step="Give margins a larger share, or write margins: none.",
    )


def free_or_none(share: Fraction | None) -> MarginRule:
    """The rule of a mechanism whose margins cost nothing, whatever share was offered for them."""
    return NoMargins() if share is None else PublicMargins()
