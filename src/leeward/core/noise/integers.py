"""Confidential columns of whole numbers, checked without ever showing what they hold."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import whole_number
from leeward.core.noise.scales import BOUND, MOST, Integers
from leeward.core.noise.tabulated import Floats

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


def for_each_cell(margins: Integers, values: Integers) -> Integers:
    """One margin for a workplace cell is the margin of each of its worker cells."""
    column = margins if margins.ndim == values.ndim else margins[:, None]
    return np.broadcast_to(column, values.shape)


def whole_margins(margins: Floats) -> Integers:
    """Noise is whole, so a margin may be rounded down; a hair is added against float error.

    What is not a number becomes the largest margin: too wide is honest, too narrow is not.
    """
    with np.errstate(over="ignore"):
        wide = margins * (1 + 1e-9)
    jobs: Integers = np.floor(np.fmin(wide, float(BOUND))).astype(np.int64)
    return jobs


def largest_remainders(
    rest: NDArray[np.number], short: Integers
) -> tuple[Integers, NDArray[np.intp]]:
    """One for the `short` largest remainders of a row, ties by position; and their order."""
    order = np.argsort(-rest, axis=1, kind="stable")
    raised = np.zeros(rest.shape, dtype=np.int64)
    rank = np.arange(rest.shape[1]) < short[:, None]
    np.put_along_axis(raised, order, rank.astype(np.int64), axis=1)
    return raised, order
