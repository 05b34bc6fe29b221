"""PyDP: only its Laplace mechanism, on true counts that DuckDB tabulated."""

# ruff: noqa: E402 (imports are timed)
from benchmarks.stopwatch import ROWS, SHARED, Stopwatch

watch = Stopwatch()

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from pydp.algorithms import numerical_mechanisms  # type: ignore[import-not-found, unused-ignore]  # its own environment

from benchmarks.peers.tabulations import EPSILON, arguments, counts_sql

watch.end("imports")


def main() -> None:
    folder, kind, out = arguments()
    table = duckdb.sql(counts_sql(folder, kind)).to_arrow_table()
    mechanism = numerical_mechanisms.LaplaceMechanism(epsilon=float(EPSILON), sensitivity=1.0)
    jobs = [mechanism.add_noise(count) for count in table["jobs"].to_pylist()]
    watch.end(SHARED)
    pq.write_table(table.set_column(table.num_columns - 1, "jobs", pa.array(jobs)), out)
    watch.end(ROWS)
    watch.tell()


if __name__ == "__main__":
    main()
