"""Sums: margins of sums of published numbers, by seeded draws of the public law of their noise.

Nothing here is private: a reader of a bundle knows all that is used, and the seed is public too. A
cell's draws are a window of a pool that was drawn once, at a place of its own. Within one draw no
two cells see the same number, unless two windows begin at one place.
"""

from math import ceil

import numpy as np
from numpy.typing import NDArray

from leeward.noise.integers import whole_margins
from leeward.noise.scales import DRAWS, CellNoise, Integers
from leeward.randomness import SeededBits

POOL = 1 << 20
"""Numbers of a pool."""

LARGEST = 40.0
"""Largest logarithm of a factor of the scale: beyond it a margin is without end anyway."""

Singles = NDArray[np.float32]


class NoiseDraws:
    """Draws of the noise of cells whose margins are known; the same seed gives the same draws.

    Cells must come in the order of the table. However they are cut into batches, each gets the
    same draws.
    """

    def __init__(self, noise: CellNoise, seed: int, draws: int = DRAWS) -> None:
        self._noise = noise
        self._own = _Pool(_unit_noise(noise, seed), seed + 1, draws)
        shared = None if noise.shared is None else _common(noise.shared, seed)
        self._shared = None if shared is None else _Pool(shared, seed + 2, draws)
        factors = None if noise.rate is None else _factors(noise.rate, noise.step, seed)
        self._factors = None if factors is None else _Pool(factors, seed + 3, draws)

    def draw(self, margins: Integers, drawn: NDArray[np.bool_]) -> Singles:
        """Noise (w, d, draws) of cells with these margins (w, d); 0 where nothing is `drawn` (w,).

        Margins are a function of what is published, so these are too.
        """
        w, d = margins.shape
        scale = (self._noise.share * margins).astype(np.float32)[:, :, None]
        if self._factors is not None:
            each = d if self._noise.by_cell else 1
            scale = scale * self._factors.windows(w, each)
        noise: Singles = np.maximum(scale, np.float32(self._noise.least))
        noise = noise * self._own.windows(w, d)
        if self._shared is not None:
            noise *= self._shared.windows(w, 1)
        noise[~drawn] = 0
        return np.rint(noise, out=noise)


def margins_of_sums(noise: Singles) -> Integers:
    """The margin that nine of ten further draws of each sum keep to; the draws are the last axis.

    A tenth of all orders of n+1 equal draws has the last one above the ⌈0.9·(n+1)⌉-th.
    """
    rank = min(ceil(0.9 * (noise.shape[-1] + 1)), noise.shape[-1]) - 1
    size = np.abs(noise)
    size.partition(rank, axis=-1)
    return whole_margins(size[..., rank].astype(np.float64) + 0.5)


class _Pool:
    """Windows of numbers that were drawn once, at places that are drawn for each cell."""

    def __init__(self, numbers: Singles, seed: int, draws: int) -> None:
        self._windows = np.lib.stride_tricks.sliding_window_view(numbers, draws)
        self._places = SeededBits(seed).generator

    def windows(self, w: int, d: int) -> Singles:
        places = self._places.integers(len(self._windows), size=(w, d))
        found: Singles = self._windows[places]
        return found


def _unit_noise(noise: CellNoise, seed: int) -> Singles:
    """Z, or L where H is shared."""
    generator = SeededBits(seed).generator
    if noise.shared is not None:
        return generator.laplace(size=POOL).astype(np.float32)
    if noise.law is None:
        return generator.standard_normal(POOL).astype(np.float32)
    words = generator.integers(2**64, size=POOL, dtype=np.uint64, endpoint=False)
    with np.errstate(all="ignore"):
        z, _ = noise.law.approximate(words)
        z = z / (1 + z) if noise.relative else z
    found: Singles = np.nan_to_num(z, posinf=0.0, neginf=0.0).astype(np.float32)
    return found


def _common(shape: int, seed: int) -> Singles:
    """1/H."""
    return (1 / SeededBits(seed + 4).generator.gamma(shape, size=POOL)).astype(np.float32)


def _factors(rate: float, step: float, seed: int) -> Singles:
    """The true scale in units of the noisy one."""
    generator, chance = SeededBits(seed + 5).generator, -np.expm1(-rate)
    steps = generator.geometric(chance, POOL) - generator.geometric(chance, POOL)
    factors: Singles = np.exp(np.minimum(-step * (steps - 0.5), LARGEST)).astype(np.float32)
    return factors
