"""Conversion: what DuckDB does not read becomes a private file that it reads, in the spill folder.

CSV in another encoding becomes CSV in UTF-8; sheets of Excel and files of SAS, Stata and SPSS
become Parquet. The libraries that read them are the extra `files`.
"""

import codecs
import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from functools import partial
from importlib import import_module
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from leeward.engines.address import FileAddress
from leeward.engines.csv_file import CHUNK, opened_bytes
from leeward.engines.driver_errors import hidden
from leeward.engines.headers import require_names
from leeward.engines.spill import no_room
from leeward.errors import BadFile, shown
from leeward.installation import hint
from leeward.model.resources import UTF_8

CELLS = 2_000_000
"""Values that are held at a time, so that memory does not grow with a file."""

FULL = (errno.ENOSPC, errno.EDQUOT)
READERS = {"sas": "read_sas7bdat", "xport": "read_xport", "stata": "read_dta", "spss": "read_sav"}
"""The functions of pyreadstat."""

NUMBER, TEXT = pa.float64(), pa.string()
"""What columns hold. A date is a number: a third type, which makes no code, would depend on rows.

Columns of nothing but whole numbers become whole when all of them are known.
"""

DAY_0 = datetime(1899, 12, 30)
"""The day from which Excel counts."""

Pieces = Iterator[Mapping[str, list[Any]]]
"""The values of columns, some rows at a time."""


def readable(
    address: FileAddress, folder: Path, encoding: str | None, *, header: bool = False
) -> FileAddress:
    """A file that DuckDB reads, with the same rows: the file itself, or a private one.

    Of a `header` alone no row is converted, and no type comes from rows.
    """
    if address.format == "parquet" or (address.format == "csv" and _is_utf_8(address, encoding)):
        return address
    place = folder / f"file_{address.table}"
    place.mkdir(mode=0o700)
    if address.format == "csv":
        plain = address.path.with_suffix("") if address.zipped else address.path
        decoded = replace(address, path=place / plain.name)
        _decode(address, decoded.path, encoding or UTF_8, header=header)
        return decoded
    sheet = _sheet(address) if address.format == "sheet" else None
    schema, pieces = (
        _statistical(address, encoding)
        if sheet is None
        else _cells(sheet, address.parameter, header=header)
    )
    name = "" if sheet is None else sheet.name
    converted = FileAddress(address.table, place / "rows.parquet", "parquet", name)
    _write(converted.path, schema, iter(()) if header else pieces)
    return converted


def _is_utf_8(address: FileAddress, encoding: str | None) -> bool:
    """Whether text is read as it is: UTF-8 with a mark is, whatever a plan says of other files."""
    if encoding in (None, UTF_8):
        return True
    with opened_bytes(address.path) as file:
        return file.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8


def _decode(address: FileAddress, out: Path, encoding: str, *, header: bool) -> None:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with opened_bytes(address.path) as source, _private(out) as target:
            while piece := source.read(1 if header else CHUNK):
                text = decoder.decode(piece)
                target.write(text.encode())
                if header and text == "\n":
                    return
            target.write(decoder.decode(b"", final=True).encode())
        return
    except UnicodeError:
        refusal = BadFile(
            address.parameter,
            rule=f"must be text in {encoding} throughout, as `encoding` says",
            value=shown(address.path.name),
            next_step="Name its own encoding, or leave `encoding` out for UTF-8.",
        )
    raise hidden(refusal)


def _write(out: Path, schema: pa.Schema, pieces: Pieces) -> None:
    with _private(out) as file, pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for piece in pieces:
            # `from_pandas` makes a null of nan, which is what missing numbers are read as.
            columns = [pa.array(piece[one.name], one.type, from_pandas=True) for one in schema]
            writer.write_batch(pa.record_batch(columns, schema=schema))


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
        **told,
    )
    about = read(metadataonly=True)[1]
    names = about.column_names
    require_names(names, address.parameter)
    kinds = about.readstat_variable_types
    types = {name: TEXT if "string" in kinds[name] else NUMBER for name in names}
    rows = max(1, CELLS // max(1, len(names)))

    def pieces() -> Pieces:
        start = 0
        while True:
            piece = read(row_offset=start, row_limit=rows)[0]
            yield {
                name: _filled(piece[name]) if types[name] == TEXT else piece[name] for name in names
            }
            start += rows
            if len(piece[names[0]]) < rows:
                return

    return pa.schema(list(types.items())), pieces()


def _filled(texts: list[str | None]) -> list[str | None]:
    return [one or None for one in texts]


def _sheet(address: FileAddress) -> Any:  # noqa: ANN401 (of a library without types)
    """The sheet that the address means."""
    library = _library("python_calamine", address.parameter)
    book = library.CalamineWorkbook.from_path(str(address.path))
    return book.get_sheet_by_name(_sheet_name(address, library, book))


def _cells(
    sheet: Any,  # noqa: ANN401 (as above)
    parameter: str,
    *,
    header: bool,
) -> tuple[pa.Schema, Pieces]:
    """The rows of a sheet under its first row, which names the columns; empty cells are nulls.

    A sheet is as wide as its rows. Cells left and right of all names are no columns: otherwise a
    single one, in the row of a worker, would refuse the file in public.
    """
    first = [_text(cell) for cell in next(sheet.iter_rows(), [])]
    named = [place for place, name in enumerate(first) if name.strip()]
    within = slice(named[0], named[-1] + 1) if named else slice(0)
    names = first[within]
    require_names(names or [""], parameter)
    kinds: list[set[pa.DataType]] = [set() for _ in names]
    for row in () if header else _under(sheet, within):
        for held, cell in zip(kinds, row, strict=True):
            if cell != "":
                held.add(NUMBER if _is_number(cell) else TEXT)
    values = [_number if held == {NUMBER} else _text for held in kinds]
    types = [NUMBER if held == {NUMBER} else TEXT for held in kinds]

    def pieces() -> Pieces:
        rows = (row for row in _under(sheet, within) if any(one != "" for one in row))
        while some := list(islice(rows, max(1, CELLS // max(1, len(names))))):
            cells = zip(*some, strict=True)
            yield {
                name: [None if one == "" else value(one) for one in column]
                for name, value, column in zip(names, values, cells, strict=True)
            }

    return pa.schema(list(zip(names, types, strict=True))), pieces()


def _under(sheet: Any, within: slice) -> Iterator[list[Any]]:  # noqa: ANN401 (as above)
    """The cells under the header, of these columns."""
    return (row[within] for row in islice(sheet.iter_rows(), 1, None))


def _is_number(cell: object) -> bool:
    return isinstance(cell, int | float | date) and not isinstance(cell, bool)


def _number(cell: float | date) -> float:
    """A cell of a column of numbers; of a date the number that Excel keeps."""
    if not isinstance(cell, date):
        return cell
    moment = cell if isinstance(cell, datetime) else datetime.combine(cell, time())
    return (moment - DAY_0) / timedelta(days=1)


def _text(cell: object) -> str:
    """A cell of a column that holds texts, or of several kinds: 44001 and not 44001.0."""
    if isinstance(cell, bool):
        return str(cell).lower()
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


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
