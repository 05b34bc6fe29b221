"""Subset selection: report w answers, the own one among them more often than any other.

With w = 1 it is k-ary randomised response. Ye and Barg 2018; w ≈ k/(e^ε + 1) has the least
variance, so that no other mechanism for a short list of answers is better.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import comb
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
    refused_report,
)
from leeward.systems.local.word_draws import (
    WORD,
    Answers,
    Reports,
    approximate_factor,
    below,
    kept,
    parts,
    threshold,
)

MOST_ANSWERS = 1 << 24


@dataclass(frozen=True)
class SubsetSelection(Supported, ChannelDesign):
    """Reports of `size` answers; `threshold`/2^64 is the chance that the own one is among them."""

    name: ClassVar[str] = "subset_selection"

    size: int
    threshold: int

    @classmethod
    def of(
        cls, domain: int, epsilon: Number | LocalEpsilon, size: int | None = None
    ) -> "SubsetSelection":
        """With the size of the least variance, or with this one: 1 is randomised response."""
        k, loss = read_domain(domain, MOST_ANSWERS), bounded_epsilon(epsilon)
        w = best_size(k, loss) if size is None else read_domain(size + 1, k) - 1
        return cls(k, loss, w, threshold(loss, w, k - w))

    @cached_property
    def support(self) -> Support:
        """p, and q = (w − p)/(k − 1): a report has w answers, and others are alike."""
        p = Fraction(self.threshold, WORD)
        return Support(p, (self.size - p) / (self.domain - 1))

    def encode(self, answers: ArrayLike, bits: SecretBits) -> Reports:
        """An array (clients, w) of answers in rising order: their order says nothing."""
        own = self.read(answers)
        reports = np.empty((len(own), self.size), dtype=np.uint32)
        draw = self._one if self.size == 1 else self._subset
        for part in parts(len(own), 1 if self.size == 1 else self.domain):
            reports[part] = draw(own[part], bits)
        return reports

    def _one(self, own: Answers, bits: SecretBits) -> Answers:
        other = below(self.domain - 1, len(own), bits)
        other += other >= own
        return np.where(kept(self.threshold, len(own), bits), own, other)[:, None]

    def _subset(self, own: Answers, bits: SecretBits) -> Answers:
        member = np.zeros((len(own), self.domain), dtype=np.bool_)
        inside = kept(self.threshold, len(own), bits)
        member[np.arange(len(own)), own] = inside
        for among in (True, False):
            rows = np.flatnonzero(inside == among)
            self._add_others(member.ravel(), rows * self.domain, own[rows], self.size - among, bits)
        return np.nonzero(member)[1].reshape(len(own), self.size)

    def _add_others(
        self, member: np.ndarray, start: Answers, own: Answers, count: int, bits: SecretBits
    ) -> None:
        """Mark `count` of the other answers, every subset alike (Floyd's algorithm)."""
        for last in range(self.domain - 1 - count, self.domain - 1):
            other = below(last + 1, len(own), bits)
            taken = member[start + other + (other >= own)]
            other[taken] = last
            member[start + other + (other >= own)] = True

    def counts(self, reports: Reports) -> Counts:
        """By the number of reports that contain an answer."""
        supporting = np.bincount(reports.ravel(), minlength=self.domain)
        return self.support.estimates(supporting, len(reports))

    def matrix(self) -> Matrix:
        """Reports are the subsets in the order of `itertools.combinations`."""
        k, w = self.domain, self.size
        p = Fraction(self.threshold, WORD)
        chances = (1 - p) / comb(k - 1, w), p / comb(k - 1, w - 1)
        subsets = [frozenset(combination) for combination in combinations(self.few, w)]
        return tuple(tuple(chances[x in subset] for subset in subsets) for x in range(k))

    def as_json(self, report: Reports) -> list[int]:
        """The answers of a report."""
        return [int(number) for number in report]

    def from_json(self, value: object) -> Reports:
        """A row of reports."""
        answers = read_rising(value, self.domain)
        if len(answers) != self.size:
            raise refused_report(f"must be a list of {self.size} answers", value)
        return np.array(answers, dtype=np.uint32)


def best_size(domain: int, epsilon: LocalEpsilon) -> int:
    """w of the least variance for a rare answer, one of the two whole numbers beside k/(e^ε+1)."""
    factor = approximate_factor(epsilon)
    low = max(1, int(domain / (factor + 1)))
    sizes = (low, min(low + 1, domain - 1))
    chances = (w * factor / (w * factor + domain - w) for w in sizes)
    rare = [Support(p, (w - p) / (domain - 1)).rare for w, p in zip(sizes, chances, strict=True)]
    return sizes[rare.index(min(rare))]
