"""Wages: from wage records (person, workplace, quarter, pay) to the jobs of one quarter.

A job is a person at a workplace with positive pay in the quarter t. The quarters t-1 and t+1 say
what kind of job it is: with pay in t-1 it is held at the beginning of the quarter ([H15], 6), with
pay in t+1 at its end, with pay in both it lasts the full quarter. The database does the work,
and only the jobs leave it. CONFIDENTIAL.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import add
from pathlib import Path

import pyarrow as pa

from leeward.core.codebook.resources import Resources
from leeward.core.codebook.wage_jobs import ONES, WageJobs
from leeward.core.errors import BadData, shown
from leeward.publishing.engines.database import Scratch, SqlDatabase, Table, can, ibis, row_count
from leeward.publishing.engines.driver_errors import frankly, hiding_errors, hiding_errors_in
from leeward.publishing.engines.headers import holds_numbers, may_hold_codes, require_column
from leeward.publishing.engines.opening import ANYTHING, open_database
from leeward.publishing.engines.private_file import require_new, write_private
from leeward.publishing.engines.recoding import ordered_text
from leeward.publishing.engines.wage_records import (
    DOUBTFUL,
    OddRecords,
    odd_pairs,
    odd_records,
    wage_records,
)

TABLE = "wages"
WRITTEN = "^[0-9]{4}Q[1-4]"
"""A quarter in the database; the length says that nothing follows."""


@dataclass(frozen=True)
class JobsFile:
    """The file that was written; how many `jobs` it has is confidential.

    `missing` are the neighbours of the quarter of which there are no wages: then there is no flow.
    `left_out` are the records that make no job, each under its first problem; `doubtful` are those
    that make one, probably a wrong one. Of all pairs of a person and a workplace with pay in the
    quarter, `linked` have pay in a neighbour of it too; None where that is not known.
    """

    path: Path
    jobs: int
    missing: tuple[str, ...]
    left_out: tuple[OddRecords, ...] = ()
    doubtful: tuple[OddRecords, ...] = ()
    linked: Fraction | None = None

    def lost(self) -> dict[str, tuple[int, int]]:
        """For each quarter with records that make no job, how many of how many."""
        lost: dict[str, tuple[int, int]] = {}
        for odd in self.left_out:
            lost[odd.quarter] = (lost.get(odd.quarter, (0, 0))[0] + odd.rows, odd.of)
        return lost


def write_jobs(
    wages: object, wanted: WageJobs, out: Path, resources: Resources = ANYTHING
) -> JobsFile:
    """Write the jobs that follow from wage records into a Parquet file for its owner alone.

    `wages` is a path relative to here, an address of a database, or a frame in this process.
    """
    require_new(out)
    with frankly():
        database = open_database({TABLE: wages}, Path(), resources, tables=(TABLE,))
        try:
            return hiding_errors(lambda: _written(database, wanted, out), TABLE.upper())
        finally:
            database.close()


def _written(database: SqlDatabase, wanted: WageJobs, out: Path) -> JobsFile:
    columns = wanted.columns.options
    _require_columns(database.tables()[TABLE], columns)
    table = database.tables({TABLE: tuple(dict.fromkeys(columns.values()))})[TABLE]
    records = wage_records(table, columns)
    missing = _missing(database, records, wanted)
    odd = tuple(odd_records(database, table, wanted))
    if wanted.columns.employer is not None:
        _require_one_employer(database, records)
    scratch = Scratch(database, TABLE)
    pairs = scratch.keep(_pairs(records, wanted))
    odd += tuple(odd_pairs(database, pairs, wanted))
    jobs = scratch.keep(_jobs(pairs, wanted, with_flow=not missing))
    linked = None
    if not missing:
        there, beside = pairs.now > 0, (pairs.before > 0) | (pairs.after > 0)
        counts = {"jobs": pairs.count(where=there), "both": pairs.count(where=there & beside)}
        (sums,) = database.rows(pairs.aggregate(**counts))
        linked = Fraction(int(sums["both"]), int(sums["jobs"])) if sums["jobs"] else None
    pieces = hiding_errors_in(database.stream(jobs.order_by("cell_index")), TABLE.upper())
    _, *kinds = jobs.schema().items()
    # Whole numbers and texts, on every database alike: sums of whole numbers are decimals in some.
    whole = {name for name, kind in kinds if name == "earnings" or kind.is_integer()}
    schema = pa.schema((name, pa.int64() if name in whole else pa.string()) for name, _ in kinds)
    rows = write_private(out, pieces, schema)
    doubtful = tuple(records for records in odd if records.problem in DOUBTFUL)
    left_out = tuple(records for records in odd if records.problem not in DOUBTFUL)
    return JobsFile(out, rows, missing, left_out, doubtful, linked)


def _pairs(records: Table, wanted: WageJobs) -> Table:
    """The pay of each person at each workplace in the quarter and beside it.

    Records of one person, workplace and quarter are added up, corrections of either sign too.
    `records` counts those of the quarter whose pay is a number and does not round down to 0.
    """
    near = records.filter(
        records.quarter.isin(list(wanted.quarters.values())),
        records.worker_id.notnull(),
        records.workplace_id.notnull(),
    )
    pays = {
        name: near.pay.sum(where=near.quarter == text).fill_null(0)
        for name, text in wanted.quarters.items()
    }
    now = near.quarter == wanted.quarters["now"]
    counted = now & near.pay.notnull() & ((near.pay != 0) | ~near.some)
    return near.group_by("worker_id", "workplace_id").aggregate(
        **pays, records=near.count(where=counted)
    )


def _jobs(pairs: Table, wanted: WageJobs, *, with_flow: bool) -> Table:
    """The jobs in the order of person and workplace, with their number in it."""
    jobs = pairs.filter(*(pairs[name] > 0 for name in ("now", *wanted.paid)))
    if wanted.one is not None:
        # The job of each person with the largest pay in some quarters; ties go to the first id.
        # Ids are ordered as texts, whatever type their column has.
        largest = ibis.desc(reduce(add, (jobs[name] for name in ONES[wanted.one])))
        first = ibis.asc(ordered_text(jobs.workplace_id))
        turn = ibis.row_number().over(group_by=jobs.worker_id, order_by=[largest, first])
        numbered = jobs.mutate(turn=turn)
        jobs = numbered.filter(numbered.turn == 0).drop("turn")
    before, after = (ibis.ifelse(pay > 0, "1", "0") for pay in (jobs.before, jobs.after))
    flow = {"flow": before + after} if with_flow else {}
    order = ibis.row_number().over(order_by=[jobs.worker_id, jobs.workplace_id])
    return jobs.select(
        "worker_id", "workplace_id", cell_index=order.cast("int64"), earnings=jobs.now, **flow
    ).select("cell_index", "worker_id", "workplace_id", "earnings", *flow)


def _missing(database: SqlDatabase, records: Table, wanted: WageJobs) -> tuple[str, ...]:
    """The neighbours of the quarter of which there is no record; one that is needed is refused."""
    quarter = records.quarter
    wrong = quarter.isnull() | (quarter.length() != len("2026Q2")) | ~quarter.re_search(WRITTEN)
    counts = {name: records.count(where=quarter == text) for name, text in wanted.quarters.items()}
    (sums,) = database.rows(records.aggregate(**counts, wrong=records.count(where=wrong)))
    if sums["wrong"]:
        raise BadData(
            "--quarter-column",
            rule="must hold a quarter such as 2026Q2 in every record",
            value=f"others in {shown(wanted.columns.quarter)} (not shown)",
            next_step="Write quarters as a year, Q and a number from 1 to 4, or mend the records.",
        )
    for name in ("now", *wanted.paid):
        if not sums[name]:
            why = "" if name == "now" else f", by which {wanted.one or wanted.kind} jobs are known"
            other = "" if name == "now" or wanted.one == "dominant" else ", or --kind any"
            raise BadData(
                TABLE.upper(),
                rule=f"must have records of {wanted.quarters[name]}{why}",
                value="none of that quarter",
                next_step=f"Add them, or give another --quarter{other}.",
            )
    return tuple(wanted.quarters[name] for name in ("before", "after") if not sums[name])


def _require_one_employer(database: SqlDatabase, records: Table) -> None:
    """Reject establishments that are numbered within employers: different ones would be one."""
    each = records.group_by("quarter", "workplace_id").aggregate(owners=records.employer.nunique())
    if row_count(database, each.filter(each.workplace_id.notnull(), each.owners > 1)):
        raise BadData(
            "--workplace",
            rule="must be an id that no two employers share in a quarter",
            value="ids that several employers have (not shown)",
            next_step="Make one id of employer and establishment, here and in workplaces.",
        )


def _require_columns(table: Table, columns: Mapping[str, str]) -> None:
    """Reject columns that are not there, or of types that hold no ids, quarters or pay."""
    for option, column in columns.items():
        # No name like it is suggested: the employer's would be taken for the establishment's.
        hint = "Name the column that says the establishment." if option == "--workplace" else ""
        require_column(table, option, column, "must be a column of WAGES", hint)
        kind = table[column].type()
        if option == "--quarter-column":
            good = kind.is_string() and can(table, "RegexSearch")
            rule = "must hold texts such as 2026Q2"
        elif option == "--earnings":
            good, rule = holds_numbers(table, column), "must hold numbers, or texts that are"
        else:
            good, rule = may_hold_codes(table[column]), "must hold ids: texts or whole numbers"
        if not good:
            raise BadData(
                option,
                rule=rule,
                value=f"{shown(column)}, of the type {kind}",
                next_step="Convert the column, or name another.",
            )
