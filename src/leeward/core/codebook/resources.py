"""Resources: what reads the tables, how CSV is read, with how much memory and which folder."""

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from leeward.core.errors import InvalidParameter, shown

EngineName = Literal["duckdb", "spark"]
ENGINES: tuple[EngineName, ...] = ("duckdb", "spark")
UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
UNITS |= {unit[0] + "i" + unit[1]: 1024**power for power, unit in enumerate(UNITS, 1)}
SIZE = re.compile(rf"(\d{{1,15}})\s*({'|'.join(UNITS)})")
UTF_8 = "utf-8"
Quotes = Literal["none"]
"""What CSV files may say of quotes: that there are none. Left out, values may be in quotes."""

ENCODINGS = re.compile(
    r"utf-(8|16|32)(-[lb]e)?|cp\d+|iso8859-\d+|koi8-[ru]|mac-\w+|"
    r"shift_jis|euc_(jp|kr)|big5|gbk|gb18030"
)
"""Encodings of text files, by the names that Python gives them."""

LEAST_MEMORY = 256 * 10**6
"""With less, DuckDB refuses even small tables."""


@dataclass(frozen=True)
class Resources:
    """What a plan or a command line allows; whatever is left out, the program decides itself.

    `memory` is what DuckDB may use, in bytes; `spill` the folder in which its folder for what does
    not fit is made. `remote` is the address of a Spark Connect server and is never shown.
    `encoding` is that of CSV files and of transport files of SAS, by the name that Python gives it;
    None is UTF-8. With `quotes` "none" a quote in a CSV file is a letter like any other, so that
    no line concerns another.
    """

    engine: EngineName | None = None
    remote: str | None = None
    memory: int | None = None
    spill: Path | None = None
    encoding: str | None = None
    quotes: Quotes | None = None

    def __repr__(self) -> str:
        return f"Resources({self.engine!r}, memory={self.memory!r}, remote and spill not shown)"

    def __post_init__(self) -> None:
        if self.engine == "spark" and (self.memory is not None or self.spill is not None):
            raise InvalidParameter(
                "memory" if self.memory is not None else "spill",
                rule="is for DuckDB; Spark has its own where it is started",
                value="engine: spark",
                next_step="Set spark.driver.memory, spark.executor.memory and spark.local.dir.",
            )
        if self.engine == "spark" and (self.encoding is not None or self.quotes is not None):
            raise InvalidParameter(
                "encoding" if self.encoding is not None else "quotes",
                rule="is for CSV files, which Spark is not asked to read",
                value="engine: spark",
                next_step="Leave it out.",
            )
        if self.engine != "spark" and self.remote is not None:
            raise InvalidParameter(
                "data.remote",
                rule="is the address of a Spark Connect server",
                value="no engine: spark beside it",
                next_step="Write `engine: spark`, or leave it out.",
            )


def read_resources(written: Mapping[str, str | None], base: Path) -> Resources:
    """What the `data` of a plan allows; its folder is relative to `base`."""
    return Resources(
        read_engine(written.get("engine")),
        written.get("remote"),
        read_memory(written.get("memory"), "data.memory"),
        None if written.get("spill") is None else base / str(written["spill"]),
        read_encoding(written.get("encoding"), "data.encoding"),
        read_quotes(written.get("quotes"), "data.quotes"),
    )


def read_engine(written: str | None) -> EngineName | None:
    """The name of an engine; None leaves the choice to the addresses of the tables."""
    engine = None if written is None else next((name for name in ENGINES if name == written), None)
    if written is not None and engine is None:
        raise InvalidParameter.unknown(
            "data.engine",
            written,
            ENGINES,
            next_step="Leave it out for DuckDB, or for the database that the tables lie in.",
        )
    return engine


def read_memory(written: str | None, parameter: str) -> int | None:
    """An amount of memory as people write it, in bytes."""
    if written is None:
        return None
    amount = SIZE.fullmatch(written.strip())
    size = int(amount[1]) * UNITS[amount[2]] if amount else 0
    if size < LEAST_MEMORY:
        raise InvalidParameter(
            parameter,
            rule=f"must be an amount such as 6GB, at least {LEAST_MEMORY // 10**6}MB",
            value=shown(written),
            next_step=f"Write a whole number and one of {', '.join(UNITS)}.",
        )
    return size


def read_encoding(written: str | None, parameter: str) -> str | None:
    """An encoding of text files under any of its names, such as cp1252, windows-1252 or latin-1."""
    if written is None:
        return None
    try:
        name = codecs.lookup(written.strip()).name
    except (LookupError, ValueError):
        name = ""
    if not ENCODINGS.fullmatch(name):
        raise InvalidParameter(
            parameter,
            rule="must be an encoding of text files",
            value=shown(written),
            next_step="Write cp1252 for files of Windows, latin-1, utf-16, or leave it out for "
            "UTF-8.",
        )
    return name


def read_quotes(written: str | None, parameter: str) -> Quotes | None:
    """Whether values of CSV files may be in quotes: `none`, or left out for those that may."""
    if written is None:
        return None
    if written.strip() != "none":
        raise InvalidParameter(
            parameter,
            rule="must be none, or left out",
            value=shown(written),
            next_step="Write none for CSV files in which no value is in quotes.",
        )
    return "none"
