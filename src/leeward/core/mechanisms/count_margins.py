"""CountMargins: intervals that follow from released counts alone (margins.proof.md)."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np

from leeward.core.codebook.cells import Margins
from leeward.core.errors import InvalidParameter
from leeward.core.mechanisms.additive import Additive
from leeward.core.mechanisms.calibrated import MarginMethod, Mechanism, PublicScale
from leeward.core.mechanisms.error_margins import allowance_for, per_job
from leeward.core.mechanisms.measurement import COVERAGE
from leeward.core.noise.law import Law
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import BOUND, CellNoise, Integers
from leeward.core.noise.tabulated import Floats

HAIR = 1e-9


@dataclass(frozen=True)
class CountMargins:
    """Intervals from the released values alone: no establishment is larger than its cell.

    Proof in margins.proof.md; workplace tables only, where every job is counted. A cell's noise is
    between `below` and `above` times max(slope·n, least) jobs.
    """

    below: float
    above: float
    slope: float
    least: float
    allowance: float
    law: Law = field(repr=False)
    method: ClassVar[MarginMethod] = "free"
    note: ClassVar[str] = (
        "The intervals follow from the released values alone and cost nothing: no establishment "
        "is larger than its cell."
    )
    coverage: ClassVar[Fraction] = COVERAGE
    epsilon: ClassVar[Fraction] = Fraction(0)
    ends: ClassVar[bool] = True

    @classmethod
    def of(cls, mechanism: Additive) -> "CountMargins":
        """Refuses noise that may take a cell of any size to below zero: no number bounds it."""
        below, above = mechanism.extremes((1 - COVERAGE) / 2)
        least = mechanism.scale(0, 0)
        slope = per_job(mechanism)
        if slope * abs(below) < 1:
            allowance = allowance_for(mechanism, COVERAGE)
            return cls(below, above, slope, float(least), allowance, mechanism.law)
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
        slope = self.slope * self.allowance
        return CellNoise(self.law, share=0.0, least=self.least, slope=slope, lean=mechanism.lean)

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
