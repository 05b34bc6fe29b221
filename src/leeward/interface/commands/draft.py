"""Draft: the attributes and tables to start from, as the headers of three tables suggest them."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from leeward.core.codebook.classifications import Library
from leeward.core.codebook.flow_classes import FLOW_LABELS
from leeward.interface.commands.keys import Headers, KeyColumns, is_id
from leeward.interface.commands.meaning import (
    FLOW,
    FRACTIONS,
    WEIGHT,
    ListFit,
    Meaning,
    fit_by_codes,
    fit_by_name,
    is_pay,
    is_weight,
    legal,
    likeliest,
    meaning_of,
    plain,
    unfit,
)

Codes = Callable[[str], tuple[str, ...]]
"""The codes of a column of workplaces that is usually public."""

MOST_PROPOSED = 10
"""How many columns are proposed; of wide files the rest is named in comments."""

MOST_CODES_OF_A_TABLE = 100
"""An attribute with more codes than these is proposed for no table if there is a shorter one."""

MOST_BY = 2
"""Attributes of workplaces that the drafted table is by: more leave few jobs to a cell."""

ANOTHER_ID = "another id"
"""Why a column is left out that has the name of a key and is none."""

NUMBERS = re.compile(r"!?(u?int[0-9]|float|decimal)")
"""How the types of columns begin that hold numbers."""


@dataclass(frozen=True)
class DraftColumn:
    """A column that may become an attribute."""

    table: str
    name: str
    attribute: str
    meaning: Meaning | None = None
    fit: ListFit | None = None
    read: tuple[str, ...] = ()
    """Codes that were read from the data, where no classification holds all of them."""
    defined: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Codes that Leeward itself gives a column."""

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
        lacking = {code: f"{code} (not in {name})" for code in lacks}
        return {**self.defined, **own, **known, **lacking}

    @property
    def list_file(self) -> str:
        """The file of its list, relative to the codebook."""
        return f"codes/{self.attribute}.csv"

    @property
    def in_file(self) -> bool:
        """Whether its list is a file that the draft writes: some codes were read from the data."""
        return bool(self.read) or (self.fit is not None and bool(self.fit.lacking))


@dataclass(frozen=True)
class DraftedTable:
    """A table of the plan: cells of workplaces, and what they are broken down by."""

    name: str
    by: tuple[str, ...]
    breakdowns: tuple[str, ...] = ()

    def __str__(self) -> str:
        broken = f", breakdowns: [{', '.join(self.breakdowns)}]" if self.breakdowns else ""
        return f"{{name: {self.name}, by: [{', '.join(self.by)}]{broken}}}"


@dataclass(frozen=True)
class FirstDraft:
    """Keys, attributes and tables that the headers of three tables suggest.

    `codes` reads the codes of a column of workplaces; None if headers alone are looked at.
    `listing` lets codes become lists where no classification holds them.
    """

    headers: Headers
    library: Library = field(default_factory=Library)
    codes: Codes | None = None
    listing: bool = False

    @cached_property
    def keys(self) -> KeyColumns:
        """Which column is which key."""
        return KeyColumns(self.headers)

    @cached_property
    def skipped(self) -> tuple[tuple[str, str, str], ...]:
        """Tables, columns, and why these hold no codes."""
        skipped = []
        for (table, name), kind in self._others():
            why, meaning = unfit(name, kind), meaning_of(table, name)
            if is_id(name):
                why = ANOTHER_ID
            elif why is not None and why.endswith(FRACTIONS) and meaning is not None:
                # Stata and SAS keep codes such as 1 and 2 as 1.0 and 2.0.
                why = why if fit_by_name(meaning, kind, self.library) is None else None
            if why is not None:
                skipped.append((table, name, why))
        weights = [("jobs", name, WEIGHT) for name in self._of_jobs() if is_weight(name)]
        return (*skipped, *weights)

    @property
    def weights(self) -> tuple[str, ...]:
        """Columns that hold survey weights, by their names."""
        return tuple(f"{table}.{name}" for table, name, why in self.skipped if why == WEIGHT)

    def _others(self) -> Iterator[tuple[tuple[str, str], str]]:
        """Columns of workplaces and workers but the keys, with their types."""
        keys = {key.column for key in self.keys if key.table != "jobs"}
        for table in ("workplaces", "workers"):
            for name, kind in self.headers[table].items():
                if name not in keys:
                    yield (table, name), kind

    def _of_jobs(self) -> dict[str, str]:
        """Columns of jobs but the keys, with their types."""
        keys = {self.keys.job_worker.column, self.keys.job_workplace.column}
        return {name: kind for name, kind in self.headers["jobs"].items() if name not in keys}

    @cached_property
    def columns(self) -> tuple[DraftColumn, ...]:
        """Columns that can hold codes: first those whose meaning is known."""
        skipped = {(table, name) for table, name, _ in self.skipped}
        places = [place for place, _ in self._others() if place not in skipped]
        columns: list[DraftColumn] = []
        known = likeliest(places)
        for table, name in [*known, *(place for place in places if place not in known)]:
            attribute = legal(name, [column.attribute for column in columns])
            columns.append(DraftColumn(table, name, attribute, meaning_of(table, name)))
        return tuple(columns)

    @cached_property
    def proposed(self) -> tuple[DraftColumn, ...]:
        """The likely ones with their lists: those with a known meaning, and of few others all."""
        known = [column for column in self.columns if column.meaning is not None][:MOST_PROPOSED]
        rest = [column for column in self.columns if column.meaning is None]
        few = rest if len(rest) <= MOST_PROPOSED else []
        flow = []
        if "string" in self._of_jobs().get(FLOW, ""):  # what `leeward jobs` writes is text
            attribute = legal(FLOW, [column.attribute for column in self.columns])
            flow = [DraftColumn("jobs", FLOW, attribute, defined=FLOW_LABELS)]
        proposed = []
        for column in [*known, *few]:
            meaning, fit = column.meaning, None
            codes: tuple[str, ...] = ()
            if meaning is not None and self.codes is not None and column.public:
                codes = self.codes(column.name)
                fit = fit_by_codes(column.name, codes, self.library, self._state)
            elif meaning is not None:
                kind = self.headers[column.table][column.name]
                fit = fit_by_name(meaning, kind, self.library)
            read = codes if fit is None and self.listing else ()
            proposed.append(replace(column, fit=fit, read=read))
        return (*proposed, *flow)

    @property
    def unproposed(self) -> tuple[DraftColumn, ...]:
        """The other columns of workplaces and workers that could hold codes."""
        names = {column.attribute for column in self.proposed}
        return tuple(column for column in self.columns if column.attribute not in names)

    @cached_property
    def _state(self) -> str:
        """The one state of all workplaces, if a column that may be read tells; else nothing."""
        known = ((column, column.meaning) for column in self.columns if column.public)
        states = (column for column, meaning in known if meaning and meaning.theme == "state")
        column = next(states, None)
        codes = () if column is None or self.codes is None else self.codes(column.name)
        return codes[0].zfill(2) if len(codes) == 1 else ""

    @property
    def active(self) -> tuple[DraftColumn, ...]:
        """Those proposed columns that have a list: the others are comments."""
        return tuple(column for column in self.proposed if column.listed)

    @property
    def to_write(self) -> tuple[DraftColumn, ...]:
        """Those whose lists a person must write."""
        return tuple(column for column in self.proposed if not column.listed)

    @property
    def numeric(self) -> Mapping[str, str]:
        """Columns of jobs with the name of pay or the type of a number, and their types."""
        columns = {name: kind for name, kind in self._of_jobs().items() if not is_weight(name)}
        ids = {name for name in columns if is_id(name) or plain(name).endswith("_id")}
        numbers = {name for name, kind in columns.items() if NUMBERS.match(kind)} - ids
        return {name: kind for name, kind in columns.items() if is_pay(name) or name in numbers}

    @property
    def further(self) -> Mapping[str, tuple[str, ...]]:
        """By table the columns that are not proposed and could hold codes."""
        flow = {column.name for column in self.proposed if column.table == "jobs"}
        rest = {*self._of_jobs()} - {*self.numeric} - flow
        of_jobs = [name for name in self._of_jobs() if name in rest and not is_weight(name)]
        named = [*((column.table, column.name) for column in self.unproposed),
                 *(("jobs", name) for name in of_jobs)]  # fmt: skip
        by_table: dict[str, tuple[str, ...]] = {}
        for table, name in named:
            by_table[table] = (*by_table.get(table, ()), name)
        return by_table

    @property
    def tables(self) -> tuple[DraftedTable, ...]:
        """One product: all jobs by public attributes, one of each theme, broken down by others."""
        public = _one_of_each([column for column in self.active if column.public])[:MOST_BY]
        workers = _one_of_each([column for column in self.active if column.table == "workers"])
        if public:
            return (DraftedTable("jobs", (*public,), (*workers,)),)
        return (DraftedTable("by_worker", (*workers[:MOST_BY],)),) if workers else ()


def _one_of_each(columns: list[DraftColumn]) -> list[str]:
    """The names of attributes with one for each theme, long lists and lists of one code last."""
    chosen: dict[str, DraftColumn] = {}
    for column in columns:
        theme = column.attribute if column.meaning is None else column.meaning.theme
        kept = chosen.setdefault(theme, column)
        if _unwieldy(column) < _unwieldy(kept):
            chosen[theme] = column
    useful = [column for column in chosen.values() if len(column.listed) <= MOST_CODES_OF_A_TABLE]
    return [column.attribute for column in useful or chosen.values()]


def _unwieldy(column: DraftColumn) -> bool:
    return len(column.listed) > MOST_CODES_OF_A_TABLE
