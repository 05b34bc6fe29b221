"""Exam of reports: what channels of local privacy draw, compared with the law that they state.

`encode`, which surveys call, is run with fixed words. Channels of few answers are compared with
their matrix. Channels of some 50,000 numbers are compared with the exact chances of one part of a
report: there an uneven generator shows first. The function that draws whole numbers is compared
with its definition, word by word, around the ends of the range that it accepts.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from leeward.core.exact import ball
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy.local_privacy import Local
from leeward.lab.audit.independence import FixedWords, chi_square
from leeward.lab.audit.loss import PrivacyLoss
from leeward.lab.audit.neighbours import FULL, Depth
from leeward.lab.audit.row import Claim, PolicyLine, Row
from leeward.systems.local.channel import Channel
from leeward.systems.local.field import Field
from leeward.systems.local.hadamard import Hadamard
from leeward.systems.local.hashing import Hashing
from leeward.systems.local.projective import Projective, Space
from leeward.systems.local.randomised import RandomisedResponse
from leeward.systems.local.sketch import ROW_BYTES, Sketch
from leeward.systems.local.subset_selection import SubsetSelection
from leeward.systems.local.unary import Unary
from leeward.systems.local.word_draws import SHORT, WORD, Answers, Reports, below

ANOTHER_LAW = "draws reports of another law than it states"
UNEVEN = "draws some whole numbers more often than others"
FEW_DRAWS, DRAWS = 1 << 21, 10**7
"""Reports of each answer, in the quick and in the full audit."""

UNLIKELY = Fraction(1, 10**6)
"""The p-value below which a law is rejected."""

EXPECTED = 20
"""Reports in a class of χ², at least."""

MOST_CLASSES = 4096
MANY = 3 << 14
"""Of 16 bits, a third of the numbers below this have twice the chance of the others."""

BOUNDS = (3, 5, 12, 1000, MANY, SHORT - 1, SHORT, SHORT + 1, (1 << 40) - 1)
NEAR = 1 << 12
AGAIN = 1
"""What a word that is drawn again becomes in an exam."""

Below = Callable[[int, int, Any], Answers]


@dataclass(frozen=True)
class DrawnReports:
    """A channel, the part of its reports that is compared, and the exact chances of that part."""

    channel: Channel
    part: Callable[[Reports], NDArray[np.integer[Any]]]
    chances: Callable[[int], Floats]
    answers: tuple[int, ...]

    def fault(self, draws: int, short: int = 32) -> str:
        """How reports depart from the stated law; empty where they do not."""
        for answer in self.answers:
            words, chances = FixedWords(answer << 40, short), self.chances(answer)
            seen = np.zeros(len(chances), dtype=np.int64)
            for start in range(0, draws, FEW_DRAWS):
                own = np.full(min(FEW_DRAWS, draws - start), answer)
                reports = self.part(self.channel.encode(own, cast(Any, words))).astype(np.int64)
                if reports.max() >= len(chances):
                    return ANOTHER_LAW
                seen += np.bincount(reports, minlength=len(chances))
            if not _likely(seen, draws * chances):
                return ANOTHER_LAW
        return ""


def _likely(seen: NDArray[np.int64], expected: Floats) -> bool:
    """By χ² over numbers, neighbouring ones together where they are rare."""
    least = max(EXPECTED, expected.sum() / MOST_CLASSES)
    starts, reached = [0], 0.0
    for number, mean in enumerate(expected.tolist()):
        if reached >= least:
            starts.append(number)
            reached = 0.0
        reached += mean
    if reached < least and len(starts) > 1:
        starts.pop()
    counts, means = (np.add.reduceat(column, starts) for column in (seen, expected))
    return bool(chi_square(counts, means, len(starts) - 1) > ball(UNLIKELY))


def _of_matrix(
    channel: Channel, part: Callable[[Reports], Any] = lambda reports: reports
) -> DrawnReports:
    matrix = channel.matrix()
    return DrawnReports(
        channel,
        part,
        lambda answer: np.array([float(chance) for chance in matrix[answer]]),
        (0, channel.domain - 1),
    )


def _bits(reports: Reports, width: int) -> Answers:
    """Packed bits as a number, the first bit the lowest."""
    ones = np.unpackbits(reports, axis=1, count=width).astype(np.int64)
    return ones @ (1 << np.arange(width))


def _subsets(epsilon: Fraction) -> DrawnReports:
    channel = SubsetSelection.of(12, epsilon)
    places = np.zeros(1 << channel.domain, dtype=np.int64)
    for number, subset in enumerate(combinations(range(channel.domain), channel.size)):
        places[sum(1 << answer for answer in subset)] = number
    return _of_matrix(channel, lambda reports: places[(1 << reports.astype(np.int64)).sum(axis=1)])


def _sketch(epsilon: Fraction) -> DrawnReports:
    channel = Sketch.of(12, epsilon, 3, 5)
    width = channel.width
    return _of_matrix(
        channel, lambda reports: (_rows(reports) << width) + _bits(reports[:, ROW_BYTES:], width)
    )


def _rows(reports: Reports) -> Answers:
    """The row of a sketch."""
    return reports[:, 0].astype(np.int64) << 8 | reports[:, 1]


def _of_part(
    channel: Channel, part: Callable[[Reports], Any], numbers: int, first: float, others: float
) -> DrawnReports:
    """One part of a report, of many numbers: the chance of the first one, and of each other."""
    chances = np.full(numbers, others)
    chances[0] = first
    return DrawnReports(channel, part, lambda _: chances, (0,))


def _many_answers(epsilon: Fraction) -> DrawnReports:
    channel = SubsetSelection.of(MANY + 1, epsilon, 1)
    p, numbers = float(channel.support.p), channel.domain
    return _of_part(channel, lambda reports: reports[:, 0], numbers, p, (1 - p) / (numbers - 1))


def _many_blocks(epsilon: Fraction) -> DrawnReports:
    channel = Hadamard.of(MANY // 2, epsilon, MANY // 2)
    own, other = map(float, channel.chances)
    order = np.uint64(channel.order)
    return _of_part(
        channel, lambda reports: reports // order, channel.blocks, own + other, 2 * other
    )


def _many_points(epsilon: Fraction) -> DrawnReports:
    space = Space(Field(3), 11)
    channel = Projective.of(space.points, epsilon, space)
    p, c = float(channel.support.p), space.hyperplane

    def chances(answer: int) -> Floats:
        u = space.coordinates(np.arange(space.points))[::-1]
        v = space.coordinates(np.array([answer]))
        on = space.product(u, np.broadcast_to(v, u.shape)) == 0
        return np.where(on, p / c, (1 - p) / (space.points - c))

    return DrawnReports(channel, lambda reports: reports, chances, (space.points // 2,))


def _many_cohorts(epsilon: Fraction) -> DrawnReports:
    channel = Hashing.of(12, epsilon, MANY)
    size = np.uint64(channel.size)
    return _of_part(channel, lambda reports: reports // size, MANY, 1 / MANY, 1 / MANY)


class GivenWords:
    """Given words at first, and the same small one whenever more are asked for."""

    def __init__(self, words: NDArray[np.unsignedinteger[Any]]) -> None:
        self.words = words
        self.read = False

    def words64(self, count: int) -> NDArray[np.unsignedinteger[Any]]:
        """The words, then as many small ones as are asked for."""
        again, self.read = self.read, True
        return np.full(count, AGAIN, self.words.dtype) if again else self.words.copy()

    words32 = words64


def uneven(draw: Below) -> str:
    """How a function that draws whole numbers below a bound departs from its definition.

    A word is its remainder, unless it is past the last multiple of the bound: then it is drawn
    again. So every number has the same number of words. Compared are words around the last
    multiple and around all powers of two.
    """
    for bound in BOUNDS:
        size, kind = (1 << 32, np.uint32) if bound <= SHORT else (WORD, np.uint64)
        last = size - size % bound
        near = {last + i for i in range(-NEAR, NEAR)} | {
            (1 << i) + j for i in range(65) for j in range(-1, 2)
        }
        words = sorted(word for word in near if 0 <= word < size)
        numbers = draw(bound, len(words), GivenWords(np.array(words, dtype=kind)))
        if numbers.tolist() != [word % bound if word < last else AGAIN for word in words]:
            return UNEVEN
    return ""


def no_word_again(bound: int, count: int, bits: Any) -> Answers:  # noqa: ANN401 (words of an exam)
    """A twin of `below` that keeps the words past the last multiple."""
    words = bits.words32(count) if bound <= SHORT else bits.words64(count)
    numbers: Answers = (words % words.dtype.type(bound)).astype(np.int64)
    return numbers


@dataclass(frozen=True)
class ReportLine(PolicyLine):
    """One channel whose reports are drawn."""

    mechanism: str
    detail: str
    make: Callable[[Fraction], DrawnReports]
    epsilon: Fraction = Fraction(1)
    numbers: bool = True
    """Whether it draws whole numbers."""

    policy: str = Local.name

    def rows(self, _: object, depth: Depth) -> Iterator[Row]:
        """One row: reports show no other law than the one whose loss is computed elsewhere."""
        claim = Claim(self.mechanism, "tight", Local.name, None, self.epsilon, detail=self.detail)
        draws = DRAWS if depth == FULL else FEW_DRAWS
        fault = uneven(below) if self.numbers else ""
        yield Row(claim, drawn_loss(fault or self.make(self.epsilon).fault(draws), draws))

    def from_few_bits(self, _: Depth) -> PrivacyLoss:
        """The same channel with whole numbers from 16 bits, of which none is drawn again."""
        return drawn_loss(self.make(self.epsilon).fault(FEW_DRAWS, short=16), FEW_DRAWS)


def drawn_loss(fault: str, draws: int) -> PrivacyLoss:
    """None is computed: a fault, or as many draws without one."""
    return PrivacyLoss.faulty(fault) if fault else PrivacyLoss.unseen(draws)


MANY_NUMBERS = (
    ReportLine("subset_selection", f"reports of {MANY + 1} answers", _many_answers),
    ReportLine("hadamard", f"reports of {MANY // 2} blocks", _many_blocks),
    ReportLine("projective", "reports of order 3, 11 coordinates", _many_points),
    ReportLine("hashing", f"reports of {MANY} cohorts", _many_cohorts),
    ReportLine(
        "sketch",
        f"reports of {MANY} rows",
        lambda e: _of_part(Sketch.of(12, e, MANY, 3), _rows, MANY, 1 / MANY, 1 / MANY),
    ),
)

REPORT_LINES = (
    ReportLine(
        "randomised",
        "reports of 2 answers",
        lambda e: _of_matrix(RandomisedResponse.of(2, e)),
        numbers=False,
    ),
    ReportLine("subset_selection", "reports of 12 answers", _subsets),
    ReportLine(
        "projective",
        "reports of 16 answers, order 4",
        lambda e: _of_matrix(Projective.of(16, e, Space(Field(2, 2), 3))),
    ),
    ReportLine(
        "hadamard", "reports of 12 answers, 3 blocks", lambda e: _of_matrix(Hadamard.of(12, e, 3))
    ),
    ReportLine(
        "unary",
        "reports of 6 answers",
        lambda e: _of_matrix(Unary.of(6, e), lambda reports: _bits(reports, 6)),
        Fraction(4),
        numbers=False,
    ),
    ReportLine(
        "hashing", "reports of 12 answers, 5 cohorts", lambda e: _of_matrix(Hashing.of(12, e, 5))
    ),
    ReportLine("sketch", "reports of 12 answers, 3 × 5", _sketch, Fraction(8)),
    *MANY_NUMBERS,
)
