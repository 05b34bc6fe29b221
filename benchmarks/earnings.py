"""Payrolls and means of pay, as drawn: `python -m benchmarks.earnings [ECONOMY | targets]`.

First the median relative error of means in made-up cells of 1, 10, 100 and 1,000 establishments
(log-normal sizes and pay, cap 4.8 mean pays), by mechanism and ε at α = .1. Then errors of payrolls
and means by place and sector in a made-up economy of 200,000 jobs with a cap of 15,000 a month.
Last, how often intervals of means hold the truth there, and how wide they are. With `targets`, how
often means and counts under the worker policy are within 10 % at the ε that `apd` gives for 90 %.
"""

import sys
import tempfile
from fractions import Fraction
from itertools import product
from pathlib import Path

import duckdb
import numpy as np

from leeward.core.codebook import Entries
from leeward.core.codebook.cells import EMPTY
from leeward.core.mechanisms.apd import ApdTarget
from leeward.core.mechanisms.calibrated import MarginRule
from leeward.core.mechanisms.error_margins import NoMargins, PublicMargins
from leeward.core.mechanisms.measurement import Measured, Needs
from leeward.core.mechanisms.pay import PayMechanism
from leeward.core.mechanisms.pay_margins import pay_margins, reach
from leeward.core.mechanisms.registry import mechanism
from leeward.core.noise.body import Body
from leeward.core.noise.scales import Integers
from leeward.core.randomness import SeededBits
from leeward.lab.economy import Economy, write_economy

MEAN_PAY, SPREAD = 500_000, 0.72
CAP = round(4.8 * MEAN_PAY)
CELLS = (1, 10, 100, 1000)
REPEATS = {1: 4000, 10: 2000, 100: 400, 1000: 60}
NAMES = ("pay_pareto", "pay_centred", "pay_clipped", "pay_two_scales", "log_pair")
EPSILONS = ("1/2", "1", "2", "4")
ECONOMY_CAP = 1_500_000
APART = Body("apart", ((1, 0), (0, 1), (-1, 0), (0, -1)))
"""Independent noise of count and payroll."""


def made(name: str, epsilon: str | Fraction, cap: int, statistic: str = "mean") -> PayMechanism:
    built = mechanism(name, alpha="0.1", epsilon=epsilon, cap=cap, statistic=statistic)
    if not isinstance(built, PayMechanism):
        raise TypeError(f"{name} is no mechanism of pay")
    return built


def measured(built: PayMechanism, entries: Entries, rule: MarginRule | None = None) -> Measured:
    table = built.measurement(by_cell=False, margins=rule or NoMargins())
    return table.measure(entries if table.needs is Needs.ENTRIES else entries.as_cells())


def entries_of(sizes: Integers, pay: Integers, place: Integers, cells: int) -> Entries:
    """One worker cell; each establishment is one entry."""
    return Entries(
        counts=sizes,
        cell=np.zeros_like(sizes),
        row=np.arange(sizes.size),
        sizes=sizes,
        workplace=place,
        shape=(cells, 1),
        in_frame=np.bincount(place, minlength=cells),
        payroll=pay,
        payrolls=pay,
    )


def simulated(establishments: int) -> tuple[Entries, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """Cells with so many establishments, and their mean pay without a cap."""
    generator, cells = SeededBits(establishments).generator, REPEATS[establishments]
    sizes = np.ceil(np.exp(generator.normal(np.log(6), 1.25, cells * establishments)))
    sizes = sizes.astype(np.int64)
    jobs = np.exp(generator.normal(-(SPREAD**2) / 2, SPREAD, int(sizes.sum()))) * MEAN_PAY
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    capped = np.minimum(jobs, CAP).astype(np.int64)
    place = np.repeat(np.arange(cells), establishments)
    held = entries_of(sizes, np.add.reduceat(capped, starts), place, cells)
    uncapped = np.bincount(place, np.add.reduceat(jobs, starts))
    return held, uncapped / np.bincount(place, sizes)


def means() -> None:
    """The table of 10.3: a mean that is not published counts as an error of 1."""
    print("median relative error of the mean; 1, 10, 100, 1000 establishments (cap bias included)")
    held = {one: simulated(one) for one in CELLS}
    for name in NAMES:
        line = []
        for epsilon in EPSILONS:
            errors = []
            for one in CELLS:
                entries, true = held[one]
                values = measured(made(name, epsilon, CAP), entries).values[:, 0]
                off = np.where(values == EMPTY, 1.0, np.abs(values / true - 1))
                errors.append(f"{min(np.median(off), 1):.3f}".lstrip("0"))
            line.append(" ".join(errors))
        print(
            f"{name:16} "
            + "   ".join(f"ε {e}: {one}" for e, one in zip(EPSILONS, line, strict=True))
        )


def economy(folder: Path) -> Entries:
    """Establishments by place and sector; pay up to the cap."""
    rows = duckdb.sql(f"""SELECT dense_rank() OVER (ORDER BY place, sector) - 1 AS cell,
        count(*) AS jobs,
        sum(least(greatest(coalesce(earnings, 0), 0), {ECONOMY_CAP}))::BIGINT AS pay
        FROM '{folder}/jobs.parquet' JOIN '{folder}/workplaces.parquet' USING (workplace_id)
        GROUP BY place, sector, workplace_id ORDER BY 1""").fetchnumpy()
    place = rows["cell"].astype(np.int64)
    return entries_of(
        rows["jobs"].astype(np.int64), rows["pay"].astype(np.int64), place, int(place[-1]) + 1
    )


def table(entries: Entries) -> None:
    """The table of 10.8, in currency a month (a hundredth of the unit)."""
    cells = entries.as_cells()
    jobs, pay = cells.counts[:, 0], entries.summed(entries.payroll)[:, 0]  # type: ignore[arg-type]
    true = pay / jobs
    print(f"\n{len(jobs)} place × sector cells, median {np.median(jobs):.0f} jobs, payroll "
          f"{np.median(pay) / 100:,.0f}, mean {np.median(true) / 100:,.0f}")  # fmt: skip
    for name in ("payroll_pareto", "pay_centred", "payroll_slope", "pay_two_scales"):
        shown = []
        for epsilon in ("1", "2", "4"):
            built = made(name, epsilon, ECONOMY_CAP, "payroll")
            expected = np.asarray(built.error(cells, 0.0, 1.0))
            drawn = [np.abs(measured(built, entries).values[:, 0] - pay) for _ in range(60)]
            share = expected.sum() / pay.sum()
            seen = np.mean(drawn, axis=0).sum() / pay.sum()
            shown.append(
                f"ε {epsilon}: {np.median(expected) / 100:7,.0f} {share:5.1%} (drawn {seen:5.1%})"
            )
        print(f"payroll  {name:16} " + "   ".join(shown))
    bands = [(1, 99), (100, 999), (1000, 10**9)]
    for name in ("pay_centred", "pay_two_scales"):
        shown = []
        for epsilon in ("1", "2", "4"):
            built = made(name, epsilon, ECONOMY_CAP)
            drawn = [measured(built, entries).values[:, 0] for _ in range(60)]
            off = np.median([np.where(v == EMPTY, true, np.abs(v - true)) for v in drawn], axis=0)
            parts = [np.median(off[(jobs >= a) & (jobs <= b)]) / 100 for a, b in bands]
            shown.append(f"ε {epsilon}: " + " ".join(f"{one:5.0f}" for one in parts))
        print(f"mean     {name:16} " + "   ".join(shown))
    for name, share in (("pay_centred", "1/5"), ("pay_two_scales", "1/5"), ("pay_clipped", "0")):
        built = made(name, Fraction(2) - Fraction(share), ECONOMY_CAP)
        rule = PublicMargins() if built.free_margins else pay_margins(built, Fraction(share))
        found = [measured(built, entries, rule).margins for _ in range(20)]
        low, high = (np.concatenate([one[end][:, 0] for one in found]) for end in ("low", "high"))
        truth, some = np.tile(true, 20), low != EMPTY
        held = ((low - 1 <= truth) & (truth <= high + 1))[some].mean()
        half = np.median(((high - low) / 2 / truth)[some])
        print(f"interval {name:16} ε 2, of it {share} for scales: holds {held:.3f}, half width "
              f"{half:.0%} of the mean, none in {1 - some.mean():.1%}")  # fmt: skip


def targets() -> None:
    """The table of 10.5, with what is drawn; and a Laplace draw each at half of ε."""
    wanted, draws = ApdTarget.read("APD 10 % in 90 %"), 400_000
    print("jobs  cap  ε count   mean   split   drawn: mean  count  both within 10 %")
    for cap, jobs in product((3, 5), (10, 20, 30, 50, 100, 200)):
        epsilon = wanted.mean_and_count(jobs, cap)
        built = made("edge_pay", epsilon, cap * MEAN_PAY)
        size = np.full(draws, jobs, dtype=np.int64)
        count, pay = built.release(size, size * MEAN_PAY, size)[:, 0].T
        with np.errstate(all="ignore"):
            mean = np.abs(pay / count / MEAN_PAY - 1) <= 0.1
        near = np.abs(count - jobs) <= 0.1 * jobs
        split = 2 * cap * reach(APART, -1 / cap, 1.0, wanted.often) / (0.1 * jobs)
        alone = float(wanted.count(jobs))
        print(f"{jobs:4} {cap:4} {alone:8.3f} {float(epsilon):6.3f} {split:7.2f}"
              f" {mean.mean():18.3f} {near.mean():6.3f} {(mean & near).mean():5.3f}")  # fmt: skip


def main() -> None:
    if sys.argv[1:] == ["targets"]:
        targets()
        return
    means()
    if len(sys.argv) > 1:
        table(economy(Path(sys.argv[1])))
        return
    with tempfile.TemporaryDirectory() as folder:
        write_economy(Economy(200_000, 10_000, seed=1), Path(folder) / "economy")
        table(economy(Path(folder) / "economy"))


if __name__ == "__main__":
    main()
