"""JointClipping: clipping that keeps one sum in all tables (step 2 of joint_clipped)."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from leeward.core.codebook import Entries
from leeward.core.mechanisms.clipping import FINENESS, Clipping, scaled
from leeward.core.noise.scales import Integers


@dataclass(frozen=True)
class JointClipping(Clipping):
    """Clipping that keeps one sum in all tables of an establishment."""

    tables: tuple[int, ...] = ()

    @property
    def lattice(self) -> int:
        """A power of two, so fine that the allowance for rounding is below 1/1000 of Δ."""
        return 1 << (FINENESS * (max(self.tables) + 1) - 1).bit_length()

    @property
    def allowance(self) -> int:
        """What rounding to the lattice may add to a positive part, in lattice points."""
        return max(self.tables) + 1

    def sums(self, entries: Entries, theta: Integers) -> Integers:
        """Lattice points (workplaces, D), one θ a workplace cell.

        An establishment above θ has θ points in every table: floors, and one more for the largest
        remainders.
        """
        place, sizes = entries.workplace[entries.row], entries.sizes[entries.row]
        points = entries.counts * self.lattice
        above = np.flatnonzero(sizes * self.lattice > theta[place])
        points[above] = self._scaled(entries, above, theta[place[above]])
        sums = np.zeros((theta.size, self.cells), dtype=np.int64)
        np.add.at(sums, (place, entries.cell), points)
        return sums

    def _scaled(self, entries: Entries, above: Integers, theta: Integers) -> Integers:
        """The points of these entries, whose establishments are scaled down to θ."""
        sizes = entries.sizes[entries.row[above]]
        floors, rest = scaled(entries.counts[above], theta, sizes)
        of_table = np.repeat(np.arange(len(self.tables)), self.tables)[entries.cell[above]]
        group = entries.row[above] * len(self.tables) + of_table
        order = np.lexsort((entries.cell[above], -rest, group))
        first = np.flatnonzero(np.diff(group[order], prepend=-1))
        rank = np.arange(order.size) - np.repeat(first, np.diff([*first, order.size]))
        left = theta - np.bincount(group, floors, minlength=1)[group].astype(np.int64)
        floors[order] += rank < left[order]
        return floors

    def moved(self, theta: Integers) -> Integers:
        """Δ: αθ/(1+α), and what rounding adds."""
        above, below = self._share.numerator, self._share.denominator
        unique, inverse = np.unique(theta, return_inverse=True)
        values = [value * above // below + self.allowance for value in unique.tolist()]
        return np.array(values, dtype=np.int64)[inverse].reshape(theta.shape)

    @property
    def _share(self) -> Fraction:
        return self.alpha / (1 + self.alpha)
