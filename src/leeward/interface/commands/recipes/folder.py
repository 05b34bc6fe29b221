"""Folder: what `leeward init --recipe` writes, and how its user goes on."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from shlex import quote

from leeward.core.codebook import TABLES
from leeward.core.errors import BadFile, InvalidParameter, raise_all, shown
from leeward.interface.commands.init import list_text, refuse_existing, write_texts
from leeward.interface.commands.recipes.documents import list_file
from leeward.interface.commands.recipes.lodes import HOME
from leeward.interface.commands.recipes.preparation import headers, prepare, require_columns
from leeward.interface.commands.recipes.recipe import CONFIDENTIAL, Given, Recipe
from leeward.interface.commands.screen import progress, say
from leeward.publishing.engines.address import seen_from

COHORTS = ("umetrics", "pseo", "veo")
"""Recipes that follow cohorts."""

NAMES = ("lodes", *COHORTS, "qwi")
OPTIONS = {
    "lodes": ("period",),
    "umetrics": ("years", "target", "size"),
    "pseo": ("years",),
    "veo": ("years",),
    "qwi": ("quarter",),
}
"""What an office may tell each recipe beside its tables."""

LEDGER = "ledger.sqlite"


def start(
    name: str, folder: Path, office: Mapping[str, str | None], told: Mapping[str, object]
) -> None:
    """Prepare the tables of an office, write its plans and say how to go on."""
    require_recipe(name, told)
    if office["jobs"] is not None and "jobs" not in needed_tables(name):
        raise _useless("jobs", name)
    sources = _sources(name, office)
    recipe = read_recipe(name, given_to(sources, folder, {**told, **_homes(name, sources)}))
    write_folder(recipe, sources, folder, {})
    for line in next_steps(recipe, folder):
        say(line)


def _sources(name: str, office: Mapping[str, str | None]) -> dict[str, str]:
    """The tables that a recipe needs; refuses what is missing."""
    needed = needed_tables(name)
    raise_all(
        InvalidParameter(
            f"--{one}",
            rule=f"must be given for the recipe {name}",
            value="nothing",
            next_step="Name a Parquet or CSV file, or try the recipe with --demo.",
        )
        for one in needed
        if office[one] is None
    )
    sources = {one: office[one] or "" for one in needed}
    raise_all(_no_file(one, written) for one, written in sources.items() if "://" in written)
    return sources


def _no_file(name: str, written: str) -> BadFile:
    return BadFile(
        f"--{name}",
        rule="must be a Parquet or CSV file: what a recipe prepares are files, and a plan reads "
        "three files or three tables of one database",
        value=f"{shown(written.partition('://')[0])} before ://",
        next_step="Write the table as Parquet.",
    )


def _homes(name: str, sources: Mapping[str, str]) -> dict[str, object]:
    """Whether workers have homes, by the headers of tables that a plan reads as they are."""
    if name != "lodes":
        return {}
    columns = headers(sources)
    return {"homes": HOME in columns["workers"]}


def needed_tables(name: str) -> tuple[str, ...]:
    """The options of the tables that a recipe needs."""
    if name == "lodes":
        return TABLES
    return ("wages", "workplaces", "workers", *(("cohorts",) if name in COHORTS else ()))


def require_recipe(name: str, told: Mapping[str, object]) -> None:
    """Refuse a recipe that there is not, and options that mean nothing to it."""
    if name not in NAMES:
        raise InvalidParameter(
            "--recipe",
            rule=f"must be one of {', '.join(NAMES)}",
            value=shown(name),
            next_step="Choose one of these.",
        )
    raise_all(_useless(option, name) for option in told if option not in OPTIONS[name])


def _useless(option: str, name: str) -> InvalidParameter:
    return InvalidParameter(
        f"--{option}",
        rule=f"has no meaning for the recipe {name}",
        value="given",
        next_step="Leave it out.",
    )


def read_recipe(name: str, given: Given) -> Recipe:
    """The recipe of this name."""
    made: Recipe = import_module(f"leeward.interface.commands.recipes.{name}").recipe(given)
    return made


def given_to(sources: Mapping[str, str], folder: Path, told: Mapping[str, object]) -> Given:
    """What an office tells a recipe, its tables as the plans in a folder name them."""
    tables = {one: seen_from(sources[one], folder) for one in TABLES if one in sources}
    return replace(Given(**tables), **told)  # type: ignore[arg-type] # options, as they were typed


def write_folder(
    recipe: Recipe, sources: Mapping[str, str], folder: Path, lists: Mapping[str, str]
) -> None:
    """Codebook, plans, code lists and confidential tables; `lists` are texts of known lists."""
    begun = {name: recipe.begun.get(name, list_text({})) for name in recipe.lists}
    codes = {list_file(name): lists.get(name, text) for name, text in begun.items()}
    texts = {**recipe.texts, **codes}
    refuse_existing(folder, (*texts, CONFIDENTIAL))
    if recipe.tables:
        with progress() as bar:
            prepare(recipe, sources, folder, bar)
    else:
        require_columns(recipe, sources)
    write_texts(folder, texts)


def next_steps(recipe: Recipe, folder: Path) -> Iterator[str]:
    """What was written, and the commands up to the public layout."""
    yield f"Wrote {', '.join(recipe.texts)} into {folder}."
    if recipe.tables:
        tables = ", ".join(recipe.tables)
        yield f"{folder / CONFIDENTIAL} has {tables}: confidential, for their owner only."
    if recipe.lists:
        yield "Fill these public code lists (header code,label; one row for each code):"
        yield from (f"  {folder / list_file(name)}" for name in recipe.lists)
    if recipe.choice:
        yield recipe.choice
    yield "Read the plans and change what does not fit. Then:"
    at = {one: quote(str(folder / one)) for one in _named(recipe)}
    ledger = f"--ledger {at[LEDGER]}"
    yield from (f"  {account.command} {ledger}" for account in recipe.accounts)
    for one in recipe.releases:
        yield f"  leeward plan {at[one.plan]}"
        yield f"  leeward check {at[one.plan]}"
        yield f"  leeward release {at[one.plan]} --out {at[one.bundle]} {ledger}"
    for layout in recipe.layouts:
        bundles = " ".join(at[one] for one in layout.bundles)
        yield f"  leeward read {bundles} --form {layout.form} --out {at[layout.folder]}"
    for made in recipe.tidied:
        folders = f"--out {at[made.tidy]} --shrink --lodes {at[made.lodes]}"
        yield f"  leeward tidy {at[made.bundle]} {folders}"


def _named(recipe: Recipe) -> Iterator[str]:
    """What the commands name inside the folder."""
    yield LEDGER
    for one in recipe.releases:
        yield from (one.plan, one.bundle)
    yield from (layout.folder for layout in recipe.layouts)
    for made in recipe.tidied:
        yield from (made.tidy, made.lodes)
