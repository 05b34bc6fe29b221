"""Tabulation: one shared pass over the data, and what each table gets of its result.

Jobs are counted in two ways, by establishment and by worker, and both must agree.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from leeward.core.codebook import EVERY_STEP, Codebook, JobsRule, Marginal, Steps
from leeward.core.errors import InvalidParameter
from leeward.publishing.engines.batches import Stream
from leeward.publishing.engines.code_classes import Profile, Side, find_profiles, one_cell_each
from leeward.publishing.engines.counted_rows import readable_tables, tidied
from leeward.publishing.engines.database import (
    Column,
    Scratch,
    SqlDatabase,
    Table,
    ibis,
    is_bytewise,
)
from leeward.publishing.engines.driver_errors import hiding_errors_in
from leeward.publishing.engines.frame import (
    Frame,
    FrameUnits,
    find_establishments,
    find_frame,
    find_pays,
    find_units,
    largest,
    pay_columns,
    require_balance,
    unnumbered,
    worker_side,
    workplace_side,
)
from leeward.publishing.engines.recoding import numbered, profile_name, recoded, same_id

Owners = Literal["named", "merged"]
"""What is asked of the employers of establishments: their numbers, or their parts.

An owner's part in a workplace cell is all its establishments there, which count as one.
"""


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
        database: SqlDatabase,
        scratch: Scratch,
        codebook: Codebook,
        rule: JobsRule,
        wanted: Wanted,
    ) -> None:
        self._database = database
        self._marginals = dict.fromkeys(_with_parts((*wanted.marginals, *wanted.establishments)))
        self._establishments = frozenset(_with_parts(wanted.establishments))
        source = readable_tables(database, codebook, rule)
        # A collation is lost where rows are kept: which steps are taken must not decide that.
        steps = wanted.steps if is_bytewise(source["jobs"]) else EVERY_STEP
        tables = tidied(scratch, source, codebook, rule, steps)
        sides = list(dict.fromkeys(map(workplace_side, self._marginals)))
        # Jobs are counted by their worker cells; those of a product, by its parts.
        counted = [
            table for table in self._marginals if not (table.counts_every_job or table.breakdowns)
        ]
        profiles = find_profiles(column for side in sides for part in side for column in part)
        self._pays = pays = find_pays(self._marginals)
        each, merged = bool(wanted.establishments), wanted.owners == "merged"
        owners = wanted.owners is not None
        sizes = find_establishments(scratch, tables, codebook, profiles, pays=pays, owners=owners)
        # A frame that is read once is compared with nothing, unless workers were looked up for it.
        looked_up = counted or each or any(pay.table == "workers" for pay in pays)
        once = len(sides) == 1 and not looked_up
        kept = not once or not is_bytewise(tables["jobs"])
        if kept:
            units = find_units(scratch, sizes, profiles, pays, each=each, merged=merged)
        else:
            units = unnumbered(sizes, profiles, pays, merged=merged)
        self._owners = units.table if wanted.owners == "named" else None
        self._frames = {side: find_frame(database, scratch, units, side) for side in sides}
        self._tally: Tally | None = None
        if counted:
            self._tally = count_profiles(scratch, tables, codebook, units, counted, steps)
        if kept:
            require_balance(database, tables, units, self._tally and self._tally.counts)

    def frame(self, marginal: Marginal, *, establishments: bool = False) -> Frame:
        prepared = self._establishments if establishments else self._marginals
        if marginal not in prepared:
            with_what = " with its establishments" if establishments else ""
            raise unprepared("marginal", repr(marginal.name), f"must be prepared first{with_what}")
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
            "largest" if name == "jobs" else f"largest_{name}": largest(column)
            for name, column in sums.items()
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
        # Where no two entries fall into the same cell of the table, nothing is added up.
        if frame.one_unit_each and one_cell_each(self._tally.profiles, worker_side(marginal)):
            return self._stream(parts.drop("unit"))
        if not cell_largest:
            return self._stream(_grouped(parts, "cell_index", "worker_cell"))
        each = _grouped(parts, "cell_index", "unit", "worker_cell")
        most = each.counts.max()
        return self._stream(_grouped(each, "cell_index", "worker_cell", cell_largest=most))

    def sizes(self, marginal: Marginal, *, owners: bool) -> Stream:
        """cell_index, unit, size, perhaps payroll and owner of every establishment with jobs."""
        staffed = self._staffed(marginal, "size")
        if not owners:
            return self._stream(staffed)
        if self._owners is None:
            step = "Give owners='named' to prepare."
            raise unprepared("owners", "tables that were prepared without", next_step=step)
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
            only = ibis.literal(0, "int32")
            return self._stream(self._staffed(marginal, "counts").mutate(worker_cell=only))
        parts = self._tally.worker_cells(marginal, frame, self._sums(marginal, "counts"))
        if frame.one_unit_parts and one_cell_each(self._tally.profiles, worker_side(marginal)):
            return self._stream(parts)
        return self._stream(_grouped(parts, "cell_index", "unit", "worker_cell"))

    def jobs(self, marginal: Marginal) -> int:
        """All jobs of a prepared worker table together."""
        if self._tally is None:
            return 0
        entries = self._tally.worker_cells(marginal, self.frame(marginal), {"jobs": "jobs"})
        (total,) = self._database.rows(entries.aggregate(jobs=entries.jobs.sum()))
        return int(total["jobs"] or 0)

    def _stream(self, query: Table) -> Stream:
        pieces = self._database.stream(query.order_by("cell_index"))
        return Stream(tuple(query.columns), hiding_errors_in(pieces))


def unprepared(
    parameter: str,
    value: str,
    rule: str = "must be prepared first",
    next_step: str = "Give it to prepare.",
) -> InvalidParameter:
    """The error where something is asked for that was not prepared."""
    return InvalidParameter(parameter, rule=rule, value=value, next_step=next_step)


def _with_parts(marginals: Iterable[Marginal]) -> Iterator[Marginal]:
    """Tables, and the tables of each product."""
    for marginal in marginals:
        yield marginal
        yield from marginal.published if marginal.breakdowns else ()


def _grouped(parts: Table, *keys: str, **further: Column) -> Table:
    """Counts, and payrolls if there are any, added up."""
    sums = {name: parts[name].sum() for name in ("counts", "payroll") if name in parts.columns}
    return parts.group_by(*keys).aggregate(**sums, **further)


@dataclass(frozen=True)
class Tally:
    """Counts of jobs by unit and by the profiles of workers and jobs: every table adds them up.

    `counts` has unit, profiles, jobs and payrolls; `sides` has, for each worker side, the unit, the
    jobs, the payrolls and the number of the worker cell of every entry that counts in it.
    """

    profiles: tuple[Profile, ...]
    counts: Table
    sides: Mapping[Side, Table]

    def worker_cells(self, marginal: Marginal, frame: Frame, sums: Mapping[str, str]) -> Table:
        """cell_index, unit (or part), worker_cell and sums of each unit by worker cell."""
        entries = self.sides[worker_side(marginal)].rename(worker_cell="number")
        placed = entries.join(frame.units, "unit")
        return placed.select("cell_index", "worker_cell", unit="part", **sums)


def count_profiles(
    scratch: Scratch,
    tables: dict[str, Table],
    codebook: Codebook,
    units: FrameUnits,
    marginals: Iterable[Marginal],
    steps: Steps,
) -> Tally:
    """One pass over jobs and workers; the workers are read only if some table needs them.

    With the step of ambiguous codes, a text that the database takes for several codes counts as an
    unlisted one.
    """
    ambiguous = "ambiguous_code" in steps
    sides = dict.fromkeys(map(worker_side, marginals))
    needed = [dimension for side in sides for part in side for dimension in part]
    of_jobs, of_workers = (
        find_profiles(dimension for dimension in needed if dimension.attribute.table == table)
        for table in ("jobs", "workers")
    )
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
    groups = ("unit", *map(profile_name, range(len(profiles))))
    chosen = joined.select(*groups, *units.pays.values())
    payrolls = {pay: chosen[pay].sum() for pay in units.pays.values()}
    counts = scratch.keep(chosen.group_by(*groups).aggregate(jobs=chosen.count(), **payrolls))
    kept = ("unit", *units.sums, "number")
    entries = {side: numbered(scratch, counts, profiles, side).select(*kept) for side in sides}
    return Tally(profiles, counts, entries)
