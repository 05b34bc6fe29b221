"""Bare DuckDB: the true counts, no protection at all."""

import duckdb

from benchmarks.peers.tabulations import arguments, counts_sql


def main() -> None:
    folder, kind, out = arguments()
    duckdb.sql(counts_sql(folder, kind)).write_parquet(str(out))


if __name__ == "__main__":
    main()
