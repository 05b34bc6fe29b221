"""Remainders: whole numbers of a given sum, as near to the numbers before as can be."""

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


def largest_remainders(
    rest: NDArray[np.number], short: Integers
) -> tuple[Integers, NDArray[np.intp]]:
    """One for the `short` largest remainders of a row, ties by position; and their order."""
    order = np.argsort(-rest, axis=1, kind="stable")
    raised = np.zeros(rest.shape, dtype=np.int64)
    rank = np.arange(rest.shape[1]) < short[:, None]
    np.put_along_axis(raised, order, rank.astype(np.int64), axis=1)
    return raised, order
