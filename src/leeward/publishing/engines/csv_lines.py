"""CSV lines: a copy of a CSV file in which every line that is no row becomes a row without values.

A line with too many or too few values, a line break that is no LF or CRLF, a line above the limit
of length: such a line says nothing about other lines, so it must not stop the file. As a row
without values it has no id, and the rule for rows without an id counts it. Quotes are another
matter: a value in quotes may contain line breaks, so a wrong quote concerns all lines that follow.
A line with a wrong quote is copied as it is, and the file is rejected; unless the plan says that
there are no quotes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import IO

from leeward.publishing.engines.csv_file import CHUNK, CsvHeader

LONGEST_ROW = 2_000_000
"""Maximum length of a line in bytes, its end included: that of DuckDB."""

QUOTE = b'"'


@dataclass(frozen=True)
class CsvLines:
    """The lines of files with one header; without `quotes` a quote is a letter."""

    header: CsvHeader
    quotes: bool

    def copy(self, source: IO[bytes], target: IO[bytes]) -> None:
        """Copy the header and every row; all lines end in LF."""
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
        good = good and len(line) < LONGEST_ROW and (self.quotes or _is_utf_8(row))
        if good or not row:  # an empty line is not a row
            return row + b"\n"
        return self._mark * (self._names - 1) + b"\n"

    def _is_plain(self, piece: bytes) -> bool:
        """Whether all lines are rows that need no second look; a guard for speed only."""
        short = len(piece) < LONGEST_ROW and piece.endswith(b"\n")
        found = short and self._plain.fullmatch(piece)
        return bool(found and (self.quotes or _is_utf_8(piece)))

    def _has_wrong_quote(self, line: bytes) -> bool:
        """Whether a quote is left in a line without its quoted values."""
        found = self.quotes and QUOTE in line
        return found and QUOTE in self._quoted.sub(rb"\1x", line.removesuffix(b"\r"))

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
            begins = self._begins.match(line, at)
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
    def _begins(self) -> re.Pattern[bytes]:
        return re.compile(rb' *"')

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


def _is_utf_8(text: bytes) -> bool:
    if text.isascii():
        return True
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
