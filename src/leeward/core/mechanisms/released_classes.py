"""Released classes, which any mechanism for worker tables measures; nothing else reads the data.

Percentiles and flows take their ends from its public noise (percentiles.proof.md, flows.proof.md).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import ClassVar, NamedTuple

import numpy as np

from leeward.core.codebook import Cells, Entries
from leeward.core.codebook.cells import Margins
from leeward.core.codebook.size_profile import ESTABLISHMENTS
from leeward.core.errors import NotCovered
from leeward.core.mechanisms.calibrated import MarginMethod, MarginRule, PublicScale, Words
from leeward.core.mechanisms.clipped_counts import ClippedCounts
from leeward.core.mechanisms.counts_with_noise import CountsWithNoise
from leeward.core.mechanisms.edge_laplace import EdgeLaplace
from leeward.core.mechanisms.error_margins import SpentMargins
from leeward.core.mechanisms.measurement import (
    COVERAGE,
    Expected,
    Measured,
    Measurement,
    Needs,
    Recordable,
    Spread,
)
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.radial_block import RadialBlock
from leeward.core.mechanisms.scale import Scale
from leeward.core.noise.contrast import Contrast, Rates
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.radial_law import RadialLaw
from leeward.core.noise.scales import CellNoise, Integers
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import Guarantee, Policy

MISSED_END = float((1 - COVERAGE) / 2)
"""How often an end of an interval may be on the wrong side."""

SCALE = "scale"
HALF, LEAST_RATE = 0.5, Fraction(1, 100)
"""What rounding to whole jobs errs by at most in a class; the rate below which discrete Laplace
noise is so wide that what rounding adds does not show."""


@dataclass(frozen=True)
class FromClasses(Recordable):
    """The measurement of what follows from classes: theirs, but for what a statistic changes."""

    classes: Measurement
    deviations: ClassVar[None] = None

    @property
    def name(self) -> str:
        """The mechanism that measures the classes."""
        return self.classes.name

    @property
    def words(self) -> Words:
        """How that mechanism is named and explained."""
        return self.classes.words

    @property
    def parameters(self) -> Parameters:
        """What that mechanism was calibrated for."""
        return self.classes.parameters

    @property
    def needs(self) -> Needs:
        """What the classes need."""
        return self.classes.needs

    @property
    def by_cell(self) -> bool:
        """As the classes are measured."""
        return self.classes.by_cell

    @property
    def margins(self) -> MarginRule:
        """Those of the classes."""
        return self.classes.margins

    @property
    def margin_columns(self) -> tuple[str, ...]:
        """Those of the classes."""
        return self.classes.margin_columns

    def constants(self) -> dict[str, str]:
        """Those of the classes."""
        return self.classes.constants()

    def guarantee(self, policy: Policy | str, *, table: str) -> Guarantee:
        """That of the classes: what follows from released numbers costs nothing."""
        return self.classes.guarantee(policy, table=table)

    def loss(self, small: int, large: int) -> Fraction:
        """That of the classes."""
        return self.classes.loss(small, large)

    def expected(self, columns: Cells | Entries) -> Expected:
        """Of the classes."""
        return self.classes.expected(columns)

    def expected_error(self, size: int, establishments: int = ESTABLISHMENTS) -> float | None:
        """Of a class."""
        return self.classes.expected_error(size, establishments)

    def expected_margin(self, size: int, establishments: int = ESTABLISHMENTS) -> int | None:
        """Of a class."""
        return self.classes.expected_margin(size, establishments)

    def cell_noise(self, table: int = 0) -> CellNoise | None:
        """Of a class."""
        return self.classes.cell_noise(table)

    def cell_law(
        self, size: int, establishments: int = ESTABLISHMENTS, jobs: int | None = None
    ) -> None:
        """What follows from classes is no count with noise of its own."""

    def spread(self, size: int) -> Spread:
        """Of the count of a class."""
        return self.classes.spread(size)


@dataclass(frozen=True)
class FollowingMargins:
    """The rule of margins that follow from classes: they cost what those of the classes cost."""

    classes: MarginRule
    note: ClassVar[str]
    ends: ClassVar[bool] = True

    @property
    def method(self) -> MarginMethod:
        """As the classes get theirs."""
        return self.classes.method

    @property
    def coverage(self) -> Fraction:
        """The share of true numbers that are inside."""
        return COVERAGE

    @property
    def epsilon(self) -> Fraction:
        """What the noisy scale costs."""
        return self.classes.epsilon

    @property
    def epsilon_job(self) -> Fraction:
        """What one job costs."""
        return self.classes.epsilon_job

    def released(
        self, mechanism: PublicScale, values: Integers, largest: Integers, noise: Noise
    ) -> Margins:
        """As the classes get theirs."""
        return self.classes.released(mechanism, values, largest, noise)

    def typical(self, mechanism: PublicScale, size: int) -> None:
        """The measurement says what a plan may know of it."""

    def noise(self, mechanism: PublicScale) -> None:
        """The measurement says what a reader knows of it."""


class ContrastBounds(NamedTuple):
    """What is known of the noise of some workplace cells: public constants and released numbers.

    But for chance, the noise of a contrast is below `critical` times `scale` (w,) jobs, and below
    `least` jobs where the scale is as small as it can be; each class errs by at most `rounding`
    jobs beside it. A class has at most `kappa` times the jobs that clipping left of it and `lost`
    more.
    """

    cells: Integers
    critical: Callable[[Contrast], float]
    scale: Floats
    least: Callable[[Contrast], float] = lambda _: 0.0
    kappa: float = 1.0
    lost: float = 0.0
    rounding: float = HALF

    def bound(self, contrast: Contrast) -> Floats:
        """What the noise and the rounding of a contrast keep below (w, 1)."""
        wide = np.maximum(self.critical(contrast) * self.scale, self.least(contrast))
        return np.asarray((wide + self.rounding * contrast.weight)[:, None])


def bounded(made: Measurement, statistic: str) -> Measurement:
    """The measurement of classes; refuses margins where no bound is proved for their noise."""
    additive = made.mechanism if isinstance(made, CountsWithNoise) else None
    proved = isinstance(made, ClippedCounts) or isinstance(additive, EdgeLaplace | RadialBlock)
    if made.margins.coverage is not None and not proved:
        raise NotCovered(
            "margins",
            rule=f"must be none for {statistic} by {made.name}: nothing is proved about sums of "
            "classes with its noise",
            value="margins",
            next_step="Write margins: none, or leave mechanism out for auto.",
        )
    return made


def released(
    classes: Measurement, columns: Cells | Entries, noise: Noise
) -> tuple[Measured, list[ContrastBounds]]:
    """The classes as they are released, and what is known of their noise if there are margins."""
    if classes.margins.coverage is None:
        return classes._measure(columns, noise), []
    if isinstance(classes, CountsWithNoise) and isinstance(classes.mechanism, RadialBlock):
        return _radial(classes, columns, noise)
    measured = classes._measure(columns, noise)
    scale = measured.law.scale
    if isinstance(classes, ClippedCounts) and isinstance(columns, Entries) and scale is not None:
        # A public scale, and a bound of what clipping takes.
        return measured, [
            ContrastBounds(
                cells,
                (lambda contrast: contrast.normal(MISSED_END / 2))
                if clipped.noise == "gaussian"
                else _laplace_critical,
                scale[cells],
                kappa=clipped.maximum.kappa,
                lost=clipped.establishments / clipped.clipping.lattice,
                rounding=HALF + 1 / clipped.clipping.lattice,
            )
            for clipped, cells in classes.by_class(columns)
        ]
    if isinstance(classes, CountsWithNoise) and isinstance(classes.mechanism, EdgeLaplace):
        rate, w = classes.mechanism.parameters.aimed, len(measured.values)
        critical = partial(_edge_critical, rate)
        return measured, [ContrastBounds(np.arange(w), critical, np.ones(w), rounding=0.0)]
    raise AssertionError(f"margins of classes by {classes.name} were not refused")


class NoisyScale(SpentMargins):
    """The same noisy scale, released as it is: contrasts have factors of their own."""

    def released(
        self, mechanism: PublicScale, values: Integers, largest: Integers, noise: Noise
    ) -> Margins:
        """Grid indices of the scale."""
        return {SCALE: self.scale._release(None, largest, noise)}


def _radial(
    classes: CountsWithNoise, columns: Cells | Entries, noise: Noise
) -> tuple[Measured, list[ContrastBounds]]:
    """One radius for all classes of a workplace cell, a noisy scale (percentiles.proof.md, 3)."""
    additive, paid = classes.mechanism, classes.margins
    if not isinstance(additive, RadialBlock) or not isinstance(paid, SpentMargins):
        raise AssertionError("margins of a radial block in a worker table are paid for")
    noisy = NoisyScale(paid.scale, paid.mechanism, paid.cells, paid.bounded)
    measured = replace(classes, margins=noisy)._measure(columns, noise)
    unit, least = float(additive.unit), float(additive.parameters.least)
    bounds = ContrastBounds(
        np.arange(len(measured.values)),
        lambda contrast: radial_critical(additive, paid.scale, contrast),
        paid.scale.smooth(measured.margins[SCALE]) * unit,
        least=lambda contrast: radial_critical(additive, None, contrast) * unit * least,
    )
    return measured, [bounds]


@lru_cache(maxsize=1 << 12)  # slow to find, and the same in every batch
def radial_critical(block: RadialBlock, scale: Scale | None, contrast: Contrast) -> float:
    """In units of the scale; with the noise of that scale, or of one that is known."""
    shared = block.shared
    if isinstance(shared, RadialLaw):
        from leeward.core.noise.directions import contrast_bound  # noqa: PLC0415 (it draws)

        noisy = None if scale is None else scale.shrinkage()
        return contrast_bound(shared, contrast, MISSED_END, noisy)
    return contrast.laplace(MISSED_END, _rates(shared or 0, scale))


@lru_cache(maxsize=64)
def _rates(shape: int, scale: Scale | None) -> Rates:
    return Rates.gamma(shape) if scale is None else Rates.gamma(shape, *scale.shrinkage())


@lru_cache(maxsize=1 << 14)
def _laplace_critical(contrast: Contrast) -> float:
    """Half of what may be missed is kept for a maximum that came out too low."""
    return contrast.laplace(MISSED_END / 2)


@lru_cache(maxsize=1 << 12)
def _edge_critical(rate: Fraction, contrast: Contrast) -> float:
    """Whole weights by masses; else each is a difference of two exponentials rounded down."""
    if contrast.whole and rate >= LEAST_RATE:
        return contrast.geometric(MISSED_END, float(rate))
    return contrast.laplace(MISSED_END) / float(rate) + contrast.weight
