"""Check of totals: cells are added up again.

Rows of totals must be the sums of their rows, and tables that were drawn together must have the
sums of their total.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

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
    filters = []
    for name, stated in (table.where or {}).items():
        codes = tuple(map(str, stated)) if isinstance(stated, list) else (str(stated),)
        # Of a worker table filters may be of workers: which ones makes no difference to its rows.
        home: Table = "workers" if table.kind == "worker" else "workplaces"
        filters.append(Dimension.every(Attribute(name, home, name, codes, codes, True, {})))
    return Marginal(
        table.name,
        workplace=tuple(dimensions[:border]),
        worker=tuple(dimensions[border:]),
        filters=tuple(filters),
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
    return Dimension.every(attribute)


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
        cells = len(joined["value"]) // each
        self._rest = {name: column[cells * each :] for name, column in joined.items()}
        # What a workplace cell has once: its codes, its flag, its number of establishments.
        first = {name: column[: cells * each : each] for name, column in joined.items()}
        keys = np.zeros(cells, np.int64)
        for name in self._table.workplace_identifiers:
            keys = keys * len(self._table.codes[name]) + first[name]
        values = joined["value"][: cells * each].reshape(-1, each)
        flags = first["status"].astype(np.int64)
        self._totals.add(Published(keys, values, flags, {}, first.get(ESTABLISHMENTS)))

    @property
    def _numbers(self) -> tuple[str, ...]:
        frame = (ESTABLISHMENTS,) if self._table.establishments is not None else ()
        return ("value", "status", *frame)

    def findings(self, positions: Mapping[str, Integers], rows: pa.Table) -> Iterator[str]:
        """What is wrong with the next rows of totals."""
        if self._sums is None:
            added = self._totals.rows()
            self._sums = (
                self._shape.compact_totals(family, published) for family, published in added
            )
        if not len(rows):
            return
        parts = [self._sum]
        while sum(map(len, parts)) < len(rows) and (more := next(self._sums, None)):
            parts.append(more)
        sums = pa.concat_tables([part for part in parts if len(part)] or parts[-1:])
        self._sum, expected = sums.slice(len(rows)), sums.slice(0, len(rows))
        stated = {**positions, **{name: rows[name].to_numpy() for name in self._numbers}}
        if len(expected) != len(rows) or not all(
            np.array_equal(expected[name].to_numpy(), column) for name, column in stated.items()
        ):
            yield OTHER
        empty = rows["status"].to_numpy() == Flag.NO_ESTABLISHMENT
        noise = tuple(name for name in self._table.noise_columns if name != BOUND)
        yield from margin_findings(noise, rows, empty)  # a total has no bound

    def missing(self) -> Iterator[str]:
        """Whether totals should follow after the last row."""
        if len(self._sum) or any(map(len, self._sums or ())):
            yield OTHER


def joint_findings(folder: Path, certificate: Certificate) -> Iterator[str]:
    """Tables whose rows do not add up to the total that they were drawn with.

    Where a table leaves jobs out, its tidy values add up to the total at most; its released ones
    may be anything.
    """
    totals = [table for table in certificate.tables if table.is_total]
    for total, part in product(totals, certificate.tables):
        joint = part.joint
        if joint is None or part.is_total or total.joint is None or joint.name != total.joint.name:
            continue
        if not joint.covers and part.tidied is None:
            continue
        try:
            whole, sums = (_workplace_sums(folder, table) for table in (total, part))
        except (OSError, ValueError, pa.ArrowException):
            continue  # that it cannot be read is found before
        if len(whole) != len(sums) or (
            not np.array_equal(whole, sums) if joint.covers else (sums > whole).any()
        ):
            yield f"the table {part.name} does not add up to the table {total.name}"


def _workplace_sums(folder: Path, table: CertifiedTable) -> Integers:
    """The sum of the worker cells of each workplace cell, in their order."""
    with pq.ParquetFile(folder / parquet_path(table.name)) as file:
        batches = file.iter_batches(batch_size=ROW_GROUP, columns=["value"])
        values = np.concatenate(
            [np.zeros(0, np.int64), *(batch[0].to_numpy() for batch in batches)]
        )
    cells: Integers = values[: table.cell_rows].reshape(-1, table.worker_cells)
    return np.asarray(cells.sum(axis=1))
