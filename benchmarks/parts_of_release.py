"""The parts of a release, by the steps that it tells.

`python -m benchmarks.parts_of_release PLAN OUT LEDGER` releases once and prints seconds. It imports
and does what the command does; only the report is left out.
"""

# ruff: noqa: E402 (imports are timed)
from benchmarks.stopwatch import ROWS, SHARED, Stopwatch

watch = Stopwatch()

import gc
import sys
from pathlib import Path

gc.disable()  # as the command does while it imports

from leeward.publishing.engines.import_hooks import block_pandas, import_compilers_lazily

block_pandas()
import_compilers_lazily()

import numpy.ma  # noqa: F401 (PyArrow does with the first array)

from leeward import api as front
from leeward.core.codebook import Published
from leeward.publishing.bundle.table_writer import TableWriter
from leeward.publishing.engines.database import ibis
from leeward.publishing.release.run import release_plan

ibis.duckdb  # noqa: B018 (loads it)
gc.freeze()
gc.enable()
watch.end("imports")

PARTS = {
    "checking the plan": "checks",
    "checking the rows": "digest and sketch",
    "charging the ledger": "ledger",
    "tabulating": SHARED,
    "sealing the bundle": "seal",
}


class Steps:
    """The progress of a release: a step ends where the next begins."""

    now = "plan"

    def step(self, words: str) -> None:
        """End the part before."""
        watch.end(self.now)
        self.now = PARTS[words]

    def cells(self, table: str, done: int, of: int) -> None:
        """Not of interest."""


def writing_apart() -> None:
    """From here on the time of writing rows is a part of its own."""
    write = TableWriter.write

    def timed(writer: TableWriter, published: Published) -> None:
        watch.end(SHARED)
        write(writer, published)
        watch.end(ROWS)

    TableWriter.write = timed  # type: ignore[method-assign, assignment] # for this process


def main() -> None:
    writing_apart()
    plan, out, ledger = map(Path, sys.argv[1:])
    steps = Steps()
    release_plan(front.read_plan(plan), out, ledger, steps)
    watch.end(steps.now)
    watch.tell()


if __name__ == "__main__":
    main()
