"""Who owns which establishments: chains among the private ones, agencies among the public."""

import numpy as np
from numpy.typing import NDArray

from leeward.economy.codes import FEDERAL, LOCAL, PRIVATE, STATE
from leeward.economy.numbering import shuffled_numbers
from leeward.economy.sectors import SECTORS
from leeward.randomness import SeededBits

IN_CHAINS = 0.22
"""Share of private establishments that belong to a firm with others."""
PER_CHAIN = 8
SKEW = 3.0
"""Chains differ in extent: the first ones of a sector have far more than their share."""


def employers(
    bits: SeededBits,
    ownership: NDArray[np.uint8],
    sector: NDArray[np.uint8],
    area: tuple[NDArray[np.integer], NDArray[np.integer]],
) -> NDArray[np.int64]:
    """The employer of every establishment; `area` is its town and its region.

    A private establishment stands alone or belongs to a chain of its sector. The federal
    government is one employer per sector, a state's one per region and sector, local government
    one per town and sector.
    """
    town, region = (each.astype(np.int64) for each in area)
    owner = np.select(
        [ownership == FEDERAL, ownership == STATE, ownership == LOCAL],
        [0, region, town],
        default=_firm(bits, sector),
    )
    key = (owner * len(SECTORS) + sector) * (PRIVATE + 1) + ownership
    distinct, found = np.unique(key, return_inverse=True)
    return shuffled_numbers(found.astype(np.int64), len(distinct))


def _firm(bits: SeededBits, sector: NDArray[np.uint8]) -> NDArray[np.int64]:
    """A firm number inside the sector: first the chains, then firms of one establishment."""
    count = len(sector)
    members = np.bincount(sector, minlength=len(SECTORS)) * IN_CHAINS
    chains = np.ceil(members / PER_CHAIN)[sector]
    chain = (chains * bits.generator.random(count) ** SKEW).astype(np.int64)
    alone = bits.generator.random(count) >= IN_CHAINS
    return np.where(alone, count + np.arange(count), chain)
