"""Wages: from wage records (person, workplace, quarter, pay) to the jobs of one quarter.

A job is a person at a workplace with positive pay in the quarter t. The quarters t-1 and t+1 say
what kind of job it is: with pay in t-1 it is held at the beginning of the quarter ([H15], 6), with
pay in t+1 at its end, with pay in both it lasts the full quarter. The database does the work,
and only the jobs leave it. CONFIDENTIAL.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import add
from pathlib import Path

import pyarrow as pa

from leeward.core.codebook.resources import Resources
from leeward.core.codebook.wage_jobs import ONES, WageJobs
from leeward.core.errors import BadData, shown
from leeward.publishing.engines.database import (
    Column,
    Database,
    Scratch,
    Table,
    can,
    ibis,
    row_count,
)
from leeward.publishing.engines.driver_errors import frankly, hiding_errors, hiding_errors_in
from leeward.publishing.engines.headers import holds_codes, holds_numbers, require_column
from leeward.publishing.engines.near_misses import MARKS, POINTED, marked, number_hints, pointed
from leeward.publishing.engines.opening import ANYTHING, open_database
from leeward.publishing.engines.private_file import require_new, write_private
from leeward.publishing.engines.probes import EXAMPLES, LONGEST
from leeward.publishing.engines.recoding import (
    as_text,
    may_be_fractions,
    number,
    ordered_text,
    whole_inside,
    whole_number,
)

TABLE = "wages"
WRITTEN = "^[0-9]{4}Q[1-4]"
"""A quarter in the database; the length says that nothing follows."""

MOST = 10**12
"""The pay of one record is a number between plus and minus this many cents; another is no pay."""


@dataclass(frozen=True)
class OddRecords:
    """Records of a quarter that make no job, or a doubtful one: why, how many, and what to do.

    CONFIDENTIAL: `rows` and `examples` come from the data.
    """

    quarter: str
    problem: str
    rows: int
    of: int
    examples: tuple[str, ...]
    remedy: str


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
        found: dict[str, tuple[int, int]] = {}
        for one in self.left_out:
            found[one.quarter] = (found.get(one.quarter, (0, 0))[0] + one.rows, one.of)
        return found


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
            return _written(database, wanted, out)
        finally:
            database.close()


def _written(database: Database, wanted: WageJobs, out: Path) -> JobsFile:
    columns = wanted.columns.options
    _require_columns(database.tables()[TABLE], columns)
    table = database.tables({TABLE: tuple(dict.fromkeys(columns.values()))})[TABLE]
    records = wage_records(table, columns)
    missing = hiding_errors(lambda: _missing(database, records, wanted), TABLE.upper())
    odd = hiding_errors(lambda: (*_odd_records(database, table, wanted),), TABLE.upper())
    if wanted.columns.employer is not None:
        hiding_errors(lambda: _require_one_employer(database, records), TABLE.upper())
    scratch = Scratch(database, TABLE)
    pairs = hiding_errors(lambda: scratch.keep(_pairs(records, wanted)), TABLE.upper())
    of_pairs = hiding_errors(lambda: (*_odd_pairs(database, pairs, wanted),), TABLE.upper())
    jobs = _jobs(pairs, wanted, with_flow=not missing)
    kept = hiding_errors(lambda: scratch.keep(jobs), TABLE.upper())
    linked = None if missing else hiding_errors(lambda: _linked(database, pairs), TABLE.upper())
    pieces = hiding_errors_in(database.stream(kept.order_by("cell_index")), TABLE.upper())
    found = (*odd, *of_pairs)
    doubtful = tuple(one for one in found if one.problem in DOUBTFUL)
    left_out = tuple(one for one in found if one.problem not in DOUBTFUL)
    return JobsFile(
        out, write_private(out, pieces, _schema(kept)), missing, left_out, doubtful, linked
    )


def _linked(database: Database, pairs: Table) -> Fraction | None:
    """Which share of those with pay in the quarter have pay in a neighbour of it too."""
    there, beside = pairs.now > 0, (pairs.before > 0) | (pairs.after > 0)
    counts = {"jobs": pairs.count(where=there), "both": pairs.count(where=there & beside)}
    (found,) = database.rows(pairs.aggregate(**counts))
    return Fraction(int(found["both"]), int(found["jobs"])) if found["jobs"] else None


def wage_records(table: Table, columns: Mapping[str, str]) -> Table:
    """The records under names of our own; the pay of each is a whole number or none."""
    employer = {"employer": table[columns["--employer"]]} if "--employer" in columns else {}
    return table.select(
        worker_id=_id(table[columns["--worker"]]),
        workplace_id=_id(table[columns["--workplace"]]),
        quarter=table[columns["--quarter-column"]],
        pay=whole_inside(table[columns["--earnings"]], 1 - MOST, MOST)[0],
        some=number(table[columns["--earnings"]]) > 0,
        **employer,
    )


def _id(column: Column) -> Column:
    """An id as a whole number or as text; a number with a fraction is none."""
    whole = whole_number(column) if may_be_fractions(column) else column
    kind = whole.type()
    return whole.cast("int64") if kind.is_integer() and not kind.is_uint64() else as_text(whole)


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
        jobs = _one_each(jobs, ONES[wanted.one])
    flow = {"flow": _digit(jobs.before) + _digit(jobs.after)} if with_flow else {}
    order = ibis.row_number().over(order_by=[jobs.worker_id, jobs.workplace_id])
    return jobs.select(
        "worker_id", "workplace_id", cell_index=order.cast("int64"), earnings=jobs.now, **flow
    ).select("cell_index", "worker_id", "workplace_id", "earnings", *flow)


def _digit(pay: Column) -> Column:
    """1 if there was pay, else 0."""
    return ibis.ifelse(pay > 0, "1", "0")


def _one_each(jobs: Table, quarters: Iterable[str]) -> Table:
    """The job of each person with the largest pay in these quarters; ties go to the first id.

    Ids are ordered as texts, whatever type their column has.
    """
    largest = ibis.desc(reduce(add, (jobs[name] for name in quarters)))
    turn = ibis.row_number().over(
        group_by=jobs.worker_id, order_by=[largest, ibis.asc(ordered_text(jobs.workplace_id))]
    )
    numbered = jobs.mutate(turn=turn)
    return numbered.filter(numbered.turn == 0).drop("turn")


def _missing(database: Database, records: Table, wanted: WageJobs) -> tuple[str, ...]:
    """The neighbours of the quarter of which there is no record; one that is needed is refused."""
    quarter = records.quarter
    wrong = quarter.isnull() | (quarter.length() != len("2026Q2")) | ~quarter.re_search(WRITTEN)
    asked = {name: records.count(where=quarter == text) for name, text in wanted.quarters.items()}
    (found,) = database.rows(records.aggregate(**asked, wrong=records.count(where=wrong)))
    if found["wrong"]:
        raise BadData(
            "--quarter-column",
            rule="must hold a quarter such as 2026Q2 in every record",
            value=f"others in {shown(wanted.columns.quarter)} (not shown)",
            next_step="Write quarters as a year, Q and a number from 1 to 4, or mend the records.",
        )
    for name in ("now", *wanted.paid):
        if not found[name]:
            raise _no_records(wanted, name)
    return tuple(wanted.quarters[name] for name in ("before", "after") if not found[name])


PROBLEMS = {
    "no_id": ("without an id of person or workplace", "Give every record both ids."),
    "no_number": ("without a number", "Write the pay as a number such as 9390.98."),
    "beyond": ("with pay beyond 10^12", "Correct the pay, or give it in another unit."),
    "below_one": ("with pay that rounds down to 0", "Give the pay in a smaller unit."),
    "pointed": ("with one point before three digits", ""),
}
"""Why a record makes no job, in this order, and what to do; the last makes one."""

NO_PAY = "without pay above 0"
MOST_RECORDS = 50
"""No person has more records in a quarter: an id that has more stands for many persons or none."""

CROWDED = f"of a person with more than {MOST_RECORDS}"
DOUBTFUL = (PROBLEMS["pointed"][0], CROWDED)
"""The problems of records that make a job."""


def _odd_records(database: Database, table: Table, wanted: WageJobs) -> Iterator[OddRecords]:
    """The records of the quarter, then of its neighbours, that make no job, or a doubtful one."""
    columns = wanted.columns.options
    earnings = table[columns["--earnings"]]
    ids = [_id(table[columns[one]]).isnull() for one in ("--worker", "--workplace")]
    no_id, no_number = ids[0] | ids[1], number(earnings).isnull()
    pay = whole_inside(earnings, 1 - MOST, MOST)[0]
    no_pay, below_one = pay.isnull(), (pay == 0) & (number(earnings) > 0)
    rows = table.select(
        quarter=table[columns["--quarter-column"]],
        text=as_text(earnings),
        no_id=no_id,
        no_number=~no_id & no_number,
        beyond=~no_id & ~no_number & no_pay,
        below_one=~no_id & below_one,
        pointed=~no_id & pointed(earnings),
        **marked(earnings),
    )
    kinds = [one for one in rows.columns if one not in ("quarter", "text")]
    for name in ("now", "before", "after"):
        of_quarter = rows.filter(rows.quarter == wanted.quarters[name])
        counts = {kind: of_quarter.count(where=of_quarter[kind]) for kind in kinds}
        (found,) = database.rows(of_quarter.aggregate(of=of_quarter.count(), **counts))
        for kind, (problem, remedy) in PROBLEMS.items():
            if found[kind]:
                shown_texts = of_quarter.filter(of_quarter[kind], of_quarter.text.notnull())
                examples = () if kind == "no_id" else _examples(database, shown_texts)
                marks = {one: int(found[one]) for one in MARKS if one in found}
                hints = {"no_number": number_hints(marks), "pointed": POINTED.format(found[kind])}
                where = wanted.quarters[name], problem, int(found[kind]), int(found["of"])
                yield OddRecords(*where, examples, hints.get(kind) or remedy)


def _odd_pairs(database: Database, pairs: Table, wanted: WageJobs) -> Iterator[OddRecords]:
    """Records that add up to no pay, and those of ids that too many records have."""
    quarter = wanted.quarters["now"]
    persons = pairs.group_by("worker_id").aggregate(
        records=pairs.records.sum(), unpaid=pairs.records.sum(where=pairs.now <= 0).fill_null(0)
    )
    crowded = persons.records > MOST_RECORDS
    (found,) = database.rows(
        persons.aggregate(
            of=persons.records.sum().fill_null(0),
            unpaid=persons.unpaid.sum().fill_null(0),
            crowded=persons.records.sum(where=crowded).fill_null(0),
        )
    )
    of = int(found["of"])
    if found["unpaid"]:
        remedy = "A job has pay above 0 in its quarter, all its records added up. Is this right?"
        yield OddRecords(quarter, NO_PAY, int(found["unpaid"]), of, (), remedy)
    if found["crowded"]:
        texts = persons.filter(crowded).select(text=as_text(persons.worker_id))
        remedy = "Does this id mean that none is known? Leave such records out, or empty the id."
        examples = _examples(database, texts)
        yield OddRecords(quarter, CROWDED, int(found["crowded"]), of, examples, remedy)


def _examples(database: Database, rows: Table) -> tuple[str, ...]:
    """The first few texts."""
    texts = rows.select("text").distinct().order_by("text").limit(EXAMPLES)
    return tuple(str(row["text"])[:LONGEST] for row in database.rows(texts))


def _no_records(wanted: WageJobs, name: str) -> BadData:
    why = "" if name == "now" else f", by which {wanted.one or wanted.kind} jobs are known"
    other = "" if name == "now" or wanted.one == "dominant" else ", or --kind any"
    return BadData(
        TABLE.upper(),
        rule=f"must have records of {wanted.quarters[name]}{why}",
        value="none of that quarter",
        next_step=f"Add them, or give another --quarter{other}.",
    )


def _require_one_employer(database: Database, records: Table) -> None:
    """Refuse establishments that are numbered within employers: different ones would be one."""
    each = records.group_by("quarter", "workplace_id").aggregate(owners=records.employer.nunique())
    if row_count(database, each.filter(each.workplace_id.notnull(), each.owners > 1)):
        raise BadData(
            "--workplace",
            rule="must be an id that no two employers share in a quarter",
            value="ids that several employers have (not shown)",
            next_step="Make one id of employer and establishment, here and in workplaces.",
        )


def _require_columns(table: Table, columns: Mapping[str, str]) -> None:
    """Refuse columns that are not there, or of types that hold no ids, quarters or pay."""
    for option, column in columns.items():
        # No name like it is suggested: the employer's would be taken for the establishment's.
        hint = "Name the column that says the establishment." if option == "--workplace" else ""
        require_column(table, option, column, "must be a column of WAGES", hint)
        _require_type(table, option, column)


def _require_type(table: Table, option: str, column: str) -> None:
    kind = table[column].type()
    good, rule = {
        "--quarter-column": (
            kind.is_string() and can(table, "RegexSearch"),
            "must hold texts such as 2026Q2",
        ),
        "--earnings": (holds_numbers(table, column), "must hold numbers, or texts that are"),
    }.get(
        option,
        (
            holds_codes(table[column]) or may_be_fractions(table[column]),
            "must hold ids: texts or whole numbers",
        ),
    )
    if not good:
        raise BadData(
            option,
            rule=rule,
            value=f"{shown(column)}, of the type {kind}",
            next_step="Convert the column, or name another.",
        )


def _schema(jobs: Table) -> pa.Schema:
    """The columns of the file: whole numbers and texts, on every database alike.

    Sums of whole numbers are decimals in some.
    """
    _, *columns = jobs.schema().items()
    whole = {name for name, kind in columns if name == "earnings" or kind.is_integer()}
    return pa.schema((name, pa.int64() if name in whole else pa.string()) for name, _ in columns)
