"""Exam of local privacy: the exact law of every report under every answer, at its thresholds.

The sentences of surveys are examined by these exact losses of their channels.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from flint import arb

from leeward.core.exact import ball, precision
from leeward.core.privacy.local_privacy import IN_SHORT, Local, local_sentences, posterior
from leeward.core.privacy.odds_of_suspicion import OF
from leeward.core.privacy.words import Sentence
from leeward.lab.audit.audit_line import Control
from leeward.lab.audit.loss import BITS, DISTINGUISHED, INFINITE, UNKNOWN, PrivacyLoss
from leeward.lab.audit.neighbours import Depth
from leeward.lab.audit.promises import Promise
from leeward.lab.audit.report_exam import BOUNDS, MANY_NUMBERS, drawn_loss, no_word_again, uneven
from leeward.lab.audit.row import Claim, PolicyLine, Row
from leeward.systems.local.channel import Channel
from leeward.systems.local.field import Field
from leeward.systems.local.hadamard import Hadamard
from leeward.systems.local.hashing import Hashing
from leeward.systems.local.projective import Projective, Space
from leeward.systems.local.randomised import RandomisedResponse
from leeward.systems.local.sketch import Sketch
from leeward.systems.local.subset_selection import SubsetSelection
from leeward.systems.local.unary import Unary

Make = Callable[[Fraction], Channel]


def channel_loss(channel: Channel) -> PrivacyLoss:
    """The largest log-ratio of a report's chances under two answers; both directions are alike."""
    matrix = channel.matrix()
    if any(sum(row) != 1 for row in matrix):
        return PrivacyLoss.faulty("chances that do not add up to 1")
    columns = [column for column in zip(*matrix, strict=True) if any(column)]
    if any(min(column) == 0 for column in columns):
        return DISTINGUISHED
    with precision(BITS):
        loss = ball(max(max(column) / min(column) for column in columns)).log()
    return PrivacyLoss(loss, loss, UNKNOWN)


@dataclass(frozen=True)
class LocalLine(PolicyLine):
    """One channel at some ε."""

    mechanism: str
    make: Make
    detail: str
    at: tuple[str, ...] = ("1/2", "1", "4")
    policy: str = Local.name

    def rows(self, _: object, __: Depth) -> Iterator[Row]:
        """One row for every ε."""
        for epsilon in map(Fraction, self.at):
            claim = Claim(self.mechanism, "tight", Local.name, None, epsilon, detail=self.detail)
            yield Row(claim, channel_loss(self.make(epsilon)))


LOCAL_LINES = (
    LocalLine("randomised", lambda e: RandomisedResponse.of(2, e), "2 answers"),
    LocalLine("subset_selection", lambda e: SubsetSelection.of(12, e), "12 answers"),
    LocalLine(
        "projective", lambda e: Projective.of(13, e, Space(Field(3), 3)), "13 answers, order 3"
    ),
    LocalLine(
        "projective", lambda e: Projective.of(16, e, Space(Field(2, 2), 3)), "16 answers, order 4"
    ),
    LocalLine("hadamard", lambda e: Hadamard.of(12, e, 2), "12 answers, 2 blocks"),
    LocalLine("unary", lambda e: Unary.of(6, e), "6 answers"),
    LocalLine("hashing", lambda e: Hashing.of(12, e), "12 answers"),
    LocalLine("sketch", lambda e: Sketch.of(12, e, 3, 5), "12 answers, 3 × 5"),
)


def rounded_up(make: Make) -> Callable[[Depth], PrivacyLoss]:
    """The chance of the own answer rounded up to 64 bits, at ε = 1."""

    def examine(_: Depth) -> PrivacyLoss:
        channel: Any = make(Fraction(1))
        return channel_loss(replace(channel, threshold=channel.threshold + 1))

    return examine


def kept_words(_: Depth) -> PrivacyLoss:
    """Whole numbers by remainders only."""
    return drawn_loss(uneven(no_word_again), len(BOUNDS))


LOCAL_CONTROLS = (
    *(
        Control(
            "p rounded up", line.mechanism, rounded_up(line.make), Local.name, detail=line.detail
        )
        for line in {line.mechanism: line for line in LOCAL_LINES}.values()
    ),
    *(
        Control(
            "numbers of 16 bits, none rejected",
            line.mechanism,
            line.from_few_bits,
            Local.name,
            detail=line.detail,
        )
        for line in MANY_NUMBERS
    ),
    Control("whole numbers without rejection", "subset_selection", kept_words, Local.name),
)


# Sentences of surveys.

REPORTS, WORKERS = 3, 5
"""Reports of a person, and workers of an employer, in the sentences of surveys."""


def survey_channels() -> Iterator[Channel]:
    """Channels that `auto` chooses, and the lecture's coin."""
    for line in LOCAL_LINES[:3]:
        yield from (line.make(Fraction(epsilon)) for epsilon in (1, 4))


def survey_promises() -> Iterator[Promise]:
    """Every sentence of surveys, for every channel."""
    for channel in survey_channels():
        yield from local_promises(channel)


def local_promises(channel: Channel) -> Iterator[Promise]:
    """Every sentence of a survey: two answers of a person, several reports, many workers."""
    with precision(128):
        loss = channel_loss(channel).epsilon
    yield of_survey(channel, IN_SHORT, loss)
    for draws in (1, REPORTS):
        with precision(128):
            every = draws * loss  # reports of a person are drawn independently
            computed = {
                "local": loss,
                "local-reports": every,
                "local-odds": OF * every.exp() / (OF - 1 + every.exp()),
                "local-anew": 2 * every,
                "local-part": INFINITE,  # a report that is there, or not
                "local-employer": WORKERS * loss,
            }
        for sentence in local_sentences(channel.epsilon, draws):
            yield of_survey(channel, sentence, computed[sentence.id])


def of_survey(channel: Channel, sentence: Sentence, computed: arb) -> Promise:
    """What the sentence says of this channel, beside what was computed."""
    steps, epsilon = sentence.steps, channel.epsilon.plain
    promised = INFINITE if steps is None else ball(steps * epsilon)
    if sentence.id == "local-odds":
        promised = arb(posterior(channel.epsilon.times(steps or 1)))
    said = (sentence.id, Local.name, channel.name, None, epsilon)
    return Promise(*said, promised, computed, sentence.text, warns=steps is None)


def second_report() -> Promise:
    """A false sentence: what a report that is drawn again costs."""
    channel = next(survey_channels())
    text = "A report that is drawn again for the same answer costs nothing more."
    with precision(128):
        twice = channel_loss(channel).times(2).epsilon
    return replace(of_survey(channel, Sentence("local-again", text, 1), twice), control=True)
