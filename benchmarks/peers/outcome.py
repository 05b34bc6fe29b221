"""What a contender released, against the true counts: rows, bias, spread, signs."""

from dataclasses import dataclass
from pathlib import Path

import duckdb

from benchmarks.peers.process import Failed
from benchmarks.peers.tabulations import KINDS, counts_sql


@dataclass(frozen=True)
class Outcome:
    """Facts about released rows; errors are released minus true, in jobs.

    `zeros` are the cells of the full list without a job; `missing_zeros` those not released.
    """

    cells: int
    zeros: int
    rows: int
    missing: int
    missing_zeros: int
    unknown: int
    mean: float
    standard_error: float
    mean_absolute: float
    spread: float
    zeros_mean: float | None
    zeros_spread: float | None
    least: float
    negative: int
    whole: bool


def outcome(folder: Path, kind: str, released: Path, column: str) -> Outcome:
    """Compare a released Parquet file, or a folder of them, with the truth."""
    names = ", ".join(KINDS[kind])
    files = f"{released}/*.parquet" if released.is_dir() else str(released)
    database = duckdb.connect()
    database.execute(f"CREATE TABLE truth AS {counts_sql(folder, kind)}")
    database.execute(
        f"CREATE TABLE given AS SELECT {names}, {column} AS jobs FROM read_parquet('{files}')"
    )
    database.execute(
        "CREATE TABLE both_ AS SELECT t.jobs AS true_jobs, g.jobs AS jobs, g.jobs - t.jobs AS error"
        f" FROM truth AS t LEFT JOIN given AS g USING ({names})"
    )
    found = database.execute(
        """
SELECT count(*), count(*) FILTER (true_jobs = 0), (SELECT count(*) FROM given),
    count(*) FILTER (jobs IS NULL), count(*) FILTER (jobs IS NULL AND true_jobs = 0),
    (SELECT count(*) FROM given) - count(jobs),
    avg(error), stddev_samp(error) / sqrt(count(error)), avg(abs(error)), stddev_samp(error),
    avg(error) FILTER (true_jobs = 0), stddev_samp(error) FILTER (true_jobs = 0),
    min(jobs), count(*) FILTER (jobs < 0), bool_and(jobs = floor(jobs))
FROM both_"""
    ).fetchone()
    if found is None or found[9] is None:  # no spread of fewer than two rows
        raise Failed("released none of the cells")
    return Outcome(*found)
