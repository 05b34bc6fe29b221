"""Invented places: a few large ones, many small ones, each in a region."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leeward.economy.codes import REGIONS


@dataclass(frozen=True, slots=True)
class Places:
    """Places in order of size; the codes have the form of Census places (state, then place)."""

    count: int

    @property
    def regions(self) -> dict[str, str]:
        """The regions that have a place, with their names."""
        return dict(list(REGIONS.items())[: self.count])

    def region(self, place: NDArray[np.integer]) -> NDArray[np.integer]:
        """The number of each place's region: the places are dealt out in turn."""
        return place % len(REGIONS)

    @property
    def codes(self) -> list[str]:
        """Two digits of the region and five of the place."""
        regions = list(REGIONS)
        return [f"{regions[n % len(regions)]}{n + 1:05}" for n in range(self.count)]

    @property
    def labels(self) -> list[str]:
        """Names that claim nothing."""
        return [f"Place {n:05}" for n in range(1, self.count + 1)]

    @property
    def weights(self) -> NDArray[np.float64]:
        """Zipf's law, its head flattened: the k-th place is in proportion to 1/(k+2)."""
        sizes: NDArray[np.float64] = 1 / np.arange(3.0, self.count + 3)
        sizes /= sizes.sum()
        return sizes
