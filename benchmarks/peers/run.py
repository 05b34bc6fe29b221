"""The same two tabulations with Leeward and with other libraries, in one run: `make bench-peers`.

Every contender is a process of its own, timed from start to end: imports, reading and joining the
three Parquet tables, noise, writing. What it wrote is then compared with the true counts. Each
library has an environment of its own under `build/peers`, from the pinned requirements beside this
file. A library that does not install or run has a row that says so; without OpenDP or Tumult the
run fails. The libraries on Spark need Java 17.

A contender that is done within ten seconds runs three times, and its quickest run counts. Leeward
and PyDP also tell the parts of their time: the part that both do is compared after imports.

    python benchmarks/peers/run.py --only opendp leeward_worker --jobs 200000
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import duckdb

# A script has its own folder on the path, not the project's.
sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.peers.contenders import (
    CONTENDERS,
    REQUIRED,
    ROOT,
    Attempt,
    Contender,
    Workshop,
    make_economy,
)
from benchmarks.peers.outcome import outcome
from benchmarks.peers.process import Failed
from benchmarks.peers.report import Result, markdown
from benchmarks.peers.tabulations import EPSILON, KINDS
from benchmarks.stopwatch import SHARED

JOBS, ESTABLISHMENTS = 10_900_000, 527_000
ROUNDS, QUICK = 3, 10.0
MEASURE = "leeward_worker"


def attempts(contender: Contender, shop: Workshop, kind: str) -> list[Attempt]:
    """One run, or several if they are quick."""
    done = [contender.attempt(shop, kind, 0)]
    while len(done) < ROUNDS and done[0].run.seconds < QUICK:
        done.append(contender.attempt(shop, kind, len(done)))
    return done


def tried(contender: Contender, shop: Workshop, kind: str) -> Result:
    """The result of a contender, which may be its failure."""
    blank = Result(contender.name, contender.label, contender.version(), contender.protects, kind)
    try:
        done = attempts(contender, shop, kind)
        best = min(done, key=lambda one: one.run.seconds)
        parts = min((one.parts for one in done), key=lambda one: one.get(SHARED, 0.0))
        found = outcome(shop.economy, kind, best.released, contender.column)
    except (Failed, duckdb.Error) as failure:  # what it wrote may be no table either
        return replace(blank, failure=str(failure))
    return replace(
        blank, attempts=len(done), run=best.run, check=best.before, outcome=found, parts=parts
    )


def prepared(contenders: Sequence[Contender], shop: Workshop) -> dict[str, str]:
    """Make every environment; why it failed, by name."""
    failures = {}
    for contender in contenders:
        try:
            contender.prepare(shop)
        except (Failed, subprocess.CalledProcessError) as failure:
            failures[contender.name] = f"not installed: {failure}"
    return failures


def compared(contenders: Sequence[Contender], shop: Workshop) -> list[Result]:
    """All contenders in turn, first on one tabulation, then on the other."""
    failures = prepared(contenders, shop)
    results = []
    for kind in KINDS:
        for one in contenders:
            if one.name in failures:
                result = Result(one.name, one.label, one.version(), one.protects, kind)
                result = replace(result, failure=failures[one.name])
            else:
                result = tried(one, shop, kind)
            said = f"{result.run.seconds:.2f} s" if result.run else result.failure
            print(f"{kind}: {one.name}: {said}", file=sys.stderr, flush=True)
            results.append(result)
    return results


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    names = [one.name for one in CONTENDERS]
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--jobs", type=int, default=JOBS)
    parser.add_argument("--minutes", type=float, default=15, help="limit of one process")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "peers")
    parser.add_argument("--out", type=Path, help="write the results as JSON")
    return parser.parse_args()


def main() -> None:
    asked = options()
    establishments = max(ESTABLISHMENTS * asked.jobs // JOBS, 1)
    shop = Workshop(asked.build.resolve(), 60 * asked.minutes)
    make_economy(shop, asked.jobs, establishments)
    contenders = [one for one in CONTENDERS if one.name in asked.only]
    results = compared(contenders, shop)
    facts = {
        "jobs": asked.jobs,
        "establishments": establishments,
        "epsilon": EPSILON,
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }
    print(f"{asked.jobs:,} jobs in {establishments:,} establishments, all made up; ε = {EPSILON}; "
          f"{os.cpu_count()} cores, Python {platform.python_version()}")  # fmt: skip
    for kind, names in KINDS.items():
        print(f"\n### {' × '.join(names)}\n")
        print(markdown([one for one in results if one.kind == kind], MEASURE))
    if asked.out:
        found = {**facts, "results": [asdict(one) for one in results]}
        asked.out.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    absent = sorted({one.name for one in results if one.failure} & set(REQUIRED))
    if absent:
        sys.exit(f"did not run, but must: {', '.join(absent)}")


if __name__ == "__main__":
    main()
