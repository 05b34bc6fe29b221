"""CSV file: header, encoding, why it cannot be read, and a copy in which every line is a row.

Every value is text and the header shows what separates columns, so nothing is guessed from rows.

A line with too many or too few values, a line break that is no LF or CRLF, a line above the limit
of length: such a line says nothing about other lines, so it must not stop the file. As a row
without values it has no id, and the rule for rows without an id counts it. Quotes are another
matter: a value in quotes may contain line breaks, so a wrong quote concerns all lines that follow.
A line with a wrong quote is copied as it is, and the file is rejected; unless the plan says that
there are no quotes.
"""

import codecs
import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, cast

from leeward.core.errors import BadFile, LeewardError, shown
from leeward.core.show.numbers import counted
from leeward.publishing.engines.driver_errors import hidden
from leeward.publishing.engines.headers import require_names
from leeward.publishing.engines.loose_values import decoded

MARKS = (",", ";", "\t", "|")
"""Separators of columns in CSV."""

LONGEST_LINE = 1 << 20
"""Maximum length of a CSV header in bytes."""

LONGEST_ROW = 2_000_000
"""Maximum length of a line in bytes, its end included: that of DuckDB."""

CHUNK = 1 << 20
"""Bytes that are decompressed and decoded at a time."""

QUOTE = b'"'
BEGINS = re.compile(rb' *"')
"""The beginning of a value in quotes."""

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
    try:
        with opened_bytes(path) as file:
            start = file.readline(LONGEST_LINE)
    except DAMAGED:
        start = None
    if start is None:
        rule = "must be a CSV file that can be read (compressed with gzip if it ends in .gz)"
        raise hidden(_refused(path, parameter, rule))
    text = decoded(start, "utf-8-sig")
    if text is None or b"\0" in start:
        raise _not_utf_8(path, parameter, start)
    line = text.rstrip("\r\n")
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
    # The bytes that CP1252 lacks are letters in the encoding of DOS.
    return "cp850" if decoded(sample, "cp1252") is None else "cp1252"


def _not_utf_8(path: Path, parameter: str, sample: bytes) -> BadFile:
    likely = likely_encoding(sample)
    step = (
        f"It may be in {likely}: write `encoding: {likely}` under `data` in the plan, or "
        f"--encoding {likely} where a command has it; or convert the file "
        f"(iconv -f {likely} -t utf-8)."
    )
    return _refused(path, parameter, "must be CSV in UTF-8, or its encoding must be given", step)


def require_whole(path: Path, parameter: str) -> None:
    """Reject a compressed file that breaks off: the rows before the end would pass for all."""
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
    names = len(header.columns)
    try:
        with opened_bytes(path) as file, io.TextIOWrapper(file, "utf-8-sig", newline="") as lines:
            rows = csv.reader(lines, delimiter=header.mark)
            uneven = next((row for row in rows if row and len(row) != names), None)
    except UnicodeDecodeError as error:
        return hidden(_not_utf_8(path, parameter, error.object))
    except (*DAMAGED, csv.Error):
        return None
    if uneven is None:
        return None
    value = f"{counted(len(uneven), 'value')} in line {rows.line_num}"
    fault = BadFile(
        parameter,
        rule="must have a value for each name of the header in every row",
        value=f"{value} for {counted(names, 'name')}",
        next_step=f"{ROW_NAMES if len(uneven) == names + 1 else ''}{QUOTES}",
    )
    return hidden(fault)


@dataclass(frozen=True)
class CsvLines:
    """The lines of files with one header; without `quotes` a quote is a letter."""

    header: CsvHeader
    quotes: bool

    def copy(self, source: IO[bytes], target: IO[bytes]) -> None:
        """Copy the header and every row; a line that is no row becomes one without values.

        All lines end in LF.
        """
        is_header, is_open = True, False
        for piece in _pieces(source):
            if not is_header and not is_open and self._is_plain(piece):
                target.write(piece.replace(b"\r\n", b"\n"))
                continue
            for line in piece.removesuffix(b"\n").split(b"\n"):
                if is_header:
                    target.write(line.removesuffix(b"\r") + b"\n")
                    is_header = False
                elif is_open or self._has_wrong_quote(line):
                    is_open = self._stays_open(line, is_open=is_open)
                    target.write((line if is_open else line.removesuffix(b"\r")) + b"\n")
                else:
                    target.write(self._row(line))

    def _row(self, line: bytes) -> bytes:
        """A line without wrong quotes; or a row without values, if it is no row."""
        row = line.removesuffix(b"\r")
        bare = self._quoted.sub(rb"\1x", row) if self.quotes else row
        values = bare.count(self._mark) + 1
        # Values behind the last name that are all empty are no values: DuckDB reads such rows.
        filled = bare.rstrip(self._mark).count(self._mark) + 1
        good = values >= self._names >= filled and b"\r" not in bare
        good = good and len(line) < LONGEST_ROW and (self.quotes or decoded(row) is not None)
        if good or not row:  # an empty line is not a row
            return row + b"\n"
        return self._mark * (self._names - 1) + b"\n"

    def _is_plain(self, piece: bytes) -> bool:
        """Whether all lines are rows that need no second look; a guard for speed only."""
        short = len(piece) < LONGEST_ROW and piece.endswith(b"\n")
        plain = short and self._plain.fullmatch(piece)
        return bool(plain and (self.quotes or decoded(piece) is not None))

    def _has_wrong_quote(self, line: bytes) -> bool:
        """Whether a quote is left in a line without its quoted values."""
        quoted = self.quotes and QUOTE in line
        return quoted and QUOTE in self._quoted.sub(rb"\1x", line.removesuffix(b"\r"))

    def _stays_open(self, line: bytes, *, is_open: bool) -> bool:
        """Whether a value in quotes goes on behind the line, as DuckDB reads quotes."""
        at = 0
        while True:
            if is_open:
                end = line.find(QUOTE, at)
                if end < 0:
                    return True
                at, is_open = end + 1, line[end + 1 : end + 2] == QUOTE
                at += is_open  # two quotes are one in a value
                continue
            begins = BEGINS.match(line, at)
            if begins:
                at, is_open = begins.end(), True
                continue
            mark = line.find(self._mark, at)
            if mark < 0:
                return False
            at = mark + 1

    @property
    def _mark(self) -> bytes:
        return self.header.mark.encode()

    @property
    def _names(self) -> int:
        return len(self.header.columns)

    @cached_property
    def _quoted(self) -> re.Pattern[bytes]:
        """A value in quotes from mark to mark, with blanks around it."""
        mark = re.escape(self._mark)
        return re.compile(rb'(^|%b) *"(?:[^"]++|"")*+" *(?=%b|$)' % (mark, mark))

    @cached_property
    def _plain(self) -> re.Pattern[bytes]:
        """Lines with a value for each name, whole values in quotes among them."""
        bare = rb"[^\r\n%b%b]*+" % (re.escape(self._mark), QUOTE if self.quotes else b"")
        value = rb'(?:"(?:[^"\r\n]++|"")*+"|%b)' % bare if self.quotes else bare
        further = rb"(?:%b%b){%d}" % (re.escape(self._mark), value, self._names - 1)
        return re.compile(rb"(?:%b%b\r?\n)*+" % (value, further))


def _pieces(source: IO[bytes]) -> Iterator[bytes]:
    """Whole lines, some at a time; of a line above the limit no more than shows that it is."""
    while piece := source.read(CHUNK):
        whole = piece + (b"" if piece.endswith(b"\n") else source.readline(LONGEST_ROW + 1))
        yield whole
        rest = whole
        while not rest.endswith(b"\n") and (rest := source.readline(LONGEST_ROW)):
            pass
