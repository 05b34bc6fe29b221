"""Truth: exact counts of a made-up economy, to put beside a release of it."""

from collections.abc import Mapping
from pathlib import Path

import duckdb


def true_counts(economy: Path, by: tuple[str, ...]) -> Mapping[tuple[str, ...], int]:
    """Jobs by attributes of workplaces. For made-up tables alone: nothing here is protected."""
    columns = ", ".join(by)
    jobs, workplaces = economy / "jobs.parquet", economy / "workplaces.parquet"
    with duckdb.connect() as connection:
        rows = connection.execute(
            f"SELECT {columns}, count(*) FROM read_parquet(?) JOIN read_parquet(?) "  # noqa: S608 (our own column names)
            f"USING (workplace_id) GROUP BY {columns}",
            [str(jobs), str(workplaces)],
        ).fetchall()
    return {tuple(row[:-1]): row[-1] for row in rows}
