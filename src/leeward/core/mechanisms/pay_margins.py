"""Margins of pay: intervals of payrolls and means, proved in pay_margins.proof.md."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import ClassVar

import numpy as np

from leeward.core.codebook import Cells
from leeward.core.codebook.cells import Margins
from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import precision
from leeward.core.mechanisms.calibrated import MarginMethod
from leeward.core.mechanisms.margin_cost import PaidScale
from leeward.core.mechanisms.measurement import COVERAGE
from leeward.core.mechanisms.parameters import LEAST_EPSILON, Parameters
from leeward.core.mechanisms.pay import Ends, Pairs, PayMechanism, largest_payroll, noisy_indices
from leeward.core.mechanisms.scale import STEPS, Scale, SizeGrid, smallest
from leeward.core.noise.body import Body
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import BOUND, CellNoise, Integers
from leeward.core.noise.tabulated import Floats

RATIOS = np.linspace(0, 1, 33)
"""Ratios of mean pay to the cap at which the noise of a contrast is looked at."""


@dataclass(frozen=True)
class ScalePair:
    """Grid indices of the largest establishment and of the largest payroll, as one noisy pair.

    Neighbours move each of them by 0 to STEPS in the same direction, so the pair by STEPS·K.
    """

    parameters: Parameters
    cap: int

    @property
    def spread(self) -> Fraction:
        """The scale of the noise in grid steps."""
        return STEPS / self.parameters.aimed

    @property
    def grids(self) -> tuple[SizeGrid, SizeGrid]:
        """Of jobs and of pay."""
        p = self.parameters
        return SizeGrid(p.growth, p.least), SizeGrid(p.growth, p.least * self.cap)

    def _release(self, cells: Cells, noise: Noise) -> Integers:
        """Noisy indices (w, 1, 2)."""
        jobs, pay = self.grids
        index = [jobs.index(cells.largest), pay.index(largest_payroll(cells))]
        return noisy_indices(np.stack(index, axis=-1)[:, None, :], self.spread, noise)

    def smooth(self, index: Integers) -> tuple[Floats, Floats]:
        """S̃ and S̃_P of released indices."""
        alpha = float(self.parameters.growth)
        with np.errstate(over="ignore"):
            found = [grid.sizes(index[:, 0, at]) * alpha for at, grid in enumerate(self.grids)]
        return found[0], found[1]


def low_noise(spread: float, *, both: bool) -> tuple[Floats, Floats]:
    """The noise of one index of a pair, or of the lower of the two, and its probabilities.

    Each bin counts as its lower end, less one for rounding: against the reader.
    """
    x = np.linspace(-40 * spread, 40 * spread, 8001)
    far = np.abs(x) / spread
    tail, double = np.exp(-far), (1 + far) * np.exp(-far)
    if both:  # cones in which the lower one is −E, −(E₁+E₂), and those in which it is E
        below = np.where(x < 0, (2 * tail + 2 * double) / 6, 1 - tail / 3)
    else:
        one_sided = (2 * tail + double) / 6
        below = np.where(x < 0, one_sided, 1 - one_sided)
    chance = np.diff(below, prepend=0.0)
    return np.concatenate([x[:1], x[:-1]]) - 1, chance


@dataclass(frozen=True)
class PayMargins(PaidScale):
    """Part of the budget pays for noisy scales, from which the intervals follow."""

    scale: Scale | ScalePair
    mechanism: PayMechanism
    method: ClassVar[MarginMethod] = "spent"
    note: ClassVar[str] = (
        "Part of the table's budget pays for a noisy scale, from which the intervals follow. They "
        "are about pay up to the cap: what the cap takes away is not covered."
    )
    coverage: ClassVar[Fraction] = COVERAGE
    ends: ClassVar[bool] = True

    @property
    def epsilon(self) -> Fraction:
        """What the scales cost."""
        return self.scale.parameters.epsilon

    def smooth(self, cells: Cells, noise: Noise) -> tuple[Floats, Floats]:
        """S̃ and S̃_P of each workplace cell, never below their least values Δ and ΔB."""
        mechanism, cap = self.mechanism, self.mechanism.cap
        least = float(mechanism.parameters.least)
        if isinstance(self.scale, ScalePair):
            jobs, pay = self.scale.smooth(self.scale._release(cells, noise))
        elif mechanism.by_payroll:
            pay = self.scale.smooth(self.scale._release(None, largest_payroll(cells), noise))
            jobs = np.zeros_like(pay)
        else:
            jobs = self.scale.smooth(self.scale._release(None, cells.largest, noise))
            pay = jobs * cap
        return np.maximum(jobs, least), np.maximum(pay, least * cap)

    def interval(self, found: Pairs, smooth: tuple[Floats, Floats]) -> Ends:
        """Ends (w, d) of what is published; infinite and crossing ones are no margin."""
        q = self.factor()
        jobs, pay = (q * one[:, None] for one in smooth)
        if self.mechanism.statistic == "payroll":
            return found.payroll - pay - 0.5, found.payroll + pay + 0.5
        # On one scale m·S is at most B·S, as no mean is above the cap.
        return mean_interval(found, jobs if self.mechanism.by_payroll else 0 * jobs, pay)

    def factor(self) -> float:
        """q: the noise stays within q times the noisy scale, allowing for the noise of that."""
        return _factor(self.scale, self.mechanism)

    def released(
        self, mechanism: object, values: Integers, largest: Integers, noise: Noise
    ) -> Margins:
        """Tables of pay ask for `smooth` and `interval`."""
        raise TypeError("intervals of pay follow from pairs")

    def typical(self, mechanism: object, size: int) -> int | None:
        """Tables of pay compute it."""
        return None

    def noise(self, mechanism: object) -> CellNoise | None:
        """Tables of pay have no totals."""
        return None


def mean_interval(found: Pairs, jobs: Floats, pay: Floats) -> Ends:
    """{m : |P̃ − mñ| ≤ max(pay, m·jobs) + ½(1+m)}, which has an end for ñ above ½ + jobs.

    `pay` and `jobs` bound the noise of payroll and count (pay.proof.md).
    """
    n, p = found.jobs.astype(np.float64), found.payroll.astype(np.float64)
    with np.errstate(all="ignore"):
        low = np.minimum((p - 0.5 - pay) / (n + 0.5), (p - 0.5) / (n + 0.5 + jobs))
        high = np.maximum((p + 0.5 + pay) / (n - 0.5), (p + 0.5) / (n - 0.5 - jobs))
    some = n - 0.5 > jobs
    return np.where(some, low, -np.inf), np.where(some, high, np.inf)


@lru_cache(maxsize=256)
def reach(body: Body, count: float, payroll: float, coverage: Fraction) -> float:
    """Within this |count·Z₁ + payroll·Z₂| stays with this probability, Z of density e^−‖z‖."""

    def kept(z: float) -> float:
        return 1 - float(body.beyond(count, payroll, np.array([z]))[0])

    return smallest(kept, coverage)


@lru_cache(maxsize=64)
def _factor(scale: Scale | ScalePair, mechanism: PayMechanism) -> float:
    """The largest over all ratios of mean pay to the cap; for a payroll the ratio is 0."""
    if isinstance(scale, Scale):
        weights, shrink = scale.shrinkage()
    else:
        with precision(128):
            step = float(scale.parameters.log_growth()) / STEPS
        mean = mechanism.statistic == "mean"
        noise, weights = low_noise(float(scale.spread), both=mean)
        shrink = np.exp(np.clip(noise * step, -300, 300))
    ratios = RATIOS if mechanism.statistic == "mean" else RATIOS[:1]

    def covered(q: float, ratio: float) -> float:
        return float((weights * (1 - mechanism.beyond(ratio, q * shrink))).sum())

    widest = 0.0
    for ratio in ratios.tolist():
        if covered(float(BOUND), ratio) < float(COVERAGE):
            return float(BOUND)
        if covered(widest, ratio) < float(COVERAGE):
            widest = smallest(partial(covered, ratio=ratio), COVERAGE)
    return widest


WIDEST = 10.0**6
"""A factor above this is no margin worth paying for."""


def pay_margins(mechanism: PayMechanism, epsilon: Fraction) -> PayMargins:
    """Intervals for ε; refuses one that buys nothing."""
    p = mechanism.parameters
    if epsilon >= LEAST_EPSILON:
        priced = p.of_scale(epsilon)
        scale: Scale | ScalePair = ScalePair(priced, mechanism.cap)
        if not mechanism.by_payroll:
            scale = Scale.calibrated(priced)
        elif not mechanism.with_count:
            # ln max(P_max, ΔB/α) moves by at most ln(1+α), as the logarithm of the size does.
            grid = SizeGrid(priced.growth, priced.least * mechanism.cap)
            scale = replace(Scale.calibrated(priced), grid=grid)
        rule = PayMargins(scale, mechanism)
        if rule.factor() < WIDEST:
            return rule
    raise InvalidParameter(
        "margins",
        rule="must be paid with enough epsilon for an interval that says something",
        value=f"epsilon {shown(epsilon)} for margins of {mechanism.name}",
        next_step="Give margins a larger share, use pay_clipped, or write margins: none.",
    )


def unpaid_margins(mechanism: PayMechanism) -> InvalidParameter:
    """The refusal of free intervals where the scale of the noise is confidential."""
    return InvalidParameter(
        "margins",
        rule="must be paid: the noise follows the largest establishment, which is confidential",
        value=f"free for {mechanism.name}",
        next_step="Give a share such as 1/10, use pay_clipped, or write margins: none.",
    )
