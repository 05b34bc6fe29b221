"""diffprivlib: its histogram, with a bin for each cell; DuckDB joins and numbers the cells."""

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from diffprivlib.tools import histogram  # type: ignore[import-not-found, unused-ignore]  # its own environment

from benchmarks.peers.tabulations import EPSILON, KINDS, arguments, cells_sql, joined_sql


def main() -> None:
    folder, kind, out = arguments()
    names = ", ".join(KINDS[kind])
    database = duckdb.connect()
    database.execute(
        f"CREATE TABLE cells AS SELECT *, row_number() OVER (ORDER BY {names}) - 1 AS cell "
        f"FROM ({cells_sql(folder, kind)})"
    )
    joined = f"SELECT {names} {joined_sql(folder, kind)}"
    query = f"SELECT cell FROM ({joined}) JOIN cells USING ({names})"
    sample = database.execute(query).fetchnumpy()["cell"]
    table = database.execute(f"SELECT {names} FROM cells ORDER BY cell").to_arrow_table()
    bins = table.num_rows
    jobs, _ = histogram(sample, epsilon=EPSILON, bins=bins, range=(-0.5, bins - 0.5))
    pq.write_table(table.append_column("jobs", pa.array(jobs)), out)


if __name__ == "__main__":
    main()
