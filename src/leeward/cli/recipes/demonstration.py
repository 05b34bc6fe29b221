"""Demonstration: a recipe on a made-up economy, from one command to verified bundles."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from leeward.cli.check import check_made_up
from leeward.cli.economy import make
from leeward.cli.init import list_text
from leeward.cli.recipes.folder import (
    COHORTS,
    LEDGER,
    given_to,
    needed_tables,
    read_recipe,
    require_recipe,
    write_folder,
)
from leeward.cli.recipes.recipe import Recipe
from leeward.cli.release import report, run, summary
from leeward.cli.screen import say
from leeward.economy import Economy
from leeward.economy.classifications import CIPS, INSTITUTIONS, OCCUPATIONS
from leeward.errors import Damaged
from leeward.exact import number_text
from leeward.front import predict, verify
from leeward.ledger import Ledger
from leeward.mechanisms.apd import count_beside_mean
from leeward.publishing.plan import read_plan
from leeward.show.numbers import error
from leeward.tidy.layouts import write_layout

ECONOMY = "economy"
LONG, SHORT = 44, 8
"""Quarters of wage records: eleven years for cohorts, two for the flows of a quarter."""

YEARS, QUARTERS = "2016-2026", ("2026Q2", "2026Q3")
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
    long, economy = name in COHORTS, out / ECONOMY
    quarters, establishments = LONG if long else SHORT, max(jobs // PER_ESTABLISHMENT, 1)
    say(f"1. A made-up economy: {jobs:,} jobs in {establishments:,} establishments, and wage")
    say(f"   records of {quarters} quarters, in {economy}")
    make(Economy(jobs, establishments, quarters=quarters, cohorts=long), economy)
    sources = {one: str(economy / f"{one}.parquet") for one in needed_tables(name)}
    usual: Mapping[str, object] = {"years": YEARS} if long else {"quarter": QUARTERS}
    recipe = read_recipe(name, given_to(sources, out, {**usual, **told}))
    say(f"2. Codebook, plans and confidential tables, in {out}")
    write_folder(recipe, sources, out, _lists(economy))
    for line in compared(recipe, out):
        say(f"   {line}")
    say("3. Releases, each checked first and then verified with the ledger")
    _release(recipe, out)
    say("4. Public layouts of what was released (leeward read --form)")
    for layout in recipe.layouts:
        bundles = [out / one for one in layout.bundles]
        for path in write_layout(bundles, layout.form, out / layout.folder):
            say(f"   {path}")


def _lists(economy: Path) -> dict[str, str]:
    places = (economy / "place.csv").read_text(encoding="utf-8")
    return {"place": places} | {name: list_text(codes) for name, codes in LISTS.items()}


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
        found = verify(done.path, ledger=ledger)
        if not found:
            raise Damaged(
                "bundle",
                rule="must be what was sealed",
                value=f"{done.path}: {found.problems[0]}",
                next_step="Run `leeward doctor`.",
            )
        say(f"   {done.path} is sound, and the ledger confirms it.")


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
