"""Exams of regressions: the sums of rows, of establishments, and the selection of medians.

The code that is released is run on both neighbours with noise, or selection, of the auditor's own,
which records what was asked for.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import permutations, product
from typing import ClassVar, Protocol

import numpy as np
from flint import arb

from leeward.core.exact import precision
from leeward.core.mechanisms.moments import LATTICE, SUMS, EmployerMoments, Establishments, Moments
from leeward.core.mechanisms.moments import Points as Rows
from leeward.core.mechanisms.theil_sen import TheilSen
from leeward.core.noise.exact_selection import weights
from leeward.core.noise.scales import Integers
from leeward.lab.audit.clipped_exam import DISTINGUISHED, _indices, _joined, _signed, _steps, _sums
from leeward.lab.audit.loss import Loss, over, worst
from leeward.lab.audit.neighbours import Depth
from leeward.lab.audit.recording import NoiseRequest, RecordingNoise
from leeward.lab.audit.row import Claim, Row

Point = tuple[int, int] | None
"""A row on the lattice; None for one that is left out."""

EDGES = (-LATTICE, -LATTICE // 2, 0, LATTICE // 2, LATTICE)
CORNERS: tuple[Point, ...] = (
    (LATTICE, LATTICE),
    (0, -LATTICE),
    (-LATTICE, LATTICE),
    (-LATTICE, -LATTICE),
    None,
)

REPLACEMENT = "replacement"
"""A relation in place of a policy: one row is replaced, none is added."""


def held(forces: Sequence[Sequence[Point]], cells: int = 1) -> Establishments:
    """Establishments of these rows, in the cells 0, 1, … in turn."""
    rows = [(i, one) for i, force in enumerate(forces) for one in force]
    u, v = (np.array([0 if one is None else one[k] for _, one in rows], int) for k in (0, 1))
    kept = np.array([one is not None for _, one in rows], bool)
    owner = np.array([i for i, _ in rows], int)
    return Establishments.of(Rows(u, v, kept, owner), np.arange(len(forces)) % cells, cells)


def examine_moments(made: Moments, _: Depth) -> Loss:
    """One row more, anywhere on the lattice, in a cell that is empty or not."""
    some: tuple[list[Point], ...] = ([], [(LATTICE, 0), None])
    joiners: list[Point] = [*product(EDGES, EDGES), None]
    return worst(
        _row_loss(made, held([few, []], 2), held([[*few, one], []], 2))
        for few in some
        for one in joiners
    )


def _row_loss(made: Moments, before: Establishments, after: Establishments) -> Loss:
    left, right = _recorded(made, before), _recorded(made, after)
    return _joined(arb(0), _sums(left, right, _steps(left, right)), made.parameters.epsilon)


def _recorded(made: Moments, one: Establishments) -> NoiseRequest:
    noise = RecordingNoise()
    made._release(one, noise)
    (sums,) = noise.requests
    return sums


def examine_employers(made: EmployerMoments, depth: Depth) -> Loss:
    """An establishment grows by one step: index and sums jointly, over indices."""
    return worst(_step_loss(made, *pair) for pair in _growth(made.parameters.growth, depth))


def _growth(alpha: Fraction, depth: Depth) -> Iterator[tuple[list[Point], list[Point]]]:
    """Rows of one kind joined by rows of another; whole steps, and one row."""
    whole = alpha.denominator
    sizes = {0, 1, 2, depth.small, whole - 1, whole, 2 * whole, 10 * whole, 10 * whole + 1}
    for size in sorted(sizes):
        joiners = max(1, int(alpha * size))
        for here, new in product(CORNERS, CORNERS):
            yield [here] * size, [here] * size + [new] * joiners


def _step_loss(made: EmployerMoments, before: list[Point], after: list[Point]) -> Loss:
    both = held([before]), held([after])
    grid = made.clipping.grid
    lowest, highest = (int(grid.index(one.largest())[0]) for one in both)
    indices = np.array(sorted(set(_indices(lowest, highest, made))))
    runs, thetas = [], []
    for one in both:
        noise = RecordingNoise((indices,))
        thetas.append(made._release(_copies(one, len(indices)), noise)[1])
        runs.append(noise.requests)
    if (thetas[0] != thetas[1]).any():  # published: it must follow from the index alone
        return DISTINGUISHED
    (index, sums), (other_index, other_sums) = runs
    steps = _steps(sums, other_sums)
    losses = []
    for i, at in enumerate(indices.tolist()):
        first = _signed(*(run.rounded(i).mass((at,)) for run in (index, other_index)))
        part = _sums(sums, other_sums, steps[i * SUMS : (i + 1) * SUMS])
        losses.append(_joined(first, part, made.parameters.epsilon))
    return worst(losses)


def _copies(one: Establishments, copies: int) -> Establishments:
    """The same establishment in each of some cells."""
    return replace(
        one,
        sums=np.repeat(one.sums, copies, axis=0),
        sizes=np.repeat(one.sizes, copies),
        cell=np.arange(copies),
        cells=copies,
    )


@dataclass
class RecordingSelection:
    """Selection that takes the rows in a given order, chooses the first place and keeps ranks."""

    given: Sequence[int] = ()
    asked: list[tuple[Integers, Fraction]] = field(default_factory=list)
    coins: list[tuple[Integers, Fraction]] = field(default_factory=list)
    """The same of permute-and-flip."""

    def order(self, count: int) -> Integers:
        """The given order."""
        return np.array(self.given[:count])

    def chosen(self, ranks: Integers, rate: Fraction) -> int:
        """Keep the ranks."""
        self.asked.append((ranks, rate))
        return 0

    def flipped(self, ranks: Integers, rate: Fraction) -> int:
        """Keep the ranks."""
        self.coins.append((ranks, rate))
        return 0


class MedianMechanism(Protocol):
    """What the auditor asks of a selection of medians."""

    @property
    def lattice(self) -> int:
        """The grid is −G…G."""

    def _release(
        self, u: Integers, v: Integers, count: int, selection: RecordingSelection
    ) -> tuple[int, int]:
        """What is released of a public number of points, with given selection."""


Places = dict[tuple[int, ...], arb]


def released_medians(made: MedianMechanism, rows: Sequence[tuple[int, int]], count: int) -> Places:
    """The exact probability of pairs of places, the ends and the middle, over all orders."""
    u, v = np.array(rows).T
    orders = list(permutations(range(max(len(rows), count))))
    found: Places = {}
    seen: dict[tuple[bytes, ...], int] = {}
    asked = {}
    for order in orders:
        selection = RecordingSelection(order)
        made._release(u, v, count, selection)
        key = tuple(ranks.tobytes() + str(rate).encode() for ranks, rate in selection.asked)
        seen[key] = seen.get(key, 0) + 1
        asked[key] = selection.asked
    with precision(128):
        for key, times in seen.items():
            first, last = (_chances(*one) for one in asked[key])
            for (i, p), (j, q) in product(first.items(), last.items()):
                found[i, j] = found.get((i, j), arb(0)) + p * q * times / len(orders)
    return found


def _chances(ranks: Integers, rate: Fraction) -> dict[int, arb]:
    """The probability of the ends and the middle: all pairs of rows predict an end."""
    levels, places = np.unique(ranks, return_counts=True)
    parts = weights(levels.tolist(), places.tolist(), rate)
    total = sum(parts, arb(0))
    found = {}
    for place in (0, len(ranks) // 2, len(ranks) - 1):
        level = int(np.searchsorted(levels, ranks[place]))
        found[place] = parts[level] / total / int(places[level])
    return found


COUNT = 4
"""The public number of rows: two pairs."""

CORNER = (-LATTICE, LATTICE)
STEEP = (1 - LATTICE, -LATTICE), (1 - LATTICE, LATTICE)
"""A row before and after: with others in the corner its pairs leave through opposite ends."""

RISING = ((1, 2), (2, 4), (3, 6), (4, 8))
"""Rows on a line through the middle, whose pairs leave through the ends at both places."""

FALLING = (5, -LATTICE)
"""A row that turns its pairs with all of them to the opposite ends."""


def examine_medians(made: TheilSen, _: Depth) -> Loss:
    """A row joins three, or as many as the public number, or is replaced by another one.

    In every matching one pair turns from end to end at both places, unless a row is left out.
    """
    pairs = (
        (RISING[:3], (*RISING[:3], FALLING)),
        (RISING, (*RISING, FALLING)),
        tuple((one, *[CORNER] * 3) for one in STEEP),
    )
    return worst(_median_loss(made, before, after) for before, after in pairs)


def _median_loss(
    made: TheilSen, before: Sequence[tuple[int, int]], after: Sequence[tuple[int, int]]
) -> Loss:
    left, right = (released_medians(made, rows, COUNT) for rows in (before, after))
    claimed = made.parameters.epsilon
    return over(left.keys(), lambda o: left[o], lambda o: right[o], claimed)


@dataclass(frozen=True)
class RegressionLine:
    """A mechanism of regressions under the relation that it is proved for."""

    mechanism: str
    policy: str
    made: Callable[[str, str], object]
    examine: Callable[..., Loss]
    at: tuple[tuple[str, str], ...] = ()
    deep: ClassVar[bool] = False

    @property
    def policies(self) -> tuple[str, ...]:
        """The one relation."""
        return (self.policy,)

    def rows(self, grid: tuple[tuple[str, str], ...], depth: Depth) -> Iterator[Row]:
        """One row for every α and ε."""
        for alpha, epsilon in self.at or grid:
            growth = Fraction(alpha) if self.policy == "strong" else None
            claim = Claim(self.mechanism, "tight", self.policy, growth, Fraction(epsilon))
            yield Row(claim, self.examine(self.made(alpha, epsilon), depth))


REGRESSION_LINES = (
    RegressionLine("moments", "worker", lambda _, e: Moments.calibrated(e), examine_moments),
    RegressionLine("employer_moments", "strong", EmployerMoments.calibrated, examine_employers),
    RegressionLine(
        "theil_sen",
        "worker",
        lambda _, e: TheilSen.calibrated(e),
        examine_medians,
        at=(("0.1", "1"), ("0.1", "4")),
    ),
)
