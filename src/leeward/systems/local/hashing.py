"""Optimised local hashing: the answer's bucket under a public hash, by k-ary randomised response.

Wang, Blocki, Li and Jha 2017. It serves an open domain of which a short list of candidates is
looked up. Cohorts, clients who share a hash, decode faster and err more: answers that share a
bucket do so for the entire cohort.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

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

SEEDS = 1 << 32
GOLDEN, FIRST, SECOND = (
    np.uint64(one) for one in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)
"""Constants of SplitMix64 (Steele, Lea and Flood 2014)."""


def buckets(seeds: ArrayLike, answers: ArrayLike, size: int) -> Answers:
    """A public hash of answers into `size` buckets, another one for each seed.

    The word 2^32·(seed + 1) + answer is mixed twice by SplitMix64, in numbers below 2^64, and the
    higher 32 bits of the result are scaled to the buckets.
    """
    word = (np.atleast_1d(seeds).astype(np.uint64) + np.uint64(1)) << np.uint64(32)
    hashed = mixed(mixed(word) + np.asarray(answers).astype(np.uint64))
    scaled = (hashed >> np.uint64(32)) * np.uint64(size) >> np.uint64(32)
    return scaled.astype(np.int64)


def mixed(word: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """One step of SplitMix64."""
    z = word + GOLDEN
    z = (z ^ (z >> np.uint64(30))) * FIRST
    z = (z ^ (z >> np.uint64(27))) * SECOND
    return z ^ (z >> np.uint64(31))


@dataclass(frozen=True)
class Hashing(Supported, OneNumber, ChannelDesign):
    """A report is seed·g + bucket; the own bucket has the chance `threshold`/2^64.

    The seed is uniform below `seeds`, which is 2^32 or the number of cohorts.
    """

    name: ClassVar[str] = "hashing"

    size: int
    seeds: int
    threshold: int

    @classmethod
    def of(cls, domain: int, epsilon: Number | LocalEpsilon, cohorts: int = SEEDS) -> "Hashing":
        """g = e^ε + 1 buckets, rounded."""
        k, loss = read_domain(domain, SEEDS), bounded_epsilon(epsilon)
        size = int(approximate_factor(loss) + Fraction(3, 2))
        return cls(k, loss, size, read_domain(cohorts, SEEDS), threshold(loss, 1, size - 1))

    @property
    def outputs(self) -> int:
        """Every seed with every bucket."""
        return self.seeds * self.size

    @cached_property
    def support(self) -> Support:
        """p, and 1/g: a hash puts another answer into every bucket alike."""
        return Support(Fraction(self.threshold, WORD), Fraction(1, self.size))

    def variance(self, n: float, f: float, squares: float = 0.0) -> float:
        """With what cohorts add: Σf'²/(K(g − 1)) over the other answers."""
        return self.support.variance(n, f) + squares / (self.seeds * (self.size - 1))

    def _draw(self, own: Answers, bits: SecretBits) -> Answers:
        seed = below(self.seeds, len(own), bits)
        bucket = buckets(seed, own, self.size)
        other = below(self.size - 1, len(own), bits)
        other += other >= bucket
        drawn = np.where(kept(self.threshold, len(own), bits), bucket, other)
        return seed * self.size + drawn

    def counts(self, reports: Reports, answers: ArrayLike | None = None) -> Counts:
        """Of all answers, or of these candidates; it takes reports × answers steps."""
        wanted = np.arange(self.domain) if answers is None else self.read(answers)
        pairs, times = np.unique(reports, return_counts=True)
        found = np.zeros(len(wanted), dtype=np.int64)
        for part in parts(len(pairs), 64):
            seed, bucket = np.divmod(pairs[part].astype(np.int64), self.size)
            for i, one in enumerate(wanted):
                found[i] += times[part] @ (buckets(seed, one, self.size) == bucket)
        return self.support.estimates(found, len(reports))

    def matrix(self) -> Matrix:
        """Given each of the first seeds, up to 16, which say nothing of the answer."""
        p, g, seeds = self.support.p, self.size, range(min(self.seeds, 16))
        chances = (1 - p) / (g - 1) / len(seeds), p / len(seeds)

        def row(answer: int) -> tuple[Fraction, ...]:
            own = cast(list[int], buckets(np.array(seeds), answer, g).tolist())
            return tuple(chances[y == bucket] for bucket in own for y in range(g))

        return tuple(map(row, self.few))
