"""Synthetic linked data: `python -m benchmarks.linked [JOBS [PLAN …]]`.

A made-up economy is released at α = .1 by place × sector × ownership: tables of single attributes,
of crossed ones, or single ones with a tenth of ε for pairs of the nation as guides. Printed are
seconds and memory of each command, and how far the pairs of worker attributes are from the true
ones: half the sum of |share − true share|, the mean over the 15 pairs, in the nation, in sectors
and in places (these by their true jobs).
"""

import json
import os
import subprocess
import sys
import tempfile
from itertools import combinations
from pathlib import Path
from time import perf_counter

import duckdb
import numpy as np

import leeward
from leeward.lab.economy import Economy, write_economy

ATTRIBUTES = ("age", "earnings", "race", "ethnicity", "schooling", "sex")
BY = ["place", "sector", "ownership"]
SINGLE: list[object] = [["age", "schooling"], "earnings", "race", "ethnicity", "sex"]
PAIRS = [
    *(["age", "earnings"], ["earnings", "schooling"], ["race", "ethnicity"], ["sex", "earnings"]),
    *(["race", "earnings"], ["race", "schooling"]),
]
EARNINGS = """CASE WHEN earnings <= 125000 THEN 'CE01' WHEN earnings <= 333300 THEN 'CE02'
ELSE 'CE03' END"""
CROSSED: list[object] = [["age", "schooling"], ["earnings", "sex"], ["race", "ethnicity"]]
PLANS: dict[str, tuple[list[object], str | None]] = {
    "single": (SINGLE, None),
    "crossed": (CROSSED, None),
    "guided": (SINGLE, "1/10"),
}
"""Breakdowns of the finest cells, and the share of pairs of the nation."""

Shares = dict[tuple[str, ...], float]
"""Jobs by level and two codes."""


def planned(folder: Path, name: str, epsilon: str) -> dict[str, object]:
    """Breakdowns of the finest cells, and perhaps pairs of the nation."""
    breakdowns, share = PLANS[name]
    joint = {"mechanism": "joint_clipped"}
    base = {"name": "wac", "by": BY, "breakdowns": breakdowns, "share": "1", **joint}
    tables = [base]
    if share is not None:
        base["share"] = f"{int(share[2:]) - 1}/{share[2:]}"
        tables.append({"name": "pairs", "by": [], "breakdowns": PAIRS, "share": share, **joint})
    data = {one: f"{folder}/{one}.parquet" for one in ("workplaces", "workers", "jobs")}
    protect = {"policy": "strong", "alpha": "0.1", "epsilon": epsilon}
    return {"data": data, "codebook": str(folder / "codebook.yaml"), "account": "bench",
            "period": "2026", "protect": protect, "tables": tables}  # fmt: skip


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


def command(*words: object) -> str:
    """Seconds and memory of a command in a process of its own."""
    start = perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "leeward", *map(str, words)])
    _, status, used = os.wait4(process.pid, 0)
    broken = "" if status == 0 else ", BROKEN OFF"
    return f"{words[0]} {perf_counter() - start:.0f} s, {used.ru_maxrss >> 10} MB{broken}"


def report(folder: Path, work: Path, name: str, epsilon: str) -> None:
    """One release, its rows, and what they are like."""
    out = work / f"{name}-{epsilon}"
    plan, measured = out.with_suffix(".yaml"), out.with_name(f"{out.name}-measured")
    plan.write_text(json.dumps(planned(folder, name, epsilon)))
    print(f"{name}, epsilon {epsilon}")
    ledger = ("--ledger", work / "ledger.sqlite")
    print(" ", command("check", plan), flush=True)
    print(" ", command("release", plan, "--out", measured, *ledger, "--again"), flush=True)
    print(" ", command("synth", "linked", plan, "--out", out, "--measured", measured), flush=True)
    print(" ", command("verify", out, *ledger), flush=True)
    made = json.loads((out / "synthetic.json").read_text())
    for one in made["guides"]:
        print(f"  {one['table']}: {'not followed' if one['kept'] is None else one['kept']}")
    true, found = shares(folder, EARNINGS), shares(out, "earnings")
    for level in ("'all'", "sector", "place"):
        off = [apart(true[key], found[key]) for key in true if key[2] == level]
        print(f"  mean TVD by {level:7} {np.mean(off):.3f}")


def main() -> None:
    jobs, names = int([*sys.argv[1:2], "200000"][0]), sys.argv[2:] or [*PLANS]
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        economy = Economy(jobs=jobs, establishments=jobs // 20, seed=7)
        write_economy(economy, work / "economy")
        ledger = leeward.Ledger(work / "ledger.sqlite")
        ledger.create("bench", policy="strong", alpha="0.1", epsilon=100)
        for name in names:
            for epsilon in ("4", "8"):
                report(work / "economy", work, name, epsilon)


if __name__ == "__main__":
    main()
