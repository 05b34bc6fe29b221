"""A whole product, from its noise to the tidy file: `python -m benchmarks.products [ECONOMY]`.

Six breakdowns of every workplace cell of a made-up economy are released together by each joint
mechanism at α = .1 and ε = 4. Printed are the error of the noise over the closed form, the mean
error of released, tidy and shrunk values and how many times that of noise infusion at 5 to 15 %
it is, and seconds; then draws alone for half a million workplace cells.
"""

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import duckdb
import numpy as np
import pandas as pd  # type: ignore[import-untyped] # ships no types

import leeward
from leeward import tidy
from leeward.core.mechanisms.joint_clipped import JointClipped
from leeward.core.mechanisms.radial_product import RadialProduct
from leeward.core.mechanisms.table_calibration import Shape
from leeward.core.noise.design import Design
from leeward.core.noise.draws import SECRET
from leeward.core.noise.radial_law import RadialLaw
from leeward.core.noise.scales import Scales
from leeward.lab.baselines.noise_infusion import Infusion
from leeward.lab.economy import Economy, write_economy
from leeward.publishing.plan.plan import Plan

SIX = ["age", "earnings", "race", "ethnicity", "schooling", "sex"]
TOTAL = "total"
BY = ["place", "sector", "ownership"]
CELLS = 500_000
WORLDS, CELLS_OF_SIX = 5, 21
LARGE = 50
"""Least jobs of the largest establishment where errors are compared: there rounding is small."""

EARNINGS = """CASE WHEN earnings <= 125000 THEN 'CE01' WHEN earnings <= 333300 THEN 'CE02'
ELSE 'CE03' END AS earnings"""


def truth(folder: Path) -> "Truth":
    """By the bare queries."""
    base = duckdb.connect()
    base.execute(f"""CREATE TABLE held AS SELECT {", ".join(f"p.{one}" for one in BY)},
        w.age, w.race, w.ethnicity, w.schooling, w.sex, {EARNINGS}, j.workplace_id
        FROM '{folder}/jobs.parquet' j JOIN '{folder}/workers.parquet' w USING (worker_id)
        JOIN '{folder}/workplaces.parquet' p USING (workplace_id)""")
    by = ", ".join(BY)
    found = {
        name: base.execute(f"SELECT {by}, {name}, count(*) counted FROM held GROUP BY ALL").df()
        for name in SIX
    }
    found[TOTAL] = base.execute(f"SELECT {by}, count(*) counted FROM held GROUP BY ALL").df()
    largest = base.execute(f"""SELECT {by}, max(n) largest FROM (SELECT {by}, workplace_id,
        count(*) n FROM held GROUP BY ALL) GROUP BY {by}""").df()
    each = {
        name: base.execute(f"""SELECT {by}, {name}, workplace_id, count(*) n FROM held
            GROUP BY ALL""").df()
        for name in SIX
    }
    employers = base.execute(f"""SELECT workplace_id, employer_id
        FROM '{folder}/workplaces.parquet'""").df()
    return Truth(found, largest, infusion(each, employers))


def infusion(each: dict[str, pd.DataFrame], employers: pd.DataFrame) -> tuple[float, float]:
    """Mean |error| of all cells and of the total by factors of 5 to 15 %, over some worlds."""
    cells, totals = list[float](), list[float]()
    owner = np.unique(employers.employer_id, return_inverse=True)[1]
    for _ in range(WORLDS):
        off = Infusion(0.05, 0.15).factors(owner) - 1
        factor = pd.Series(off, index=employers.workplace_id)
        moved = [
            rows.assign(off=rows.n * factor.loc[rows.workplace_id].to_numpy())
            for rows in each.values()
        ]
        errors = [rows.groupby([*BY, name]).off.sum().abs().sum()
                  for name, rows in zip(SIX, moved, strict=True)]  # fmt: skip
        total = moved[0].groupby(BY).off.sum().abs()
        cells.append(sum(errors) / (len(total) * CELLS_OF_SIX))
        totals.append(total.mean())
    return float(np.mean(cells)), float(np.mean(totals))


@dataclass(frozen=True)
class Truth:
    """True counts of each table, and the largest establishment of each workplace cell."""

    counts: dict[str, pd.DataFrame]
    largest: pd.DataFrame
    infused: tuple[float, float]

    def beside(self, bundle: leeward.Bundle, name: str) -> pd.DataFrame:
        """Rows of a table with their true numbers and the largest establishment of their cell."""
        keys = [*BY, *(() if name == TOTAL else (name,))]
        rows = bundle[f"wac_{name}"].to_pandas()
        rows = rows.merge(self.counts[name], "left", on=keys).merge(self.largest, "left", on=BY)
        return rows.fillna({"counted": 0, "largest": 0})

    def error(self, bundle: leeward.Bundle) -> str:
        """Mean |error| in jobs of all worker cells, and of the total."""
        off = {}
        for name in (*SIX, TOTAL):
            rows = self.beside(bundle, name)
            off[name] = np.abs(rows.value - rows.counted)
        cells = np.concatenate([off[name] for name in SIX])
        mean, total = cells.mean(), off[TOTAL].mean()
        return (
            f"{mean:6.2f} jobs ({mean / self.infused[0]:.2f} x), total {total:6.2f} "
            f"({total / self.infused[1]:.2f} x)"
        )

    def over_closed_form(self, bundle: leeward.Bundle, made: RadialProduct | JointClipped) -> str:
        """Drawn over expected error, in cells with a large establishment that was not clipped."""
        ratios = []
        for number, name in enumerate((TOTAL, *SIX)):
            rows = self.beside(bundle, name)
            rows = rows[rows.largest >= LARGE]
            if isinstance(made, RadialProduct):
                errors = made.mean_abs_errors(10**7)
                unit = rows.largest * (0 if errors is None else errors[0, number] / 10**7)
            else:
                bound = bundle["wac_total"].to_pandas().set_index(BY)["bound"]
                theta = rows.set_index(BY).index.map(bound).to_numpy()
                rows, theta = rows[theta >= rows.largest], theta[theta >= rows.largest]
                most = made.clipping.most
                spread = made.spread(most) * made.clipping.lattice / most
                unit = theta * spread * made.moments.absolute[number]
            ratios.append((np.abs(rows.value - rows.counted) / unit).to_numpy())
        cells = np.concatenate(ratios[1:])
        chance = 2 * cells.std() / np.sqrt(len(cells) / 21)  # the 21 cells of a draw depend
        return f"{cells.mean():.3f} ± {chance:.3f}, total {ratios[0].mean():.3f}"


def planned(folder: Path, name: str) -> Plan:
    """Six breakdowns by one mechanism, at α = .1 and ε = 4."""
    table = {"name": "wac", "by": BY, "breakdowns": SIX, "mechanism": name, "margins": "none"}
    data = {one: f"{folder}/{one}.parquet" for one in ("workplaces", "workers", "jobs")}
    protect = {"policy": "strong", "alpha": "0.1", "epsilon": "4"}
    codebook = str(folder / "codebook.yaml")
    return leeward.read_plan(
        {"data": data, "codebook": codebook, "account": "bench", "period": name,
         "protect": protect, "tables": [table]}
    )  # fmt: skip


def report(folder: Path, work: Path, name: str) -> None:
    """Release, theory, tidy, shrunk; then draws alone."""
    plan, ledger = planned(folder, name), leeward.Ledger(work / f"{name}.sqlite")
    ledger.create("bench", policy="strong", alpha="0.1", epsilon=4)
    start = perf_counter()
    bundle = leeward.release(plan, out=work / name, ledger=ledger, unchecked="a benchmark")
    print(f"{name}: {bundle.certificate.tables[0].rows:,} workplace cells, {_since(start)}")
    held, measurement = truth(folder), plan.tables[0].measurement
    made: RadialProduct | JointClipped = measurement.mechanism  # type: ignore[attr-defined] # joint
    print(f"  noise over closed form  {held.over_closed_form(bundle, made)}")
    print(f"  released                {held.error(bundle)}")
    for shrink in (False, True) if name == "joint_clipped" else (False,):
        start, out = perf_counter(), work / f"{name}-{shrink}"
        tidy(work / name, out=out, shrink=shrink)
        words = f"tidy{', shrunk' if shrink else ''}"
        print(f"  {words:22}  {held.error(leeward.read_bundle(out))}, {_since(start)}")
    law = made.radius if isinstance(made, RadialProduct) else None
    drawn(Design(Shape.of(plan.tables[0].marginal).tables, made.design.norm), law)


def _since(start: float) -> str:
    return f"{perf_counter() - start:.1f} s"


def drawn(design: Design, law: RadialLaw | None) -> None:
    """Draws for many workplace cells, and how many cells a second that is."""
    true, start = np.zeros((CELLS, design.cells), dtype=np.int64), perf_counter()
    SECRET.joint(true, Scales(np.full(CELLS, 1000)), design, law)
    rate = true.size / (perf_counter() - start) / 1e6
    print(f"  draws alone             {CELLS:,} workplace cells, {_since(start)}, "
          f"{rate:.1f} million cells a second (goal: 1)")  # fmt: skip


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        folder = Path(sys.argv[1]) if len(sys.argv) > 1 else work / "economy"
        if len(sys.argv) == 1:
            write_economy(Economy(jobs=200_000, establishments=10_000, seed=7), folder)
        for name in ("joint_radial", "joint_pareto", "joint_clipped"):
            report(folder, work, name)


if __name__ == "__main__":
    main()
