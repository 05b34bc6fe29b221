"""A survey of a million clients by Leeward and by pure-ldp: `make bench-peers-local`.

Everyone counts the same skewed answers at the same ε, each in a process and an environment of its
own under `build/peers`. pure-ldp runs its Count Mean Sketch with 128 rows of 1,024 bits. CPU
seconds are from the first answer to the last count; imports are not among them.

    python benchmarks/peers/surveys.py --clients 100000
"""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

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
from benchmarks.peers.local_clients import PEER
from benchmarks.peers.process import Failed, timed
from leeward.core.randomness import SeededBits

DOMAIN, EPSILON, SKEW = 1_000, "4", 0.02


@dataclass(frozen=True)
class Contender:
    """Who counts, and by which method."""

    label: str
    method: str

    @property
    def peer(self) -> bool:
        return self.method == PEER

    def python(self, shop: Workshop) -> str:
        return str(shop.python(PEER)) if self.peer else sys.executable


def contenders() -> Sequence[Contender]:
    version = pinned(PEER, "pure-ldp")
    return (
        Contender("Leeward, auto", "auto"),
        Contender("Leeward, sketch 128 × 1,024", "sketch"),
        Contender(f"pure-ldp {version}, Count Mean Sketch 128 × 1,024", PEER),
    )


def tried(one: Contender, shop: Workshop, answers: Path) -> tuple[float, float]:
    """CPU seconds, and the root mean square error of the counts."""
    if one.peer:
        prepare_environment(shop, PEER)
    out = shop.build / f"survey-{one.method}.npy"
    place = shop.place(f"survey-{one.method}", python_path=str(ROOT) if one.peer else THIS_TREE)
    words = map(str, (HERE / "local_clients.py", answers, DOMAIN, EPSILON, one.method, out))
    timed([one.python(shop), *words], place)
    true = np.bincount(np.load(answers), minlength=DOMAIN)
    error = ((np.load(out) - true) ** 2).mean() ** 0.5
    return float(place.log.read_text().splitlines()[-1]), float(error)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--clients", type=int, default=1_000_000)
    parser.add_argument("--minutes", type=float, default=10, help="limit of one process")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "peers")
    return parser.parse_args()


def main() -> None:
    asked = options()
    shop = Workshop(asked.build.resolve(), 60 * asked.minutes)
    shop.economy.mkdir(parents=True, exist_ok=True)  # where processes run
    answers = shop.build / "survey-answers.npy"
    drawn = SeededBits(1).generator.geometric(SKEW, asked.clients) - 1
    np.save(answers, np.minimum(drawn, DOMAIN - 1))
    print(f"{asked.clients:,} clients, {DOMAIN:,} answers, ε = {EPSILON}\n\n"
          "| who | CPU s | error of a count |\n|---|---|---|")  # fmt: skip
    for one in contenders():
        try:
            seconds, error = tried(one, shop, answers)
            print(f"| {one.label} | {seconds:.2f} | {error:,.0f} |", flush=True)
        except (Failed, subprocess.CalledProcessError) as failure:
            print(f"| {one.label} | {failure} | – |", flush=True)


if __name__ == "__main__":
    main()
