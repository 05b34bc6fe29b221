"""Invented places or tracts, each in a region, and the blocks of tracts.

Places are a few large ones and many small ones; tracts are of similar size.
"""

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from leeward.lab.economy.made_up_codes import REGIONS
from leeward.lab.economy.made_up_economy import PLACES, SEEDS, Economy, shuffled_numbers

TRACT_SPREAD = 0.7
"""Standard deviation of the log size of tracts: their sizes are alike."""

FIRST_BLOCK = 1000
"""Number of the first block of every tract."""

BLOCK_STREAM = SEEDS - 1
"""Stream of random bits that no batch of jobs uses: the other columns stay as without blocks."""


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """The areas of an economy; the codes have the form of Census places (state, then place)."""

    noun: str
    weights: NDArray[np.float64]
    """The share of each area in all establishments."""
    town: NDArray[np.int64]
    """The number of the town of each area: a place is a town, several tracts share one."""

    @classmethod
    def of(cls, economy: Economy) -> Self:
        if economy.geography == PLACES:
            return cls("Place", zipf(economy.place_count), np.arange(economy.place_count))
        weights = _even(economy.place_count)
        middles = np.cumsum(weights) - weights / 2
        town = np.searchsorted(np.cumsum(zipf(economy.usual_places))[:-1], middles)
        return cls("Tract", weights, town)

    @property
    def count(self) -> int:
        return len(self.weights)

    @property
    def surroundings(self) -> NDArray[np.float64]:
        """The share of each area's whole town in all establishments."""
        whole = np.zeros(self.town.max() + 1)
        np.add.at(whole, self.town, self.weights)
        return whole[self.town]

    @property
    def region(self) -> NDArray[np.int64]:
        """The number of each area's region: the towns are dealt out in turn."""
        return self.town % len(REGIONS)

    @property
    def regions(self) -> dict[str, str]:
        """The regions that have an area, with their names."""
        present = set(self.region.tolist())
        return {code: REGIONS[code] for n, code in enumerate(REGIONS) if n in present}

    @property
    def codes(self) -> list[str]:
        """Two digits of the region and five of the area."""
        regions = list(REGIONS)
        return [f"{regions[region]}{n:05}" for n, region in enumerate(self.region.tolist(), 1)]

    @property
    def labels(self) -> list[str]:
        return [f"{self.noun} {n:05}" for n in range(1, self.count + 1)]


def zipf(count: int) -> NDArray[np.float64]:
    """Zipf's law, its head flattened: the k-th place is in proportion to 1/(k+2)."""
    sizes: NDArray[np.float64] = 1 / np.arange(3.0, count + 3)
    sizes /= sizes.sum()
    return sizes


def _even(count: int) -> NDArray[np.float64]:
    """Quantiles of a lognormal law, in shuffled order."""
    law = NormalDist(sigma=TRACT_SPREAD)
    ranks = shuffled_numbers(np.arange(count), count)
    sizes = np.exp([law.inv_cdf((rank - 0.5) / count) for rank in ranks.tolist()])
    shares: NDArray[np.float64] = sizes / sizes.sum()
    return shares


def block_codes(economy: Economy) -> list[str]:
    """The numbers that blocks have, in every tract the same."""
    return [str(FIRST_BLOCK + number) for number in range(economy.block_count)]


def block_column(economy: Economy) -> dict[str, pa.Array]:
    """The block of each establishment, if this economy has blocks."""
    if not economy.block_count:
        return {}
    bits = economy.stream(BLOCK_STREAM)
    drawn = bits.generator.integers(economy.block_count, size=economy.establishments)
    codes = pa.array(block_codes(economy))
    return {"block": pa.DictionaryArray.from_arrays(pa.array(drawn.astype(np.uint16)), codes)}


def block_attribute(economy: Economy) -> dict[str, dict[str, Any]]:
    """The codebook entry of the block column: public, as places are."""
    if not economy.block_count:
        return {}
    labels = {code: f"Block {code}" for code in block_codes(economy)}
    return {"block": {"table": "workplaces", "public": True, "codes": labels}}
