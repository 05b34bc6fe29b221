"""Reader: a bundle as a value. Bundles come from strangers, so sizes are checked before reading."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate, count
from pathlib import Path
from stat import S_ISREG

import pyarrow as pa
import pyarrow.parquet as pq

from leeward.core.errors import BadFile, InvalidParameter, shown
from leeward.core.show.notebook import html_table
from leeward.core.show.numbers import crossed
from leeward.publishing.bundle.bundle_files import (
    CERTIFICATE,
    DESCRIPTION,
    REGRESSION,
    parquet_path,
)
from leeward.publishing.bundle.certificate import PARAMETER, Certificate, damaged, read_certificate
from leeward.publishing.bundle.certified_table import CertifiedTable
from leeward.publishing.bundle.published_table import PublishedTable
from leeward.publishing.bundle.rows import ROW_GROUP, column_types
from leeward.publishing.bundle.sealed_folder import is_stamped

MOST_COLUMN_BYTES = 1 << 29
"""Maximum uncompressed size of a column in a row group, in bytes; published ones are smaller."""

SPARE = 1 << 20
"""Bytes of a column for headers and statistics."""


@dataclass(frozen=True, repr=False)
class Bundle:
    """A published folder whose certificate was read; made by `release` and `read_bundle`.

    Attributes
    ----------
    path
        The folder.
    certificate
        What the bundle says about itself: the guarantee, its sentences, tables and their laws.

    Examples
    --------
    >>> list(bundle)
    ['by_place']
    >>> bundle["by_place"]
    PublishedTable('by_place', by place, 3 rows)
    >>> bundle.certificate.guarantee.policy
    'strong'
    """

    path: Path
    certificate: Certificate

    def __getitem__(self, name: str) -> PublishedTable:
        """A table by its name."""
        return PublishedTable(self, self._certified(name))

    def __iter__(self) -> Iterator[str]:
        """The names of the tables."""
        return (table.name for table in self.certificate.tables)

    def __len__(self) -> int:
        """The number of tables."""
        return len(self.certificate.tables)

    def __repr__(self) -> str:
        return f"Bundle({str(self.path)!r}, {self.certificate.period}, {len(self)} tables)"

    def _repr_html_(self) -> str:
        paid = self.certificate.guarantee
        rows = [
            (table.name, crossed(table.identifiers), f"{table.rows:,}", table.mechanism)
            for table in self.certificate.tables
        ]
        title = f"{self.certificate.name}, {self.certificate.period}"
        heads = ("table", "by", "rows", "mechanism")
        return html_table(title, heads, rows, note=paid.sentence)

    def table(self, name: str, *, totals: bool = True) -> pa.Table:
        """All rows of a table; codes as dictionaries of text. Its checksum is checked first.

        Parameters
        ----------
        name
            The name of the table.
        totals
            Whether rows of totals are there, the last ones.

        Returns
        -------
        pyarrow.Table
            The rows in their published order.

        Raises
        ------
        InvalidParameter
            If the bundle has no such table.
        Damaged
            If the file is not the one that was published.

        Examples
        --------
        >>> bundle.table("by_place").num_rows
        3
        """
        path, table = self._published(name)
        with _reading(path):
            return pq.ParquetFile(path).read().slice(0, table.rows if totals else table.cell_rows)

    def batches(
        self, name: str, columns: Sequence[str] | None = None, *, totals: bool = True
    ) -> Iterator[pa.RecordBatch]:
        """The rows of a table, a row group at a time: memory does not grow with the table.

        Its checksum and the types of its columns are checked before the first row.

        Parameters
        ----------
        name
            The name of the table.
        columns
            The columns to read; all of them if not given.
        totals
            Whether rows of totals are there, the last ones.

        Returns
        -------
        Iterator[pyarrow.RecordBatch]
            The row groups.

        Raises
        ------
        InvalidParameter
            If the bundle has no such table.
        Damaged
            If the file is not the one that was published.

        Examples
        --------
        >>> sum(batch.num_rows for batch in bundle.batches("by_place", ["value"]))
        3
        """
        with self._opened(name) as file:
            wanted, table = None if columns is None else list(columns), self._certified(name)
            left = table.rows if totals else table.cell_rows
            for batch in file.iter_batches(batch_size=ROW_GROUP, columns=wanted):
                if left > 0:
                    yield batch.slice(0, left)
                left -= batch.num_rows

    def rows(self, name: str, numbers: Sequence[int]) -> pa.Table:
        """A few rows by their numbers; only row groups that hold one are read.

        Parameters
        ----------
        name
            The name of the table.
        numbers
            The numbers of the rows from 0, ascending.

        Returns
        -------
        pyarrow.Table
            These rows.

        Raises
        ------
        InvalidParameter
            If the bundle has no such table.
        Damaged
            If the file is not the one that was published.

        Examples
        --------
        >>> bundle.rows("by_place", [1]).column("place").to_pylist()
        ['02']
        """
        with self._opened(name) as file:
            groups = [file.metadata.row_group(at).num_rows for at in range(file.num_row_groups)]
            starts = [0, *accumulate(groups)]
            parts = [file.schema_arrow.empty_table()]
            for group, start, end in zip(count(), starts, starts[1:], strict=False):
                inside = [number - start for number in numbers if start <= number < end]
                if inside:
                    parts.append(file.read_row_group(group).take(inside))
            return pa.concat_tables(parts)

    @contextmanager
    def _opened(self, name: str) -> Iterator[pq.ParquetFile]:
        """The Parquet file of a table, with the columns and rows that the certificate states."""
        path, table = self._published(name)
        with _reading(path), pq.ParquetFile(path) as file:
            if file.schema_arrow.remove_metadata() != column_types(
                table.identifiers, table.columns
            ):
                raise damaged(path, "must have the columns that the certificate says")
            if not fits(file.metadata, table):
                raise damaged(path, "must have the rows that the certificate says, in small groups")
            yield file

    def _published(self, name: str) -> tuple[Path, CertifiedTable]:
        """Path and description of a table whose checksum is that of the certificate."""
        table = self._certified(name)
        path = self.path / parquet_path(name)
        stamp = self.certificate.files.get(parquet_path(name))
        with _reading(path):
            if not S_ISREG(path.lstat().st_mode) or path.parent.is_symlink():
                raise damaged(path, "must be a file, not a link")  # nor a pipe, which never ends
            if stamp is None or not is_stamped(path, stamp):
                raise damaged(path, "must be the file that was published")
        return path, table

    def _certified(self, name: str) -> CertifiedTable:
        table = self.certificate.table(name)
        if table is None:
            raise InvalidParameter(
                "table",
                rule=f"must be a table of the bundle: {', '.join(self)}",
                value=shown(name),
                next_step="Choose one of these.",
            )
        return table


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Turn errors of the system and of Parquet into refusals in fixed words."""
    try:
        yield
    except FileNotFoundError:
        raise damaged(path, "must be there") from None
    except (OSError, pa.ArrowException):
        raise damaged(path, "must be readable") from None


def read_bundle(path: Path | str) -> Bundle:
    """A published folder whose certificate is valid; `leeward.verify` checks all of it.

    Parameters
    ----------
    path
        The folder of the bundle.

    Returns
    -------
    Bundle
        Its tables are read when they are asked for.

    Raises
    ------
    BadFile, Damaged
        If the folder is no bundle, or its certificate is not what was written.

    Examples
    --------
    >>> leeward.read_bundle(bundle.path)["by_place"].columns
    ('place', 'value', 'status', 'margin')
    """
    folder = Path(path)
    other = next((name for name in (DESCRIPTION, REGRESSION) if (folder / name).is_file()), None)
    if not folder.is_dir() or other is not None:
        raise BadFile(
            PARAMETER,
            rule="must be the folder of a bundle",
            value=repr(str(folder)) + ("" if other is None else f", which has {other}"),
            next_step="Give the folder that `leeward release` wrote.",
        )
    return Bundle(folder, read_certificate(folder / CERTIFICATE))


def fits(footer: pq.FileMetaData, table: CertifiedTable) -> bool:
    """Whether a Parquet file has the certified rows, and row groups that fit into memory.

    The check against decompression bombs: a file of some kilobytes may unpack to gigabytes, so
    its footer is compared with the certificate before any row is read. A forged footer passes.
    """
    groups = [footer.row_group(number) for number in range(footer.num_row_groups)]
    rows = [group.num_rows for group in groups]
    if not footer.num_rows == sum(rows) == table.rows or max(rows, default=0) > ROW_GROUP:
        return False
    codes = {name: table.listed(name) for name in table.identifiers}
    most = [_most_column_bytes(codes.get(name, {})) for name in table.columns]
    return table.rows <= table.most_rows and all(
        group.column(number).total_uncompressed_size <= bytes_
        for group in groups
        for number, bytes_ in enumerate(most)
    )


def _most_column_bytes(codes: Iterable[str]) -> int:
    """A bound for a column: its codes twice, and the longest code or a number in each row."""
    letters = [len(code.encode()) for code in codes]
    each = max(letters, default=0) + 16
    return min(2 * sum(letters) + 16 * len(letters) + each * ROW_GROUP + SPARE, MOST_COLUMN_BYTES)
