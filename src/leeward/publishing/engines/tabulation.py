"""Tabulation: one shared pass over the data, and the queries that each table makes on its result.

Jobs are counted in two ways, by establishment and by worker, and both must agree. The ordered rows
of a query become arrays of some workplace cells at a time: where a batch ends depends on the public
frame alone, and at most one batch and one piece of each query are in memory.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from leeward.core.codebook import (
    EVERY_STEP,
    Batch,
    Breakdown,
    Cells,
    Codebook,
    Confidential,
    Dimension,
    Entries,
    JobsRule,
    Marginal,
    Steps,
)
from leeward.core.errors import BadData, InvalidParameter
from leeward.publishing.engines.code_classes import Profile, Side, find_profiles, one_cell_each
from leeward.publishing.engines.counted_rows import readable_tables, tidied
from leeward.publishing.engines.database import (
    Column,
    Database,
    Scratch,
    Table,
    ibis,
    is_bytewise,
    row_count,
)
from leeward.publishing.engines.driver_errors import hiding_errors_in
from leeward.publishing.engines.engine import Owners
from leeward.publishing.engines.frame import (
    Frame,
    Units,
    find_establishments,
    find_frame,
    find_units,
    largest,
    unnumbered,
    workplace_side,
)
from leeward.publishing.engines.recoding import (
    find_pays,
    numbered,
    pay_columns,
    profile_name,
    recoded,
    same_id,
)

Integers = NDArray[np.int64]
Columns = dict[str, Integers]


@dataclass(frozen=True)
class Stream:
    """Rows in the order of their column `cell_index`, and the names of all their columns."""

    names: tuple[str, ...]
    pieces: Iterator[pa.RecordBatch]

    def cut(self, cells: int, batch: int) -> Iterator[Columns]:
        """The rows of `batch` workplace cells at a time, of `cells`; each cut has indices from 0.

        The number of cuts depends on the frame alone; some may have no rows.
        """
        held: list[Columns] = []
        start = 0
        for piece in self.pieces:
            rest = {name: _integers(piece.column(name)) for name in self.names}
            while rest["cell_index"].size and rest["cell_index"][-1] >= start + batch:
                end = int(np.searchsorted(rest["cell_index"], start + batch))
                held.append({name: column[:end] for name, column in rest.items()})
                yield self._joined(held, start)
                held, start = [], start + batch
                rest = {name: column[end:] for name, column in rest.items()}
            held.append(rest)
        for begin in range(start, cells, batch):
            yield self._joined(held, begin)
            held = []

    def _joined(self, held: list[Columns], start: int) -> Columns:
        nothing = np.zeros(0, dtype=np.int64)
        columns = {
            name: np.concatenate([one[name] for one in held] or [nothing]) for name in self.names
        }
        columns["cell_index"] = columns["cell_index"] - start
        return columns


def _integers(column: pa.Array) -> Integers:
    values: Integers = column.cast(pa.int64()).to_numpy(zero_copy_only=False)
    return values


def cut_frame(stream: Stream, cells: int, batch: int) -> Iterator[Columns]:
    """The frame itself, in which every index must occur once."""
    for begin, frame in zip(range(0, cells, batch), stream.cut(cells, batch), strict=True):
        if not np.array_equal(frame["cell_index"], np.arange(min(batch, cells - begin))):
            raise BadData(
                "data",
                rule="must not change while they are tabulated",
                value="other workplace cells than there were before",
                next_step="Tabulate again from data at rest.",
            )
        yield frame


def dense_cells(frame: Columns, rows: Columns, worker_cells: int) -> Batch[Cells]:
    """Counts (w, d) and the largest establishment of each workplace cell; payrolls likewise."""
    dense: Columns = {}
    for name in rows.keys() & {"counts", "cell_largest", "payroll"}:
        dense[name] = np.zeros((frame["cell"].size, worker_cells), dtype=np.int64)
        dense[name][rows["cell_index"], rows["worker_cell"]] = rows[name]
    cells = Cells(
        dense["counts"],
        frame["largest"],
        dense.get("cell_largest"),
        in_frame=frame["in_frame"],
        payroll=dense.get("payroll"),
        largest_payroll=frame.get("largest_payroll"),
    )
    return Batch(frame["cell"], Confidential(cells))


def frame_cells(frame: Columns, *, cell_largest: bool) -> Batch[Cells]:
    """The cells of a table in which every job of a workplace cell counts in its one worker cell."""
    every = np.zeros_like(frame["cell_index"])
    rows = {"cell_index": frame["cell_index"], "worker_cell": every, "counts": frame["jobs"]}
    rows |= {"cell_largest": frame["largest"]} if cell_largest else {}
    rows |= {"payroll": frame["payroll"]} if "payroll" in frame else {}
    return dense_cells(frame, rows, 1)


def joint_cells(
    frame: Columns, tables: Iterable[Columns], breakdowns: tuple[Breakdown, ...]
) -> Batch[Cells]:
    """The cells of all tables of a product side by side; what a table leaves out has its cell."""
    parts = []
    for rows, one in zip(tables, breakdowns, strict=True):
        counts = np.zeros((frame["cell"].size, one.cells), dtype=np.int64)
        counts[rows["cell_index"], rows["worker_cell"]] = rows["counts"]
        if one.rest:
            counts[:, -1] = frame["jobs"] - counts.sum(axis=1)
        parts.append(counts)
    cells = Cells(np.concatenate(parts, axis=1), frame["largest"], in_frame=frame["in_frame"])
    return Batch(frame["cell"], Confidential(cells))


def joint_establishments(
    frame: Columns, sizes: Columns, tables: Iterable[Columns], breakdowns: tuple[Breakdown, ...]
) -> Batch[Entries]:
    """The same for each establishment with jobs, sparse."""
    counts, cell, row, start = [], [], [], 0
    for rows, one in zip(tables, breakdowns, strict=True):
        at = _rows_of(sizes, rows)
        counts.append(rows["counts"])
        cell.append(rows["worker_cell"] + start)
        row.append(at)
        start += one.cells
        if one.rest:
            left = sizes["size"].copy()
            np.subtract.at(left, at, rows["counts"])
            some = np.flatnonzero(left)
            counts.append(left[some])
            cell.append(np.full(some.size, start - 1))
            row.append(some)
    owner = sizes.get("owner")
    entries = Entries(
        counts=np.concatenate(counts),
        cell=np.concatenate(cell),
        row=np.concatenate(row),
        sizes=sizes["size"],
        workplace=sizes["cell_index"],
        shape=(frame["cell"].size, start),
        establishment=None if owner is None else sizes["unit"],
        employer=owner,
        in_frame=frame["in_frame"],
    )
    return Batch(frame["cell"], Confidential(entries))


def sparse_establishments(
    frame: Columns, sizes: Columns, rows: Columns, worker_cells: int
) -> Batch[Entries]:
    """Size and workplace cell of each establishment with jobs, and its counts by worker cell.

    Dense rows would be as many as a cell has establishments, each as long as the worker part.
    """
    owner = sizes.get("owner")
    entries = Entries(
        counts=rows["counts"],
        cell=rows["worker_cell"],
        row=_rows_of(sizes, rows),
        sizes=sizes["size"],
        workplace=sizes["cell_index"],
        shape=(frame["cell"].size, worker_cells),
        establishment=None if owner is None else sizes["unit"],
        employer=owner,
        in_frame=frame["in_frame"],
        payroll=rows.get("payroll"),
        payrolls=sizes.get("payroll"),
    )
    return Batch(frame["cell"], Confidential(entries))


def _rows_of(sizes: Columns, rows: Columns) -> Integers:
    """Where in `sizes` the unit of each row is.

    Numbers of units have 32 bits; an owner's part has the same one in several workplace cells.
    """
    units, places = sizes["unit"], np.arange(sizes["unit"].size)
    if not units.size:
        return places
    at = np.full(int(units.max()) + 1, -1)  # a unit without a size is refused where entries are
    at[units] = places
    if np.array_equal(at[units], places):  # each is in one workplace cell: a table will do
        return at[rows["unit"]]
    held, counted = (one["cell_index"] << 32 | one["unit"] for one in (sizes, rows))
    order = np.argsort(held)
    found: Integers = order[np.searchsorted(held, counted, sorter=order)]
    return found


@dataclass(frozen=True)
class Tally:
    """Counts of jobs by unit and by the profiles of workers and jobs: every table adds them up.

    `counts` has unit, profiles, jobs and payrolls; `sides` has, for each worker side, the unit, the
    jobs, the payrolls and the number of the worker cell of every entry that counts in it.
    """

    profiles: tuple[Profile, ...]
    counts: Table
    sides: Mapping[Side, Table]

    def is_cells_of(self, marginal: Marginal, frame: Frame) -> bool:
        """Whether no two entries fall into the same cell of a table, so that nothing is added."""
        return frame.one_unit_each and one_cell_each(self.profiles, worker_side(marginal))

    def worker_cells(self, marginal: Marginal, frame: Frame, sums: Mapping[str, str]) -> Table:
        """cell_index, unit (or part), worker_cell and sums of each unit by worker cell."""
        entries = self.sides[worker_side(marginal)].rename(worker_cell="number")
        found = entries.join(frame.units, "unit")
        return found.select("cell_index", "worker_cell", unit="part", **sums)


def worker_side(marginal: Marginal) -> Side:
    """The worker part, and the filters on workers and jobs."""
    filters = tuple(one for one in marginal.filters if not one.attribute.of_workplaces)
    return marginal.worker, filters


def count_profiles(
    scratch: Scratch,
    tables: dict[str, Table],
    codebook: Codebook,
    units: Units,
    marginals: Iterable[Marginal],
    *,
    ambiguous: bool = False,
) -> Tally:
    """One pass over jobs and workers; the workers are read only if some table needs them.

    With `ambiguous` a text that the database takes for several codes counts as an unlisted one.
    """
    sides = dict.fromkeys(map(worker_side, marginals))
    needed = [one for side in sides for part in side for one in part]
    of_jobs = find_profiles(one for one in needed if one.attribute.table == "jobs")
    of_workers = find_profiles(one for one in needed if one.attribute.table == "workers")
    keys, jobs, workers = codebook.keys, tables["jobs"], tables["workers"]
    ids = {"worker": jobs[keys.jobs.worker], "workplace": jobs[keys.jobs.workplace]}
    paid = pay_columns(jobs, "jobs", units.pays)
    jobs = recoded(scratch, jobs, ids | paid, of_jobs, ambiguous=ambiguous)
    at = units.establishments.select("id", "unit")
    joined = jobs.join(at, same_id(jobs.workplace, at.id)).drop("id")
    paid = pay_columns(workers, "workers", units.pays)
    if of_workers or paid:
        ids, first = {"person": workers[keys.workers.id]}, len(of_jobs)
        people = recoded(scratch, workers, ids | paid, of_workers, first=first, ambiguous=ambiguous)
        joined = joined.join(people, same_id(joined.worker, people.person))
    profiles = (*of_jobs, *of_workers)
    counts = scratch.keep(_counted(joined, len(profiles), tuple(units.pays.values())))
    kept = ("unit", *units.sums, "number")
    entries = {one: numbered(scratch, counts, profiles, one).select(*kept) for one in sides}
    return Tally(profiles, counts, entries)


def _counted(jobs: Table, profiles: int, pays: tuple[str, ...]) -> Table:
    keys = ("unit", *map(profile_name, range(profiles)))
    chosen = jobs.select(*keys, *pays)
    payrolls = {one: chosen[one].sum() for one in pays}
    return chosen.group_by(*keys).aggregate(jobs=chosen.count(), **payrolls)


def require_balance(
    database: Database, tables: Mapping[str, Table], units: Units, entries: Table | None
) -> None:
    """Refuse counts that disagree with sizes: the noise would follow a wrong size.

    Every establishment must be found once, and every job at one of them, with one worker. Ids that
    a database takes for equal in one query and not in the next, and rows that come or go in
    between, break this; payrolls must agree as jobs do. `entries` has unit, jobs and payrolls of
    everything that was counted by workers, before any filter.
    """
    found = units.establishments.aggregate(
        rows=units.establishments.count(), jobs=units.establishments.jobs.sum()
    )
    (held,) = database.rows(found)
    expected = [row_count(database, tables[name]) for name in ("workplaces", "jobs")]
    balanced = expected == [int(held["rows"]), int(held["jobs"] or 0)]
    if not balanced or (entries is not None and _differing(database, units, entries)):
        raise BadData(
            "data",
            rule="must have every job at one workplace and one worker in each query alike",
            value="sums that differ (not shown)",
            next_step="Run `leeward check`; give the columns of ids one binary collation; release "
            "from data at rest.",
        )


def _differing(database: Database, units: Units, entries: Table) -> int:
    """How many units have other jobs, or another payroll, by workers than they have in all."""
    added = entries.group_by(at=entries.unit).aggregate(
        **{f"counted_{one}": entries[one].sum() for one in units.sums}
    )
    sizes = units.table.select("unit", *units.sums)
    both = sizes.left_join(added, sizes.unit == added["at"])
    differ = [both[one] != both[f"counted_{one}"].fill_null(0) for one in units.sums]
    return row_count(database, both.filter(reduce(or_, differ)))


@dataclass(frozen=True)
class Wanted:
    """What a tabulation is for: tables, those asked by establishment, and what of owners.

    `steps` are those without which the rows would be counted differently.
    """

    marginals: tuple[Marginal, ...]
    establishments: tuple[Marginal, ...]
    owners: Owners | None = None
    steps: Steps = EVERY_STEP


class Tabulation:
    """What is needed to read any of the prepared tables."""

    def __init__(
        self,
        database: Database,
        scratch: Scratch,
        codebook: Codebook,
        rule: JobsRule,
        wanted: Wanted,
    ) -> None:
        self._database = database
        self._marginals = dict.fromkeys(_with_parts((*wanted.marginals, *wanted.establishments)))
        self._establishments = frozenset(_with_parts(wanted.establishments))
        found_tables = readable_tables(database, codebook, rule)
        # A collation is lost where rows are kept: which steps are taken must not decide that.
        steps = wanted.steps if is_bytewise(found_tables["jobs"]) else EVERY_STEP
        tables = tidied(scratch, found_tables, codebook, rule, steps)
        sides = list(dict.fromkeys(map(workplace_side, self._marginals)))
        counted = [one for one in self._marginals if not (one.counts_every_job or one.breakdowns)]
        profiles = find_profiles(one for side in sides for part in side for one in part)
        owners, merged = wanted.owners is not None, wanted.owners == "merged"
        self._pays = pays = find_pays(self._marginals)
        found = find_establishments(scratch, tables, codebook, profiles, pays=pays, owners=owners)
        # A frame that is read once is compared with nothing, unless workers were looked up for it.
        once = not counted and not wanted.establishments and len(sides) == 1
        once = once and not any(one.table == "workers" for one in pays)
        kept = not once or not is_bytewise(tables["jobs"])
        if kept:
            each = bool(wanted.establishments)
            units = find_units(scratch, found, profiles, pays, each=each, merged=merged)
        else:
            units = unnumbered(found, profiles, pays, merged=merged)
        self._owners: Table | None = units.table if wanted.owners == "named" else None
        self._frames: dict[Side, Frame] = {
            side: find_frame(database, scratch, units, side) for side in sides
        }
        self._tally: Tally | None = None
        if counted:
            once_each = "ambiguous_code" in steps
            self._tally = count_profiles(
                scratch, tables, codebook, units, counted, ambiguous=once_each
            )
        if kept:
            require_balance(database, tables, units, self._tally and self._tally.counts)

    def frame(self, marginal: Marginal, *, establishments: bool = False) -> Frame:
        """The frame of a prepared table."""
        prepared = self._establishments if establishments else self._marginals
        if marginal not in prepared:
            raise InvalidParameter(
                "marginal",
                rule="must be prepared first"
                + (" with its establishments" if establishments else ""),
                value=repr(marginal.name),
                next_step="Give it to prepare.",
            )
        return self._frames[workplace_side(marginal)]

    def _sums(self, marginal: Marginal, jobs: str = "jobs") -> dict[str, str]:
        """What a table adds up: jobs, under the name that is asked for, and perhaps payroll."""
        paid = marginal.statistic.needs
        return {jobs: "jobs"} | ({"payroll": self._pays[paid[0]]} if paid else {})

    def workplace_cells(self, marginal: Marginal) -> Stream:
        """cell_index, cell, largest, jobs and in_frame of every workplace cell.

        Of a table of pay, payroll and largest_payroll too.
        """
        sums = self._sums(marginal)
        most = {
            "largest" if name == "jobs" else f"largest_{name}": largest(held)
            for name, held in sums.items()
        }
        names = ("cell_index", "cell", "in_frame")
        return self._stream(self.frame(marginal).cells.select(*names, **sums, **most))

    def cells(self, marginal: Marginal, *, cell_largest: bool) -> Stream | None:
        """cell_index, worker_cell, counts and perhaps cell_largest of the cells with jobs.

        Of a table of pay, payroll too. None where every job of a workplace cell counts in its one
        worker cell.
        """
        frame = self.frame(marginal, establishments=cell_largest)
        if marginal.counts_every_job or self._tally is None:
            return None
        parts = self._tally.worker_cells(marginal, frame, self._sums(marginal, "counts"))
        if self._tally.is_cells_of(marginal, frame):
            return self._stream(parts.drop("unit"))
        return self._stream(_added(parts, cell_largest))

    def sizes(self, marginal: Marginal, *, owners: bool) -> Stream:
        """cell_index, unit, size, perhaps payroll and owner of every establishment with jobs."""
        staffed = self._staffed(marginal, "size")
        if not owners:
            return self._stream(staffed)
        if self._owners is None:
            raise InvalidParameter(
                "owners",
                rule="must be prepared first",
                value="tables that were prepared without",
                next_step="Give owners='named' to prepare.",
            )
        owned = staffed.join(self._owners.select("unit", "owner"), "unit")
        return self._stream(owned.select(*staffed.columns, "owner"))

    def _staffed(self, marginal: Marginal, jobs: str) -> Table:
        """cell_index, unit and sums of every establishment with jobs."""
        parts = self.frame(marginal, establishments=True).parts
        staffed = parts.filter(parts.jobs > 0)
        return staffed.select("cell_index", unit="part", **self._sums(marginal, jobs))

    def establishments(self, marginal: Marginal) -> Stream:
        """cell_index, unit, worker_cell and counts of every establishment with jobs in a table.

        Of a table of pay, payroll too.
        """
        frame = self.frame(marginal, establishments=True)
        if marginal.counts_every_job or self._tally is None:
            one = ibis.literal(0, "int32")
            return self._stream(self._staffed(marginal, "counts").mutate(worker_cell=one))
        parts = self._tally.worker_cells(marginal, frame, self._sums(marginal, "counts"))
        if frame.one_unit_parts and one_cell_each(self._tally.profiles, worker_side(marginal)):
            return self._stream(parts)
        return self._stream(_grouped(parts, "cell_index", "unit", "worker_cell"))

    def jobs(self, marginal: Marginal) -> int:
        """All jobs of a prepared worker table together."""
        if self._tally is None:
            return 0
        entries = self._tally.worker_cells(marginal, self.frame(marginal), {"jobs": "jobs"})
        (found,) = self._database.rows(entries.aggregate(jobs=entries.jobs.sum()))
        return int(found["jobs"] or 0)

    def _stream(self, query: Table) -> Stream:
        pieces = self._database.stream(query.order_by("cell_index"))
        return Stream(tuple(query.columns), hiding_errors_in(pieces))


def _with_parts(marginals: Iterable[Marginal]) -> Iterator[Marginal]:
    """Tables, and the tables of each product."""
    for marginal in marginals:
        yield marginal
        yield from marginal.published if marginal.breakdowns else ()


def _added(parts: Table, cell_largest: bool) -> Table:
    """Counts and payrolls of units added up to cells."""
    if not cell_largest:
        return _grouped(parts, "cell_index", "worker_cell")
    each = _grouped(parts, "cell_index", "unit", "worker_cell")
    return _grouped(each, "cell_index", "worker_cell", cell_largest=each.counts.max())


def _grouped(parts: Table, *keys: str, **further: Column) -> Table:
    """Counts, and payrolls if there are any, added up."""
    sums = {one: parts[one].sum() for one in ("counts", "payroll") if one in parts.columns}
    return parts.group_by(*keys).aggregate(**sums, **further)


def count_impossible(
    database: Database, codebook: Codebook, rule: JobsRule, steps: Steps
) -> tuple[int, ...]:
    """How many jobs have each of the impossible combinations. CONFIDENTIAL.

    Each is counted as a table without attributes whose filters are its codes.
    """
    if not codebook.impossible:
        return ()
    tables = tuple(Marginal("", (), (), _filters(codebook, one)) for one in codebook.impossible)
    scratch = Scratch(database, "impossible")
    made = Tabulation(database, scratch, codebook, rule, Wanted(tables, (), steps=steps))
    counts = tuple(made.jobs(one) for one in tables)
    scratch.clear()
    return counts


def _filters(codebook: Codebook, combination: Mapping[str, str]) -> tuple[Dimension, ...]:
    attributes = codebook.attributes
    return tuple(
        Dimension(attributes[name], (attributes[name].codes.index(code),))
        for name, code in combination.items()
    )
