"""Attribute: one thing to tabulate by, with its closed list of codes; a dimension keeps some.

What the data hold is recoded to positions in the list; the list comes from the codebook and
never from the data. The codes of a numeric column are the classes of its numbers.
"""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from math import prod
from types import MappingProxyType
from typing import Literal

import numpy as np

from leeward.core.codebook.cells import Integers

Table = Literal["workplaces", "workers", "jobs"]
TABLES: tuple[Table, ...] = ("workplaces", "workers", "jobs")

LEFT_OUT = -1
"""The position of a code that the codebook lists as omitted: no table counts such a job."""


@dataclass(frozen=True)
class NumericRange:
    """The whole numbers from `low` to `cap` of a numeric column, and their classes.

    Both ends are public. `bounds` has the code of each class with its largest number, ascending; a
    number belongs to the first class whose bound it does not exceed.
    """

    low: int
    cap: int
    unit: str
    period: str | None
    bounds: tuple[tuple[str, int], ...]
    cap_from: str | None = None
    """Where the cap comes from, in words."""

    @property
    def per_period(self) -> str:
        """The unit with its period, such as cents per month."""
        return self.unit if self.period is None else f"{self.unit} per {self.period}"

    @property
    def labels(self) -> tuple[str, ...]:
        """What each class means: its smallest and its largest number, with unit and period."""
        smallest = (self.low, *(bound + 1 for _, bound in self.bounds))
        return tuple(
            f"{least} to {bound} {self.per_period}"
            for least, (_, bound) in zip(smallest, self.bounds, strict=False)
        )


@dataclass(frozen=True)
class RealRange:
    """A column of real numbers for regressions and synthetic tables, and its public ends."""

    column: str
    low: Fraction = Fraction(0)
    high: Fraction = Fraction(1)
    table: str = field(default="workers", compare=False)
    nulls: tuple[str, ...] = field(default=(), compare=False)
    """Texts of the column that mean missing."""


@dataclass(frozen=True)
class Attribute:
    """One declared attribute: which column, which codes, and what becomes of all others."""

    name: str
    table: Table
    column: str
    codes: tuple[str, ...]
    labels: tuple[str, ...]
    public: bool
    recode: Mapping[str, int] = field(hash=False, compare=False)
    """Position of each text that the column may hold; LEFT_OUT for omitted ones."""

    unlisted: int | None = None
    """Position for any other text; None where such a text is a mistake in the data."""

    missing: int | None = None
    """Position for a null; None where a null is a mistake in the data."""

    numbers: NumericRange | None = None
    """Of a numeric column: `recode` then maps the codes of its classes, not the column's texts.

    What is not a number has the position of a null.
    """

    total: str | None = None
    """The code of the total of all codes, which is not in the list; None without one."""

    origin: str | None = None
    """The attribute that it is derived from; each code of that one has a parent among its codes."""

    label: str | None = None
    """What it is, in the words of the office; None where the codebook gives none."""

    note: str | None = None
    """What readers must know of it."""

    nulls: tuple[str, ...] = ()
    """Texts of the column that mean missing, in their order; each counts as a null."""

    unknown: str | None = None
    """The code for unknown that the codebook adds to the list; None without one."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "recode", MappingProxyType(dict(self.recode)))

    @property
    def of_workplaces(self) -> bool:
        """Whether it belongs to the public frame."""
        return self.table == "workplaces"

    @property
    def may_be_tabulated(self) -> bool:
        """Workplace attributes only if public; worker and job attributes are noised."""
        return self.public or not self.of_workplaces

    @property
    def leaves_out(self) -> bool:
        """Whether some jobs count in no cell of it."""
        return LEFT_OUT in self.recode.values() or LEFT_OUT in (self.unlisted, self.missing)

    @property
    def complete(self) -> bool:
        """Whether every job has one of its codes, by what is declared and whatever the rows hold.

        Both `other` and `null_as` are then declared; of a number, `null_as` is enough.
        """
        return None not in (self.unlisted, self.missing) and not self.leaves_out

    def covers(self, *, strict: bool) -> bool:
        """The same, or because wrong rows are refused: with `strict`, and of workplaces always."""
        return self.complete or ((strict or self.of_workplaces) and not self.leaves_out)

    @property
    def numeric_range(self) -> NumericRange:
        """The numbers of a numeric column, which this must be."""
        if self.numbers is None:
            raise TypeError(f"{self.name} is no numeric column")
        return self.numbers

    @property
    def edges(self) -> tuple[int, ...]:
        """The smallest number of each class of a numeric column, and the first beyond the last."""
        numbers = self.numeric_range
        return (numbers.low, *(bound + 1 for _, bound in numbers.bounds))

    def in_classes(self, edges: tuple[int, ...]) -> "Attribute":
        """A numeric column with other classes, from each edge to below the next.

        Numbers above the last edge are in the last class, those below the first edge in none. As
        everywhere, what is no number counts as 0, and a number below `low` as `low`.
        """
        numbers, pairs = self.numeric_range, list(pairwise(edges))
        wide = max(2, len(str(len(pairs))))
        codes = tuple(f"{number:0{wide}}" for number in range(1, len(pairs) + 1))
        bounds = [(code, end - 1) for code, (_, end) in zip(codes, pairs, strict=True)]
        below = [("0" * wide, edges[0] - 1)] if edges[0] > numbers.low else []
        zero = max(0, numbers.low)
        at = LEFT_OUT if zero < edges[0] else _class_of(zero, bounds)
        unit, last = numbers.per_period, f"{edges[-2]} {numbers.per_period} or more"
        return replace(
            self,
            codes=codes,
            labels=(*(f"{least} to {end - 1} {unit}" for least, end in pairs[:-1]), last),
            recode={code: place - len(below) for place, (code, _) in enumerate([*below, *bounds])},
            unlisted=at,
            missing=at,
            numbers=replace(numbers, bounds=(*below, *bounds)),
            total=None,
        )

    def with_every_job(self) -> "Attribute":
        """A numeric column of which what is no number counts as 0, as pay does everywhere.

        Its classes stay as they are; `null_as` is for tables of counts.
        """
        numbers = self.numeric_range
        zero = _class_of(max(0, numbers.low), list(numbers.bounds))
        return replace(self, unlisted=zero, missing=zero)

    @property
    def unfolded(self) -> "Attribute":
        """The same attribute, of which no other text and no null counts as a code."""
        return replace(self, unlisted=None, missing=None)

    def position(self, code: str) -> int | None:
        """Where a code stands in the list; None if it does not."""
        return self.codes.index(code) if code in self.codes else None


def _class_of(number: int, bounds: list[tuple[str, int]]) -> int:
    """The place of the class of a number; the last one has no end."""
    return next((at for at, (_, bound) in enumerate(bounds) if number <= bound), len(bounds) - 1)


@dataclass(frozen=True)
class Dimension:
    """An attribute with the positions of its codes that count, in the order of the list."""

    attribute: Attribute
    kept: tuple[int, ...]

    @classmethod
    def every(cls, attribute: Attribute) -> "Dimension":
        return cls(attribute, tuple(range(len(attribute.codes))))

    @classmethod
    def keeping(cls, attribute: Attribute, codes: Container[str]) -> "Dimension":
        return cls(attribute, tuple(n for n, code in enumerate(attribute.codes) if code in codes))

    @property
    def name(self) -> str:
        """The attribute's name, which is the column's name in the published table."""
        return self.attribute.name

    @property
    def size(self) -> int:
        return len(self.kept)

    @property
    def codes(self) -> tuple[str, ...]:
        return tuple(self.attribute.codes[position] for position in self.kept)

    @property
    def labels(self) -> dict[str, str]:
        """The codes in order, each with its label."""
        kept = (self.attribute.labels[position] for position in self.kept)
        return dict(zip(self.codes, kept, strict=True))

    @property
    def whole(self) -> bool:
        """Whether all codes of the list are kept."""
        return self.size == len(self.attribute.codes)


def sizes(dimensions: Iterable[Dimension]) -> int:
    """The number of combinations."""
    return prod(dimension.size for dimension in dimensions)


def positions(dimensions: tuple[Dimension, ...], keys: Integers) -> tuple[Integers, ...]:
    """The inverse of numbering: an index for each dimension."""
    if not dimensions:
        return ()
    return tuple(np.unravel_index(keys, tuple(dimension.size for dimension in dimensions)))
