"""Attribute: one thing to tabulate by, with its closed list of codes.

What the data hold is recoded to positions in the list; the list comes from the codebook and
never from the data. The codes of a numeric column are the classes of its numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Literal

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

    @property
    def labels(self) -> tuple[str, ...]:
        """What each class means: its smallest and its largest number, with unit and period."""
        smallest = (self.low, *(bound + 1 for _, bound in self.bounds))
        unit = self.unit if self.period is None else f"{self.unit} per {self.period}"
        return tuple(
            f"{least} to {bound} {unit}"
            for least, (_, bound) in zip(smallest, self.bounds, strict=False)
        )


@dataclass(frozen=True)
class RealRange:
    """A column of real numbers for regressions, and its public ends."""

    column: str
    low: Fraction = Fraction(0)
    high: Fraction = Fraction(1)


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

    def position(self, code: str) -> int | None:
        """Where a code stands in the list; None if it does not."""
        return self.codes.index(code) if code in self.codes else None
