"""Wage jobs: which jobs are wanted of wage records, of which quarter, and in which columns."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Self

from leeward.core.errors import InvalidParameter, shown

QUARTER = re.compile(r"([0-9]{4})Q([1-4])")
KINDS: Mapping[str, tuple[str, ...]] = {
    "any": (),
    "beginning": ("before",),
    "end": ("after",),
    "full": ("before", "after"),
}
"""The neighbours of the quarter in which a job of each kind has pay."""

ONES: Mapping[str, tuple[str, ...]] = {"primary": ("now",), "dominant": ("before", "now")}
"""The quarters whose pay together is largest in the one job of a person."""


@dataclass(frozen=True)
class Quarter:
    """A quarter of a year."""

    year: int
    number: int

    @classmethod
    def read(cls, text: str) -> Self:
        match = QUARTER.fullmatch(text)
        if match is None:
            raise InvalidParameter(
                "--quarter",
                rule="must be a year of four digits, Q, and a number from 1 to 4",
                value=shown(text),
                next_step="Write it like 2026Q2.",
            )
        return cls(int(match[1]), int(match[2]))

    def moved(self, quarters: int) -> "Quarter":
        year, number = divmod(4 * self.year + self.number - 1 + quarters, 4)
        return Quarter(year, number + 1)

    def __str__(self) -> str:
        return f"{self.year:04d}Q{self.number}"


@dataclass(frozen=True)
class WageColumns:
    """The names of the columns; `employer` is given where establishments are to be compared."""

    worker: str = "worker_id"
    workplace: str | None = None
    quarter: str = "quarter"
    earnings: str = "earnings"
    employer: str | None = None

    def __post_init__(self) -> None:
        if self.employer is not None and self.workplace is None:
            raise InvalidParameter(
                "--employer",
                rule="needs --workplace, a column that says the establishment: at which "
                "establishment of an employer a person works is not guessed",
                value=f"{shown(self.employer)} alone",
                next_step="Name that column; or, if each employer is to be one workplace, name "
                f"the employer's: --workplace {self.employer}.",
            )

    @classmethod
    def read(cls, given: Mapping[str, str]) -> Self:
        """The columns from their names, as Python gives them."""
        for key in given:
            _require_one_of("columns", key, [field.name for field in fields(cls)])
        return cls(**given)

    @property
    def options(self) -> Mapping[str, str]:
        named = {
            "--worker": self.worker,
            "--workplace": self.workplace or "workplace_id",
            "--quarter-column": self.quarter,
            "--earnings": self.earnings,
        }
        return named if self.employer is None else named | {"--employer": self.employer}


@dataclass(frozen=True)
class WageJobs:
    """Which jobs are wanted: of a quarter, of a kind, all of a person's or one."""

    quarter: Quarter
    kind: str = "any"
    one: str | None = None
    columns: WageColumns = WageColumns()

    def __post_init__(self) -> None:
        _require_one_of("--kind", self.kind, KINDS)
        if self.one is not None:
            _require_one_of("--one", self.one, ONES)

    @property
    def quarters(self) -> Mapping[str, str]:
        steps = {"before": -1, "now": 0, "after": 1}
        return {name: str(self.quarter.moved(step)) for name, step in steps.items()}

    @property
    def paid(self) -> tuple[str, ...]:
        """The neighbours in which these jobs have pay; a dominant job is one of the beginning."""
        known = KINDS[self.kind]
        return known if self.one != "dominant" else tuple(dict.fromkeys(("before", *known)))


def _require_one_of(option: str, given: str, known: Iterable[str]) -> None:
    if given not in known:
        raise InvalidParameter.unknown(
            option, given, known, next_step="Take one of them, or leave it out."
        )
