"""Protected: a table with its margins as withholding or rounding publishes it.

None of these has a guarantee: they bound what one table says, not what an attacker knows.
"""

from dataclasses import dataclass

import numpy as np

from leeward.core.codebook.cells import Floats, Integers
from leeward.lab.baselines.feasibility import UNBOUNDED, Equations, Feasible, Mask


@dataclass(frozen=True, eq=False, repr=False)
class Protected:
    """n cells and the r margins that add them up.

    `values` are the published cells, 0 where they are `withheld`. `low` and `high` are what a
    reader knows of each cell without looking at sums, `least` and `most` the same of margins.
    """

    values: Integers
    withheld: Mask
    low: Integers
    high: Integers
    least: Integers
    most: Integers
    words: str
    """What was done, and by which method."""

    @classmethod
    def without(cls, counts: Integers, margins: Equations, hidden: Mask, words: str) -> "Protected":
        """Cells and margins of a mask (n+r,) are withheld, all others are exact."""
        cells, sums = hidden[: counts.size], hidden[counts.size :]
        totals = margins.totals(counts)
        values = np.where(cells, 0, counts)
        return cls(
            values,
            cells,
            values,
            np.where(cells, UNBOUNDED, counts),
            np.where(sums, 0, totals),
            np.where(sums, UNBOUNDED, totals),
            words,
        )

    def feasible(self, margins: Equations) -> Feasible:
        """What an attacker starts from."""
        said = self.most < UNBOUNDED
        return Feasible(margins.kept(said), self.low, self.high, self.least[said], self.most[said])

    def imputed(self, margins: Equations, establishments: Integers) -> Floats:
        """Cells (n,) with the best public guess of those that are withheld.

        What a published margin leaves to its withheld cells, in proportion to their establishments
        in the public frame; of several margins the one with the fewest withheld cells.
        """
        unknown = self.withheld[margins.cell]
        useful = (unknown & (self.most < UNBOUNDED)[margins.row]).nonzero()[0]
        rest = np.maximum(self.most - margins.totals(self.values), 0)
        parts = np.where(self.withheld, np.maximum(establishments, 1), 0)
        shared, open_cells = margins.totals(parts), margins.added(unknown)
        best = useful[np.argsort(-open_cells[margins.row[useful]], kind="stable")]
        row = np.full(self.values.size, -1)
        row[margins.cell[best]] = margins.row[best]  # the last one stays: the fewest cells
        known = row >= 0
        guess = self.values.astype(np.float64)
        guess[known] = (rest * 1.0)[row[known]] * parts[known] / shared[row[known]]
        lone = self.withheld & ~known
        guess[lone] = parts[lone] * self._jobs_per_establishment(establishments)
        return guess

    def _jobs_per_establishment(self, establishments: Integers) -> float:
        there = ~self.withheld
        return float(self.values[there].sum() / max(establishments[there].sum(), 1))
