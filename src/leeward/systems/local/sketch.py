"""Count Mean Sketch: a row of a sketch, hashed to m bits of which each is flipped by chance.

Apple's Differential Privacy Team 2017. It is here to be compared: a report has m bits, and answers
that share a counter add an error that the privacy part of its variance leaves out.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, cast

import numpy as np
from numpy.typing import ArrayLike

from leeward.core.errors import InvalidParameter
from leeward.core.exact import Number
from leeward.core.privacy.local_privacy import LocalEpsilon, bounded_epsilon
from leeward.core.randomness import SecretBits
from leeward.systems.local.channel import (
    ChannelDesign,
    Counts,
    Matrix,
    read_domain,
    read_rising,
    refused_report,
)
from leeward.systems.local.hashing import SEEDS, buckets
from leeward.systems.local.unary import ones, packed
from leeward.systems.local.word_draws import WORD, Reports, below, kept_bits, parts, threshold

ROWS, WIDTH = 128, 1024
MOST_ROWS, MOST_WIDTH = 1 << 16, 1 << 16
WIDEST_MATRIX = 8
ROW_BYTES = 2


@dataclass(frozen=True)
class Sketch(ChannelDesign):
    """A uniform row of `rows`; each of `width` bits is kept with the chance `threshold`/2^64.

    Two answers differ in two bits of a row at most, so that each bit is kept e^(ε/2) times as
    often as it is flipped.
    """

    name: ClassVar[str] = "sketch"

    rows: int
    width: int
    threshold: int

    @classmethod
    def of(
        cls,
        domain: int,
        epsilon: Number | LocalEpsilon,
        rows: int = ROWS,
        width: int = WIDTH,
    ) -> "Sketch":
        """With a sketch of this size."""
        k, loss = read_domain(domain, SEEDS), bounded_epsilon(epsilon)
        r, m = read_domain(rows, MOST_ROWS), read_domain(width, MOST_WIDTH)
        return cls(k, loss, r, m, threshold(loss, 1, 1, halved=True))

    @property
    def gap(self) -> Fraction:
        """The chance of a kept bit less that of a flipped one."""
        return 2 * Fraction(self.threshold, WORD) - 1

    def encode(self, answers: ArrayLike, bits: SecretBits) -> Reports:
        """An array (clients, 2 + m/8 bytes): the row, the higher byte first, then packed bits."""
        own = self.read(answers)
        reports = np.empty((len(own), ROW_BYTES + -(-self.width // 8)), dtype=np.uint8)
        for part in parts(len(own), self.width):
            some = own[part]
            row = below(self.rows, len(some), bits)
            sent = kept_bits(WORD - self.threshold, (len(some), self.width), bits)
            sent[np.arange(len(some)), buckets(row, some, self.width)] ^= True
            reports[part, 0], reports[part, 1] = row >> 8, row & 255
            reports[part, ROW_BYTES:] = np.packbits(sent, axis=1)
        return reports

    def counts(self, reports: Reports) -> Counts:
        """(m/(m − 1))·(mean over rows of the unbiased counters of an answer − n/m)."""
        row = reports[:, 0].astype(np.int64) << 8 | reports[:, 1]
        clients = np.bincount(row, minlength=self.rows)
        order, ends = np.argsort(row, kind="stable"), np.cumsum(clients)
        answers, total = np.arange(self.domain), np.zeros(self.domain)
        for number, mine in enumerate(np.split(order, ends[:-1])):
            counters = 2.0 * ones(reports[mine, ROW_BYTES:], self.width) - len(mine)
            unbiased = (counters / float(self.gap) + len(mine)) / 2
            total += unbiased[buckets(number, answers, self.width)]
        return (total - len(reports) / self.width) * self.width / (self.width - 1)

    def variance(self, n: float, f: float, squares: float = 0.0) -> float:
        """(m/(m−1))²·{privacy part + (1/m)(1 − 1/m)·[(n − f)(1 − 1/r) + Σf'²/r]}."""
        r, m = self.rows, self.width
        shared = (n - f) * (1 - 1 / r) + squares / r
        return (m / (m - 1)) ** 2 * (self.privacy_part(n) + shared * (1 - 1 / m) / m)

    def privacy_part(self, n: float) -> float:
        """n·e^(ε/2)/(e^(ε/2) − 1)²: the variance without what shared counters add."""
        return n * float((1 / self.gap**2 - 1) / 4)

    @property
    def most_moved(self) -> float:
        """One bit of a report turned round, and m/(m − 1)."""
        return self.width / (self.width - 1) / float(self.gap)

    def matrix(self) -> Matrix:
        """Reports row by row, each in the order of its bits as a number, the first the lowest."""
        if self.width > WIDEST_MATRIX:
            raise InvalidParameter(
                "width",
                rule=f"must be at most {WIDEST_MATRIX} for the law of every report",
                value=self.width,
                next_step="Ask for the matrix of a narrower sketch with the same epsilon.",
            )
        keep, m = Fraction(self.threshold, WORD), self.width
        chances = [keep ** (m - i) * (1 - keep) ** i / self.rows for i in range(m + 1)]

        def row(answer: int) -> tuple[Fraction, ...]:
            own = cast(list[int], buckets(np.arange(self.rows), answer, m).tolist())
            return tuple(
                chances[(y ^ 1 << number).bit_count()] for number in own for y in range(1 << m)
            )

        return tuple(map(row, self.few))

    def as_json(self, report: Reports) -> list[int]:
        """The row, then the number of rows plus every place with a 1: a rising list."""
        places = np.flatnonzero(np.unpackbits(report[ROW_BYTES:], count=self.width))
        return [int(report[0]) << 8 | int(report[1]), *(self.rows + int(i) for i in places)]

    def from_json(self, value: object) -> Reports:
        """A row of reports."""
        numbers = read_rising(value, self.rows + self.width)
        if sum(number < self.rows for number in numbers) != 1:
            raise refused_report(f"must begin with one row below {self.rows}", value)
        head = np.array(divmod(numbers[0], 256), dtype=np.uint8)
        return np.concatenate([head, packed([i - self.rows for i in numbers[1:]], self.width)])
