"""Economy: a request for made-up data, with its numbers of jobs, establishments and places.

Its streams of random bits draw categories from many small distributions at once.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Self

import numpy as np
from numpy.typing import NDArray

from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import Number, rational
from leeward.core.randomness import SeededBits

MOST_JOBS = 2 * 10**9
"""Up to here the numbering of workers stays inside 64 bits."""
MOST_ESTABLISHMENTS = 10**8
MOST_PLACES = 20_000
SEEDS = 2**64

USUAL_PLACES = 12
PLACES_GROWTH = 0.7
"""Exponent: ten times the establishments have about five times the places."""

PLACES, TRACTS, BLOCKS = GEOGRAPHIES = ("places", "tracts", "blocks")
PER_TRACT = 103
"""Establishments in a usual tract: with twenty jobs each, those of about 4,000 people."""
PER_BLOCK = 2.4
"""Establishments in a usual block."""
MOST_BLOCKS = 999

MOST_QUARTERS = 200
LAST_QUARTER = 2026 * 4 + 3
"""Quarters are numbered from the first of year 0; the last one with wage records is 2026Q4."""

FEWEST_JOBS_TO_SHARE = 1_000
FEWEST_ESTABLISHMENTS_TO_SHARE = 20
"""With fewer, one establishment could hold both jobs of a worker."""


@dataclass(frozen=True, slots=True)
class Economy:
    """A request for made-up data: the same request always gives the same tables.

    `places` may be left out: it then follows from the number of establishments.
    `several_jobs` is the share of workers that hold a second job. `geography` says what the
    places are: "places" from a few large to many small ones, "tracts" of similar size,
    or "blocks": tracts whose establishments also have the number of a block in their tract.
    `quarters` asks for that many quarters of wage records, the jobs in the first of them, and
    `cohorts` for lists of graduates, leavers and veterans among the workers, whose pay then
    depends on that. `homes` asks for the place in which each worker lives.
    """

    jobs: int = 20_000
    establishments: int = 1_000
    places: int | None = None
    seed: int = 1
    several_jobs: Number = 0
    geography: str = PLACES
    quarters: int = 0
    cohorts: bool = False
    homes: bool = False

    def __post_init__(self) -> None:
        _whole(self.jobs, "jobs", 0, MOST_JOBS)
        _whole(self.establishments, "establishments", 1, MOST_ESTABLISHMENTS)
        if self.places is not None:
            _whole(self.places, "places", 1, MOST_PLACES)
        _whole(self.seed, "seed", 0, SEEDS - 1)
        object.__setattr__(self, "several_jobs", _share(self.several_jobs))
        if self.geography not in GEOGRAPHIES:
            raise InvalidParameter(
                "geography",
                rule=f"must be one of: {', '.join(GEOGRAPHIES)}",
                value=shown(self.geography),
                next_step="Take one of them, or leave it out for places.",
            )
        _whole(self.quarters, "quarters", 0, MOST_QUARTERS)
        if self.cohorts and not self.quarters:
            raise InvalidParameter(
                "cohorts",
                rule="needs quarters: a cohort is followed through wage records",
                value="0 quarters",
                next_step="Ask for quarters too, such as 8, or leave cohorts out.",
            )
        few_jobs = self.jobs < FEWEST_JOBS_TO_SHARE
        few = few_jobs or self.establishments < FEWEST_ESTABLISHMENTS_TO_SHARE
        if self.several_jobs and few:
            raise InvalidParameter(
                "several_jobs",
                rule=f"needs at least {FEWEST_JOBS_TO_SHARE} jobs in "
                f"{FEWEST_ESTABLISHMENTS_TO_SHARE} establishments",
                value=f"{self.jobs} jobs in {self.establishments} establishments",
                next_step="Ask for a larger economy, or leave several_jobs at 0.",
            )

    @property
    def place_count(self) -> int:
        """How many places or tracts there are."""
        if self.places is not None:
            return self.places
        if self.geography != PLACES:
            return min(max(round(self.establishments / PER_TRACT), 1), MOST_PLACES)
        return self.usual_places

    @property
    def block_count(self) -> int:
        """How many block numbers there are in a tract; 0 without blocks."""
        if self.geography != BLOCKS:
            return 0
        usual = round(self.establishments / self.place_count / PER_BLOCK)
        return min(max(usual, 1), MOST_BLOCKS)

    @property
    def usual_places(self) -> int:
        """How many places, from large to small, an economy of this extent has by default."""
        growth: float = (self.establishments / 1000) ** PLACES_GROWTH
        return min(max(round(USUAL_PLACES * growth), 1), MOST_PLACES)

    @property
    def workers(self) -> int:
        """How many people hold the jobs: the fewest whose second jobs stay within the share."""
        share = Fraction(self.several_jobs)
        return -(-self.jobs * share.denominator // (share.denominator + share.numerator))

    @property
    def second_jobs(self) -> int:
        """How many of the jobs are somebody's second."""
        return self.jobs - self.workers

    @property
    def calendar(self) -> range:
        """The numbers of the quarters with wage records: the year is number // 4."""
        return range(LAST_QUARTER + 1 - self.quarters, LAST_QUARTER + 1)

    def stream(self, number: int) -> SeededBits:
        """The bits of one part of the data; no two parts share theirs."""
        return SeededBits(self.seed * SEEDS + number)


def quarter_name(number: int) -> str:
    """A quarter as wage records write it, such as 2026Q2."""
    return f"{number // 4}Q{number % 4 + 1}"


def _whole(value: object, parameter: str, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        step = f"Give {parameter} as an int in this range."
        raise InvalidParameter.not_whole(parameter, value, least, most, next_step=step)


def _share(value: Number) -> Fraction:
    share = rational(value, "several_jobs")
    if not 0 <= share <= 1:
        raise InvalidParameter(
            "several_jobs",
            rule="must be a share from 0 to 1",
            value=shown(share),
            next_step="Give the share of workers with a second job, such as '0.05'.",
        )
    return share


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
