"""Profile: the public sizes of a made-up economy's cells, for predictions without any data."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from leeward.core.codebook.size_profile import SizeProfile
from leeward.core.errors import InvalidParameter, shown
from leeward.lab.economy.establishments import EstablishmentFrame, build_frame
from leeward.lab.economy.made_up_economy import Economy

CUT_BY = ("place", "sector", "ownership")
"""The attributes of workplaces that an economy has."""

WIDTH = 1.1
"""Sizes of largest establishments within this factor count as one: their mean."""

Whole = NDArray[np.int64]


def read_extent(written: str) -> Economy:
    """`20000,1000`, jobs and establishments, as an economy."""
    parts = written.split(",")
    if len(parts) != 2 or not all(part.strip().isdecimal() for part in parts):
        raise InvalidParameter(
            "--economy",
            rule="must be a number of jobs and a number of establishments",
            value=shown(written),
            next_step="Write both with a comma, such as --economy 20000,1000.",
        )
    jobs, establishments = map(int, parts)
    return Economy(jobs=jobs, establishments=establishments)


class EconomyCells:
    """An economy's frame, whose workplace cells have a size profile for each way to cut it."""

    def __init__(self, economy: Economy) -> None:
        self._economy = economy
        self._frame: EstablishmentFrame = build_frame(economy.stream(0), economy)

    def profile(self, attributes: Iterable[str]) -> SizeProfile:
        """The sizes of cells by these attributes; cells without jobs are left out."""
        cell = np.zeros(len(self._frame), dtype=np.int64)
        for name in attributes:
            code = getattr(self._frame, _known(name)).astype(np.int64)
            cell = cell * (int(code.max()) + 1) + code
        size = self._frame.size
        _, cell = np.unique(cell[size > 0], return_inverse=True)
        return self._of_cells(cell, size[size > 0])

    def _of_cells(self, cell: Whole, size: Whole) -> SizeProfile:
        """One row for each class of largest establishments and each number of jobs."""
        jobs, establishments = np.bincount(cell, size).astype(np.int64), np.bincount(cell)
        largest = np.zeros(len(jobs), dtype=np.int64)
        np.maximum.at(largest, cell, size)
        _, group = np.unique(np.floor(np.log(largest) / np.log(WIDTH)), return_inverse=True)
        cells = np.bincount(group)
        usual = np.rint(np.bincount(group, largest) / cells).astype(np.int64)
        number = np.ceil(np.bincount(group, establishments) / cells).astype(np.int64)
        rows, many = np.unique(np.stack([group, jobs]), axis=1, return_counts=True)
        within = np.minimum(usual[rows[0]], rows[1])
        columns = (within, many, number[rows[0]], rows[1])
        first, second, third, fourth = (tuple(map(int, column)) for column in columns)
        named = f"a made-up economy of {self._economy.jobs:,} jobs, a profile"
        return SizeProfile(first, second, given=True, establishments=third, n=fourth, named=named)


def _known(name: str) -> str:
    if name not in CUT_BY:
        raise InvalidParameter(
            "--economy",
            rule=f"knows the workplace attributes {', '.join(CUT_BY)}, so tables must be by these",
            value=shown(name),
            next_step="Leave --economy out, and name `sizes` in the plan: largest, cells and n.",
        )
    return name
