"""Where people live and work: `python -m benchmarks.commuting [JOBS]`.

Flows from homes to places of a made-up economy, at ε = 4 in all, for zones of homes and for all
places as homes: the method of 2008 (`leeward.lab.baselines.dirichlet`; the number of its homes is
released for ε/10), and tidied releases `by: [place, home]` under the policies worker and strong.
Printed are the mean error by true size of a flow, the share of empty flows that stay empty, the
total variation distance of the commuting distances, and from which size on a flow shows beside what
is predicted: where noise of mean E|noise| has d chances, E|noise| times ln d.
"""

import csv
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from math import log
from pathlib import Path
from time import perf_counter

import duckdb
import numpy as np
from numpy.typing import NDArray

import leeward
from leeward import tidy
from leeward.lab.baselines.dirichlet import NOTICE, DirichletHomes
from leeward.lab.economy import Economy, write_economy

ALPHA, EPSILON = "0.1", "4"
HEADS, HOMES = "0.4", "3.6"
"""How the method of 2008 spends ε: on the number of homes in each place, and on homes."""
SIZES = (0, 1, 10, 100, 1000)
KILOMETRES = (0, 1, 5, 10, 20, 40, 1000)
STRONG_ERROR = 0.63
"""E|noise| over S = α·X of the largest establishment at α = .1, ε = 4, by clipped sums."""

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Flows:
    """True flows between places and homes, the distance of each pair, and the largest employers."""

    folder: Path
    home: str
    true: Integers
    distance: Floats
    largest: Integers

    @property
    def areas(self) -> int:
        """How many homes there are."""
        return int(self.true.shape[1])

    def errors(self, made: Integers) -> list[str]:
        """The mean error of flows by their true size, and how many empty ones stay empty."""
        off, words = np.abs(made - self.true), []
        for low, high in zip(SIZES, (*SIZES[1:], np.inf), strict=True):
            mine = (self.true >= low) & (self.true < high)
            words.append(f"{off[mine].mean():8.1f}" if mine.any() else f"{'–':>8}")
        empty = self.true == 0
        kept = f"{(made[empty] == 0).mean():7.0%}" if empty.any() else f"{'–':>7}"
        return [*words, kept]

    def apart(self, made: Integers) -> float:
        """Total variation distance of the two distributions of commuting distances."""
        shares = [
            np.histogram(self.distance, KILOMETRES, weights=one)[0] / max(one.sum(), 1)
            for one in (self.true, made)
        ]
        return float(np.abs(shares[0] - shares[1]).sum() / 2)

    def shows(self, released: Integers) -> float:
        """The largest error of a place's flows, in the middle of all places."""
        return float(np.median(np.abs(released - self.true).max(axis=1)))


def flows(folder: Path, home: str) -> Flows:
    """By the bare queries, and the public map."""
    with (folder / "population.csv").open() as file:
        rows = list(csv.DictReader(file))
    places = [row["place"] for row in rows]
    at = np.array([[float(row["x"]), float(row["y"])] for row in rows])
    people = np.array([int(row["people"]) for row in rows])
    zones = [row[home] if home in row else row["place"] for row in rows]
    codes = sorted({*zones}) if home in rows[0] else places
    member = np.array([[zone == code for zone in zones] for code in codes]) * people
    centre = member @ at / member.sum(axis=1, keepdims=True)
    base = duckdb.connect()
    base.execute(f"""CREATE TABLE held AS SELECT place, home, workplace_id
        FROM '{folder}/jobs.parquet' JOIN '{folder}/workers.parquet' USING (worker_id)
        JOIN '{folder}/workplaces.parquet' USING (workplace_id)""")
    found = base.execute("SELECT place, home, count(*) FROM held GROUP BY ALL").fetchall()
    zone_of = {place: codes.index(zone) for place, zone in zip(places, zones, strict=True)}
    true = np.zeros((len(places), len(codes)), np.int64)
    for place, lived, jobs in found:
        true[places.index(place), zone_of[lived]] += jobs
    largest = dict(
        base.execute("""SELECT place, max(n) FROM (SELECT place, workplace_id, count(*) n
        FROM held GROUP BY ALL) GROUP BY place""").fetchall()
    )
    distance = np.linalg.norm(at[:, None, :] - centre[None, :, :], axis=2)
    return Flows(folder, home, true, distance, np.array([largest.get(one, 0) for one in places]))


def released(seen: Flows, work: Path, policy: str, epsilon: str, by: list[str]) -> leeward.Bundle:
    """A table of a plan of its own, without margins."""
    data = {one: f"{seen.folder}/{one}.parquet" for one in ("workplaces", "workers", "jobs")}
    alpha = ALPHA if policy == "strong" else None
    protect = {"policy": policy, "epsilon": epsilon, **({"alpha": alpha} if alpha else {})}
    plan = leeward.read_plan(
        {"data": data, "codebook": str(seen.folder / "codebook.yaml"), "account": "bench",
         "period": "now", "protect": protect,
         "tables": [{"name": "flows", "by": by, "margins": "none"}]}
    )  # fmt: skip
    out = work / f"{policy}-{'-'.join(by)}"
    ledger = leeward.Ledger(work / f"{out.name}.sqlite")
    ledger.create("bench", policy=policy, alpha=alpha, epsilon=epsilon)
    return leeward.release(plan, out=out, ledger=ledger, unchecked="a benchmark")


def values(bundle: leeward.Bundle, seen: Flows) -> Integers:
    """The values of its table, by place and home."""
    found = np.asarray(bundle["flows"].to_pandas()["value"], np.int64)
    return found.reshape(len(seen.true), -1)


def methods(seen: Flows, work: Path) -> Iterator[tuple[str, Integers, str]]:
    """What each method publishes, and what it says of the size from which on flows show."""
    heads = values(released(seen, work, "worker", HEADS, ["place"]), seen)[:, 0]
    made = [
        DirichletHomes.calibrated(seen.areas, max(int(m), 0), HOMES).release(counts.tolist())
        for m, counts in zip(heads, seen.true, strict=True)
    ]
    yield f"2008 method ({NOTICE})", np.array(made), ""
    chances = log(seen.areas)
    predicted = {
        "worker": chances / float(EPSILON),
        "strong": float(np.median(STRONG_ERROR * float(ALPHA) * seen.largest)) * chances,
    }
    for policy, least in predicted.items():
        bundle = released(seen, work, policy, EPSILON, ["place", seen.home])
        shows = seen.shows(values(bundle, seen))
        neat = tidy(bundle.path, work / f"{bundle.path.name}-tidy")
        words = f"flows show above {shows:.1f}, predicted {least:.1f}"
        note = f" ({NOTICE})" if policy == "worker" else ""
        yield f"Leeward, {policy}{note}", values(neat, seen), words


def report(seen: Flows, work: Path) -> None:
    """One table."""
    print(f"{seen.true.sum():,} jobs, {len(seen.true)} places by {seen.areas} homes ({seen.home}), "
          f"α {ALPHA}, ε {EPSILON}")  # fmt: skip
    head = ["   empty", "     1–9", "   10–99", " 100–999", "  1000 –"]
    print(f"  {'mean error of flows of':48}{''.join(head)}  empty kept  distances off")
    for name, made, words in methods(seen, work):
        *errors, kept = seen.errors(made)
        print(f"  {name:48}{''.join(errors)}  {kept:>10}  {seen.apart(made):13.3f}  {words}")


def main() -> None:
    jobs, start = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000, perf_counter()
    with tempfile.TemporaryDirectory() as place:
        economy = Economy(jobs, jobs // 20, 60, seed=7, homes=True)
        folder = Path(place) / "economy"
        write_economy(economy, folder)
        for home in ("home_zone", "home"):
            work = Path(place) / home
            work.mkdir()
            report(flows(folder, home), work)
    print(f"{perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
