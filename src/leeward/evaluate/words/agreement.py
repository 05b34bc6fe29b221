"""Agreement: closed forms against trials, over all settings that have both."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp, lgamma, log1p, pi, sqrt

from leeward.evaluate.point import ALL, Point

WIDE = 4.0
"""Standard errors beyond which a closed form and its trials are said to disagree."""
STEPS = 400
"""Of Simpson's rule, which is far finer here than anything that is printed."""


@dataclass(frozen=True)
class Agreement:
    """How many settings were compared, how many lie within WIDE, and the furthest apart."""

    compared: int
    within: int
    furthest: float
    ratio: float
    """The mean of trials over closed forms."""
    chance: float
    """How many would lie beyond WIDE by chance, were the means of trials normal: the standard
    errors come from the same few trials, so that Student's law holds and not the normal one."""


def agreement(points: Iterable[Point]) -> Agreement:
    """Compare all cells of every setting; those without a variance cannot be compared."""
    apart, ratios, chance = [], [], 0.0
    for one in points:
        comparable = one.stratum == ALL and one.l1_source == "closed form"
        if comparable and one.l1 and one.l1_trials is not None and one.l1_trials_error:
            apart.append(abs(one.l1_trials - one.l1) / one.l1_trials_error)
            ratios.append(one.l1_trials / one.l1)
            chance += beyond(WIDE, one.trials - 1)
    return Agreement(
        len(apart),
        sum(one <= WIDE for one in apart),
        max(apart, default=0.0),
        sum(ratios) / len(ratios) if ratios else 1.0,
        chance,
    )


def beyond(limit: float, freedom: int) -> float:
    """How often Student's t with so many degrees of freedom is further from 0 than the limit."""
    if freedom < 1:
        return 1.0
    peak = exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / sqrt(freedom * pi)
    heights = [_height(limit * step / STEPS, freedom) for step in range(STEPS + 1)]
    inner = heights[0] + 4 * sum(heights[1::2]) + 2 * sum(heights[2:-1:2]) + heights[-1]
    return max(0.0, 1 - 2 * peak * inner * limit / STEPS / 3)


def _height(t: float, freedom: int) -> float:
    """Student's density, 1 at its peak."""
    return exp(-(freedom + 1) / 2 * log1p(t**2 / freedom))
