"""Fitness: how close published counts are to the true ones, relative to these, for public sizes.

The absolute percentage difference (APD) of a cell is |published − true|/true. Shares within a
percentage follow from the exact law of the noise; whether the largest cells can be told from the
others, from seeded draws of that law. No data are read.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil

import numpy as np
from numpy.typing import NDArray

from leeward.core.codebook.size_profile import SizeProfile
from leeward.core.errors import InvalidParameter
from leeward.core.mechanisms.measurement import CellLaw, Measurement

Floats = NDArray[np.float64]

HALF = 0.5
DRAWN, MOST_DRAWS, FEWEST_DRAWS = 1 << 18, 512, 4
"""Numbers that are drawn to rank cells, and how often a profile is drawn at most and at least."""

MOST_CELLS = 1_000_000
"""Maximum number of cells of a profile that are ranked."""

SEED = 216
HALVINGS = 40


@dataclass(frozen=True)
class Fitness:
    """The errors of a table's cells, with how many cells are like each of them."""

    laws: tuple[CellLaw, ...]
    cells: tuple[int, ...]

    @classmethod
    def of(cls, made: Measurement, profile: SizeProfile) -> "Fitness | None":
        """The cells of a profile; None where what is published is no count with its own noise.

        Where the profile has no n, each cell is one establishment: the relative error is then as
        large as it can be.
        """
        jobs: Sequence[int | None] = profile.n or (None,) * len(profile.largest)
        found = (made.cell_law(*size, n) for size, n in zip(profile.sizes, jobs, strict=True))
        laws = tuple(law for law in found if law is not None)
        return cls(laws, profile.cells) if len(laws) == len(profile.cells) else None

    def within(self, share: Fraction | float) -> float:
        """The share of cells whose error is at most this share of their count.

        P(|J| ≤ m) = F(m + ½) − F(−m − ½), m = ⌊τn⌋: published errors are whole.
        """
        exact = Fraction(share)
        jobs = np.array([exact.numerator * n // exact.denominator for n in self._true], float)
        inside = np.zeros(len(jobs))
        for law, rows in self._by_law():
            scale, bias, reach = self._scales[rows], self._biases[rows], jobs[rows] + HALF
            below = law.law.float_tails((bias - reach) / scale)[0]
            above = law.law.float_tails((bias + reach) / scale)[1]
            inside[rows] = 1 - below - above
        return float(np.average(inside, weights=self.cells))

    def quantile(self, often: Fraction | float) -> float:
        """The APD that this share of cells keeps to; one half gives the median."""
        if self.within(0) >= often:
            return 0.0
        low, high = 0.0, 1.0
        while self.within(high) < often:
            low, high = high, 2 * high
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if self.within(middle) >= often else (middle, high)
        return high

    def top(self, share: Fraction) -> float:
        """How many of the cells that are published as the largest are among the largest.

        `share` of all cells are looked at. In a worker table a worker cell is ranked among the same
        one of other workplace cells. Draws are seeded: everyone gets the same answer.
        """
        from leeward.core.noise.sums import unit_draws  # noqa: PLC0415 (nothing draws before)
        from leeward.core.randomness import SeededBits  # noqa: PLC0415 (as above)

        cells, number = np.array(self.cells), sum(self.cells)
        if number > MOST_CELLS or share * number < 1:
            raise InvalidParameter(
                "sizes",
                rule=f"must have at least {ceil(1 / share)} cells and at most {MOST_CELLS:,}, for "
                f"a cell in the top {float(100 * share):g} %",
                value=f"{number:,} cells",
                next_step="Give a size profile with columns largest, cells and n, or --economy "
                "20000,1000.",
            )
        kept = ceil(share * number)
        draws = min(max(DRAWN // number, FEWEST_DRAWS), MOST_DRAWS)
        true = np.repeat(np.array(self._true, float), cells)
        published = np.empty((draws, len(true)))
        row = np.repeat(np.arange(len(cells)), cells)
        bits = SeededBits(SEED)
        for law, rows in self._by_law():
            at = np.flatnonzero(np.isin(row, rows))
            z = unit_draws(law.law, bits, draws * len(at))
            scale, bias = self._scales[row[at]], self._biases[row[at]]
            noise = np.rint(scale * z.reshape(draws, len(at)) - bias)
            published[:, at] = true[at] + np.nan_to_num(noise)
        least = np.partition(true, -kept)[-kept]
        order = np.argsort(-published, axis=1, kind="stable")[:, :kept]
        return float((true[order] >= least).mean())

    @cached_property
    def _true(self) -> tuple[int, ...]:
        return tuple(law.true for law in self.laws)

    @cached_property
    def _scales(self) -> Floats:
        return np.array([law.scale for law in self.laws])

    @cached_property
    def _biases(self) -> Floats:
        return np.array([law.bias for law in self.laws])

    def _by_law(self) -> Iterator[tuple[CellLaw, NDArray[np.intp]]]:
        """Each law once, in the order of rows, with those whose noise has it."""
        rows: dict[object, list[int]] = {}
        for row, law in enumerate(self.laws):
            rows.setdefault(law.law, []).append(row)
        for cells in rows.values():
            yield self.laws[cells[0]], np.array(cells)
