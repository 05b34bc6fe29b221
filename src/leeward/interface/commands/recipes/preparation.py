"""Preparation: from the tables of an office to the confidential tables that plans read.

The database that holds the tables does the work, and only the rows of the result leave it, for a
file that its owner alone may read.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pyarrow as pa

from leeward.core.codebook.wage_jobs import WageJobs
from leeward.core.errors import BadData, raise_all, shown
from leeward.core.show.progress import Silent
from leeward.interface.commands.recipes.recipe import CONFIDENTIAL, Recipe, Tables
from leeward.interface.commands.screen import Bar
from leeward.publishing.engines.database import Scratch, Table
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


def prepare(recipe: Recipe, sources: Mapping[str, str], folder: Path, bar: Bar | Silent) -> None:
    """Write the confidential tables of a recipe into a new folder: all of them or none."""
    columns = {one: (*USUAL[one], *recipe.columns.get(one, ())) for one in USUAL}
    with private_folder(folder, CONFIDENTIAL) as inside:
        for name, prepared in recipe.tables.items():
            bar.step(f"preparing {name}")
            if isinstance(prepared, WageJobs):
                write_jobs(sources["wages"], prepared, inside / name)
            else:
                _write(prepared, sources, columns, inside / name)


def headers(sources: Mapping[str, str]) -> Mapping[str, Mapping[str, str]]:
    """The columns of the three tables that a plan reads as they are, with their types."""
    with frankly(), connect(sources, Path(), headers=tuple(sources)) as opened:
        return opened.describe()


def require_columns(recipe: Recipe, sources: Mapping[str, str]) -> None:
    """Refuse tables of an office that lack a column of the recipe."""
    raise_all(_missing(headers(sources), recipe.columns))


def _write(
    prepared: Callable[[Tables], Table],
    sources: Mapping[str, str],
    columns: Mapping[str, tuple[str, ...]],
    path: Path,
) -> None:
    with frankly(), closing(open_database(sources, Path(), tables=tuple(columns))) as database:
        found = {name: one.columns for name, one in database.tables().items()}
        raise_all(_missing(found, columns))
        read = database.tables(columns)
        kept = hiding_errors(lambda: Scratch(database, "recipe").keep(prepared(read)), SOURCES)
        in_order = kept.order_by(kept.columns)  # the same data always make the same file
        write_private(path, hiding_errors_in(database.stream(in_order), SOURCES), _schema(kept))


def _schema(rows: Table) -> pa.Schema:
    """Whole numbers and texts, on every database alike."""
    return pa.schema(
        (name, pa.int64() if kind.is_numeric() else pa.string())
        for name, kind in rows.schema().items()
    )


def _missing(
    found: Mapping[str, Collection[str]], columns: Mapping[str, tuple[str, ...]]
) -> Iterator[BadData]:
    for name, needed in columns.items():
        for column in needed:
            if column not in found[name]:
                yield BadData(
                    f"--{name}",
                    rule=f"must have the column {shown(column)}",
                    value=f"no such column among {len(found[name])}",
                    next_step="Rename the column that holds it.",
                )
