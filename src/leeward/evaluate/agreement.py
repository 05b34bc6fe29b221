"""Agreement: closed forms against trials, over all settings that have both."""

from collections.abc import Iterable
from dataclasses import dataclass

from leeward.evaluate.point import ALL, Point

WIDE = 4.0
"""Standard errors beyond which a closed form and its trials are said to disagree."""


@dataclass(frozen=True)
class Agreement:
    """How many settings were compared, how many lie within WIDE, and the furthest apart."""

    compared: int
    within: int
    furthest: float
    ratio: float
    """The mean of trials over closed forms."""


def agreement(points: Iterable[Point]) -> Agreement:
    """Compare all cells of every setting; those without a variance cannot be compared."""
    apart, ratios = [], []
    for one in points:
        comparable = one.stratum == ALL and one.l1_source == "closed form"
        if comparable and one.l1 and one.l1_trials is not None and one.l1_trials_error:
            apart.append(abs(one.l1_trials - one.l1) / one.l1_trials_error)
            ratios.append(one.l1_trials / one.l1)
    return Agreement(
        len(apart),
        sum(one <= WIDE for one in apart),
        max(apart, default=0.0),
        sum(ratios) / len(ratios) if ratios else 1.0,
    )
