"""Categories drawn from many small distributions at once, and shuffled identifiers."""

from dataclasses import dataclass
from math import gcd
from typing import Self

import numpy as np
from numpy.typing import NDArray

from leeward.core.randomness import SeededBits


@dataclass(frozen=True, slots=True)
class Categories:
    """Cumulative shares without the last, which is one: a row per distribution."""

    bounds: NDArray[np.float32]

    @classmethod
    def from_weights(cls, weights: NDArray[np.floating]) -> Self:
        """Any positive weights; rows are brought to a total of one."""
        shares = weights / weights.sum(axis=-1, keepdims=True)
        bounds = np.cumsum(shares, axis=-1)[..., :-1]
        return cls(bounds.reshape(-1, bounds.shape[-1]).astype(np.float32))

    def draw(self, bits: SeededBits, row: NDArray[np.integer]) -> NDArray[np.uint8]:
        """For each unit a category from the distribution in its row."""
        uniform = bits.generator.random(len(row), dtype=np.float32)
        drawn = np.zeros(len(row), dtype=np.uint8)
        for bound in self.bounds.T:
            drawn += uniform >= np.ascontiguousarray(bound)[row]
        return drawn


def tilted(shares: NDArray[np.number], *effects: NDArray[np.floating]) -> NDArray[np.float64]:
    """Shares moved on the scale of their logarithms, so that they stay positive."""
    moved: NDArray[np.float64] = np.log(np.maximum(shares, 1e-3))
    for effect in effects:
        moved = moved + effect
    return np.exp(moved)


def shuffled_numbers(rank: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Identifiers 1 to `count`, a different one per rank, unrelated to the order of ranks.

    Multiplying by a number without common divisors is a bijection modulo `count`; one near the
    golden section sends neighbours far apart. Products stay below 2^62 up to 2·10^9 ranks.
    """
    step = max(round(count * 0.6180339887498949), 1)
    while gcd(step, count) > 1:
        step += 1
    return (rank * step + count // 3) % max(count, 1) + 1
