"""A release is total: what is wrong with a row of workers or jobs shows in noisy numbers alone."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leeward.publishing.bundle import verify_bundle
from tests.publishing.compared import assert_alike, masked
from tests.publishing.neighbours import NAMES, Database
from tests.publishing.office import Changes, Driver, Ended, Office, release

TABLES = """\
protect: {policy: strong, alpha: 0.1, epsilon: 4}
tables:
  - {name: slope, by: [place, sector], mechanism: slope}
  - {name: pareto, by: [place, sex], mechanism: vector_pareto}
  - {name: clipped, by: [region, sex, education], mechanism: clipped}
"""
BITS: Changes = {"tests.publishing.twins:repeat_bits": {}}
Edit = Callable[[Database], Database]


def more(table: str, at: int = 0, **values: Any) -> Edit:  # noqa: ANN401 (whatever a column holds)
    """One more row, like another but for these values."""

    def edit(database: Database) -> Database:
        whole: pa.Table = getattr(database, table)
        row = whole.slice(at, 1).to_pylist()[0] | values
        added = pa.concat_tables([whole, pa.Table.from_pylist([row], schema=whole.schema)])
        return replace(database, **{table: added})

    return edit


def coded(value: str | None) -> Edit:
    """Another code of the first worker."""

    def edit(database: Database) -> Database:
        workers, codes = database.workers, database.workers["sex"].to_pylist()
        at = workers.schema.get_field_index("sex")
        changed = pa.array([value, *codes[1:]], pa.string())
        return replace(database, workers=workers.set_column(at, "sex", changed))

    return edit


def first(table: str, number: int) -> Edit:
    return lambda database: replace(database, **{table: getattr(database, table).slice(0, number)})


def elsewhere(database: Database) -> Database:
    """A second job of the person who holds the first."""
    at = database.jobs["workplace_id"].to_pylist()
    other = next(place for place in at if place != at[0])
    return more("jobs", workplace_id=other)(database)


def same(database: Database) -> Database:
    return database


PAIRS: dict[str, tuple[Edit, Edit]] = {
    "a second job of a person": (same, elsewhere),
    "a null code": (same, coded(None)),
    "an unlisted code": (same, coded("X9")),
    "the last job": (first("jobs", 1), first("jobs", 0)),
    "a job twice": (same, more("jobs")),
    "a job that points nowhere": (same, more("jobs", workplace_id=2**40)),
    "a job of nobody": (same, more("jobs", worker_id=2**40)),
    "a job without an id": (same, more("jobs", worker_id=None)),
    "a second row of a worker": (same, more("workers", education="E1")),
    "the last worker": (first("workers", 1), first("workers", 0)),
}


class Scene:
    """The same place, plan and ledger for every database."""

    def __init__(self, driver: Driver, economy: Path, folder: Path) -> None:
        self.driver, self.economy, self.folder = driver, economy, folder
        self.base = Database(*(pq.read_table(economy / f"{name}.parquet") for name in NAMES))
        self.office(folder).open_account(40)
        self.known: dict[tuple[Edit, str], tuple[Path, Ended]] = {}

    def office(self, folder: Path) -> Office:
        return Office(self.driver, folder)

    def released(self, edit: Edit, rows: str = "") -> tuple[Path, Ended]:
        """The bundle of a database and what was said; each is released once."""
        if (edit, rows) not in self.known:
            self.known[edit, rows] = self._release(edit, rows)
        return self.known[edit, rows]

    def _release(self, edit: Edit, rows: str) -> tuple[Path, Ended]:
        office = self.office(self.folder / str(len(self.known)))
        shutil.copytree(self.economy, office.folder / "economy")
        edit(self.base).write(office.folder / "economy")
        office.write_plan(Path("economy"), tables=TABLES + rows)
        shutil.copy(self.folder / "ledger.sqlite", office.ledger)
        said = office.run("run", *release(), changes=BITS)
        return office.folder / "run" / "bundle", said


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory, driver: Driver, small_economy: Path) -> Scene:
    return Scene(driver, small_economy, tmp_path_factory.mktemp("total"))


@pytest.mark.parametrize("name", PAIRS)
def test_neighbours_both_yield_the_same_bundle_but_for_noise(scene: Scene, name: str) -> None:
    (one, before), (two, after) = (scene.released(edit) for edit in PAIRS[name])
    assert (before.code, before.err) == (0, "")
    assert (masked(before.out), before.err) == (masked(after.out), after.err)
    assert before.code == after.code
    assert_alike(one, two)
    assert verify_bundle(two) == ()


def test_a_strict_plan_tells_them_apart(scene: Scene) -> None:
    """Known bad: whether there is a bundle says for certain whether somebody has two jobs."""
    assert scene.released(same, "rows: strict\n")[1].code == 0
    bundle, said = scene.released(elsewhere, "rows: strict\n")
    assert (said.code, bundle.exists()) == (1, False)
