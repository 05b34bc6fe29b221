"""Neighbouring databases: a made-up economy and what it becomes when a little changes in it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from leeward.lab.economy import Economy, write_economy

JOBS = 48_611
"""A number that nobody writes by chance."""

NAMES = ("workplaces", "workers", "jobs")
Person = Mapping[str, Any]

MIXED: tuple[Person, ...] = (
    {"sex": "M", "education": "E1", "age": "A01", "race": "A1", "ethnicity": "A1"},
    {"sex": "F", "education": "E4", "age": "A03", "race": "A2", "ethnicity": "A2"},
    {"sex": "F", "education": "E2", "age": "A02", "race": "A1", "ethnicity": "A1"},
    {"sex": "M", "education": "E3", "age": "A02", "race": "A7", "ethnicity": "A1"},
    {"sex": "F", "education": "E4", "age": "A01", "race": "A4", "ethnicity": "A2"},
)


@dataclass(frozen=True)
class Database:
    """Three tables in memory."""

    workplaces: pa.Table
    workers: pa.Table
    jobs: pa.Table

    def write(self, folder: Path) -> None:
        for name in NAMES:
            pq.write_table(getattr(self, name), folder / f"{name}.parquet")

    def sizes(self) -> Counter[Any]:
        return Counter(self.jobs["workplace_id"].to_pylist())

    def workplace(self, identity: object) -> Person:
        """The public attributes of an establishment."""
        (row,) = self.workplaces.filter(pc.field("workplace_id") == identity).to_pylist()
        found: Person = row
        return found

    def without_jobs(self, workplace: object, number: int) -> "Database":
        """The same with so many jobs less in an establishment."""
        held = self.jobs["workplace_id"].to_pylist()
        places = [at for at, identity in enumerate(held) if identity == workplace][:number]
        keep = sorted(set(range(len(held))) - set(places))
        return replace(self, jobs=self.jobs.take(pa.array(keep)))

    def hire(self, workplace: object, people: tuple[Person, ...]) -> "Database":
        """The same with new people who work in an establishment."""
        first = pc.max(self.workers["worker_id"]).as_py() + 1
        known = self.workers.slice(0, 1).to_pylist()[0]
        job = self.jobs.slice(0, 1).to_pylist()[0]
        numbered = list(enumerate(people, start=first))
        workers = [{**known, **person, "worker_id": number} for number, person in numbered]
        jobs = [{**job, "worker_id": n, "workplace_id": workplace} for n, _ in numbered]
        return replace(self, workers=_added(self.workers, workers), jobs=_added(self.jobs, jobs))

    def change(self, workplace: object) -> "Database":
        """The same with another sex and education of one worker of an establishment."""
        at = self.jobs["workplace_id"].to_pylist().index(workplace)
        who = self.jobs["worker_id"][at].as_py()
        rows = self.workers.to_pylist()
        (row,) = [row for row in rows if row["worker_id"] == who]
        row["sex"] = "F" if row["sex"] == "M" else "M"
        row["education"] = "E1" if row["education"] == "E4" else "E4"
        return replace(self, workers=pa.Table.from_pylist(rows, schema=self.workers.schema))


def _added(table: pa.Table, rows: list[dict[str, Any]]) -> pa.Table:
    return pa.concat_tables([table, pa.Table.from_pylist(rows, schema=table.schema)])


@dataclass(frozen=True)
class Pair:
    """A neighbour of the common database, and the establishment in which they differ."""

    database: Database
    workplace: Person


def make_databases(folder: Path) -> tuple[Database, dict[str, Pair]]:
    """The common database, with one establishment of 50 and one of nobody; its neighbours."""
    write_economy(Economy(jobs=JOBS + 100, establishments=600, seed=1), folder)
    drawn = Database(*(pq.read_table(folder / f"{name}.parquet") for name in NAMES))
    ranked = drawn.sizes().most_common()
    largest = ranked[0][0]
    fifty, has = next((name, size) for name, size in reversed(ranked) if size >= 50)
    small = next(name for name, size in ranked if size == 9)
    drawn = drawn.without_jobs(fifty, has - 50)
    drawn = drawn.without_jobs(largest, drawn.jobs.num_rows - JOBS)
    base, empty = with_empty(drawn)
    assert base.sizes()[fifty] == 50
    assert base.sizes()[empty] == 0
    assert base.jobs.num_rows == JOBS
    neighbours = {
        "one job more": (base.hire(small, MIXED[:1]), small),
        "from 50 to 55": (base.hire(fifty, MIXED), fifty),
        "from 0 to 1": (base.hire(empty, MIXED[1:2]), empty),
        "another kind of worker": (base.change(small), small),
    }
    pairs = {
        name: Pair(database, base.workplace(at)) for name, (database, at) in neighbours.items()
    }
    return base, pairs


def with_empty(database: Database) -> tuple[Database, object]:
    """The same with an establishment of nobody that is alone in its cell."""
    rows = database.workplaces.to_pylist()
    names = ("place", "sector", "ownership")
    taken = {tuple(row[name] for name in names) for row in rows}
    codes = [sorted({row[name] for row in rows}) for name in names]
    free = next(cell for cell in product(*codes) if cell not in taken)
    new = max(row["workplace_id"] for row in rows) + 1
    row = {**rows[0], **dict(zip(names, free, strict=True)), "workplace_id": new}
    return replace(database, workplaces=_added(database.workplaces, [row])), new
