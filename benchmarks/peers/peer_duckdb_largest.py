"""Bare DuckDB: the true counts with the largest establishment of each cell, no protection."""

import duckdb

from benchmarks.peers.tabulations import arguments, largest_sql


def main() -> None:
    folder, kind, out = arguments()
    duckdb.sql(largest_sql(folder, kind)).write_parquet(str(out))


if __name__ == "__main__":
    main()
