"""Sums: margins of sums of published numbers, by seeded draws of the public law of their noise.

Nothing here is private: a reader of a bundle knows all that is used, and the seed is public too. A
cell's draws are a window of a pool that was drawn once, at a place of its own. Within one draw no
two cells see the same number, unless two windows begin at one place.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leeward.noise.integers import whole_margins
from leeward.noise.law import Law, Normal
from leeward.noise.scales import DRAWS, CellNoise, Integers
from leeward.noise.tabulated import Floats
from leeward.randomness import SeededBits

POOL = 1 << 20
"""Numbers of a pool."""

LARGEST = 40.0
"""Largest logarithm of a factor of the scale: beyond it a margin is without end anyway."""

FARTHEST = 1e18
"""Largest draw of Z: times a scale of 2^61 it is a number of 32 bits, and beyond all margins."""

Singles = NDArray[np.float32]


class ErrorDraws:
    """Draws of the errors of cells, truth less value; the same seed gives the same draws.

    Cells must come in the order of the table. However they are cut into batches, each gets the
    same draws.
    """

    def __init__(self, noise: CellNoise, seed: int, draws: int = DRAWS) -> None:
        self._noise = noise
        self._own = _Pool(_unit_noise(noise, seed), seed + 1, draws)
        shared = None if noise.shared is None else _common(noise.shared, seed)
        self._shared = None if shared is None else _Pool(shared, seed + 2, draws)
        clipped = _logarithms(noise.law is None, seed) if noise.clips else None
        self._clipped = None if clipped is None else _Pool(clipped, seed + 6, draws)

    @property
    def halved(self) -> bool:
        """Whether there are twice as many draws: without, and then with clipping at its most."""
        return self._clipped is not None

    def draw(self, values: Integers, below: Integers, establishments: Integers | None) -> Singles:
        """Errors (w, d, draws) of released values (w, d).

        `below` is how far the lower end of each interval is from the value: a function of what is
        published, so these are too. Where clipping may have taken jobs away there are twice as many
        draws: without, and then with what it takes at most. That depends on the number of
        establishments (w,); where it is not known, the class in which most may be taken stands for
        all.
        """
        counts = values[:, :, None].astype(np.float32)
        errors = -self._drawn(self._scales(values, below))
        if self._clipped is not None:
            spread, room = self._clips(len(values), establishments)
            grown = spread * self._clipped.windows(len(values), 1) - room
            times = np.exp(np.clip(grown, 0, LARGEST), dtype=np.float32)
            more = np.maximum(errors, (counts + errors) * times - counts)
            errors = np.concatenate([errors, more], axis=2)
        return np.rint(errors, out=errors)

    def _clips(self, w: int, establishments: Integers | None) -> tuple[Floats, Floats]:
        """Spread and room of each workplace cell (w, 1, 1)."""
        classes = self._noise.clips
        spreads = np.array([one.spread for one in classes])
        rooms = np.array([one.room for one in classes])
        if establishments is None:
            spreads, rooms, at = spreads.max()[None], rooms.min()[None], np.zeros(w, np.intp)
        else:
            most = [one.establishments for one in classes[:-1]]
            at = np.searchsorted(most, establishments)
        return spreads[at][:, None, None], rooms[at][:, None, None]

    def _scales(self, values: Integers, below: Integers) -> Floats:
        """The scale of each cell (w, d), as `CellNoise` says."""
        noise, scales = self._noise, self._noise.share * below.astype(np.float64)
        if noise.slope is not None:
            bounds = noise.slope * values.astype(np.float64)
            scales = np.minimum(scales, bounds) if noise.share else bounds
        return np.maximum(scales, noise.least)

    def _drawn(self, scales: Floats) -> Singles:
        """Noise of these scales (w, d, draws)."""
        w, d = scales.shape
        noise: Singles = scales.astype(np.float32)[:, :, None] * self._own.windows(w, d)
        return noise if self._shared is None else noise * self._shared.windows(w, 1)

    def margins(
        self, columns: Sequence[str], values: Integers, errors: Singles
    ) -> dict[str, Integers]:
        """Columns of margins that nine of ten further draws of each sum keep to."""
        return drawn_margins(columns, values, sides(errors, halved=self.halved))


def sides(errors: Singles, *, halved: bool) -> tuple[Singles, Singles]:
    """Draws of errors for the lower and for the upper end of an interval; mostly the same."""
    half = errors.shape[-1] // 2
    return (errors[..., :half], errors[..., half:]) if halved else (errors, errors)


def drawn_margins(
    columns: Sequence[str], values: Integers, errors: tuple[Singles, Singles]
) -> dict[str, Integers]:
    """Columns of margins that nine of ten further draws of each number keep to.

    The draws are the last axis. A tenth of all orders of n+1 equal draws has the last one above
    the ⌈0.9·(n+1)⌉-th. Margins of a block hold for all worker cells of a workplace cell.
    """
    if "low" not in columns:
        wide = np.abs(errors[0])
        both = {"margin": wide, "block_margin": wide.max(axis=1, keepdims=True)}
        return {name: _whole(ranked(both[name], 0.9), values) for name in columns}
    ends = {"low": -errors[0], "high": errors[1]}
    for name in list(ends):
        ends[f"block_{name}"] = ends[name].max(axis=1, keepdims=True)
    wide_ends = {name: _whole(ranked(ends[name], 0.95), values) for name in columns}
    return {
        name: values - one if name.endswith("low") else values + one
        for name, one in wide_ends.items()
    }


def _whole(wide: Floats, values: Integers) -> Integers:
    """Whole margins, one for each value."""
    found: Integers = np.broadcast_to(whole_margins(np.maximum(wide, 0) + 0.5), values.shape)
    return found


def ranked(draws: NDArray[np.floating[Any]], share: float) -> Floats:
    """The draw that a further one keeps below with this probability."""
    rank = min(ceil(share * (draws.shape[-1] + 1)), draws.shape[-1]) - 1
    found: Floats = np.partition(draws, rank, axis=-1)[..., rank].astype(np.float64)
    return found


class _Pool:
    """Windows of numbers that were drawn once, at places that are drawn for each cell."""

    def __init__(self, numbers: Singles, seed: int, draws: int) -> None:
        self._windows = np.lib.stride_tricks.sliding_window_view(numbers, draws)
        self._places = SeededBits(seed).generator

    def windows(self, w: int, d: int) -> Singles:
        places = self._places.integers(len(self._windows), size=(w, d))
        found: Singles = self._windows[places]
        return found


@lru_cache(maxsize=4)  # a reader asks for one number of a table after the other
def _unit_noise(noise: CellNoise, seed: int) -> Singles:
    """Z, or L where H is shared."""
    generator = SeededBits(seed).generator
    if noise.shared is not None:
        return generator.laplace(size=POOL).astype(np.float32)
    z = unit_draws(noise.law, SeededBits(seed), POOL)
    with np.errstate(all="ignore"):
        z = z / (1 + z) if noise.relative else z
    found: Singles = np.clip(np.nan_to_num(z), -FARTHEST, FARTHEST).astype(np.float32)
    return found


def unit_draws(law: Law | Normal | None, bits: SeededBits, number: int) -> Floats:
    """Draws of Z; standard normal ones without a law. A seed draws the same quantiles of any."""
    if law is None or isinstance(law, Normal):
        return bits.generator.standard_normal(number)
    words = bits.generator.integers(2**64, size=number, dtype=np.uint64, endpoint=False)
    with np.errstate(all="ignore"):
        found, _ = law.approximate(words)
    return found


def _common(shape: int, seed: int) -> Singles:
    """1/H."""
    return (1 / SeededBits(seed + 4).generator.gamma(shape, size=POOL)).astype(np.float32)


def _logarithms(gaussian: bool, seed: int) -> Singles:
    """By how much the logarithm of a noisy maximum is too low, in units of its spread."""
    generator = SeededBits(seed + 7).generator
    draws = generator.standard_normal(POOL) if gaussian else generator.laplace(size=POOL)
    return draws.astype(np.float32)
