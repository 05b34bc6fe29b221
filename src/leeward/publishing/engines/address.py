"""Address: where each of the tables is, as the plan or a command states it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from leeward.core.codebook import TABLES

Format = Literal["parquet", "csv", "sheet", "sas", "xport", "stata", "spss"]
SUFFIXES: Mapping[str, Format] = {
    ".parquet": "parquet",
    ".csv": "csv",
    ".csv.gz": "csv",
    ".tsv": "csv",
    ".tsv.gz": "csv",
    ".xlsx": "sheet",
    ".sas7bdat": "sas",
    ".xpt": "xport",
    ".dta": "stata",
    ".sav": "spss",
}
FILES: Mapping[Format, str] = {
    "parquet": "a Parquet file",
    "csv": "a CSV file",
    "sheet": "a workbook of Excel",
    "sas": "a data set of SAS",
    "xport": "a transport file of SAS",
    "stata": "a file of Stata",
    "spss": "a file of SPSS",
}
"""What a file of each format is."""

SHEET = re.compile(r"(.+\.xlsx)#([^/]+)", re.IGNORECASE | re.DOTALL)
"""A workbook and the name of one of its sheets."""

ENDINGS = f"{', '.join([*SUFFIXES][:-1])} or {[*SUFFIXES][-1]}"
IN_FILES = ("duckdb", "sqlite")
"""Databases that are one file, whose address is a path."""


def parameter_of(table: str) -> str:
    """What states the address: a key of the plan, or else the argument of a command."""
    return f"data.{table}" if table in TABLES else table.upper()


@dataclass(frozen=True)
class Address:
    """Where a table is."""

    table: str

    @property
    def source(self) -> object:
        """What two addresses of one table have in common, as far as it can be told."""
        return tuple(vars(self)[name] for name in vars(self) if name != "table")

    def is_same(self, other: "Address") -> bool:
        return self.source == other.source

    @property
    def parameter(self) -> str:
        return parameter_of(self.table)


@dataclass(frozen=True)
class FileAddress(Address):
    """A table that is a file; `sheet` is the name of one of a workbook's sheets, if it is told."""

    path: Path
    format: Format
    sheet: str = ""

    @property
    def kind(self) -> str:
        return self.format

    @property
    def rule(self) -> str:
        """The rule that a file breaks which is none of its format."""
        return f"must be {FILES[self.format]}"

    @property
    def source(self) -> object:
        """The file itself, whichever link or relative path names it."""
        state = self.path.stat()
        return state.st_dev, state.st_ino

    def is_same(self, other: Address) -> bool:
        """Whether both are one file, and one sheet; without a name it is the only one."""
        sheets = {self.sheet, other.sheet if isinstance(other, FileAddress) else ""}
        return self.source == other.source and (len(sheets) == 1 or "" in sheets)

    @property
    def zipped(self) -> bool:
        return self.path.name.lower().endswith(".gz")


@dataclass(frozen=True)
class FrameAddress(Address):
    """A table in this process: anything that streams Arrow, or a table of Ibis. CONFIDENTIAL."""

    frame: object = field(repr=False)

    @property
    def kind(self) -> str:
        return "a frame"

    @property
    def rule(self) -> str:
        """The rule that a frame breaks which cannot be copied."""
        return "must be a frame whose columns have one type each"

    @property
    def source(self) -> object:
        return id(self.frame)


SCHEMAS = {"duckdb": "main", "sqlite": "main", "postgres": "public"}
"""The schema of a table whose address names none."""


def whole_name(name: tuple[str, ...], *usual: str) -> tuple[str, ...]:
    """Catalog, schema and table, the usual ones where none is named."""
    return (*usual, *name)[-1 - len(usual) :] if name else ()


@dataclass(frozen=True)
class TableAddress(Address):
    """A table of a database; `url` may hold a password and is never shown."""

    scheme: str
    url: str = field(repr=False)
    name: tuple[str, ...]

    @property
    def kind(self) -> str:
        return self.scheme

    @property
    def source(self) -> object:
        """The table, with or without its schema, in either case where the database ignores it."""
        folded = self.scheme in IN_FILES
        name = tuple(map(str.casefold, self.name)) if folded else self.name
        return self.scheme, self.url, *whole_name(name, SCHEMAS.get(self.scheme, ""))

    @property
    def rule(self) -> str:
        return f"must be a table of the database; there is no {'.'.join(self.name)!r} in it"


@dataclass(frozen=True)
class SparkAddress(Address):
    """What Spark reads: Parquet at a path or URL, which is not shown, or a table of its catalog."""

    url: str = field(repr=False)
    name: tuple[str, ...] = ()

    @property
    def source(self) -> object:
        """The same of a catalog, which ignores case."""
        name = tuple(map(str.casefold, self.name))
        return self.url, *whole_name(name, "spark_catalog", "default")

    @property
    def rule(self) -> str:
        """The rule that is broken when Spark does not find the table."""
        if self.name:
            return f"must be a table of Spark's catalog; there is no {'.'.join(self.name)!r} in it"
        return "must be a Parquet file, or a folder of them, that Spark can read"


def split_sheet(written: str) -> tuple[str, str]:
    """The path of a file and, behind #, the name of a sheet; the sheet is empty elsewhere."""
    parts = SHEET.fullmatch(written)
    return (parts[1], parts[2]) if parts else (written, "")


def format_of(file: str) -> Format | None:
    """The format that the end of a file's name tells."""
    return next((SUFFIXES[end] for end in SUFFIXES if file.lower().endswith(end)), None)
