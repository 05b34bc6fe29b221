"""Exact selection: a random matching, and a place by its rank.

With weights e^(−rate·rank) that is the exponential mechanism, with coins permute-and-flip.

Ranks are whole numbers, the rate is an exact rational. The uniform that decides gets more bits of
itself until its interval lies between two partial sums of weights; nothing is rounded.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Protocol, final

import numpy as np
from flint import arb

from leeward.core.exact import START_BITS, ball, precision
from leeward.core.noise.sampling import Uniform
from leeward.core.noise.scales import Integers
from leeward.core.randomness import SecretBits

WORD = 64


class Selection(Protocol):
    """What a mechanism that selects asks for; releases get `SECRET`, the auditor has its own."""

    def order(self, count: int) -> Integers:
        """A uniformly random order of `count` rows."""

    def chosen(self, ranks: Integers, rate: Fraction) -> int:
        """A place, with probability proportional to e^(−rate·rank)."""

    def flipped(self, ranks: Integers, rate: Fraction) -> int:
        """A place by permute-and-flip: the first in random order whose coin e^(−rate·excess) falls.

        The excess is what its rank is above the least one.
        """


@final
class SecretSelection:
    """Exact selection by the system's bits. It holds nothing, so nothing can be put into it."""

    __slots__ = ()

    def order(self, count: int) -> Integers:
        """By random keys; as long as two are equal, all are drawn again, which favours no order."""
        while True:
            keys = SecretBits().words64(count)
            if len(np.unique(keys)) == count:
                return np.argsort(keys)

    def chosen(self, ranks: Integers, rate: Fraction) -> int:
        """First one of the ranks that occur, then one of its places."""
        levels, places = np.unique(ranks, return_counts=True)
        level = choose(levels.tolist(), places.tolist(), rate, SecretBits())
        alike = np.flatnonzero(ranks == levels[level])
        return int(alike[below(len(alike), SecretBits())])

    def flipped(self, ranks: Integers, rate: Fraction) -> int:
        """The coin of the least rank always falls, so that some place is taken."""
        least = int(ranks.min())
        for place in self.order(len(ranks)).tolist():
            if falls(rate * (int(ranks[place]) - least), SecretBits()):
                return int(place)
        raise AssertionError("one of the ranks is the least")


SECRET = SecretSelection()


def weights(levels: Sequence[int], places: Sequence[int], rate: Fraction) -> list[arb]:
    """places·e^(−rate·(level − least)) as balls at the working precision."""
    least = min(levels)
    return [
        n * ball(-rate * (level - least)).exp() for level, n in zip(levels, places, strict=True)
    ]


def choose(levels: Sequence[int], places: Sequence[int], rate: Fraction, bits: SecretBits) -> int:
    """The number of a level, with exactly the probability of its weight."""
    uniform = Uniform(bits.word(WORD), WORD, bits)
    while True:
        with precision(uniform.size + START_BITS):
            parts = weights(levels, places, rate)
            total, start = sum(parts, arb(0)), arb(0)
            low, high = (end * total for end in uniform.ends())
            for i, part in enumerate(parts):
                end = start + part
                # Nothing is below the first part, nor above the last.
                if (i == 0 or low >= start) and (i == len(parts) - 1 or high <= end):
                    return i
                start = end
        uniform.extend()


def falls(exponent: Fraction, bits: SecretBits) -> bool:
    """A coin of probability exactly e^(−exponent)."""
    if exponent == 0:
        return True
    return Uniform(bits.word(WORD), WORD, bits).below_exp(exponent)


def below(count: int, bits: SecretBits) -> int:
    """A uniform whole number below `count`; words in the incomplete last round are drawn again."""
    complete = 2**WORD - 2**WORD % count
    while (word := bits.word(WORD)) >= complete:
        pass
    return word % count
