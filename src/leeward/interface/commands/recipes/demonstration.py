"""Demonstration: a recipe on a made-up economy, from one command to verified bundles."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from leeward.api import predict, verify
from leeward.core.errors import Damaged
from leeward.core.exact import number_text
from leeward.core.mechanisms.apd import count_beside_mean
from leeward.core.show.numbers import error
from leeward.derived.products.layouts import write_layout
from leeward.derived.products.lodes import Lodes
from leeward.derived.products.public_product import Recipe, product
from leeward.derived.settle.tidying import tidy
from leeward.interface.commands.check_command import check_made_up
from leeward.interface.commands.economy_command import make
from leeward.interface.commands.new_files import list_text
from leeward.interface.commands.recipes.folder import (
    LEDGER,
    given_to,
    require_recipe,
    write_folder,
)
from leeward.interface.commands.recipes.recipe import read_recipe
from leeward.interface.commands.release_command import report, run, summary
from leeward.interface.commands.screen import say
from leeward.interface.commands.tidy_command import lodes_lines
from leeward.lab.economy import Economy, EconomyFiles
from leeward.lab.economy.homes import Homes
from leeward.lab.economy.made_up_codes import CIPS, INSTITUTIONS, OCCUPATIONS
from leeward.publishing.ledger import Ledger
from leeward.publishing.plan.plan import read_plan

ECONOMY = "economy"
QUARTERS = ("2026Q2", "2026Q3")
USUAL: Mapping[str, object] = {"years": "2016-2026", "quarter": QUARTERS, "period": QUARTERS[0]}
"""What a demonstration states where its user does not."""

PER_ESTABLISHMENT = 20
LISTS: Mapping[str, Mapping[str, str]] = {
    "institution": INSTITUTIONS,
    "cip": CIPS,
    "occupation": OCCUPATIONS,
}
"""Code lists of the made-up economy; those of its places are beside its tables."""


def demonstrate(name: str, out: Path, jobs: int, options: Mapping[str, object]) -> None:
    """Make up an economy, prepare, release, verify and write the layouts."""
    require_recipe(name, options)
    of = product(name).draft
    long, homes = "cohorts" in of.tables, "jobs" in of.tables
    # Eleven years of wage records for cohorts, two for the flows of a quarter.
    quarters = 44 if long else 0 if homes else 8
    folder, establishments = out / ECONOMY, max(jobs // PER_ESTABLISHMENT, 1)
    beside = "their homes" if homes else "wage"
    say(f"1. A made-up economy: {jobs:,} jobs in {establishments:,} establishments, and {beside}")
    say(f"   in {folder}" if homes else f"   records of {quarters} quarters, in {folder}")
    economy = Economy(jobs, establishments, quarters=quarters, cohorts=long, homes=homes)
    make(economy, folder)
    sources = {table: str(folder / f"{table}.parquet") for table in of.tables}
    usual = {option: USUAL[option] for option in of.options if option in USUAL}
    given = given_to(sources, out, usual | {"homes": homes} | {**options})
    recipe = read_recipe(name, given)
    prepared = "Codebook, plans and confidential tables" if recipe.prepared else "Codebook and plan"
    say(f"2. {prepared}, in {out}")
    write_folder(recipe, sources, out, _lists(economy, folder, recipe))
    for line in compared(recipe, out):
        say(f"   {line}")
    say("3. Releases, each checked first and then verified with the ledger")
    _release(recipe, out)
    if recipe.layouts:
        say("4. Public layouts of what was released (leeward read --form)")
    for layout in recipe.layouts:
        bundles = [out / bundle for bundle in layout.bundles]
        for path in write_layout(bundles, layout.form, out / layout.folder):
            say(f"   {path}")
    if recipe.tidied:
        say("4. Tables that add up, and their LODES files (leeward tidy --lodes)")
    for tidied in recipe.tidied:
        source, files = out / tidied.bundle, Lodes(out / tidied.lodes)
        files.require(source)
        settled = tidy(source, out / tidied.tidy, shrink=True)
        _require_sound(settled.path, source=source)
        say(f"   {settled.path} is sound, and made from {source}; nothing was charged.")
        for line in lodes_lines(files, settled):
            say(f"   {line}")


def _lists(economy: Economy, folder: Path, recipe: Recipe) -> dict[str, str]:
    files = EconomyFiles.inside(folder, economy)
    places = files.place_codes.read_text(encoding="utf-8")
    lists = {"place": places} | {name: list_text(codes) for name, codes in LISTS.items()}
    if files.home_zones is None:
        return lists
    homes = {
        "home": places,
        "home_zone_of": files.home_zones.read_text(encoding="utf-8"),
        "home_zone": list_text(Homes.of(economy).zones),
    }
    begun = {name: recipe.begun.get(name, "").partition("\n")[2] for name in homes}
    return lists | {name: text + begun[name] for name, text in homes.items()}


def _release(recipe: Recipe, out: Path) -> None:
    ledger = out / LEDGER
    with Ledger.new(ledger) as book:
        for account in recipe.accounts:
            book.open_account(account.name, account.guarantee)
    for file in recipe.releases:
        checked, reason = check_made_up(read_plan(out / file.file))
        for line in checked.warnings():
            say(f"   {line}")
        done = run(read_plan(out / file.file), out / file.bundle, ledger, unchecked=reason)
        report(done)
        for line in summary(done):
            say(f"   {line}")
        _require_sound(done.path, ledger=ledger)
        say(f"   {done.path} is sound, and the ledger confirms it.")


def _require_sound(bundle: Path, **beside: Path) -> None:
    """Reject a bundle that is not what was sealed, by its ledger or its source."""
    verification = verify(bundle, **beside)
    if not verification:
        raise Damaged(
            "bundle",
            rule="must be what was sealed",
            value=f"{bundle}: {verification.problems[0]}",
            next_step="Run `leeward doctor`.",
        )


def compared(recipe: Recipe, out: Path) -> Iterator[str]:
    """Predicted errors of plans for the same numbers, side by side for the first year."""
    for plan in recipe.compared:
        prediction = predict(read_plan(out / plan))
        epsilon = number_text(prediction.plan.charge.epsilon)
        yield f"{plan}, epsilon {epsilon}; predicted for each year:"
        first = [table for table in prediction.tables if table.name.startswith("y1_")]
        for table in first:
            words = f"epsilon {number_text(table.epsilon)}: mean error "
            words += f"{error(table.mean_abs_error)} {table.unit}"
            if len(first) == 1:
                words += f", of its count {error(count_beside_mean(table.epsilon))} jobs"
            yield f"  {table.name}, {table.mechanism}, {words}"
