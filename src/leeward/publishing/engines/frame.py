"""Frame: the workplace cells that exist, found in the workplaces table alone.

Counts are kept by unit. A unit is one establishment where a table asks for establishments; else all
establishments with the same codes. Where owners are merged, the units of one owner in a workplace
cell are one part of the cell, and what a table asks of establishments it gets of parts.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from operator import add, or_

from leeward.core.codebook import Attribute, Codebook, Marginal
from leeward.core.errors import BadData
from leeward.publishing.engines.code_classes import Profile, Side, one_cell_each
from leeward.publishing.engines.database import Column, Scratch, SqlDatabase, Table, ibis, row_count
from leeward.publishing.engines.recoding import (
    numbered,
    present,
    profile_name,
    recoded,
    same_id,
    whole_pay,
)

Pays = Mapping[Attribute, str]
"""The columns of pay that some table adds up, and the name that each has in queries."""


def find_pays(marginals: Iterable[Marginal]) -> Pays:
    """The columns of pay of all tables, each once."""
    columns = dict.fromkeys(pay for table in marginals for pay in table.statistic.needs)
    return {column: f"pay_{k}" for k, column in enumerate(columns)}


def pay_columns(table: Table, name: str, pays: Pays) -> dict[str, Column]:
    """The pay in each row of the table of this name."""
    return {
        new: whole_pay(table[pay.column], pay.numbers)
        for pay, new in pays.items()
        if pay.table == name and pay.numbers is not None
    }


MOST_NUMBERS = 2**62
"""Above this many combinations they are ranked, since their numbers would not fit."""


def workplace_side(marginal: Marginal) -> Side:
    """What decides the frame of a table: workplace part and workplace filters."""
    filters = tuple(kept for kept in marginal.filters if kept.attribute.of_workplaces)
    return marginal.workplace, filters


def worker_side(marginal: Marginal) -> Side:
    """The worker part, and the filters on workers and jobs."""
    filters = tuple(kept for kept in marginal.filters if not kept.attribute.of_workplaces)
    return marginal.worker, filters


@dataclass(frozen=True)
class FrameUnits:
    """The establishments, and the units to which they belong.

    `establishments` has id and unit; `table` has unit, profiles, the sums with the largest of an
    establishment, in_frame, how many establishments it has, and owner if owners are asked for. The
    sums are jobs and payrolls: all those of the establishments, 0 where they have none.
    """

    establishments: Table
    table: Table
    profiles: tuple[Profile, ...]
    pays: Pays
    each_establishment: bool = False
    merged: bool = False
    """Whether the units of one owner in a workplace cell count as one."""

    @property
    def sums(self) -> tuple[str, ...]:
        return summed(self.pays)


@dataclass(frozen=True)
class Frame:
    """The workplace cells of one side that exist, indexed 0, 1, … in the order of their numbers.

    `cells` has cell_index, cell (the number), jobs and payrolls with the largest of each, and
    in_frame (the number of establishments, with jobs or without); `units` has unit, cell_index and
    part; `parts` has cell_index, part, jobs and payrolls. A part is a unit, or all units of an
    owner in the cell.
    """

    cells: Table
    units: Table
    parts: Table
    size: int
    one_unit_each: bool
    """Whether no two units belong to the same cell."""

    one_unit_parts: bool
    """Whether every part is a unit of its own."""


def find_establishments(
    scratch: Scratch,
    tables: dict[str, Table],
    codebook: Codebook,
    profiles: Sequence[Profile],
    *,
    pays: Pays,
    owners: bool = False,
) -> Table:
    """id, profiles, jobs and payrolls of every establishment, and perhaps the id of its owner."""
    keys, workplaces = codebook.keys.workplaces, tables["workplaces"]
    ids = {"id": workplaces[keys.id]}
    if owners:
        ids["owner"] = present(workplaces[keys.id if keys.employer is None else keys.employer])
    coded = recoded(scratch, workplaces, ids, profiles)
    jobs, workers, of_jobs = tables["jobs"], tables["workers"], codebook.keys.jobs
    columns = {"at": jobs[of_jobs.workplace], "worker": jobs[of_jobs.worker]}
    paid = jobs.select(**columns, **pay_columns(jobs, "jobs", pays))
    # Pay of workers is that of each of their jobs.
    if of_workers := pay_columns(workers, "workers", pays):
        people = workers.select(person=codebook.keys.workers.id, **of_workers)
        paid = paid.join(people, same_id(paid.worker, people.person))
    payrolls = {pay: paid[pay].sum() for pay in pays.values()}
    sizes = paid.group_by("at").aggregate(jobs=paid.count(), **payrolls)
    joined = coded.left_join(sizes, same_id(coded.id, sizes["at"]))
    filled = {name: joined[name].fill_null(0).cast("int64") for name in ("jobs", *payrolls)}
    return joined.mutate(**filled).drop("at")


def summed(pays: Pays) -> tuple[str, ...]:
    """The columns that are added up: jobs, and each column of pay."""
    return ("jobs", *pays.values())


def largest(name: str) -> str:
    """The column that holds the largest part of a sum."""
    return f"largest_{name}"


def unnumbered(
    establishments: Table, profiles: tuple[Profile, ...], pays: Pays, *, merged: bool
) -> FrameUnits:
    """The units for one frame alone, which is read once and needs no numbers of units."""
    table = _each(establishments, pays).mutate(unit=0)
    return FrameUnits(establishments, table, profiles, pays, merged=merged)


def find_units(
    scratch: Scratch,
    establishments: Table,
    profiles: tuple[Profile, ...],
    pays: Pays,
    *,
    each: bool,
    merged: bool,
) -> FrameUnits:
    """The units, computed once; with `each` or `merged`, one for each establishment."""
    if each or merged:
        turn = ibis.row_number().over(order_by=establishments.id).cast("int32")
        table = scratch.keep(_each(establishments.mutate(unit=turn), pays))
        return FrameUnits(table, table, profiles, pays, each_establishment=True, merged=merged)
    values = [profile_name(k) for k in range(len(profiles))]
    columns, sizes = [establishments[name] for name in values], [part.size for part in profiles]
    # One number for each combination of profiles, in 32 bits if these suffice.
    if prod(sizes) >= MOST_NUMBERS:
        unit = ibis.dense_rank().over(order_by=columns).cast("int32")
    else:
        strides = [prod(sizes[k + 1 :]) for k in range(len(sizes))]
        # Ibis believes sums of int32 to be int64 and would drop a later cast; profiles are no sums.
        terms = [v.cast("int64") * stride for v, stride in zip(columns, strides, strict=True)]
        unit = reduce(add, terms, ibis.literal(0, "int64"))
        unit = unit.cast("int32") if prod(sizes) < 2**31 else unit
    table = scratch.keep(establishments.mutate(unit=unit))
    grouped = table.group_by("unit", *values).aggregate(
        **{name: table[name].sum() for name in summed(pays)},
        **{largest(name): table[name].max() for name in summed(pays)},
        in_frame=table.count(),
    )
    return FrameUnits(table, scratch.keep(grouped), profiles, pays)


def _each(establishments: Table, pays: Pays) -> Table:
    """Establishments as units: each is its own largest. Owners, if they are known, are numbered."""
    columns = {largest(name): establishments[name] for name in summed(pays)}
    if "owner" in establishments.columns:
        owner = establishments.owner
        alone = ibis.cases((owner.isnull(), establishments.id))  # without an id, each for itself
        columns["owner"] = ibis.dense_rank().over(order_by=[owner, alone]).cast("int32")
    return establishments.mutate(in_frame=1, **columns)


def find_frame(database: SqlDatabase, scratch: Scratch, units: FrameUnits, side: Side) -> Frame:
    """The cells of one side; which exist does not depend on the jobs table."""
    inside = numbered(scratch, units.table, units.profiles, side)
    part, sums = inside.owner if units.merged else inside.unit, units.sums
    kept = ("unit", "in_frame", *sums, *map(largest, sums))
    inside = parts = inside.select(*kept, cell="number", part=part)
    if units.merged:  # all that one owner has in a workplace cell counts as one establishment
        parts = inside.group_by("cell", "part").aggregate(
            **{name: inside[name].sum() for name in (*sums, "in_frame")},
            **{largest(name): inside[name].sum() for name in sums},
        )
    cells = parts.group_by("cell").aggregate(
        **{largest(name): parts[largest(name)].max() for name in sums},
        **{name: parts[name].sum() for name in (*sums, "in_frame")},
    )
    index = ibis.row_number().over(order_by=cells.cell).cast("int32")
    cells = scratch.keep(cells.mutate(cell_index=index))
    indices = cells.select("cell", "cell_index")
    one_each = not units.each_establishment and one_cell_each(units.profiles, side)
    return Frame(
        cells,
        inside.join(indices, "cell").select("unit", "cell_index", "part"),
        parts.join(indices, "cell").select("cell_index", "part", *sums),
        row_count(database, cells),
        one_each,
        one_unit_parts=not units.merged,
    )


def require_balance(
    database: SqlDatabase, tables: Mapping[str, Table], units: FrameUnits, entries: Table | None
) -> None:
    """Reject counts that disagree with sizes: the noise would follow a wrong size.

    Every establishment must be found once, and every job at one of them, with one worker. Ids that
    a database takes for equal in one query and not in the next, and rows that come or go in
    between, break this; payrolls must agree as jobs do. `entries` has unit, jobs and payrolls of
    everything that was counted by workers, before any filter.
    """
    sizes = units.establishments
    (sums,) = database.rows(sizes.aggregate(rows=sizes.count(), jobs=sizes.jobs.sum()))
    expected = [row_count(database, tables[name]) for name in ("workplaces", "jobs")]
    balanced = expected == [int(sums["rows"]), int(sums["jobs"] or 0)]
    if balanced and entries is not None:
        added = entries.group_by(at=entries.unit).aggregate(
            **{f"counted_{name}": entries[name].sum() for name in units.sums}
        )
        in_all = units.table.select("unit", *units.sums)
        both = in_all.left_join(added, in_all.unit == added["at"])
        differ = [both[name] != both[f"counted_{name}"].fill_null(0) for name in units.sums]
        balanced = not row_count(database, both.filter(reduce(or_, differ)))
    if not balanced:
        raise BadData(
            "data",
            rule="must have every job at one workplace and one worker in each query alike",
            value="sums that differ (not shown)",
            next_step="Run `leeward check`; give the columns of ids one binary collation; release "
            "from data at rest.",
        )
