"""Validation: everything that can be wrong with the rows, found by queries on whole tables.

CONFIDENTIAL: findings count and quote rows. Only internal commands show them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from leeward.core.codebook import (
    Attribute,
    BoundedJobs,
    Codebook,
    EveryJob,
    Finding,
    JobsRule,
    NumericRange,
    PrimaryJob,
    SingleJob,
)
from leeward.core.codebook.classifications import Library
from leeward.core.codebook.row_rules import AS_THEY_ARE, LIMIT
from leeward.core.errors import LeewardError, Undisclosed
from leeward.publishing.engines.counted_rows import needed_columns, readable_tables
from leeward.publishing.engines.database import Database, Scratch, row_count
from leeward.publishing.engines.headers import header_problems
from leeward.publishing.engines.id_bits import NOTHING_KNOWN, SoundIds, sound_ids
from leeward.publishing.engines.near_misses import (
    FORMS,
    POINTED,
    CodeSpelling,
    encoding_hint,
    number_hints,
)
from leeward.publishing.engines.probes import Probe, Strangers, Wrong

Progress = Callable[[str], None]

KEEP = (
    "Keep the limit: a larger one costs a person more. Reduce the table by a rule of your own if "
    "other jobs should count."
)

SEVERAL = (
    "Reduce the table, or write `jobs: {primary: COLUMN}` or `jobs: {max_per_worker: 2}` in the "
    "plan."
)
AMBIGUOUS = (
    "The database takes texts for equal that the codebook lists as different codes (upper and "
    "lower case, accents): give the column a binary collation, or change the codes."
)
NO_ID = (
    "Give every row an id, or remove the rows without. A line of a CSV file with too many or too "
    "few values has none: row names of R (row.names = FALSE), or the separator in a value without "
    "quotes."
)
FILL = "Fill the rows, or name a code with `null_as` in the codebook."
FILL_NUMBER = "Fill the rows with numbers, or name a class with `null_as` in the codebook."
RANGE = "Look at low, cap and unit in the codebook, which say {} to {} {}, or change the rows."
CAPPED = (
    "Their pay counts as {} {}. Keep the cap: one that is chosen after a look at these rows is not "
    "public."
)
WHOLE = "Round the numbers, or declare the column in a smaller unit."
UNIT = (
    "The codebook says {}: is it the unit of the column? Correct unit and period, or the numbers."
)
ONE_CLASS = 20
"""At most one number in so many is outside a class that has nearly all of them."""

PERIODS = (
    "Does the table have the jobs of several periods, or of one employer twice? Keep one row for "
    "each job."
)
FOLDED = "They count as the code that the codebook names with `{}`."
LIST = "List or omit the codes in the codebook, or name a code with `other`."
LIST_FRAME = "List the codes in the codebook, or fold them into a listed one with `other`."
"""The public frame leaves no establishment out, so codes of workplaces are not omitted."""


def find_problems(
    database: Database,
    codebook: Codebook,
    rule: JobsRule,
    progress: Progress | None,
    *,
    strict: bool = False,
) -> tuple[Finding, ...]:
    """All findings; if headers are wrong, only those, since rows cannot be checked then."""
    wrong = tuple(header_problems(database.tables(), codebook, rule))
    if wrong:
        return tuple(map(_of_header, wrong))
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
    found = tuple(_reported(rows, tell))
    sizes = {one.table: row_count(database, tables[one.table]) for one in found}
    scratch.clear()
    return tuple(replace(one, of=sizes[one.table]) for one in found)


def is_staffed(database: Database, codebook: Codebook) -> bool:
    """Whether every establishment has a job, as it is in a frame that was made of the jobs."""
    tables = readable_tables(database, codebook, EveryJob())
    keys = codebook.keys
    probe = Probe(database, Scratch(database, "check"), tables)
    return probe.is_staffed(keys.jobs.workplace, keys.workplaces.id)


def _of_header(problem: LeewardError) -> Finding:
    inside = problem.inside if isinstance(problem, Undisclosed) else None
    found = problem if inside is None else inside
    _, table, *column = found.parameter.split(".", 2)
    return Finding(found.rule, table, "".join(column), 0, (), found.next_step)


def _reported(checks: "RowChecks", progress: Progress) -> Iterator[Finding]:
    for words, check in (
        ("looking for empty tables", checks.empty),
        ("looking for missing ids", checks.missing_ids),
        ("looking for duplicate ids", checks.duplicates),
        ("looking for repeated jobs", checks.repeated_jobs),
        ("looking for jobs without a worker or workplace", checks.orphans),
        ("looking for values that rank no jobs", checks.ranks),
        *(
            [("counting jobs above the limit", checks.limits)]
            if isinstance(checks.rule, BoundedJobs)
            else []
        ),
        ("comparing codes with the codebook", checks.codes),
        *([("looking at numeric columns", checks.numbers)] if checks.codebook.numeric else []),
    ):
        progress(words)
        yield from check()


@dataclass(frozen=True)
class RowChecks:
    """The checks, one method each; what is known to be right is not looked for."""

    probe: Probe
    codebook: Codebook
    rule: JobsRule
    strict: bool
    workers: SoundIds = NOTHING_KNOWN
    workplaces: SoundIds = NOTHING_KNOWN

    def _ruled(self, found: Finding, rule: str) -> Finding:
        """A finding about workers or jobs, which a rule counts unless the plan is strict."""
        return found if self.strict else replace(found, rule=rule, refuses=False)

    def _judged(self, found: Finding, rule: str) -> Finding:
        """The frame is public: what is wrong with it is refused."""
        return found if found.table == "workplaces" else self._ruled(found, rule)

    def empty(self) -> Iterator[Finding]:
        """Tables without rows."""
        for table in ("workplaces", "workers", "jobs"):
            if self.probe.is_empty(table):
                found = Finding("empty table", table, "", 0, (), "Give a table with rows.")
                yield self._judged(found, "empty_table")

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
                found = Finding("missing id", table, column, rows, (), NO_ID)
                yield self._judged(found, "missing_id")

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
                where = ("duplicate id", table, column)
                remedy = "Keep one row for each id."
                found = Finding(*where, several.further, several.examples, remedy)
                yield self._judged(found, "worker_rows")

    def repeated_jobs(self) -> Iterator[Finding]:
        """The same job twice; in a strict plan any two at the same workplace.

        Under the single-job rule, two anywhere.
        """
        if self.workers.given_once:
            return
        keys = self.codebook.keys.jobs
        several = self.probe.repeated("jobs", (keys.worker,))
        if not several.rows:
            return
        pairs = self.probe.repeated("jobs", (keys.worker, keys.workplace), self._periods())
        further_jobs = pairs.further
        if pairs.rows and not self.strict:
            read = needed_columns(self.codebook, self.rule)["jobs"]
            further = tuple(one for one in read if one not in (keys.worker, keys.workplace))
            pairs = self.probe.repeated("jobs", (keys.worker, keys.workplace), further)
        if pairs.rows:
            where = ("duplicate job", "jobs", keys.worker)
            remedy = "Keep one row for each worker at each workplace."
            found = Finding(*where, pairs.further, pairs.examples, remedy)
            yield self._ruled(found, "repeated_job")
        if isinstance(self.rule, EveryJob) and further_jobs > pairs.further:
            where = ("worker and workplace once more", "jobs", keys.worker)
            found = Finding(*where, further_jobs - pairs.further, (), PERIODS)
            yield replace(found, rule=AS_THEY_ARE.id, refuses=False)
        if isinstance(self.rule, SingleJob):
            problem = "worker with several jobs"
            yield Finding(problem, "jobs", keys.worker, several.rows, several.examples, SEVERAL)

    def _periods(self) -> tuple[str, ...]:
        """The column under each code of which a worker may hold the same job once more."""
        per = self.rule.per if isinstance(self.rule, BoundedJobs) else None
        return () if per is None else (self.codebook.attributes[per].column,)

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
                matched, form = self._in_another_form(column, table, key, rows)
                if matched:
                    hint = form.format(matched, column, table, key)
                    remedy = hint if matched == rows else f"{hint} {remedy}"
                remedy = " ".join((remedy, *encoding_hint(examples)))
                found = Finding(f"not in {table}", "jobs", column, rows, examples, remedy)
                yield self._ruled(found, "lost_job")

    def _in_another_form(self, column: str, table: str, key: str, lost: int) -> tuple[int, str]:
        """How many lost jobs match in some other form of ids, and what to do; the first best."""
        found = [
            (lost - self.probe.orphans_in(form, column, table, key), words) for form, words in FORMS
        ]
        return max(found, key=lambda one: one[0])

    def ranks(self) -> Iterator[Finding]:
        """Jobs that cannot be ranked."""
        if isinstance(self.rule, PrimaryJob) and (rows := self.probe.unranked(self.rule.column)):
            remedy = "Give every job a number by which the primary job is chosen."
            found = Finding("missing rank", "jobs", self.rule.column, rows, (), remedy)
            yield self._ruled(found, "missing_rank")

    def limits(self) -> Iterator[Finding]:
        """Jobs that do not count, since others of the same worker do."""
        if rows := self.probe.beyond(self.codebook, self.rule):
            column = self.codebook.keys.jobs.worker
            found = Finding("job above the limit", "jobs", column, rows, (), KEEP)
            yield replace(found, rule=LIMIT.id, refuses=False)

    def codes(self) -> Iterator[Finding]:
        """Nulls and texts that the codebook does not know, once for each column."""
        found: dict[Finding, None] = {}
        columns = {_lookup(one): one for one in self._coded()}
        asked = dict(zip(columns, self.probe.strangers(list(columns.values())), strict=True))
        for attribute in self._coded():
            if attribute.origin is None:  # the column of a derived one is looked at already
                found |= dict.fromkeys(self._unknown(attribute, asked[_lookup(attribute)]))
            found |= dict.fromkeys(self._shared(attribute))
        yield from found

    def _coded(self) -> list[Attribute]:
        return [one for one in self.codebook.attributes.values() if one.numbers is None]

    def numbers(self) -> Iterator[Finding]:
        """What numeric columns hold beside whole numbers in their range; once for each column."""
        columns: dict[object, Attribute] = {}
        for one in self.codebook.numeric:
            columns.setdefault((one.table, one.column, one.numbers), one)
        for one in columns.values():
            if one.numbers is not None:
                yield from self._odd_numbers(one, one.numbers)

    def _odd_numbers(self, attribute: Attribute, numbers: NumericRange) -> Iterator[Finding]:
        where = attribute.table, attribute.column
        found = self.probe.odd_numbers(attribute, numbers)
        into = _code(attribute, attribute.missing)
        fill = FILL_NUMBER if into is None else FOLDED.format("null_as")
        marks, pointed = number_hints(found.marked), 2 * found.pointed > found.fraction[0]
        cents = numbers.unit.startswith("cent")  # there is no smaller unit
        unread = f"{marks} {fill}".strip()
        unit = UNIT.format(numbers.per_period)
        whole = unit if cents else WHOLE
        whole = f"{POINTED.format(found.pointed)} {whole}" if pointed else whole
        look = RANGE.format(numbers.low, numbers.cap, numbers.unit)
        capped = CAPPED.format(numbers.cap, numbers.per_period) if numbers.cap_from else look
        for finding, rule in (
            (Finding("missing number", *where, found.missing, (), fill), "missing_number"),
            (Finding("not a number", *where, *found.unreadable, unread), "missing_number"),
            (Finding("number below low", *where, *found.below, look), "number_range"),
            (Finding("number above cap", *where, *found.above, capped), "number_range"),
            (Finding("number with a fraction", *where, *found.fraction, whole), "number_range"),
        ):
            code = into if rule == "missing_number" else None
            marked = {"not a number": bool(marks), "number with a fraction": pointed or cents}
            near = replace(finding, doubtful=marked.get(finding.problem, False))
            if near.rows:
                yield self._folded(near, rule, code, code)
        most = max(found.classes)
        if len(found.classes) > 1 and ONE_CLASS * (sum(found.classes) - most) < most:
            code = numbers.bounds[found.classes.index(most)][0]
            yield replace(
                Finding(f"number in the class {code}", *where, most, (), unit),
                rule=AS_THEY_ARE.id,
                refuses=False,
            )

    def _unknown(self, attribute: Attribute, found: Strangers) -> Iterator[Finding]:
        where = attribute.table, attribute.column
        if found.ambiguous:
            yield self._ambiguous(*where, (found.ambiguous, found.doubled))
        hints = _hints(attribute, found, self.codebook.library)
        into = _code(attribute, attribute.missing)
        if found.nulls:
            remedy = FILL if into is None else _folds(attribute, into, "null_as")
            missing = Finding("missing code", *where, found.nulls, (), remedy)
            yield self._folded(missing, "missing_code", into, attribute.unknown)
        into = _code(attribute, attribute.unlisted)
        if found.unlisted:
            listing = LIST_FRAME if attribute.of_workplaces else LIST
            refused = "" if hints.whole else listing
            rest = refused if into is None else _folds(attribute, into, "other")
            remedy = " ".join(filter(None, (*hints.texts, rest)))
            strange = Finding("unlisted code", *where, found.unlisted, found.examples, remedy)
            near = replace(strange, doubtful=into is not None)
            yield self._folded(near, "unlisted_code", into, attribute.unknown)

    def _folded(self, found: Finding, rule: str, into: str | None, unknown: str | None) -> Finding:
        """What the codebook folds into a code is no mistake, but it touches rows."""
        if into is None:
            return self._judged(found, rule)
        doubtful = found.doubtful or into != unknown
        return replace(found, rule=rule, refuses=False, into=into, doubtful=doubtful)

    def _shared(self, attribute: Attribute) -> Iterator[Finding]:
        """A column of several attributes is looked up in the lists of all of them at once."""
        table, column = attribute.table, attribute.column
        same = [one for one in self._coded() if (one.table, one.column) == (table, column)]
        listed = {text for one in same for text in one.recode}
        if attribute is same[0] and listed != set(attribute.recode):
            wrong = self.probe.ambiguous(table, column, listed)
            if wrong[0]:
                yield self._ambiguous(table, column, wrong)

    def _ambiguous(self, table: str, column: str, wrong: Wrong) -> Finding:
        """A job would count in several cells."""
        found = Finding("ambiguous code", table, column, *wrong, AMBIGUOUS)
        return self._judged(found, "ambiguous_code")


def _code(attribute: Attribute, position: int | None) -> str | None:
    """The code that rows without one count as, if the codebook names it."""
    return None if position is None else attribute.codes[position]


def _folds(attribute: Attribute, into: str, key: str) -> str:
    """What such rows count as; `unknown` implies the two other keys."""
    return FOLDED.format("unknown" if into == attribute.unknown else key)


def _lookup(attribute: Attribute) -> tuple[str, str, frozenset[str]]:
    """The column of an attribute and the texts that it is compared with."""
    return attribute.table, attribute.column, frozenset(attribute.recode)


class Hints(NamedTuple):
    """What unlisted texts are instead of codes; `whole` if that is said of all examples."""

    texts: tuple[str, ...]
    whole: bool


def _hints(attribute: Attribute, found: Strangers, library: Library | None) -> Hints:
    """What to do about texts that are not listed."""
    spelled = CodeSpelling(attribute, found.sample, library)
    near = tuple(dict.fromkeys(spelled.near()))
    if near and set(found.examples) <= set(found.near):
        return Hints(near, whole=True)
    explained = spelled.explained()
    return Hints((*near, explained), whole=True) if explained else Hints(near, whole=False)
