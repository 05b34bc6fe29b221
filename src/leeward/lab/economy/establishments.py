"""The frame: every establishment with its place, sector, owner, employer and size.

Its cells have a public size profile, for predictions without any data.
Sizes have a lognormal body, a Pareto tail and an exact total. Employers own chains among the
private establishments and agencies among the public ones.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from leeward.core.codebook.size_profile import SizeProfile
from leeward.core.errors import InvalidParameter, shown
from leeward.core.randomness import SeededBits
from leeward.lab.economy.made_up_codes import FEDERAL, LOCAL, PRIVATE, SECTORS, STATE
from leeward.lab.economy.made_up_economy import Categories, Economy, shuffled_numbers, tilted
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

CUT_BY = ("place", "sector", "ownership")
"""The attributes of workplaces that an economy has."""

WIDTH = 1.1
"""Sizes of largest establishments within this factor count as one: their mean."""

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
    # Every place has its own mix of sectors.
    effect = SPECIALISED * bits.generator.standard_normal((places.count, len(SECTORS)))
    mix = tilted(np.array([each.establishments for each in SECTORS]), effect)
    sector = Categories.from_weights(mix).draw(bits, place)
    shares = np.array([[*each.public, 100 - sum(each.public)] for each in SECTORS], dtype=float)
    ownership = Categories.from_weights(shares).draw(bits, sector)
    area = places.town[place], places.region[place]
    employer = employers(bits, ownership, sector, area)
    median = np.array([each.median for each in SECTORS])[sector]
    median = median * np.where(ownership == PRIVATE, 1.0, PUBLIC_SIZE)
    giants = np.array([each.giants / 100 for each in SECTORS])[sector]
    around = (len(place) * places.surroundings)[place]
    wishes = wished(bits, median, giants, around)
    # Some are idle; fewer jobs than establishments leave more of them without any.
    active = min(len(place) - int(IDLE * len(place)), economy.jobs)
    at_work = bits.generator.permutation(len(place))[:active]
    size = np.zeros(len(place), dtype=np.int64)
    size[at_work] = to_total(wishes[at_work], economy.jobs)
    noise = PREMIUM * bits.generator.standard_normal(len(size))
    premium = (noise + SIZE_PREMIUM * np.log(np.maximum(size, 1) / 10)).astype(np.float32)
    return EstablishmentFrame(place, sector, ownership, employer, size, premium)


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
    # Firms are numbered inside the sector: first the chains, then those of one establishment.
    count = len(sector)
    members = np.bincount(sector, minlength=len(SECTORS)) * IN_CHAINS
    chains = np.ceil(members / PER_CHAIN)[sector]
    chain = (chains * bits.generator.random(count) ** SKEW).astype(np.int64)
    single = bits.generator.random(count) >= IN_CHAINS
    firm = np.where(single, count + np.arange(count), chain)
    public = [ownership == FEDERAL, ownership == STATE, ownership == LOCAL]
    owner = np.select(public, [0, region, town], default=firm)
    key = (owner * len(SECTORS) + sector) * (PRIVATE + 1) + ownership
    distinct, number = np.unique(key, return_inverse=True)
    return shuffled_numbers(number.astype(np.int64), len(distinct))


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
    # The few jobs that rounding left over go one each to the largest establishments.
    order = np.argsort(-sizes, kind="stable")
    while missing := jobs - int(sizes.sum()):
        room = order[sizes[order] < ceiling]
        sizes[room[:missing]] += 1
    return sizes


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


def read_extent(written: str) -> Economy:
    """`20000,1000`, jobs and establishments, as an economy."""
    parts = written.split(",")
    if len(parts) != 2 or not all(part.strip().isdecimal() for part in parts):
        raise InvalidParameter(
            "--economy",
            rule="must be a number of jobs and a number of establishments",
            value=shown(written),
            next_step="Write both with a comma, such as --economy 20000,1000.",
        )
    jobs, establishments = map(int, parts)
    return Economy(jobs=jobs, establishments=establishments)


class EconomyCells:
    """An economy's frame, whose workplace cells have a size profile for each way to cut it."""

    def __init__(self, economy: Economy) -> None:
        self._economy = economy
        self._frame: EstablishmentFrame = build_frame(economy.stream(0), economy)

    def profile(self, attributes: Iterable[str]) -> SizeProfile:
        """The sizes of cells by these attributes; cells without jobs are left out."""
        cell = np.zeros(len(self._frame), dtype=np.int64)
        for name in attributes:
            if name not in CUT_BY:
                raise InvalidParameter(
                    "--economy",
                    rule=f"knows the workplace attributes {', '.join(CUT_BY)}, so tables must be "
                    "by these",
                    value=shown(name),
                    next_step="Leave --economy out, and name `sizes` in the plan: largest, cells "
                    "and n.",
                )
            code = getattr(self._frame, name).astype(np.int64)
            cell = cell * (int(code.max()) + 1) + code
        size = self._frame.size[self._frame.size > 0]
        _, cell = np.unique(cell[self._frame.size > 0], return_inverse=True)
        jobs, establishments = np.bincount(cell, size).astype(np.int64), np.bincount(cell)
        largest = np.zeros(len(jobs), dtype=np.int64)
        np.maximum.at(largest, cell, size)
        _, group = np.unique(np.floor(np.log(largest) / np.log(WIDTH)), return_inverse=True)
        cells = np.bincount(group)
        usual = np.rint(np.bincount(group, largest) / cells).astype(np.int64)
        number = np.ceil(np.bincount(group, establishments) / cells).astype(np.int64)
        # One row for each class of largest establishments and each number of jobs.
        rows, many = np.unique(np.stack([group, jobs]), axis=1, return_counts=True)
        within = np.minimum(usual[rows[0]], rows[1])
        columns = (within, many, number[rows[0]], rows[1])
        first, second, third, fourth = (tuple(map(int, column)) for column in columns)
        named = f"a made-up economy of {self._economy.jobs:,} jobs, a profile"
        return SizeProfile(first, second, given=True, establishments=third, n=fourth, named=named)
