"""Draws from many small distributions at once: one row of shares per kind of unit."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from leeward.randomness import SeededBits


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
