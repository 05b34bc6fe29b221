"""Wage records: each under names of our own, and those that make no job or a doubtful one."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from leeward.core.codebook.wage_jobs import WageJobs
from leeward.publishing.engines.database import Column, SqlDatabase, Table
from leeward.publishing.engines.near_misses import MARKS, POINTED, marked, number_hints, pointed
from leeward.publishing.engines.probes import first_texts
from leeward.publishing.engines.recoding import (
    as_text,
    may_be_fractions,
    number,
    whole_inside,
    whole_number,
)

MOST = 10**12
"""The pay of one record is a number between plus and minus this many cents; another is no pay."""

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

SUMS = "A job has pay above 0 in its quarter, all its records added up. Is this right?"
MANY = "Does this id mean that none is known? Leave such records out, or empty the id."


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


def wage_records(table: Table, columns: Mapping[str, str]) -> Table:
    """The records under names of our own; the pay of each is a whole number or none."""
    employer = {"employer": table[columns["--employer"]]} if "--employer" in columns else {}
    return table.select(
        worker_id=_id(table[columns["--worker"]]),
        workplace_id=_id(table[columns["--workplace"]]),
        quarter=table[columns["--quarter-column"]],
        pay=_pay(table[columns["--earnings"]]),
        some=number(table[columns["--earnings"]]) > 0,
        **employer,
    )


def _id(column: Column) -> Column:
    """An id as a whole number or as text; a number with a fraction is none."""
    whole = whole_number(column) if may_be_fractions(column) else column
    kind = whole.type()
    return whole.cast("int64") if kind.is_integer() and not kind.is_uint64() else as_text(whole)


def _pay(column: Column) -> Column:
    return whole_inside(column, 1 - MOST, MOST)[0]


def odd_records(database: SqlDatabase, table: Table, wanted: WageJobs) -> Iterator[OddRecords]:
    """The records of the quarter, then of its neighbours, that make no job, or a doubtful one."""
    columns = wanted.columns.options
    earnings = table[columns["--earnings"]]
    ids = [_id(table[columns[option]]).isnull() for option in ("--worker", "--workplace")]
    no_id, no_number = ids[0] | ids[1], number(earnings).isnull()
    pay = _pay(earnings)
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
    kinds = [name for name in rows.columns if name not in ("quarter", "text")]
    for name in ("now", "before", "after"):
        of_quarter = rows.filter(rows.quarter == wanted.quarters[name])
        counts = {kind: of_quarter.count(where=of_quarter[kind]) for kind in kinds}
        (sums,) = database.rows(of_quarter.aggregate(of=of_quarter.count(), **counts))
        for kind, (problem, remedy) in PROBLEMS.items():
            if sums[kind]:
                texts = of_quarter.filter(of_quarter[kind], of_quarter.text.notnull())
                examples = () if kind == "no_id" else first_texts(database, texts.select("text"))
                marks = {mark: int(sums[mark]) for mark in MARKS if mark in sums}
                hints = {"no_number": number_hints(marks), "pointed": POINTED.format(sums[kind])}
                where = wanted.quarters[name], problem, int(sums[kind]), int(sums["of"])
                yield OddRecords(*where, examples, hints.get(kind) or remedy)


def odd_pairs(database: SqlDatabase, pairs: Table, wanted: WageJobs) -> Iterator[OddRecords]:
    """Records that add up to no pay, and those of ids that too many records have."""
    quarter = wanted.quarters["now"]
    persons = pairs.group_by("worker_id").aggregate(
        records=pairs.records.sum(), unpaid=pairs.records.sum(where=pairs.now <= 0).fill_null(0)
    )
    crowded = persons.records > MOST_RECORDS
    (sums,) = database.rows(
        persons.aggregate(
            of=persons.records.sum().fill_null(0),
            unpaid=persons.unpaid.sum().fill_null(0),
            crowded=persons.records.sum(where=crowded).fill_null(0),
        )
    )
    of = int(sums["of"])
    if sums["unpaid"]:
        yield OddRecords(quarter, NO_PAY, int(sums["unpaid"]), of, (), SUMS)
    if sums["crowded"]:
        texts = persons.filter(crowded).select(text=as_text(persons.worker_id))
        examples = first_texts(database, texts)
        yield OddRecords(quarter, CROWDED, int(sums["crowded"]), of, examples, MANY)
