"""From a million jobs to a nation, against the bare DuckDB query: `make bench-scale`.

Three made-up economies, three tables each, from 10^4 to 10^8 rows. The query and the release have
the same memory limit and are processes of their own, timed from start to end. The rows are
validated once for each economy, timed apart; the receipt serves every plan. At the end the
nation's three tables are released by one plan. Everything is written to a JSON file, from which
`docs/performance.py` makes the page.
"""

import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

import pyarrow.parquet as pq

from benchmarks.growth import Cost, fitted, spoken
from benchmarks.process import Run, best, leeward, timed, verdict

ECONOMIES = ((1_000_000, 61_500), (10_000_000, 615_000), (130_000_000, 8_000_000))
NATION = 130_000_000
FEW = 10_000_000
"""Up to so many jobs, the quickest of several rounds counts."""

ROUNDS = 3
MEMORY = "6GB"
MOST_MEGABYTES, MOST_RATIO, PLUS = 8_000, 1.5, 5

PLAN = """\
data:
  workplaces: workplaces.parquet
  workers: workers.parquet
  jobs: jobs.parquet
  memory: {memory}
codebook: codebook.yaml
account: bench
period: {period}
protect: {{policy: strong, alpha: 0.05, epsilon: {epsilon}}}
tables:
{tables}
"""


@dataclass(frozen=True)
class Table:
    """One tabulation: its workplace and its worker part."""

    name: str
    workplace: tuple[str, ...]
    worker: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """As a plan has it."""
        return f"  - {{name: {self.name}, by: [{', '.join(self.workplace + self.worker)}]}}"


TABLES = (
    Table("workplace", ("place", "sector", "ownership")),
    Table("worker", ("place", "sector", "ownership"), ("sex", "education")),
    Table("block", ("place", "block"), ("age", "sex", "race")),
)


@dataclass(frozen=True)
class Measured:
    """A table of an economy: the query and the release."""

    jobs: int
    establishments: int
    table: str
    rows: int
    query: Run
    release: Run

    @property
    def ratio(self) -> float:
        """What the release takes beyond its allowance of seconds, in queries."""
        return (self.release.seconds - PLUS) / self.query.seconds

    def cost(self, run: Run) -> Cost:
        """What a run of this table took, and of what."""
        workers = any(one.worker for one in TABLES if one.name == self.table)
        return Cost(self.jobs, self.rows, workers, run.seconds)

    @property
    def holds(self) -> bool:
        """Whether the bounds for a nation hold."""
        return self.ratio <= MOST_RATIO and self.release.megabytes <= MOST_MEGABYTES


def bare(table: Table, folder: Path) -> Run:
    """The query; what it wrote is gone afterwards."""
    out = folder / "bare"
    out.mkdir()
    lists = (",".join(table.workplace), ",".join(table.worker))
    words = ("-m", "benchmarks.bare_query", str(folder), str(out), MEMORY, *lists)
    run = timed([sys.executable, *words], Path.cwd())
    shutil.rmtree(out)
    return run


def plan_of(tables: Sequence[Table], name: str, folder: Path) -> Path:
    """A plan in which every table has ε = 8; the receipt of the economy is for all of them."""
    plan = folder / f"{name}.yaml"
    lines = "\n".join(table.line for table in tables)
    plan.write_text(PLAN.format(memory=MEMORY, period=name, epsilon=8 * len(tables), tables=lines))
    return plan


def released(tables: Sequence[Table], name: str, folder: Path) -> tuple[Run, dict[str, int]]:
    """The release and the rows of each table; the bundle is gone afterwards."""
    plan = plan_of(tables, name, folder)
    words = ("release", plan.name, "--out", "bundle", "--ledger", "ledger.sqlite")
    run = timed(leeward(*words), folder)
    files = (folder / "bundle" / "tables").glob("*.parquet")
    rows = {file.stem: int(pq.read_metadata(file).num_rows) for file in files}
    shutil.rmtree(folder / "bundle")
    return run, rows


def prepared(jobs: int, establishments: int, folder: Path) -> Mapping[str, Run]:
    """An economy, its ledger, and the validation of its rows."""
    sizes = ("--jobs", str(jobs), "--establishments", str(establishments))
    made = timed(leeward("economy", "--out", str(folder), "--geography", "blocks", *sizes), folder)
    words = ("--account", "bench", "--policy", "strong", "--alpha", "0.05", "--epsilon", "1000")
    timed(leeward("ledger", "create", "--ledger", "ledger.sqlite", *words), folder)
    plan = plan_of(TABLES, "check", folder)
    return {"economy": made, "check": timed(leeward("check", plan.name), folder)}


def measured(jobs: int, establishments: int, folder: Path) -> Iterator[Measured]:
    """Query and release of every table in turn."""
    for table in TABLES:
        queries, releases, rows = [], [], 0
        for number in range(ROUNDS if jobs <= FEW else 1):
            queries.append(bare(table, folder))
            release, found = released([table], f"{table.name}-{number}", folder)
            releases.append(release)
            rows = found[table.name]
        one = Measured(jobs, establishments, table.name, rows, best(queries), best(releases))
        print(_line(one), flush=True)
        yield one


def _line(one: Measured) -> str:
    return (
        f"{one.jobs:>12,} jobs  {one.table:<10}{one.rows:>12,} rows"
        f"   query {one.query.seconds:7.2f} s {one.query.megabytes:6,.0f} MB"
        f"   release {one.release.seconds:7.2f} s {one.release.megabytes:6,.0f} MB"
        f"   time {one.release.seconds / one.query.seconds:5.2f}"
        f"   memory {one.release.megabytes / one.query.megabytes:5.2f}"
    )


def machine() -> dict[str, str]:
    """What it was measured on."""
    info = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    models = [line.split(":")[1].strip() for line in info.splitlines() if "model name" in line]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 10**9
    return {
        "cores": f"{os.cpu_count()}",
        "processor": models[0] if models else platform.machine(),
        "memory": f"{memory:.0f} GB",
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "Python": platform.python_version(),
        "DuckDB": version("duckdb"),
        "Leeward": version("leeward"),
    }


def main(out: Path) -> None:
    found: list[Measured] = []
    beside: dict[int, Mapping[str, Run]] = {}
    whole: tuple[Run, dict[str, int]] | None = None
    for jobs, establishments in ECONOMIES:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            beside[jobs] = prepared(jobs, establishments, folder)
            found += measured(jobs, establishments, folder)
            if jobs == NATION:
                whole = released(TABLES, "nation", folder)
    if whole is None:
        raise AssertionError("the nation was not measured")
    nation = [one for one in found if one.jobs == NATION]
    every = Measured(
        NATION,
        ECONOMIES[-1][1],
        "all three",
        sum(whole[1].values()),
        Run(sum(one.query.seconds for one in nation), max(one.query.megabytes for one in nation)),
        whole[0],
    )
    print(_line(every))
    fits = {
        "query": fitted([one.cost(one.query) for one in found]),
        "release": fitted([one.cost(one.release) for one in found]),
    }
    for kind, fit in fits.items():
        print(f"{kind:<8} {spoken(fit)}")
    held = all(one.holds for one in (*nation, every))
    print(
        f"nation: release at most {MOST_RATIO} × query + {PLUS} s within {MOST_MEGABYTES:,} MB: "
        f"{verdict(held)}"
    )
    kept = {
        "machine": machine(),
        "memory_limit": MEMORY,
        "tables": {one.name: [*one.workplace, *one.worker] for one in TABLES},
        "measured": [asdict(one) for one in (*found, every)],
        "beside": {
            str(jobs): {k: asdict(v) for k, v in one.items()} for jobs, one in beside.items()
        },
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(kept, indent=1))
    sys.exit(not held)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/scale.json"))
