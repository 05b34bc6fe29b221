"""Jobs and their workers, a batch at a time, so that memory never holds them all.

Age, sex, race, ethnicity, education and pay of workers are as their sector and place have them.
Schooling is the education of those who are old enough to be asked: it follows from age and
education. Monthly earnings are lognormal around what sector, place and person contribute, in whole
cents.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from leeward.core.randomness import SeededBits
from leeward.lab.economy.establishments import EstablishmentFrame, build_frame
from leeward.lab.economy.made_up_codes import (
    AGE,
    MOST_CENTS,
    NOT_ASKED,
    SCHOOLING,
    SECTORS,
    YOUNGEST,
)
from leeward.lab.economy.made_up_economy import Categories, Economy, shuffled_numbers, tilted
from leeward.lab.economy.places import Places

BATCH = 1 << 19
"""Jobs per batch. Each batch has its own stream of bits: another size gives other data."""

RACES = np.array([72.0, 13.0, 1.0, 9.0, 0.5, 4.5])
HISPANIC = 18.0
"""Round numbers, in percent; every place moves them."""

DEGREES_BY_AGE = np.array([[0.15, 0.15, 0.2, -0.55], [0.0, 0.0, 0.0, 0.15], [-0.1, 0.1, 0.0, 0.0]])
"""How age moves education, on log scale: the young have not finished."""

PAY_BY_AGE = np.array([-0.28, 0.06, 0.03], dtype=np.float32)
PAY_BY_SEX = np.array([0.05, -0.05], dtype=np.float32)
PAY_BY_EDUCATION = np.array([-0.32, -0.14, 0.0, 0.34], dtype=np.float32)
PAY_BY_PLACE = 0.08
PAY_SPREAD = np.float32(0.45)
"""Effects on log pay; for places and persons, their standard deviations."""
SECOND_JOB = np.float32(np.log(0.35))
"""Log pay of a second job beside a first one: it takes fewer hours."""
LEAST_CENTS = 50_00

People: TypeAlias = dict[str, NDArray[np.uint8]]
"""One array per column of the worker table; positions in the code lists."""


@dataclass(frozen=True, slots=True)
class WorkerPopulation:
    """The distributions that workers are drawn from, a row per place and sector."""

    age: Categories
    sex: Categories
    race: Categories
    ethnicity: Categories
    education: Categories
    """A row per place, sector and age."""

    @classmethod
    def build(cls, bits: SeededBits, places: Places) -> Self:
        """Shares of the sectors, moved by every place in its own way."""
        tilt = _Tilt(bits, places.count)
        women = np.array([[100 - each.women, each.women] for each in SECTORS])
        ages = np.array([each.ages for each in SECTORS])
        schools = np.array([each.education for each in SECTORS])
        by_age = tilted(schools[:, np.newaxis, :], DEGREES_BY_AGE)
        hispanic = HISPANIC * np.sqrt(schools[:, 0] / schools[:, 0].mean())
        ethnicity = np.stack([100 - hispanic, hispanic], axis=1)
        races = tilted(RACES, 0.25 * bits.generator.standard_normal((len(SECTORS), len(RACES))))
        return cls(
            age=Categories.from_weights(tilted(ages, tilt(ages, 0.15))),
            sex=Categories.from_weights(tilted(women, tilt(women, 0.05))),
            race=Categories.from_weights(tilted(races, tilt(races, 0.6))),
            ethnicity=Categories.from_weights(tilted(ethnicity, tilt(ethnicity, 0.5))),
            education=Categories.from_weights(
                tilted(by_age, tilt(schools, 0.25)[:, np.newaxis, :, :])
            ),
        )

    def draw(
        self, bits: SeededBits, place: NDArray[np.uint16], sector: NDArray[np.uint8]
    ) -> People:
        """One worker for each place and sector given."""
        row = place.astype(np.int64) * len(SECTORS) + sector
        age = self.age.draw(bits, row)
        people = {
            "age": age,
            "sex": self.sex.draw(bits, row),
            "race": self.race.draw(bits, row),
            "ethnicity": self.ethnicity.draw(bits, row),
            "education": self.education.draw(bits, row * len(AGE) + age),
        }
        # Schooling is education, but that nobody in the youngest age group was asked.
        young, not_asked = list(AGE).index(YOUNGEST), list(SCHOOLING).index(NOT_ASKED)
        schooling = np.where(age == young, np.uint8(not_asked), people["education"])
        return people | {"schooling": schooling}


@dataclass(frozen=True, slots=True)
class _Tilt:
    """How places differ from one another."""

    bits: SeededBits
    places: int

    def __call__(self, shares: NDArray[np.generic], strength: float) -> NDArray[np.float64]:
        """One effect per place and category, the same in all sectors."""
        return strength * self.bits.generator.standard_normal((self.places, 1, shares.shape[-1]))


@dataclass(frozen=True, slots=True)
class PayScale:
    """Usual pay on log scale, a row per place and a column per sector."""

    usual: NDArray[np.float32]

    @classmethod
    def build(cls, bits: SeededBits, places: Places) -> Self:
        """What a sector pays, a little more or less from place to place."""
        sectors = np.log([100.0 * each.pay for each in SECTORS])
        effect = PAY_BY_PLACE * bits.generator.standard_normal((places.count, 1))
        return cls((sectors + effect).astype(np.float32))

    def earnings(
        self, bits: SeededBits, people: People, workplace: NDArray[np.float32]
    ) -> NDArray[np.int64]:
        """Cents per month of these people; `workplace` is the log pay that their job offers."""
        luck = bits.generator.standard_normal(len(workplace), dtype=np.float32)
        offer = workplace + PAY_SPREAD * luck
        offer += PAY_BY_AGE[people["age"]]
        offer += PAY_BY_SEX[people["sex"]]
        offer += PAY_BY_EDUCATION[people["education"]]
        cents = np.exp(offer).astype(np.int64)
        return np.clip(cents, LEAST_CENTS, MOST_CENTS)


@dataclass(frozen=True, slots=True)
class JobBatch:
    """Consecutive jobs in the order of their workplaces, one element per job in all but `listed`.

    Attributes of a second job's holder are those of a like person: the holder is listed, with
    attributes of their own, where the first job is.
    """

    number: int
    worker: NDArray[np.int64]
    workplace: NDArray[np.int64]
    earnings: NDArray[np.int64]
    second: NDArray[np.bool_]
    people: People
    listed: NDArray[np.int64]
    """The first jobs, in the order in which their holders stand in the worker table."""


@dataclass(frozen=True, slots=True)
class MadeUpWorld:
    """Everything that is drawn once: the frame, and the effects of places on people and pay."""

    economy: Economy
    frame: EstablishmentFrame
    ends: NDArray[np.int64]
    """Where the jobs of each establishment end in the order of all jobs."""
    population: WorkerPopulation
    pay: PayScale

    @classmethod
    def build(cls, economy: Economy) -> Self:
        """Draw the frame first, then the places."""
        bits = economy.stream(0)
        frame = build_frame(bits, economy)
        places = Places.of(economy)
        population = WorkerPopulation.build(bits, places)
        pay = PayScale.build(bits, places)
        return cls(economy, frame, np.cumsum(frame.size), population, pay)

    def batches(self) -> Iterator[JobBatch]:
        for number, start in enumerate(range(0, self.economy.jobs, BATCH), start=1):
            stop = min(start + BATCH, self.economy.jobs)
            bits = self.economy.stream(number)
            first, last = np.searchsorted(self.ends, [start, stop - 1], side="right")
            ends = np.minimum(self.ends[first : last + 1], stop)
            at = np.repeat(np.arange(first, last + 1), np.diff(ends, prepend=start))
            place, sector = self.frame.place[at], self.frame.sector[at]
            holder, second = self._holders(start, stop)
            people = self.population.draw(bits, place, sector)
            offer = self.pay.usual[place, sector] + self.frame.premium[at]
            # The holder of a second job was drawn with the first; here a like person stands in.
            offer[second] += SECOND_JOB
            earnings = self.pay.earnings(bits, people, offer)
            # Workers are listed in another order than jobs, as in a register of persons.
            listed = bits.generator.permutation(np.flatnonzero(~second))
            yield JobBatch(number, holder, at + 1, earnings, second, people, listed)

    def second_workplaces(self, batch: JobBatch) -> NDArray[np.int64]:
        """The workplace of the second job of each first job's holder; 0 where there is none.

        The inverse of `_holders`: `at` is the first job that has `before` first jobs before it,
        and it is a second one if the job after it has no more.
        """
        workers, jobs = self.economy.workers, self.economy.jobs
        start = (batch.number - 1) * BATCH
        index = np.arange(start, start + len(batch.worker))
        rank = index - index * self.economy.second_jobs // jobs
        # From 1 on: the last job of all is a second one and the first of all is not.
        before = (rank - workers // 2 - 1) % workers + 1
        at = (before - 1) * jobs // workers + 1
        stands = -(-at * workers // jobs) == -(-(at + 1) * workers // jobs)
        place = np.searchsorted(self.ends, at, side="right") + 1
        return np.where(stands & ~batch.second, place, 0)

    def _holders(self, start: int, stop: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Who holds each job, and whether it is a second one.

        Second jobs are spread evenly. Each goes to the worker half the list away from the
        worker before it: everyone gets at most one, and none where the first job is, as no
        establishment has half of the workers.
        """
        workers, seconds = self.economy.workers, self.economy.second_jobs
        seconds_before = np.arange(start, stop + 1) * seconds // self.economy.jobs
        rank = np.arange(start, stop) - seconds_before[:-1]
        second = np.diff(seconds_before) > 0
        rank[second] = (rank[second] + workers // 2) % workers
        return shuffled_numbers(rank, workers), second
