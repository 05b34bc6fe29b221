"""The joint audit of the clipped mechanism against every index and every lattice output.

The truth is written from mathematics/blocks.md 2 alone: the index of the maximum with its noise,
θ from the index, clipped vectors floored to the lattice, discrete Laplace noise for 2αθ/(1+α) and
one lattice point a cell.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from math import ceil, floor, log

import numpy as np
import pytest

from leeward.core.mechanisms import mechanism
from leeward.core.mechanisms.clipped import Clipped
from leeward.core.privacy import policy
from leeward.core.privacy.workforces import Database
from leeward.lab.audit.clipped_exam import clipped_loss, pair_loss
from leeward.lab.audit.neighbours import QUICK, DatabasePair

ALPHA, EPSILON, GRID = Fraction(1), 4.0, 32
Vector = tuple[int, ...]


def clipped(cells: int, establishments: int = 8) -> Clipped:
    built = mechanism("clipped", alpha=ALPHA, epsilon=4, cells=cells, establishments=establishments)
    assert isinstance(built, Clipped)
    return built


@dataclass(frozen=True)
class Truth:
    """The release of one workplace cell, by formulas."""

    cells: int
    lattice: int
    split: float
    headroom: float

    @classmethod
    def of(cls, built: Clipped) -> "Truth":
        clipping = built.clipping
        numbers = float(built.split), float(clipping.headroom)
        return cls(built.parameters.cells, clipping.lattice, *numbers)

    @staticmethod
    def index(largest: int) -> int:
        return floor(GRID * log(max(float(largest), float(1 / ALPHA))) / log(1 + ALPHA) + 1e-9)

    def theta(self, index: int) -> int:
        """In lattice points: e^μ·Ã and 1/α + 1, whichever is larger."""
        size = self.headroom * float(1 + ALPHA) ** ((index + 0.5) / GRID)
        return ceil(float(max(size, float(1 / ALPHA + 1))) * self.lattice)

    def sums(self, database: Database, theta: int) -> list[int]:
        total = [0] * self.cells
        for force in database.establishments:
            factor = min(Fraction(self.lattice), Fraction(theta, max(sum(force.jobs), 1)))
            for i in range(self.cells):
                total[i] += floor(force.jobs[i] * factor)
        return total

    def spread(self, theta: int) -> float:
        moved = min(self.cells, 2) * float(ALPHA / (1 + ALPHA)) * theta + self.cells
        return moved / (EPSILON * (1 - self.split))

    def index_ratio(self, index: int, before: int, after: int) -> float:
        return (abs(index - after) - abs(index - before)) * EPSILON * self.split / GRID

    def loss(self, pair: DatabasePair) -> tuple[float, float]:
        """The largest log-ratio each way, over all indices that matter and all outputs."""
        before, after = (self.index(max(database.sizes)) for database in pair.databases)
        worst = [0.0, 0.0]
        for index in range(-GRID, after + 4 * GRID):
            theta = self.theta(index)
            vectors = [self.sums(database, theta) for database in pair.databases]
            first, spread = self.index_ratio(index, before, after), self.spread(theta)
            for way, sign in enumerate((1, -1)):
                gained = [
                    outputs_ratio(left, right, spread, sign)
                    for left, right in zip(*vectors, strict=True)
                ]
                worst[way] = max(worst[way], sign * first + sum(gained))
        return worst[0], worst[1]


@cache
def outputs_ratio(left: int, right: int, spread: float, sign: int) -> float:
    """The largest log-ratio of one cell over a whole window of lattice outputs."""
    low, high = sorted((left, right))
    outputs = np.arange(low - 50, high + 51)
    ratios = (np.abs(outputs - right) - np.abs(outputs - left)) / spread
    return float((sign * ratios).max())


def every_pair(kinds: int, most: int, others: tuple[tuple[Vector, ...], ...]) -> list[DatabasePair]:
    forces = [force for force in product(range(most + 1), repeat=kinds) if sum(force) <= most]
    joiners = [force for force in forces if sum(force) > 0]
    return [
        DatabasePair.of(before, tuple(b + j for b, j in zip(before, joined, strict=True)), *other)
        for other, before, joined in product(others, forces, joiners)
        if sum(joined) == 1 or sum(joined) <= ALPHA * sum(before)
    ]


CASES = [(1, 1), (1, 2), (2, 2), (2, 3)]
"""Worker cells in the table, and kinds of worker that there are."""


@pytest.mark.parametrize(("cells", "kinds"), CASES)
def test_the_auditor_sees_what_enumeration_sees(cells: int, kinds: int) -> None:
    """Of each pair nearly all, although it looks at few indices; of the worst pair all."""
    built = clipped(cells)
    truth = Truth.of(built)
    worst = np.zeros(2)
    for pair in every_pair(kinds, 4, ((),))[::kinds]:
        seen = pair_loss(built, pair.databases)
        ways = np.array([truth.loss(pair), (float(seen.forward), float(seen.backward))])
        assert (ways[1] <= ways[0] + 1e-3).all()
        assert (ways[1] >= ways[0] - 0.04 * EPSILON).all()
        worst = np.maximum(worst, ways.max(axis=1))
    assert worst[1] == pytest.approx(worst[0], abs=1e-3)


@pytest.mark.parametrize(("cells", "kinds"), CASES)
def test_no_small_database_loses_more_than_is_promised(cells: int, kinds: int) -> None:
    truth = Truth.of(clipped(cells))
    elsewhere = ((), ((3,) + (0,) * (kinds - 1),), ((0,) * (kinds - 1) + (9,),))
    worst = max(max(truth.loss(pair)) for pair in every_pair(kinds, 5 - kinds, elsewhere))
    assert 0.9 * EPSILON < worst <= EPSILON * (1 + 1e-9)


@pytest.mark.parametrize("cells", [1, 2])
def test_theta_and_clipping_are_those_of_the_formulas(cells: int) -> None:
    built = clipped(cells)
    clipping, truth = built.clipping, Truth.of(built)
    assert clipping.lattice >= 1000 * cells
    for index in range(-40, 200, 7):
        theta = clipping.theta_of(index)
        assert abs(theta - truth.theta(index)) <= 1
        moved = truth.spread(theta) * EPSILON * (1 - truth.split)
        assert clipping.moved(np.array([theta])) == pytest.approx(moved, abs=1)
        for size in (1, 3, 40):
            row = (size,) + (1,) * (cells - 1)
            norm = np.array([sum(row)])
            found = clipping.clip(np.array([row]), norm, np.array([theta]))[0]
            assert list(found) == truth.sums(Database.of(row), theta)


@pytest.mark.parametrize("cells", [1, 2, 8])
def test_a_tenth_less_noise_is_seen_at_any_number_of_cells(cells: int) -> None:
    split = clipped(cells).split
    spoilt = mechanism("clipped", alpha=ALPHA, epsilon=Fraction(40, 9), cells=cells, split=split)
    assert isinstance(spoilt, Clipped)
    assert float(clipped_loss(spoilt, policy("strong"), QUICK).epsilon) > 1.05 * EPSILON
