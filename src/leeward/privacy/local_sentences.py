"""Sentences about local privacy: what one person's reports reveal of that person's answers."""

from math import ceil

from leeward.exact import START_BITS, precision, three_digits_up
from leeward.privacy.local import LocalEpsilon
from leeward.privacy.odds import OF, SURE, Odds, posterior_up
from leeward.privacy.words import BILLION, Sentence

TAKING_PART = Sentence(
    "local-part",
    "It does NOT hide that a person took part, nor the person's stratum: the number of reports of "
    "a stratum is public.",
)

EMPLOYERS = Sentence(
    "local-employer",
    "It does NOT protect employers: what many workers of one employer answer adds up.",
)

IN_SHORT = Sentence(
    "local", "hides the answer of one person to one question from everyone, the collector too", 1
)
"""The policy of surveys, for those who choose one; plans do not."""


def local_sentences(epsilon: LocalEpsilon, most_reports: int = 1) -> tuple[Sentence, ...]:
    """The promise to a person who sends one report of this loss, and at most so many of them."""
    one = Sentence(
        "local",
        "Seeing your report changes the odds between any two of your answers by at most a factor "
        f"{factor_up(epsilon)} (e^ε, epsilon {epsilon.text}), whatever else is known and whoever "
        "sees it.",
        1,
    )
    return (one, *_several(epsilon, most_reports), suspicion(epsilon), TAKING_PART, EMPLOYERS)


def _several(epsilon: LocalEpsilon, reports: int) -> tuple[Sentence, ...]:
    if reports == 1:
        return ()
    text = (
        f"Seeing all of your reports, of which at most {reports} are taken, changes the odds "
        "between any two sets of your answers by at most a factor "
        f"{factor_up(epsilon.times(reports))} (e^({reports}ε))."
    )
    return (Sentence("local-reports", text, reports),)


def another(epsilon: LocalEpsilon) -> Sentence:
    """What a second report costs if the first one, of this loss, is not shown again."""
    text = (
        f"A second report costs epsilon {epsilon.text} again: seeing both changes the odds between "
        f"any two sets of your answers by at most a factor {factor_up(epsilon.times(2))}."
    )
    return Sentence("local-reports", text, 2)


def suspicion(epsilon: LocalEpsilon) -> Sentence:
    """What becomes of a suspicion about one answer when its report is seen."""
    found = Odds(posterior(epsilon))
    return Sentence("local-odds", f"Of your answer, {found.words}", 1)


def posterior(epsilon: LocalEpsilon) -> int:
    """⌈100·e^ε/(99+e^ε)⌉."""
    if epsilon.value > SURE:
        return OF
    if epsilon.factor is not None:
        return ceil(OF * epsilon.factor / (OF - 1 + epsilon.factor))
    return posterior_up(epsilon.power)


def factor_up(epsilon: LocalEpsilon) -> str:
    """e^ε rounded up; above a billion as a power."""
    with precision(START_BITS):
        factor = three_digits_up(epsilon.factor or epsilon.power())
    if factor > BILLION:
        return f"e^({epsilon.text}), more than a billion"
    return f"{factor:,f}"
