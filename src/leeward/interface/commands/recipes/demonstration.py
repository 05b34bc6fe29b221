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
from leeward.derived.settle.tidying import tidy
from leeward.interface.commands.check import check_made_up
from leeward.interface.commands.economy import make
from leeward.interface.commands.init import list_text
from leeward.interface.commands.recipes.folder import (
    COHORTS,
    LEDGER,
    given_to,
    needed_tables,
    read_recipe,
    require_recipe,
    write_folder,
)
from leeward.interface.commands.recipes.lodes import BEGUN, HOME, ZONE, ZONE_OF
from leeward.interface.commands.recipes.recipe import Recipe
from leeward.interface.commands.release import report, run, summary
from leeward.interface.commands.screen import say
from leeward.interface.commands.tidy import lodes_lines
from leeward.lab.economy import Economy, EconomyFiles
from leeward.lab.economy.homes import Homes
from leeward.lab.economy.made_up_codes import CIPS, INSTITUTIONS, OCCUPATIONS
from leeward.publishing.ledger import Ledger
from leeward.publishing.plan.plan import read_plan

ECONOMY = "economy"
QUARTERS_OF = dict.fromkeys(COHORTS, 44) | {"qwi": 8, "lodes": 0}
"""Quarters of wage records: eleven years for cohorts, two for the flows of a quarter."""

YEARS, QUARTERS = "2016-2026", ("2026Q2", "2026Q3")
USUAL: Mapping[str, Mapping[str, object]] = {
    **{one: {"years": YEARS} for one in COHORTS},
    "qwi": {"quarter": QUARTERS},
    "lodes": {"period": QUARTERS[0], "homes": True},
}
"""What a demonstration states where its user does not."""

PER_ESTABLISHMENT = 20
LISTS: Mapping[str, Mapping[str, str]] = {
    "institution": INSTITUTIONS,
    "cip": CIPS,
    "occupation": OCCUPATIONS,
}
"""Code lists of the made-up economy; those of its places are beside its tables."""


def demonstrate(name: str, out: Path, jobs: int, told: Mapping[str, object]) -> None:
    """Make up an economy, prepare, release, verify and write the layouts."""
    require_recipe(name, told)
    economy, quarters, homes = out / ECONOMY, QUARTERS_OF[name], name == "lodes"
    establishments = max(jobs // PER_ESTABLISHMENT, 1)
    beside = "their homes" if homes else "wage"
    say(f"1. A made-up economy: {jobs:,} jobs in {establishments:,} establishments, and {beside}")
    say(f"   in {economy}" if homes else f"   records of {quarters} quarters, in {economy}")
    long = name in COHORTS
    made = Economy(jobs, establishments, quarters=quarters, cohorts=long, homes=homes)
    make(made, economy)
    sources = {one: str(economy / f"{one}.parquet") for one in needed_tables(name)}
    recipe = read_recipe(name, given_to(sources, out, {**USUAL[name], **told}))
    prepared = "Codebook, plans and confidential tables" if recipe.tables else "Codebook and plan"
    say(f"2. {prepared}, in {out}")
    write_folder(recipe, sources, out, _lists(made, economy))
    for line in compared(recipe, out):
        say(f"   {line}")
    say("3. Releases, each checked first and then verified with the ledger")
    _release(recipe, out)
    if recipe.layouts:
        say("4. Public layouts of what was released (leeward read --form)")
    for layout in recipe.layouts:
        bundles = [out / one for one in layout.bundles]
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


def _lists(economy: Economy, folder: Path) -> dict[str, str]:
    files = EconomyFiles.inside(folder, economy)
    places = files.place_codes.read_text(encoding="utf-8")
    found = {"place": places} | {name: list_text(codes) for name, codes in LISTS.items()}
    if files.home_zones is None:
        return found
    zones = {HOME: places, ZONE_OF: files.home_zones.read_text(encoding="utf-8"),
             ZONE: list_text(Homes.of(economy).zones)}  # fmt: skip
    return found | {name: text + BEGUN[name].partition("\n")[2] for name, text in zones.items()}


def _release(recipe: Recipe, out: Path) -> None:
    ledger = out / LEDGER
    with Ledger.new(ledger) as book:
        for account in recipe.accounts:
            book.open_account(account.name, account.guarantee)
    for one in recipe.releases:
        checked, reason = check_made_up(read_plan(out / one.plan))
        for line in checked.warnings():
            say(f"   {line}")
        done = run(read_plan(out / one.plan), out / one.bundle, ledger, unchecked=reason)
        report(done)
        for line in summary(done):
            say(f"   {line}")
        _require_sound(done.path, ledger=ledger)
        say(f"   {done.path} is sound, and the ledger confirms it.")


def _require_sound(bundle: Path, **beside: Path) -> None:
    """Refuse a bundle that is not what was sealed, by its ledger or its source."""
    found = verify(bundle, **beside)
    if not found:
        raise Damaged(
            "bundle",
            rule="must be what was sealed",
            value=f"{bundle}: {found.problems[0]}",
            next_step="Run `leeward doctor`.",
        )


def compared(recipe: Recipe, out: Path) -> Iterator[str]:
    """Predicted errors of plans for the same numbers, side by side for the first year."""
    for plan in recipe.compared:
        found = predict(read_plan(out / plan))
        yield f"{plan}, epsilon {number_text(found.plan.charge.epsilon)}; predicted for each year:"
        first = [one for one in found.tables if one.name.startswith("y1_")]
        for one in first:
            told = f"mean error {error(one.mean_abs_error)} {one.unit}"
            if len(first) == 1:
                told += f", of its count {error(count_beside_mean(one.epsilon))} jobs"
            yield f"  {one.name}, {one.mechanism}, epsilon {number_text(one.epsilon)}: {told}"
