"""Counting: rows of one file by positions in the domain, by the database. CONFIDENTIAL.

Every rule about rows depends on the row and the codebook alone, and none refuses a file. Rows are
recoded once into a hidden file of the database; afterwards each question reads some of its
columns, and memory holds the counts alone.
"""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import reduce
from operator import and_
from typing import Protocol

import numpy as np
import pyarrow as pa

from leeward.core.codebook import Attribute
from leeward.core.errors import InvalidParameter, shown
from leeward.core.noise.scales import Integers
from leeward.publishing.engines.database import Column as Expression
from leeward.publishing.engines.database import Table, ibis
from leeward.publishing.engines.driver_errors import hiding_errors
from leeward.publishing.engines.recoding import code_text, is_below, number, with_nulls
from leeward.publishing.engines.table_files import Files
from leeward.systems.synth.domain import Column, Domain

NAME, CODED = "file", "coded"
"""What the file is called as a table, and the table of positions."""

Groups = Sequence[Integers]
"""For each column, the group of each of its values."""


class Counts(Protocol):
    """Rows of a table by some of its columns."""

    def of(self, columns: Sequence[int], groups: Groups) -> Integers:
        """The number of rows for all groups of values of these columns, empty ones too."""


class FileCounts:
    """The counts of a file whose rows are recoded; the file is the table `name`."""

    def __init__(
        self, files: Files, domain: Domain, name: str = NAME, parameter: str = "FILE"
    ) -> None:
        self._files, self._domain, self._name = files, domain, f"{CODED}_{name}"
        known = files.tables()[name].columns
        for missing in (column.name for column in domain.columns if column.name not in known):
            near = get_close_matches(missing, known, n=1, cutoff=0.5)
            raise InvalidParameter(
                "codebook.attributes",
                rule=f"must declare columns that {parameter} has",
                value=shown(missing),
                next_step=f"Did you mean {near[0]!r}? Give it as `column`."
                if near
                else "Look at the first line of the file.",
            )
        files.require_rows(name, parameter)
        table = files.tables()[name]
        self._texts = hiding_errors(lambda: _texts(files, table, domain.columns, name))
        at = {f"c{i}": _position(self._texts, i, column) for i, column in enumerate(domain.columns)}
        rows = self._texts.select(**at)
        kept = rows.filter(reduce(and_, (rows[name] >= 0 for name in at)))  # no omitted code
        query = kept.select(**{name: kept[name].cast("uint16") for name in at})
        self.coded: Table = hiding_errors(lambda: files.hide(self._name, query))

    def of(self, columns: Sequence[int], groups: Groups) -> Integers:
        """Asked of the database."""
        at, rows = self.cells(columns)
        counts = np.zeros([int(groups[column].max()) + 1 for column in columns], dtype=np.int64)
        places = tuple(groups[column][part] for column, part in zip(columns, at, strict=True))
        np.add.at(counts, places, rows)
        return counts

    def cells(self, columns: Sequence[int]) -> tuple[tuple[Integers, ...], Integers]:
        """The cells of these columns that have rows: their positions, and the number of rows."""
        names = [f"c{at}" for at in columns]
        counted = hiding_errors(lambda: self._files.counted(self._name, names))
        *at, rows = (np.asarray(counted[name], np.int64) for name in (*names, "rows"))
        return tuple(at), rows

    def unlisted(self) -> tuple[int, ...]:
        """Rows with something in a column that its codes or ends do not allow, by column."""
        texts, columns = self._texts, self._domain.columns
        wrong = {f"c{i}": _unlisted(texts, i, column).sum() for i, column in enumerate(columns)}
        (counted,) = hiding_errors(lambda: self._files.rows(texts.aggregate(**wrong)))
        return tuple(int(counted[name] or 0) for name in wrong)


def _texts(files: Files, table: Table, columns: Sequence[Column], name: str) -> Table:
    """The text or number of each row in each column, and the position of a text in its list."""
    declared = ((column.name, column.declared) for column in columns)
    table = with_nulls(table, {name: kind.nulls for name, kind in declared if kind is not None})
    raw = {
        f"raw_{i}": (code_text if column.edges is None else number)(table[column.name])
        for i, column in enumerate(columns)
    }
    given = {f"given_{i}": table[column.name].notnull() for i, column in enumerate(columns)}
    chosen = table.select(**raw, **given)
    for i, column in enumerate(columns):
        if column.edges is None:
            recode: Mapping[str, int] = {  # of a description: texts are the values
                value: at for at, value in enumerate(column.values) if value is not None
            }
            if isinstance(column.declared, Attribute):
                recode = column.declared.recode
            at = pa.array(list(recode.values()), pa.int32())
            texts = pa.array(list(recode), pa.string())
            known = files.keep(f"codes_{name}_{i}", pa.table({f"text_{i}": texts, f"at_{i}": at}))
            chosen = chosen.left_join(known, chosen[f"raw_{i}"] == known[f"text_{i}"])
    return chosen


def _position(chosen: Table, i: int, column: Column) -> Expression:
    raw, last = chosen[f"raw_{i}"], len(column.values) - 1
    declared = column.declared
    if column.edges is not None and not isinstance(declared, Attribute):
        steps = ((raw < edge, at) for at, edge in enumerate(column.edges[1:-1]))
        highest = len(column.edges) - 2
        return ibis.cases(*steps, (raw.notnull(), highest), else_=last).cast("int32")
    attribute = declared if isinstance(declared, Attribute) else None
    missing = last if attribute is None or attribute.missing is None else attribute.missing
    unlisted = last if attribute is None or attribute.unlisted is None else attribute.unlisted
    if attribute is None or attribute.numbers is None:
        return ibis.coalesce(chosen[f"at_{i}"], ibis.ifelse(raw.isnull(), missing, unlisted)).cast(
            "int32"
        )
    *lower, _ = attribute.numbers.bounds
    classes = ((is_below(raw, bound + 1), at) for at, (_, bound) in enumerate(lower))
    return ibis.cases(*classes, (raw.notnull(), len(lower)), else_=missing).cast("int32")


def _unlisted(chosen: Table, i: int, column: Column) -> Expression:
    """Whether a row has something that is no code of the list, no number, or beyond the ends."""
    if column.edges is None:
        return chosen[f"raw_{i}"].notnull() & chosen[f"at_{i}"].isnull()
    raw = chosen[f"raw_{i}"]
    low, high = column.edges[0], column.edges[-1]
    beyond = (raw >= high) if column.whole else (raw > high)
    return chosen[f"given_{i}"] & (raw.isnull() | (raw < low) | beyond)


class KeptCounts:
    """Counts that are asked of a file once and kept in memory."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._kept: dict[tuple[object, ...], Integers] = {}

    def of(self, columns: Sequence[int], groups: Groups) -> Integers:
        """As they were the first time."""
        key = tuple((at, groups[at].tobytes()) for at in columns)
        if key not in self._kept:
            self._kept[key] = self._counts.of(columns, groups)
        return self._kept[key]
