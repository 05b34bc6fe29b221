"""Margins: how a table gets its 90 % error margins without giving sizes away.

The noise of most mechanisms follows the largest establishment, which is confidential; a margin
computed from it would publish it. So either some of the budget pays for a noisy scale, or the
mechanism's scale is public and margins are free, or there are none.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np

from leeward.core.codebook.cells import Margins
from leeward.core.codebook.marginal import BLOCK, margin_columns
from leeward.core.codebook.size_profile import MOST_JOBS
from leeward.core.errors import InvalidParameter, shown
from leeward.core.mechanisms.additive import Additive
from leeward.core.mechanisms.calibrated import MarginMethod, Mechanism, PublicScale
from leeward.core.mechanisms.margin_cost import PaidScale, Unpaid
from leeward.core.mechanisms.measurement import COVERAGE
from leeward.core.mechanisms.parameters import LEAST_EPSILON
from leeward.core.mechanisms.scale import Scale, allowance_for, least_margin, per_job, two_sided
from leeward.core.noise.law import Law
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import BOUND, CellNoise, Integers, whole_margins
from leeward.core.noise.tabulated import Floats

SELDOM = Fraction(39, 40)
"""How often a bound by the count must hold where it is used beside a noisy scale.

The smaller one of two scales is used, so that each must hold more often than nine times of ten.
"""


@dataclass(frozen=True)
class NoMargins(Unpaid):
    """The plan says: none."""

    method: ClassVar[MarginMethod] = "none"
    note: ClassVar[str] = "This table has no margins; its plan says so."
    coverage: ClassVar[None] = None

    ends: ClassVar[bool] = False

    def released(
        self, mechanism: PublicScale, values: Integers, largest: Integers, noise: Noise
    ) -> Margins:
        """No margins."""
        return {}

    def typical(self, mechanism: PublicScale, size: int) -> None:
        """No margin."""

    def noise(self, mechanism: PublicScale) -> None:
        """Nothing follows from margins that are not there."""


@dataclass(frozen=True)
class PublicMargins(Unpaid):
    """The noise scale is public or follows from what is released: margins cost nothing."""

    method: ClassVar[MarginMethod] = "public"
    note: ClassVar[str] = "The scale of the noise is public, so margins cost nothing."
    coverage: ClassVar[Fraction] = COVERAGE
    ends: ClassVar[bool] = False

    def released(
        self, mechanism: PublicScale, values: Integers, largest: Integers, noise: Noise
    ) -> Margins:
        """As the mechanism says; the largest establishments play no part.

        The misses of d cells add up at most, so each may miss d times more seldom (Bonferroni).
        """
        cells = mechanism.parameters.cells
        levels = (COVERAGE, 1 - (1 - COVERAGE) / cells)
        columns = margin_columns(ends=False, block=cells > 1)
        return {
            name: mechanism.public_margins(values, level)
            for name, level in zip(columns, levels, strict=False)
        }

    def typical(self, mechanism: PublicScale, size: int) -> int:
        """The margin of a released value of this size."""
        return int(mechanism.public_margins(np.array([size]), COVERAGE)[0])

    def noise(self, mechanism: PublicScale) -> CellNoise:
        """As the mechanism says."""
        return mechanism.public_noise()


@dataclass(frozen=True)
class NarrowedMargins(PublicMargins):
    """The same where the plan gives a larger error for intervals that allow less for clipping."""

    note: ClassVar[str] = (
        "The scale of the noise is public. For its share for margins the plan has a larger bound "
        "and a more precise maximum, so that intervals allow less for clipping."
    )


@dataclass(frozen=True)
class SpentMargins(PaidScale):
    """Part of the budget pays for a noisy scale."""

    scale: Scale
    mechanism: Additive
    cells: int
    bounded: bool = False
    """Whether no establishment counts for more jobs than its cell has."""

    method: ClassVar[MarginMethod] = "spent"
    note: ClassVar[str] = (
        "Part of the table's budget pays for a noisy scale, from which the margins follow."
    )
    coverage: ClassVar[Fraction] = COVERAGE
    ends: ClassVar[bool] = False

    @property
    def epsilon(self) -> Fraction:
        """What the scales of all worker cells cost together."""
        return self.scale.parameters.epsilon * self.cells

    def released(
        self, mechanism: PublicScale, values: Integers, largest: Integers, noise: Noise
    ) -> Margins:
        """Margins of scales that are released with noise of their own, once for all columns."""
        indices = self.scale._release(None, largest, noise)
        columns = margin_columns(ends=False, block=self.mechanism.parameters.cells > 1)
        return {
            name: for_each_cell(self.margins(indices, block=name.startswith(BLOCK)), values)
            for name in columns
        }

    def typical(self, mechanism: PublicScale, size: int) -> int:
        """The margin of the scale's true grid index."""
        return int(self.margins(self.scale.grid.index(np.array([size])))[0])

    def noise(self, mechanism: PublicScale) -> CellNoise:
        """The scale at which a cell's margin is just wide enough, or that of its count."""
        additive = self.mechanism
        bound = per_job(additive) * allowance_for(additive, SELDOM) if self.bounded else np.inf
        return CellNoise(
            additive.public_law,
            share=1 / two_sided(additive),
            least=float(additive.scale(0, 0)),
            shared=additive.shared,
            slope=None if bound == np.inf else bound,
            lean=additive.lean,
        )

    def factor(self, *, block: bool = False) -> float:
        """The margin in units of the noisy scale; it allows for the noise of that scale too."""
        return _factor(self.scale, self.mechanism, block)

    def margins(self, indices: Integers, *, block: bool = False) -> Integers:
        """Margins of released grid indices: post-processing of what is published."""
        with np.errstate(over="ignore"):  # an infinite margin is cut to the largest
            wide = self.factor(block=block) * self.scale.smooth(indices)
        # S is at least Δ, so a margin below that of S = Δ would be known to be too small.
        return whole_margins(np.maximum(wide, _least(self.mechanism, block)) + 0.5)

    @property
    def fit(self) -> bool:
        """Whether the margin of the largest establishment there may be is a number of 64 bits."""
        parameters = self.scale.parameters
        scale = max(parameters.growth * MOST_JOBS, parameters.least)
        return self.scale.covers(float(BOUND / scale), self.mechanism, COVERAGE)


@lru_cache(maxsize=64)  # slow to find, and the same in the plan and in every batch
def _factor(scale: Scale, mechanism: Additive, block: bool) -> float:
    return scale.margin(mechanism, COVERAGE, block=block)


@lru_cache(maxsize=64)
def _least(mechanism: Additive, block: bool) -> float:
    return least_margin(mechanism, COVERAGE, block=block)


def spend(
    mechanism: Mechanism, epsilon: Fraction, parts: int = 1, *, bounded: bool = False
) -> SpentMargins:
    """Margins of a mechanism for ε, which pays for the scales of `parts` worker cells.

    Refuses an ε that buys nothing: its scale is so noisy that no margin of 64 bits allows for it.
    """
    if not isinstance(mechanism, Additive):
        raise AssertionError("margins of a public scale are not paid for")
    each = epsilon / parts
    if each >= LEAST_EPSILON:
        scale = Scale.calibrated(mechanism.parameters.of_scale(each))
        rule = SpentMargins(scale, mechanism, parts, bounded)
        if rule.fit:
            return rule
    raise InvalidParameter(
        "margins",
        rule="must be paid with enough epsilon for margins of 64 bits, for establishments of up to "
        f"{MOST_JOBS} jobs",
        value=f"epsilon {shown(epsilon)} for margins of {mechanism.name}"
        + (f", shared by {parts} worker cells" if parts > 1 else ""),
        next_step="Give margins a larger share, or write margins: none.",
    )


def for_each_cell(margins: Integers, values: Integers) -> Integers:
    """One margin for a workplace cell is the margin of each of its worker cells."""
    column = margins if margins.ndim == values.ndim else margins[:, None]
    return np.broadcast_to(column, values.shape)


HAIR = 1e-9


@dataclass(frozen=True)
class CountMargins(Unpaid):
    """Intervals from the released values only: no establishment is larger than its cell.

    Proof in error_margins.proof.md; workplace tables only, where every job is counted. A cell's
    noise is between `below` and `above` times max(slope·n, least) jobs.
    """

    below: float
    above: float
    slope: float
    least: float
    allowance: float
    law: Law = field(repr=False)
    wider: float = 1.0
    method: ClassVar[MarginMethod] = "free"
    note: ClassVar[str] = (
        "The intervals follow from the released values alone and cost nothing: no establishment "
        "is larger than its cell."
    )
    coverage: ClassVar[Fraction] = COVERAGE
    ends: ClassVar[bool] = True

    @classmethod
    def of(cls, mechanism: Additive) -> "CountMargins":
        """Refuses noise that may take a cell of any size to below zero: no number bounds it."""
        below, above = mechanism.extremes((1 - COVERAGE) / 2)
        least = mechanism.scale(0, 0)
        slope = per_job(mechanism)
        if slope * abs(below) < 1:
            allowance = allowance_for(mechanism, COVERAGE)
            law, wider = mechanism.law, mechanism.wider
            return cls(below, above, slope, float(least), allowance, law, wider)
        raise InvalidParameter(
            "margins",
            rule="must be paid where noise as large as a cell is not rare: nothing bounds its size",
            value=f"free for {mechanism.name}",
            next_step="Give a share such as 1/4, raise epsilon, or write margins: none.",
        )

    def released(
        self, mechanism: PublicScale, values: Integers, largest: Integers, noise: Noise
    ) -> Margins:
        """Functions of the values; the largest establishments play no part."""
        low, high = self.interval(values)
        return {"low": low, "high": high}

    def interval(self, values: Integers) -> tuple[Integers, Integers]:
        """The whole numbers n for which v − n can be rounded noise of a cell of n jobs."""
        known = self.least / self.slope  # up to here the noise is the least one
        v = values.astype(np.float64)
        shrunk, moved = (v - 0.5) / (1 + self.slope * self.above), v - 0.5 - self.above * self.least
        low = np.where(shrunk >= known, shrunk, moved)
        grown, near = (v + 0.5) / (1 + self.slope * self.below), v + 0.5 - self.below * self.least
        high = np.where(near <= known, near, grown)
        return np.minimum(-_floor(-low), values), np.maximum(_floor(high), values)

    def noise(self, mechanism: PublicScale) -> CellNoise:
        """That of a cell which is one establishment: others have less."""
        slope, least = self.slope * self.allowance * self.wider, self.least * self.wider
        return CellNoise(self.law, share=0.0, least=least, slope=slope, lean=mechanism.lean)

    def typical(self, mechanism: PublicScale, size: int) -> int:
        """Half of the interval of a released value of this size."""
        low, high = self.interval(np.array([size]))
        return -(-int(high[0] - low[0]) // 2)


def _floor(number: Floats) -> Integers:
    """Rounded down, with a hair added against float error."""
    wide = np.clip(number + HAIR * (1 + np.abs(number)), -float(BOUND), float(BOUND))
    return np.asarray(np.floor(wide), dtype=np.int64)


def from_counts(mechanism: Mechanism, kind: str) -> CountMargins:
    """Margins that follow from the counts, where a table counts every job."""
    if kind == "workplace" and isinstance(mechanism, Additive):
        return CountMargins.of(mechanism)
    raise InvalidParameter(
        "margins",
        rule="must be paid in a worker table: an establishment may have more jobs than its cell",
        value=f"free for {mechanism.name}",
        next_step="Give a share such as 1/10, use clipped, or write margins: none.",
    )
