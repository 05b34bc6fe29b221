"""Fitness: what is predicted of public sizes is what fresh draws of the mechanism show."""

from fractions import Fraction
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from leeward.core.codebook import Cells
from leeward.core.mechanisms.measurement import CellLaw, Measurement
from leeward.core.noise.law import Law
from leeward.lab.economy.establishments import EconomyCells, build_frame
from leeward.lab.economy.made_up_economy import Economy
from leeward.publishing.plan.fitness import Fitness
from leeward.publishing.plan.target import read_target, smallest_budget
from tests.publishing.plans import STRONG, WORKER, planned

ECONOMY = Economy(jobs=60_000, establishments=3_000)
BY = ("place", "sector")
TENTH = Fraction(1, 10)
TIMES = 10

SLOPE = "{name: a, by: [place, sector], mechanism: slope}"
PARETO = "{name: a, by: [place, sex], mechanism: vector_pareto}"
EDGE = "{name: a, by: [place, sector]}"


def cells_of(made: Measurement) -> Cells:
    """The workplace cells of the economy, counted by themselves, workers spread evenly."""
    frame, d = build_frame(ECONOMY.stream(0), ECONOMY), made.parameters.cells
    kept = frame.size > 0
    key = frame.place[kept].astype(np.int64) * 100 + frame.sector[kept]
    _, cell = np.unique(key, return_inverse=True)
    jobs, largest = np.bincount(cell, frame.size[kept]), np.zeros(cell.max() + 1)
    np.maximum.at(largest, cell, frame.size[kept])
    counts = np.repeat(-(-jobs[:, None] // d), d, axis=1)
    return Cells(counts.astype(np.int64), largest.astype(np.int64))


@pytest.mark.parametrize(
    ("table", "protect", "goal"),
    [
        (SLOPE, STRONG, "80 % within 10 %"),
        (SLOPE, STRONG, "95 % of top 10 % right"),
        (PARETO, STRONG, "10 %"),
        (EDGE, WORKER, "95 % of top 10 % right"),
    ],
)
def test_a_target_is_met_on_fresh_draws_of_the_economy(
    tmp_path: Path, table: str, protect: str, goal: str
) -> None:
    profile = EconomyCells(ECONOMY).profile(BY)
    plan = planned(tmp_path, table, protect=protect)
    found = smallest_budget(plan, read_target(f"a: {goal}"), lambda _: profile)
    made = found.tables[0].measurement
    fitness, cells = Fitness.of(made, profile), cells_of(made)
    assert fitness is not None
    true, drawn = cells.counts[:, 0], [made.measure(cells).values[:, 0] for _ in range(TIMES)]
    if "top" in goal:
        kept = -(-len(true) // 10)
        least = np.sort(true)[-kept]
        right = [(true[np.argsort(-one, kind="stable")[:kept]] >= least).mean() for one in drawn]
        assert np.mean(right) == pytest.approx(fitness.top(TENTH), abs=0.02)
    else:
        near = np.mean([(10 * np.abs(one - true) <= true) for one in drawn])
        assert near == pytest.approx(fitness.within(TENTH), abs=0.02)


def test_accuracy_rises_with_epsilon_and_with_what_is_allowed(tmp_path: Path) -> None:
    profile = EconomyCells(ECONOMY).profile(BY)
    found = []
    for epsilon in ("1", "2", "4"):
        protect = STRONG.replace("epsilon: 4", f"epsilon: {epsilon}")
        fitness = Fitness.of(
            planned(tmp_path, SLOPE, protect=protect).tables[0].measurement, profile
        )
        assert fitness is not None
        found.append((fitness.within(TENTH), -fitness.quantile(0.5), fitness.top(TENTH)))
        shares = [fitness.within(Fraction(n, 100)) for n in range(0, 60, 5)]
        assert shares == sorted(shares)
        assert fitness.within(fitness.quantile(0.5)) >= 0.5
    assert all(list(column) == sorted(column) for column in zip(*found, strict=True))


def test_a_profile_has_every_cell_of_the_economy_and_all_of_its_jobs() -> None:
    profile = EconomyCells(ECONOMY).profile(BY)
    pairs = list(zip(profile.cells, profile.n, strict=True))
    assert sum(cells * n for cells, n in pairs) == ECONOMY.jobs
    assert all(size <= n for size, n in zip(profile.largest, profile.n, strict=True))
    (one,) = set(EconomyCells(ECONOMY).profile(()).n)
    assert one == ECONOMY.jobs


class Even(NamedTuple):
    """Noise that is as likely anywhere from 0 to 1."""

    name: str

    def approximate(self, words: NDArray[np.uint64]) -> tuple[NDArray[np.float64], None]:
        return words / 2.0**64, None


def test_cells_of_two_laws_have_noise_of_their_own() -> None:
    """Known bad: the same draws for both, which never change places."""
    laws = [cast("Law", Even(name)) for name in ("one", "other")]
    cells = tuple(CellLaw(100 + k, law, 1000.0) for k, law in enumerate(laws))
    assert Fitness(cells, (1, 1)).top(Fraction(1, 2)) == pytest.approx(0.5, abs=0.1)
