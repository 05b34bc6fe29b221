"""Monthly earnings in whole cents: lognormal around what sector, place and person bring."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from leeward.economy.people import People
from leeward.economy.places import Places
from leeward.economy.sectors import SECTORS
from leeward.randomness import SeededBits

BY_AGE = np.array([-0.28, 0.06, 0.03], dtype=np.float32)
BY_SEX = np.array([0.05, -0.05], dtype=np.float32)
BY_EDUCATION = np.array([-0.32, -0.14, 0.0, 0.34], dtype=np.float32)
BY_PLACE = 0.08
SPREAD = np.float32(0.45)
SECOND_JOB = np.float32(np.log(0.35))
"""A second job takes fewer hours."""
LEAST_CENTS, MOST_CENTS = 50_00, 5_000_000_00


@dataclass(frozen=True, slots=True)
class PayScale:
    """Usual pay on log scale, a row per place and a column per sector."""

    usual: NDArray[np.float32]

    @classmethod
    def build(cls, bits: SeededBits, places: Places) -> Self:
        """What a sector pays, a little more or less from place to place."""
        sectors = np.log([100.0 * each.pay for each in SECTORS])
        effect = BY_PLACE * bits.generator.standard_normal((places.count, 1))
        return cls((sectors + effect).astype(np.float32))

    def earnings(
        self, bits: SeededBits, people: People, workplace: NDArray[np.float32]
    ) -> NDArray[np.int64]:
        """Cents per month of these people; `workplace` is the log pay that their job offers."""
        luck = bits.generator.standard_normal(len(workplace), dtype=np.float32)
        offer = workplace + SPREAD * luck
        offer += BY_AGE[people["age"]]
        offer += BY_SEX[people["sex"]]
        offer += BY_EDUCATION[people["education"]]
        cents = np.exp(offer).astype(np.int64)
        return np.clip(cents, LEAST_CENTS, MOST_CENTS)
