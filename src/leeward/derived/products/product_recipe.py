"""Recipe: what a public product needs: prepared tables, ordinary plans, accounts and layouts."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator

from leeward.core.codebook.yaml_document import Written
from leeward.core.privacy import Guarantee


class RecipeAccount(Written):
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


class RecipeFile(Written):
    """A codebook, a plan or a file of planning sizes; a plan that is released has a bundle."""

    file: str
    bundle: str = ""
    text: str


class PreparedRows(Written):
    """The rows of a confidential table.

    `members` are a row for each person of a cohort and year, employed or not, `employed` one for
    each with attachment, `leavers` one for each with pay, and `jobs` the jobs of a quarter.
    """

    rows: Literal["members", "employed", "leavers", "jobs"]
    quarter: str = ""
    cohort: str = ""
    """The kind of its rows in the table of cohorts."""
    years: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    """Columns of cohorts that are attributes of jobs."""
    employer: Mapping[str, str] = {}
    """Attributes of the employer with the columns of workplaces that they come from."""
    workplace: str = ""
    """The one workplace of all rows."""
    workplace_column: str = ""
    """The column that becomes the workplace."""


class RecipeLayout(Written):
    """A public layout, the bundles that fill it, and its folder."""

    form: str
    bundles: tuple[str, ...]
    folder: str


class TidiedFolders(Written):
    """The tidy tables of a bundle, and their folder in the form of LODES."""

    bundle: str
    tidy: str
    lodes: str


class Recipe(Written):
    """One product: everything that `leeward init --recipe` writes and says."""

    turn: int = 99
    """Its place in lists of recipes."""
    options: tuple[Literal["period", "years", "quarter", "target", "size"], ...] = ()
    """What an office may tell beside its tables."""
    tables: tuple[str, ...]
    """The options of the tables that it needs."""
    columns: Mapping[str, tuple[str, ...]] = {}
    """Columns of tables that plans read as they are."""
    prepared: Mapping[str, PreparedRows] = {}
    """Confidential tables by the name of their file."""
    covered: str = ""
    """The years with wage records of all four quarters, as an office writes them."""
    files: tuple[RecipeFile, ...]
    lists: Annotated[tuple[str, ...], AfterValidator(lambda names: tuple(filter(None, names)))] = ()
    """Attributes whose public code lists only the office knows; an empty name is left out."""
    begun: Mapping[str, str] = {}
    """Lists of `lists` that are written with more than a header."""
    accounts: tuple[RecipeAccount, ...]
    layouts: tuple[RecipeLayout, ...] = ()
    tidied: tuple[TidiedFolders, ...] = ()
    choice: str = ""
    """Which of the plans to release, where some are alternatives."""
    compared: tuple[str, ...] = ()
    """Plans for the same numbers, whose predicted errors are shown side by side."""

    @property
    def texts(self) -> dict[str, str]:
        """Codebook, plans and planning sizes by the name of their file."""
        return {file.file: file.text for file in self.files}

    @property
    def releases(self) -> tuple[RecipeFile, ...]:
        """The plans that are released."""
        return tuple(file for file in self.files if file.bundle)

    @property
    def needed(self) -> Mapping[str, tuple[str, ...]]:
        """Columns that are read: those of plans, or those beside the usual ones."""
        rows = next((rows for rows in self.prepared.values() if rows.cohort), None)
        if rows is None:
            return self.columns
        return {"cohorts": rows.columns, "workplaces": tuple(rows.employer.values())}
