"""Check of joint tables: what was drawn together must add up to its total, in every workplace."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from leeward.bundle.certificate import Certificate, CertifiedTable
from leeward.bundle.layout import parquet_path
from leeward.bundle.rows import ROW_GROUP, Integers


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
        values = np.concatenate([np.zeros(0, np.int64), *(one[0].to_numpy() for one in batches)])
    cells: Integers = values[: table.cell_rows].reshape(-1, table.worker_cells)
    return np.asarray(cells.sum(axis=1))
