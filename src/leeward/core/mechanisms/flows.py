"""Flows: employment, hires, separations and job change, from the released counts of four classes.

Proof in flows.proof.md. A measure is a sum or a difference of classes, so measures agree with each
other to the last job. Its margin allows for the noise of every class in it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from math import comb, sqrt

import numpy as np

from leeward.core.codebook import Cells, Entries, Flows
from leeward.core.codebook.flow_classes import FLOW_CODES, WEIGHTS, measures
from leeward.core.codebook.marginal import ENDS, SYMMETRIC
from leeward.core.codebook.size_profile import ESTABLISHMENTS
from leeward.core.mechanisms.calibrated import MarginRule, Words
from leeward.core.mechanisms.measurement import Expected, Measured, Measurement
from leeward.core.mechanisms.released_classes import (
    MISSED_END,
    ContrastBounds,
    FollowingMargins,
    FromClasses,
    bounded,
    released,
)
from leeward.core.noise.contrast import Contrast
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import BOUND, Integers, whole_margins
from leeward.core.noise.tabulated import Floats

BIAS = (
    "Establishments above a public bound are scaled down to it, so jobs, hires and separations may "
    "come out low, and job change too high or too low."
)
D = len(FLOW_CODES)
Wider = Callable[[int], float]
"""How much wider the noise of a sum of so many classes is than that of one."""


class SummedMargins(FollowingMargins):
    """Margins of sums and differences of classes."""

    note = (
        "A row is a sum or a difference of classes of jobs. Its margin holds for that row in nine "
        "of ten cases, and allows for the noise of every class in it."
    )


@dataclass(frozen=True)
class FlowsOfClasses(FromClasses):
    """The measurement of flows: that of their classes, added up."""

    statistic: Flows

    @property
    def words(self) -> Words:
        """How the mechanism is named and explained; clipping moves a difference either way."""
        words = self.classes.words
        return replace(words, bias=BIAS) if words.bias else words

    @property
    def margins(self) -> MarginRule:
        """Of sums; none where the plan says so."""
        none = self.classes.margins.coverage is None
        return self.classes.margins if none else SummedMargins(self.classes.margins)

    @property
    def margin_columns(self) -> tuple[str, ...]:
        """As classes have them, but none for all rows together."""
        names = self.classes.margin_columns
        return tuple(name for name in (*SYMMETRIC, *ENDS) if name in names)

    def _measure(self, columns: Cells | Entries, noise: Noise) -> Measured:
        """Measures (w, other worker cells × measures), and their margins."""
        measured, bounds = released(self.classes, columns, noise)
        w, most = len(measured.values), BOUND // D  # so that sums stay within 64 bits
        blocks = np.clip(measured.values, -most, most).reshape(w, -1, D)[:, :, self.statistic.order]
        values = measures(blocks.reshape(w, -1))
        # How far each row is from its ends; the same on both sides without clipping.
        below, above = (np.zeros((*blocks.shape[:2], len(WEIGHTS)), np.int64) for _ in ENDS)
        for bound in bounds:
            for at, weights in enumerate(WEIGHTS):
                below[bound.cells, :, at], above[bound.cells, :, at] = _sides(
                    bound, blocks[bound.cells], weights
                )
        below, above = below.reshape(values.shape), above.reshape(values.shape)
        if self.margin_columns == SYMMETRIC:
            return Measured(values, {SYMMETRIC[0]: below}, measured.law)
        both = np.maximum(values - below, -BOUND), np.minimum(values + above, BOUND)
        margins = dict(zip(self.margin_columns, both, strict=False))
        return Measured(values, margins, measured.law)

    def expected(self, columns: Cells | Entries) -> Expected:
        """No closed form of sums; whether there is one of a class decides whether they settle."""
        classes = self.classes.expected(columns)
        return Expected(None, None, classes.finite, classes.steady)

    def expected_error(self, size: int, establishments: int = ESTABLISHMENTS) -> float | None:
        """The mean over the measures; exact but for rounding and clipping."""
        error = self.classes.expected_error(size, establishments)
        return None if error is None else error * self._mean(_absolute, sqrt)

    def expected_margin(self, size: int, establishments: int = ESTABLISHMENTS) -> int | None:
        """The mean over the measures, about."""
        margin = self.classes.expected_margin(size, establishments)
        return None if margin is None else round(margin * self._mean(_quantile, sqrt))

    def _mean(self, laplace: Wider, normal: Wider) -> float:
        """How much wider the noise of measures is than that of a class, on average."""
        wider = normal if self.parameters.rho else laplace
        return float(np.mean([wider(int(np.abs(one).sum())) for one in WEIGHTS]))


def flows_of_classes(made: Measurement, statistic: Flows) -> FlowsOfClasses:
    """Flows of measured classes."""
    return FlowsOfClasses(bounded(made, statistic.name), statistic)


def _sides(noise: ContrastBounds, blocks: Integers, weights: Integers) -> tuple[Integers, Integers]:
    """How far the true number may be below and above a signed sum of classes (proof, 2)."""
    plus, minus = (blocks @ np.maximum(sign * weights, 0) for sign in (1, -1))
    m, n = int((weights > 0).sum()), int((weights < 0).sum())
    more = noise.kappa - 1  # what clipping may have taken from each class, for each job left
    below = more * minus + noise.kappa * n * noise.lost
    below = below + noise.bound(Contrast(1, m, noise.kappa, n))
    above = more * plus + noise.kappa * m * noise.lost
    above = above + noise.bound(Contrast(noise.kappa, m, 1, n))
    return _whole(below), _whole(above)


def _whole(wide: Floats) -> Integers:
    return np.maximum(whole_margins(wide), 0)


def _absolute(number: int) -> float:
    """E|L_1 + … + L_n| of Laplace noise over E|L|: 2n·C(2n, n)/4^n."""
    return 2 * number * comb(2 * number, number) / float(4**number)


@cache
def _quantile(number: int) -> float:
    """How much farther the ends of nine draws of ten are for a sum of Laplace noise."""
    ends = [Contrast(1, count, 1, 0).laplace(MISSED_END) for count in (number, 1)]
    return ends[0] / ends[1]
