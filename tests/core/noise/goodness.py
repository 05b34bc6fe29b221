"""Pearson's χ²: whether so many draws can come from these masses."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from leeward.core.exact import precision
from leeward.core.noise.law import Law
from leeward.core.noise.scales import Integers

Shares = NDArray[np.float64]

DRAWS = 10**6
FALSE_ALARM = 1e-6
"""How often a correct sampler fails a test: the bits are the system's, never repeated."""

WRONG_SCALES = (Fraction(9, 10), Fraction(11, 10))


def p_value(observed: Integers, masses: Shares) -> float:
    expected = masses.ravel() * observed.sum()
    statistic = ((observed.ravel() - expected) ** 2 / expected).sum()
    return float(chi2.sf(statistic, expected.size - 1))


def counted(draws: Integers, cuts: Sequence[int]) -> Integers:
    """How many draws lie below the first cut, from each cut to the next, and from the last on."""
    return np.bincount(np.searchsorted(cuts, draws, side="right"), minlength=len(cuts) + 1)


def law_masses(law: Law, scale: Fraction, cuts: Sequence[int]) -> Shares:
    """The masses of the same bins for J = ⌊scale·Z + ½⌋."""
    edges = [(cut - Fraction(1, 2)) / scale for cut in cuts]
    with precision(256):
        inner = [law.between(a, b) for a, b in pairwise(edges)]
        masses = [law.tails(edges[0])[0], *inner, law.tails(edges[-1])[1]]
    return np.array([float(mass) for mass in masses])
