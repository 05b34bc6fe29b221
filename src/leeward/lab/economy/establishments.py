"""The frame: every establishment with its place, sector, owner, employer and size.

Sizes have a lognormal body, a Pareto tail and an exact total. Employers own chains among the
private establishments and agencies among the public ones.
"""

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from leeward.core.randomness import SeededBits
from leeward.lab.economy.categories import Categories, shuffled_numbers, tilted
from leeward.lab.economy.made_up_codes import FEDERAL, LOCAL, PRIVATE, SECTORS, STATE
from leeward.lab.economy.made_up_economy import Economy
from leeward.lab.economy.places import Places

IDLE = 0.03
"""Share of establishments that have no jobs this month but stay in the frame."""
PUBLIC_SIZE = 1.6
"""A public establishment is usually this much larger than a private one of its sector."""
SPECIALISED = 0.5
"""Standard deviation, between places, of the log share of a sector."""
PREMIUM = 0.18
"""Standard deviation of what an establishment pays above or below its sector, on log scale."""
SIZE_PREMIUM = 0.03
"""Rise of log pay with log size."""

IN_CHAINS = 0.22
"""Share of private establishments that belong to a firm with others."""
PER_CHAIN = 8
"""Mean number of establishments in a chain."""
SKEW = 3.0
"""Exponent of chain sizes: the first chains of a sector have far more than their share."""

SPREAD = 1.05
"""Standard deviation of log size in the body."""
TAIL_START = 6.0
"""Least size in the tail, in medians of the sector."""
TAIL_INDEX = 1.35
"""Pareto index. Below 2: the largest establishments dominate the sum of squared sizes."""
TOWNS = 2.0
"""Largest size in the tail, in establishments of the town."""
CEILING_GROWTH = 2 / 3
CEILING_MEANS = 4
"""The largest size is jobs^(2/3), or four mean sizes if that is more."""
BISECTIONS = 100

Sizes = NDArray[np.int64]
Wishes = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class EstablishmentFrame:
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


def build_frame(bits: SeededBits, economy: Economy) -> EstablishmentFrame:
    """All establishments of an economy; their sizes add up to its jobs."""
    places = Places.of(economy)
    bounds = np.cumsum(places.weights)[:-1]
    place = np.searchsorted(bounds, bits.generator.random(economy.establishments)).astype(np.uint16)
    sector = _sector(bits, places, place)
    shares = np.array([[*each.public, 100 - sum(each.public)] for each in SECTORS], dtype=float)
    ownership = Categories.from_weights(shares).draw(bits, sector)
    area = places.town[place], places.region[place]
    employer = employers(bits, ownership, sector, area)
    wishes = _wishes(bits, places, (place, sector, ownership))
    size = _size(bits, wishes, economy.jobs)
    noise = PREMIUM * bits.generator.standard_normal(len(size))
    premium = (noise + SIZE_PREMIUM * np.log(np.maximum(size, 1) / 10)).astype(np.float32)
    return EstablishmentFrame(place, sector, ownership, employer, size, premium)


def _sector(bits: SeededBits, places: Places, place: NDArray[np.uint16]) -> NDArray[np.uint8]:
    """Every place has its own mix of sectors."""
    usual = np.array([sector.establishments for sector in SECTORS])
    effect = SPECIALISED * bits.generator.standard_normal((places.count, len(SECTORS)))
    return Categories.from_weights(tilted(usual, effect)).draw(bits, place)


def _wishes(
    bits: SeededBits,
    places: Places,
    kinds: tuple[NDArray[np.uint16], NDArray[np.uint8], NDArray[np.uint8]],
) -> NDArray[np.float64]:
    """Sizes by place, sector and owner before they are scaled to the total."""
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


def employers(
    bits: SeededBits,
    ownership: NDArray[np.uint8],
    sector: NDArray[np.uint8],
    area: tuple[NDArray[np.integer], NDArray[np.integer]],
) -> NDArray[np.int64]:
    """The employer of every establishment; `area` is its town and its region.

    A private establishment is single or belongs to a chain of its sector. The federal
    government is one employer per sector, a state's one per region and sector, local government
    one per town and sector.
    """
    town, region = (each.astype(np.int64) for each in area)
    owner = np.select(
        [ownership == FEDERAL, ownership == STATE, ownership == LOCAL],
        [0, region, town],
        default=_firm(bits, sector),
    )
    key = (owner * len(SECTORS) + sector) * (PRIVATE + 1) + ownership
    distinct, found = np.unique(key, return_inverse=True)
    return shuffled_numbers(found.astype(np.int64), len(distinct))


def _firm(bits: SeededBits, sector: NDArray[np.uint8]) -> NDArray[np.int64]:
    """A firm number inside the sector: first the chains, then firms of one establishment."""
    count = len(sector)
    members = np.bincount(sector, minlength=len(SECTORS)) * IN_CHAINS
    chains = np.ceil(members / PER_CHAIN)[sector]
    chain = (chains * bits.generator.random(count) ** SKEW).astype(np.int64)
    alone = bits.generator.random(count) >= IN_CHAINS
    return np.where(alone, count + np.arange(count), chain)


def wished(bits: SeededBits, medians: Wishes, giants: Wishes, around: Wishes) -> Wishes:
    """Sizes before they are scaled to the total.

    `giants` is the probability that an establishment is in the tail. `around` is the number of
    establishments in its town, which bounds the tail: a company is not many times its town.
    """
    count = len(medians)
    body = np.exp(SPREAD * bits.generator.standard_normal(count))
    tail = TAIL_START * (1 + bits.generator.pareto(TAIL_INDEX, count))
    tail /= 1 + tail / (TOWNS * around)
    giant = bits.generator.random(count) < giants
    return medians * np.where(giant, tail * np.maximum(body, 1), body)


def to_total(wishes: Wishes, jobs: int) -> Sizes:
    """Whole sizes from one up that add up to `jobs`, in the order and proportions of the wishes.

    Sizes bend towards a ceiling that no establishment reaches: about jobs^(2/3), which is the
    share that the largest employers have in economies of very different extent. Precondition:
    there are at least as many jobs as wishes.
    """
    count = len(wishes)
    if not count:
        return np.zeros(0, dtype=np.int64)
    ceiling = max(CEILING_MEANS * ceil(jobs / count), round(jobs**CEILING_GROWTH))
    sizes = _scaled(wishes, _factor(wishes, jobs, ceiling), ceiling)
    return _completed(sizes, jobs, ceiling)


def _scaled(wishes: Wishes, factor: float, ceiling: int) -> Sizes:
    size = wishes * factor
    bent = size / (1 + size / ceiling)
    return np.maximum(bent, 1).astype(np.int64)


def _factor(wishes: Wishes, jobs: int, ceiling: int) -> float:
    """The largest factor, as far as floats tell, whose total does not pass `jobs`."""
    low, high = 0.0, 1.0
    while _scaled(wishes, high, ceiling).sum() <= jobs and high < 2.0**60:
        low, high = high, 2 * high
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        total = int(_scaled(wishes, middle, ceiling).sum())
        low, high = (middle, high) if total <= jobs else (low, middle)
        if total == jobs:
            break
    return low


def _completed(sizes: Sizes, jobs: int, ceiling: int) -> Sizes:
    """The few jobs that rounding left over, one each, largest establishments first."""
    completed = sizes.copy()
    order = np.argsort(-sizes, kind="stable")
    while missing := jobs - int(completed.sum()):
        room = order[completed[order] < ceiling]
        completed[room[:missing]] += 1
    return completed
