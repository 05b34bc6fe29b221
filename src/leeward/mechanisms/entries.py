"""Entries: the jobs of establishments by worker cell, sparse, as an engine hands them over."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from leeward.errors import InvalidParameter
from leeward.mechanisms.columns import same_shape, whole_numbers
from leeward.mechanisms.sampling import Integers


@dataclass(frozen=True, eq=False, repr=False)
class Entries:
    """m entries of e establishments: how many jobs, in which worker cell, at which of them.

    `sizes` and `workplace` are all jobs of an establishment and the number of its workplace cell;
    `row` is the establishment of an entry.
    """

    counts: Integers
    cell: Integers
    row: Integers
    sizes: Integers
    workplace: Integers

    @classmethod
    def checked(
        cls, columns: Mapping[str, Integers], *, workplaces: int, cells: int, most: int
    ) -> "Entries":
        """Entries that fit together; what is refused would break the proof of `clipped`."""
        ends = {"counts": most, "cell": cells - 1, "row": columns["sizes"].size - 1}
        ends |= {"sizes": most, "workplace": workplaces - 1}
        held = cls(**{name: whole_numbers(columns[name], name, end) for name, end in ends.items()})
        same_shape(held.counts, held.cell, "counts, cell")
        same_shape(held.counts, held.row, "counts, row")
        same_shape(held.sizes, held.workplace, "sizes, workplace")
        if not held.consistent(cells, most):
            raise InvalidParameter(
                "counts, sizes",
                rule="must list each cell of an establishment once and no more jobs than it has; "
                f"together these are at most {most // 2}",
                value="other numbers (not shown)",
                next_step="Count every job of the establishment, or release in several parts.",
            )
        return held

    def consistent(self, cells: int, most: int) -> bool:
        """Whether each cell stands once, no establishment has too many jobs, and sums fit."""
        jobs = np.zeros(self.sizes.size, dtype=np.int64)  # cells · most is below 2^61
        np.add.at(jobs, self.row, self.counts)
        places = np.sort(self.row * cells + self.cell)
        once = not (places[1:] == places[:-1]).any()
        fits = float(self.sizes.astype(float).sum()) <= most / 2
        return once and fits and not (jobs > self.sizes).any()

    def largest(self, workplaces: int) -> Integers:
        """The largest establishment of each workplace cell, all its jobs counted."""
        largest = np.zeros(workplaces, dtype=np.int64)
        np.maximum.at(largest, self.workplace, self.sizes)
        return largest
