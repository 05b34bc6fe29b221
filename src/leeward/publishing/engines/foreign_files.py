"""Foreign files: what DuckDB does not read becomes a private file that it reads.

CSV in another encoding becomes CSV in UTF-8; sheets of Excel and files of SAS, Stata and SPSS
become Parquet. The libraries that read them are the extra `files`. No type follows from rows: cells
of a sheet are texts, each by itself, and statistical files declare the types of columns.
"""

import codecs
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from importlib import import_module
from itertools import count, islice
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import pyarrow as pa
import pyarrow.parquet as pq

from leeward.core.codebook.resources import UTF_8, Resources
from leeward.core.errors import BadFile, shown
from leeward.core.installation import hint
from leeward.publishing.engines.address import FileAddress
from leeward.publishing.engines.csv_file import (
    CHUNK,
    CsvHeader,
    CsvLines,
    opened_bytes,
    read_header,
)
from leeward.publishing.engines.driver_errors import hidden
from leeward.publishing.engines.headers import require_names
from leeward.publishing.engines.loose_values import decoded, text_array, value_text
from leeward.publishing.engines.private_file import spilled_file

CELLS = 2_000_000
"""Values that are held at a time, so that memory does not grow with a file."""

READERS = {"sas": "read_sas7bdat", "xport": "read_xport", "stata": "read_dta", "spss": "read_sav"}
"""The functions of pyreadstat."""

LATIN = "LATIN1"
"""The encoding in which every byte is a letter, so that no text is lost before it is judged."""

Pieces = Iterator[Mapping[str, list[Any] | pa.Array]]
"""The values of columns, some rows at a time."""


NO_TEXT, ESCAPED = "leeward.no-text", "surrogateescape"
"""How bytes that are no text are decoded and encoded: to a byte that UTF-8 does not allow."""


codecs.register_error(NO_TEXT, lambda error: ("\udcff", cast(UnicodeDecodeError, error).end))


def readable(
    address: FileAddress, folder: Path, reading: Resources, *, header: bool = False
) -> FileAddress:
    """A file that DuckDB reads, with the same rows: the file itself, or a private one.

    Of a `header` alone no row is converted. CSV becomes text in UTF-8; where a plan says that there
    are no quotes, also with a row for every line.
    """
    if address.format == "parquet":
        return address
    if address.format != "csv":
        rows = foreign_rows(address, reading.encoding)
        place = _place(folder, "file", address)
        converted = FileAddress(address.table, place / "rows.parquet", "parquet", rows.sheet)
        write_rows(converted.path, rows.schema, iter(()) if header else rows.pieces)
        return converted
    plain = reading.encoding in (None, UTF_8)
    if not plain:  # UTF-8 with a mark is read as it is, whatever a plan says of other files
        with opened_bytes(address.path) as file:
            plain = file.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8
    text = address if plain else _decoded_file(address, folder, reading, header=header)
    if header or reading.quotes is None:
        return text
    names = read_header(text.path, address.parameter, quotes=False)
    lines = with_rows_only(text, folder, names, quotes=False)
    if text is not address:
        text.path.unlink()
    return lines


def with_rows_only(
    address: FileAddress, folder: Path, header: CsvHeader, *, quotes: bool
) -> FileAddress:
    """A CSV file in which every line that is no row is one without values."""
    copied = _place_of_copy(address, folder, "lines")
    with opened_bytes(address.path) as source, spilled_file(copied.path) as target:
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
        with opened_bytes(address.path) as source, spilled_file(copied.path) as target:
            while piece := source.read(1 if header else CHUNK):
                text = decoder.decode(piece)
                target.write(text.encode(errors=ESCAPED))
                if header and text == "\n":
                    return copied
            target.write(decoder.decode(b"", final=True).encode(errors=ESCAPED))
        return copied
    except UnicodeError:
        refusal = BadFile(
            address.parameter,
            rule=f"must be text in {encoding} throughout, as `encoding` says",
            value=shown(address.path.name),
            next_step="Name its own encoding, or leave `encoding` out for UTF-8.",
        )
    raise hidden(refusal)


def write_rows(out: Path, schema: pa.Schema, pieces: Pieces) -> None:
    """A private Parquet file of these rows."""
    with spilled_file(out) as file, pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for piece in pieces:
            columns = [
                values
                if isinstance(values := piece[column.name], pa.Array)
                # `from_pandas` makes a null of nan, which is what missing numbers are read as.
                else pa.array(values, column.type, from_pandas=True)
                for column in schema
            ]
            writer.write_batch(pa.record_batch(columns, schema=schema))


@dataclass(frozen=True)
class ForeignRows:
    """The columns of a file and its rows; of a workbook, the sheet that has them."""

    schema: pa.Schema
    pieces: Pieces
    sheet: str = ""


def foreign_rows(address: FileAddress, encoding: str | None) -> ForeignRows:
    """The rows of a file that is neither Parquet nor CSV."""
    if address.format != "sheet":
        return _statistical(address, encoding)
    library = _library("python_calamine", address.parameter)
    book = library.CalamineWorkbook.from_path(str(address.path))
    visible = library.SheetVisibleEnum.Visible
    seen = [sheet.name for sheet in book.sheets_metadata if sheet.visible == visible]
    # The sheet that the address names, or the only one that can be seen.
    if address.sheet in book.sheet_names:
        name = address.sheet
    elif not address.sheet and len(seen) == 1:
        name = str(seen[0])
    else:
        raise BadFile(
            address.parameter,
            rule=f"must have the sheet {shown(address.sheet)}"
            if address.sheet
            else "must name a sheet after #, since the workbook has several",
            value=f"the sheets {', '.join(map(shown, seen))}",
            next_step=f"Write {address.path.name}#{seen[0] if seen else 'SHEET'}, or another of "
            "them.",
        )
    return _cells(book.get_sheet_by_name(name), name, address.parameter)


def _statistical(address: FileAddress, encoding: str | None) -> ForeignRows:
    """The rows of a file of SAS, Stata or SPSS; their missing values and empty texts are nulls.

    All but transport files of SAS say in which encoding they are.
    """
    library = _library("pyreadstat", address.parameter)
    read = partial(
        getattr(library, READERS[address.format]),
        str(address.path),
        output_format="dict",
        disable_datetime_conversion=True,
    )
    stated = {"encoding": encoding} if encoding and address.format == "xport" else {}
    about = read(metadataonly=True, **stated)[1]
    names = about.column_names
    require_names(names, address.parameter)
    types: dict[str, pa.DataType] = {}
    for name in names:
        declared = about.readstat_variable_types[name]
        number = pa.int64() if "int" in declared else pa.float64()
        types[name] = pa.string() if "string" in declared else number
    rows = max(1, CELLS // max(1, len(names)))

    def some(start: int) -> Mapping[str, list[Any]]:
        part = {"row_offset": start, "row_limit": rows}
        with suppress(UnicodeDecodeError, library.ReadstatError):
            return _texts_or_nulls(read(**part, **stated)[0], types, None)
        # Some text is not in the encoding that the file declares, and is a missing value.
        bytes_as_letters = read(**part, encoding=LATIN)[0]
        return _texts_or_nulls(bytes_as_letters, types, encoding or about.file_encoding or UTF_8)

    def pieces() -> Pieces:
        for start in count(0, rows):
            piece = some(start)
            yield piece
            if len(piece[names[0]]) < rows:
                return

    return ForeignRows(pa.schema(list(types.items())), pieces())


def _texts_or_nulls(
    piece: Mapping[str, list[Any]], types: Mapping[str, pa.DataType], encoding: str | None
) -> Mapping[str, list[Any]]:
    """Some rows, by the names of columns; texts are read by the encoding, if they were not yet."""

    def text(letters: str | None) -> str | None:
        if not letters or encoding is None:
            return letters or None
        return decoded(letters.encode(LATIN), encoding)

    return {
        name: [*map(text, values)] if kind == pa.string() else values
        for (name, kind), values in zip(types.items(), piece.values(), strict=True)
    }


def _cells(sheet: Any, sheet_name: str, parameter: str) -> ForeignRows:  # noqa: ANN401 (of a library without types)
    """The rows of a sheet under its first row, which names the columns; each cell is a text.

    Empty cells and errors are nulls. A sheet is as wide as its rows. Cells left and right of all
    names are no columns: otherwise a single one, in the row of a worker, would refuse the file in
    public.
    """
    # The name of a column: a number without .0, and a date as it is seen.
    first = [
        str(cell) if isinstance(cell, date) else value_text(cell) or ""
        for cell in next(sheet.iter_rows(), [])
    ]
    named = [place for place, name in enumerate(first) if name.strip()]
    within = slice(named[0], named[-1] + 1) if named else slice(0)
    names = first[within]
    require_names(names or [""], parameter)

    def pieces() -> Pieces:
        under = (row[within] for row in islice(sheet.iter_rows(), 1, None))
        rows = (row for row in under if any(cell != "" for cell in row))
        while some := list(islice(rows, max(1, CELLS // max(1, len(names))))):
            columns = zip(*some, strict=True)
            yield {
                name: text_array(None if cell == "" else cell for cell in column)
                for name, column in zip(names, columns, strict=True)
            }

    schema = pa.schema([(name, pa.large_string()) for name in names])
    return ForeignRows(schema, pieces(), sheet_name)


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
