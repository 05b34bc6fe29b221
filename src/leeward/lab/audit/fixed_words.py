"""Fixed words: what exams give a sampler in place of the system's random words.

The words are numbered, and word i is SplitMix64 of i: an exam has the same result every time.
"""

import numpy as np
from numpy.typing import NDArray

from leeward.core.noise.tabulated import Words
from leeward.systems.local.hashing import mixed


class FixedWords:
    """The words from number `first` on; `short` ones, of 32 bits, are below 2^`short`.

    It has the methods of `SecretBits` and is no such thing: no release can be given one.
    """

    def __init__(self, first: int = 0, short: int = 32) -> None:
        self.next = first
        self.short = short

    def words64(self, count: int) -> Words:
        """The next `count` words."""
        numbers = np.arange(self.next, self.next + count, dtype=np.uint64)
        self.next += count
        return mixed(numbers)

    def words32(self, count: int) -> NDArray[np.uint32]:
        """The highest bits of the next `count` words."""
        return (self.words64(count) >> np.uint64(64 - self.short)).astype(np.uint32)

    def word(self, bits: int) -> int:
        """The highest bits of the next word, at most 64."""
        return int(self.words64(1)[0]) >> (64 - bits)
