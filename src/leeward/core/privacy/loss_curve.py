"""The loss curve: what one job, a growth by α, a doubling and whole establishments cost.

Each point bounds the loss between two sizes of one establishment, with any joiners: by the laws of
the noise, by the jobs one by one or by the steps that join them, whichever is least.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from leeward.core.exact import three_digits_up
from leeward.core.privacy.odds_of_suspicion import OF, odds
from leeward.core.privacy.steps import Growth, steps_from
from leeward.core.privacy.words import (
    Sentence,
    growth_text,
    jobs_more,
    losses_text,
    unit_text,
)

if TYPE_CHECKING:
    from leeward.core.privacy.guarantee import Guarantee

HEADINGS = {
    "job": "one job",
    "growth": "growth",
    "doubling": "doubling",
    "hundred": "100 jobs",
    "thousand": "1,000 jobs",
}
"""Short names of the points on a terminal."""

SIZES = {"doubling": (1000, 2000), "hundred": (0, 100), "thousand": (0, 1000)}
"""The sizes of establishments that are compared, by the names of their points."""

Between = Callable[[int, int], Fraction]
"""What tables lose together between two sizes of one establishment, in the guarantee's currency."""


@dataclass(frozen=True)
class CurvePoint:
    """Two possibilities, what is lost between them at most, and what that means."""

    name: str
    lost: "Guarantee"
    sentence: Sentence

    def as_json(self) -> dict[str, str]:
        """For programs."""
        losses = {"epsilon": str(self.lost.epsilon), "rho": str(self.lost.rho)}
        return {"name": self.name, **losses, "sentence": self.sentence.text}


def loss_curve(guarantee: "Guarantee", between: Between) -> tuple[CurvePoint, ...]:
    """The points of a release; none where no size is protected, or where ε and δ or ρ are mixed."""
    if guarantee.alpha is None or guarantee.measure not in ("pure", "zCDP"):
        return ()
    unit, growth = unit_text(guarantee), growth_text(guarantee)
    limits = {
        "strong": ", with any joiners",
        "weak": ", every group of kinds within it",
        "proportional": ", the payroll within it too",
    }
    points = [
        _point("job", guarantee.job, f"One job more or less at an {unit}"),
        _point(
            "growth",
            _losing(guarantee, guarantee.amount),
            f"A size x against one of at most {growth} times x (or {jobs_more(guarantee)} more) of "
            f"an {unit}{limits[guarantee.policy.name]}",
        ),
    ]
    for name, (small, large) in SIZES.items():
        beside = f"one of {large:,}, with any joiners" if small else "an empty one"
        size = f"An {unit} of {small or large:,} jobs against {beside}"
        lost = Fraction(three_digits_up(largest_loss(guarantee, between, small, large)))
        points.append(_point(name, _losing(guarantee, lost), size))
    return tuple(points)


def largest_loss(guarantee: "Guarantee", between: Between, small: int, large: int) -> Fraction:
    """The most that is lost between two sizes, with any joiners."""
    jobs, in_rho = large - small, guarantee.currency == "rho"
    one_by_one = guarantee.job.amount * jobs * (jobs if in_rho else 1)
    bounds = [between(small, large), one_by_one]
    if guarantee.policy.name == "strong" and guarantee.alpha is not None:
        step = Growth(guarantee.alpha, guarantee.plus or 1)
        steps = steps_from(small, step, Growth(Fraction(0), jobs))
        bounds.append(guarantee.amount * steps * (steps if in_rho else 1))
    return min(bounds)


def _losing(guarantee: "Guarantee", amount: Fraction) -> "Guarantee":
    """This loss, as it is between two possibilities."""
    return guarantee.job.with_amount(amount)


def _point(name: str, lost: "Guarantee", what: str) -> CurvePoint:
    meaning = odds(lost)
    if meaning is None:
        raise AssertionError("a loss without a delta bounds a suspicion")
    means = "which hides nothing." if meaning.to == OF else meaning.words
    return CurvePoint(name, lost, Sentence("curve", f"{what}: {losses_text(lost)}, {means}"))
