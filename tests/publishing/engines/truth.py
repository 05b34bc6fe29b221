"""The slow truth: jobs counted one by one from lists of rows."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leeward.core.codebook import (
    LEFT_OUT,
    Attribute,
    BoundedJobs,
    Cells,
    Dimension,
    Entries,
    JobsRule,
    Marginal,
    PrimaryJob,
)
from leeward.core.codebook.cells import columns
from leeward.publishing.engines import Engine
from leeward.publishing.plan.plan import Plan
from leeward.publishing.release.check import open_data
from tests.publishing.engines.small import Economy, Row

Vector = tuple[int, ...]
Integers = NDArray[np.int64]

SPARSE = {"counts", "cell", "row", "sizes", "workplace", "in_frame"}


@dataclass(frozen=True)
class Cell:
    """A workplace cell: all that may be asked about it."""

    counts: Vector
    largest: int
    cell_largest: Vector
    in_frame: int
    establishments: tuple[tuple[int, Vector], ...]


def position(attribute: Attribute, value: object) -> int | None:
    if value is None:
        return attribute.missing
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return attribute.recode.get(text, attribute.unlisted)


def index(dimension: Dimension, row: Row) -> int:
    found = position(dimension.attribute, row[dimension.attribute.column])
    return dimension.kept.index(found) if found in dimension.kept else LEFT_OUT


def number(dimensions: tuple[Dimension, ...], rows: dict[str, Row]) -> int:
    """The number of a combination, or LEFT_OUT if any of its codes is."""
    total = 0
    for one in dimensions:
        found = index(one, rows[one.attribute.table])
        if found == LEFT_OUT:
            return LEFT_OUT
        total = total * one.size + found
    return total


def tidy(made: Economy, rule: JobsRule) -> Economy:
    """The rows that count, by the rules in plain words and their order."""
    workers: dict[Any, Row] = {}
    for row in sorted(made.workers, key=order):
        if row["worker_id"] is not None:
            workers.setdefault(row["worker_id"], row)
    jobs = {tuple(order(job, _read(job, rule))): job for job in made.jobs}
    places = {row["workplace_id"] for row in made.workplaces}
    found = [
        job
        for job in jobs.values()
        if job["worker_id"] in workers and job["workplace_id"] in places
    ]
    return Economy(made.workplaces, list(workers.values()), counted(found, rule))


def _read(job: Row, rule: JobsRule) -> list[str]:
    """The columns of jobs that are read: ids, the one attribute, and the rank."""
    rank = [rule.column] if isinstance(rule, PrimaryJob) else []
    return [one for one in ("workplace_id", "contract", *rank, "worker_id") if one in job]


def order(row: Row, columns: Iterable[str] = ()) -> list[tuple[bool, Any]]:
    """What rows are ordered by: column after column, a null after everything."""
    values = [row[one] for one in columns or row]
    return [(value is None, 0 if value is None else _bytes(value)) for value in values]


def _bytes(value: object) -> bytes:
    """The text of an id or a code, whatever type the column has."""
    return str(value).encode()


def lost(made: Economy, rule: JobsRule, attributes: Iterable[Attribute]) -> tuple[int, int]:
    """The jobs that a table by these attributes loses, and all that should count."""
    workers = {row["worker_id"]: row for row in tidy(made, rule).workers}
    places = {row["workplace_id"] for row in made.workplaces}
    jobs = {tuple(order(job, _read(job, rule))): job for job in made.jobs}.values()
    found = [one for one in jobs if one["worker_id"] in workers and one["workplace_id"] in places]
    everywhere = len(jobs) - len(found)
    if isinstance(rule, BoundedJobs) and rule.per is not None:
        everywhere += sum(one["contract"] not in ("T", "P") for one in found)
    kept = counted(found, rule)
    rows = ({"jobs": one, "workers": workers[one["worker_id"]]} for one in kept)
    uncoded = sum(
        any(position(one, each[one.table][one.column]) is None for one in attributes)
        for each in rows
    )
    return everywhere + uncoded, everywhere + len(kept)


def counted(jobs: list[Row], rule: JobsRule) -> list[Row]:
    by_worker: dict[Any, list[Row]] = defaultdict(list)
    for job in jobs:
        by_worker[job["worker_id"]].append(job)
    if isinstance(rule, PrimaryJob):
        return [
            min(held, key=lambda job: (_rank(job[rule.column]), order(job, _read(job, rule))))
            for held in by_worker.values()
        ]
    if isinstance(rule, BoundedJobs):
        ordered = (
            sorted(held, key=lambda job: order(job, _read(job, rule)))
            for held in by_worker.values()
        )
        return [job for held in ordered for job in _limited(held, rule)]
    return jobs


def _limited(held: list[Row], rule: BoundedJobs) -> list[Row]:
    """The first jobs of a worker; with `per`, of each kind of contract that is listed."""
    if rule.per is None:
        return held[: rule.most]
    assert rule.per == "contract"
    return [
        job
        for kind in ("T", "P")
        for job in [one for one in held if one["contract"] == kind][: rule.most]
    ]


def _rank(value: float | None) -> tuple[bool, float]:
    """The largest first; what is no number last."""
    none = value is None or isnan(value)
    return none, 0.0 if value is None or none else -value


Site = tuple[int, int, Vector]
"""Cell, size and counts of an establishment."""


def sites(made: Economy, rule: JobsRule, marginal: Marginal) -> dict[Any, Site]:
    """Every establishment that the table counts, by its id."""
    made = tidy(made, rule)
    workers = {row["worker_id"]: row for row in made.workers}
    jobs_of: dict[Any, list[Row]] = defaultdict(list)
    for job in made.jobs:
        jobs_of[job["workplace_id"]].append(job)
    frame_filters = tuple(one for one in marginal.filters if one.attribute.of_workplaces)
    worker_filters = tuple(one for one in marginal.filters if not one.attribute.of_workplaces)
    found: dict[Any, Site] = {}
    for workplace in made.workplaces:
        rows = {"workplaces": workplace}
        cell = number(marginal.workplace, rows)
        if LEFT_OUT in (cell, number(frame_filters, rows)):
            continue
        tally: Counter[int] = Counter()
        held = jobs_of[workplace["workplace_id"]]
        for job in held:
            parts = {"workers": workers[job["worker_id"]], "jobs": job}
            if number(worker_filters, parts) != LEFT_OUT:
                tally[number(marginal.worker, parts)] += 1
        counts = tuple(tally[w] for w in range(marginal.worker_cells))
        found[workplace["workplace_id"]] = (cell, len(held), counts)
    return found


def truth(
    made: Economy, rule: JobsRule, marginal: Marginal, *, merged: bool = False
) -> dict[int, Cell]:
    """With `merged`, all that an employer has in a workplace cell is one establishment."""
    owner = _owners(made) if merged else {}
    found: dict[int, dict[object, list[Site]]] = defaultdict(lambda: defaultdict(list))
    for key, site in sites(made, rule, marginal).items():
        found[site[0]][owner.get(key, key)].append(site)
    return {cell: _cell(list(found[cell].values())) for cell in sorted(found)}


def _cell(parts: list[list[Site]]) -> Cell:
    sizes = [sum(size for _, size, _ in sites) for sites in parts]
    vectors = [_added(counts for _, _, counts in sites) for sites in parts]
    return Cell(
        _added(vectors),
        max(sizes),
        tuple(map(max, zip(*vectors, strict=True))),
        sum(map(len, parts)),
        tuple(sorted((size, one) for size, one in zip(sizes, vectors, strict=True) if size)),
    )


def _added(vectors: Iterable[Vector]) -> Vector:
    return tuple(map(sum, zip(*vectors, strict=True)))


def _owners(made: Economy) -> dict[object, object]:
    """The employer of each establishment; without one, it is its own."""
    ids = ((row["workplace_id"], row.get("employer_id")) for row in made.workplaces)
    return {key: ("alone", key) if owner is None else owner for key, owner in ids}


def read(engine: Engine, marginal: Marginal, batch: int) -> dict[int, Cell]:
    """The same from an engine: all three ways to ask."""
    plain = _cells(engine, marginal, batch, cell_largest=False)
    full = _cells(engine, marginal, batch, cell_largest=True)
    rows = _establishments(engine, marginal, batch)
    assert list(plain) == list(full) == list(rows)
    assert all(plain[key][:2] == full[key][:2] for key in plain)
    return {key: Cell(*full[key], rows[key]) for key in full}


def read_largest(engine: Engine, marginal: Marginal) -> dict[int, tuple[Vector, int]]:
    """Counts and the largest establishment, of a table that is prepared for these alone."""
    found = _cells(engine, marginal, 3, cell_largest=False)
    return {key: (counts, largest) for key, (counts, largest, _, _) in found.items()}


def counts(engine: Engine, table: Marginal) -> dict[int, Vector]:
    """The counts alone."""
    found: dict[int, Vector] = {}
    for batch in engine.cells(table, batch=3):
        rows = batch.cells.opened().counts
        found |= {int(key): tuple(row.tolist()) for key, row in zip(batch.keys, rows, strict=True)}
    return found


def _cells(
    engine: Engine, marginal: Marginal, batch: int, *, cell_largest: bool
) -> dict[int, tuple[Vector, int, Vector, int]]:
    found = {}
    for one in engine.cells(marginal, batch=batch, cell_largest=cell_largest):
        opened = one.cells.opened()
        _require_columns(
            opened,
            {"counts", "largest", "in_frame"} | ({"cell_largest"} if cell_largest else set()),
        )
        widest = opened.own_largest() if cell_largest else opened.counts
        assert opened.in_frame is not None
        for k, key in enumerate(one.keys):
            vectors = (tuple(opened.counts[k].tolist()), tuple(widest[k].tolist()))
            sizes = int(opened.largest[k]), int(opened.in_frame[k])
            found[int(key)] = (vectors[0], sizes[0], vectors[1], sizes[1])
    return found


def _establishments(
    engine: Engine, marginal: Marginal, batch: int
) -> dict[int, tuple[tuple[int, Vector], ...]]:
    found: dict[int, list[tuple[int, Vector]]] = {}
    for one in engine.establishments(marginal, batch=batch):
        opened = one.cells.opened()
        found |= {int(key): [] for key in one.keys}
        _require_columns(opened, SPARSE)
        for cell, size, counts in _dense(one.keys, opened, marginal):
            found[cell].append((size, counts))
    return {key: tuple(sorted(rows)) for key, rows in found.items()}


def _require_columns(opened: Cells | Entries, names: set[str]) -> None:
    found = columns(opened)
    assert set(found) == names
    assert {column.dtype for column in found.values()} == {np.dtype(np.int64)}


def _dense(keys: Integers, opened: Entries, marginal: Marginal) -> list[Site]:
    assert opened.shape == (keys.size, marginal.worker_cells)
    assert (opened.counts > 0).all()
    dense = np.zeros((opened.sizes.size, marginal.worker_cells), dtype=np.int64)
    dense[opened.row, opened.cell] = opened.counts
    assert dense.sum() == opened.counts.sum()  # no entry stands twice
    rows = zip(opened.workplace, opened.sizes, dense, strict=True)
    return [(int(keys[k]), int(size), tuple(counts.tolist())) for k, size, counts in rows]


Holding = tuple[tuple[Site | tuple[()], ...], ...]
"""The establishments of one employer: where each is in every table, or nowhere."""


def true_holdings(made: Economy, rule: JobsRule, marginals: list[Marginal]) -> list[Holding]:
    """What each employer owns, whatever number it has."""
    tables = [sites(made, rule, one) for one in marginals]
    held: dict[object, list[Any]] = defaultdict(list)
    for key, owner in _owners(made).items():
        where = tuple(table[key] if key in table and table[key][1] else () for table in tables)
        if any(where):
            held[owner].append(where)
    return sorted(tuple(sorted(one)) for one in held.values())


def read_holdings(engine: Engine, marginals: list[Marginal], batch: int) -> list[Holding]:
    """The same from an engine: numbers must mean the same in every table."""
    where: dict[int, list[Any]] = defaultdict(lambda: [()] * len(marginals))
    owners: dict[int, int] = {}
    for n, marginal in enumerate(marginals):
        for one in engine.establishments(marginal, batch=batch, owners=True):
            opened = one.cells.opened()
            _require_columns(opened, SPARSE | {"establishment", "employer"})
            numbers = columns(opened)
            for k, site in enumerate(_dense(one.keys, opened, marginal)):
                number, owner = (int(numbers[name][k]) for name in ("establishment", "employer"))
                assert min(number, owner) >= 0
                assert where[number][n] == ()
                assert owners.setdefault(number, owner) == owner
                where[number][n] = site
    held: dict[int, list[Any]] = defaultdict(list)
    for number, places in where.items():
        held[owners[number]].append(tuple(places))
    return sorted(tuple(sorted(one)) for one in held.values())


def plan_is_true(plan: Plan, made: Economy) -> None:
    """The cells of the plan's only table, as a release reads them, are those of the rows."""
    marginal = plan.tables[0].marginal
    with open_data(plan) as engine:
        engine.prepare(plan.codebook, plan.jobs, [marginal], [marginal])
        assert read(engine, marginal, batch=2) == truth(made, plan.jobs, marginal)


def product_is_true(engine: Engine, made: Economy, rule: JobsRule, product: Marginal) -> None:
    """Cells and establishments of a prepared product are those of its tables, side by side.

    Jobs that a table leaves out are in a cell of their own.
    """
    parts = [truth(made, rule, one) for one in product.published]
    rests = [one.rest for one in product.breakdowns]
    for batch in engine.cells(product, batch=3):
        opened = batch.cells.opened()
        for key, row in zip(batch.keys.tolist(), opened.counts.tolist(), strict=True):
            (jobs,) = parts[0][key].counts
            cells = list[int]()
            for part, rest in zip(parts[1:], rests, strict=True):
                counts = part[key].counts
                cells += [*counts, *([jobs - sum(counts)] if rest else [])]
            assert row == cells
    for entries in engine.establishments(product, batch=3):
        held = entries.cells.opened()
        sums = np.zeros((held.sizes.size, len(rests)), dtype=np.int64)
        table = np.repeat(np.arange(len(rests)), [one.cells for one in product.breakdowns])
        np.add.at(sums, (held.row, table[held.cell]), held.counts)
        assert (sums == held.sizes[:, None]).all()  # each job once in every table
        dense = held.as_cells()
        for k, key in enumerate(entries.keys.tolist()):
            assert dense.largest[k] == parts[0][key].largest
            assert dense.counts[k].sum() == len(rests) * parts[0][key].counts[0]
