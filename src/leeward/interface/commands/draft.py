"""Draft: the attributes and tables to start from, as the headers of three tables suggest them."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from leeward.core.codebook.classifications import Library
from leeward.core.codebook.flow_classes import FLOW_LABELS
from leeward.interface.commands.keys import Headers, Keys, is_id
from leeward.interface.commands.meaning import (
    FLOW,
    FRACTIONS,
    WEIGHT,
    Fit,
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
class Column:
    """A column that may become an attribute."""

    table: str
    name: str
    attribute: str
    meaning: Meaning | None = None
    fit: Fit | None = None
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
class Draft:
    """Keys, attributes and tables that the headers of three tables suggest.

    `codes` reads the codes of a column of workplaces; None if headers alone are looked at.
    `listing` lets codes become lists where no classification holds them.
    """

    headers: Headers
    library: Library = field(default_factory=Library)
    codes: Codes | None = None
    listing: bool = False

    @cached_property
    def keys(self) -> Keys:
        """Which column is which key."""
        return Keys(self.headers)

    @cached_property
    def skipped(self) -> tuple[tuple[str, str, str], ...]:
        """Tables, columns, and why these hold no codes."""
        found = [(*place, self._unfit(*place, kind)) for place, kind in self._others()]
        found += [("jobs", name, WEIGHT) for name in self._of_jobs() if is_weight(name)]
        return tuple((table, name, why) for table, name, why in found if why is not None)

    def _unfit(self, table: str, name: str, kind: str) -> str | None:
        """Why a column holds no codes; Stata and SAS keep codes such as 1 and 2 as 1.0 and 2.0."""
        why, meaning = unfit(name, kind), meaning_of(table, name)
        if is_id(name):
            return ANOTHER_ID
        if why is None or not why.endswith(FRACTIONS) or meaning is None:
            return why
        return why if fit_by_name(meaning, kind, self.library) is None else None

    @property
    def weights(self) -> tuple[str, ...]:
        """Columns that hold survey weights, by their names."""
        return tuple(f"{table}.{name}" for table, name, why in self.skipped if why == WEIGHT)

    def _others(self) -> Iterator[tuple[tuple[str, str], str]]:
        """Columns of workplaces and workers but the keys, with their types."""
        keys = {one.column for one in self.keys if one.table != "jobs"}
        for table in ("workplaces", "workers"):
            for name, kind in self.headers[table].items():
                if name not in keys:
                    yield (table, name), kind

    def _of_jobs(self) -> dict[str, str]:
        """Columns of jobs but the keys, with their types."""
        keys = {self.keys.job_worker.column, self.keys.job_workplace.column}
        return {name: kind for name, kind in self.headers["jobs"].items() if name not in keys}

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
        few = rest if len(rest) <= MOST_PROPOSED else []
        return (*map(self._with_list, [*known, *few]), *self._flow())

    def _flow(self) -> Iterator[Column]:
        """The class of a job that `leeward jobs` writes, always as text."""
        taken = [one.attribute for one in self.columns]
        for name, kind in self._of_jobs().items():
            if name == FLOW and "string" in kind:
                yield Column("jobs", name, legal(name, taken), defined=FLOW_LABELS)

    @property
    def unproposed(self) -> tuple[Column, ...]:
        """The other columns of workplaces and workers that could hold codes."""
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
    def numeric(self) -> Mapping[str, str]:
        """Columns of jobs with the name of pay or the type of a number, and their types."""
        return {
            name: kind
            for name, kind in self._of_jobs().items()
            if not is_weight(name) and (is_pay(name) or (NUMBERS.match(kind) and not _of_ids(name)))
        }

    @property
    def further(self) -> Mapping[str, tuple[str, ...]]:
        """By table the columns that are not proposed and could hold codes."""
        flow = {one.name for one in self.proposed if one.table == "jobs"}
        rest = {*self._of_jobs()} - {*self.numeric} - flow
        of_jobs = [one for one in self._of_jobs() if one in rest and not is_weight(one)]
        named = [*((one.table, one.name) for one in self.unproposed),
                 *(("jobs", one) for one in of_jobs)]  # fmt: skip
        found: dict[str, tuple[str, ...]] = {}
        for table, name in named:
            found[table] = (*found.get(table, ()), name)
        return found

    @property
    def tables(self) -> tuple[DraftedTable, ...]:
        """One product: all jobs by public attributes, one of each theme, broken down by others."""
        public = _one_of_each([one for one in self.active if one.public])[:MOST_BY]
        workers = _one_of_each([one for one in self.active if one.table == "workers"])
        if public:
            return (DraftedTable("jobs", (*public,), (*workers,)),)
        return (DraftedTable("by_worker", (*workers[:MOST_BY],)),) if workers else ()


def _of_ids(name: str) -> bool:
    """Whether numbers of jobs identify something: they are no pay."""
    return is_id(name) or plain(name).endswith("_id")


def _one_of_each(columns: list[Column]) -> list[str]:
    """The names of attributes with one for each theme, long lists and lists of one code last."""
    chosen: dict[str, Column] = {}
    for one in columns:
        theme = one.attribute if one.meaning is None else one.meaning.theme
        kept = chosen.setdefault(theme, one)
        if _unwieldy(one) < _unwieldy(kept):
            chosen[theme] = one
    useful = [one for one in chosen.values() if len(one.listed) <= MOST_CODES_OF_A_TABLE]
    return [one.attribute for one in useful or chosen.values()]


def _unwieldy(column: Column) -> bool:
    return len(column.listed) > MOST_CODES_OF_A_TABLE
