"""Jobs and their workers, a batch at a time, so that memory never holds them all."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from leeward.lab.economy.categories import shuffled_numbers
from leeward.lab.economy.establishments import EstablishmentFrame, build_frame
from leeward.lab.economy.made_up_economy import Economy
from leeward.lab.economy.places import Places
from leeward.lab.economy.workers import SECOND_JOB, PayScale, People, WorkerPopulation

BATCH = 1 << 19
"""Jobs per batch. Each batch has its own stream of bits: another size gives other data."""


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
        """All jobs, each once."""
        for number, start in enumerate(range(0, self.economy.jobs, BATCH), start=1):
            stop = min(start + BATCH, self.economy.jobs)
            yield self._batch(number, start, stop)

    def _batch(self, number: int, start: int, stop: int) -> JobBatch:
        bits = self.economy.stream(number)
        at = self._establishments(start, stop)
        place, sector = self.frame.place[at], self.frame.sector[at]
        holder, second = self._holders(start, stop)
        people = self.population.draw(bits, place, sector)
        offer = self.pay.usual[place, sector] + self.frame.premium[at]
        # The holder of a second job was drawn with the first; here a like person stands in.
        offer[second] += SECOND_JOB
        earnings = self.pay.earnings(bits, people, offer)
        # Workers are listed in another order than jobs, as in a register of persons.
        listed = bits.generator.permutation(np.flatnonzero(~second))
        return JobBatch(number, holder, at + 1, earnings, second, people, listed)

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

    def _establishments(self, start: int, stop: int) -> NDArray[np.int64]:
        """The establishment of each job from start to stop."""
        first, last = np.searchsorted(self.ends, [start, stop - 1], side="right")
        ends = np.minimum(self.ends[first : last + 1], stop)
        counts = np.diff(ends, prepend=start)
        return np.repeat(np.arange(first, last + 1), counts)

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
