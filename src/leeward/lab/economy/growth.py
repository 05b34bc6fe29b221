"""Growth: how establishments grow and shrink from quarter to quarter, and whom they hire.

The wished size of an establishment moves by lognormal steps, those of large establishments
smaller, and drifts back to where it began. Shrinking dismisses people; what is needed beyond
replacing those who leave is hired. All figures are made up.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from leeward.core.randomness import SeededBits
from leeward.lab.economy.establishments import EstablishmentFrame
from leeward.lab.economy.made_up_codes import SECTORS
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

Establishments = NDArray[np.int64]


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
        step = _steps(economy.stream(HISTORY_STREAM), frame.size, economy.quarters)
        wished = np.maximum(frame.size, IDLE_SIZE) * np.exp(_walk(step))
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
        found: Establishments = self.streets[np.clip(street, begin, end - 1)]
        return found


def _steps(bits: SeededBits, size: NDArray[np.int64], quarters: int) -> NDArray[np.float64]:
    spread = np.maximum(UNSTEADY * np.maximum(size, 1) ** -STEADIER, STEADIEST)
    step: NDArray[np.float64] = spread * bits.generator.standard_normal((quarters, len(size)))
    return step


def _walk(step: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where the steps lead: of each a little less is left in every quarter after it."""
    walk = np.zeros_like(step)
    for quarter in range(1, len(step)):
        walk[quarter] = MEMORY * walk[quarter - 1] + step[quarter - 1]
    return walk


def _reaches(key: NDArray[np.int64], ordered: NDArray[np.int64]) -> NDArray[np.int64]:
    place = key - key % len(SECTORS)
    everywhere = np.zeros_like(key), np.full_like(key, len(key))
    nearby = [np.searchsorted(ordered, one) for one in (key, key + 1)]
    in_place = [np.searchsorted(ordered, one) for one in (place, place + len(SECTORS))]
    return np.stack([np.stack(one) for one in (nearby, in_place, everywhere)])
