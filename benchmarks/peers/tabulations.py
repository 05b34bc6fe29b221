"""What every peer is asked: two tabulations, which rows they have, and one ε.

A peer is a script of its own: `python peer_NAME.py FOLDER KIND OUT`, with the root of the project
as PYTHONPATH. It reads the three Parquet tables in FOLDER and writes one row a cell to OUT, a
Parquet file (or a folder of them) with the columns of the tabulation and `jobs`.

Rows: every combination of workplace codes that has an establishment (the list of establishments
is public), times every combination of worker codes. A peer that takes a public list of cells gets
this one. Protection: one worker is one job, a row that is there or not, at pure ε.
"""

import sys
from pathlib import Path

EPSILON = 2
WORKPLACE = ("place", "sector", "ownership")
CODES = {"sex": ("F", "M"), "education": ("E1", "E2", "E3", "E4")}
KINDS = {"workplace": WORKPLACE, "worker": (*WORKPLACE, *CODES)}


def arguments() -> tuple[Path, str, Path]:
    """The folder of the tables, which tabulation, and where its rows go."""
    folder, kind, out = sys.argv[1:]
    return Path(folder), kind, Path(out)


def source(folder: Path, table: str) -> str:
    """One of the three tables, for a query of DuckDB."""
    return f"read_parquet('{folder / table}.parquet')"


def joined_sql(folder: Path, kind: str) -> str:
    """A row for each job with the tabulation's attributes; workers are read only if needed."""
    text = f"FROM {source(folder, 'jobs')} JOIN {source(folder, 'workplaces')} USING (workplace_id)"
    if kind == "worker":
        text += f" JOIN {source(folder, 'workers')} USING (worker_id)"
    return text


def cells_sql(folder: Path, kind: str) -> str:
    """The public list of cells."""
    text = f"SELECT * FROM (SELECT DISTINCT {', '.join(WORKPLACE)} FROM "
    text += f"{source(folder, 'workplaces')})"
    if kind == "worker":
        for name, codes in CODES.items():
            listed = ", ".join(f"('{code}')" for code in codes)
            text += f" CROSS JOIN (VALUES {listed}) AS {name}_codes({name})"
    return text


def counts_sql(folder: Path, kind: str) -> str:
    """The true count of every cell, in the order of the codes."""
    names = ", ".join(KINDS[kind])
    if kind == "workplace":  # an establishment is looked up once, not once a job
        return f"""
WITH sizes AS (
    SELECT workplace_id, count(*) AS size FROM {source(folder, "jobs")} GROUP BY workplace_id
)
SELECT {names}, coalesce(sum(size), 0)::BIGINT AS jobs
FROM {source(folder, "workplaces")} LEFT JOIN sizes USING (workplace_id)
GROUP BY ALL ORDER BY ALL"""
    return f"""
WITH seen AS (SELECT {names}, count(*) AS jobs {joined_sql(folder, kind)} GROUP BY ALL)
SELECT {names}, coalesce(seen.jobs, 0) AS jobs
FROM ({cells_sql(folder, kind)}) AS cells LEFT JOIN seen USING ({names}) ORDER BY ALL"""


def largest_sql(folder: Path, kind: str) -> str:
    """The true count of every cell, and the largest establishment of its workplace cell."""
    workplace = ", ".join(WORKPLACE)
    return f"""
WITH counts AS ({counts_sql(folder, kind)}),
establishments AS (
    SELECT workplace_id, count(*) AS size FROM {source(folder, "jobs")} GROUP BY workplace_id
),
largest AS (
    SELECT {workplace}, max(size) AS largest
    FROM {source(folder, "workplaces")} JOIN establishments USING (workplace_id) GROUP BY ALL
)
SELECT counts.*, coalesce(largest, 0) AS largest
FROM counts LEFT JOIN largest USING ({workplace}) ORDER BY ALL"""
