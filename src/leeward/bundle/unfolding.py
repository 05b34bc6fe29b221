"""Unfolding: how much a Parquet file becomes when it is read, told by its footer alone.

A file of some kilobytes may hold gigabytes of one letter, or of one row. So its footer is looked
at before anything is read. That is what the file says of itself: whoever forges the footer too is
not stopped here.
"""

from collections.abc import Iterable

import pyarrow.parquet as pq

from leeward.bundle.certificate import CertifiedTable
from leeward.bundle.rows import ROW_GROUP

SPARE = 1 << 20
"""Bytes of a column for headers and statistics."""

MOST_BYTES = 1 << 29
"""Of one column in one row group: a million codes of 100 letters each are less."""


def fits(footer: pq.FileMetaData, table: CertifiedTable) -> bool:
    """Whether there are the rows that are certified, in groups that can be held in memory."""
    groups = [footer.row_group(number) for number in range(footer.num_row_groups)]
    rows = [group.num_rows for group in groups]
    if not footer.num_rows == sum(rows) == table.rows or max(rows, default=0) > ROW_GROUP:
        return False
    most = [_most_bytes(table.codes.get(name, {})) for name in table.columns]
    return table.rows <= table.workplace_cells * table.worker_cells and all(
        group.column(number).total_uncompressed_size <= bytes_
        for group in groups
        for number, bytes_ in enumerate(most)
    )


def _most_bytes(codes: Iterable[str]) -> int:
    """Of a column: each code once and once more, and in every row the longest, or a number."""
    letters = [len(code.encode()) for code in codes]
    each = max(letters, default=0) + 16
    return min(2 * sum(letters) + 16 * len(letters) + each * ROW_GROUP + SPARE, MOST_BYTES)
