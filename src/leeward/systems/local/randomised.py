"""Randomised response: a coin decides whether a yes-or-no answer is reported or turned round.

Warner 1965. With ln 3 it is two coins: heads, the truth; tails, what the second coin says.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import sqrt
from typing import ClassVar

import numpy as np

from leeward.core.exact import Number
from leeward.core.privacy.local_privacy import LocalEpsilon, bounded_epsilon
from leeward.core.randomness import SecretBits
from leeward.systems.local.channel import (
    ChannelDesign,
    Counts,
    Matrix,
    OneNumber,
    Support,
    Supported,
    read_domain,
)
from leeward.systems.local.word_draws import WORD, Answers, Reports, kept, threshold


@dataclass(frozen=True)
class RandomisedResponse(Supported, OneNumber, ChannelDesign):
    """The answer, no is 0 and yes is 1, is kept with the chance `threshold`/2^64."""

    name: ClassVar[str] = "randomised"
    outputs: ClassVar[int] = 2

    threshold: int

    @classmethod
    def of(cls, domain: int, epsilon: Number | LocalEpsilon) -> "RandomisedResponse":
        """For two answers."""
        loss = bounded_epsilon(epsilon)
        return cls(read_domain(domain, cls.outputs), loss, threshold(loss, 1, 1))

    @cached_property
    def support(self) -> Support:
        """p, and 1 − p."""
        p = Fraction(self.threshold, WORD)
        return Support(p, 1 - p)

    def _draw(self, own: Answers, bits: SecretBits) -> Answers:
        return own ^ ~kept(self.threshold, len(own), bits)

    def counts(self, reports: Reports) -> Counts:
        """By the number of either report."""
        return self.support.estimates(np.bincount(reports, minlength=2), len(reports))

    def share(self, yes: int, n: int) -> tuple[float, float]:
        """The estimated share of "yes" and its standard deviation, of `yes` among n reports.

        The latter is estimated from the reports alone, as in a textbook on surveys.
        """
        seen = yes / n
        gap, q = self.support.gap, float(self.support.q)
        return (seen - q) / gap, sqrt(seen * (1 - seen) / n) / gap

    def matrix(self) -> Matrix:
        """Two rows of two."""
        p, q = self.support.p, self.support.q
        return (p, q), (q, p)
