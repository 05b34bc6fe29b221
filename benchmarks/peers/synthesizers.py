"""Synthetic tables by Leeward and by other libraries, in one run: `make bench-peers-synth`.

DATA is a CSV of codes 0, 1, …; DOMAIN is JSON with the number of codes of each column. Every
synthesizer is a process of its own, timed from start to end, in an environment of its own under
`build/peers`, with ten minutes at most. What it wrote is compared with DATA: the mean total
variation distance over all pairs of columns. One that does not install or end has a line that says
so. DataSynthesizer promises ε without δ; smartnoise-synth and dpmm take the number of rows from the
data here, which no promise covers.

    python benchmarks/peers/synthesizers.py adult.csv adult-domain.json --only dpmm_mst
"""

import argparse
import importlib.metadata
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path

import duckdb
import numpy as np
from numpy.typing import NDArray

# A script has its own folder on the path, not the project's.
sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.peers.contenders import (
    HERE,
    ROOT,
    THIS_TREE,
    Workshop,
    pinned,
    prepare_environment,
)
from benchmarks.peers.process import Failed, timed
from benchmarks.peers.synth_table import DELTA, EPSILON, sizes
from benchmarks.process import leeward

Shares = list[NDArray[np.float64]]


@dataclass(frozen=True)
class Synthesizer:
    """A library, called by its `synth_NAME.py` with one word; Leeward without requirements."""

    name: str
    label: str
    package: str
    script: str = ""
    word: str = ""
    requirements: str = ""

    def version(self) -> str:
        if self.requirements:
            return pinned(self.requirements, self.package)
        return importlib.metadata.version(self.package)

    def prepare(self, shop: Workshop) -> None:
        if self.requirements:
            prepare_environment(shop, self.requirements)

    def command(self, shop: Workshop, data: Path, domain: Path, out: Path) -> list[str]:
        if not self.requirements:
            book = out.with_suffix(".yaml")
            book.write_text(json.dumps(codebook(domain)))
            words = ("synth", "table", str(data), "--codebook", str(book), "--method", self.word)
            promise = ("--epsilon", f"{EPSILON:g}", "--delta", f"{DELTA:g}")
            inside = ("--uncharged", "a benchmark", "--out", str(out.with_suffix("")))
            return leeward(*words, *promise, *inside)
        script = str(HERE / f"synth_{self.script}.py")
        return [str(shop.python(self.requirements)), script, *map(str, (data, domain, out)),
                self.word]  # fmt: skip

    def written(self, out: Path) -> Path:
        return out if self.requirements else out.with_suffix("") / "synthetic.csv"


SYNTHESIZERS: Sequence[Synthesizer] = (
    Synthesizer("leeward", "Leeward, auto", "leeward", word="auto"),
    *(
        Synthesizer(
            f"datasynthesizer_{k}",
            f"DataSynthesizer, correlated, k = {k}",
            "DataSynthesizer",
            "datasynthesizer",
            str(k),
            "datasynthesizer",
        )
        for k in (1, 2)
    ),
    *(
        Synthesizer(
            f"smartnoise_{word}",
            f"smartnoise-synth, {label}",
            "smartnoise-synth",
            "smartnoise",
            word,
            "smartnoise_synth",
        )
        for word, label in (("mst", "MST"), ("aim", "AIM"))
    ),
    *(
        Synthesizer(f"dpmm_{word}", f"dpmm, {label}", "dpmm", "dpmm", word, "dpmm")
        for word, label in (("privbayes", "PrivBayes"), ("mst", "MST"), ("aim", "AIM"))
    ),
)


@dataclass(frozen=True)
class Found:
    """One synthesizer's rows; `failure` says why there are none."""

    name: str
    label: str
    version: str
    seconds: float | None = None
    distance: float | None = None
    failure: str = ""


def codebook(domain: Path) -> dict[str, object]:
    """The same columns as Leeward reads them."""
    attributes = {
        f"c{at}": {"table": "workers", "column": name, "codes": list(map(str, range(size)))}
        for at, (name, size) in enumerate(sizes(domain).items())
    }
    return {"attributes": attributes}


def pair_shares(data: Path, domain: Path) -> Shares:
    """The share of rows in every cell of every pair of columns."""
    table = duckdb.read_csv(str(data))
    held = {name: table.project(f'"{name}"').fetchnumpy() for name in sizes(domain)}
    codes = {name: np.asarray(one[name], np.int64) for name, one in held.items()}
    shares = []
    for (left, first), (right, second) in combinations(sizes(domain).items(), 2):
        cells = np.bincount(codes[left] * second + codes[right], minlength=first * second)
        shares.append(cells / cells.sum())
    return shares


def tried(one: Synthesizer, shop: Workshop, data: Path, domain: Path, true: Shares) -> Found:
    """What a synthesizer makes of the table, which may be nothing."""
    blank = Found(one.name, one.label, one.version())
    out = shop.build / "synthetic" / f"{one.name}.csv"
    out.parent.mkdir(parents=True, exist_ok=True)
    path = str(ROOT) if one.requirements else THIS_TREE
    try:
        one.prepare(shop)
    except (Failed, subprocess.CalledProcessError) as failure:
        return replace(blank, failure=f"not installed: {failure}")
    try:
        run = timed(one.command(shop, data, domain, out), shop.place(one.name, python_path=path))
        made = pair_shares(one.written(out), domain)
    except (Failed, duckdb.Error, ValueError) as failure:  # what it wrote may be no table either
        return replace(blank, failure=str(failure))
    apart = [np.abs(a - b).sum() / 2 for a, b in zip(true, made, strict=True)]
    return replace(blank, seconds=run.seconds, distance=float(np.mean(apart)))


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    names = [one.name for one in SYNTHESIZERS]
    parser.add_argument("data", type=Path)
    parser.add_argument("domain", type=Path)
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--minutes", type=float, default=10, help="limit of one process")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "peers")
    parser.add_argument("--out", type=Path, help="write the results as JSON")
    return parser.parse_args()


def main() -> None:
    asked = options()
    data, domain = asked.data.resolve(), asked.domain.resolve()
    shop = Workshop(asked.build.resolve(), 60 * asked.minutes)
    shop.economy.mkdir(parents=True, exist_ok=True)  # where processes run
    true = pair_shares(data, domain)
    found = []
    print(f"{data.name}: {len(sizes(domain))} columns, {len(true)} pairs; ε = {EPSILON:g}, "
          f"δ = {DELTA:g}\n\n| synthesizer | version | mean TVD | seconds |\n"
          "|---|---|---|---|")  # fmt: skip
    for one in SYNTHESIZERS:
        if one.name in asked.only:
            found.append(result := tried(one, shop, data, domain, true))
            told = (f"{result.distance:.4f} | {result.seconds:.1f}"
                    if result.distance is not None else f"{result.failure} | –")  # fmt: skip
            print(f"| {result.label} | {result.version} | {told} |", flush=True)
    if asked.out:
        results = [asdict(one) for one in found]
        asked.out.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
