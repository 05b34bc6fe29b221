"""Workers: age, sex, race, ethnicity, education and pay, as their sector and place have them.

Schooling is the education of those who are old enough to be asked: it follows from age and
education. Monthly earnings are lognormal around what sector, place and person contribute, in whole
cents.
"""

from dataclasses import dataclass
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from leeward.core.randomness import SeededBits
from leeward.lab.economy.categories import Categories, tilted
from leeward.lab.economy.made_up_codes import (
    AGE,
    MOST_CENTS,
    NOT_ASKED,
    SCHOOLING,
    SECTORS,
    YOUNGEST,
)
from leeward.lab.economy.places import Places

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
        hispanic = HISPANIC * np.sqrt(schools[:, 0] / schools[:, 0].mean())
        ethnicity = np.stack([100 - hispanic, hispanic], axis=1)
        races = tilted(RACES, 0.25 * bits.generator.standard_normal((len(SECTORS), len(RACES))))
        return cls(
            age=Categories.from_weights(tilted(ages, tilt(ages, 0.15))),
            sex=Categories.from_weights(tilted(women, tilt(women, 0.05))),
            race=Categories.from_weights(tilted(races, tilt(races, 0.6))),
            ethnicity=Categories.from_weights(tilted(ethnicity, tilt(ethnicity, 0.5))),
            education=_education(schools, tilt(schools, 0.25)),
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
        return people | {"schooling": _schooling(people)}


@dataclass(frozen=True, slots=True)
class _Tilt:
    """How places differ from one another."""

    bits: SeededBits
    places: int

    def __call__(self, shares: NDArray[np.generic], strength: float) -> NDArray[np.float64]:
        """One effect per place and category, the same in all sectors."""
        return strength * self.bits.generator.standard_normal((self.places, 1, shares.shape[-1]))


def _education(schools: NDArray[np.integer], tilt: NDArray[np.float64]) -> Categories:
    by_age = tilted(schools[:, np.newaxis, :], DEGREES_BY_AGE)
    return Categories.from_weights(tilted(by_age, tilt[:, np.newaxis, :, :]))


def _schooling(people: People) -> NDArray[np.uint8]:
    """Education, but that nobody in the youngest age group was asked."""
    young, not_asked = list(AGE).index(YOUNGEST), list(SCHOOLING).index(NOT_ASKED)
    return np.where(people["age"] == young, np.uint8(not_asked), people["education"])


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
