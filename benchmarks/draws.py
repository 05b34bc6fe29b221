"""Exact draws per second on one core, each as a ratio to NumPy's insecure Laplace."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from time import perf_counter
from types import ModuleType

import numpy as np
from rich.console import Console
from rich.table import Table

from leeward import mechanism
from leeward.core.mechanisms.clipped import Clipped
from leeward.core.mechanisms.pay import PayMechanism, RadialPair
from leeward.core.mechanisms.radial_block import RadialBlock
from leeward.core.mechanisms.radial_product import RadialProduct
from leeward.core.noise import block_draws, joint_draws, sampling
from leeward.core.noise.noise_source import secret
from leeward.core.noise.scales import Scales

DRAWS = 1_000_000
CELLS, PAIRS, SIX = 8, 4, (3, 3, 6, 2, 5, 2)
REPEATS = 5
LARGEST = 1000
MILLION = 1e6


@dataclass(frozen=True)
class Row:
    """One line of the table: a release of so many draws, and the goal in draws a second."""

    name: str
    parameters: str
    release: Callable[[], object]
    draws: int = DRAWS
    goal: float | None = None


def scalar(name: str, goal: float | None = None, delta: str = "0") -> Row:
    built = mechanism(name, alpha="0.1", epsilon="1", delta=delta)
    if isinstance(built, (Clipped, PayMechanism)):
        raise TypeError(f"{name} releases other columns")
    column = np.full(DRAWS, LARGEST)
    given = "" if delta == "0" else f" δ={delta}"
    return Row(name, f"α=0.1 ε=1{given}", lambda: built.release(column, column), goal=goal)


def soft(largest: int) -> Row:
    """Every size has a law of its own: of one size, and of as many sizes as there are draws."""
    built = mechanism("soft_staircase", alpha="0.1", epsilon="4", epsilon_job="1")
    if isinstance(built, (Clipped, PayMechanism)):
        raise TypeError("soft_staircase releases other columns")
    column = np.linspace(LARGEST, largest, DRAWS).astype(np.int64)
    sizes = f"{len(np.unique(column)):,} sizes"
    goal = 5 * MILLION
    return Row(
        "soft_staircase", f"ε=4 job 1, {sizes}", lambda: built.release(column, column), goal=goal
    )


def block(name: str, cells: int = CELLS, goal: float | None = None) -> Row:
    built = mechanism(name, alpha="0.05", epsilon="4", cells=cells)
    if not isinstance(built, RadialBlock):
        raise TypeError(f"{name} draws no blocks")
    rows = DRAWS // cells
    counts, largest = np.full((rows, cells), LARGEST), np.full(rows, LARGEST)
    return Row(
        name,
        f"α=0.05 ε=4 d={cells}",
        lambda: built.release(counts, largest),
        rows * cells,
        goal,
    )


def pairs(name: str) -> Row:
    """Count and payroll of every cell, four pairs a row."""
    built = mechanism(name, alpha="0.05", epsilon="4", cells=PAIRS, cap=1000)
    if not isinstance(built, RadialPair):
        raise TypeError(f"{name} draws no pairs")
    rows = DRAWS // PAIRS // 4
    true = np.full((rows, PAIRS, 2), LARGEST)
    ones = np.full(rows, LARGEST // 10)
    scales = Scales(ones), Scales(ones, factor=Fraction(1000))
    return Row(
        name,
        f"α=0.05 ε=4 d={PAIRS}",
        lambda: secret().pairs(true, scales, built.body, built.radius),
        true.size,
    )


def product(name: str) -> Row:
    built = mechanism(name, alpha="0.05", epsilon="4", tables=SIX)
    if not isinstance(built, RadialProduct):
        raise TypeError(f"{name} draws no products")
    rows = DRAWS // sum(SIX) // 4
    counts = np.tile(np.repeat(600 // np.array(SIX), SIX), (rows, 1))
    largest = np.full(rows, LARGEST)
    return Row(name, "α=0.05 ε=4 six tables", lambda: built.release(counts, largest), counts.size)


def clipped() -> Row:
    built = mechanism("clipped", alpha="0.1", epsilon="1", cells=CELLS)
    if not isinstance(built, Clipped):
        raise TypeError("clipped is not what it was")
    rows = DRAWS // CELLS // 4
    counts = np.full((rows, CELLS), LARGEST // CELLS)
    sizes, place = np.full(rows, LARGEST), np.arange(rows)
    return Row(
        "clipped",
        f"α=0.1 ε=1 d={CELLS}",
        lambda: built.release(counts, sizes, place),
        rows * CELLS,
    )


def all_rows() -> list[Row]:
    return [
        scalar("slope", 5 * MILLION),
        scalar("log_laplace", 5 * MILLION),
        scalar("edge_laplace", 5 * MILLION),
        scalar("smooth_laplace", delta="0.01"),
        scalar("smooth_gamma"),
        scalar("scale"),
        soft(LARGEST),
        soft(2 * DRAWS),
        block("vector_pareto", goal=2 * MILLION),
        block("radial_slope", goal=2 * MILLION),
        block("radial_slope", 2),
        block("radial_slope", 80),
        pairs("pay_radial"),
        product("joint_pareto"),
        product("joint_radial"),
        clipped(),
    ]


def best_rate(release: Callable[[], object], draws: int) -> float:
    """Draws a second in the fastest of several runs."""
    release()  # calibration tables are built once, not for every release
    times = []
    for _ in range(REPEATS):
        start = perf_counter()
        release()
        times.append(perf_counter() - start)
    return draws / min(times)


@contextmanager
def counting(module: ModuleType, name: str) -> Iterator[list[int]]:
    """Counts the calls of a function of this module."""
    original, calls = getattr(module, name), [0]

    def counted(*given: object) -> object:
        calls[0] += 1
        return original(*given)

    setattr(module, name, counted)
    try:
        yield calls
    finally:
        setattr(module, name, original)


def slow_draws(release: Callable[[], object]) -> int:
    """How many draws, or rows of a block, float64 could not decide."""
    with (
        counting(sampling, "refine") as single,
        counting(block_draws, "RefinedBlock") as blocks,
        counting(block_draws, "RefinedPairs") as paired,
        counting(joint_draws, "refine_joint") as products,
    ):
        release()
    return single[0] + blocks[0] + paired[0] + products[0]


def main() -> None:
    generator = np.random.default_rng()
    insecure = best_rate(lambda: generator.laplace(size=DRAWS), DRAWS)
    table = Table(
        title=f"Exact draws on one core, best of {REPEATS}",
        caption="M/s: million draws a second; ratio: to NumPy; slow: share that float64 left open",
    )
    for heading in ("mechanism", "at"):
        table.add_column(heading, no_wrap=True)
    for heading in ("M/s", "ratio", "slow", "goal", "met"):
        table.add_column(heading, justify="right")
    table.add_row("NumPy's Laplace", "insecure", f"{insecure / MILLION:.1f}", "1", "", "", "")
    for row in all_rows():
        rate = best_rate(row.release, row.draws)
        share = slow_draws(row.release) / row.draws
        goal = "" if row.goal is None else f"{row.goal / MILLION:.0f}"
        met = "" if row.goal is None else "yes" if rate >= row.goal else "no"
        speed, ratio = f"{rate / MILLION:.1f}", f"{rate / insecure:.2g}"
        table.add_row(row.name, row.parameters, speed, ratio, f"{share:.0e}", goal, met)
    Console().print(table)


if __name__ == "__main__":
    main()
