"""Histories: who holds which job in every quarter, and for how much.

The jobs of the first quarter are those of the job table, paid three months. Then people leave
their jobs, the young and the newly hired more often, and find others at once or some quarters
later. A quarter in which a job begins or ends is paid in part. All rates are made up. Of the jobs
at the beginning of a quarter they make about 16 % end and as many begin; 85 to 87 % of the jobs of
a quarter were there at its beginning; establishments create and destroy about 6 % of jobs.

The wished size of an establishment moves by lognormal steps, those of large establishments
smaller, and drifts back to where it began. Shrinking dismisses people; what is needed beyond
replacing those who leave is hired.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from leeward.core.randomness import SeededBits
from leeward.lab.economy.cohorts import Careers
from leeward.lab.economy.establishments import EstablishmentFrame
from leeward.lab.economy.job_batches import JobBatch, MadeUpWorld
from leeward.lab.economy.made_up_codes import MOST_CENTS, SECTORS
from leeward.lab.economy.made_up_economy import SEEDS, Economy

HISTORY_STREAM = SEEDS // 2
"""Stream of growth; batch number n of histories has this plus n. No batch of jobs has these."""

UNSTEADY = 0.28
STEADIER = 0.2
STEADIEST = 0.05
"""Standard deviation of log growth in a quarter: at one job, its fall with size, its least."""
MEMORY = 0.96
"""Share of an establishment's growth that is left a quarter later."""
IDLE_SIZE = 0.5
"""Jobs that an establishment without any wishes for."""

TURNOVER = 0.1
"""Share of jobs that are left in a quarter where nothing shrinks."""

NEARBY, IN_PLACE = 0.45, 0.85
"""Shares of searches that stay in place and sector, and in the place."""

LEAVING_BY_AGE = np.array([1.55, 0.85, 0.75])
"""How much more often a job is left than usual, by the age of its holder."""
NEW, NEW_QUARTERS = 1.8, 4.0
"""A job just begun is left this much more often; what is more than usual fades in quarters."""
SETTLED = 0.6
"""How often a job of long standing is left, against the usual."""
USUAL_TENURE = 14
"""Mean quarters that jobs of the first quarter have lasted."""
MOST_LEAVING = 0.95

FOUND_AT_ONCE = 0.75
FOUND_LATER = 0.5
"""Shares who find a job in the quarter in which they leave one, and in a later quarter."""
RECALLED = 0.4
"""Share of second jobs that have ended and begin again in a quarter, at the same workplace."""
BRIEF = 0.15
"""Share of hires whose job ends in the quarter in which it began."""

MONTHS = 3
YEARLY_RISE = 0.03
"""Rise of log pay in a year, of everyone."""
TENURE_RISE = 0.04
"""Rise of log pay with the logarithm of one plus the years in a job."""
OVERTIME = 0.04
"""Standard deviation of log pay from quarter to quarter."""
MATCH = 0.12
"""Standard deviation of what a new job pays more or less than a like one."""
LEAST_PAID = 1_00

Establishments = NDArray[np.int64]
Lines = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class GrowthModel:
    """One row per quarter; establishments are positions in the frame.

    Memory holds two numbers for each establishment and quarter.
    """

    shrinking: NDArray[np.float32]
    """The share of its jobs that an establishment gives up, a column per establishment."""
    vacancies: NDArray[np.float64]
    """Running totals of vacancies in the order of `streets`, from zero to all."""
    streets: Establishments
    """Establishments by place, then by sector."""
    reaches: NDArray[np.int64]
    """Where the streets begin and end that a search covers: reach, begin or end, establishment."""

    @classmethod
    def build(cls, economy: Economy, frame: EstablishmentFrame) -> Self:
        """Draw the growth of every establishment in every quarter."""
        bits, quarters = economy.stream(HISTORY_STREAM), economy.quarters
        spread = np.maximum(UNSTEADY * np.maximum(frame.size, 1) ** -STEADIER, STEADIEST)
        step = spread * bits.generator.standard_normal((quarters, len(frame)))
        walk = np.zeros_like(step)
        for quarter in range(1, quarters):  # of each step a little less is left in every quarter
            walk[quarter] = MEMORY * walk[quarter - 1] + step[quarter - 1]
        wished = np.maximum(frame.size, IDLE_SIZE) * np.exp(walk)
        key = frame.place.astype(np.int64) * len(SECTORS) + frame.sector
        streets = np.argsort(key, kind="stable")
        openings = wished * (TURNOVER + np.maximum(step, 0))
        vacancies = np.zeros((economy.quarters, len(frame) + 1))
        np.cumsum(openings[:, streets], axis=1, out=vacancies[:, 1:])
        shrinking = np.maximum(-step, 0).astype(np.float32)
        return cls(shrinking, vacancies, streets, _reaches(key, key[streets]))

    def destinations(self, bits: SeededBits, quarter: int, last: Establishments) -> Establishments:
        """Where people apply whose last job was at `last`: in proportion to vacancies."""
        uniform = bits.generator.random((2, len(last)))
        reach = np.searchsorted([NEARBY, IN_PLACE], uniform[0], side="right")
        begin, end = self.reaches[reach, 0, last], self.reaches[reach, 1, last]
        total = self.vacancies[quarter]
        drawn = total[begin] + uniform[1] * (total[end] - total[begin])
        street = np.searchsorted(total, drawn, side="right") - 1
        hiring: Establishments = self.streets[np.clip(street, begin, end - 1)]
        return hiring


def _reaches(key: NDArray[np.int64], ordered: NDArray[np.int64]) -> NDArray[np.int64]:
    place = key - key % len(SECTORS)
    everywhere = np.zeros_like(key), np.full_like(key, len(key))
    nearby = [np.searchsorted(ordered, end) for end in (key, key + 1)]
    in_place = [np.searchsorted(ordered, end) for end in (place, place + len(SECTORS))]
    return np.stack([np.stack(reach) for reach in (nearby, in_place, everywhere)])


@dataclass(frozen=True, slots=True)
class Wages:
    """Wage records of one quarter: no person has two of one workplace."""

    quarter: int
    worker: NDArray[np.int64]
    workplace: NDArray[np.int64]
    earnings: NDArray[np.int64]
    """Cents of the quarter."""


@dataclass(frozen=True, slots=True)
class JobHistories:
    """What all batches share: growth, and log pay of an establishment for three months."""

    world: MadeUpWorld
    growth: GrowthModel
    offer: NDArray[np.float64]

    @classmethod
    def build(cls, world: MadeUpWorld) -> Self:
        """Draw the growth of establishments."""
        frame = world.frame
        monthly = world.pay.usual[frame.place, frame.sector] + frame.premium
        return cls(world, GrowthModel.build(world.economy, frame), monthly + np.log(MONTHS))

    def of(self, batch: JobBatch) -> Iterator[Wages]:
        """The wage records that grow from a batch of jobs, quarter by quarter."""
        economy = self.world.economy
        bits = economy.stream(HISTORY_STREAM + batch.number)
        lines = _Lines.begin(bits, self, batch)
        first, *later = economy.calendar
        yield Wages(first, batch.worker, batch.workplace, MONTHS * batch.earnings)
        lines.part(bits, 0, first)
        for number, quarter in enumerate(later, start=1):
            yield lines.through(bits, number, quarter)


@dataclass(frozen=True, slots=True)
class _Lines:
    """A job of the first quarter and all that follow it: the arrays change every quarter."""

    histories: JobHistories
    batch: JobBatch
    careers: Careers
    other: NDArray[np.int64]
    """The workplace of the person's second job, less one; below zero without one."""
    at: NDArray[np.int64]
    """The establishment of the job or, between two, of the last one."""
    held: NDArray[np.bool_]
    tenure: NDArray[np.int64]
    skill: NDArray[np.float64]
    """Log pay beyond what establishment and tenure give."""

    @classmethod
    def begin(cls, bits: SeededBits, histories: JobHistories, batch: JobBatch) -> Self:
        """As the job table has them, some of long standing; skill is what explains the pay."""
        world, at = histories.world, batch.workplace - 1
        tenure = bits.generator.geometric(1 / USUAL_TENURE, len(at))
        known = histories.offer[at] + TENURE_RISE * np.log1p(tenure / 4)
        return cls(
            histories=histories,
            batch=batch,
            careers=Careers.draw(world.economy, batch),
            other=world.second_workplaces(batch) - 1,
            at=at,
            held=np.ones(len(at), dtype=np.bool_),
            tenure=tenure,
            skill=np.log(MONTHS * batch.earnings) - known,
        )

    def part(self, bits: SeededBits, number: int, quarter: int) -> NDArray[np.bool_]:
        """Who leaves a job in this quarter; from then on it is not held."""
        usual = SETTLED + (NEW - SETTLED) * np.exp(-self.tenure / NEW_QUARTERS)
        rate = TURNOVER * usual * LEAVING_BY_AGE[self.batch.people["age"]]
        rate += self.histories.growth.shrinking[number, self.at]
        self.careers.turn(rate, quarter)
        drawn = bits.generator.random(len(rate))
        leaves: NDArray[np.bool_] = self.held & (drawn < np.minimum(rate, MOST_LEAVING))
        self.held[leaves] = False
        return leaves

    def through(self, bits: SeededBits, number: int, quarter: int) -> Wages:
        """One quarter: pay of the jobs there at its beginning and of those that begin."""
        self.tenure[:] += 1
        self.skill[:] += YEARLY_RISE / 4
        career = self.careers.pay(quarter)
        there = np.flatnonzero(self.held)
        leaves = self.part(bits, number, quarter)
        stayed = self._paid(bits, there, career, partly=leaves[there])
        workplace = self.at[there]
        hired = self._hire(bits, number, leaves)
        began = self._paid(bits, hired, career, partly=np.ones(len(hired), dtype=np.bool_))
        lines = np.concatenate([there, hired])
        return Wages(
            quarter,
            self.batch.worker[lines],
            np.concatenate([workplace, self.at[hired]]) + 1,
            np.concatenate([stayed, began]),
        )

    def _hire(self, bits: SeededBits, number: int, leaves: NDArray[np.bool_]) -> Lines:
        """Those who begin a job; not who left one this quarter or holds a second one."""
        found = np.where(leaves, FOUND_AT_ONCE, FOUND_LATER)
        found[self.batch.second] = RECALLED
        seeks = np.flatnonzero(~self.held & (bits.generator.random(len(found)) < found))
        goes = self.histories.growth.destinations(bits, number, self.at[seeks])
        goes = np.where(self.batch.second[seeks], self.at[seeks], goes)
        back = leaves[seeks] & (goes == self.at[seeks])
        free = ~back & (goes != self.other[seeks])
        hired: Lines = seeks[free]
        self.at[hired] = goes[free]
        self.tenure[hired] = 0
        self.skill[hired] += MATCH * bits.generator.standard_normal(len(hired))
        self.held[hired] = bits.generator.random(len(hired)) >= BRIEF
        return hired

    def _paid(
        self,
        bits: SeededBits,
        lines: Lines,
        career: NDArray[np.float64],
        *,
        partly: NDArray[np.bool_],
    ) -> NDArray[np.int64]:
        """Cents of the quarter; who was there for a part of it is paid a part."""
        pay = self.skill[lines] + self.histories.offer[self.at[lines]] + career[lines]
        pay += TENURE_RISE * np.log1p(self.tenure[lines] / 4)
        pay += OVERTIME * bits.generator.standard_normal(len(lines))
        part = np.where(partly, bits.generator.random(len(lines)), 1)
        cents = (np.exp(pay) * part).astype(np.int64)
        return np.clip(cents, LEAST_PAID, MONTHS * MOST_CENTS)
