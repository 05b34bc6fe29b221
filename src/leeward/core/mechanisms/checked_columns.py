"""Confidential columns of whole numbers, checked without ever showing their values."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from leeward.core.codebook import Entries
from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import whole_number
from leeward.core.noise.scales import MOST, Integers

MOST_WORKPLACES = 2**31 - 1


def whole_numbers(values: ArrayLike, parameter: str, most: int = MOST) -> Integers:
    """The values as int64; refuses anything but whole numbers from 0 to `most`."""
    try:
        column = np.asarray(values)
    except ValueError:
        raise _refused(parameter, "must be whole numbers", "rows of unequal length", most) from None
    if column.dtype.kind not in "iu" and (column.size or column.dtype.kind not in "fO"):
        raise _refused(parameter, "must be whole numbers", f"an array of {column.dtype}", most)
    if column.size and (column.min() < 0 or column.max() > most):
        raise _refused(
            parameter, f"must lie between 0 and {most}", "a value outside (not shown)", most
        )
    return column.astype(np.int64)


def _refused(parameter: str, rule: str, value: str, most: int) -> InvalidParameter:
    return InvalidParameter(
        parameter,
        rule=rule,
        value=value,
        next_step=f"Give an integer array with entries from 0 to {most}.",
    )


def same_shape(left: Integers, right: Integers, parameters: str) -> None:
    """Refuse two columns that do not belong together."""
    if left.shape != right.shape:
        raise InvalidParameter(
            parameters,
            rule="must have the same shape",
            value=f"{left.shape} and {right.shape}",
            next_step="Give one largest establishment for each count.",
        )


def block_shape(counts: Integers, largest: Integers, cells: int) -> None:
    """Refuse anything but (workplaces, cells) counts with one largest size a workplace."""
    if counts.ndim != 2 or counts.shape[1] != cells or largest.shape != counts.shape[:1]:
        raise InvalidParameter(
            "counts, largest",
            rule=f"must have the shapes (workplaces, {cells}) and (workplaces,)",
            value=f"{counts.shape} and {largest.shape}",
            next_step="Give one row of worker cells and one largest total size a workplace.",
        )


def establishment_rows(
    columns: tuple[ArrayLike, ArrayLike, ArrayLike], cells: int, most: int
) -> tuple[Integers, Integers, Integers]:
    """Counts (establishments, cells), sizes and workplace numbers, one row an establishment."""
    counts = whole_numbers(columns[0], "counts", most)
    sizes = whole_numbers(columns[1], "sizes", most)
    workplace = whole_numbers(columns[2], "workplace", MOST_WORKPLACES)
    if counts.ndim != 2 or counts.shape[1] != cells or sizes.shape != counts.shape[:1]:
        raise InvalidParameter(
            "counts, sizes",
            rule=f"must have the shapes (establishments, {cells}) and (establishments,)",
            value=f"{counts.shape} and {sizes.shape}",
            next_step="Give one row of worker cells and all jobs of each establishment.",
        )
    same_shape(sizes, workplace, "sizes, workplace")
    if sizes.astype(np.float64).sum() > most / 2:
        raise InvalidParameter(
            "sizes",
            rule=f"must be at most {most // 2} jobs in all",
            value="more (not shown)",
            next_step="Release the workplace cells in several parts.",
        )
    if (counts.sum(axis=1) > sizes).any():
        raise InvalidParameter(
            "sizes",
            rule="must count all jobs of an establishment, at least those in its worker cells",
            value="a smaller number (not shown)",
            next_step="Count every job of the establishment, whatever the table's filter.",
        )
    return counts, sizes, workplace


def numbered(workplace: Integers, workplaces: int | None) -> int:
    """How many workplace cells there are: as said, or one more than the largest number."""
    named = int(workplace.max(initial=-1)) + 1
    if workplaces is None:
        return named
    if not whole_number(workplaces) or not named <= workplaces <= MOST_WORKPLACES + 1:
        raise InvalidParameter(
            "workplaces",
            rule="must be above every number in workplace, which counts from 0",
            value=shown(workplaces),
            next_step="Give the number of workplace cells in the frame, or leave it out.",
        )
    return workplaces


MUCH = 32
"""A table of numbers may have at most this many places for each number in it."""


def checked_entries(entries: Entries, most: int, tables: int = 1) -> Entries:
    """The same entries if no cell is listed twice, no establishment has too many jobs and sums fit.

    Others would break the proof of `clipped`. A job may be listed once in each of some `tables`.
    """
    w, d = entries.shape
    ends = {"counts": most, "cell": d - 1, "row": entries.sizes.size - 1}
    ends |= {"sizes": most, "workplace": w - 1}
    whole = {name: whole_numbers(getattr(entries, name), name, end) for name, end in ends.items()}
    checked = replace(entries, **whole)  # type: ignore[arg-type] # columns by name
    same_shape(checked.counts, checked.cell, "counts, cell")
    same_shape(checked.counts, checked.row, "counts, row")
    same_shape(checked.sizes, checked.workplace, "sizes, workplace")
    jobs = np.zeros(entries.sizes.size, dtype=np.int64)  # cells · most is below 2^61
    np.add.at(jobs, checked.row, checked.counts)
    once = _distinct(checked.row * d + checked.cell, checked.sizes.size * d)
    fits = float(checked.sizes.astype(float).sum()) <= most / 2
    if not once or not fits or (jobs > tables * checked.sizes).any():
        raise InvalidParameter(
            "counts, sizes",
            rule="must list each cell of an establishment once and no more jobs than it has; "
            f"together these are at most {most // 2}",
            value="other numbers (not shown)",
            next_step="Count every job of the establishment, or release in several parts.",
        )
    return checked


def _distinct(numbers: Integers, end: int) -> bool:
    """Whether no number from 0 to below `end` occurs twice."""
    if end <= MUCH * numbers.size:  # a table of them all is quicker than an order
        seen = np.zeros(end, dtype=np.bool_)
        seen[numbers] = True
        return int(np.count_nonzero(seen)) == numbers.size
    listed = np.sort(numbers)
    return not (listed[1:] == listed[:-1]).any()
