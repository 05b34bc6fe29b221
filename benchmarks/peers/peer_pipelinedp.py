"""PipelineDP on its local backend: Laplace noise on a public list of cells; DuckDB joins."""

from collections.abc import Iterator

import duckdb
import pipeline_dp  # type: ignore[import-not-found, unused-ignore]  # its own environment
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.peers.pipelinedp import count
from benchmarks.peers.tabulations import KINDS, arguments, cells_sql, joined_sql


def keys(query: str) -> Iterator[tuple[str, ...]]:
    """The rows of a query as tuples, a batch at a time."""
    for batch in duckdb.connect().execute(query).to_arrow_reader():
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def main() -> None:
    folder, kind, out = arguments()
    names = KINDS[kind]
    joined = f"SELECT {', '.join(names)} {joined_sql(folder, kind)}"
    cells = list(keys(cells_sql(folder, kind)))
    rows = list(count(pipeline_dp.LocalBackend(), keys(joined), cells))
    columns = [
        *zip(*(cell for cell, _ in rows), strict=True),
        [metrics.count for _, metrics in rows],
    ]
    pq.write_table(pa.table([pa.array(column) for column in columns], [*names, "jobs"]), out)


if __name__ == "__main__":
    main()
