"""Graduates: errors of medians of pay one year after, with employers protected and without.

`leeward init --recipe pseo --demo --out DEMO`, then `python -m benchmarks.graduates DEMO`: releases
medians by several groups and classes, three times each, and prints their error relative to the
medians of the made-up graduates. About a minute.
"""

import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np
import yaml

import leeward

RELEASES = 3
TEN = [10000, 22876, 31857, 40449, 49605, 60027, 72639, 89080, 113106, 157509, 614597]
"""Every second edge of PSEO's classes of pay."""

STRONG = {"policy": "strong", "alpha": "0.1", "epsilon": "4"}
PERSON = {"policy": "person", "epsilon": "1"}


class Setting(NamedTuple):
    """What is released: the plan that it starts from, the groups and the classes."""

    plan: str
    by: tuple[str, ...]
    bins: list[int] | str
    protect: Mapping[str, str] = STRONG

    @property
    def jobs(self) -> str:
        """The file of graduates."""
        return "pseo-y1" if self.protect is STRONG else "pseo"


SETTINGS = (
    Setting("ours-y1.yaml", ("degree",), TEN),
    Setting("ours-y1.yaml", ("degree",), "pseo"),
    Setting("ours-y1.yaml", ("institution",), TEN),
    Setting("ours-y1.yaml", ("cip",), TEN),
    Setting("ours-y1.yaml", ("institution", "degree"), TEN),
    Setting("ours-y1.yaml", ("institution", "degree"), "pseo"),
    Setting("published.yaml", ("institution", "degree", "cip"), "pseo", PERSON),
)


class Group(NamedTuple):
    """The graduates of one cell: how many they are, and their median pay."""

    graduates: int
    median: float


def truth(demo: Path, setting: Setting) -> dict[tuple[str, ...], Group]:
    """Of each cell with a graduate."""
    codes = [
        "workplace_id AS institution" if one == "institution" and setting.jobs == "pseo" else one
        for one in setting.by
    ]
    path = demo / "confidential" / f"{setting.jobs}.parquet"
    year = " WHERE years = '1' AND attachment = 'emp'" if setting.jobs == "pseo" else ""
    query = (
        f"SELECT {', '.join(codes)}, count(*), median(earnings) "
        f"FROM read_parquet('{path}'){year} GROUP BY ALL"
    )
    rows = duckdb.sql(query).fetchall()
    return {tuple(map(str, row[:-2])): Group(row[-2], row[-1]) for row in rows}


def plan(demo: Path, setting: Setting) -> leeward.Plan:
    """The plan of the demonstration, with one table of medians."""
    written: dict[str, Any] = yaml.safe_load((demo / setting.plan).read_text())
    table: dict[str, Any] = {
        "name": "medians",
        "by": list(setting.by),
        "statistic": "percentiles",
        "of": "earnings",
        "bins": setting.bins,
        "at": [50],
        **({"where": {"years": "1"}} if setting.jobs == "pseo" else {}),
    }
    written |= {"protect": dict(setting.protect), "tables": [table], "account": "benchmark"}
    path = demo / "benchmark.yaml"
    path.write_text(yaml.safe_dump(written))
    try:
        return leeward.read_plan(path)
    finally:
        path.unlink()


def medians(made: leeward.Plan, by: Sequence[str]) -> Iterator[dict[tuple[str, ...], int | None]]:
    """Released medians by cell, a release at a time."""
    protect = made.asked
    with tempfile.TemporaryDirectory() as folder:
        ledger = leeward.Ledger(Path(folder) / "ledger.sqlite")
        ledger.create(
            "benchmark", policy=protect.policy.name, alpha=protect.alpha, epsilon=RELEASES * 4
        )
        for number in range(RELEASES):
            released = leeward.release(
                made,
                out=Path(folder) / f"bundle-{number}",
                ledger=ledger,
                again=number > 0,
                unchecked="a benchmark",
            )
            rows = released["medians"].to_arrow().to_pylist()
            yield {tuple(row[one] for one in by): row["value"] for row in rows}


def main() -> None:
    """Print a line for each setting."""
    demo = Path(sys.argv[1])
    print("protection by classes d mechanism size: median error, mean error of a median")
    for setting in SETTINGS:
        true, made = truth(demo, setting), plan(demo, setting)
        (table,) = made.tables
        errors: dict[str, list[float]] = {}
        for found in medians(made, setting.by):
            for cell, group in true.items():
                value = found[cell]
                error = 1.0 if value is None else abs(value - group.median) / group.median
                size = "100+" if group.graduates >= 100 else "30-99"
                if group.graduates >= 30:
                    errors.setdefault(size, []).append(error)
        d = table.marginal.worker_cells
        told = f"{setting.protect['policy']} {' x '.join(setting.by)}"
        for size, each in sorted(errors.items()):
            numbers = f"{np.median(each):.1%}, {np.mean(each):.1%}"
            classes = len(table.marginal.statistic.edges) - 1
            print(f"{told} {classes} {d} {table.measurement.name} {size}: {numbers}")


if __name__ == "__main__":
    main()
