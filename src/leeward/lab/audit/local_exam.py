"""Exam of local privacy: the exact law of every report under every answer, at its thresholds."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from leeward.core.exact import ball, precision
from leeward.core.privacy.local_privacy import Local
from leeward.lab.audit.loss import BITS, DISTINGUISHED, UNKNOWN, PrivacyLoss
from leeward.lab.audit.neighbours import Depth
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
