"""A release against the bare DuckDB query, in one run: `make bench`.

Both read the same three Parquet tables of a made-up economy and write the same rows as CSV and
Parquet. Each is a process of its own, timed from start to end with its peak memory. Validation
is timed apart: `leeward check` leaves a receipt, which the release accepts. One more release tells
the parts of its time.
"""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.process import Run, best, environment, leeward, timed, verdict
from benchmarks.stopwatch import in_words, read_parts
from leeward.publishing.plan.plan import read_plan

JOBS, ESTABLISHMENTS = 10_900_000, 527_000
ROUNDS = 5

PLAN = """\
data: {{workplaces: workplaces.parquet, workers: workers.parquet, jobs: jobs.parquet}}
codebook: codebook.yaml
account: bench
period: {period}
protect: {{policy: strong, alpha: 0.05, epsilon: {epsilon}}}
tables:
{tables}
"""
WORKPLACE, WORKER = "place,sector,ownership", "age,sex,race"
LISTS = {"workplace": (WORKPLACE, ""), "worker": (WORKPLACE, WORKER)}
TABLES = {
    "workplace": "  - {name: workplace, by: [place, sector, ownership]}",
    "worker": "  - {name: worker, by: [place, sector, ownership, age, sex, race]}",
}


def bare(kind: str, folder: Path, number: int) -> Run:
    out = folder / f"bare-{kind}-{number}"
    out.mkdir()
    words = ("-m", "benchmarks.bare_query", str(folder), str(out), "", *LISTS[kind])
    return timed([sys.executable, *words], Path.cwd())


def released(kinds: Sequence[str], folder: Path, number: int) -> tuple[Run, Run]:
    """Validation and release of one plan; the plan differs by its period."""
    name = f"{'-'.join(kinds)}-{number}"
    plan = folder / f"plan-{name}.yaml"
    tables = "\n".join(TABLES[kind] for kind in kinds)
    # Every table has ε = 4 whatever else is in the plan, and so the same mechanism.
    plan.write_text(PLAN.format(period=name, tables=tables, epsilon=4 * len(kinds)))
    check = timed(leeward("check", plan.name), folder)
    words = ("release", plan.name, "--out", f"bundle-{name}", "--ledger", "ledger.sqlite")
    return check, timed(leeward(*words), folder)


def parts(kind: str, folder: Path) -> str:
    """Seconds of each part of a release of the first plan, released again in another period."""
    plan = folder / f"plan-{kind}-parts.yaml"
    plan.write_text(PLAN.format(period=f"{kind}-parts", tables=TABLES[kind], epsilon=4))
    timed(leeward("check", plan.name), folder)
    words = (str(plan), str(folder / f"bundle-{kind}-parts"), str(folder / "ledger.sqlite"))
    command = [sys.executable, "-m", "benchmarks.parts_of_release", *words]
    told = subprocess.run(
        command, capture_output=True, text=True, check=True, env=environment()
    ).stdout
    return in_words(read_parts(told))


def report(kind: str, folder: Path) -> bool:
    """Rounds of query, validation and release in turn; whether every bound holds."""
    queries, checks, releases = [], [], []
    for number in range(ROUNDS):
        queries.append(bare(kind, folder, number))
        check, release = released([kind], folder, number)
        checks.append(check)
        releases.append(release)
    query, check, release = best(queries), best(checks), best(releases)
    mechanism = read_plan(folder / f"plan-{kind}-0.yaml").tables[0].measurement.name
    rows = (folder / f"bare-{kind}-0" / "rows.csv").read_bytes().count(b"\n") - 1
    time_ratio = (release.seconds - 1) / query.seconds
    memory_ratio = release.megabytes / query.megabytes
    print(f"\n{kind} table, {rows:,} rows, mechanism {mechanism}")
    print(f"  bare query  {query.seconds:6.2f} s {query.megabytes:8,.0f} MB")
    print(f"  release     {release.seconds:6.2f} s {release.megabytes:8,.0f} MB")
    print(f"  validation  {check.seconds:6.2f} s {check.megabytes:8,.0f} MB")
    print(f"  parts       {parts(kind, folder)}")
    print(f"  (release − 1 s) / query {time_ratio:.2f}, at most 1.5: {verdict(time_ratio <= 1.5)}")
    print(
        f"  memory / query          {memory_ratio:.2f}, at most 2:   {verdict(memory_ratio <= 2)}"
    )
    slow = check.seconds / query.seconds
    if kind == "worker":
        print(f"  validation / query      {slow:.2f}, at most 3:   {verdict(slow <= 3)}")
    else:  # this query reads two columns of jobs and no worker; validation reads everything
        print(f"  validation / query      {slow:.2f}, no bound: see the worker table")
    return time_ratio <= 1.5 and memory_ratio <= 2 and (kind != "worker" or slow <= 3)


def shared(folder: Path) -> None:
    """Two worker tables in one plan against one plan each."""
    TABLES["coarse"] = "  - {name: coarse, by: [place, sector, sex, education]}"
    alone = [released([kind], folder, 9)[1].seconds for kind in ("worker", "coarse")]
    together = released(["worker", "coarse"], folder, 9)[1].seconds
    print(f"\ntwo worker tables: {sum(alone):.2f} s apart, {together:.2f} s in one plan")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sizes = ("--jobs", str(JOBS), "--establishments", str(ESTABLISHMENTS))
        made = timed(leeward("economy", "--out", str(folder), *sizes), folder)
        print(f"made-up economy: {JOBS:,} jobs in {ESTABLISHMENTS:,} establishments")
        quick = made.seconds <= 60 and made.megabytes <= 2000
        print(f"  made in     {made.seconds:6.2f} s {made.megabytes:8,.0f} MB, at most 60 s and "
              f"2,000 MB: {verdict(quick)}", flush=True)  # fmt: skip
        words = ("--account", "bench", "--policy", "strong", "--alpha", "0.05", "--epsilon", "100")
        timed(leeward("ledger", "create", "--ledger", "ledger.sqlite", *words), folder)
        held = [quick, *(report(kind, folder) for kind in ("workplace", "worker"))]
        shared(folder)
        print("\nall bounds hold" if all(held) else "\nsome bounds FAIL")
    sys.exit(not all(held))


if __name__ == "__main__":
    main()
