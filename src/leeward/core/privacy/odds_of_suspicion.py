"""Odds: what an ε means to a suspicion of one in a hundred, as a number and as a sentence."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from flint import arb

from leeward.core.codebook import BoundedJobs, EveryJob, JobsRule, PrimaryJob
from leeward.core.errors import NotCovered
from leeward.core.exact import START_BITS, ball, exact_value, number_text, precision
from leeward.core.privacy.delta import tail_epsilon
from leeward.core.privacy.job_sentences import many_times, most_jobs
from leeward.core.privacy.words import Sentence, stated_epsilon

if TYPE_CHECKING:
    from leeward.core.privacy.guarantee import Guarantee

OF = 100
"""The prior suspicion is one in this number."""

CALM, ATTENTION = 10, 50
"""The largest results that need no attention, and that are of use at all."""

FIRMS = (1, 2, 5, 10, 50)
"""Numbers of establishments of the firms whose loss is told."""

SURE = 10
"""From this ε on the result is rounded up to 100: e^ε is above 99²."""

Level = Literal["calm", "attention", "no useful bound"]

ADVICE = {
    "calm": "",
    "attention": " That asks for attention.",
    "no useful bound": " That is no useful bound.",
}
"""What a level adds to a sentence."""


@dataclass(frozen=True)
class Odds:
    """A suspicion of 1 in 100 becomes at most `to` in 100, rounded up.

    Under ρ-zCDP it may become more, with a probability of at most `failing`.
    """

    to: int
    failing: Fraction = Fraction(0)

    @property
    def level(self) -> Level:
        """How much attention the number needs."""
        if self.to <= CALM:
            return "calm"
        return "attention" if self.to <= ATTENTION else "no useful bound"

    def as_json(self) -> dict[str, object]:
        """For programs."""
        written = {"from": 1, "of": OF, "to": self.to, "level": self.level}
        return written | ({"failing": str(self.failing)} if self.failing else {})

    @property
    def words(self) -> str:
        """What becomes of the suspicion, as the middle of a sentence."""
        more = f" (more with a probability of at most {number_text(self.failing)})"
        bound = f"a suspicion of 1 in {OF} becomes at most {self.to} in {OF}"
        return f"{bound}{more if self.failing and self.to < OF else ''}.{ADVICE[self.level]}"


def odds(guarantee: "Guarantee") -> Odds | None:
    """What becomes of a suspicion about one job; None where δ leaves no such bound.

    Under ρ-zCDP the loss itself, and so the odds, pass a bound with the probability of the reading
    at most, also if others are not known: Rényi divergences of mixtures are no larger.
    """
    return odds_of_losses(guarantee.for_jobs(1))


def odds_of_losses(lost: "Guarantee") -> Odds | None:
    """The same of two possibilities between which this is lost, such as sizes."""
    if lost.measure == "zCDP":
        return Odds(_posterior_up(tail_epsilon(lost.rho, lost.reading)), lost.reading)
    return Odds(_posterior_up(lost.epsilon)) if lost.measure == "pure" else None


def _posterior_up(epsilon: Fraction) -> int:
    return OF if epsilon > SURE else posterior_up(lambda: ball(epsilon).exp())


def posterior_up(power: Callable[[], arb]) -> int:
    """⌈100·e^ε/(99+e^ε)⌉, by Bayes' rule from prior odds of 1 to 99."""
    # e^ε is irrational for a rational ε above 0, so the ceiling is decided at some precision.
    bits = START_BITS
    while True:
        with precision(bits):
            factor = power()
            rounded = (OF * factor / (OF - 1 + factor)).ceil()
            if rounded.rad() == 0:
                return int(exact_value(rounded))
        bits *= 2


def suspicion(guarantee: "Guarantee", rule: JobsRule) -> Sentence:
    """ε in words: what becomes of a suspicion about one job."""
    found = odds(guarantee)
    if found is None:
        part = "delta" if guarantee.delta > 0 else "rho"
        return Sentence(
            "odds",
            f"What becomes of a suspicion of 1 in {OF} cannot be bounded by a number: {part} is "
            "above 0, and within it more may be revealed than the factor says.",
        )
    named = stated_epsilon(guarantee, "the epsilon") if guarantee.has_job_losses else "epsilon"
    twice, all_jobs = f"twice {named}", f"{most_jobs(rule)} times {named}"
    if guarantee.rho > 0:
        named = named.replace("epsilon", "rho")
        twice, all_jobs = f"4 times {named}", f"{most_jobs(rule) ** 2} times {named}"
    if guarantee.policy.name == "person":
        whole = " This speaks of a person with the entire history; of one single row of it, which "
        single = f"may displace another, at {twice}."
        return Sentence("odds", f"A{found.words[1:]}{whole}{single}", 1)
    several = {
        EveryJob: " This speaks of one job; of m jobs of a person together, at "
        f"{many_times(guarantee, named)}.",
        PrimaryJob: " This speaks of all jobs of a person; of one single job, which may displace "
        f"another, at {twice}.",
        BoundedJobs: " This speaks of one counted job; of one single job, which may displace "
        f"another, at {twice}; of all jobs of a person, at {all_jobs}.",
    }.get(type(rule), "")
    return Sentence("odds", f"A{found.words[1:]}{several}", 1, True)


def suspicion_in_all(cap: "Guarantee") -> Sentence:
    """The cap of an account in words: what becomes of a suspicion when all of it is spent."""
    spent = odds(cap)
    if spent is None:
        return Sentence("odds", "A delta bounds no suspicion by a number.")
    return Sentence("odds", f"All of it spent, {spent.words}", 1, True)


@dataclass(frozen=True)
class FirmOdds:
    """What a firm loses at most whose establishments all change at once, and the odds of that.

    With the unit employer they are the workplace cells that it is present in.
    """

    establishments: int
    lost: "Guarantee"
    odds: Odds | None

    @property
    def epsilon(self) -> str:
        """ε of the loss as an exact text."""
        return str(self.lost.epsilon)

    @property
    def delta(self) -> str:
        """δ of the loss as an exact text."""
        return str(self.lost.delta)

    @property
    def rho(self) -> str:
        """ρ of the loss as an exact text."""
        return str(self.lost.rho)

    @property
    def words(self) -> str:
        """What becomes of a suspicion about all of them together."""
        return "no bound" if self.odds is None else f"at most {self.odds.to} in {OF}"


def firm_odds(guarantee: "Guarantee") -> tuple[FirmOdds, ...]:
    """The losses of firms with one establishment to many; none where firms are not protected."""
    firms: list[FirmOdds] = []
    for establishments in FIRMS:
        try:
            lost = guarantee.for_firm(establishments)
        except NotCovered:
            break
        # Of sizes, which cost more than one job; without an α two workforces are two steps apart.
        of_sizes = odds_of_losses if guarantee.policy.uses_alpha else odds
        firms.append(FirmOdds(establishments, lost, of_sizes(lost)))
    return tuple(firms)


def firm_caption(guarantee: "Guarantee") -> str:
    """What the table of these losses says."""
    each = (
        "in so many workplace cells"
        if guarantee.unit == "employer"
        else "of so many establishments"
    )
    return (
        f"What a chain loses: a firm {each} loses at most so much, and a suspicion of 1 in {OF} "
        "about the sizes of all of them together becomes at most so much."
    )
