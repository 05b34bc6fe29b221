"""Tabulation: one shared pass over the data, and what each table gets of its result.

The ordered rows of a query become arrays of some workplace cells at a time: where a batch ends
depends on the public frame alone.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from leeward.core.codebook import (
    EVERY_STEP,
    Batch,
    Breakdown,
    Cells,
    Codebook,
    Confidential,
    JobsRule,
    Marginal,
    Steps,
)
from leeward.core.errors import BadData, InvalidParameter
from leeward.publishing.engines.code_classes import find_profiles, one_cell_each
from leeward.publishing.engines.counted_rows import readable_tables, tidied
from leeward.publishing.engines.database import (
    Column,
    Columns,
    Scratch,
    SqlDatabase,
    Stream,
    Table,
    ibis,
    is_bytewise,
)
from leeward.publishing.engines.driver_errors import hiding_errors_in
from leeward.publishing.engines.frame import (
    Frame,
    find_establishments,
    find_frame,
    find_pays,
    find_units,
    largest,
    unnumbered,
    workplace_side,
)
from leeward.publishing.engines.tally import Tally, count_profiles, require_balance, worker_side

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
        counted = [table for table in self._marginals if _looks_up_workers(table)]
        profiles = find_profiles(column for side in sides for part in side for column in part)
        self._pays = pays = find_pays(self._marginals)
        each, merged = bool(wanted.establishments), wanted.owners == "merged"
        owners = wanted.owners is not None
        sizes = find_establishments(scratch, tables, codebook, profiles, pays=pays, owners=owners)
        # A frame that is read once is compared with nothing, unless workers were looked up for it.
        paid = any(pay.table == "workers" for pay in pays)
        once = not (counted or each or paid) and len(sides) == 1
        kept = not once or not is_bytewise(tables["jobs"])
        if kept:
            units = find_units(scratch, sizes, profiles, pays, each=each, merged=merged)
        else:
            units = unnumbered(sizes, profiles, pays, merged=merged)
        self._owners = units.table if wanted.owners == "named" else None
        self._frames = {side: find_frame(database, scratch, units, side) for side in sides}
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
        if self._tally.is_cells_of(marginal, frame):
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


def _looks_up_workers(table: Marginal) -> bool:
    """Whether jobs are counted by their worker cells; a product is, by its parts."""
    return not (table.counts_every_job or table.breakdowns)


def _with_parts(marginals: Iterable[Marginal]) -> Iterator[Marginal]:
    """Tables, and the tables of each product."""
    for marginal in marginals:
        yield marginal
        yield from marginal.published if marginal.breakdowns else ()


def _grouped(parts: Table, *keys: str, **further: Column) -> Table:
    """Counts, and payrolls if there are any, added up."""
    sums = {name: parts[name].sum() for name in ("counts", "payroll") if name in parts.columns}
    return parts.group_by(*keys).aggregate(**sums, **further)


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
    for rows, breakdown in zip(tables, breakdowns, strict=True):
        counts = np.zeros((frame["cell"].size, breakdown.cells), dtype=np.int64)
        counts[rows["cell_index"], rows["worker_cell"]] = rows["counts"]
        if breakdown.rest:
            counts[:, -1] = frame["jobs"] - counts.sum(axis=1)
        parts.append(counts)
    cells = Cells(np.concatenate(parts, axis=1), frame["largest"], in_frame=frame["in_frame"])
    return Batch(frame["cell"], Confidential(cells))
