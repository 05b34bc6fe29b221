"""Tally: the jobs by unit and by the codes of workers and jobs, which every table adds up.

Jobs are counted in two ways, by establishment and by worker, and both must agree.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_

from leeward.core.codebook import Codebook, Marginal
from leeward.core.errors import BadData
from leeward.publishing.engines.code_classes import Profile, Side, find_profiles, one_cell_each
from leeward.publishing.engines.database import Scratch, SqlDatabase, Table, row_count
from leeward.publishing.engines.frame import Frame, FrameUnits, pay_columns
from leeward.publishing.engines.recoding import numbered, profile_name, recoded, same_id


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
        placed = entries.join(frame.units, "unit")
        return placed.select("cell_index", "worker_cell", unit="part", **sums)


def worker_side(marginal: Marginal) -> Side:
    """The worker part, and the filters on workers and jobs."""
    filters = tuple(kept for kept in marginal.filters if not kept.attribute.of_workplaces)
    return marginal.worker, filters


def count_profiles(
    scratch: Scratch,
    tables: dict[str, Table],
    codebook: Codebook,
    units: FrameUnits,
    marginals: Iterable[Marginal],
    *,
    ambiguous: bool = False,
) -> Tally:
    """One pass over jobs and workers; the workers are read only if some table needs them.

    With `ambiguous` a text that the database takes for several codes counts as an unlisted one.
    """
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


def require_balance(
    database: SqlDatabase, tables: Mapping[str, Table], units: FrameUnits, entries: Table | None
) -> None:
    """Refuse counts that disagree with sizes: the noise would follow a wrong size.

    Every establishment must be found once, and every job at one of them, with one worker. Ids that
    a database takes for equal in one query and not in the next, and rows that come or go in
    between, break this; payrolls must agree as jobs do. `entries` has unit, jobs and payrolls of
    everything that was counted by workers, before any filter.
    """
    sizes = units.establishments
    (sums,) = database.rows(sizes.aggregate(rows=sizes.count(), jobs=sizes.jobs.sum()))
    expected = [row_count(database, tables[name]) for name in ("workplaces", "jobs")]
    balanced = expected == [int(sums["rows"]), int(sums["jobs"] or 0)]
    if not balanced or (entries is not None and _differing(database, units, entries)):
        raise BadData(
            "data",
            rule="must have every job at one workplace and one worker in each query alike",
            value="sums that differ (not shown)",
            next_step="Run `leeward check`; give the columns of ids one binary collation; release "
            "from data at rest.",
        )


def _differing(database: SqlDatabase, units: FrameUnits, entries: Table) -> int:
    """How many units have other jobs, or another payroll, by workers than they have in all."""
    added = entries.group_by(at=entries.unit).aggregate(
        **{f"counted_{name}": entries[name].sum() for name in units.sums}
    )
    sizes = units.table.select("unit", *units.sums)
    both = sizes.left_join(added, sizes.unit == added["at"])
    differ = [both[name] != both[f"counted_{name}"].fill_null(0) for name in units.sums]
    return row_count(database, both.filter(reduce(or_, differ)))
