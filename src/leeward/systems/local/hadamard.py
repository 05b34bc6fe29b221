"""Hadamard response: a report is a number; it speaks for the answers whose signs agree with it.

Acharya, Sun and Zhang 2019, with blocks: an answer is a row of one of B Hadamard matrices of
order b. The columns where the row is +1, the own half of the own block, are e^ε times as likely as
all others. One fast transform of the counted reports estimates every answer of a large domain.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
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
    at_estimates,
    read_domain,
)
from leeward.systems.local.word_draws import (
    WORD,
    Answers,
    Reports,
    approximate_factor,
    below,
    kept,
    threshold,
)

MOST_ANSWERS = 1 << 28
MOST_BLOCKS = 1 << 23
RADIX = 64
"""Order of the matrices that a transform multiplies with."""

EXACT_IN_FLOAT32 = 1 << 24


@dataclass(frozen=True)
class Hadamard(OneNumber, ChannelDesign):
    """Answer x is row 1 + x//B of block x mod B: row 0, all +1, would tell nothing apart.

    `threshold`/2^64 is the chance of the own half; the 2B − 1 other halves share the rest.
    """

    name: ClassVar[str] = "hadamard"

    blocks: int
    order: int
    threshold: int

    @classmethod
    def of(
        cls, domain: int, epsilon: Number | LocalEpsilon, blocks: int | None = None
    ) -> "Hadamard":
        """With the number of blocks that has the least variance, or with the number given."""
        k, loss = read_domain(domain, MOST_ANSWERS), bounded_epsilon(epsilon)
        count = (
            best_blocks(loss) if blocks is None else read_domain(blocks + 1, MOST_BLOCKS + 1) - 1
        )
        order = 1 << (-(-k // count)).bit_length()
        return cls(k, loss, count, order, threshold(loss, 1, 2 * count - 1))

    @property
    def outputs(self) -> int:
        """Reports: block·b + column."""
        return self.blocks * self.order

    @cached_property
    def chances(self) -> tuple[Fraction, Fraction]:
        """Of the own half, and of every other half."""
        own = Fraction(self.threshold, WORD)
        return own, (1 - own) / (2 * self.blocks - 1)

    def _draw(self, own: Answers, bits: SecretBits) -> Answers:
        count = len(own)
        row, block = 1 + own // self.blocks, own % self.blocks
        column = below(self.order, count, bits)
        inside = kept(self.threshold, count, bits)
        other = below(2 * self.blocks - 1, count, bits)
        # Number 0 is the other half of the own block; 2j−1 and 2j are the j-th next block, whole.
        at_home = inside | (other == 0)
        # Changing the lowest bit of the row maps the halves of a block onto each other.
        wrong = at_home & ((np.bitwise_count(row & column) % 2 == 0) != inside)
        column ^= np.where(wrong, row & -row, 0)
        away = np.where(at_home, 0, (other + 1) // 2)
        return (block + away) % self.blocks * self.order + column

    def counts(self, reports: Reports) -> Counts:
        """By one Walsh–Hadamard transform of the counted reports of each block."""
        kind = np.float32 if len(reports) < EXACT_IN_FLOAT32 else np.float64
        seen = np.bincount(reports.astype(np.int64), minlength=self.outputs).astype(kind)
        sums = walsh(seen.reshape(self.blocks, self.order))[:, 1:]
        own, other = self.chances
        counts = sums.T.ravel()[: self.domain].astype(np.float64)
        counts /= float(own - other)
        return counts

    def variance(self, n: float, f: float, squares: float = 0.0) -> float:
        """Where the other clients are spread evenly over the blocks; `squares` is not used."""
        return self.variance_in_block(n, f, f + (n - f) / self.blocks)

    def variance_in_block(self, n: float, f: float, home: float) -> float:
        """Where `home` of n clients, f among them, have answers of the same block."""
        own, other = self.chances
        gap, near, far = float(own - other), float(own + other), float(2 * other)
        return (home * near + (n - home) * far) / gap**2 - f

    def variances(self, reports: Reports, counts: Counts) -> Counts:
        """N/(own − other)² − f, where N reports lie in the block of the answer.

        A report adds +1, −1 or 0, so that N is the sum of the squares. N may be 0 by chance: the
        variance is at least that of a block where nobody else is at home.
        """
        seen = np.bincount(
            (reports // np.uint64(self.order)).astype(np.int64), minlength=self.blocks
        )
        near = seen[np.arange(self.domain) % self.blocks].astype(np.float64)
        return self._variances(len(reports), counts, near)

    def variance_range(self, n: int, counts: Counts) -> tuple[Counts, Counts]:
        """The least and the largest variances of such estimates: of n reports none, or all, lie
        in the block of the answer."""
        none = np.zeros(self.domain)
        return self._variances(n, counts, none), self._variances(n, counts, none + n)

    def _variances(self, n: int, counts: Counts, near: Counts) -> Counts:
        own, other = self.chances
        seen: Counts = near / float(own - other) ** 2 - np.clip(counts, 0, n)
        least = at_estimates(lambda n, f, _: self.variance_in_block(n, f, f), n, counts)
        return np.maximum(seen, least)

    @property
    def most_moved(self) -> float:
        """From −1 to +1."""
        own, other = self.chances
        return 2 / float(own - other)

    def matrix(self) -> Matrix:
        """Reports in the order of their numbers."""
        own, other = (chance * 2 / self.order for chance in self.chances)
        rows = []
        for answer in self.few:
            row, block = 1 + answer // self.blocks, answer % self.blocks
            reports = (divmod(report, self.order) for report in range(self.outputs))
            rows.append(
                tuple(
                    own if at == block and (row & column).bit_count() % 2 == 0 else other
                    for at, column in reports
                )
            )
        return tuple(rows)


def best_blocks(epsilon: LocalEpsilon) -> int:
    """The power of two with the least variance, in proportion to 4(B + e^ε−1) + (e^ε−1)²/B."""
    gain = approximate_factor(epsilon) - 1
    choices = (1 << i for i in range(MOST_BLOCKS.bit_length()))
    return min(choices, key=lambda blocks: 4 * blocks + gain**2 / blocks)


def walsh(values: np.ndarray) -> np.ndarray:
    """The Walsh–Hadamard transform of every row; exact while whole sums fit the floats."""
    rows, order = values.shape
    left, right = order, 1
    while left > 1:
        size = min(RADIX, left)
        left //= size
        grouped = values.reshape(rows * left, size, right)
        signs = hadamard_matrix(size).astype(values.dtype)
        values = grouped[:, :, 0] @ signs if right == 1 else signs @ grouped
        right *= size
    return values.reshape(rows, order)


@lru_cache
def hadamard_matrix(order: int) -> np.ndarray:
    """Sylvester's: +1 where row and column have an even number of common bits."""
    numbers = np.arange(order)
    odd = np.bitwise_count(numbers[:, None] & numbers) % 2
    signs: np.ndarray = 1 - 2 * odd.astype(np.int64)
    return signs
