"""Size profile: public sizes of largest establishments, for which errors are predicted."""

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TypeVar

import numpy as np

from leeward.core.codebook.yaml_document import read_text
from leeward.core.errors import BadFile

Answer = TypeVar("Answer")
WHOLE = re.compile(r"[0-9]{1,12}")

ESTABLISHMENTS = 8
"""Assumed number of establishments of a workplace cell where a profile does not say."""

MOST_JOBS = 10**9
"""No establishment has more jobs: one that large still gets a margin of less than 2^62."""


@dataclass(frozen=True)
class SizeProfile:
    """Jobs of the largest establishment of a cell, and how many cells are like that.

    `establishments` is how many establishments such a cell has, on average and rounded up, and `n`
    how many jobs all of them have together; each is empty where it is not known.
    """

    largest: tuple[int, ...] = (10, 100, 1000)
    cells: tuple[int, ...] = (1, 1, 1)
    given: bool = False
    establishments: tuple[int, ...] = ()
    n: tuple[int, ...] = ()
    named: str = "the size profile"

    @property
    def sizes(self) -> tuple[tuple[int, int], ...]:
        """The largest establishment, and the number of establishments."""
        numbers = self.establishments or (ESTABLISHMENTS,) * len(self.largest)
        return tuple(zip(self.largest, numbers, strict=True))

    def of(self, measure: Callable[[int, int], Answer]) -> tuple[Answer, ...]:
        """A measure of the largest establishment and of the number of establishments."""
        answers = {size: measure(*size) for size in dict.fromkeys(self.sizes)}
        return tuple(answers[size] for size in self.sizes)

    def mean(self, errors: tuple[float | None, ...]) -> float | None:
        """The average over the cells; None where one has no finite mean."""
        if any(error is None for error in errors):
            return None
        return float(np.average([error or 0.0 for error in errors], weights=self.cells))

    @property
    def words(self) -> str:
        """What predictions are for."""
        if self.given:
            return f"{self.named} of {sum(self.cells):,} cells"
        sizes = ", ".join(f"{size:,}" for size in self.largest)
        alike = ", as many cells of each size" if len(self.largest) > 1 else ""
        return f"cells whose largest establishment has {sizes} jobs{alike}"


TYPICAL = SizeProfile()


def read_profile(name: str | None, folder: Path) -> SizeProfile:
    """A profile from a CSV file; typical sizes without one.

    Its columns are largest and cells, and establishments and n, the jobs of a cell, if these are
    known.
    """
    if name is None:
        return TYPICAL
    path = folder / name
    rows = csv.DictReader(StringIO(read_text(path, "sizes"), newline=""))
    known = [name for name in ("establishments", "n") if name in (rows.fieldnames or ())]
    columns = ("largest", "cells", *known)
    texts = [tuple(row.get(name) for name in columns) for row in rows]
    whole = [line for line in texts if all(text and WHOLE.fullmatch(text) for text in line)]
    numbers = [tuple(int(text or 0) for text in line) for line in whole]
    good = numbers and len(numbers) == len(texts) and all(min(line[1:]) > 0 for line in numbers)
    if not good or max(max(size, *rest, 0) for size, _, *rest in numbers) > MOST_JOBS:
        raise BadFile(
            "sizes",
            rule="must be CSV with the columns largest, cells and perhaps establishments and n, "
            "whole numbers up to 10^9",
            value=repr(str(path)),
            next_step="Write one row for each size of largest establishment; the other numbers are "
            "above 0.",
        )
    largest, cells, *rest = zip(*numbers, strict=True)
    more = dict(zip(known, rest, strict=True))
    numbered = more.get("establishments", ()), more.get("n", ())
    profile = SizeProfile(largest, cells, True, *numbered)
    if any(jobs < size for size, jobs in zip(largest, profile.n, strict=False)):
        raise BadFile(
            "sizes",
            rule="must have an n of at least largest: the jobs of a cell with those of its largest "
            "establishment",
            value=repr(str(path)),
            next_step="Give n as the jobs of the whole workplace cell.",
        )
    return profile
