"""Sentences about local privacy: what one person's reports reveal of that person's answers."""

from collections.abc import Iterator
from math import ceil

from leeward.core.exact import START_BITS, precision, three_digits_up
from leeward.core.privacy.local_privacy import LocalEpsilon
from leeward.core.privacy.odds_of_suspicion import OF, SURE, Odds, posterior_up
from leeward.core.privacy.words import BILLION, Sentence

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


def local_sentences(epsilon: LocalEpsilon, draws: int = 1) -> tuple[Sentence, ...]:
    """The promise to a person who sends so many randomised answers at most, each of this loss."""
    return (*_seen(epsilon, draws), suspicion(epsilon, draws), _anew(epsilon, draws),
            TAKING_PART, EMPLOYERS)  # fmt: skip


def _seen(epsilon: LocalEpsilon, draws: int) -> Iterator[Sentence]:
    """How far odds move when one randomised answer is seen alone, and when all of them are."""
    bound = f"by at most a factor {factor_up(epsilon)} (e^ε, epsilon {epsilon.text})"
    known = "whatever else is known and whoever sees it"
    if draws == 1:
        text = f"Seeing your report changes the odds between any two of your answers {bound}"
        yield Sentence("local", f"{text}, {known}.", 1)
        return
    text = "Seeing one randomised answer of yours alone changes the odds between any two of your "
    yield Sentence("local", f"{text}answers to its question {bound}.", 1)
    text = (
        f"Seeing all that you send, at most {draws} randomised answers, changes the odds between "
        f"any two sets of your answers by at most a factor {factor_up(epsilon.times(draws))} "
        f"(e^({draws}ε)), {known}."
    )
    yield Sentence("local-reports", text, draws)


def _anew(epsilon: LocalEpsilon, draws: int) -> Sentence:
    """What it costs to answer where the first report is not known."""
    text = (
        "The command and a page do not know each other's report, and another survey with the same "
        "question and epsilon draws anew: each costs epsilon again, and seeing what you send by "
        "two of them changes the odds between any two sets of your answers by at most a factor "
        f"{factor_up(epsilon.times(2 * draws))}."
    )
    return Sentence("local-anew", text, 2 * draws)


def another(epsilon: LocalEpsilon) -> Sentence:
    """What a second report costs if the first one, of this loss, is not shown again."""
    text = (
        f"A second report costs epsilon {epsilon.text} again: seeing both changes the odds between "
        f"any two sets of your answers by at most a factor {factor_up(epsilon.times(2))}."
    )
    return Sentence("local-reports", text, 2)


def suspicion(epsilon: LocalEpsilon, draws: int = 1) -> Sentence:
    """What becomes of a suspicion about one answer when all that the person sends is seen."""
    found = Odds(posterior(epsilon.times(draws)))
    seen = "your answer" if draws == 1 else "any of your answers, when all that you send is seen"
    return Sentence("local-odds", f"Of {seen}, {found.words}", draws)


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
