"""Files that are small on the disk and endless in memory are refused before they are read."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leeward.core.codebook import Marginal
from leeward.core.errors import Damaged
from leeward.interface.report.document import report
from leeward.publishing.bundle import BundleWriter, read_bundle, verify_bundle
from leeward.publishing.bundle.certificate import Certificate
from leeward.publishing.bundle.rows import ROW_GROUP
from tests.publishing.bundle.made_up import cells, certificate, certified, dimension

SQUARE = Marginal("t", (dimension("a", ["1", "2"]), dimension("b", ["1", "2"])), ())
WORDS = "must have the rows that the certificate says, in small groups"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    with BundleWriter(tmp_path / "bundle") as writer:
        with writer.table(SQUARE, margins=("margin",)) as rows:
            rows.write(cells(SQUARE, (0, 1, 2, 3), margins=True))
        writer.seal(certificate("bundle", [certified(rows)]))
    return tmp_path / "bundle"


def put(bundle: Path, rows: pa.Table, *, stated: int, group: int = ROW_GROUP) -> None:
    """Another file in place of the table, under a certificate and checksums that know it."""
    path = bundle / "tables" / "t.parquet"
    limits = {"dictionary_pagesize_limit": 1 << 30, "write_statistics": False}
    pq.write_table(rows, path, compression="zstd", row_group_size=group, **limits)
    held = json.loads((bundle / "certificate.json").read_text())
    held["tables"][0]["rows"] = stated
    held["files"]["tables/t.parquet"] = {"bytes": path.stat().st_size, "sha256": digest(path)}
    made = Certificate.model_validate_json(json.dumps(held))
    (bundle / "certificate.json").write_bytes(made.to_json())
    lines = (bundle / "checksums.txt").read_text().splitlines()
    names = [line.split("  ")[1] for line in lines]
    listed = "".join(f"{digest(bundle / name)}  {name}\n" for name in names)
    (bundle / "checksums.txt").write_text(listed)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def table(rows: int, codes: list[str]) -> pa.Table:
    places = pa.array(np.arange(rows) % 2, pa.int32())
    code = pa.DictionaryArray.from_arrays(places, pa.array(codes, pa.string()))
    one = pa.array(np.ones(rows), pa.int64())
    columns = {"a": code, "b": code, "value": one, "status": one.cast(pa.int8()), "margin": one}
    return pa.table(columns)


def refused(bundle: Path) -> None:
    opened = read_bundle(bundle)
    with pytest.raises(Damaged, match=WORDS):
        next(opened.batches("t"))
    with pytest.raises(Damaged, match=WORDS):
        opened.rows("t", [0])
    with pytest.raises(Damaged, match=WORDS):
        report(opened)


def test_a_table_as_it_was_written_is_read(bundle: Path) -> None:
    assert sum(len(batch) for batch in read_bundle(bundle).batches("t")) == 4
    assert verify_bundle(bundle) == ()


def test_more_rows_than_certified_are_not_read(bundle: Path) -> None:
    put(bundle, table(1_000_000, ["1", "2"]), stated=4)
    assert (bundle / "tables" / "t.parquet").stat().st_size < 100_000
    refused(bundle)


def test_more_rows_than_there_are_cells_are_not_read(bundle: Path) -> None:
    put(bundle, table(1_000_000, ["1", "2"]), stated=1_000_000)
    refused(bundle)
    assert "the table t has parts that are too large to be read" in verify_bundle(bundle)


def test_codes_longer_than_the_certified_ones_are_not_read(bundle: Path) -> None:
    put(bundle, table(4, ["1", "2" * (1 << 24)]), stated=4)
    assert (bundle / "tables" / "t.parquet").stat().st_size < 100_000
    refused(bundle)
    assert "the table t has parts that are too large to be read" in verify_bundle(bundle)


def test_a_file_that_was_made_endless_is_not_read_to_its_end(bundle: Path) -> None:
    for name in ("t.csv", "t.parquet"):
        with (bundle / "tables" / name).open("r+b") as file:
            file.truncate(1 << 42)  # nothing of it lies on the disk
    findings = verify_bundle(bundle)
    assert "tables/t.csv is not the file that was published" in findings
    with pytest.raises(Damaged, match="must be the file that was published"):
        next(read_bundle(bundle).batches("t"))
