"""Conversion: what DuckDB does not read becomes a private file that it reads, in the spill folder.

CSV in another encoding becomes CSV in UTF-8; sheets of Excel and files of SAS, Stata and SPSS
become Parquet.
"""

import codecs
import errno
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from leeward.core.codebook.resources import UTF_8, Resources
from leeward.core.errors import BadFile, shown
from leeward.publishing.engines.address import FileAddress
from leeward.publishing.engines.csv_file import (
    CHUNK,
    CsvHeader,
    CsvLines,
    opened_bytes,
    read_header,
)
from leeward.publishing.engines.driver_errors import hidden
from leeward.publishing.engines.foreign_files import Pieces, foreign_rows
from leeward.publishing.engines.private_file import new_private
from leeward.publishing.engines.spill import no_room

NO_TEXT, ESCAPED = "leeward.no-text", "surrogateescape"
"""How bytes that are no text are decoded and encoded: to a byte that UTF-8 does not allow."""


def _no_text(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)  # noqa: S101 (for the type checker)
    return "\udcff", error.end


codecs.register_error(NO_TEXT, _no_text)

FULL = (errno.ENOSPC, errno.EDQUOT)


def readable(
    address: FileAddress, folder: Path, reading: Resources, *, header: bool = False
) -> FileAddress:
    """A file that DuckDB reads, with the same rows: the file itself, or a private one.

    Of a `header` alone no row is converted.
    """
    if address.format == "parquet":
        return address
    if address.format == "csv":
        return _readable_csv(address, folder, reading, header=header)
    rows = foreign_rows(address, reading.encoding)
    place = _place(folder, "file", address)
    converted = FileAddress(address.table, place / "rows.parquet", "parquet", rows.sheet)
    write_rows(converted.path, rows.schema, iter(()) if header else rows.pieces)
    return converted


def _readable_csv(
    address: FileAddress, folder: Path, reading: Resources, *, header: bool
) -> FileAddress:
    """Text in UTF-8; without quotes, also with a row for every line."""
    plain = reading.encoding in (None, UTF_8)
    if not plain:  # UTF-8 with a mark is read as it is, whatever a plan says of other files
        with opened_bytes(address.path) as file:
            plain = file.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8
    text = address if plain else _decoded_file(address, folder, reading, header=header)
    if header or reading.quotes is None:
        return text
    names = read_header(text.path, address.parameter, quotes=False)
    rows = with_rows_only(text, folder, names, quotes=False)
    if text is not address:
        text.path.unlink()
    return rows


def with_rows_only(
    address: FileAddress, folder: Path, header: CsvHeader, *, quotes: bool
) -> FileAddress:
    """A CSV file in which every line that is no row is one without values."""
    copied = _place_of_copy(address, folder, "lines")
    with opened_bytes(address.path) as source, _private(copied.path) as target:
        CsvLines(header, quotes).copy(source, target)
    return copied


def _place(folder: Path, kind: str, address: FileAddress) -> Path:
    place = folder / f"{kind}_{address.table}"
    place.mkdir(mode=0o700)
    return place


def _place_of_copy(address: FileAddress, folder: Path, kind: str) -> FileAddress:
    """Where a copy of a CSV file will be, which is not compressed."""
    plain = address.path.with_suffix("") if address.zipped else address.path
    return replace(address, path=_place(folder, kind, address) / plain.name)


def _decoded_file(
    address: FileAddress, folder: Path, reading: Resources, *, header: bool
) -> FileAddress:
    copied = _place_of_copy(address, folder, "file")
    encoding = reading.encoding or UTF_8
    errors = "strict" if reading.quotes is None else NO_TEXT
    try:
        decoder = codecs.getincrementaldecoder(encoding)(errors)
        _decode(address.path, copied.path, decoder, header=header)
        return copied
    except UnicodeError:
        refusal = BadFile(
            address.parameter,
            rule=f"must be text in {encoding} throughout, as `encoding` says",
            value=shown(address.path.name),
            next_step="Name its own encoding, or leave `encoding` out for UTF-8.",
        )
    raise hidden(refusal)


def _decode(path: Path, out: Path, decoder: codecs.IncrementalDecoder, *, header: bool) -> None:
    with opened_bytes(path) as source, _private(out) as target:
        while piece := source.read(1 if header else CHUNK):
            text = decoder.decode(piece)
            target.write(text.encode(errors=ESCAPED))
            if header and text == "\n":
                return
        target.write(decoder.decode(b"", final=True).encode(errors=ESCAPED))


def write_rows(out: Path, schema: pa.Schema, pieces: Pieces) -> None:
    """A private Parquet file of these rows."""
    with _private(out) as file, pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for piece in pieces:
            columns = [
                values
                if isinstance(values := piece[column.name], pa.Array)
                # `from_pandas` makes a null of nan, which is what missing numbers are read as.
                else pa.array(values, column.type, from_pandas=True)
                for column in schema
            ]
            writer.write_batch(pa.record_batch(columns, schema=schema))


@contextmanager
def _private(out: Path) -> Iterator[IO[bytes]]:
    """A new file for its owner alone."""
    try:
        with new_private(out) as file:
            yield file
        return
    except OSError as error:
        if error.errno not in FULL:
            raise
    raise no_room(out.parent)
