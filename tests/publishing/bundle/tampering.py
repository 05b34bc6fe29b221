"""Somebody who changes a bundle and makes every checksum anew."""

import csv
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Row = dict[str, Any]
NUMBERS = {"value": pa.int64(), "status": pa.int8(), "margin": pa.int64()}


def reseal(bundle: Path, change: Callable[[Row], object] = lambda _: None) -> None:
    """Checksums of the files as they are now; `change` may alter the certificate first."""
    path = bundle / "certificate.json"
    content = json.loads(path.read_text())
    for name in content["files"]:
        data = (bundle / name).read_bytes()
        content["files"][name] = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    change(content)
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    relist(bundle)


def relist(bundle: Path) -> None:
    """checksums.txt of the files as they are now."""
    old = [line.split("  ")[1] for line in (bundle / "checksums.txt").read_text().splitlines()]
    lines = [f"{hashlib.sha256((bundle / n).read_bytes()).hexdigest()}  {n}\n" for n in old]
    (bundle / "checksums.txt").write_text("".join(lines))


def rewrite(bundle: Path, table: str, change: Callable[[list[Row]], list[Row]]) -> None:
    """Other rows in both formats, in the project's own notation, with checksums made anew."""
    path = bundle / "tables" / f"{table}.parquet"
    before = pq.ParquetFile(path).read()
    rows = change(before.to_pylist())
    pq.write_table(pa.Table.from_pylist(rows, schema=before.schema), path)
    with (bundle / "tables" / f"{table}.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, before.column_names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    reseal(bundle, lambda content: stated(content, table).update(rows=len(rows)))


def stated(content: Row, table: str) -> Row:
    """What a certificate says about a table."""
    found: Row = next(one for one in content["tables"] if one["name"] == table)
    return found
