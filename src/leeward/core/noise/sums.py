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

from leeward.core.noise.large_sums import LARGEST, PARTS, STEPS, Drawing
from leeward.core.noise.law import Law, Normal
from leeward.core.noise.radial_law import RadialLaw
from leeward.core.noise.scales import DRAWS, CellNoise, Integers, whole_margins
from leeward.core.noise.summed_errors import CellErrors, ClippedJobs, Singles
from leeward.core.noise.tabulated import Floats
from leeward.core.noise.tail_table import unit_table
from leeward.core.randomness import SeededBits

POOL = 1 << 20
"""Numbers of a pool."""

FARTHEST = 1e18
"""Largest draw of Z: times a scale of 2^61 it is a number of 32 bits, and beyond all margins."""

TINY = 2.0**-64
"""A scale of no noise."""


class ErrorDraws:
    """Draws of the errors of cells, truth less value; the same seed gives the same draws.

    Cells must come in the order of the table. However they are cut into batches, each gets the
    same draws.
    """

    def __init__(self, noise: CellNoise, seed: int, draws: int = DRAWS) -> None:
        self._noise = noise
        self._drawing = Drawing(noise, seed, draws)
        self._cells = 0
        self._own = _Pool(_unit_noise(noise, seed), seed + 1, draws)
        self._shared = None
        if noise.shared is not None:
            self._shared = _Pool(_factors(noise.shared, seed + 4), seed + 2, draws)
        self._clipped = None
        if noise.clips:  # by how much the logarithm of a noisy maximum is too low, in its spreads
            generator = SeededBits(seed + 7).generator
            gaussian = noise.law is None
            low = generator.standard_normal(POOL) if gaussian else generator.laplace(size=POOL)
            self._clipped = _Pool(low.astype(np.float32), seed + 6, draws)

    @property
    def halved(self) -> bool:
        """Whether there are twice as many draws: for the lower, and then for the upper end."""
        return self._drawing.halved

    def draw(self, values: Integers, below: Integers, establishments: Integers | None) -> Singles:
        """Errors (w, d, draws) of released values (w, d); twice as many where both ends differ."""
        return self.cells(values, below, establishments).drawn()

    def cells(
        self,
        values: Integers,
        below: Integers,
        establishments: Integers | None,
        there: NDArray[np.bool_] | None = None,
    ) -> CellErrors:
        """Errors of released values (w, d), to be added up.

        `below` is how far the lower end of each interval is from the value: a function of what is
        published, so these are too. Where clipping may have taken jobs away there are draws
        without, and then with what it takes at most. That depends on the number of establishments
        (w,); where it is not known, the class in which most may be taken stands for all. `there`
        (w,) says which cells have a value.
        """
        (w, d), noise, scales = values.shape, self._noise, self._scales(values, below)
        own, first = self._own.places(w, d), self._cells
        shared = None if self._shared is None else self._shared.places(w, 1)
        growth = None if self._clipped is None else self._clipped.places(w, 1)
        self._cells += w
        classes = self._drawing.classes(w, establishments)

        def drawn() -> Singles:
            units = self._own.windows(own)
            errors: Singles = -scales.astype(np.float32)[:, :, None] * units
            if self._shared is not None and shared is not None:
                errors *= self._shared.windows(shared)
            if isinstance(noise.shared, RadialLaw):
                errors /= self._drawing.norms(units, first, noise.shared.dimension)
            if growth is not None:
                errors = np.concatenate([errors, self._more(values, errors, classes, growth)], 2)
            np.rint(errors, out=errors)
            return errors + self._centre(scales) if noise.lean else errors

        there = np.ones(w, np.bool_) if there is None else there
        clipped = self._clipped_jobs(values, scales, classes)
        return CellErrors(self._drawing, first, scales, there, np.arange(d), clipped, drawn)

    def _scales(self, values: Integers, below: Integers) -> Floats:
        """The scale of each cell (w, d), as `CellNoise` says."""
        noise, scales = self._noise, self._noise.share * below.astype(np.float64)
        if noise.slope is not None:
            bounds = noise.slope * values.astype(np.float64)
            scales = np.minimum(scales, bounds) if noise.share else bounds
        return np.maximum(scales, noise.least)

    def _more(
        self, values: Integers, errors: Singles, classes: Integers, growth: Integers
    ) -> Singles:
        """Errors with what clipping takes at most."""
        if self._clipped is None:
            return errors
        counts = values[:, :, None].astype(np.float32)
        spread, room = np.array(self._drawing.growths())[classes].T[:, :, None, None]
        grown = spread * self._clipped.windows(growth) - room
        times = np.exp(np.clip(grown, 0, LARGEST), dtype=np.float32)
        more: Singles = np.maximum(errors, (counts + errors) * times - counts)
        return more

    def _clipped_jobs(
        self, values: Integers, scales: Floats, classes: Integers
    ) -> ClippedJobs | None:
        """What clipping takes a share of, by equal parts of the law of the noise."""
        if not self._noise.clips:
            return None
        parts = _equal_parts(self._noise, values.shape[1])
        errors = scales[:, :, None] * parts
        jobs = np.maximum(values[:, :, None] + errors, 0.0)
        means = np.array([table.mean for table in self._drawing.growth_tables()])
        together = (errors * jobs).mean(axis=2) * means[classes][:, None]
        return ClippedJobs(jobs, classes, together)

    def _centre(self, scales: Floats) -> Singles:
        """By how much rounding moves the mean of noise of these scales (w, d, 1)."""
        table = unit_table(self._noise)
        steps, place = np.unique(
            np.rint(STEPS * np.log2(np.maximum(scales, TINY))), return_inverse=True
        )
        bias = table.rounding_bias(np.exp2(steps / STEPS))
        return bias[place].reshape(*scales.shape, 1).astype(np.float32)

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
        wide = np.maximum(-errors[0], errors[1])
        both = {"margin": wide, "block_margin": wide.max(axis=1, keepdims=True)}
        return {name: _whole(ranked(both[name], 0.9), values) for name in columns}
    ends = {"low": -errors[0], "high": errors[1]}
    for name in list(ends):
        ends[f"block_{name}"] = ends[name].max(axis=1, keepdims=True)
    wide_ends = {name: _whole(ranked(ends[name], 0.95), values) for name in columns}
    return {
        name: values - wide_end if name.endswith("low") else values + wide_end
        for name, wide_end in wide_ends.items()
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


@lru_cache(maxsize=4)
def _factors(shared: int | RadialLaw, seed: int) -> Singles:
    """Draws of 1/H, or of the radius."""
    generator = SeededBits(seed).generator
    if isinstance(shared, int):
        return (1 / generator.gamma(shared, size=POOL)).astype(np.float32)
    words = generator.integers(2**64, size=POOL, dtype=np.uint64)
    return np.clip(shared.approximate(words)[0], 0, FARTHEST).astype(np.float32)


class _Pool:
    """Windows of numbers that were drawn once, at places that are drawn for each cell."""

    def __init__(self, numbers: Singles, seed: int, draws: int) -> None:
        self._windows = np.lib.stride_tricks.sliding_window_view(numbers, draws)
        self._places = SeededBits(seed).generator

    def places(self, w: int, d: int) -> Integers:
        """Where the windows of the next cells begin."""
        return self._places.integers(len(self._windows), size=(w, d))

    def windows(self, places: Integers) -> Singles:
        """Numbers from these places on."""
        found: Singles = self._windows[places]
        return found


def drawn_growths(spread: float, shape: tuple[int, ...], seed: int) -> Floats:
    """Draws of released widths over true ones, whose logarithms have Laplace noise."""
    return np.exp(SeededBits(seed).generator.laplace(scale=spread, size=shape))


@lru_cache(maxsize=4)  # a reader asks for one number of a table after the other
def _unit_noise(noise: CellNoise, seed: int) -> Singles:
    """Z, or L where H is shared; the mean of all is that of the law.

    A symmetric law has each draw and its mirror. Of another one, the mean of the draws is taken
    away and that of the law put in its place.
    """
    if noise.shared is not None:
        half = SeededBits(seed).generator.laplace(size=POOL // 2)
        return np.concatenate([half, -half]).astype(np.float32)
    table = unit_table(noise)
    z = unit_draws(noise.law, SeededBits(seed), POOL // 2 if table.symmetric else POOL)
    with np.errstate(all="ignore"):
        z = z / (1 + z) if noise.relative else z
    z = np.clip(np.nan_to_num(z), -FARTHEST, FARTHEST)
    if table.symmetric:
        z = np.concatenate([z, -z])
    elif table.mean:
        z += (0.0 if noise.relative else table.mean) - z.mean()
    return z.astype(np.float32)


@lru_cache(maxsize=16)
def _equal_parts(noise: CellNoise, d: int) -> Floats:
    """Errors of scale 1 in the middle of equal parts of their law (d, PARTS).

    Each worker cell has them in an order of its own: what is added up must not go together.
    """
    table = unit_table(noise)
    shares = (np.arange(PARTS // 2) + 0.5) / PARTS
    upper = table.drawn_beyond(np.stack([np.zeros_like(shares), shares]), np.ones_like(shares))
    middle = np.concatenate([upper, -upper])
    return SeededBits(d).generator.permuted(np.tile(middle, (d, 1)), axis=1)


def unit_draws(law: Law | Normal | None, bits: SeededBits, number: int) -> Floats:
    """Draws of Z; standard normal ones without a law. A seed draws the same quantiles of any."""
    if law is None or isinstance(law, Normal):
        return bits.generator.standard_normal(number)
    words = bits.generator.integers(2**64, size=number, dtype=np.uint64, endpoint=False)
    with np.errstate(all="ignore"):
        found, _ = law.approximate(words)
    return found
