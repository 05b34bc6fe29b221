"""SmartNoise SQL: its private reader, on counts that DuckDB tabulated (`pre_aggregated`).

Its own readers need a server or a copy in SQLite, and would see the observed cells alone.
"""

import duckdb
import pandas as pd  # type: ignore[import-untyped, unused-ignore]  # its own environment
from snsql import Privacy, from_df  # type: ignore[import-not-found, unused-ignore]  # its own environment

from benchmarks.peers.tabulations import EPSILON, KINDS, arguments, counts_sql


def main() -> None:
    folder, kind, out = arguments()
    names = KINDS[kind]
    exact = duckdb.sql(counts_sql(folder, kind)).df().rename(columns={"jobs": "count_star"})
    table = {name: {"type": "string"} for name in names}
    options = {"row_privacy": True, "censor_dims": False, "clamp_counts": False, "rows": 1}
    metadata = {"": {"public": {"jobs": {**options, **table}}}}
    empty = pd.DataFrame({name: pd.Series(dtype=str) for name in names})
    reader = from_df(empty, privacy=Privacy(epsilon=float(EPSILON), delta=0.0), metadata=metadata)
    listed = ", ".join(names)
    query = f"SELECT {listed}, COUNT(*) AS jobs FROM public.jobs GROUP BY {listed}"
    rows = reader.execute(query, pre_aggregated=exact)
    pd.DataFrame(rows[1:], columns=[*names, "jobs"]).to_parquet(out)


if __name__ == "__main__":
    main()
