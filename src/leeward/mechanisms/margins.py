"""Margins: how a table gets its 90 % error margins without giving sizes away.

The noise of most mechanisms follows the largest establishment, which is confidential; a margin
computed from it would publish it. So either some of the budget pays for a noisy scale, or the
mechanism's scale is public and margins are free, or there are none.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import exp, log
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from leeward.errors import InvalidParameter, shown
from leeward.mechanisms.additive import Additive
from leeward.mechanisms.log_laplace import LogLaplace
from leeward.mechanisms.parameters import LEAST_EPSILON, Parameters
from leeward.mechanisms.scale import Scale, least_margin
from leeward.noise.sampling import BOUND, Integers

COVERAGE = Fraction(9, 10)
FREE = ("clipped", "log_laplace", "edge_laplace")
"""Mechanisms whose noise scale is public or follows from what is released."""

MOST_JOBS = 10**9
"""No establishment has more jobs: whoever is that large still gets a margin of less than 2^62."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class NoMargins:
    """The plan says: none."""

    method: ClassVar[Literal["none"]] = "none"
    note: ClassVar[str] = "This table has no margins; its plan says so."


@dataclass(frozen=True)
class PublicMargins:
    """The noise scale is public: margins cost nothing."""

    method: ClassVar[Literal["public"]] = "public"
    note: ClassVar[str] = (
        "The scale of the noise is public, so margins cost nothing. They cover the noise, not a "
        "bias from clipping."
    )


@dataclass(frozen=True)
class SpentMargins:
    """Part of the budget pays for a noisy scale."""

    scale: Scale
    mechanism: Additive
    cells: int
    method: ClassVar[Literal["spent"]] = "spent"
    note: ClassVar[str] = (
        "Part of the table's budget pays for a noisy scale, from which the margins follow."
    )

    @property
    def epsilon(self) -> Fraction:
        """What the scales of all worker cells cost together."""
        return self.scale.parameters.epsilon * self.cells

    @property
    def factor(self) -> float:
        """The margin in units of the noisy scale; it allows for the noise of that scale too."""
        return _factor(self.scale, self.mechanism)

    def margins(self, indices: Integers) -> Integers:
        """Margins of released grid indices: post-processing of what is published."""
        with np.errstate(over="ignore"):  # an infinite margin is cut to the largest
            wide = self.factor * self.scale.smooth(indices)
        # S is at least 1, so a margin below that of S = 1 would be known to be too small.
        return whole(np.maximum(wide, self.least) + 0.5)

    @property
    def fit(self) -> bool:
        """Whether the margin of the largest establishment there may be is a number of 64 bits."""
        scale = max(self.scale.parameters.growth * MOST_JOBS, Fraction(1))
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


MarginRule = NoMargins | PublicMargins | SpentMargins


def spend(made: Additive, epsilon: Fraction, parts: int = 1) -> SpentMargins:
    """Margins of a mechanism for ε, which pays for the scales of so many worker cells.

    Refuses an ε that buys nothing: its scale is so noisy that no margin of 64 bits allows for it.
    """
    alpha, each = made.parameters.alpha, epsilon / parts
    if each >= LEAST_EPSILON:
        scale = Scale.calibrated(Parameters.read(alpha, each, 0, 1, "tight"))
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


def released_margins(
    rule: MarginRule, made: Additive, values: Integers, largest: Integers
) -> Integers | None:
    """Margins of released values; only bought ones look at the largest establishments."""
    if isinstance(rule, NoMargins):
        return None
    if isinstance(rule, SpentMargins):
        return for_all(rule.margins(rule.scale.release(None, largest)), values)
    if isinstance(made, LogLaplace):
        return log_laplace_margins(made, values)
    wide = made.quantile((1 + COVERAGE) / 2, None, 0)
    return np.full_like(values, np.asarray(wide))


def for_all(margins: Integers, values: Integers) -> Integers:
    """One margin for a workplace cell is the margin of each of its worker cells."""
    column = margins if margins.ndim == values.ndim else margins[:, None]
    return np.broadcast_to(column, values.shape)


def whole(margins: Floats) -> Integers:
    """Noise is whole, so a margin may be rounded down; a hair is added against float error.

    What is no number becomes the largest margin: too wide is honest, too narrow is not.
    """
    with np.errstate(over="ignore"):
        wide = margins * (1 + 1e-9)
    jobs: Integers = np.floor(np.fmin(wide, float(BOUND))).astype(np.int64)
    return jobs


def log_laplace_margins(mechanism: LogLaplace, values: Integers) -> Integers:
    """q·(released + 1/α), q the quantile of |1 − e^−η/c|: a function of what is published."""
    rate = float(mechanism.law.pieces[0].rate + 1)
    factor = float(mechanism.law.pieces[0].high or 0) + 1  # the law's peak is at c − 1
    q = _relative_quantile(1 / rate, factor)
    offset = 1 / float(mechanism.parameters.growth)
    return whole(q * (np.abs(values) + offset + 0.5) + 0.5)


def _relative_quantile(scale: float, factor: float) -> float:
    """The q with P(c(1−q) ≤ e^−η ≤ c(1+q)) = 0.9 for Laplace η, by bisection."""

    def below(bound: float) -> float:
        if bound <= 0:
            return 0.0
        x = log(bound) / scale
        return 0.5 * exp(x) if x < 0 else 1 - 0.5 * exp(-x)

    low, high = 0.0, 1.0
    while below(factor * (1 + high)) - below(factor * (1 - high)) < COVERAGE:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        covered = below(factor * (1 + middle)) - below(factor * (1 - middle))
        low, high = (middle, high) if covered < COVERAGE else (low, middle)
    return high
