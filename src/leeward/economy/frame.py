"""The frame: every establishment with its place, sector, owner, employer and size."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leeward.economy.categories import Categories, tilted
from leeward.economy.codes import PRIVATE
from leeward.economy.economy import Economy
from leeward.economy.employers import employers
from leeward.economy.places import Places
from leeward.economy.sectors import SECTORS
from leeward.economy.sizes import to_total, wished
from leeward.randomness import SeededBits

IDLE = 0.03
"""Share of establishments that have no jobs this month but stay in the frame."""
PUBLIC_SIZE = 1.6
"""A public establishment is usually this much larger than a private one of its sector."""
SPECIALISED = 0.5
PREMIUM = 0.18
"""Standard deviation of what an establishment pays above or below its sector, on log scale."""
SIZE_PREMIUM = 0.03


@dataclass(frozen=True, slots=True)
class Frame:
    """One element per establishment, in all columns; codes are positions in their lists."""

    place: NDArray[np.uint16]
    sector: NDArray[np.uint8]
    ownership: NDArray[np.uint8]
    employer: NDArray[np.int64]
    size: NDArray[np.int64]
    premium: NDArray[np.float32]
    """What it pays above its sector, on log scale."""

    def __len__(self) -> int:
        return len(self.size)


def build_frame(bits: SeededBits, economy: Economy) -> Frame:
    """All establishments of an economy; their sizes add up to its jobs."""
    places = Places.of(economy)
    place = _place(bits, places, economy.establishments)
    sector = _sector(bits, places, place)
    ownership = _ownership(bits, sector)
    area = places.town[place], places.region[place]
    employer = employers(bits, ownership, sector, area)
    wishes = _wishes(bits, places, (place, sector, ownership))
    size = _size(bits, wishes, economy.jobs)
    noise = PREMIUM * bits.generator.standard_normal(len(size))
    premium = (noise + SIZE_PREMIUM * np.log(np.maximum(size, 1) / 10)).astype(np.float32)
    return Frame(place, sector, ownership, employer, size, premium)


def _place(bits: SeededBits, places: Places, establishments: int) -> NDArray[np.uint16]:
    bounds = np.cumsum(places.weights)[:-1]
    return np.searchsorted(bounds, bits.generator.random(establishments)).astype(np.uint16)


def _sector(bits: SeededBits, places: Places, place: NDArray[np.uint16]) -> NDArray[np.uint8]:
    """Every place has its own mix of sectors."""
    usual = np.array([sector.establishments for sector in SECTORS])
    effect = SPECIALISED * bits.generator.standard_normal((places.count, len(SECTORS)))
    return Categories.from_weights(tilted(usual, effect)).draw(bits, place)


def _ownership(bits: SeededBits, sector: NDArray[np.uint8]) -> NDArray[np.uint8]:
    shares = np.array([[*each.public, 100 - sum(each.public)] for each in SECTORS], dtype=float)
    return Categories.from_weights(shares).draw(bits, sector)


def _wishes(
    bits: SeededBits,
    places: Places,
    kinds: tuple[NDArray[np.uint16], NDArray[np.uint8], NDArray[np.uint8]],
) -> NDArray[np.float64]:
    """How large the establishments of these places, sectors and owners would like to be."""
    place, sector, ownership = kinds
    usual = np.array([each.median for each in SECTORS])[sector]
    median = usual * np.where(ownership == PRIVATE, 1.0, PUBLIC_SIZE)
    giants = np.array([each.giants / 100 for each in SECTORS])[sector]
    around = (len(place) * places.surroundings)[place]
    return wished(bits, median, giants, around)


def _size(bits: SeededBits, wishes: NDArray[np.float64], jobs: int) -> NDArray[np.int64]:
    """Some are idle; fewer jobs than establishments leave more of them without any."""
    count = len(wishes)
    active = min(count - int(IDLE * count), jobs)
    chosen = bits.generator.permutation(count)[:active]
    size = np.zeros(count, dtype=np.int64)
    size[chosen] = to_total(wishes[chosen], jobs)
    return size
