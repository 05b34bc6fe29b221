"""Recipe: what a public product needs: prepared tables, ordinary plans, accounts and layouts."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Self

from leeward.core.codebook.wage_jobs import WageJobs
from leeward.core.errors import InvalidParameter, shown
from leeward.core.privacy import Guarantee
from leeward.publishing.engines.database import Table

CONFIDENTIAL = "confidential"
"""The folder of prepared tables inside the folder of a recipe."""

YEARS = re.compile("([0-9]{4})-([0-9]{4})")

Tables = Mapping[str, Table]


@dataclass(frozen=True)
class Years:
    """The calendar years of which wage records hold all four quarters: public."""

    first: int
    last: int

    @classmethod
    def read(cls, written: str | None) -> Self:
        """From what people write, such as 2016-2026."""
        found = YEARS.fullmatch(written or "")
        if found is None or found[1] > found[2]:
            raise InvalidParameter(
                "--years",
                rule="must be the first and the last calendar year of which the wage records hold "
                "all four quarters; they are public and not read from the data",
                value="nothing" if written is None else shown(written),
                next_step="Write --years 2016-2026.",
            )
        return cls(int(found[1]), int(found[2]))


@dataclass(frozen=True)
class Given:
    """What an office tells a recipe beside its tables.

    `workplaces`, `workers` and `jobs` are tables as plans name them, from the folder of the recipe.
    """

    workplaces: str
    workers: str
    years: str | None = None
    quarter: tuple[str, ...] = ()
    target: str | None = None
    size: int | None = None
    jobs: str = ""
    homes: bool = False
    """Whether workers have the column home."""
    period: str | None = None


@dataclass(frozen=True)
class Account:
    """An account of the ledger that pays for plans of the recipe."""

    name: str
    policy: str
    epsilon: str
    alpha: str | None = None

    @property
    def guarantee(self) -> Guarantee:
        """All that it may ever lose."""
        return Guarantee(self.policy, self.alpha, self.epsilon)

    @property
    def command(self) -> str:
        """What opens it."""
        alpha = "" if self.alpha is None else f" --alpha {self.alpha}"
        return (
            f"leeward ledger create --account {self.name} --policy {self.policy}{alpha} "
            f"--epsilon {self.epsilon}"
        )


@dataclass(frozen=True)
class Release:
    """A plan, and the folder of its bundle."""

    plan: str
    bundle: str


@dataclass(frozen=True)
class Layout:
    """A public layout, the bundles that fill it, and its folder."""

    form: str
    bundles: tuple[str, ...]
    folder: str


@dataclass(frozen=True)
class Tidied:
    """The tidy tables of a bundle, and their folder in the form of LODES."""

    bundle: str
    tidy: str
    lodes: str


Prepared = Callable[[Tables], Table] | WageJobs
"""A confidential table: a query of the office's tables, or the jobs of a quarter."""


@dataclass(frozen=True)
class Recipe:
    """One product: everything that `leeward init --recipe` writes and says."""

    tables: Mapping[str, Prepared]
    """Confidential tables by the name of their file."""
    texts: Mapping[str, str]
    """Codebook, plans and planning sizes by the name of their file."""
    lists: tuple[str, ...]
    """Attributes whose public code lists only the office knows."""
    columns: Mapping[str, tuple[str, ...]]
    """Columns that are read; of cohorts and workplaces, those beside the usual ones."""
    accounts: tuple[Account, ...]
    releases: tuple[Release, ...]
    layouts: tuple[Layout, ...]
    tidied: tuple[Tidied, ...] = ()
    begun: Mapping[str, str] = field(default_factory=dict)
    """Lists of `lists` that are written with more than a header."""
    choice: str = ""
    """Which of the plans to release, where some are alternatives."""
    compared: tuple[str, ...] = ()
    """Plans for the same numbers, whose predicted errors are shown side by side."""
