"""Preparation: from the tables of an office to the confidential tables that plans read.

The database that holds the tables does the work, and only the rows of the result leave it, for a
file that its owner alone may read.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pyarrow as pa

from leeward.core.codebook.wage_jobs import Quarter, WageJobs
from leeward.core.errors import BadData, raise_all, shown
from leeward.core.show.progress import Silent
from leeward.derived.products.product_recipe import PreparedRows, Recipe
from leeward.interface.commands.new_files import CONFIDENTIAL
from leeward.interface.commands.recipes.outcomes import prepared_rows
from leeward.interface.commands.recipes.recipe import Years
from leeward.interface.commands.screen import ProgressBar
from leeward.publishing.engines.database import Scratch
from leeward.publishing.engines.driver_errors import frankly, hiding_errors, hiding_errors_in
from leeward.publishing.engines.opening import connect, open_database
from leeward.publishing.engines.private_file import private_folder, write_private
from leeward.publishing.engines.wages import write_jobs

USUAL: Mapping[str, tuple[str, ...]] = {
    "wages": ("worker_id", "workplace_id", "quarter", "earnings"),
    "cohorts": ("worker_id", "kind", "year"),
    "workplaces": ("workplace_id",),
}
"""The columns that every recipe for cohorts reads."""

SOURCES = "--wages, --cohorts, --workplaces or --workers"
"""What a database could not read is in one of them."""


def prepare(
    recipe: Recipe, sources: Mapping[str, str], folder: Path, bar: ProgressBar | Silent
) -> None:
    """Write the confidential tables of a recipe into a new folder: all of them or none."""
    columns = {name: (*usual, *recipe.needed.get(name, ())) for name, usual in USUAL.items()}
    with private_folder(folder, CONFIDENTIAL) as inside:
        for name, rows in recipe.prepared.items():
            bar.step(f"preparing {name}")
            if rows.rows == "jobs":
                jobs = WageJobs(Quarter.read(rows.quarter))
                write_jobs(sources["wages"], jobs, inside / name)
            else:
                years = Years.read(recipe.covered)
                _write(rows, years, sources, columns, inside / name)


def headers(sources: Mapping[str, str]) -> Mapping[str, Mapping[str, str]]:
    """The columns of the three tables that a plan reads as they are, with their types."""
    with frankly(), connect(sources, Path(), headers=tuple(sources)) as opened:
        return opened.describe()


def require_columns(recipe: Recipe, sources: Mapping[str, str]) -> None:
    """Reject tables of an office that lack a column of the recipe."""
    raise_all(_missing(headers(sources), recipe.needed))


def _write(
    rows: PreparedRows,
    years: Years,
    sources: Mapping[str, str],
    columns: Mapping[str, tuple[str, ...]],
    path: Path,
) -> None:
    with frankly(), closing(open_database(sources, Path(), tables=tuple(columns))) as database:
        known = {name: table.columns for name, table in database.tables().items()}
        raise_all(_missing(known, columns))
        read = database.tables(columns)
        kept = hiding_errors(
            lambda: Scratch(database, "recipe").keep(prepared_rows(rows, read, years)), SOURCES
        )
        in_order = kept.order_by(kept.columns)  # the same data always make the same file
        schema = pa.schema(  # whole numbers and texts, on every database alike
            (name, pa.int64() if kind.is_numeric() else pa.string())
            for name, kind in kept.schema().items()
        )
        write_private(path, hiding_errors_in(database.stream(in_order), SOURCES), schema)


def _missing(
    known: Mapping[str, Collection[str]], columns: Mapping[str, tuple[str, ...]]
) -> Iterator[BadData]:
    for name, needed in columns.items():
        for column in needed:
            if column not in known[name]:
                yield BadData(
                    f"--{name}",
                    rule=f"must have the column {shown(column)}",
                    value=f"no such column among {len(known[name])}",
                    next_step="Rename the column that holds it.",
                )
