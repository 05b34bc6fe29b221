"""Check of totals: cells are added up again.

Rows of totals must be the sums of their rows, and tables that were drawn together must have the
sums of their total.
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import JsonValue

from leeward.core.codebook import LEFT_OUT, Attribute, Dimension, Flag, Marginal, Published
from leeward.core.codebook.attribute import Table
from leeward.core.codebook.marginal import BOUND
from leeward.core.codebook.totals import Totals
from leeward.publishing.bundle.bundle_files import ESTABLISHMENTS, parquet_path
from leeward.publishing.bundle.certificate import Certificate
from leeward.publishing.bundle.certified_table import CertifiedTable
from leeward.publishing.bundle.rows import ROW_GROUP, Integers, RowShape, margin_findings

OTHER = "has totals that are not the sums of their rows"


def stated_marginal(table: CertifiedTable) -> Marginal:
    """The table as its certificate describes it."""
    border = len(table.workplace_identifiers)
    dimensions = [_dimension(table, name) for name in table.identifiers]
    return Marginal(
        table.name,
        workplace=tuple(dimensions[:border]),
        worker=tuple(dimensions[border:]),
        filters=tuple(_filter(table, name, codes) for name, codes in (table.where or {}).items()),
        complete=table.complete,
        establishments=table.establishments is not None,
        totals=() if table.totals is None else tuple(table.totals.codes),
    )


def _dimension(table: CertifiedTable, name: str) -> Dimension:
    codes = tuple(table.codes[name])
    covers = name not in (table.partial or ()) if table.joint is None else table.joint.covers
    known = (table.attributes or {}).get(name)
    attribute = Attribute(
        name,
        "workers" if name in table.worker_identifiers else "workplaces",
        name,
        codes,
        tuple(table.codes[name].values()),
        public=True,
        recode={},
        unlisted=0 if covers else LEFT_OUT,
        missing=0 if covers else LEFT_OUT,
        total=None if table.totals is None else table.totals.codes.get(name),
        label=None if known is None else known.label,
        note=None if known is None else known.note,
    )
    return Dimension(attribute, tuple(range(len(codes))))


def _filter(table: CertifiedTable, name: str, stated: JsonValue) -> Dimension:
    """Of a worker table filters may be of workers: which ones makes no difference to its rows."""
    codes = tuple(map(str, stated)) if isinstance(stated, list) else (str(stated),)
    home: Table = "workers" if table.kind == "worker" else "workplaces"
    return Dimension(Attribute(name, home, name, codes, codes, True, {}), tuple(range(len(codes))))


class TotalCheck:
    """Adds up the cells of a table, and compares the rows that follow them."""

    def __init__(self, table: CertifiedTable) -> None:
        marginal = stated_marginal(table)
        self._table = table
        self._shape = RowShape(marginal, ())
        self._totals = Totals(marginal)
        self._rest: dict[str, Integers] = {}
        self._sums: Iterator[pa.Table] | None = None
        self._sum = pa.table({})

    def add(self, positions: Mapping[str, Integers], rows: pa.Table) -> None:
        """The next cells; those of an unfinished workplace cell wait for the rest of it."""
        columns = {**positions, **{name: rows[name].to_numpy() for name in self._numbers}}
        joined = {
            name: np.concatenate([self._rest.get(name, column[:0]), column])
            for name, column in columns.items()
        }
        each = self._table.worker_cells
        whole = len(joined["value"]) // each * each
        self._rest = {name: one[whole:] for name, one in joined.items()}
        self._totals.add(self._published({name: one[:whole] for name, one in joined.items()}))

    @property
    def _numbers(self) -> tuple[str, ...]:
        frame = (ESTABLISHMENTS,) if self._table.establishments is not None else ()
        return ("value", "status", *frame)

    def _published(self, columns: Mapping[str, Integers]) -> Published:
        each = self._table.worker_cells
        keys = np.zeros(len(columns["value"]) // each, np.int64)
        for name in self._table.workplace_identifiers:
            keys = keys * len(self._table.codes[name]) + columns[name][::each]
        flags = columns["status"][::each].astype(np.int64)
        frame = columns[ESTABLISHMENTS][::each] if ESTABLISHMENTS in columns else None
        return Published(keys, columns["value"].reshape(-1, each), flags, {}, frame)

    def findings(self, positions: Mapping[str, Integers], rows: pa.Table) -> Iterator[str]:
        """What is wrong with the next rows of totals."""
        if self._sums is None:
            added = self._totals.rows()
            self._sums = (
                self._shape.compact_totals(family, published) for family, published in added
            )
        if not len(rows):
            return
        found = {**positions, **{name: rows[name].to_numpy() for name in self._numbers}}
        expected = self._next(len(rows))
        if len(expected) != len(rows) or not all(
            np.array_equal(expected[name].to_numpy(), one) for name, one in found.items()
        ):
            yield OTHER
        empty = rows["status"].to_numpy() == Flag.NO_ESTABLISHMENT
        noise = tuple(name for name in self._table.noise_columns if name != BOUND)
        yield from margin_findings(noise, rows, empty)  # a total has no bound

    def _next(self, rows: int) -> pa.Table:
        """The next expected rows."""
        parts = [self._sum]
        while sum(map(len, parts)) < rows and (more := next(self._sums or iter(()), None)):
            parts.append(more)
        joined = pa.concat_tables([part for part in parts if len(part)] or parts[-1:])
        self._sum = joined.slice(rows)
        return joined.slice(0, rows)

    def missing(self) -> Iterator[str]:
        """Whether totals should follow after the last row."""
        if len(self._sum) or any(len(one) for one in chain(self._sums or ())):
            yield OTHER


def joint_findings(folder: Path, certificate: Certificate) -> Iterator[str]:
    """Tables whose rows do not add up to the total that they were drawn with.

    Where a table leaves jobs out, its tidy values add up to the total at most; its released ones
    may be anything.
    """
    for total in (table for table in certificate.tables if table.is_total):
        for part in certificate.tables:
            if _together(total, part) and not _adds_up(folder, total, part):
                yield f"the table {part.name} does not add up to the table {total.name}"


def _together(total: CertifiedTable, part: CertifiedTable) -> bool:
    if part.joint is None or total.joint is None or part.is_total:
        return False
    bounded = part.joint.covers or part.tidied is not None
    return bounded and part.joint.name == total.joint.name


def _adds_up(folder: Path, total: CertifiedTable, part: CertifiedTable) -> bool:
    try:
        whole, sums = (_workplace_sums(folder, table) for table in (total, part))
    except (OSError, ValueError, pa.ArrowException):
        return True  # that it cannot be read is found before
    if len(whole) != len(sums):
        return False
    covers = part.joint is not None and part.joint.covers
    return bool(np.array_equal(whole, sums) if covers else (sums <= whole).all())


def _workplace_sums(folder: Path, table: CertifiedTable) -> Integers:
    """The sum of the worker cells of each workplace cell, in their order."""
    with pq.ParquetFile(folder / parquet_path(table.name)) as file:
        batches = file.iter_batches(batch_size=ROW_GROUP, columns=["value"])
        values = np.concatenate(
            [np.zeros(0, np.int64), *(batch[0].to_numpy() for batch in batches)]
        )
    cells: Integers = values[: table.cell_rows].reshape(-1, table.worker_cells)
    return np.asarray(cells.sum(axis=1))
