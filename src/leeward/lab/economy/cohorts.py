"""Cohorts: graduates, people who left a research job, and veterans among the workers.

Whether someone is one depends on age and education. A cohort begins in the third quarter of its
year. Then many change their job, and pay changes: graduates, students and veterans worked fewer
hours before, and from then on pay rises with the years, the faster the higher the degree. All
figures are made up.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from leeward.core.codebook.classifications import EDUCATION
from leeward.core.randomness import SeededBits
from leeward.lab.economy.job_batches import JobBatch
from leeward.lab.economy.made_up_codes import (
    AFQT,
    AGE,
    CIPS,
    COHORT_KINDS,
    DEGREES,
    INSTITUTIONS,
    OCCUPATIONS,
    PAY_GRADES,
    TITLES,
)
from leeward.lab.economy.made_up_economy import SEEDS, Categories, Economy

COHORT_STREAM = SEEDS // 4
"""Batch number n has this stream plus n; no batch of jobs or of histories has it."""

COHORT_CODES: dict[str, dict[str, str]] = {
    "institution": INSTITUTIONS,
    "degree": DEGREES,
    "cip": CIPS,
    "title": TITLES,
    "occupation": OCCUPATIONS,
    "pay_grade": PAY_GRADES,
    "afqt": AFQT,
}
"""The columns with codes of the cohort table."""
GRADUATE, LEAVER, VETERAN = range(3)
COLUMNS_OF_KIND = (
    ("institution", "degree", "cip"),
    ("institution", "title"),
    ("occupation", "pay_grade", "afqt"),
)
"""Which of them a row has, by its kind; the others are empty."""
TWICE = 0.02
"""Share of the people in cohorts who have two rows."""
OTHERWISE = ("institution", "title", "occupation")
"""What is another code in the second of two rows, by kind."""

GRADUATES_BY_AGE = (0.56, 0.23, 0.06)
LEAVERS_BY_EDUCATION = (0.01, 0.03, 0.05, 0.09)
VETERANS = 0.03
"""Shares of workers; graduates are among those with some college or a degree alone."""

SHARES: dict[str, tuple[tuple[float, ...], ...]] = {
    "institution": ((30, 25, 18, 12, 9, 6),),
    "degree": ((1, 0, 0), (1, 0, 0), (1, 0, 0), (0, 70, 30)),
    "cip": ((10, 12, 9, 9, 18, 20, 22),),
    "title": ((5, 55, 40), (5, 55, 40), (5, 50, 45), (30, 30, 40)),
    "occupation": ((24, 10, 12, 8, 14, 20, 12),),
    "pay_grade": ((60, 30, 10),),
    "afqt": ((1, 1, 1),),
}
"""How often each code occurs; where there are four rows, by education."""

BEFORE: dict[str, tuple[float, ...]] = {
    "degree": (-0.8, -0.8, -0.7),
    "title": (0.0, 0.0, -0.8),
    "pay_grade": (-0.4, -0.4, -0.4),
}
"""What each code adds to log pay before the cohort begins: who studies or serves works less."""
START: dict[str, tuple[float, ...]] = {
    "institution": (0.04, 0.0, -0.04, 0.06, -0.06, 0.0),
    "degree": (-0.28, -0.36, -0.16),
    "cip": (0.24, -0.16, 0.28, -0.08, -0.08, 0.06, 0.1),
    "title": (0.25, 0.05, -0.15),
    "occupation": (-0.18, 0.06, 0.22, 0.08, -0.04, 0.02, -0.1),
    "pay_grade": (-0.2, 0.0, 0.2),
    "afqt": (-0.1, 0.0, 0.1),
}
"""What each code adds to log pay when the cohort begins."""
RISE: dict[str, tuple[float, ...]] = {
    "degree": (0.08, 0.16, 0.18),
    "title": (0.06, 0.04, 0.16),
    "pay_grade": (0.06, 0.06, 0.06),
}
"""Rise of log pay with the logarithm of one plus the years since."""
MIDYEAR = 2
"""The quarter of the year, from zero, in which a cohort begins."""
TURNED = 0.3
"""Share who then leave the job they hold, beside those who leave anyway."""

Positions: TypeAlias = Mapping[str, NDArray[np.uint8]]
"""For each column with codes the position of the code of every row."""


@dataclass(frozen=True, slots=True)
class Careers:
    """Rows of the cohort table for a batch of jobs: of a person with two, the first ones first."""

    line: NDArray[np.int64]
    """The person's first job, as a position in the batch."""
    kind: NDArray[np.uint8]
    year: NDArray[np.int64]
    codes: Positions
    people: int
    """How many people there are: that many rows are first ones."""
    jobs: int
    """How many jobs the batch has."""

    @classmethod
    def draw(cls, economy: Economy, batch: JobBatch) -> Self:
        """The holders of first jobs who belong to a cohort; none if no cohorts are asked for."""
        bits = economy.stream(COHORT_STREAM + batch.number)
        line, kind = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint8)
        if economy.cohorts:
            line, kind = _members(bits, batch)
        again = np.flatnonzero(bits.generator.random(len(line)) < TWICE)
        rows = np.concatenate([np.arange(len(line)), again])
        education = batch.people["education"][line]
        codes = dict[str, NDArray[np.uint8]]()
        for name in COHORT_CODES:
            shares = np.array(SHARES[name], dtype=float)
            row = education if len(shares) > 1 else np.zeros_like(education)
            codes[name] = Categories.from_weights(shares).draw(bits, row)[rows]
        for number, name in enumerate(OTHERWISE):  # second rows get the next code
            second = codes[name][len(line) :]
            differs = kind[again] == number
            second[differs] = (second[differs] + 1) % len(COHORT_CODES[name])
        years = economy.calendar[0] // 4, economy.calendar[-1] // 4 + 1
        year = bits.generator.integers(*years, size=len(rows))
        return cls(line[rows], kind[rows], year, codes, len(line), len(batch.worker))

    def turn(self, rate: NDArray[np.float64], quarter: int) -> None:
        """Raise the rates of leaving of those whose cohort begins in this quarter."""
        first = slice(self.people)
        begins = self.year[first] * 4 + MIDYEAR == quarter
        rate[self.line[first][begins]] += TURNED

    def pay(self, quarter: int) -> NDArray[np.float64]:
        """What belonging to a cohort adds to log pay in a quarter, for every job of the batch."""
        first = slice(self.people)
        since = (quarter - MIDYEAR) / 4 - self.year[first]
        after = self._sum(START) + self._sum(RISE) * np.log1p(np.maximum(since, 0))
        added = np.zeros(self.jobs)
        added[self.line[first]] = np.where(since < 0, self._sum(BEFORE), after)
        return added

    def _sum(self, effects: Mapping[str, tuple[float, ...]]) -> NDArray[np.float64]:
        """Effects of the codes that the first rows have."""
        total = np.zeros(self.people)
        for name, effect in effects.items():
            has = self.has(name)[: self.people]
            total[has] += np.array(effect)[self.codes[name][: self.people][has]]
        return total

    def has(self, name: str) -> NDArray[np.bool_]:
        """Which rows are of a kind that has this column."""
        return np.array([name in columns for columns in COLUMNS_OF_KIND])[self.kind]


def _members(bits: SeededBits, batch: JobBatch) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Holders of first jobs who belong to a cohort, and the kind of it."""
    first = np.flatnonzero(~batch.second)
    age, education = (batch.people[name][first] for name in ("age", "education"))
    college = list(EDUCATION).index("E3")
    shares = [
        [GRADUATES_BY_AGE[years] * (school >= college), LEAVERS_BY_EDUCATION[school], VETERANS]
        for years in range(len(AGE))
        for school in range(len(EDUCATION))
    ]
    # The last share is of those in no cohort.
    kinds = Categories.from_weights(np.array([[*row, 1 - sum(row)] for row in shares]))
    drawn = kinds.draw(bits, age.astype(np.int64) * len(EDUCATION) + education)
    members = drawn < len(COHORT_KINDS)
    return first[members], drawn[members]
