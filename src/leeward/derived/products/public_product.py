"""Product: a public product as one YAML file: its recipe, its codebook, its plans and its layouts.

A recipe is what a product needs: prepared tables, ordinary plans, accounts and layouts. Whatever
has `{{ year }}` in its name is there once for each of the product's years.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator

from leeward.core.codebook.yaml_document import Shape, Written, parse, read_document
from leeward.core.errors import raise_all
from leeward.core.privacy import Guarantee
from leeward.derived.products.lodes_forms import LodesForm
from leeward.derived.products.public_layout import PublicLayout

FOLDER = Path(__file__).parent
"""Where products are: a file each."""

YEAR = "{{ year }}"


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


class WrittenProduct(Written):
    """A product as it is written: what its forms share has keys of its own."""

    years: tuple[str, ...] = ()
    recipe: Mapping[str, object]
    identifiers: Mapping[str, object] = {}
    """The columns of codes of its layouts."""
    layouts: Mapping[str, Mapping[str, object]] = {}
    columns: Mapping[str, object] = {}
    """The columns of its forms that add up tables."""
    added_up: Mapping[str, Mapping[str, object]] = {}


class Product(Written):
    """A public product."""

    name: str
    years: tuple[str, ...]
    """The years after an event that the product follows people for."""
    recipe: Mapping[str, object]
    """What the recipe is made of for an office."""
    draft: Recipe
    """The recipe as it is written, with places for that."""
    layouts: Mapping[str, PublicLayout]
    added_up: Mapping[str, LodesForm]
    """Forms whose columns add up tables."""


def product_names() -> tuple[str, ...]:
    """The names of all products, in the order of their files."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.yaml")))


def product(name: str) -> Product:
    """The product of this name."""
    return _read(FOLDER / f"{name}.yaml")


def public_layouts() -> Mapping[str, PublicLayout]:
    """The layouts of all products by name, in the order of their turns."""
    layouts = (layout for name in product_names() for layout in product(name).layouts.values())
    return {layout.name: layout for layout in sorted(layouts, key=lambda layout: layout.turn)}


@cache
def _read(path: Path) -> Product:
    written = _shaped(WrittenProduct, read_document(path, path.name), path)
    content: dict[str, object] = {
        "name": path.stem,
        "years": written.years,
        "recipe": written.recipe,
        "draft": written.recipe,
        "layouts": {
            name: {"name": name, "identifiers": written.identifiers}
            | {key: _each_year(part, written.years) for key, part in layout.items()}
            for name, layout in written.layouts.items()
        },
        "added_up": {
            name: {"name": name, "counted": written.columns, **form}
            for name, form in written.added_up.items()
        },
    }
    return _shaped(Product, content, path)


def _shaped(shape: type[Shape], content: Mapping[str, object], path: Path) -> Shape:
    """Content of a file as a value; everything that is wrong with its shape is rejected."""
    value, problems = parse(shape, content, path.name)
    raise_all(problems)
    if value is None:
        raise AssertionError("a product without a value has no problems")
    return value


def _each_year(part: object, years: tuple[str, ...]) -> object:
    """An entry of a list that names the year is there for each of the years."""
    if isinstance(part, Mapping):
        return {name: _each_year(value, years) for name, value in part.items()}
    if not isinstance(part, list):
        return part
    return [
        _with_year(entry, year)
        for entry in part
        for year in (years if YEAR in str(entry) else (YEAR,))
    ]


def _with_year(part: object, year: str) -> object:
    if isinstance(part, Mapping):
        return {name.replace(YEAR, year): _with_year(value, year) for name, value in part.items()}
    if isinstance(part, list):
        return [_with_year(entry, year) for entry in part]
    return part.replace(YEAR, year) if isinstance(part, str) else part
