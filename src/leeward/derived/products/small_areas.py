"""Small areas: public numbers of people, by which jobs of a zone are shared out among its areas.

Shares of people are no data on jobs: an area inside a zone says nothing that its zone and the
population do not say.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from leeward.core.codebook.yaml_document import read_text
from leeward.core.errors import BadFile, InvalidParameter, shown
from leeward.core.noise.design import largest_remainders
from leeward.publishing.bundle.bundle_files import sha256

OPTION, PEOPLE = "--population", "people"
MOST_PEOPLE = 10**8
"""Of a zone: times two billion jobs it stays inside 64 bits."""

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SmallAreas:
    """Small areas with the zone and the people of each, and the name and digest of their file."""

    areas: tuple[str, ...]
    zones: dict[str, tuple[str, ...]]
    """For each column of the file but the first, which has the areas, its codes."""
    people: Integers
    origin: str

    @classmethod
    def read(cls, path: Path) -> Self:
        """From a CSV file: the area first, a column `people`, and the zones of areas."""
        try:
            rows = list(csv.reader(StringIO(read_text(path, OPTION))))
        except csv.Error:
            raise _bad(path, "must be CSV") from None
        header, body = (rows[0], rows[1:]) if rows else ([], [])
        if PEOPLE not in header[1:] or len({*header}) < len(header) or not body:
            raise _bad(path, f"must have different columns, areas first, one called {PEOPLE}")
        if any(len(row) != len(header) for row in body):
            raise _bad(path, "must have as many fields in every row as in the first")
        columns = dict(zip(header, zip(*body, strict=True), strict=True))
        areas, people = columns.pop(header[0]), columns.pop(PEOPLE)
        if len({*areas}) < len(areas):
            raise _bad(path, "must have each area once")
        if not all(text.isdecimal() and len(text) < len(str(MOST_PEOPLE)) for text in people):
            raise _bad(path, f"must have whole numbers below {MOST_PEOPLE} as {PEOPLE}")
        numbers = np.array(list(map(int, people)), np.int64)
        return cls(areas, columns, numbers, f"{path.name}, sha256 {sha256(path)}")

    def require(self, name: str, codes: Sequence[str]) -> None:
        """Reject zones that are not those of an attribute, or have nobody or too many people."""
        if name not in self.zones:
            value = f"a file without the column {name}"
        elif apart := {*self.zones[name]} ^ {*codes}:
            value = f"the zone {shown(min(apart))}, which only one of file and table has"
        else:
            living = {code: self.people[self.inside(name, code)].sum() for code in codes}
            odd = [code for code, number in living.items() if not 0 < number < MOST_PEOPLE]
            value = f"the zone {shown(odd[0])}, with {living[odd[0]]} people" if odd else ""
        if value:
            raise InvalidParameter(
                OPTION,
                rule=f"must have a column {name} with the zones of the table, in each of them "
                f"people, fewer than {MOST_PEOPLE}",
                value=value,
                next_step=f"Add the {name} of every area to the file, or leave the option out.",
            )

    def inside(self, name: str, code: str) -> Integers:
        """The numbers of the areas of a zone."""
        return np.flatnonzero(np.array(self.zones[name]) == code)


def shared_out(parts: Sequence[Integers], people: Integers) -> Iterator[Integers]:
    """Each part by areas, an area a column, by largest remainders.

    The sum of all parts follows the people, and a part follows what the parts before it have left
    of that sum. So parts add up in every area, and sums do not depend on how jobs are divided.
    """
    total = np.sum(parts, axis=0)
    left = shares(total, np.broadcast_to(people, (len(total), len(people))))
    for part in parts:
        mine = shares(part, left)
        left = left - mine
        yield mine


def shares(amounts: Integers, weights: Integers) -> Integers:
    """Whole numbers in proportion to the weights of a row, which add up to its amount.

    None exceeds its weight where the amount does not exceed their sum.
    """
    whole, rest = np.divmod(amounts[:, None] * weights, np.maximum(weights.sum(axis=1), 1)[:, None])
    raised, _ = largest_remainders(rest, amounts - whole.sum(axis=1))
    return np.asarray(whole + raised)


def _bad(path: Path, rule: str) -> BadFile:
    return BadFile(
        OPTION,
        rule=rule,
        value=shown(path.name),
        next_step="Write a first row such as home,home_zone,people and a row for each area.",
    )
