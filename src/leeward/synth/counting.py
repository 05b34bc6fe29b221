"""Counting: rows of one file by positions in the domain, by the database. CONFIDENTIAL.

Every rule about rows depends on the row and the codebook alone, and none refuses a file. Rows are
recoded once into a hidden file of the database; afterwards each question reads some of its
columns, and memory holds the counts alone.
"""

from collections.abc import Sequence
from difflib import get_close_matches
from functools import reduce
from operator import and_
from pathlib import Path
from typing import Protocol

import numpy as np
import pyarrow as pa

from leeward.engines.database import Column as Expression
from leeward.engines.database import Table, ibis
from leeward.engines.driver_errors import hiding_errors
from leeward.engines.duckdb import Files, require_whole
from leeward.engines.recoding import code_text, is_below, number
from leeward.errors import InvalidParameter, shown
from leeward.model import Attribute, RealRange
from leeward.noise.scales import Integers
from leeward.synth.domain import Column, Domain

NAME, CODED = "rows", "coded"
"""What the file is called as a table, and the table of positions."""

Groups = Sequence[Integers]
"""For each column, the group of each of its values."""


class Counts(Protocol):
    """Rows of a table by some of its columns."""

    def of(self, columns: Sequence[int], groups: Groups) -> Integers:
        """The number of rows for all groups of values of these columns, empty ones too."""


class FileCounts:
    """The counts of a file whose rows are recoded."""

    def __init__(self, files: Files, domain: Domain, path: Path, parameter: str = "FILE") -> None:
        self._files = files
        table = files.tables()[NAME]
        for one in domain.columns:
            _require_column(table, one.name, parameter)
        require_whole(path, parameter)
        hiding_errors(lambda: files.hide(CODED, _positions(files, table, domain.columns)))

    def of(self, columns: Sequence[int], groups: Groups) -> Integers:
        """Asked of the database."""
        held = hiding_errors(lambda: self._files.counted(CODED, [f"c{at}" for at in columns]))
        *at, rows = (held[name] for name in (*(f"c{at}" for at in columns), "rows"))
        counts = np.zeros([int(groups[one].max()) + 1 for one in columns], dtype=np.int64)
        places = tuple(
            groups[one][np.asarray(part, int)] for one, part in zip(columns, at, strict=True)
        )
        np.add.at(counts, places, np.asarray(rows, np.int64))
        return counts


def _positions(files: Files, table: Table, columns: Sequence[Column]) -> Table:
    """The position of each row's value in each column; rows with an omitted code are left out."""
    chosen = table.select(**{f"raw_{i}": _raw(table, one) for i, one in enumerate(columns)})
    for i, one in enumerate(columns):
        if isinstance(one.declared, Attribute) and one.declared.numbers is None:
            texts = list(one.declared.recode)
            at = pa.array(list(one.declared.recode.values()), pa.int32())
            known = files.keep(
                f"codes_{i}", pa.table({f"text_{i}": pa.array(texts, pa.string()), f"at_{i}": at})
            )
            chosen = chosen.left_join(known, chosen[f"raw_{i}"] == known[f"text_{i}"])
    found = {f"c{i}": _position(chosen, i, one) for i, one in enumerate(columns)}
    rows = chosen.select(**found)
    kept = rows.filter(reduce(and_, (rows[name] >= 0 for name in found)))
    return kept.select(**{name: kept[name].cast("uint16") for name in found})


def _raw(table: Table, column: Column) -> Expression:
    """The text of a code, or the number."""
    coded = isinstance(column.declared, Attribute) and column.declared.numbers is None
    return code_text(table[column.name]) if coded else number(table[column.name])


def _position(chosen: Table, i: int, column: Column) -> Expression:
    raw, last = chosen[f"raw_{i}"], len(column.values) - 1
    if isinstance(column.declared, RealRange) or column.declared is None:
        steps = ((raw < edge, at) for at, edge in enumerate((column.edges or ())[1:-1]))
        return ibis.cases(*steps, (raw.notnull(), last - 1), else_=last).cast("int32")
    missing = last if column.declared.missing is None else column.declared.missing
    unlisted = last if column.declared.unlisted is None else column.declared.unlisted
    if column.declared.numbers is None:
        return ibis.coalesce(chosen[f"at_{i}"], ibis.ifelse(raw.isnull(), missing, unlisted)).cast(
            "int32"
        )
    *lower, _ = column.declared.numbers.bounds
    classes = ((is_below(raw, bound + 1), at) for at, (_, bound) in enumerate(lower))
    return ibis.cases(*classes, (raw.notnull(), len(lower)), else_=missing).cast("int32")


def _require_column(table: Table, column: str, parameter: str) -> None:
    if column in table.columns:
        return
    near = get_close_matches(column, table.columns, n=1, cutoff=0.5)
    raise InvalidParameter(
        "codebook.attributes",
        rule=f"must declare columns that {parameter} has",
        value=shown(column),
        next_step=f"Did you mean {near[0]!r}? Give it as `column`."
        if near
        else "Look at the first line of the file.",
    )


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
