"""Local privacy: an answer is randomised by the person who gives it, before anyone sees it.

The policy and its ε belong here and not to `policy`: two answers of one person are compared, not
two databases, and no plan may name it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, isqrt
from typing import ClassVar

from flint import arb

from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import (
    START_BITS,
    Number,
    at_most,
    ball,
    number_text,
    precision,
    rational,
    three_digits_up,
)
from leeward.core.privacy.odds_of_suspicion import OF, SURE, Odds, posterior_up
from leeward.core.privacy.words import BILLION, Sentence

LEAST, MOST = Fraction(1, 1000), Fraction(16)
"""Bounds of ε: below, 64 bits are too coarse; above, nearly every report is the answer itself."""

LOGARITHM = re.compile(r"ln ?([0-9./]{1,80})|ln\(([0-9./]{1,80})\)")
FLOAT_BITS = 128

NOT_OF_PLANS = (
    "A plan tabulates answers that somebody has collected; ask people by `leeward local`, which "
    "randomises answers before anybody sees them."
)
"""The next step for a plan that names this policy."""


@dataclass(frozen=True, slots=True)
class Local:
    """Protects one answer: a report is almost as likely under every other answer of the person.

    Neighbours: any two answers of one person to one question. That a person took part, the
    stratum, and employers are not protected.
    """

    name: ClassVar[str] = "local"


@dataclass(frozen=True, slots=True)
class LocalEpsilon:
    """ε = plain + ln(ratio), exactly: e^ε = ratio·e^plain is rational where plain is 0."""

    plain: Fraction
    ratio: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if self.plain < 0 or self.ratio < 1 or (self.plain == 0 and self.ratio == 1):
            raise InvalidParameter(
                "epsilon",
                rule="must be above 0: a number, or ln of a number above 1",
                value=self.text,
                next_step="Write epsilon as text, such as '1' or 'ln 3'.",
            )

    @classmethod
    def read(cls, value: "Number | LocalEpsilon", parameter: str = "epsilon") -> "LocalEpsilon":
        """As a survey writes it: "1", "1/2", "ln 3" or "1 + ln 3"."""
        if isinstance(value, LocalEpsilon):
            return value
        if not isinstance(value, str):
            return cls(rational(value, parameter))
        plain, ratio = Fraction(0), Fraction(1)
        for term in value.split("+", 1) if "ln" in value else [value]:
            logarithm = LOGARITHM.fullmatch(term.strip())
            if logarithm:
                ratio *= rational(logarithm[1] or logarithm[2], parameter)
            else:
                plain += rational(term.strip(), parameter)
        return cls(plain, ratio)

    def __add__(self, other: "LocalEpsilon") -> "LocalEpsilon":
        """Two reports of one person: losses add up."""
        return LocalEpsilon(self.plain + other.plain, self.ratio * other.ratio)

    def times(self, reports: int) -> "LocalEpsilon":
        """The loss of several reports of one person."""
        return LocalEpsilon(self.plain * reports, self.ratio**reports)

    @property
    def factor(self) -> Fraction | None:
        """e^ε where it is rational."""
        return self.ratio if self.plain == 0 else None

    @property
    def root(self) -> Fraction | None:
        """e^(ε/2) where it is rational."""
        root = Fraction(isqrt(self.ratio.numerator), isqrt(self.ratio.denominator))
        return root if self.plain == 0 and root**2 == self.ratio else None

    def ball(self) -> arb:
        """ε at the working precision."""
        return ball(self.plain) + ball(self.ratio).log()

    def power(self) -> arb:
        """e^ε at the working precision."""
        return ball(self.plain).exp() * ball(self.ratio)

    @property
    def value(self) -> float:
        """ε as a float, for predictions of errors."""
        with precision(FLOAT_BITS):
            return float(self.ball().mid())

    @property
    def text(self) -> str:
        """As a survey writes it."""
        parts = [number_or_fraction(self.plain)] if self.plain else []
        parts += [f"ln {number_or_fraction(self.ratio)}"] if self.ratio != 1 else []
        return " + ".join(parts) or "0"


def number_or_fraction(number: Fraction) -> str:
    """A number as it can be read again: a short decimal where it is exact, or the fraction."""
    short = number_text(number)
    return short if Fraction(short) == number else str(number)


def bounded_epsilon(value: Number | LocalEpsilon) -> LocalEpsilon:
    """An ε that a mechanism can keep and that protects anything."""
    epsilon = LocalEpsilon.read(value)
    if epsilon.ratio == 1:  # balls cannot tell that two numbers are equal
        inside = LEAST <= epsilon.plain <= MOST
    else:
        inside = at_most(lambda: ball(LEAST), epsilon.ball) and at_most(
            epsilon.ball, lambda: ball(MOST)
        )
    if inside:
        return epsilon
    raise InvalidParameter(
        "epsilon",
        rule=f"must lie between {LEAST} and {MOST}",
        value=shown(epsilon.text),
        next_step="Write an epsilon such as '1', 'ln 3' or '4'.",
    )


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
    again = (
        "The command and a page do not know each other's report, and another survey with the same "
        "question and epsilon draws anew: each costs epsilon again, and seeing what you send by "
        "two of them changes the odds between any two sets of your answers by at most a factor "
        f"{factor_up(epsilon.times(2 * draws))}."
    )
    return (
        *_seen(epsilon, draws),
        suspicion(epsilon, draws),
        Sentence("local-anew", again, 2 * draws),
        TAKING_PART,
        EMPLOYERS,
    )


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


def another(epsilon: LocalEpsilon) -> Sentence:
    """What a second report costs if the first one, of this loss, is not shown again."""
    text = (
        f"A second report costs epsilon {epsilon.text} again: seeing both changes the odds between "
        f"any two sets of your answers by at most a factor {factor_up(epsilon.times(2))}."
    )
    return Sentence("local-reports", text, 2)


def suspicion(epsilon: LocalEpsilon, draws: int = 1) -> Sentence:
    """What becomes of a suspicion about one answer when all that the person sends is seen."""
    odds = Odds(posterior(epsilon.times(draws)))
    seen = "your answer" if draws == 1 else "any of your answers, when all that you send is seen"
    return Sentence("local-odds", f"Of {seen}, {odds.words}", draws)


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
