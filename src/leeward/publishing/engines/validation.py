"""Validation: everything that can be wrong with the rows, found by queries on whole tables.

CONFIDENTIAL: findings count and quote rows. Only internal commands show them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from leeward.core.codebook import (
    BoundedJobs,
    Codebook,
    EveryJob,
    Finding,
    JobsRule,
    PrimaryJob,
    SingleJob,
)
from leeward.core.codebook.row_rules import AS_THEY_ARE, LIMIT
from leeward.publishing.engines.column_checks import ColumnChecks, judged
from leeward.publishing.engines.counted_rows import needed_columns, readable_tables
from leeward.publishing.engines.database import Column, Scratch, SqlDatabase, ibis, row_count
from leeward.publishing.engines.driver_errors import disclosed
from leeward.publishing.engines.headers import header_problems
from leeward.publishing.engines.near_misses import FORMS, encoding_hint
from leeward.publishing.engines.probes import Probe

Progress = Callable[[str], None]

KEEP = (
    "Keep the limit: a larger one costs a person more. Reduce the table by a rule of your own if "
    "other jobs should count."
)
SEVERAL = (
    "Reduce the table, or write `jobs: {primary: COLUMN}` or `jobs: {max_per_worker: 2}` in the "
    "plan."
)
NO_ID = (
    "Give every row an id, or remove the rows without. A line of a CSV file with too many or too "
    "few values has none: row names of R (row.names = FALSE), or the separator in a value without "
    "quotes."
)
PERIODS = (
    "Does the table have the jobs of several periods, or of one employer twice? Keep one row for "
    "each job."
)
ONE_ROW = "Keep one row for each id."
ONE_JOB = "Keep one row for each worker at each workplace."
RANK = "Give every job a number by which the primary job is chosen."

BITS_EACH = 16
"""Bits for each row at most: 2 bytes in each thread; an entry of a hash table has about fifty."""

LARGEST = 2**62
"""Ids beyond this, or their range, might not fit into 64 bits."""

COMPARED = """
SELECT bit_count(own) = own_rows AS once, bit_count(given) = given_rows AS given_once,
    bit_count(given & ~own) = 0 AS found
FROM (SELECT bitstring_agg(id::BIGINT, {low}, {high}) AS own, count(id) AS own_rows FROM ({own})),
    (SELECT bitstring_agg(id::BIGINT, {low}, {high}) AS given, count(id) AS given_rows
     FROM ({given}))"""
ANSWERS = {"once": "boolean", "given_once": "boolean", "found": "boolean"}


def find_problems(
    database: SqlDatabase,
    codebook: Codebook,
    rule: JobsRule,
    progress: Progress | None,
    *,
    strict: bool = False,
) -> tuple[Finding, ...]:
    """All findings; if headers are wrong, only those, since rows cannot be checked then."""
    wrong = [*map(disclosed, header_problems(database.tables(), codebook, rule))]
    if wrong:
        places = (problem.parameter.split(".", 2)[1:] for problem in wrong)
        return tuple(
            Finding(problem.rule, table, "".join(column), 0, (), problem.next_step)
            for problem, (table, *column) in zip(wrong, places, strict=True)
        )
    scratch = Scratch(database, "check")
    tables = readable_tables(database, codebook, rule)
    tell = progress or (lambda _: None)
    tell("comparing ids")
    keys, jobs = codebook.keys, tables["jobs"]
    workers = sound_ids(database, tables["workers"][keys.workers.id], jobs[keys.jobs.worker])
    at = tables["workplaces"][keys.workplaces.id]
    workplaces = sound_ids(database, at, jobs[keys.jobs.workplace])
    probe = Probe(database, scratch, tables)
    rows = RowChecks(probe, codebook, rule, strict, workers, workplaces)
    findings = tuple(_reported(rows, ColumnChecks(probe, codebook, strict), tell))
    sizes = {finding.table: row_count(database, tables[finding.table]) for finding in findings}
    scratch.clear()
    return tuple(replace(finding, of=sizes[finding.table]) for finding in findings)


def is_staffed(database: SqlDatabase, codebook: Codebook) -> bool:
    """Whether every establishment has a job, as it is in a frame that was made of the jobs."""
    tables = readable_tables(database, codebook, EveryJob())
    keys = codebook.keys
    probe = Probe(database, Scratch(database, "check"), tables)
    return probe.is_staffed(keys.jobs.workplace, keys.workplaces.id)


def _reported(rows: "RowChecks", columns: ColumnChecks, progress: Progress) -> Iterator[Finding]:
    limited, numeric = isinstance(rows.rule, BoundedJobs), bool(columns.codebook.numeric)
    for words, check, needed in (
        ("looking for empty tables", rows.empty, True),
        ("looking for missing ids", rows.missing_ids, True),
        ("looking for duplicate ids", rows.duplicates, True),
        ("looking for repeated jobs", rows.repeated_jobs, True),
        ("looking for jobs without a worker or workplace", rows.orphans, True),
        ("looking for values that rank no jobs", rows.ranks, True),
        ("counting jobs above the limit", rows.limits, limited),
        ("comparing codes with the codebook", columns.codes, True),
        ("looking at numeric columns", columns.numbers, numeric),
    ):
        if needed:
            progress(words)
            yield from check()


@dataclass(frozen=True)
class SoundIds:
    """What is certainly right with the ids of a table, and with those that jobs give for it.

    False where it is wrong, and where it is not known.
    """

    once: bool = False
    """No id of the table occurs twice."""

    given_once: bool = False
    """No two jobs give the same id."""

    found: bool = False
    """The table has every id that a job gives."""


NOTHING_KNOWN = SoundIds()


def sound_ids(database: SqlDatabase, own: Column, given: Column) -> SoundIds:
    """Compare the ids of a table with those that jobs give; nulls are no ids.

    Groups count rows of duplicate ids, and joins jobs that point nowhere: of a million ids either
    takes a hash table of a million entries. Where ids are numbered without large gaps, a bit for
    each number proves the same: as many bits as ids, and no bit of the jobs that the table lacks.

    `once` and `given_once` are about rows with an id. Nothing is known of texts, of numbers with
    large gaps, of empty tables, and of databases without strings of bits.
    """
    backend = own.get_backend()
    if backend.name != "duckdb" or not (own.type().is_integer() and given.type().is_integer()):
        return NOTHING_KNOWN
    spans = []
    for ids in (own, given):
        (span,) = database.rows(
            ids.as_table().aggregate(low=ids.min(), high=ids.max(), rows=ids.count())
        )
        if not span["rows"]:
            return NOTHING_KNOWN
        spans.append(span)
    low, high = min(span["low"] for span in spans), max(span["high"] for span in spans)
    bits = BITS_EACH * min(span["rows"] for span in spans)
    if low <= -LARGEST or high >= LARGEST or high - low >= bits:
        return NOTHING_KNOWN
    columns = {"own": own, "given": given}
    sources = {name: backend.compile(ids.name("id").as_table()) for name, ids in columns.items()}
    query = COMPARED.format(low=low, high=high, **sources)
    (answers,) = database.rows(backend.sql(query, schema=ibis.schema(ANSWERS)))
    return SoundIds(**answers)


@dataclass(frozen=True)
class RowChecks:
    """The checks of ids, one method each; what is known to be right is not looked for."""

    probe: Probe
    codebook: Codebook
    rule: JobsRule
    strict: bool
    workers: SoundIds
    workplaces: SoundIds

    def _judged(self, finding: Finding, rule: str) -> Finding:
        return judged(finding, rule, strict=self.strict)

    def empty(self) -> Iterator[Finding]:
        for table in ("workplaces", "workers", "jobs"):
            if self.probe.is_empty(table):
                finding = Finding("empty table", table, "", 0, (), "Give a table with rows.")
                yield self._judged(finding, "empty_table")

    def missing_ids(self) -> Iterator[Finding]:
        keys = self.codebook.keys
        for table, column in (
            ("workplaces", keys.workplaces.id),
            ("workers", keys.workers.id),
            ("jobs", keys.jobs.worker),
            ("jobs", keys.jobs.workplace),
        ):
            if rows := self.probe.nulls(table, column):
                finding = Finding("missing id", table, column, rows, (), NO_ID)
                yield self._judged(finding, "missing_id")

    def duplicates(self) -> Iterator[Finding]:
        """Ids of workplaces and workers that occur more than once."""
        keys = self.codebook.keys
        for table, column, ids in (
            ("workplaces", keys.workplaces.id, self.workplaces),
            ("workers", keys.workers.id, self.workers),
        ):
            if ids.once:
                continue
            several = self.probe.repeated(table, (column,))
            if several.rows:
                wrong = several.further, several.examples
                finding = Finding("duplicate id", table, column, *wrong, ONE_ROW)
                yield self._judged(finding, "worker_rows")

    def repeated_jobs(self) -> Iterator[Finding]:
        """The same job twice; in a strict plan any two at the same workplace.

        Under the single-job rule, two anywhere.
        """
        if self.workers.given_once:
            return
        keys = self.codebook.keys.jobs
        where = "jobs", keys.worker
        several = self.probe.repeated("jobs", (keys.worker,))
        if not several.rows:
            return
        per = self.rule.per if isinstance(self.rule, BoundedJobs) else None
        # Under each code of this column a worker may hold the same job once more.
        periods = () if per is None else (self.codebook.attributes[per].column,)
        pairs = self.probe.repeated("jobs", (keys.worker, keys.workplace), periods)
        further_jobs = pairs.further
        if pairs.rows and not self.strict:
            read = needed_columns(self.codebook, self.rule)["jobs"]
            further = tuple(name for name in read if name not in (keys.worker, keys.workplace))
            pairs = self.probe.repeated("jobs", (keys.worker, keys.workplace), further)
        if pairs.rows:
            finding = Finding("duplicate job", *where, pairs.further, pairs.examples, ONE_JOB)
            yield self._judged(finding, "repeated_job")
        if isinstance(self.rule, EveryJob) and further_jobs > pairs.further:
            rows = further_jobs - pairs.further
            finding = Finding("worker and workplace once more", *where, rows, (), PERIODS)
            yield replace(finding, rule=AS_THEY_ARE.id, refuses=False)
        if isinstance(self.rule, SingleJob):
            problem = "worker with several jobs"
            yield Finding(problem, *where, several.rows, several.examples, SEVERAL)

    def orphans(self) -> Iterator[Finding]:
        """Jobs that point to no worker or to no workplace."""
        keys = self.codebook.keys
        for column, table, key, ids in (
            (keys.jobs.worker, "workers", keys.workers.id, self.workers),
            (keys.jobs.workplace, "workplaces", keys.workplaces.id, self.workplaces),
        ):
            if ids.found:
                continue
            rows, examples = self.probe.orphans(column, table, key)
            if rows:
                remedy = f"Add the missing rows to {table}, or remove the jobs."
                # In which form of ids most lost jobs match; the first best.
                matched, words = max(
                    ((rows - self.probe.orphans_in(form, column, table, key), words)
                     for form, words in FORMS), key=lambda form: form[0]
                )  # fmt: skip
                if matched:
                    hint = words.format(matched, column, table, key)
                    remedy = hint if matched == rows else f"{hint} {remedy}"
                remedy = " ".join((remedy, *encoding_hint(examples)))
                finding = Finding(f"not in {table}", "jobs", column, rows, examples, remedy)
                yield self._judged(finding, "lost_job")

    def ranks(self) -> Iterator[Finding]:
        if isinstance(self.rule, PrimaryJob) and (rows := self.probe.unranked(self.rule.column)):
            finding = Finding("missing rank", "jobs", self.rule.column, rows, (), RANK)
            yield self._judged(finding, "missing_rank")

    def limits(self) -> Iterator[Finding]:
        """Jobs that do not count, since others of the same worker do."""
        if rows := self.probe.beyond(self.codebook, self.rule):
            column = self.codebook.keys.jobs.worker
            finding = Finding("job above the limit", "jobs", column, rows, (), KEEP)
            yield replace(finding, rule=LIMIT.id, refuses=False)
