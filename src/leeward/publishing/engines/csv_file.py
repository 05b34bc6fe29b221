"""CSV file: its header, its encoding, and why it cannot be read.

Every value is text and the header shows what separates columns, so nothing is guessed from rows.
"""

import codecs
import csv
import gzip
import io
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from leeward.core.errors import BadFile, LeewardError, shown
from leeward.core.show.numbers import counted
from leeward.publishing.engines.driver_errors import hidden
from leeward.publishing.engines.headers import require_names

MARKS = (",", ";", "\t", "|")
"""Separators of columns in CSV."""

LONGEST_LINE = 1 << 20
"""Maximum length of a CSV header in bytes."""

CHUNK = 1 << 20
"""Bytes that are decompressed and decoded at a time."""

DAMAGED = (OSError, EOFError, zlib.error)
"""What reading a file, plain or compressed, may raise."""

READABLE = "must be CSV in UTF-8 with the same number of columns in every row"
ROW_NAMES = "Row names of R? Write the file with row.names = FALSE. "
QUOTES = (
    "Quote values that hold the separator or a line break. If no value is in quotes, write "
    "`quotes: none` under `data` in the plan. Parquet has no such lines."
)


@dataclass(frozen=True)
class CsvHeader:
    """What must be known to read a CSV file without guessing from its rows."""

    mark: str
    columns: tuple[str, ...]


def opened_bytes(path: Path) -> IO[bytes]:
    """The bytes of a file, decompressed if its name ends in .gz."""
    return cast(IO[bytes], gzip.open(path)) if _is_zipped(path) else path.open("rb")


def _is_zipped(path: Path) -> bool:
    return path.name.lower().endswith(".gz")


def read_header(path: Path, parameter: str, *, quotes: bool = True) -> CsvHeader:
    """The header of a CSV file; the commonest mark separates columns, in .tsv the tab.

    Without `quotes` a quote is part of a name.
    """
    line = _first_line(path, parameter)
    tabs = path.name.lower().removesuffix(".gz").endswith(".tsv")
    mark = "\t" if tabs else max(MARKS, key=line.count)
    if quotes:
        columns = tuple(next(csv.reader([line], delimiter=mark), ()))
    else:
        columns = tuple(line.split(mark)) if line else ()
    if not columns:
        raise _refused(path, parameter, "must begin with a line that names the columns")
    require_names(columns, parameter)
    return CsvHeader(mark, columns)


def _first_line(path: Path, parameter: str) -> str:
    line = _first_bytes(path, parameter)
    if b"\0" not in line:
        with suppress(UnicodeDecodeError):
            return line.decode("utf-8-sig").rstrip("\r\n")
    raise _not_utf_8(path, parameter, line)


def _first_bytes(path: Path, parameter: str) -> bytes:
    try:
        with opened_bytes(path) as file:
            return file.readline(LONGEST_LINE)
    except DAMAGED:
        rule = "must be a CSV file that can be read (compressed with gzip if it ends in .gz)"
        refusal = hidden(_refused(path, parameter, rule))
    raise refusal


def _refused(
    path: Path, parameter: str, rule: str, next_step: str = "Look at the file's first line."
) -> BadFile:
    return BadFile(parameter, rule=rule, value=shown(path.name), next_step=next_step)


def likely_encoding(sample: bytes) -> str:
    """The encoding that bytes which are not UTF-8 most likely have."""
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if b"\0" in sample:
        return "utf-16-le" if sample[1::2].count(0) > sample[::2].count(0) else "utf-16-be"
    try:
        sample.decode("cp1252")
    except UnicodeDecodeError:
        return "cp850"  # of DOS, where the bytes that CP1252 lacks are letters
    return "cp1252"


def _not_utf_8(path: Path, parameter: str, sample: bytes) -> BadFile:
    likely = likely_encoding(sample)
    step = (
        f"It may be in {likely}: write `encoding: {likely}` under `data` in the plan, or "
        f"--encoding {likely} where a command has it; or convert the file "
        f"(iconv -f {likely} -t utf-8)."
    )
    return _refused(path, parameter, "must be CSV in UTF-8, or its encoding must be given", step)


def require_whole(path: Path, parameter: str) -> None:
    """Refuse a compressed file that breaks off: the rows before the end would pass for all."""
    if not _is_zipped(path):
        return
    try:
        with opened_bytes(path) as file:
            while file.read(CHUNK):
                pass
    except DAMAGED:
        rule = "must be a whole gzip file: this one breaks off or is damaged"
        refusal = _refused(path, parameter, rule, "Write or copy the file again.")
        raise hidden(refusal) from None


def find_fault(path: Path, parameter: str, header: CsvHeader) -> LeewardError | None:
    """The first line of a CSV file that cannot be read, told to those who may know of rows."""
    found = None
    try:
        with opened_bytes(path) as file, io.TextIOWrapper(file, "utf-8-sig", newline="") as lines:
            found = _uneven(lines, parameter, header)
    except UnicodeDecodeError as error:
        found = _not_utf_8(path, parameter, error.object)
    except (*DAMAGED, csv.Error):
        return None
    return None if found is None else hidden(found)


def _uneven(lines: IO[str], parameter: str, header: CsvHeader) -> BadFile | None:
    """The refusal of the first row with more or fewer values than the header has names."""
    names = len(header.columns)
    told = counted(names, "name")
    rows = csv.reader(lines, delimiter=header.mark)
    for row in rows:
        if row and len(row) != names:
            one_more = len(row) == names + 1
            return BadFile(
                parameter,
                rule="must have a value for each name of the header in every row",
                value=f"{counted(len(row), 'value')} in line {rows.line_num} for {told}",
                next_step=f"{ROW_NAMES if one_more else ''}{QUOTES}",
            )
    return None
