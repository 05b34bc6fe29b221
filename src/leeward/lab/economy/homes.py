"""Homes: where workers live, by a law of gravity between invented places.

A worker lives in a place with a probability in proportion to its people, times a function that
falls with the distance from the place of the job. People and coordinates of places are public, as
a census would publish them. All figures are made up.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from leeward.core.randomness import SeededBits
from leeward.lab.economy.job_batches import JobBatch
from leeward.lab.economy.made_up_codes import REGIONS
from leeward.lab.economy.made_up_economy import SEEDS, Economy
from leeward.lab.economy.places import Places

HOME_STREAM = SEEDS // 4 * 3
"""The map has this stream, batch number n this plus n; no other part of the data has them."""

SIDE = 40.0
"""Kilometres along each region: a square, two regions wide."""
ACROSS_TOWN = 3.0
"""Kilometres by which tracts of a town are spread, as a standard deviation."""
PEOPLE_PER_JOB = 2.2
SLEEPING_TOWNS = 0.35
"""Standard deviation of the log of people per establishment: some towns have few jobs."""

NEAR, FALL = 8.0, 2.5
"""A place at distance d attracts in proportion to (1 + d/NEAR)^−FALL."""

STRIPS, PER_STRIP = 4, 3
"""Zones of homes: strips from west to east with as many places each, cut from south to north."""


@dataclass(frozen=True, eq=False)
class Homes:
    """The map of an economy: coordinates in kilometres and the number of people of each place."""

    places: Places
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    people: NDArray[np.int64]

    @classmethod
    def of(cls, economy: Economy) -> Self:
        """Towns anywhere in their region, their tracts around them."""
        places, draw = Places.of(economy), economy.stream(HOME_STREAM).generator
        towns = draw.random((2, int(places.town.max()) + 1)) * SIDE
        spread = ACROSS_TOWN if len(np.unique(places.town)) < places.count else 0.0
        around = spread * draw.standard_normal((2, places.count))
        corner = SIDE * np.array(np.divmod(places.region, len(REGIONS) // 2))
        x, y = np.round(corner + towns[:, places.town] + around, 1)
        share = places.weights * np.exp(SLEEPING_TOWNS * draw.standard_normal(places.count))
        people = np.rint(PEOPLE_PER_JOB * economy.jobs * share / share.sum())
        return cls(places, x, y, np.maximum(people, 1).astype(np.int64))

    @cached_property
    def zone(self) -> NDArray[np.int64]:
        """The number of each place's zone, from 0: of neighbours, by their coordinates alone."""
        zone, number = np.zeros(self.places.count, dtype=np.int64), 0
        for strip in np.array_split(np.argsort(self.x, kind="stable"), STRIPS):
            northward = strip[np.argsort(self.y[strip], kind="stable")]
            for part in np.array_split(northward, PER_STRIP):
                zone[part] = number
                number += len(part) > 0
        return zone

    @property
    def zones(self) -> dict[str, str]:
        """The codes of the zones, with their names."""
        return {_zone_code(number): f"Zone {number + 1:02}" for number in range(max(self.zone) + 1)}

    @property
    def zone_codes(self) -> list[str]:
        """The zone of each place."""
        return [_zone_code(number) for number in self.zone.tolist()]

    def attraction(self, place: int) -> NDArray[np.float64]:
        """How many who work in a place live in each place, up to a factor."""
        distance = np.hypot(self.x - self.x[place], self.y - self.y[place])
        return np.asarray(self.people * (1 + distance / NEAR) ** -FALL)

    def draw(self, bits: SeededBits, place: NDArray[np.integer]) -> NDArray[np.uint16]:
        """A home for each job, by the place of the job."""
        uniform = bits.generator.random(len(place))
        order = np.argsort(place, kind="stable")
        home = np.zeros(len(place), dtype=np.uint16)
        # A place at a time: a table of all pairs of places would be too large for a nation.
        starts = np.flatnonzero(np.diff(place[order], prepend=-1))
        for jobs in np.split(order, starts[1:]):
            if len(jobs):
                bounds = np.cumsum(self.attraction(int(place[jobs[0]])))
                home[jobs] = np.searchsorted(bounds[:-1], uniform[jobs] * bounds[-1], side="right")
        return home

    def of_workers(
        self, economy: Economy, batch: JobBatch, place: NDArray[np.integer]
    ) -> NDArray[np.uint16]:
        """The homes of the workers of a batch in the order in which they are listed."""
        bits = economy.stream(HOME_STREAM + batch.number)
        return self.draw(bits, place[batch.workplace - 1])[batch.listed]


def _zone_code(number: int) -> str:
    return f"Z{number + 1:02}"
