"""Directions: seeded draws of directions in the norm of sums, for joint margins and percentiles.

Everyone can repeat them; no release uses them. Chance is allowed for by three standard errors.
"""

from functools import lru_cache
from math import sqrt

import numpy as np

from leeward.core.noise.contrast import Contrast
from leeward.core.noise.radial_law import RadialLaw
from leeward.core.noise.tabulated import Floats
from leeward.core.randomness import SeededBits

ROWS, FEWEST, NUMBERS = 1 << 15, 1 << 10, 1 << 22
"""Draws of a direction, the fewest draws, and their numbers together."""

SURE = 3.0
"""Standard errors by which chance is allowed for."""


def all_within(radius: RadialLaw, reach: Floats) -> Floats:
    """P(all coordinates stay within these numbers), less what chance may have added."""
    largest, radii = _largest(radius.dimension), equal_radii(radius, FEWEST)
    at = np.asarray(reach, dtype=np.float64)[..., None] / radii
    share = (np.searchsorted(largest, at, side="right") / len(largest)).mean(axis=-1)
    return np.asarray(np.maximum(share - SURE * np.sqrt(share * (1 - share) / len(largest)), 0.0))


def contrast_bound(
    radius: RadialLaw, contrast: Contrast, tail: float, scale: tuple[Floats, Floats] | None
) -> float:
    """What a contrast of cells with one radius is above with at most this probability.

    `scale`, if it is noisy: chances and values of what the bound is multiplied by.
    """
    sums = _sums(radius.dimension)
    start, end = contrast.m, contrast.m + contrast.n
    drawn = contrast.a * sums[:, start] - contrast.b * (sums[:, end] - sums[:, start])
    generator = SeededBits(radius.dimension + 1).generator
    drawn *= generator.permuted(equal_radii(radius, len(drawn)))
    if scale is not None:
        chances, values = scale
        drawn /= generator.choice(values, size=len(drawn), p=chances / chances.sum())
    blur = SURE * sqrt(tail * (1 - tail) / len(drawn))
    rank = len(drawn) - max(int((tail - blur) * len(drawn)), 1)
    return float(max(np.partition(drawn, rank)[rank], 0.0))


@lru_cache(maxsize=32)
def equal_radii(radius: RadialLaw, parts: int) -> Floats:
    """The middles of equal parts of the law of the radius."""
    words = ((np.arange(parts) + 0.5) / parts * 2.0**64).astype(np.uint64)
    return radius.approximate(words)[0]


def _signed(dimension: int) -> Floats:
    rows = max(min(ROWS, NUMBERS // dimension), FEWEST)
    signed = SeededBits(dimension).generator.laplace(size=(rows, dimension))
    return np.asarray(signed / np.abs(signed).sum(axis=1, keepdims=True))


@lru_cache(maxsize=16)
def _largest(dimension: int) -> Floats:
    """The size of the largest coordinate, in order."""
    return np.asarray(np.sort(np.abs(_signed(dimension)).max(axis=1)))


@lru_cache(maxsize=8)
def _sums(dimension: int) -> Floats:
    """Sums of the first coordinates, from none on."""
    return np.pad(np.cumsum(_signed(dimension), axis=1), ((0, 0), (1, 0)))
