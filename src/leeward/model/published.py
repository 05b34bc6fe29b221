"""Published: what may leave the building, a batch of cells at a time."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


class Flag(IntEnum):
    """Status flags with the meanings of the LEHD public-use schema (label_flags.csv, V4.14)."""

    NO_ESTABLISHMENT = -2
    OK = 1


@dataclass(frozen=True)
class Published:
    """Cells in the order of their public codes; the worker cells of a workplace cell in a row.

    `keys` number the workplace cells; `values` is (workplace cells, worker cells); `margins`
    has the same shape or is None; `flags` is one for each workplace cell.
    """

    keys: Integers
    values: Integers
    flags: Integers
    margins: Integers | None = None

    def __post_init__(self) -> None:
        cells = self.values.shape
        shapes = {"keys": self.keys.shape, "flags": self.flags.shape}
        if len(cells) != 2 or any(shape != cells[:1] for shape in shapes.values()):
            raise ValueError("keys and flags must have one element for each row of values")
        if self.margins is not None and self.margins.shape != cells:
            raise ValueError("margins must have the shape of values")
