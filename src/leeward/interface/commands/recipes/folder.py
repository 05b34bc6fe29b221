"""Folder: what `leeward init --recipe` writes, and how its user goes on."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from shlex import quote

from leeward.core.codebook import TABLES
from leeward.core.errors import BadFile, InvalidParameter, raise_all, shown
from leeward.derived.products.public_product import Recipe, product, product_names
from leeward.interface.commands.new_files import (
    CONFIDENTIAL,
    list_text,
    refuse_existing,
    write_texts,
)
from leeward.interface.commands.recipes.preparation import headers, prepare, require_columns
from leeward.interface.commands.recipes.recipe import Given, read_recipe
from leeward.interface.commands.screen import progress, say
from leeward.publishing.engines.address_reading import seen_from

LEDGER = "ledger.sqlite"


def start(
    name: str, folder: Path, office: Mapping[str, str | None], options: Mapping[str, object]
) -> None:
    """Prepare the tables of an office, write its plans and say how to go on."""
    require_recipe(name, options)
    needed = product(name).draft.tables
    if office["jobs"] is not None and "jobs" not in needed:
        raise _useless("jobs", name)
    raise_all(
        InvalidParameter.missing(
            f"--{table}",
            where=f"for the recipe {name}",
            next_step="Name a Parquet or CSV file, or try the recipe with --demo.",
        )
        for table in needed
        if office[table] is None
    )
    sources = {table: office[table] or "" for table in needed}
    raise_all(
        BadFile(
            f"--{table}",
            rule="must be a Parquet or CSV file: what a recipe prepares are files, and a plan "
            "reads three files or three tables of one database",
            value=f"{shown(written.partition('://')[0])} before ://",
            next_step="Write the table as Parquet.",
        )
        for table, written in sources.items()
        if "://" in written
    )
    # A plan that reads the three tables as they are has homes if workers have.
    homes = {"homes": "home" in headers(sources)["workers"]} if "jobs" in needed else {}
    recipe = read_recipe(name, given_to(sources, folder, {**options, **homes}))
    write_folder(recipe, sources, folder, {})
    for line in next_steps(recipe, folder):
        say(line)


def require_recipe(name: str, options: Mapping[str, object]) -> None:
    """Reject a recipe that there is not, and options that mean nothing to it."""
    if name not in product_names():
        recipes = sorted(product_names(), key=lambda name: product(name).draft.turn)
        raise InvalidParameter.unknown("--recipe", name, recipes)
    known = product(name).draft.options
    raise_all(_useless(option, name) for option in options if option not in known)


def _useless(option: str, name: str) -> InvalidParameter:
    return InvalidParameter.meaningless(f"--{option}", f"for the recipe {name}", value="given")


def given_to(sources: Mapping[str, str], folder: Path, options: Mapping[str, object]) -> Given:
    """What an office gives a recipe, its tables as the plans in a folder name them."""
    tables = {name: seen_from(sources[name], folder) for name in TABLES if name in sources}
    return replace(Given(**tables), **options)  # type: ignore[arg-type] # options, as they were typed


def list_file(name: str) -> str:
    """The file of a code list, relative to the codebook."""
    return f"codes/{name}.csv"


def write_folder(
    recipe: Recipe, sources: Mapping[str, str], folder: Path, lists: Mapping[str, str]
) -> None:
    """Codebook, plans, code lists and confidential tables; `lists` are texts of known lists."""
    begun = {name: recipe.begun.get(name, list_text({})) for name in recipe.lists}
    codes = {list_file(name): lists.get(name, text) for name, text in begun.items()}
    texts = {**recipe.texts, **codes}
    refuse_existing(folder, (*texts, CONFIDENTIAL))
    if recipe.prepared:
        with progress() as bar:
            prepare(recipe, sources, folder, bar)
    else:
        require_columns(recipe, sources)
    write_texts(folder, texts)


def next_steps(recipe: Recipe, folder: Path) -> Iterator[str]:
    """What was written, and the commands up to the public layout."""

    def at(name: str) -> str:
        return quote(str(folder / name))

    yield f"Wrote {', '.join(recipe.texts)} into {folder}."
    if recipe.prepared:
        tables = ", ".join(recipe.prepared)
        yield f"{folder / CONFIDENTIAL} has {tables}: confidential, for their owner only."
    if recipe.lists:
        yield "Fill these public code lists (header code,label; one row for each code):"
        yield from (f"  {folder / list_file(name)}" for name in recipe.lists)
    if recipe.choice:
        yield recipe.choice
    yield "Read the plans and change what does not fit. Then:"
    ledger = f"--ledger {at(LEDGER)}"
    yield from (f"  {account.command} {ledger}" for account in recipe.accounts)
    for plan in recipe.releases:
        yield f"  leeward plan {at(plan.file)}"
        yield f"  leeward check {at(plan.file)}"
        yield f"  leeward release {at(plan.file)} --out {at(plan.bundle)} {ledger}"
    for layout in recipe.layouts:
        bundles = " ".join(map(at, layout.bundles))
        yield f"  leeward read {bundles} --form {layout.form} --out {at(layout.folder)}"
    for tidied in recipe.tidied:
        folders = f"--out {at(tidied.tidy)} --shrink --lodes {at(tidied.lodes)}"
        yield f"  leeward tidy {at(tidied.bundle)} {folders}"
