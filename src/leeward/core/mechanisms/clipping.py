"""Clipping to a public bound θ, on a lattice, in whole numbers (step 2 of clipped).

Everything here but `sums` and `clip` is a function of released numbers and public constants.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from leeward.core.codebook import Entries
from leeward.core.errors import InvalidParameter
from leeward.core.exact import ball, exact_value, log_growth, precision
from leeward.core.mechanisms.size_grid import STEPS, SizeGrid
from leeward.core.noise.integers import same_shape, whole_numbers
from leeward.core.noise.scales import Integers
from leeward.core.noise.tabulated import Floats

FINENESS = 1000
MOST_THETA = 2**30

MUCH = 32
"""A table of numbers may have at most this many places for each number in it."""


@dataclass(frozen=True)
class Clipping:
    """How establishments of one workplace cell are scaled down to at most θ jobs.

    Bounds and clipped counts are in lattice points, `lattice` to a job. θ is `headroom` times the
    released maximum.
    """

    alpha: Fraction
    cells: int
    plus: int = 1
    headroom: Fraction = Fraction(1)

    @property
    def lattice(self) -> int:
        """A power of two, so fine that the allowance for flooring is below 1/1000 of Δ₁."""
        return 1 << (FINENESS * self.cells - 1).bit_length()

    @property
    def grid(self) -> SizeGrid:
        """The public grid on which the largest establishment is released."""
        return SizeGrid(self.alpha, self.plus)

    @cached_property
    def least(self) -> Fraction:
        """Δ(1/α + 1): below it Δ joiners could move a clipped cell by more than αθ/(1+α)."""
        return self.plus * (1 / self.alpha + 1)

    @cached_property
    def most(self) -> int:
        """The largest θ: a fixed bound beyond any establishment."""
        return max(MOST_THETA, _ceiling(self.least)) * self.lattice

    def theta(self, index: Integers) -> Integers:
        """θ of each released index."""
        unique, inverse = np.unique(index, return_inverse=True)
        new = [one for one in unique.tolist() if one not in self._known]
        self._known.update(zip(new, self._thetas(new), strict=True))
        values = [self._known[one] for one in unique.tolist()]
        return np.array(values, dtype=np.int64)[inverse].reshape(index.shape)

    def theta_of(self, index: int) -> int:
        """max(headroom·Ã, Δ(1/α + 1)) rounded up to the lattice, and at most a fixed bound."""
        return int(self.theta(np.array([index]))[0])

    def _thetas(self, indices: list[int]) -> list[int]:
        least, most, found = _ceiling(self.least * self.lattice), self.most, []
        with precision(192):
            step, end = log_growth(self.alpha) / (2 * STEPS), ball(most).log()
            unit = ball(self.headroom * self.lattice)
            for index in indices:
                power = step * (2 * index + 1)
                if power > end:
                    found.append(most)
                    continue
                size = int(exact_value((unit * power.exp()).upper().ceil()))
                found.append(min(max(size, least), most))
        return found

    @cached_property
    def _known(self) -> dict[int, int]:
        """θ by index: all workplace cells of all batches share one public grid."""
        return {}

    def float_theta(self, index: Integers) -> Floats:
        """θ in jobs and float64, for predictions."""
        with np.errstate(over="ignore"):
            sizes = self.grid.sizes(index) * float(self.headroom)
        return np.clip(sizes, float(self.least), max(MOST_THETA, float(self.least)))

    def sums(self, entries: Entries, theta: Integers) -> Integers:
        """Clipped lattice points (workplaces, cells), one θ a workplace cell.

        What a release adds noise to, and what the auditor examines: there is no other clipping.
        """
        place, sizes = entries.workplace[entries.row], entries.sizes[entries.row]
        clipped = self.clip(entries.counts[:, None], sizes, theta[place])[:, 0]
        sums = np.zeros((theta.size, self.cells), dtype=np.int64)
        np.add.at(sums, (place, entries.cell), clipped)
        return sums

    def clip(self, counts: Integers, sizes: Integers, theta: Integers) -> Integers:
        """⌊lattice·c·min(1, θ/|E|)⌋ for every cell of every establishment."""
        clipped = counts * self.lattice
        above = sizes * self.lattice > theta
        clipped[above] = scaled(counts[above], theta[above, None], sizes[above, None])[0]
        return clipped

    def reach(self, theta: int) -> Fraction:
        """αθ/(1+α): the most that any one cell can move before flooring."""
        return theta * self.alpha / (1 + self.alpha)

    def moved(self, theta: Integers) -> Integers:
        """Δ₁: 2αθ/(1+α) (once for a single cell), and one lattice point a cell for flooring."""
        share, d = self._share, self.cells
        unique, inverse = np.unique(theta, return_inverse=True)
        above, below = share.numerator, share.denominator
        values = [value * above // below + d for value in unique.tolist()]
        return np.array(values, dtype=np.int64)[inverse].reshape(theta.shape)

    @property
    def _share(self) -> Fraction:
        return min(self.cells, 2) * self.alpha / (1 + self.alpha)


def scaled(counts: Integers, theta: Integers, sizes: Integers) -> tuple[Integers, Integers]:
    """Quotient and remainder of c·θ/|E|, also where the product has more than 64 bits."""
    counts, theta, sizes = np.broadcast_arrays(counts, theta, sizes)
    # c ≤ |E| is not assumed: only that the product fits.
    short = counts < 2**62 // np.maximum(theta, 1)
    quotient, remainder = np.divmod(np.where(short, counts, 0) * theta, sizes)
    for at in zip(*np.nonzero(~short), strict=True):
        quotient[at], remainder[at] = divmod(int(counts[at]) * int(theta[at]), int(sizes[at]))
    return quotient, remainder


def checked_entries(entries: Entries, most: int, tables: int = 1) -> Entries:
    """The same entries if they fit together; what is refused would break the proof of `clipped`.

    A job may be listed once in each of so many tables.
    """
    w, d = entries.shape
    ends = {"counts": most, "cell": d - 1, "row": entries.sizes.size - 1}
    ends |= {"sizes": most, "workplace": w - 1}
    whole = {name: whole_numbers(getattr(entries, name), name, end) for name, end in ends.items()}
    held = replace(entries, **whole)  # type: ignore[arg-type] # columns by name
    same_shape(held.counts, held.cell, "counts, cell")
    same_shape(held.counts, held.row, "counts, row")
    same_shape(held.sizes, held.workplace, "sizes, workplace")
    if not _consistent(held, most, tables):
        raise InvalidParameter(
            "counts, sizes",
            rule="must list each cell of an establishment once and no more jobs than it has; "
            f"together these are at most {most // 2}",
            value="other numbers (not shown)",
            next_step="Count every job of the establishment, or release in several parts.",
        )
    return held


def _consistent(entries: Entries, most: int, tables: int) -> bool:
    """Whether each cell is listed once, no establishment has too many jobs, and sums fit."""
    jobs = np.zeros(entries.sizes.size, dtype=np.int64)  # cells · most is below 2^61
    np.add.at(jobs, entries.row, entries.counts)
    once = _distinct(
        entries.row * entries.shape[1] + entries.cell, entries.sizes.size * entries.shape[1]
    )
    fits = float(entries.sizes.astype(float).sum()) <= most / 2
    return once and fits and not (jobs > tables * entries.sizes).any()


def _distinct(numbers: Integers, end: int) -> bool:
    """Whether no number from 0 to below `end` occurs twice."""
    if end <= MUCH * numbers.size:  # a table of them all is quicker than an order
        seen = np.zeros(end, dtype=np.bool_)
        seen[numbers] = True
        return int(np.count_nonzero(seen)) == numbers.size
    listed = np.sort(numbers)
    return not (listed[1:] == listed[:-1]).any()


def _ceiling(number: Fraction) -> int:
    return -(-number.numerator // number.denominator)


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
