"""Size profile: public sizes of largest establishments, for which errors are predicted."""

import csv
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import numpy as np

from leeward.errors import BadFile
from leeward.model.document import read_text

MOST_JOBS = 10**9
"""No establishment has more jobs: one that large still gets a margin of less than 2^62."""


@dataclass(frozen=True)
class SizeProfile:
    """Jobs of the largest establishment of a cell, and how many cells are like that."""

    largest: tuple[int, ...] = (10, 100, 1000)
    cells: tuple[int, ...] = (1, 1, 1)
    given: bool = False

    def mean(self, errors: tuple[float | None, ...]) -> float | None:
        """The average over the cells; None where one has no finite mean."""
        if any(error is None for error in errors):
            return None
        return float(np.average([error or 0.0 for error in errors], weights=self.cells))

    @property
    def words(self) -> str:
        """What predictions are for."""
        if self.given:
            return f"the size profile of {sum(self.cells):,} cells"
        sizes = ", ".join(f"{size:,}" for size in self.largest)
        return f"cells whose largest establishment has {sizes} jobs"


TYPICAL = SizeProfile()


def read_profile(name: str | None, folder: Path) -> SizeProfile:
    """A profile from a CSV file with the columns largest and cells; typical sizes without one."""
    if name is None:
        return TYPICAL
    path = folder / name
    rows = csv.DictReader(StringIO(read_text(path, "sizes"), newline=""))
    pairs = [(row.get("largest"), row.get("cells")) for row in rows]
    numbers = [(int(a), int(b)) for a, b in pairs if _whole(a) and _whole(b) and a and b]
    good = numbers and len(numbers) == len(pairs) and all(b > 0 for _, b in numbers)
    if not good or max(size for size, _ in numbers) > MOST_JOBS:
        raise BadFile(
            "sizes",
            rule="must be CSV with the columns largest and cells, whole numbers up to 10^9",
            value=repr(str(path)),
            next_step="Write one row for each size of largest establishment, cells above 0.",
        )
    return SizeProfile(tuple(a for a, _ in numbers), tuple(b for _, b in numbers), given=True)


def _whole(text: str | None) -> bool:
    return text is not None and text.isascii() and text.isdigit() and len(text) <= 12
