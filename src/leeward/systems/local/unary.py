"""Optimised unary encoding: a bit for every answer, the own one by a fair coin, others rarely 1.

Wang, Blocki, Li and Jha 2017. It is the yardstick of the other mechanisms, and needs as many
bits as there are answers: `auto` never chooses it.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from leeward.core.exact import Number
from leeward.core.privacy.local_privacy import LocalEpsilon, bounded_epsilon
from leeward.core.randomness import SecretBits
from leeward.systems.local.channel import (
    ChannelDesign,
    Counts,
    Matrix,
    Support,
    Supported,
    read_domain,
    read_rising,
)
from leeward.systems.local.word_draws import WORD, Reports, kept, kept_bits, parts, threshold

MOST_ANSWERS = 1 << 20
FAIR = WORD // 2


@dataclass(frozen=True)
class Unary(Supported, ChannelDesign):
    """The bit of another answer is 0 with the chance `threshold`/2^64."""

    name: ClassVar[str] = "unary"

    threshold: int

    @classmethod
    def of(cls, domain: int, epsilon: Number | LocalEpsilon) -> "Unary":
        """One bit for each answer."""
        loss = bounded_epsilon(epsilon)
        return cls(read_domain(domain, MOST_ANSWERS), loss, threshold(loss, 1, 1))

    @cached_property
    def support(self) -> Support:
        """½, and the chance of a false 1."""
        return Support(Fraction(FAIR, WORD), 1 - Fraction(self.threshold, WORD))

    def encode(self, answers: ArrayLike, bits: SecretBits) -> Reports:
        """An array (clients, bytes) of packed bits, the first answer in the highest bit."""
        own = self.read(answers)
        reports = np.empty((len(own), -(-self.domain // 8)), dtype=np.uint8)
        for part in parts(len(own), self.domain):
            some = own[part]
            ones = kept_bits(WORD - self.threshold, (len(some), self.domain), bits)
            ones[np.arange(len(some)), some] = kept(FAIR, len(some), bits)
            reports[part] = np.packbits(ones, axis=1)
        return reports

    def counts(self, reports: Reports) -> Counts:
        """By the number of ones of each answer."""
        supporting = np.zeros(self.domain, dtype=np.int64)
        for part in parts(len(reports), self.domain):
            supporting += ones(reports[part], self.domain)
        return self.support.estimates(supporting, len(reports))

    def matrix(self) -> Matrix:
        """Reports in the order of their bits as a number, the first answer in the lowest."""
        q, k = self.support.q, self.domain
        others = [q**i * (1 - q) ** (k - 1 - i) / 2 for i in range(k)]  # ½ of the own bit

        def chance(report: int, own: int) -> Fraction:
            return others[(report & ~(1 << own)).bit_count()]

        return tuple(tuple(chance(y, x) for y in range(1 << k)) for x in self.few)

    def as_json(self, report: Reports) -> list[int]:
        """The answers whose bit is 1."""
        return [int(i) for i in np.flatnonzero(np.unpackbits(report, count=self.domain))]

    def from_json(self, value: object) -> Reports:
        """A row of reports."""
        return packed(read_rising(value, self.domain), self.domain)


def ones(reports: Reports, width: int) -> np.ndarray:
    """How many reports have a 1, for each of `width` packed bits."""
    supporting: np.ndarray = np.unpackbits(reports, axis=1, count=width).sum(axis=0, dtype=np.int64)
    return supporting


def packed(places: list[int], width: int) -> Reports:
    """Bits that are 1 at these places."""
    row = np.zeros(width, dtype=np.uint8)
    row[places] = 1
    return np.packbits(row)
