"""Wages: from wage records (person, workplace, quarter, pay) to the jobs of one quarter.

A job is a person at a workplace with positive pay in the quarter t. The quarters t-1 and t+1 say
what kind of job it is: with pay in t-1 it is held at the beginning of the quarter ([H15], 6), with
pay in t+1 at its end, with pay in both it lasts the full quarter. The database does the work,
and only the jobs leave it. CONFIDENTIAL.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from functools import reduce
from operator import add
from pathlib import Path
from typing import BinaryIO, Self

import pyarrow as pa
import pyarrow.parquet as pq

from leeward.engines.database import Column, Database, Scratch, Table, can, ibis, row_count
from leeward.engines.driver_errors import hiding_errors, hiding_errors_in
from leeward.engines.headers import holds_codes, holds_numbers, require_column
from leeward.engines.opening import ANYTHING, open_database
from leeward.engines.recoding import as_text, may_be_fractions, whole_inside, whole_number
from leeward.errors import BadData, BadFile, InvalidParameter, LeewardError, Undisclosed, shown
from leeward.model.resources import Resources

TABLE = "wages"
QUARTER = re.compile(r"([0-9]{4})Q([1-4])")
WRITTEN = "^[0-9]{4}Q[1-4]"
"""A quarter in the database; the length says that nothing follows."""

MOST = 10**12
"""The pay of one record is a number between plus and minus this many cents; another is no pay."""

GROUP = 1 << 20
"""Rows in a row group of the file, whatever pieces a database sends."""

KINDS: Mapping[str, tuple[str, ...]] = {
    "any": (),
    "beginning": ("before",),
    "end": ("after",),
    "full": ("before", "after"),
}
"""The neighbours of the quarter in which a job of each kind has pay."""

ONES: Mapping[str, tuple[str, ...]] = {"primary": ("now",), "dominant": ("before", "now")}
"""The quarters whose pay together is largest in the one job of a person."""


@dataclass(frozen=True)
class Quarter:
    """A quarter of a year."""

    year: int
    number: int

    @classmethod
    def read(cls, text: str) -> Self:
        """A quarter from its text."""
        found = QUARTER.fullmatch(text)
        if found is None:
            raise InvalidParameter(
                "--quarter",
                rule="must be a year of four digits, Q, and a number from 1 to 4",
                value=shown(text),
                next_step="Write it like 2026Q2.",
            )
        return cls(int(found[1]), int(found[2]))

    def moved(self, quarters: int) -> "Quarter":
        """The quarter so many quarters later."""
        year, number = divmod(4 * self.year + self.number - 1 + quarters, 4)
        return Quarter(year, number + 1)

    def __str__(self) -> str:
        return f"{self.year:04d}Q{self.number}"


@dataclass(frozen=True)
class WageColumns:
    """The names of the columns; `employer` is given where establishments are to be compared."""

    worker: str = "worker_id"
    workplace: str | None = None
    quarter: str = "quarter"
    earnings: str = "earnings"
    employer: str | None = None

    def __post_init__(self) -> None:
        if self.employer is not None and self.workplace is None:
            raise InvalidParameter(
                "--employer",
                rule="needs --workplace, a column that says the establishment: at which "
                "establishment of an employer a person works is not guessed",
                value=f"{shown(self.employer)} alone",
                next_step="Name that column; or, if each employer is to be one workplace, name "
                f"the employer's: --workplace {self.employer}.",
            )

    @classmethod
    def read(cls, given: Mapping[str, str]) -> Self:
        """The columns from their names, as Python gives them."""
        for key in given:
            _require_one_of("columns", key, [one.name for one in fields(cls)])
        return cls(**given)

    @property
    def options(self) -> Mapping[str, str]:
        """The column of each option."""
        named = {
            "--worker": self.worker,
            "--workplace": self.workplace or "workplace_id",
            "--quarter-column": self.quarter,
            "--earnings": self.earnings,
        }
        return named if self.employer is None else named | {"--employer": self.employer}


@dataclass(frozen=True)
class WageJobs:
    """Which jobs are wanted: of a quarter, of a kind, all of a person's or one."""

    quarter: Quarter
    kind: str = "any"
    one: str | None = None
    columns: WageColumns = WageColumns()

    def __post_init__(self) -> None:
        _require_one_of("--kind", self.kind, KINDS)
        if self.one is not None:
            _require_one_of("--one", self.one, ONES)

    @property
    def quarters(self) -> Mapping[str, str]:
        """The quarters that are read."""
        steps = {"before": -1, "now": 0, "after": 1}
        return {name: str(self.quarter.moved(step)) for name, step in steps.items()}

    @property
    def paid(self) -> tuple[str, ...]:
        """The neighbours in which these jobs have pay; a dominant job is one of the beginning."""
        known = KINDS[self.kind]
        return known if self.one != "dominant" else tuple(dict.fromkeys(("before", *known)))


@dataclass(frozen=True)
class JobsFile:
    """The file that was written; how many `jobs` it has is confidential.

    `missing` are the neighbours of the quarter of which there are no wages: then there is no flow.
    """

    path: Path
    jobs: int
    missing: tuple[str, ...]


def write_jobs(
    wages: object, wanted: WageJobs, out: Path, resources: Resources = ANYTHING
) -> JobsFile:
    """Write the jobs that follow from wage records into a Parquet file for its owner alone.

    `wages` is a path relative to here, an address of a database, or a frame in this process.
    """
    _require_new(out)
    with _frankly():
        database = open_database({TABLE: wages}, Path(), resources, tables=(TABLE,))
        try:
            return _written(database, wanted, out)
        finally:
            database.close()


def _written(database: Database, wanted: WageJobs, out: Path) -> JobsFile:
    columns = wanted.columns.options
    _require_columns(database.tables()[TABLE], columns)
    table = database.tables({TABLE: tuple(dict.fromkeys(columns.values()))})[TABLE]
    records = _records(table, columns)
    missing = hiding_errors(lambda: _missing(database, records, wanted), TABLE.upper())
    if wanted.columns.employer is not None:
        hiding_errors(lambda: _require_one_employer(database, records), TABLE.upper())
    jobs = _jobs(records, wanted, with_flow=not missing)
    kept = hiding_errors(lambda: Scratch(database, TABLE).keep(jobs), TABLE.upper())
    schema = _schema(kept)
    pieces = hiding_errors_in(database.stream(kept.order_by("cell_index")), TABLE.upper())
    with _private(out) as file:
        written = _write(file, _row_groups(pieces, schema), schema)
    return JobsFile(out, written, missing)


def _records(table: Table, columns: Mapping[str, str]) -> Table:
    """The records under names of our own; the pay of each is a whole number or none."""
    employer = {"employer": table[columns["--employer"]]} if "--employer" in columns else {}
    return table.select(
        worker_id=_id(table[columns["--worker"]]),
        workplace_id=_id(table[columns["--workplace"]]),
        quarter=table[columns["--quarter-column"]],
        pay=whole_inside(table[columns["--earnings"]], 1 - MOST, MOST)[0],
        **employer,
    )


def _id(column: Column) -> Column:
    """An id as a whole number or as text; a number with a fraction is none."""
    whole = whole_number(column) if may_be_fractions(column) else column
    kind = whole.type()
    return whole.cast("int64") if kind.is_integer() and not kind.is_uint64() else as_text(whole)


def _jobs(records: Table, wanted: WageJobs, *, with_flow: bool) -> Table:
    """The jobs in the order of person and workplace, with their number in it.

    Records of one person, workplace and quarter are added up, corrections of either sign too.
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
    jobs = near.group_by("worker_id", "workplace_id").aggregate(**pays)
    jobs = jobs.filter(*(jobs[name] > 0 for name in ("now", *wanted.paid)))
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
    """The job of each person with the largest pay in these quarters; ties go to the smallest id."""
    largest = ibis.desc(reduce(add, (jobs[name] for name in quarters)))
    turn = ibis.row_number().over(
        group_by=jobs.worker_id, order_by=[largest, ibis.asc(jobs.workplace_id)]
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


def _require_one_of(option: str, given: str, known: Iterable[str]) -> None:
    if given not in known:
        raise InvalidParameter(
            option,
            rule=f"must be one of {', '.join(known)}",
            value=shown(given),
            next_step="Take one of them, or leave it out.",
        )


@contextmanager
def _frankly() -> Iterator[None]:
    """Say of a table what a release hides: types and kinds of failures, never rows."""
    try:
        yield
    except Undisclosed as refusal:
        said: LeewardError = refusal.inside or refusal
    else:
        return
    raise said


def _require_new(out: Path) -> None:
    """Refuse a name that cannot become a new Parquet file, before any record is read."""
    rule = ""
    if out.suffix.lower() != ".parquet":
        rule = "must be the name of a file that ends in .parquet"
    elif os.path.lexists(out):
        rule = "must not exist: nothing is overwritten"
    elif not out.parent.is_dir():
        rule = "must lie in a folder that exists"
    if rule:
        raise BadFile(
            "--out",
            rule=rule,
            value=repr(str(out)),
            next_step="Choose a name such as jobs.parquet.",
        )


@contextmanager
def _private(out: Path) -> Iterator[BinaryIO]:
    """A file for its owner alone, which has its name when it is whole; else nothing remains."""
    hidden = out.with_name(f".{out.name}.{os.getpid()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        with suppress(FileNotFoundError):
            hidden.unlink()  # of a process of this number that was killed
        with os.fdopen(os.open(hidden, flags, 0o600), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _require_new(out)
        hidden.rename(out)
    except OSError as error:
        raise BadFile(
            "--out",
            rule=f"must be a file that can be written ({error.strerror})",
            value=repr(str(out)),
            next_step="Choose another folder, or make room.",
        ) from None
    finally:
        hidden.unlink(missing_ok=True)


def _schema(jobs: Table) -> pa.Schema:
    """The columns of the file: whole numbers and texts, on every database alike.

    Sums of whole numbers are decimals in some.
    """
    _, *columns = jobs.schema().items()
    whole = {name for name, kind in columns if name == "earnings" or kind.is_integer()}
    return pa.schema((name, pa.int64() if name in whole else pa.string()) for name, _ in columns)


def _write(file: BinaryIO, groups: Iterable[pa.Table], schema: pa.Schema) -> int:
    """Write the groups; how many rows they have."""
    repeated = [one for one in schema.names if one in ("workplace_id", "flow")]
    rows = 0
    with pq.ParquetWriter(
        file, schema, compression="zstd", use_dictionary=repeated, store_schema=False
    ) as writer:
        for group in groups:
            writer.write_table(group, row_group_size=GROUP)
            rows += len(group)
    return rows


def _row_groups(pieces: Iterable[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.Table]:
    """The same rows in groups of one size, so that every database gives the same file."""
    held = schema.empty_table()
    for piece in pieces:
        more = pa.Table.from_batches([piece]).select(schema.names).cast(schema)
        held = pa.concat_tables([held, more])
        while len(held) >= GROUP:
            yield held.slice(0, GROUP).combine_chunks()
            held = held.slice(GROUP)
    if len(held):
        yield held.combine_chunks()
