"""Layout: which files a bundle has, and what they are called."""

import re
from collections.abc import Iterable

TABLES = "tables"
CERTIFICATE = "certificate.json"
SCHEMA = "certificate.schema.json"
README = "README.txt"
CHECKSUMS = "checksums.txt"
REPORT = "report.html"
"""May be added to a sealed bundle; it only repeats what the other files say."""

BUNDLE_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"
"""One word without blanks: the version line is read word by word."""

TABLE_NAME = r"^[A-Za-z0-9_][A-Za-z0-9_-]{0,62}$"
PARTIAL = re.compile(r"^\..*\.partial-[0-9]+-[0-9]+$")
LEFT_BEHIND = re.compile(r"^\..*\.(partial|report)-[0-9]+-[0-9]+$")
"""Hidden beside a bundle while it, or its report, is written; a killed process leaves it."""

MEASURES = ("value", "status")
MARGIN = "margin"


def csv_path(table: str) -> str:
    """Where the text of a table lies."""
    return f"{TABLES}/{table}.csv"


def parquet_path(table: str) -> str:
    """Where the columns of a table lie."""
    return f"{TABLES}/{table}.parquet"


def version_path(name: str) -> str:
    """Where the version line lies."""
    return f"version_{name}.txt"


def table_columns(identifiers: Iterable[str], margins: bool) -> tuple[str, ...]:
    """The header of a table: identifiers first, as in the LEHD public-use files."""
    return (*identifiers, *MEASURES, *((MARGIN,) if margins else ()))


def stamped_files(name: str, tables: Iterable[str]) -> tuple[str, ...]:
    """Every file whose checksum the certificate holds."""
    written = [path for table in tables for path in (csv_path(table), parquet_path(table))]
    return tuple(sorted([*written, SCHEMA, README, version_path(name)]))
