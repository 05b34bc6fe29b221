"""Validation: everything that can be wrong with the rows, found by queries on whole tables.

CONFIDENTIAL: findings count and quote rows. Only internal commands show them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from leeward.engines.database import Database
from leeward.engines.finding import Finding
from leeward.engines.headers import header_problems
from leeward.engines.probes import Probe, Strangers, Wrong
from leeward.engines.scratch import Scratch
from leeward.engines.tabulation import needed_columns
from leeward.model import Attribute, Codebook, JobsRule, PrimaryJob, SingleJob

Progress = Callable[[str], None]

SEVERAL = (
    "Reduce the table, or write `jobs: {primary: COLUMN}` or `jobs: {max_per_worker: 2}` in the "
    "plan."
)
AMBIGUOUS = (
    "The database takes texts for equal that the codebook lists as different codes (upper and "
    "lower case, accents): give the column a binary collation, or change the codes."
)
LIST = "List or omit the codes in the codebook, or name a code with `other`."
LIST_FRAME = "List the codes in the codebook, or fold them into a listed one with `other`."
"""The public frame leaves no establishment out, so codes of workplaces are not omitted."""


def find_problems(
    database: Database, codebook: Codebook, rule: JobsRule, progress: Progress | None
) -> tuple[Finding, ...]:
    """All findings; with wrong headers only those, since nothing else can be looked for."""
    wrong = tuple(header_problems(database.tables(), codebook, rule))
    if wrong:
        return tuple(
            Finding(one.rule, *_where(one.parameter), 0, (), one.next_step) for one in wrong
        )
    scratch = Scratch(database, "check")
    tables = database.tables(needed_columns(codebook, rule))
    rows = RowChecks(Probe(database, scratch, tables), codebook, rule)
    found = tuple(_reported(rows, progress or (lambda _: None)))
    scratch.clear()
    return found


def _where(parameter: str) -> tuple[str, str]:
    _, table, *column = parameter.split(".", 2)
    return table, column[0] if column else ""


def _reported(checks: "RowChecks", progress: Progress) -> Iterator[Finding]:
    for words, check in (
        ("looking for empty tables", checks.empty),
        ("looking for missing ids", checks.missing_ids),
        ("looking for duplicate ids", checks.duplicates),
        ("looking for workers with several jobs", checks.repeated_jobs),
        ("looking for jobs without a worker or workplace", checks.orphans),
        ("looking for values that rank no jobs", checks.ranks),
        ("comparing codes with the codebook", checks.codes),
    ):
        progress(words)
        yield from check()


@dataclass(frozen=True)
class RowChecks:
    """The checks, one method each."""

    probe: Probe
    codebook: Codebook
    rule: JobsRule

    def empty(self) -> Iterator[Finding]:
        """Tables without rows."""
        for table in ("workplaces", "workers", "jobs"):
            if self.probe.is_empty(table):
                yield Finding("empty table", table, "", 0, (), "Give a table with rows.")

    def missing_ids(self) -> Iterator[Finding]:
        """Nulls in key columns."""
        keys = self.codebook.keys
        for table, column in (
            ("workplaces", keys.workplaces.id),
            ("workers", keys.workers.id),
            ("jobs", keys.jobs.worker),
            ("jobs", keys.jobs.workplace),
        ):
            if rows := self.probe.nulls(table, column):
                remedy = "Give every row an id, or remove the rows without."
                yield Finding("missing id", table, column, rows, (), remedy)

    def duplicates(self) -> Iterator[Finding]:
        """Ids of workplaces and workers that stand more than once."""
        keys = self.codebook.keys
        for table, column in (("workplaces", keys.workplaces.id), ("workers", keys.workers.id)):
            found = self.probe.repeated(table, (column,))
            if found.rows:
                remedy = "Keep one row for each id."
                problem = "duplicate id"
                yield Finding(problem, table, column, found.further, found.examples, remedy)

    def repeated_jobs(self) -> Iterator[Finding]:
        """The same worker at the same workplace twice; under the single-job rule, anywhere."""
        keys = self.codebook.keys.jobs
        several = self.probe.repeated("jobs", (keys.worker,))
        if not several.rows:
            return
        pairs = self.probe.repeated("jobs", (keys.worker, keys.workplace))
        if pairs.rows:
            remedy = "Keep one row for each worker at each workplace."
            problem = "duplicate job"
            yield Finding(problem, "jobs", keys.worker, pairs.further, pairs.examples, remedy)
        if isinstance(self.rule, SingleJob):
            problem = "worker with several jobs"
            yield Finding(problem, "jobs", keys.worker, several.rows, several.examples, SEVERAL)

    def orphans(self) -> Iterator[Finding]:
        """Jobs that point to no worker or to no workplace."""
        keys = self.codebook.keys
        for column, table, key in (
            (keys.jobs.worker, "workers", keys.workers.id),
            (keys.jobs.workplace, "workplaces", keys.workplaces.id),
        ):
            rows, examples = self.probe.orphans(column, table, key)
            if rows:
                remedy = f"Add the missing rows to {table}, or remove the jobs."
                yield Finding(f"not in {table}", "jobs", column, rows, examples, remedy)

    def ranks(self) -> Iterator[Finding]:
        """Jobs that cannot be ranked."""
        if isinstance(self.rule, PrimaryJob) and (rows := self.probe.unranked(self.rule.column)):
            remedy = "Give every job a number by which the primary job is chosen."
            yield Finding("missing rank", "jobs", self.rule.column, rows, (), remedy)

    def codes(self) -> Iterator[Finding]:
        """Nulls and texts that the codebook does not know; told once for each column."""
        told: dict[Finding, None] = {}
        asked: dict[tuple[str, str, frozenset[str]], Strangers] = {}
        for attribute in self.codebook.attributes.values():
            known = (attribute.table, attribute.column, frozenset(attribute.recode))
            if known not in asked:
                asked[known] = self.probe.strangers(attribute)
            told |= dict.fromkeys(_unknown(attribute, asked[known]))
            told |= dict.fromkeys(self._shared(attribute))
        yield from told

    def _shared(self, attribute: Attribute) -> Iterator[Finding]:
        """A column of several attributes is looked up in the lists of all of them at once."""
        table, column = attribute.table, attribute.column
        declared = self.codebook.attributes.values()
        same = [one for one in declared if (one.table, one.column) == (table, column)]
        listed = {text for one in same for text in one.recode}
        if attribute is same[0] and listed != set(attribute.recode):
            wrong = self.probe.ambiguous(table, column, listed)
            if wrong[0]:
                yield _ambiguous(table, column, wrong)


def _ambiguous(table: str, column: str, wrong: Wrong) -> Finding:
    """A job would count in several cells."""
    return Finding("ambiguous code", table, column, *wrong, AMBIGUOUS)


def _unknown(attribute: Attribute, found: Strangers) -> Iterator[Finding]:
    table, column = attribute.table, attribute.column
    if found.ambiguous:
        yield _ambiguous(table, column, (found.ambiguous, found.doubled))
    if found.nulls and attribute.missing is None:
        remedy = "Fill the rows, or name a code with `null_as` in the codebook."
        yield Finding("missing code", table, column, found.nulls, (), remedy)
    if found.unlisted and attribute.unlisted is None:
        hints = [_hint(text, attribute) for text in found.near]
        if not set(found.examples) <= set(found.near):
            hints.append(LIST_FRAME if attribute.of_workplaces else LIST)
        remedy = " ".join(dict.fromkeys(hints))
        yield Finding("unlisted code", table, column, found.unlisted, found.examples, remedy)


def _hint(text: str, attribute: Attribute) -> str:
    """What is probably wrong with a text that is almost a code."""
    meant = text.strip()
    if not meant:
        return f"{text!r} is empty but no null: fill it, or make it a null and give `null_as`."
    if meant in attribute.recode:
        return f"{text!r} differs from {meant!r} by blanks: remove them."
    likely = next((code for code in attribute.recode if code.lower() == meant.lower()), None)
    if likely is None:  # a long text, of which the probe gave the beginning
        return LIST_FRAME if attribute.of_workplaces else LIST
    return f"{text!r} differs from {likely!r} by upper and lower case: write it as the codebook."
