"""Bundles compared: what may differ between neighbours is the noisy numbers and what follows."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pv
import pyarrow.parquet as pq

from leeward.interface.report.document import report
from leeward.publishing.bundle import REPORT, read_bundle
from leeward.publishing.bundle.rows import MARGINS

NOISY = ("value", *sorted(MARGINS))
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\+00:00")
DAY = re.compile(r"\b20[0-9]{6}\b")
HASH = re.compile(r"\b[0-9a-f]{64}\b")


def assert_alike(one: Path, other: Path) -> None:
    """Fail at the first thing in which two bundles differ and must not."""
    names = files(one)
    assert names == files(other)
    for name in names:
        first, second = one / name, other / name
        if name == "certificate.json":
            assert certificate(first) == certificate(second)
        elif name.endswith(".csv"):
            assert_alike_rows(read_csv(first), read_csv(second))
        elif name.endswith(".parquet"):
            assert_alike_parquet(pq.ParquetFile(first), pq.ParquetFile(second))
        elif name == "certificate.schema.json":
            assert first.read_bytes() == second.read_bytes()
        elif name == REPORT:
            assert_report_follows(one)
            assert_report_follows(other)
        else:
            assert masked(first.read_text()) == masked(second.read_text())


def assert_report_follows(bundle: Path) -> None:
    """The report holds nothing but what anybody makes of the other files."""
    assert (bundle / REPORT).read_text(encoding="utf-8") == report(read_bundle(bundle))


def files(bundle: Path) -> list[str]:
    found = (path for path in bundle.rglob("*") if path.is_file())
    return sorted(str(path.relative_to(bundle)) for path in found)


def masked(text: str) -> str:
    """A text without times and hashes."""
    for pattern in (TIME, DAY, HASH):
        text = pattern.sub("…", text)
    return text


def certificate(path: Path) -> dict[str, Any]:
    """A certificate without what may differ; the list of files stays, their contents do not."""
    held: dict[str, Any] = json.loads(path.read_bytes())
    for owner, name in ((held, "created"), (held["ledger"], "head"), (held["data"], "fingerprint")):
        assert owner.pop(name)
    held["files"] = sorted(held["files"])
    return held


def read_csv(path: Path) -> pa.Table:
    """Every column as text; an empty margin is an empty text."""
    header = path.read_text().partition("\n")[0].split(",")
    types = dict.fromkeys(header, pa.string())
    options = pv.ConvertOptions(column_types=types, strings_can_be_null=False)
    return pv.read_csv(path, convert_options=options)


def assert_alike_rows(one: pa.Table, other: pa.Table) -> None:
    assert one.column_names == other.column_names
    assert one.num_rows == other.num_rows
    for name in set(one.column_names) - set(NOISY):
        assert one[name].equals(other[name])
    for name in MARGINS & set(one.column_names):
        nothing = [[text == "" for text in t[name].to_pylist()] for t in (one, other)]
        assert nothing[0] == nothing[1]


def assert_alike_parquet(one: pq.ParquetFile, other: pq.ParquetFile) -> None:
    assert one.schema_arrow.equals(other.schema_arrow, check_metadata=True)
    assert one.schema.equals(other.schema)
    first, second = one.metadata, other.metadata
    for fact in ("created_by", "num_rows", "num_row_groups", "format_version", "metadata"):
        assert getattr(first, fact) == getattr(second, fact)
    for number in range(first.num_row_groups):
        groups = first.row_group(number), second.row_group(number)
        assert groups[0].num_rows == groups[1].num_rows
        for column in range(first.num_columns):
            assert_alike_column(*(group.column(column) for group in groups))
    for name in set(one.schema_arrow.names) - set(NOISY):
        assert one.read([name]).equals(other.read([name]))


def assert_alike_column(one: Any, other: Any) -> None:  # noqa: ANN401 (PyArrow ships no types)
    facts = {"compression", "encodings", "num_values", "physical_type", "has_dictionary_page"}
    if one.path_in_schema not in NOISY:
        facts |= {"total_compressed_size", "total_uncompressed_size", "statistics"}
    for fact in facts:
        assert getattr(one, fact) == getattr(other, fact)


def differences(one: Path, other: Path) -> Iterator[tuple[str, dict[str, str], dict[str, str]]]:
    """Every row in which two bundles differ, with its table."""
    for path in sorted(one.glob("tables/*.csv")):
        rows = (read_csv(root / "tables" / path.name).to_pylist() for root in (one, other))
        for before, after in zip(*rows, strict=True):
            if before != after:
                yield path.stem, before, after
