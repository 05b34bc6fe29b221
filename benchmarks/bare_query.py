"""The bare DuckDB query that writes the rows of a table: counts and largest establishments.

`python -m benchmarks.bare_query FOLDER OUT MEMORY WORKPLACE,… WORKER,…` reads three Parquet tables
and writes every workplace combination that exists times every worker combination, in order, as
Parquet and CSV, as a release does; nothing is protected. It imports nothing of Leeward.
"""

import sys
from collections.abc import Sequence

import duckdb


def frame(workplace: Sequence[str]) -> str:
    """The workplace combinations that exist, with all their jobs and the largest establishment."""
    return f"""WITH sizes AS (
    SELECT workplace_id, count(*) AS size FROM jobs GROUP BY workplace_id
), frame AS (
    SELECT {", ".join(workplace)},
        coalesce(sum(size), 0) AS jobs, coalesce(max(size), 0) AS largest
    FROM workplaces LEFT JOIN sizes USING (workplace_id) GROUP BY ALL
)"""


def query(workplace: Sequence[str], worker: Sequence[str]) -> str:
    """All rows of a table in order."""
    if not worker:
        return f"{frame(workplace)} SELECT * FROM frame ORDER BY ALL"
    every = ", ".join((*workplace, *worker))
    kinds = ", ".join(f"(SELECT DISTINCT {one} FROM workers)" for one in worker)
    return f"""{frame(workplace)}, counts AS (
    SELECT {every}, count(*) AS jobs
    FROM jobs JOIN workers USING (worker_id) JOIN workplaces USING (workplace_id) GROUP BY ALL
), kinds AS (SELECT * FROM {kinds})
SELECT {", ".join(f"frame.{one}" for one in workplace)}, {", ".join(worker)},
    coalesce(counts.jobs, 0) AS jobs, frame.largest
FROM frame CROSS JOIN kinds LEFT JOIN counts USING ({every}) ORDER BY ALL"""


def main(folder: str, out: str, memory: str, workplace: str, worker: str) -> None:
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute(f"SET temp_directory = '{out}/spill'")
        if memory:
            connection.execute("SET preserve_insertion_order = false")  # as DuckDB advises then
            connection.execute(f"SET memory_limit = '{memory}'")
        for name in ("workplaces", "workers", "jobs"):
            files = f"read_parquet('{folder}/{name}.parquet')"
            connection.execute(f"CREATE VIEW {name} AS SELECT * FROM {files}")
        asked = query(workplace.split(","), worker.split(",") if worker else [])
        connection.execute(f"CREATE TEMP TABLE rows AS {asked}")
        connection.execute(f"COPY rows TO '{out}/rows.parquet'")
        connection.execute(f"COPY rows TO '{out}/rows.csv'")


if __name__ == "__main__":
    main(*sys.argv[1:])
