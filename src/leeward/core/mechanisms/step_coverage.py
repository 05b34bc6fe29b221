"""Step coverage: how often noise of steps stays within a bound, at the size where it is rarest."""

from fractions import Fraction
from functools import lru_cache

import numpy as np

from leeward.core.exact import precision
from leeward.core.mechanisms.additive import extremes
from leeward.core.mechanisms.stairs import StepNoise
from leeward.core.noise.law import PiecewiseLaw
from leeward.core.noise.tabulated import Floats

REACHES = np.geomspace(1e-4, 1e4, 1 << 14)
"""Bounds in units of S for which it is computed."""


def within_all(steps: StepNoise, z: Floats) -> Floats:
    """P(|Z| ≤ z, or noise rounds to 0) at the size at which it is smallest."""
    reached = np.searchsorted(REACHES, z / float(steps.growth), side="right")
    covered: Floats = np.concatenate([[0.0], _envelope(steps)])[reached]
    return covered


@lru_cache(maxsize=64)
def extremes_of_all(steps: StepNoise, tail: Fraction) -> tuple[float, float]:
    """Z is below the first and above the second with at most this probability, at every size."""
    laws = (steps.law(size) for size in (steps.large, *steps.sizes()))
    low, high = zip(*(extremes(law, float(tail)) for law in laws), strict=True)
    return min(low), max(high)


@lru_cache(maxsize=64)
def _envelope(steps: StepNoise) -> Floats:
    """The smallest P(|Z| ≤ z) over sizes; half a job is within every margin, as J is then 0."""
    reaches = REACHES * float(steps.growth)
    law = _law_of_large(steps)
    tails = law.float_tails(-reaches)[0], law.float_tails(reaches)[1]
    smallest: Floats = 1 - tails[0] - tails[1]
    for x in steps.sizes():
        smallest = np.minimum(smallest, _covered(steps, x, reaches, tails))
    return smallest


def _covered(
    steps: StepNoise, x: Fraction, reaches: Floats, tails: tuple[Floats, Floats]
) -> Floats:
    """P(|Z| ≤ z) at A = x, z at least half a job: what `within` of the law at x is, in less time.

    Flat pieces are added up, in units of the height around zero. The tails are multiples of those
    at large sizes, which are given.
    """
    exact, jumps = steps.flat(x)
    edges, rises = (np.array([float(number) for number in column]) for column in (exact, jumps))
    heights = np.exp(np.cumsum([-sum(rises[rises > 0]), *rises]))
    left, right = (
        mass * heights[at] for mass, at in zip(_tail_masses(steps), (0, -1), strict=True)
    )
    sums = left + np.cumsum([0.0, *(heights * np.diff(edges))])
    whole = sums[-1] + right
    z = np.maximum(reaches, 0.5 / float(x))
    first, last = _law_of_large(steps).float_tails(edges[[0, -1]])
    far_left, far_right = (
        tail * (own / whole / large if large else 0.0)  # nothing is left of tails below e^−700
        for tail, own, large in zip(tails, (left, right), (first[0], last[1]), strict=True)
    )
    below = np.where(z > -edges[0], far_left, np.interp(-z, edges, sums / whole))
    above = np.where(z > edges[-1], far_right, 1 - np.interp(z, edges, sums / whole))
    covered: Floats = 1 - below - above
    return covered


@lru_cache(maxsize=64)
def _law_of_large(steps: StepNoise) -> PiecewiseLaw:
    return steps.law(steps.large)


@lru_cache(maxsize=64)
def _tail_masses(steps: StepNoise) -> tuple[float, float]:
    """The mass of each tail in units of the height at which it starts."""
    with precision(128):
        left = float(steps.tail_mass()[0]) * float(steps.growth)
    end = float(steps.flat(steps.large)[0][-1])
    return left, (1 + end) / (float(steps.order) - 1)
