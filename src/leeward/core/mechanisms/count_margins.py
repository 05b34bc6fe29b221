"""CountMargins: intervals that follow from released counts alone (margins.proof.md)."""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np

from leeward.core.codebook.size_profile import MOST_JOBS
from leeward.core.codebook.values import Margins
from leeward.core.errors import InvalidParameter
from leeward.core.mechanisms.additive import Additive, within
from leeward.core.mechanisms.calibrated import MarginMethod, PublicScale
from leeward.core.mechanisms.measurement import COVERAGE
from leeward.core.mechanisms.scale import smallest
from leeward.core.noise.cell_noise import CellNoise
from leeward.core.noise.law import Law
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import BOUND, Integers
from leeward.core.noise.tabulated import Floats

HAIR = 1e-9


MOST_TIMES = 1e6
"""A multiple of a released value that bounds nothing."""


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


def per_job(mechanism: Additive) -> float:
    """The scale of the noise for each job of a large establishment."""
    return float(mechanism.scale(MOST_JOBS, MOST_JOBS) / MOST_JOBS)


@lru_cache(maxsize=64)
def two_sided(mechanism: Additive) -> float:
    """The bound that |Z| keeps to in nine of ten draws."""
    return smallest(lambda z: float(within(mechanism.law, np.array([z]))[0]), COVERAGE)


@lru_cache(maxsize=64)
def allowance_for(mechanism: Additive, level: Fraction) -> float:
    """By how much noise in proportion to v must be larger than noise in proportion to n.

    With v = n(1 + Y) |v − n| is at most c·v where −c/(1+c) ≤ Y ≤ c/(1−c). This is the smallest c of
    probability `level`, over the bound that |Y| keeps to in nine of ten draws; infinite without c.
    """
    law, unit = mechanism.law, per_job(mechanism)

    def kept(c: float) -> float:
        ends = np.array([-c / (1 + c), c / (1 - c) if c < 1 else np.inf]) / unit
        below, above = law.float_tails(ends[:1])[0][0], law.float_tails(ends[1:])[1][0]
        return float(1 - below - above)

    if kept(MOST_TIMES) < level:
        return np.inf
    return smallest(kept, level) / (unit * two_sided(mechanism))
