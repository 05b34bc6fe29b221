"""Draft: a codebook and a plan to start from, as the headers of three tables suggest them."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from textwrap import wrap

from leeward.cli.meaning import (
    EMPLOYERS,
    WORKER_IDS,
    WORKPLACE_IDS,
    Fit,
    Meaning,
    few_labels,
    fit_by_codes,
    fit_by_name,
    legal,
    likeliest,
    meaning_of,
    plain,
    unfit,
)
from leeward.model.classifications import Library
from leeward.model.declaration import NAME
from leeward.publishing.request import PLACEHOLDERS

Headers = Mapping[str, Mapping[str, str]]
Codes = Callable[[str], tuple[str, ...]]
"""The codes of a column of workplaces that is usually public."""

MOST_PROPOSED = 10
"""How many columns are proposed; of wide files the rest is named in comments."""

MOST_CODES_OF_A_TABLE = 100
"""An attribute with more codes than these is proposed for no table if there is a shorter one."""

READ = "read from the data: somebody must confirm that these values are public"
WRITE = "no list is known: write one (CSV, header code,label) and uncomment this, or delete it"
NUMBERS = re.compile(r"!?(u?int[0-9]|float|decimal)")
"""How the types of columns begin that hold numbers."""


@dataclass(frozen=True)
class Column:
    """A column that may become an attribute."""

    table: str
    name: str
    attribute: str
    meaning: Meaning | None
    fit: Fit | None = None
    read: tuple[str, ...] = ()
    """Codes that were read from the data, where no classification holds all of them."""

    @property
    def public(self) -> bool:
        """Whether everyone usually knows it of a workplace."""
        return self.table == "workplaces" and self.meaning is not None and self.meaning.public

    @property
    def listed(self) -> Mapping[str, str]:
        """The codes of its list, with labels; none if no list is known."""
        known = {} if self.fit is None else dict(self.fit.listed.codes)
        own = {code: code for code in self.read}
        lacks = () if self.fit is None else self.fit.lacking
        name = "" if self.fit is None else self.fit.listed.name
        return {**own, **known, **{code: f"{code} (not in {name})" for code in lacks}}

    @property
    def list_file(self) -> str:
        """The file of its list, relative to the codebook."""
        return f"codes/{self.attribute}.csv"

    @property
    def in_file(self) -> bool:
        """Whether its list is a file that the draft writes: some codes were read from the data."""
        return bool(self.read) or (self.fit is not None and bool(self.fit.lacking))


@dataclass(frozen=True)
class Draft:
    """Identifiers and attributes that the headers of three tables suggest.

    `codes` reads the codes of a column of workplaces; None if headers alone are looked at.
    `listing` lets codes become lists where no classification holds them.
    """

    headers: Headers
    library: Library = field(default_factory=Library)
    codes: Codes | None = None
    listing: bool = False

    @cached_property
    def workplace_id(self) -> str:
        """The column that identifies workplaces."""
        return self._key("workplaces", WORKPLACE_IDS)

    @cached_property
    def worker_id(self) -> str:
        """The column that identifies workers."""
        return self._key("workers", WORKER_IDS)

    def _key(self, table: str, usual: str) -> str:
        """A usual name that jobs have too; else one that they share; else a usual one."""
        columns = list(self.headers[table])
        shared = [one for one in columns if one in self.headers["jobs"]]
        named = [one for one in columns if plain(one) in usual.split()]
        return ([one for one in named if one in shared] or shared or named or columns)[0]

    def _in_jobs(self, key: str, usual: str) -> str:
        """How the jobs call a key."""
        jobs = self.headers["jobs"]
        return (
            key if key in jobs else next((one for one in jobs if plain(one) in usual.split()), key)
        )

    @cached_property
    def employer(self) -> str | None:
        """The column of employers, if there is one with a usual name."""
        found = (one for one in self.headers["workplaces"] if plain(one) in EMPLOYERS.split())
        return next(found, None)

    @cached_property
    def skipped(self) -> tuple[tuple[str, str, str], ...]:
        """Tables, columns, and why these hold no codes."""
        named = ((*place, unfit(place[1], kind)) for place, kind in self._others())
        return tuple((table, name, why) for table, name, why in named if why is not None)

    def _others(self) -> Iterator[tuple[tuple[str, str], str]]:
        """Columns of workplaces and workers but the keys, with their types."""
        keys = {self.workplace_id, self.worker_id, self.employer}
        for table in ("workplaces", "workers"):
            for name, kind in self.headers[table].items():
                if name not in keys:
                    yield (table, name), kind

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """Columns that can hold codes: first those whose meaning is known."""
        skipped = {(table, name) for table, name, _ in self.skipped}
        places = [place for place, _ in self._others() if place not in skipped]
        made: list[Column] = []
        known = likeliest(places)
        for table, name in [*known, *(one for one in places if one not in known)]:
            attribute = legal(name, [one.attribute for one in made])
            made.append(Column(table, name, attribute, meaning_of(table, name)))
        return tuple(made)

    @cached_property
    def proposed(self) -> tuple[Column, ...]:
        """The likely ones with their lists: those with a known meaning, and of few others all."""
        known = [one for one in self.columns if one.meaning is not None][:MOST_PROPOSED]
        rest = [one for one in self.columns if one.meaning is None]
        return tuple(map(self._with_list, [*known, *(rest if len(rest) <= MOST_PROPOSED else [])]))

    @property
    def unproposed(self) -> tuple[Column, ...]:
        """The other columns that could hold codes."""
        names = {one.attribute for one in self.proposed}
        return tuple(one for one in self.columns if one.attribute not in names)

    def _with_list(self, column: Column) -> Column:
        """The same with the list that its name suggests; of public workplace columns, its codes."""
        parts = (column.table, column.name, column.attribute, column.meaning)
        if column.meaning is None:
            return column
        if self.codes is None or not column.public:
            kind = self.headers[column.table][column.name]
            return Column(*parts, fit_by_name(column.meaning, kind, self.library))
        codes = self.codes(column.name)
        fit = fit_by_codes(column.name, codes, self.library, self._state)
        return Column(*parts, fit, codes if fit is None and self.listing else ())

    @cached_property
    def _state(self) -> str:
        """The one state of all workplaces, if a column that may be read tells; else nothing."""
        found = (one for one in self.columns if one.meaning and one.meaning.theme == "state")
        column = next((one for one in found if one.public), None)
        codes = () if column is None or self.codes is None else self.codes(column.name)
        return codes[0].zfill(2) if len(codes) == 1 else ""

    @property
    def active(self) -> tuple[Column, ...]:
        """Those proposed columns that have a list: the others are comments."""
        return tuple(one for one in self.proposed if one.listed)

    @property
    def to_write(self) -> tuple[Column, ...]:
        """Those whose lists a person must write."""
        return tuple(one for one in self.proposed if not one.listed)

    @property
    def numeric(self) -> tuple[str, ...]:
        """Columns of jobs that hold numbers, such as pay."""
        keys = {self.workplace_id, self.worker_id}
        return tuple(
            name
            for name, kind in self.headers["jobs"].items()
            if name not in keys and NUMBERS.match(kind)
        )

    def codebook(self, classifications: str | None = None) -> Iterator[str]:
        """The codebook, with a comment wherever a decision is needed."""
        yield "# What the columns mean. Every code that may be tabulated stands in a closed list."
        yield "tables:"
        employer = "" if self.employer is None else f", employer: {quoted(self.employer)}"
        workplace, worker = self.workplace_id, self.worker_id
        yield f"  workplaces: {{id: {quoted(workplace)}{employer}}}"
        yield f"  workers: {{id: {quoted(worker)}}}"
        worker, workplace = (
            self._in_jobs(worker, WORKER_IDS),
            self._in_jobs(workplace, WORKPLACE_IDS),
        )
        yield f"  jobs: {{worker: {quoted(worker)}, workplace: {quoted(workplace)}}}"
        if classifications is not None:
            yield f"classifications: {_one_line(classifications)}"
        yield "attributes:"
        for one in self.active:
            yield from (f"  {line}" for line in _attribute(one))
        for one in self.to_write:
            yield from (f"  # {line}" for line in _attribute(one))
        for name in self.numeric:
            yield from (f"  # {line}" for line in _numeric(name))
        yield from (f"# {line}" for line in self._left_out())

    def _left_out(self) -> Iterator[str]:
        """Columns that are not proposed, in comments."""
        for table in ("workplaces", "workers"):
            names = [one.name for one in self.unproposed if one.table == table]
            if names:
                yield f"{len(names)} further columns of {table}, whose meaning is not known:"
                yield from wrap(", ".join(map(quoted, names)), 96, break_on_hyphens=False)
        yield from self.why_left_out()

    def why_left_out(self) -> Iterator[str]:
        """A line for each column that holds no codes."""
        for table, name, why in self.skipped:
            yield f"Left out: {table}.{quoted(name)} ({why})."

    def plan(self, sources: Mapping[str, str]) -> Iterator[str]:
        """The plan, with tables that the headers suggest."""
        tables = self.tables
        yield "data:"
        yield from (f"  {name}: {_one_line(source)}" for name, source in sources.items())
        yield "codebook: codebook.yaml"
        yield f"account: {PLACEHOLDERS['account']}  # opened once with `leeward ledger create`"
        yield f"period: {PLACEHOLDERS['period']}  # that of the data, such as 2026Q1"
        yield "protect: {policy: strong, alpha: 0.1, epsilon: 4}"
        yield "tables:" if tables else "tables: []  # name tables once an attribute has a list"
        share = "1" if len(tables) < 2 else f"1/{len(tables)}"
        for name, by in tables.items():
            yield f"  - {{name: {name}, by: [{', '.join(by)}], share: {share}}}"

    @property
    def tables(self) -> dict[str, list[str]]:
        """Tables by the attributes that have a list: one of each theme."""
        public = _one_of_each([one for one in self.active if one.public])
        workers = _one_of_each([one for one in self.active if one.table == "workers"])[:2]
        made = {"by_workplace": public[:3], "by_worker": [*public[:1], *workers] if workers else []}
        return {name: by for name, by in made.items() if by}


def _one_of_each(columns: list[Column]) -> list[str]:
    """The names of attributes with one for each theme, long lists and lists of one code last."""
    chosen: dict[str, Column] = {}
    for one in columns:
        theme = "" if one.meaning is None else one.meaning.theme
        kept = chosen.setdefault(theme, one)
        if _unwieldy(one) < _unwieldy(kept):
            chosen[theme] = one
    useful = [one for one in chosen.values() if len(one.listed) <= MOST_CODES_OF_A_TABLE]
    return [one.attribute for one in useful or chosen.values()]


def _unwieldy(column: Column) -> bool:
    return len(column.listed) > MOST_CODES_OF_A_TABLE


def _attribute(column: Column) -> Iterator[str]:
    """An attribute as it is declared."""
    yield f"{column.attribute}:" if column.listed else f"{column.attribute}:  # {WRITE}"
    yield f"  table: {column.table}"
    if column.name != column.attribute:
        yield f"  column: {_one_line(column.name)}"
    if column.table == "workplaces":
        yield f"  public: {str(column.public).lower()}  # true only if everyone may know it"
    if column.fit is not None and not column.in_file:
        yield f'  codes: "{column.fit.address}"  # {few_labels(column.fit.listed.codes)}'
        if column.meaning is not None and column.meaning.else_write:
            yield f"  # or, if these are its codes: codes: {column.meaning.else_write}"
        return
    if not column.listed and column.meaning is not None and column.meaning.lists:
        known = column.meaning.lists.replace(" ", ", ")
        yield f"  # classifications that it may be of (see `leeward codes`): {known}"
    why = _why(column) if column.listed else ""
    yield f"  codes: {column.list_file}{why}"


def _why(column: Column) -> str:
    """What somebody must confirm of a list in a file."""
    if column.fit is None:
        return f"  # {READ}"
    lacks = len(column.fit.lacking)
    return f"  # {column.fit.listed.name}, and {lacks} codes {READ}"


def _numeric(name: str) -> Iterator[str]:
    """A numeric column of jobs, to be declared by a person: its cap is a decision."""
    legal_name = legal(name, ())
    yield f"{legal_name}:  # a column of numbers: correct this and uncomment it, or delete it"
    yield "  table: jobs"
    if legal_name != name:
        yield f"  column: {_one_line(name)}"
    yield "  type: integer"
    yield "  unit: cent  # what a number counts"
    yield "  period: month  # the time that a number is for"
    yield "  cap: 1500000  # public: decided before the data are seen, never computed from them"
    yield "  cap_from: who decided the cap, and by what  # for tables of pay"
    yield "  classes: {low: 300000, high: 1500000}  # the last bound is the cap"


def quoted(name: str) -> str:
    """A column's name as YAML, also in a comment, and on a terminal.

    A header of a file may contain line breaks and control characters: all are written as escapes.
    """
    return name if re.fullmatch(NAME, name) else _one_line(name)


def _one_line(text: str) -> str:
    """Text in double quotes that neither YAML nor a terminal reads as anything else."""
    return "".join(map(_visible, json.dumps(text, ensure_ascii=False)))


def _visible(letter: str) -> str:
    if letter.isprintable():
        return letter
    number = ord(letter)
    return f"\\u{number:04x}" if number < 2**16 else f"\\U{number:08x}"
