"""Synthetic linked data: `python -m benchmarks.linked [JOBS [ESTABLISHMENTS]]`.

A made-up economy is released at α = .1 and ε = 4 by place × sector × ownership, with and without
guides, and rows are made of it. Printed are seconds and memory, and how far the pairs of worker
attributes are from the true ones: half the sum of |share − true share|, the mean over the pairs,
in the nation, in sectors and in places (these by their true jobs).
"""

import resource
import sys
import tempfile
from itertools import combinations
from pathlib import Path
from time import perf_counter

import duckdb
import numpy as np

import leeward
from leeward.economy import Economy, write_economy
from leeward.synth import linked

ATTRIBUTES = ("age", "earnings", "race", "ethnicity", "schooling", "sex")
BY = ["place", "sector", "ownership"]
SINGLE = [["age", "schooling"], "earnings", "race", "ethnicity", "sex"]
PAIRS = [
    *(["age", "earnings"], ["earnings", "schooling"], ["race", "ethnicity"], ["sex", "earnings"]),
    *(["race", "earnings"], ["race", "schooling"]),
]
EARNINGS = """CASE WHEN earnings <= 125000 THEN 'CE01' WHEN earnings <= 333300 THEN 'CE02'
ELSE 'CE03' END"""
PLANS = {
    "no guides": None,
    "guides, nation": ([], "1/10"),
    "guides, sectors": (["sector"], "1/5"),
}


Shares = dict[tuple[str, ...], float]
"""Jobs by level and two codes."""


def planned(folder: Path, guides: tuple[list[str], str] | None, epsilon: str) -> leeward.Plan:
    """Five breakdowns of the finest cells, and perhaps pairs of coarser ones."""
    base: dict[str, object] = {"name": "wac", "by": BY, "breakdowns": SINGLE,
                               "mechanism": "joint_clipped", "share": "1"}  # fmt: skip
    tables = [base]
    if guides is not None:
        by, share = guides
        base["share"] = f"{int(share[2:]) - 1}/{share[2:]}"
        tables.append({"name": "pairs", "by": by, "breakdowns": PAIRS, "share": share,
                       "mechanism": "joint_clipped"})  # fmt: skip
    data = {one: f"{folder}/{one}.parquet" for one in ("workplaces", "workers", "jobs")}
    protect = {"policy": "strong", "alpha": "0.1", "epsilon": epsilon}
    return leeward.read_plan(
        {"data": data, "codebook": str(folder / "codebook.yaml"), "account": "bench",
         "period": "2026", "protect": protect, "tables": tables}
    )  # fmt: skip


def shares(folder: Path, earnings: str) -> dict[tuple[str, str, str], Shares]:
    """Jobs by each pair of attributes, in the nation, sectors and places."""
    base, found = duckdb.connect(), dict[tuple[str, str, str], Shares]()
    base.execute("SET memory_limit = '2GB'")
    base.execute(f"""CREATE VIEW held AS SELECT * EXCLUDE (earnings), {earnings} AS earnings
        FROM '{folder}/jobs.parquet' JOIN '{folder}/workers.parquet' USING (worker_id)
        JOIN '{folder}/workplaces.parquet' USING (workplace_id)""")
    listed = ", ".join((*ATTRIBUTES, "place", "sector"))
    base.execute(f"CREATE TABLE few AS SELECT {listed}, count(*) n FROM held GROUP BY ALL")
    for first, second in combinations(ATTRIBUTES, 2):
        for level in ("'all'", "sector", "place"):
            rows = base.execute(
                f"SELECT {level}, {first}, {second}, sum(n) FROM few GROUP BY ALL"
            ).fetchall()
            found[first, second, level] = {row[:3]: float(row[3]) for row in rows}
    return found


def apart(true: Shares, made: Shares) -> float:
    """Half the sum of |share − true share|, the mean over places or sectors by their jobs."""
    sums: list[dict[str, float]] = []
    for one in (true, made):
        total: dict[str, float] = {}
        for key, n in one.items():
            total[key[0]] = total.get(key[0], 0) + n
        sums.append(total)
    off: dict[str, float] = {}
    for key in {*true, *made}:
        level = key[0]
        parts = [one.get(key, 0) / max(total.get(level, 0), 1)
                 for one, total in zip((true, made), sums, strict=True)]  # fmt: skip
        off[level] = off.get(level, 0) + abs(parts[0] - parts[1]) / 2
    weights = sums[0]
    return sum(off[level] * n for level, n in weights.items()) / sum(weights.values())


def report(folder: Path, work: Path, name: str, epsilon: str) -> None:
    """One release, its rows, and what they are like."""
    plan, ledger = planned(folder, PLANS[name], epsilon), leeward.Ledger(work / "ledger.sqlite")
    out = work / f"{name.replace(', ', '-').replace(' ', '-')}-{epsilon}"
    start = perf_counter()
    measured = leeward.release(plan, out=work / f"{out.name}-measured", ledger=ledger, again=True)
    released = perf_counter() - start
    start = perf_counter()
    made = linked(plan, out, measured=measured.path)
    rows = perf_counter() - start
    start = perf_counter()
    sound = leeward.verify(out).sound
    counted = perf_counter() - start
    print(f"{name}, epsilon {epsilon}: {made.statement.jobs:,} jobs; release {released:.0f} s, "
          f"rows {rows:.0f} s, verify {counted:.0f} s ({'sound' if sound else 'NOT sound'}); "
          f"at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MB")  # fmt: skip
    for one in made.statement.guides:
        print(f"  {one.table}: {'not followed' if one.kept is None else f'{one.kept:.0%} kept'}")
    true, found = shares(folder, EARNINGS), shares(out, "earnings")
    for level in ("'all'", "sector", "place"):
        off = [apart(true[key], found[key]) for key in true if key[2] == level]
        print(f"  mean TVD by {level:7} {np.mean(off):.3f}")


def main() -> None:
    jobs, establishments = [*map(int, sys.argv[1:3]), 200_000, 10_000][:2]
    if len(sys.argv) == 2:
        establishments = jobs // 20
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        write_economy(Economy(jobs=jobs, establishments=establishments, seed=7), work / "economy")
        ledger = leeward.Ledger(work / "ledger.sqlite")
        ledger.create("bench", policy="strong", alpha="0.1", epsilon=100)
        small = jobs <= 1_000_000
        for name in PLANS:
            for epsilon in ("4", "8") if small else ("4",):
                report(work / "economy", work, name, epsilon)


if __name__ == "__main__":
    main()
