"""Layout: the names of the files of a bundle, and the list of their checksums."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

TABLES = "tables"
CERTIFICATE = "certificate.json"
SCHEMA = "certificate.schema.json"
README = "README.txt"
CHECKSUMS = "checksums.txt"
SYNTHETIC = "synthetic.json"
"""What a folder of synthetic rows says about itself; its releases are folders in it."""

RESULT = "result.json"
"""The estimates of a survey; a folder with this file is the result of one, and no bundle."""

DESCRIPTION = "description.json"
"""What synthetic rows of one table are drawn from."""

REGRESSION = "regression.json"
"""The released numbers of a regression, and the lines that follow from them."""

NO_BUNDLE = (RESULT, DESCRIPTION, REGRESSION)
"""A folder with one of these files is no bundle of tables, though it may have a certificate."""

REPORT = "report.html"
"""May be added to a sealed bundle; it only repeats what the other files say."""

BUNDLE_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"
"""One word without blanks: the version line is read word by word."""

TABLE_NAME = r"^[A-Za-z0-9_][A-Za-z0-9_-]{0,62}$"
PARTIAL = re.compile(r"^\..*\.partial-[0-9]+-[0-9]+$")
LEFT_BEHIND = re.compile(r"^\..*\.(partial|report)-[0-9]+-[0-9]+$")
"""Hidden beside a bundle while it, or its report, is written; a killed process leaves it."""

MEASURES = ("value", "status")
ESTABLISHMENTS = "establishments"

CHECKSUM_LINE = re.compile(r"([0-9a-f]{64})  ([A-Za-z0-9_][A-Za-z0-9_./-]*)")
"""A line that `sha256sum --check` reads."""


def csv_path(table: str) -> str:
    """The path of a table as CSV."""
    return f"{TABLES}/{table}.csv"


def parquet_path(table: str) -> str:
    """The path of a table as Parquet."""
    return f"{TABLES}/{table}.parquet"


def metadata_path(table: str) -> str:
    """The path of the description of a table's CSV file, where programs look for it."""
    return f"{csv_path(table)}-metadata.json"


def version_path(name: str) -> str:
    """The path of the version line."""
    return f"version_{name}.txt"


def table_columns(
    identifiers: Iterable[str], margins: Iterable[str], *, establishments: bool
) -> tuple[str, ...]:
    """The header of a table: identifiers first, as in the LEHD public-use files."""
    frame = (ESTABLISHMENTS,) if establishments else ()
    return (*identifiers, *MEASURES, *margins, *frame)


def stamped_files(name: str, tables: Iterable[str], *, described: bool) -> tuple[str, ...]:
    """Every file whose checksum the certificate holds; `described`: with CSVW of each table."""
    paths = (csv_path, parquet_path, *((metadata_path,) if described else ()))
    written = [path(table) for table in tables for path in paths]
    return tuple(sorted([*written, SCHEMA, README, version_path(name)]))


def sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def has_content(path: Path, content: bytes) -> bool:
    """Whether a file is exactly this; its size first, so that a file of any length is not read."""
    return path.stat().st_size == len(content) and path.read_bytes() == content


def checksum_list(sums: Mapping[str, str]) -> bytes:
    """The content of checksums.txt, sorted by name."""
    return "".join(f"{sums[name]}  {name}\n" for name in sorted(sums)).encode()


def read_checksums(content: bytes) -> dict[str, str] | None:
    """Checksum by name; None unless the content is exactly such a list."""
    sums: dict[str, str] = {}
    for line in content.decode("utf-8", errors="replace").splitlines():
        match = CHECKSUM_LINE.fullmatch(line)
        if match is None:
            return None
        sums[match[2]] = match[1]
    return sums if checksum_list(sums) == content else None
