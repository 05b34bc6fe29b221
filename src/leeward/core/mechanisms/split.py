"""The split and the headroom of clipped, chosen from public numbers.

The split is the share of the budget that the maximum gets; the headroom is how far θ lies above the
noisy maximum. Both have the smallest error, noise and clipping together, in a workplace cell of m
establishments of which √m are as large as the largest and the others small. Any pair is as private
as another (clipped.proof.md), so the choice may be made in floats.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import erfc, exp, inf, log, sqrt
from statistics import NormalDist
from typing import NamedTuple, TypeVar

import numpy as np

from leeward.core.codebook import Entries
from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import Number, positive, precision, rational, whole_number
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.noise.scales import Integers
from leeward.core.noise.tabulated import Floats

M = TypeVar("M")

LEAST_SPLIT = Fraction(1, 1000)
CANDIDATES = tuple(Fraction(k, 64) for k in range(1, 33))
"""Up to half: where ε is hardly above ln(1+α) a mean exists for almost all of it only, which leaves
the cells so little that nearly every error is larger than without a mean."""

HEADROOMS = tuple(Fraction(round(256 * 2 ** (j / 16)), 256) for j in range(97))
"""From 1 to 64, about 4 % apart: around the best one the error is flat."""

MOST_ESTABLISHMENTS = 1024
"""The largest class: cells of more establishments have some that are much smaller."""

WIDEST = 37.0
"""Noise of ln θ beyond which e^(σ²/2) is no float."""

KEPT, REACH, FAR = 0.95, 3.0, 100.0
"""For intervals: how often the index is not too low, what noise reaches in units of its mean, and
the largest logarithm of a size."""

_far = np.vectorize(lambda z: erfc(z / sqrt(2)) / 2, otypes=[float])


class Bound(NamedTuple):
    """How θ is made: the share of the budget for the maximum, and what θ is above it."""

    split: Fraction
    headroom: Fraction


NO_MEAN = Bound(Fraction(1, 2), Fraction(1))
"""Where no candidate gives the error a mean."""


def given_split(split: Number) -> Fraction:
    """A share that a user wrote."""
    share = positive(split, "split")
    if not LEAST_SPLIT <= share <= 1 - LEAST_SPLIT:
        raise InvalidParameter(
            "split",
            rule="must be from 1/1000 to 999/1000",
            value=share,
            next_step="Leave it out: it is then chosen for the smallest expected error.",
        )
    return share


def establishment_class(establishments: object) -> int:
    """A number of establishments, rounded up to a power of two; at most the largest class."""
    if not whole_number(establishments) or establishments < 0:
        raise InvalidParameter(
            "establishments",
            rule="must be a whole number of at least 0: the establishments of a workplace cell",
            value=shown(establishments),
            next_step=f"Leave it out for {MOST_ESTABLISHMENTS}, which is safe for all cells.",
        )
    return int(classes_of(np.array([establishments]))[0])


def classes_of(establishments: Integers) -> Integers:
    """The same for each workplace cell."""
    edges = 2 ** np.arange(MOST_ESTABLISHMENTS.bit_length())
    below = np.searchsorted(edges, np.minimum(establishments, MOST_ESTABLISHMENTS))
    return np.asarray(edges[below], dtype=np.int64)


def by_class(
    mechanism: M, suited: Callable[[int], M], entries: Entries
) -> Iterator[tuple[M, Integers]]:
    """Mechanisms with the workplace cells that they measure: one for each class, by public numbers.

    Without a frame the number of establishments is not known to be public: all cells are measured
    by the mechanism as it is, by default that of the largest class.
    """
    if entries.in_frame is None:
        yield mechanism, np.arange(entries.shape[0])
        return
    classes = classes_of(entries.in_frame)
    for establishments in np.unique(classes).tolist():
        yield suited(establishments), np.flatnonzero(classes == establishments)


class ErrorWeights(NamedTuple):
    """What a mean error is made of: noise in units of βθ/ε₂, and the part of what clipping takes.

    With Gaussian noise the first is in units of βθ/√(2ρ₂).
    """

    noise: float
    lost: float

    @classmethod
    def of(cls, cells: int, *, gaussian: bool) -> "ErrorWeights":
        """A block of worker cells: d = 1 moves once, others twice."""
        moved = min(cells, 2)
        return cls(sqrt(2 * moved / np.pi) if gaussian else moved, 1 / cells)


class Narrower(NamedTuple):
    """What a plan gives for narrower intervals: an error up to 1/(1−share) times the smallest.

    The smallest is that of a given split, where there is one. `weights` are those of the cell whose
    interval is to be narrow.
    """

    share: Fraction
    weights: ErrorWeights


def paid_share(margins: Number) -> Fraction:
    """What a plan gives for narrower intervals, from 0 to below 1."""
    share = rational(margins, "margins")
    if not 0 <= share < 1:
        raise InvalidParameter(
            "margins",
            rule="must be a share from 0 to below 1",
            value=share,
            next_step="Leave it out for the smallest error.",
        )
    return share


def bound_for(
    parameters: Parameters,
    rho: Fraction,
    establishments: int,
    split: Fraction | None = None,
    weights: ErrorWeights | None = None,
    narrower: Narrower | None = None,
) -> Bound:
    """The pair for workplace cells of this many establishments.

    If all of them were taken to be alike, θ would be so far above the largest that the noise of
    cells with unequal establishments, which most are, is up to a third larger. Errors are in units
    of the large establishments, so that Δ plays no part.
    """
    anywhere = replace(parameters, plus=1, least=Fraction(1), epsilon_job=None)
    return best_bound(anywhere, rho, sqrt(establishments), split, weights, narrower)


@lru_cache(maxsize=1024)
def best_bound(
    parameters: Parameters,
    rho: Fraction,
    alike: float,
    split: Fraction | None = None,
    weights: ErrorWeights | None = None,
    narrower: Narrower | None = None,
) -> Bound:
    """The pair with the smallest error if `alike` establishments are as large as the largest.

    The noise is Gaussian where ρ > 0. With `narrower` it is the pair with the narrowest interval
    among those whose error is not too much larger.
    """
    shares = CANDIDATES if split is None else (split,)
    weigh = weights or ErrorWeights.of(parameters.cells, gaussian=rho > 0)
    errors = np.array([expected_errors(parameters, rho, alike, one, weigh) for one in shares])
    judged = errors
    if narrower is not None and errors.min() < inf:
        wide = [_widths(parameters, rho, alike, one, narrower.weights) for one in shares]
        most = errors.min() / float(1 - narrower.share)
        judged = np.where(errors <= most, np.array(wide), inf)
    share, room = np.unravel_index(int(judged.argmin()), errors.shape)
    if errors[share, room] == inf:
        return NO_MEAN if split is None else NO_MEAN._replace(split=split)
    return Bound(shares[share], HEADROOMS[room])


def expected_errors(
    parameters: Parameters, rho: Fraction, alike: float, share: Fraction, weigh: ErrorWeights
) -> Floats:
    """Mean error of a worker cell for each headroom, in units of the large establishments.

    In a block of worker cells E θ·min(d, 2)·β/ε₂ for the noise, or √(2/π)·E θ·√min(d, 2)·β/√(2ρ₂);
    and m·E(1−θ)⁺ for what clipping takes, spread over d worker cells.
    """
    theta, lost = (_gaussian if rho else _laplace)(_index_spread(parameters, rho, share))
    return theta * _unit(parameters, rho, share, weigh) + lost * alike * weigh.lost


def _widths(
    parameters: Parameters, rho: Fraction, alike: float, share: Fraction, weigh: ErrorWeights
) -> Floats:
    """Half of the interval for each headroom, in the same units, at an index without noise.

    Noise reaches about REACH times its mean, and what clipping takes is allowed for up to the
    largest establishment that the index leaves possible.
    """
    h, spread = _headrooms(), _index_spread(parameters, rho, share)
    farthest = exp(min(spread * (NormalDist().inv_cdf(KEPT) if rho else -log(2 * (1 - KEPT))), FAR))
    noise = REACH * h * _unit(parameters, rho, share, weigh)
    return np.asarray(noise + np.maximum(farthest - h, 0) * alike * weigh.lost / 2)


def _index_spread(parameters: Parameters, rho: Fraction, share: Fraction) -> float:
    """The scale of the noise of ln θ; a standard deviation where it is Gaussian."""
    with precision(128):
        growth = float(parameters.log_growth())
    return growth / (sqrt(2 * share * rho) if rho else float(share * parameters.aimed))


def _unit(parameters: Parameters, rho: Fraction, share: Fraction, weigh: ErrorWeights) -> float:
    """The mean noise of a cell for each job of θ."""
    alpha, rest = parameters.growth, 1 - share
    paid = sqrt(2 * rest * rho) if rho else float(rest * parameters.aimed)
    return weigh.noise / paid * float(alpha / (1 + alpha))


def _laplace(s: float) -> tuple[Floats, Floats]:
    """E θ and E(1−θ)⁺ for θ = h·e^(s·Laplace): h/(1−s²) and h^(−1/s)·s/(2(1+s))."""
    h = _headrooms()
    if s >= 1:
        return np.full_like(h, inf), np.ones_like(h)
    return h / (1 - s**2), np.exp(-np.log(h) / s) * s / (2 * (1 + s))


def _gaussian(sigma: float) -> tuple[Floats, Floats]:
    """The same for ln θ = μ + σZ: e^(μ+σ²/2) and Φ(−μ/σ) − e^(μ+σ²/2)·Φ(−μ/σ−σ)."""
    h = _headrooms()
    if sigma > WIDEST:
        return np.full_like(h, inf), np.ones_like(h)
    theta, far = h * exp(sigma**2 / 2), np.log(h) / sigma
    return theta, np.asarray(_far(far) - theta * _far(far + sigma))


def _headrooms() -> Floats:
    return np.array([float(number) for number in HEADROOMS])
