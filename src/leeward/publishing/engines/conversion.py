"""Conversion: what DuckDB does not read becomes a private file that it reads, in the spill folder.

CSV in another encoding becomes CSV in UTF-8; sheets of Excel and files of SAS, Stata and SPSS
become Parquet. The libraries that read them are the extra `files`. No type follows from rows:
cells of a sheet are texts, each by itself, and statistical files declare the types of columns.
"""

import codecs
import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import date
from functools import partial
from importlib import import_module
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from leeward.core.codebook.resources import UTF_8, Resources
from leeward.core.errors import BadFile, shown
from leeward.core.installation import hint
from leeward.publishing.engines.address import FileAddress
from leeward.publishing.engines.csv_file import CHUNK, CsvHeader, opened_bytes, read_header
from leeward.publishing.engines.csv_lines import CsvLines
from leeward.publishing.engines.driver_errors import hidden
from leeward.publishing.engines.headers import require_names
from leeward.publishing.engines.loose_values import text_array, value_text
from leeward.publishing.engines.spill import no_room

CELLS = 2_000_000
"""Values that are held at a time, so that memory does not grow with a file."""

NO_TEXT, ESCAPED = "leeward.no-text", "surrogateescape"
"""How bytes that are no text are decoded and encoded: to a byte that UTF-8 does not allow."""


def _no_text(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)  # noqa: S101 (for the type checker)
    return "\udcff", error.end


codecs.register_error(NO_TEXT, _no_text)

FULL = (errno.ENOSPC, errno.EDQUOT)
READERS = {"sas": "read_sas7bdat", "xport": "read_xport", "stata": "read_dta", "spss": "read_sav"}
"""The functions of pyreadstat."""

LATIN = "LATIN1"
"""The encoding in which every byte is a letter, so that no text is lost before it is judged."""

Pieces = Iterator[Mapping[str, list[Any] | pa.Array]]
"""The values of columns, some rows at a time."""


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
    sheet = _sheet(address) if address.format == "sheet" else None
    schema, pieces = (
        _statistical(address, reading.encoding)
        if sheet is None
        else _cells(sheet, address.parameter)
    )
    name = "" if sheet is None else sheet.name
    place = _place(folder, "file", address)
    converted = FileAddress(address.table, place / "rows.parquet", "parquet", name)
    write_rows(converted.path, schema, iter(()) if header else pieces)
    return converted


def _readable_csv(
    address: FileAddress, folder: Path, reading: Resources, *, header: bool
) -> FileAddress:
    """Text in UTF-8; without quotes, also with a row for every line."""
    plain, bare = _is_utf_8(address, reading.encoding), reading.quotes is not None
    text = address if plain else _decoded_file(address, folder, reading, header=header)
    if header or not bare:
        return text
    found = read_header(text.path, address.parameter, quotes=False)
    rows = with_rows_only(text, folder, found, quotes=False)
    if text is not address:
        text.path.unlink()
    return rows


def with_rows_only(
    address: FileAddress, folder: Path, header: CsvHeader, *, quotes: bool
) -> FileAddress:
    """A CSV file in which every line that is no row is one without values."""
    plain = address.path.with_suffix("") if address.zipped else address.path
    copied = replace(address, path=_place(folder, "lines", address) / plain.name)
    with opened_bytes(address.path) as source, _private(copied.path) as target:
        CsvLines(header, quotes).copy(source, target)
    return copied


def _place(folder: Path, kind: str, address: FileAddress) -> Path:
    place = folder / f"{kind}_{address.table}"
    place.mkdir(mode=0o700)
    return place


def _is_utf_8(address: FileAddress, encoding: str | None) -> bool:
    """Whether text is read as it is: UTF-8 with a mark is, whatever a plan says of other files."""
    if encoding in (None, UTF_8):
        return True
    with opened_bytes(address.path) as file:
        return file.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8


def _decoded_file(
    address: FileAddress, folder: Path, reading: Resources, *, header: bool
) -> FileAddress:
    plain = address.path.with_suffix("") if address.zipped else address.path
    decoded = replace(address, path=_place(folder, "file", address) / plain.name)
    encoding = reading.encoding or UTF_8
    errors = "strict" if reading.quotes is None else NO_TEXT
    try:
        decoder = codecs.getincrementaldecoder(encoding)(errors)
        _decode(address.path, decoded.path, decoder, header=header)
        return decoded
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
            columns = [_column(piece[one.name], one.type) for one in schema]
            writer.write_batch(pa.record_batch(columns, schema=schema))


def _column(values: list[Any] | pa.Array, kind: pa.DataType) -> pa.Array:
    # `from_pandas` makes a null of nan, which is what missing numbers are read as.
    is_array = isinstance(values, pa.Array)
    return values if is_array else pa.array(values, kind, from_pandas=True)


@contextmanager
def _private(out: Path) -> Iterator[IO[bytes]]:
    """A new file for its owner alone."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(out, flags, 0o600), "wb") as file:
            yield file
        return
    except OSError as error:
        if error.errno not in FULL:
            raise
    raise no_room(out.parent)


def _statistical(address: FileAddress, encoding: str | None) -> tuple[pa.Schema, Pieces]:
    """The rows of a file of SAS, Stata or SPSS; their missing values and empty texts are nulls.

    All but transport files of SAS say in which encoding they are.
    """
    told = {"encoding": encoding} if encoding and address.format == "xport" else {}
    read = partial(
        getattr(_library("pyreadstat", address.parameter), READERS[address.format]),
        str(address.path),
        output_format="dict",
        disable_datetime_conversion=True,
    )
    about = read(metadataonly=True, **told)[1]
    names = about.column_names
    require_names(names, address.parameter)
    types = {name: _declared(about.readstat_variable_types[name]) for name in names}
    rows = max(1, CELLS // max(1, len(names)))
    said = encoding or about.file_encoding or UTF_8

    def some(start: int) -> Mapping[str, list[Any]]:
        part = {"row_offset": start, "row_limit": rows}
        with suppress(UnicodeDecodeError, _library("pyreadstat", address.parameter).ReadstatError):
            return _texts_or_nulls(read(**part, **told)[0], types, None)
        # Some text is not in the encoding that the file declares, and is a missing value.
        return _texts_or_nulls(read(**part, encoding=LATIN)[0], types, said)

    def pieces() -> Pieces:
        start = 0
        while True:
            piece = some(start)
            yield piece
            start += rows
            if len(piece[names[0]]) < rows:
                return

    return pa.schema(list(types.items())), pieces()


def _declared(kind: str) -> pa.DataType:
    """The type that a statistical file declares for a column."""
    if "string" in kind:
        return pa.string()
    return pa.int64() if "int" in kind else pa.float64()


def _texts_or_nulls(
    piece: Mapping[str, list[Any]], types: Mapping[str, pa.DataType], encoding: str | None
) -> Mapping[str, list[Any]]:
    """Some rows, by the names of columns; texts are read by the encoding, if they were not yet."""
    return {
        name: [_decoded(one, encoding) for one in values] if kind == pa.string() else values
        for (name, kind), values in zip(types.items(), piece.values(), strict=True)
    }


def _decoded(text: str | None, encoding: str | None) -> str | None:
    if not text or encoding is None:
        return text or None
    try:
        return text.encode(LATIN).decode(encoding)
    except UnicodeDecodeError:
        return None


def _sheet(address: FileAddress) -> Any:  # noqa: ANN401 (of a library without types)
    """The sheet that the address means."""
    library = _library("python_calamine", address.parameter)
    book = library.CalamineWorkbook.from_path(str(address.path))
    return book.get_sheet_by_name(_sheet_name(address, library, book))


def _cells(sheet: Any, parameter: str) -> tuple[pa.Schema, Pieces]:  # noqa: ANN401 (as above)
    """The rows of a sheet under its first row, which names the columns; each cell is a text.

    Empty cells and errors are nulls. A sheet is as wide as its rows. Cells left and right of all
    names are no columns: otherwise a single one, in the row of a worker, would refuse the file in
    public.
    """
    first = [_name(cell) for cell in next(sheet.iter_rows(), [])]
    named = [place for place, name in enumerate(first) if name.strip()]
    within = slice(named[0], named[-1] + 1) if named else slice(0)
    names = first[within]
    require_names(names or [""], parameter)

    def pieces() -> Pieces:
        under = (row[within] for row in islice(sheet.iter_rows(), 1, None))
        rows = (row for row in under if any(one != "" for one in row))
        while some := list(islice(rows, max(1, CELLS // max(1, len(names))))):
            columns = zip(*some, strict=True)
            yield {
                name: text_array(None if one == "" else one for one in column)
                for name, column in zip(names, columns, strict=True)
            }

    return pa.schema([(name, pa.large_string()) for name in names]), pieces()


def _name(cell: object) -> str:
    """The name of a column: a number without .0, and a date as it is seen."""
    return str(cell) if isinstance(cell, date) else value_text(cell) or ""


def _sheet_name(address: FileAddress, library: ModuleType, book: Any) -> str:  # noqa: ANN401
    """The sheet that the address names, or the only one that can be seen."""
    visible = library.SheetVisibleEnum.Visible
    seen = [one.name for one in book.sheets_metadata if one.visible == visible]
    if address.sheet in book.sheet_names:
        return address.sheet
    if not address.sheet and len(seen) == 1:
        return str(seen[0])
    raise BadFile(
        address.parameter,
        rule=f"must have the sheet {shown(address.sheet)}"
        if address.sheet
        else "must name a sheet after #, since the workbook has several",
        value=f"the sheets {', '.join(map(shown, seen))}",
        next_step=f"Write {address.path.name}#{seen[0] if seen else 'SHEET'}, or another of them.",
    )


def _library(name: str, parameter: str) -> ModuleType:
    """A library that reads such files, loaded when one is there."""
    try:
        return import_module(name)
    except ImportError:
        refusal = BadFile(
            parameter,
            rule="must be Parquet or CSV where the extra `files` is not installed",
            value=f"no {name}",
            next_step=hint("files"),
        )
    raise refusal
