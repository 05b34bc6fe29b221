"""Survey promises: the sentences of surveys, beside the exact losses of their channels."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from flint import arb

from leeward.core.exact import ball, precision
from leeward.core.privacy.local_privacy import IN_SHORT, Local, local_sentences, posterior
from leeward.core.privacy.odds_of_suspicion import OF
from leeward.core.privacy.words import Sentence
from leeward.lab.audit.local_exam import LOCAL_LINES, channel_loss
from leeward.lab.audit.loss import INFINITE
from leeward.lab.audit.promises import Promise
from leeward.systems.local.channel import Channel

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
