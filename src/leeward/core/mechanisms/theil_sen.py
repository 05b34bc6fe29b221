"""Theil–Sen: a line by two medians of pairs of rows, by exact selection on a public grid.

Proof in theil_sen.proof.md. The number of points of a cell is a public number that does not come
from the rows: missing rows are points in the middle, and of too many a random part is taken. So one
row more or less moves one point.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from leeward.core.exact import Number
from leeward.core.mechanisms.moments import LATTICE
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.noise.exact_selection import SECRET, Selection
from leeward.core.noise.scales import Integers
from leeward.core.privacy import Guarantee, WorkerOnly

FEWEST = 2
"""Points that make one pair."""


@dataclass(frozen=True)
class TheilSen:
    """Both predictions of one cell, at a quarter and three quarters of the range of x.

    `lattice` is G: rows are points (u, v) of −G…G, and so is the grid. `rate` is ε/4.
    """

    name: ClassVar[str] = "theil_sen"

    parameters: Parameters
    rate: Fraction
    lattice: int = LATTICE

    @classmethod
    def calibrated(cls, epsilon: Number) -> "TheilSen":
        """Half of ε for each median, and half of that for a step of rank."""
        parameters = Parameters.read(None, epsilon, 0, 1, "tight")
        return cls(parameters, parameters.aimed / 4)

    def guarantee(self) -> Guarantee:
        """ε for a row, whatever the number of cells: a row is in at most one."""
        return Guarantee(WorkerOnly(), None, self.parameters.epsilon)

    def release(self, u: Integers, v: Integers, count: int) -> tuple[int, int]:
        """Lattice points of the two predictions; `count` is public, and at least two."""
        return self._release(u, v, count, SECRET)

    def _release(
        self, u: Integers, v: Integers, count: int, selection: Selection
    ) -> tuple[int, int]:
        """What is released, with this selection; the auditor runs it with its own."""
        middle = np.zeros(max(count - len(u), 0), dtype=np.int64)
        u, v = np.concatenate([u, middle]), np.concatenate([v, middle])
        order = selection.order(len(u))[: count // 2 * 2].reshape(-1, 2)
        quarter = self.lattice // 2
        first, last = (
            selection.chosen(self._ranks(u[order], v[order], at), self.rate)
            for at in (-quarter, quarter)
        )
        return first - self.lattice, last - self.lattice

    def _ranks(self, u: Integers, v: Integers, at: int) -> Integers:
        """For each point of the grid, the larger number of predictions on one side of it.

        A prediction is the lattice point nearest to a pair's line there; of upright pairs it is the
        middle.
        """
        (u1, u2), (v1, v2) = u.T, v.T
        upright = u1 == u2
        run = np.where(upright, 2, u2 - u1)
        rise = np.where(upright, v2 - v1, (v2 - v1) * (at - u1))
        whole = (2 * (v1 * run + rise) + run) // (2 * run)
        points = np.sort(np.clip(whole, -self.lattice, self.lattice))
        grid = np.arange(-self.lattice, self.lattice + 1)
        under = np.searchsorted(points, grid, side="left")
        over = len(points) - np.searchsorted(points, grid, side="right")
        ranks: Integers = np.maximum(under, over)
        return ranks
