"""Soft staircase: a staircase of small steps, for workplace tables with a cap on one job.

Where the staircase falls by e^−ε at once, this falls in q steps of at most ε_job, one job apart: a
job passes one step, a growth by α all q. Proof in soft_staircase.proof.md.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import SLACK, three_digits_up
from leeward.core.mechanisms.additive import Additive
from leeward.core.mechanisms.calibrated import Claims, JobLoss, Words
from leeward.core.mechanisms.measurement import COVERAGE
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.scale import smallest, two_sided
from leeward.core.mechanisms.soft_stairs import SoftStairs, law_of_size
from leeward.core.mechanisms.staircase import (
    EDGE_BITS,
    EDGES,
    only_small_alpha,
    right_side,
    smallest_that,
)
from leeward.core.mechanisms.stairs import HALF
from leeward.core.mechanisms.step_coverage import extremes_of_all, within_all
from leeward.core.noise.law import PiecewiseLaw
from leeward.core.noise.scales import Integers, LawByScale, Scales
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import StrongAlpha, WeakAlpha

MOST_SOFT = 32
"""ε and 1 are at most this many times ε_job: more steps would take too much time and memory."""

BALANCED = 6
"""At S = BALANCED·Δ the mean is zero too, not for large sizes only."""

HALVINGS = 48


@dataclass(frozen=True)
class SoftStaircase(Additive):
    """Noise of small steps whose size follows A = max(largest establishment, Δ/α)."""

    name: ClassVar[str] = "soft_staircase"
    words: ClassVar[Words] = Words(
        label="soft staircase",
        noise="Each cell gets its own random number, in proportion to its largest establishment; "
        "most are small, larger ones are rarer in small steps, and now and then "
        "one is large. Its mean is zero, within a few hundredths of a job.",
    )
    # As for slope: n and A are coupled only where every job is counted.
    claims: ClassVar[Claims] = {"workplace": (StrongAlpha(),), "worker": (WeakAlpha(),)}

    parameters: Parameters
    law: PiecewiseLaw = field(repr=False)
    stairs: SoftStairs = field(repr=False)

    @classmethod
    def calibrated(cls, parameters: Parameters) -> "SoftStaircase":
        """Constants for α, ε and ε_job, which is ε if there is no cap; Δ is at least ⌈ε/ε_job⌉."""
        parameters.only_tight(cls.name)
        only_small_alpha(parameters, cls.name)
        each, job = parameters.share, job_of(parameters)
        smallest = max(each, Fraction(1)) / MOST_SOFT
        if job < min(smallest, each):
            raise InvalidParameter(
                "epsilon_job",
                rule=f"must be at least 1/{MOST_SOFT} of epsilon and 1/{MOST_SOFT} for {cls.name}",
                value=shown(job),
                next_step=f"Give at least {three_digits_up(smallest):f}, or use slope.",
            )
        least = max(parameters.least, Fraction(-(-each // job)))
        floored = replace(parameters, least=least)
        stairs = _stairs(floored.growth, each, job, least)
        if stairs is None:
            raise too_small(floored)
        return cls(floored, stairs.law(stairs.large), stairs)

    def one_job(self) -> JobLoss:
        """The height of a step, which is the cap; a job is in one worker cell."""
        return job_of(self.parameters), Fraction(0)

    def at_floor(self, least: Fraction) -> Self:
        """With ⌊Δ⌋ steps of the same height, the most that this floor allows."""
        job = self.parameters.share / int(least)
        return replace(self, parameters=replace(self.parameters, least=least, epsilon_job=job))

    @property
    def laws(self) -> LawByScale:
        """A law for each size."""
        own = partial(law_of_size, self.stairs)
        return LawByScale(self.stairs.large, self.law, own, self.stairs.table)

    def scales(self, counts: Integers, largest: Integers) -> Scales:
        """A = max(x, Δ/α)."""
        return Scales(largest, floor=self.stairs.least)

    @property
    def wider(self) -> float:
        """Large sizes have the least noise for their scale."""
        return _wider(self)

    def within(self, z: Floats) -> Floats:
        """P(|Z| ≤ z, or noise rounds to 0) at the size at which it is smallest."""
        return within_all(self.stairs, z)

    def extremes(self, tail: Fraction) -> tuple[float, float]:
        """The farthest over all sizes."""
        return extremes_of_all(self.stairs, tail)


@lru_cache(maxsize=64)
def _wider(mechanism: SoftStaircase) -> float:
    covered = smallest(lambda z: float(mechanism.within(np.array([z]))[0]), COVERAGE)
    return max(1.0, covered / two_sided(mechanism))


def job_of(parameters: Parameters) -> Fraction:
    """ε_job, at most the ε of one worker cell."""
    return min(parameters.epsilon_job or parameters.share, parameters.share)


@lru_cache(maxsize=256)
def _stairs(
    growth: Fraction, epsilon: Fraction, job: Fraction, plus: Fraction
) -> SoftStairs | None:
    """The constants with the smallest error among unbiased ones, or None."""
    aimed = 1 - SLACK
    stairs = SoftStairs.of(growth, epsilon * aimed, job * aimed, plus)
    edges = large_edges(stairs) if stairs.order > 2 else None
    if edges is None:
        return None
    stairs = replace(stairs, left=edges[0], right=edges[1])
    before = _before(stairs)
    stairs = replace(stairs, before=HALF if before is None else before)
    if stairs.grows():
        return stairs
    # With these every term of N₀ is at least 0, so nothing remains to be decided.
    stairs = replace(stairs, behind=max(HALF, stairs.right * plus))
    before = _before(stairs)
    return replace(stairs, before=max(HALF if before is None else before, stairs.left * plus))


def large_edges(stairs: SoftStairs) -> tuple[Fraction, Fraction] | None:
    """c_l and c_r of smallest E|Z| among those with E Z = 0, for large sizes, in float64.

    There the steps of one growth by α meet, so these are the constants of a staircase of ε and D.
    """
    mass, first = right_side(stairs)
    unit, rise = float(stairs.growth), float(sum(stairs.rises))
    steps = np.arange(stairs.down)
    heights = np.exp(-rise * np.arange(stairs.down + 1))
    # τ where ℓ = c_l·Δ, in units of A, beyond c_l·S.
    beyond = float(replace(stairs, left=Fraction(0), before=Fraction(0)).start)

    def side(left: Floats) -> tuple[Floats, Floats]:
        places = (left[:, None] + steps) * unit
        return _left_side(places, heights, left * unit - beyond, float(stairs.order))

    low, high = np.zeros_like(EDGES), np.full_like(EDGES, 0.5)
    first = first * unit**2
    usable = (side(low)[1] <= first) & (side(high)[1] >= first)
    if not usable.any():
        return None
    left = _root(lambda at: side(at)[1] < first, low, high)
    error = first / (mass * unit + side(left)[0])
    best = int(np.argmin(np.where(usable, error, np.inf)))
    scale = 1 << EDGE_BITS
    return Fraction(int(left[best] * scale), scale), Fraction(float(EDGES[best]))


def _before(stairs: SoftStairs) -> Fraction | None:
    """ℓ ≥ 0 with E Y = 0 at S = BALANCED·Δ, in float64, or None."""
    size = BALANCED * stairs.least
    unit, q = float(1 / size), len(stairs.falls)
    right, left = (
        np.array([float(slope + constant / size) for slope, constant in places[:-q]])
        for places in (stairs.places_right, replace(stairs, before=Fraction(0)).places_left)
    )
    falls, rises = (
        np.exp(-np.cumsum([0.0, *map(float, steps)]))
        for steps in (stairs.falls * stairs.up, stairs.rises * stairs.down)
    )
    order, end = float(stairs.order), float(stairs.top)
    base = 1 + end
    tail = end**2 / 2 + end * base / (order - 1) + base**2 / ((order - 1) * (order - 2))
    first = -np.diff(falls) @ right**2 / 2 + falls[-1] * tail
    slope, constant = map(float, replace(stairs, before=Fraction(0)).places_left[-1])

    def short(before: Floats) -> NDArray[np.bool_]:
        start = slope + np.maximum(0.0, (constant + before) / float(stairs.least))
        places = left + before[:, None] * unit
        balance: NDArray[np.bool_] = _left_side(places, rises, start, order)[1] < first
        return balance

    low, high = np.zeros(1), np.ones(1)
    if not short(low)[0]:
        return None
    while short(high)[0]:
        low, high = high, 2 * high
    return Fraction(int(_root(short, low, high)[0] * (1 << EDGE_BITS)), 1 << EDGE_BITS)


def _root(short: Callable[[Floats], NDArray[np.bool_]], low: Floats, high: Floats) -> Floats:
    """Where `short` turns false, between these, by bisection."""
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        below = short(middle)
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return low


def _left_side(places: Floats, heights: Floats, start: Floats, r: float) -> tuple[Floats, Floats]:
    """Mass and first moment of −Z left of zero in units of A, by parts; the tail starts at −start.

    One row a candidate. The tail is |w|^{r−1} down to w = 1 − 1/r, e^{rw} to −1, |w|^{−r}.
    """
    falls, low = -np.diff(heights), heights[-1]
    w, joint = 1 - start, 1 - 1 / r
    near = np.minimum(w, joint)
    ratio = joint / np.maximum(w, joint)
    # Of each piece the mass and the integral of w, from the height at its right end.
    mass = (1 - ratio**r) * np.maximum(w, joint) / r
    mean = (1 - ratio ** (r + 1)) * np.maximum(w, joint) ** 2 / (r + 1)
    height, far = ratio ** (r - 1), np.minimum(near, -1.0)
    gone = np.exp(-r * (near - far))
    mass = mass + height * (1 - gone) / r
    mean = mean + height * ((near - far * gone) / r - (1 - gone) / r**2)
    height = height * gone
    mass = mass - height * far / (r - 1)
    mean = mean - height * far**2 / (r - 2)
    first = places**2 @ falls / 2 + low * (start**2 / 2 + mass - mean)
    return places @ falls + low * (start + mass), first


def too_small(parameters: Parameters) -> InvalidParameter:
    """The error, with the smallest ε at which there are constants."""
    growth, cap, plus = parameters.growth, parameters.epsilon_job, Fraction(parameters.plus)

    def works(each: Fraction) -> bool:
        job = min(cap or each, each)
        return _stairs(growth, each, job, max(plus, Fraction(-(-each // job)))) is not None

    rule = "must be so large that the mean can be 0: above 2·alpha for each worker cell"
    least = smallest_that(works, 2 * growth)
    return parameters.refuse_epsilon(rule, least * parameters.cells)
