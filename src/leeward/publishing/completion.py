"""Completion: a table that also shows the workplace combinations without an establishment."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from leeward.model import Flag, Marginal, Published


def completed(released: Iterator[Published], marginal: Marginal, size: int) -> Iterator[Published]:
    """The same cells, and exact zeros in between, at most `size` workplace cells at a time."""
    start, last = 0, None
    for last in released:
        end = int(last.keys[-1]) + 1
        yield from _spread(last, start, end, size)
        start = end
    nothing: NDArray[np.int64] = np.zeros((0, marginal.worker_cells), dtype=np.int64)
    margins = nothing if last is None or last.margins is not None else None
    empty = Published(nothing[:, 0], nothing, nothing[:, 0], margins)
    yield from _spread(empty, start, marginal.workplace_cells, size)


def _spread(published: Published, start: int, end: int, size: int) -> Iterator[Published]:
    """Every cell number from start to end, with the published cells in their places."""
    for low in range(start, end, size):
        keys = np.arange(low, min(low + size, end))
        here = slice(*np.searchsorted(published.keys, (low, keys[-1] + 1)))
        places = published.keys[here] - low
        shape = (len(keys), published.values.shape[1])
        values: NDArray[np.int64] = np.zeros(shape, dtype=np.int64)
        values[places] = published.values[here]
        flags = np.full(len(keys), Flag.NO_ESTABLISHMENT, dtype=np.int64)
        flags[places] = published.flags[here]
        margins = None
        if published.margins is not None:
            margins = np.zeros_like(values)
            margins[places] = published.margins[here]
        yield Published(keys, values, flags, margins)
