"""Draft documents: codebook and plan of a draft, with a comment at each decision, and the answer.

The answer is what `leeward init` prints of a draft, for people and as JSON.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from shlex import quote
from textwrap import shorten, wrap

from leeward.core.codebook.code_list import LABELS
from leeward.interface.commands.draft import DraftColumn, FirstDraft
from leeward.interface.commands.employees import FILES, LIST, Employees
from leeward.interface.commands.keys import Key
from leeward.interface.commands.meaning import legal, one_line, quoted
from leeward.publishing.plan.request import PLACEHOLDERS

READ = "read from the data: confirm that these values are public"
WRITE = "no list is known: write one (CSV, header code,label) and uncomment this, or delete it"
NULLS = ("-", "NA", ".")
"""Texts that many programs write for a missing value."""

UNKNOWN = "unknown"
"""The code that a draft adds to the lists of workers: rows without a listed code count there."""

MOST_TEXTS, MOST_LABELS = 2, 3
"""How many texts of a spelling are shown, and how many codes with their labels."""

CODEBOOK, PLAN = "codebook.yaml", "plan.yaml"


@dataclass(frozen=True)
class Stated:
    """What an operator states of the plan; placeholders are in place of the rest."""

    account: str | None = None
    period: str | None = None

    @property
    def placeholders(self) -> Mapping[str, str]:
        """By key of the plan what must be typed."""
        needed = {
            "account": "the account of the ledger that pays" if self.account is None else "",
            "period": "what the jobs are of, such as 2026Q2" if self.period is None else "",
        }
        return {key: words for key, words in needed.items() if words}


def codebook_lines(draft: FirstDraft, classifications: str | None = None) -> Iterator[str]:
    """The codebook."""
    yield "# What the columns mean. Every code that may be tabulated is in a closed list."
    yield "tables:"
    tables: dict[str, list[Key]] = {}
    for key in draft.keys:
        tables.setdefault(key.table, []).append(key)
    for table, keys in tables.items():  # what is not sure has the reason behind it
        named = ", ".join(f"{key.role}: {quoted(key.column)}" for key in keys)
        unsure = "; ".join(f"{key.role} is {key.reason}" for key in keys if not key.sure)
        yield f"  {table}: {{{named}}}" + (f"  # {unsure}" if unsure else "")
    if classifications is not None:
        yield f"classifications: {one_line(classifications)}"
    nulls = ", ".join(map(one_line, NULLS))
    yield f"nulls: [{nulls}]  # texts that mean missing, in columns of attributes"
    if any(column.table == "workers" for column in draft.proposed):
        yield "# A worker without a listed code counts as unknown, so that no job is lost."
    yield "attributes:"
    for column in draft.active:
        yield from (f"  {line}" for line in _attribute(column))
    for column in draft.to_write:
        yield from (f"  # {line}" for line in _attribute(column))
    for name, kind in draft.numeric.items():
        yield from (f"  # {line}" for line in _numeric(name, kind))
    for table, names in draft.further.items():
        yield f"# {len(names)} further columns of {table}, whose meaning is not known:"
        listed = wrap(", ".join(map(quoted, names)), 96, break_on_hyphens=False)
        yield from (f"# {line}" for line in listed)
    yield from (f"# {line}" for line in why_left_out(draft))


def why_left_out(draft: FirstDraft) -> Iterator[str]:
    """A line for each column that holds no codes."""
    for table, name, why in draft.skipped:
        yield f"Left out: {table}.{quoted(name)} ({why})."


def plan_lines(
    draft: FirstDraft, sources: Mapping[str, str], chosen: Stated, opening: Iterable[str] = ()
) -> Iterator[str]:
    """The plan, with the table that the headers suggest; `opening` lines are comments above it."""
    placeholders = chosen.placeholders
    yield from (f"# {line}" for line in opening)
    yield "data:"
    yield from (f"  {name}: {one_line(source)}" for name, source in sources.items())
    yield "codebook: codebook.yaml"
    for key, given in (("account", chosen.account), ("period", chosen.period)):
        typed = PLACEHOLDERS[key] if given is None else given
        comment = f"  # type {placeholders[key]}" if key in placeholders else ""
        yield f"{key}: {quoted(typed)}{comment}"
    yield "protect: {policy: strong, alpha: 0.1, epsilon: 4}"
    yield "tables:" if draft.tables else "tables: []  # name tables once an attribute has a list"
    yield from (f"  - {table}" for table in draft.tables)
    for table in draft.tables:
        for column in draft.active:
            if column.table == "jobs":  # the class of each job: a table of flows is possible
                flows = f"statistic: flows, of: {column.attribute}, share: 1/4"
                yield "  # hires, separations and job change; give the table above share: 3/4 then:"
                yield f"  # - {{name: flows, by: [{', '.join(table.by)}], {flows}}}"


def _attribute(column: DraftColumn) -> Iterator[str]:
    """An attribute as it is declared."""
    yield f"{column.attribute}:" if column.listed else f"{column.attribute}:  # {WRITE}"
    yield f"  table: {column.table}"
    if column.name != column.attribute:
        yield f"  column: {one_line(column.name)}"
    if column.table == "workplaces":
        yield f"  public: {str(column.public).lower()}  # true only if everyone may know it"
    fit = column.fit
    if column.defined:
        listed = ", ".join(f'"{code}": {one_line(label)}' for code, label in column.defined.items())
        yield f"  codes: {{{listed}}}"
    elif fit is not None and not column.in_file:
        yield f'  codes: "{fit.address}"  # {few_labels(fit.listed.codes)}'
        if fit.listed.spellings:
            ways = ", ".join((*fit.listed.spellings, LABELS))
            yield f"  spelled: [{ways}]  # read as its codes too; or a mapping of your own texts"
    else:
        if not column.listed and column.meaning is not None and column.meaning.lists:
            known = column.meaning.lists.replace(" ", ", ")
            yield f"  # classifications that it may be of (see `leeward codes`): {known}"
        confirm = f"  # {READ}" if column.listed else ""
        if fit is not None and column.listed:
            confirm = f"  # {fit.listed.name}, and {len(fit.lacking)} codes {READ}"
        yield f"  codes: {column.list_file}{confirm}"
    if column.table == "workplaces":
        yield f"  # unknown: {UNKNOWN}  # for establishments without a code, if there may be some"
    if column.table == "workers":
        yield f"  unknown: {UNKNOWN}"


def _numeric(name: str, kind: str) -> Iterator[str]:
    """A numeric column of jobs, to be declared by a person: its cap is a decision."""
    legal_name = legal(name, ())
    yield f"{legal_name}:  # a column of numbers: correct this and uncomment it, or delete it"
    yield "  table: jobs"
    if legal_name != name:
        yield f"  column: {one_line(name)}"
    yield "  type: integer"
    unit, look = unit_of(kind)
    hundreds = 100 if unit == "cent" else 1
    yield f"  unit: {unit}  # {look}"
    yield "  period: month  # the time that a number is for"
    low, cap = 3000 * hundreds, 15000 * hundreds
    yield f"  cap: {cap}  # public: decided before the data are seen, never computed from them"
    yield "  cap_from: who decided the cap, and by what  # for tables of pay"
    yield f"  classes: {{low: {low}, high: {cap}}}  # the last bound is the cap"


def unit_of(kind: str) -> tuple[str, str]:
    """The likely unit of a column of numbers by its type, and what to look at."""
    if "float" in kind or "decimal" in kind:
        return "dollar", "or euro …: a fraction such as .98 is rounded down to whole units"
    if "string" in kind:
        return "dollar", "or cent …: 9390.98 counts as 9390; 9,390.98 counts as no number"
    return "cent", "or dollar, euro …: what the number 1 means"


def few_labels(codes: Mapping[str, str]) -> str:
    """The first codes with their labels, for a comment."""
    first = ((code, shorten(label, 30, placeholder="…")) for code, label in codes.items())
    labels = "; ".join(f"{code} {label}" for code, label in islice(first, MOST_LABELS))
    return labels if len(codes) <= MOST_LABELS else f"{labels}; … {len(codes)} codes"


@dataclass(frozen=True)
class DraftAnswer:
    """The folder of a draft, the draft, and what the operator stated."""

    out: Path
    draft: FirstDraft
    chosen: Stated
    employees: Employees | None = None
    """The one table that workers and jobs are from."""

    def as_json(self) -> dict[str, object]:
        """What was written: paths, names of columns and classifications, never codes."""
        draft = self.draft
        standard = {column.attribute: column.fit.address for column in draft.active if column.fit}
        return {
            "codebook": str(self.out / CODEBOOK),
            "plan": str(self.out / PLAN),
            "keys": {
                key.place: {"column": key.column, "sure": key.sure, "why": key.why}
                for key in draft.keys
            },
            "to_type": [*self.chosen.placeholders],
            "classifications": standard,
            "lists_to_confirm": [str(self.out / column.list_file) for column in self._confirm],
            "lists_to_fill": [str(self.out / column.list_file) for column in draft.to_write],
            "pay_to_declare": [*draft.numeric],
            "not_proposed": [f"{table}.{name}" for table, names in draft.further.items()
                             for name in names],
            "weights": [*draft.weights],
            "left_out": {f"{table}.{name}": why for table, name, why in draft.skipped},
            "to_provide": None if self._list is None else str(self._list),
        }  # fmt: skip

    @property
    def _confirm(self) -> list[DraftColumn]:
        return [column for column in self.draft.active if column.in_file]

    @property
    def _list(self) -> Path | None:
        """The public list of workplaces that is not there yet."""
        missing = self.employees is not None and self.employees.listed is None
        return self.out / LIST if missing else None

    def lines(self) -> Iterator[str]:
        """What was written, what it rests on, and what a person must do."""
        draft = self.draft
        yield f"Wrote {self.out / CODEBOOK} and {self.out / PLAN}."
        if self.employees is not None:
            yield from self.employees.opening
            yield f"{self.out / FILES['workers']} and {Path(FILES['jobs']).name} have the rows,"
            yield "with numbers as ids of workers: confidential, for their owner only."
        yield "These columns are taken as keys. Check each:"
        for key in draft.keys:
            yield f"  {key.place}: {quoted(key.column)} ({key.reason})"
        yield from self._lists()
        pay = [f"jobs.{quoted(name)}" for name in draft.numeric]
        if pay:
            yield "These could be pay. They are comments in the codebook; to use one, state its"
            yield "unit, its period and a public cap:"
            yield from (f"  {place}" for place in pay)
        count = sum(map(len, draft.further.values()))
        if count:
            yield f"{count} further columns could hold codes; the codebook names them in comments."
        yield from why_left_out(draft)
        if draft.weights:
            yield "Survey weights are not supported: tables count the rows of the file, not the"
            yield "population that they represent."
        placeholders = self.chosen.placeholders
        if placeholders:
            yield f"First type these in {self.out / PLAN}; until then `leeward plan` rejects it:"
            yield from (f"  {key}: {words}" for key, words in placeholders.items())
        ready = "" if draft.tables else " once a list is written"
        yield "Then decide which workplace attributes are public, choose tables and epsilon. Run"
        yield f"  leeward plan {quote(str(self.out / PLAN))}{ready}"

    def _lists(self) -> Iterator[str]:
        """The lists of columns: found, read, and to write."""
        columns = [(column, column.fit) for column in self.draft.active if not column.in_file]
        fitted = [(column, fit) for column, fit in columns if fit is not None]
        if fitted:
            yield "These columns got a classification. Check that each is right:"
        for column, fit in fitted:
            yield f"  {quoted(column.name)}: {fit.address} ({few_labels(column.listed)})"
            pairs = (pair for texts in fit.listed.spellings.values() for pair in texts.items())
            read = ", ".join(f"{text} as {code}" for text, code in islice(pairs, MOST_TEXTS))
            if read:
                yield f"    read too: {read} and so on, and the labels. Check that this is right."
        if self._confirm:
            yield "These code lists were read from the data, from workplace columns that are"
            yield "usually public. Confirm that their values are public:"
        for column in self._confirm:
            lacks = "" if column.fit is None else (
                f": {column.fit.listed.name}, which lacks {len(column.fit.lacking)} of the codes "
                "(another vintage?)"
            )  # fmt: skip
            yield f"  {self.out / column.list_file}{lacks}"
        if self.draft.to_write:
            yield "No list is known for these: they are comments in the codebook. Write a list"
            yield "(header code,label), and uncomment the attribute or delete it:"
            for column in self.draft.to_write:
                yield f"  {quoted(column.name)}: {self.out / column.list_file}"
