"""How near synthetic tables are to the true one, how long they take, and in how much memory.

`python -m benchmarks.synth DATA DOMAIN` measures the mean total variation distance over all pairs
of columns. DOMAIN is a codebook (.yaml), or JSON with the number of codes 0, 1, … of each column.
Methods may be named after it; of `nist` the public table is every tenth row, and the others are
the file. `python -m benchmarks.synth` makes up ten million rows of ten columns.
"""

import json
import resource
import sys
from collections.abc import Sequence
from itertools import combinations, product
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import duckdb
import numpy as np

from leeward.core.codebook import Codebook, read_codebook
from leeward.core.randomness import SeededBits
from leeward.publishing.engines.table_files import opened_file
from leeward.publishing.release.paid import Uncharged
from leeward.systems.synth.counting import NAME, FileCounts
from leeward.systems.synth.domain import Domain
from leeward.systems.synth.synthesis import synthesize
from leeward.systems.synth.table_request import TableRequest

RUNS = 5
METHODS = ("tree", "correlated", "independent", "nist", "aim")
EPSILON, DELTAS = "1", ("1e-9", None)
ROWS, COLUMNS = 10_000_000, 10
INSIDE = Uncharged("a benchmark")

Tables = list[np.ndarray]


def codebook_of(path: Path) -> Codebook:
    if path.suffix != ".json":
        return read_codebook(path)
    sizes = json.loads(path.read_text())
    return read_codebook(
        {
            "attributes": {
                f"c{at}": {"table": "workers", "column": name, "codes": list(map(str, range(size)))}
                for at, (name, size) in enumerate(sizes.items())
            }
        }
    )


def shares(path: Path, domain: Domain) -> tuple[Tables, int]:
    """Shares of all cells of every pair, and the number of rows."""
    groups = [np.arange(size) for size in domain.sizes]
    with opened_file(path, NAME) as files:
        counts = FileCounts(files, domain)
        held = [counts.of(pair, groups) for pair in combinations(range(len(groups)), 2)]
    return [one / one.sum() for one in held], int(held[0].sum())


def distance(left: Tables, right: Tables) -> float:
    return mean(float(np.abs(a - b).sum() / 2) for a, b in zip(left, right, strict=True))


def divided(data: Path, folder: Path) -> tuple[Path, Path]:
    """All but every tenth row, and every tenth."""
    files = folder / "file.parquet", folder / "public.parquet"
    for path, test in zip(files, ("!=", "="), strict=True):
        numbered = f"(SELECT *, row_number() OVER () AS n FROM '{data}')"
        duckdb.sql(f"COPY (SELECT * EXCLUDE n FROM {numbered} WHERE n % 10 {test} 0) TO '{path}'")
    return files


def compare(data: Path, book: Codebook, methods: Sequence[str]) -> None:
    domain = Domain.of(book)
    true, rows = shares(data, domain)
    generator = SeededBits(1).generator
    drawn = [generator.multinomial(rows, one.ravel()).reshape(one.shape) / rows for one in true]
    alone = [np.outer(one.sum(1), one.sum(0)) for one in true]
    print(f"{len(domain.columns)} columns, {len(true)} pairs; mean TVD without privacy:")
    print(f"bootstrap {distance(true, drawn):.4f}, independent {distance(true, alone):.4f}")
    with TemporaryDirectory() as folder:
        rest, public = divided(data, Path(folder))
        for method, delta in product(methods, DELTAS):
            if method == "nist":
                request = TableRequest(rest, book, method, EPSILON, delta, public=public)
                measure(request, shares(rest, domain)[0])
            elif method != "aim" or delta:
                measure(TableRequest(data, book, method, EPSILON, delta), true)


def measure(request: TableRequest, true: Tables) -> None:
    found, seconds, busy = [], [], []
    for _ in range(RUNS):
        with TemporaryDirectory() as folder:
            started, worked = perf_counter(), process_time()
            synthesize(request, Path(folder) / "out", INSIDE)
            seconds.append(perf_counter() - started)
            busy.append(process_time() - worked)
            made, _ = shares(Path(folder) / "out" / "synthetic.parquet", request.domain)
            found.append(distance(true, made))
    print(f"{request.method:12} ε {request.epsilon} δ {request.delta or 0}: mean TVD "
          f"{mean(found):.4f} ({min(found):.4f} to {max(found):.4f}), {mean(seconds):.2f} s, "
          f"of the processor {mean(busy):.2f} s", flush=True)  # fmt: skip


def large() -> None:
    """Ten columns of 2 to 40 codes, each leaning on the one before."""
    sizes = [2 + 4 * at for at in range(COLUMNS)]
    parts = ", ".join(
        f"CAST(floor({size} * (0.5 * ((hash(i) % 997) / 997.0) + 0.5 * "
        f"((hash(i + {at}) % 991) / 991.0))) AS INTEGER) AS c{at}"
        for at, size in enumerate(sizes)
    )
    with TemporaryDirectory() as folder:
        path = Path(folder) / "large.parquet"
        duckdb.sql(f"COPY (SELECT {parts} FROM range({ROWS}) t(i)) TO '{path}' (FORMAT parquet)")
        book = read_codebook(
            {
                "attributes": {
                    f"c{at}": {"table": "workers", "codes": list(map(str, range(size)))}
                    for at, size in enumerate(sizes)
                }
            }
        )
        before = _megabytes()
        started = perf_counter()
        request = TableRequest(path, book, "tree", "1", "1e-9", rows=100_000)
        synthesize(request, Path(folder) / "out", INSIDE)
        print(f"{ROWS} rows × {COLUMNS} columns: {perf_counter() - started:.1f} s, peak memory "
              f"{_megabytes()} MB ({before} MB before)")  # fmt: skip


def _megabytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    if len(sys.argv) > 2:
        compare(Path(sys.argv[1]), codebook_of(Path(sys.argv[2])), sys.argv[3:] or METHODS)
    else:
        large()
