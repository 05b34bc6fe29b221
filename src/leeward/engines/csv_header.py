"""CSV header: the names of the columns and the mark between them, from the first line alone."""

import csv
import gzip
import zlib
from dataclasses import dataclass
from pathlib import Path

from leeward.engines.discretion import hidden
from leeward.engines.headers import require_distinct
from leeward.errors import BadFile, LeewardError, shown

MARKS = (",", ";", "\t", "|")
LONGEST_LINE = 1 << 20
CHUNK = 1 << 20


@dataclass(frozen=True)
class CsvHeader:
    """What must be known to read a CSV file without guessing from its rows."""

    mark: str
    columns: tuple[str, ...]


def read_header(path: Path, parameter: str) -> CsvHeader:
    """The header of a CSV file, plain or compressed; the commonest mark separates columns."""
    line = _first_line(path, parameter)
    mark = max(MARKS, key=line.count)
    columns = tuple(next(csv.reader([line], delimiter=mark), ()))
    if not all(columns):
        raise _refused(path, parameter, "must begin with a line that names every column")
    require_distinct(columns, parameter)
    return CsvHeader(mark, columns)


def _first_line(path: Path, parameter: str) -> str:
    try:
        with gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb") as file:
            line = file.readline(LONGEST_LINE)
        return line.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError:
        refusal: LeewardError = _refused(path, parameter, "must be CSV in UTF-8")
    except (OSError, EOFError, zlib.error):
        rule = "must be a CSV file that can be read (compressed with gzip if it ends in .gz)"
        refusal = hidden(_refused(path, parameter, rule))
    raise refusal


def _refused(
    path: Path, parameter: str, rule: str, next_step: str = "Look at the file's first line."
) -> BadFile:
    return BadFile(parameter, rule=rule, value=shown(path.name), next_step=next_step)


def require_whole(path: Path, parameter: str) -> None:
    """Refuse a compressed file that breaks off: the rows before the end would pass for all."""
    if not path.name.lower().endswith(".gz"):
        return
    try:
        with gzip.open(path) as file:
            while file.read(CHUNK):
                pass
    except (OSError, EOFError, zlib.error):
        rule = "must be a whole gzip file: this one breaks off or is damaged"
        refusal = _refused(path, parameter, rule, "Write or copy the file again.")
        raise hidden(refusal) from None
