"""Exams of regressions: the sums of rows, of establishments, and the selection of medians.

The code that is released is run on both neighbours with noise, or selection, of the auditor's own,
which records what was asked for.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import permutations, product
from typing import Protocol

import numpy as np
from flint import arb

from leeward.core.exact import precision
from leeward.core.mechanisms.moments import (
    LATTICE,
    RADIUS,
    SUMS,
    UNIT,
    EmployerMoments,
    Establishments,
    Moments,
)
from leeward.core.mechanisms.moments import Points as Rows
from leeward.core.mechanisms.theil_sen import TheilSen
from leeward.core.noise.exact_selection import weights
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import Integers
from leeward.lab.audit.audit_line import Control
from leeward.lab.audit.clipped_exam import around, sums_loss, worst_index
from leeward.lab.audit.loss import PrivacyLoss, over, worst
from leeward.lab.audit.neighbours import Depth
from leeward.lab.audit.recording import NoiseRequest, RecordingNoise
from leeward.lab.audit.row import Claim, Grid, PolicyLine, Row

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
    rows = [(i, point) for i, force in enumerate(forces) for point in force]
    u, v = (np.array([0 if row is None else row[k] for _, row in rows], int) for k in (0, 1))
    kept = np.array([row is not None for _, row in rows], bool)
    owner = np.array([i for i, _ in rows], int)
    return Establishments.of(Rows(u, v, kept, owner), np.arange(len(forces)) % cells, cells)


def examine_moments(mechanism: Moments, _: Depth) -> PrivacyLoss:
    """One row more, anywhere on the lattice, in a cell that is empty or not."""
    some: tuple[list[Point], ...] = ([], [(LATTICE, 0), None])
    joiners: list[Point] = [*product(EDGES, EDGES), None]
    losses = []
    for few in some:
        before = _recorded(mechanism, held([few, []], 2))
        for joiner in joiners:
            after = _recorded(mechanism, held([[*few, joiner], []], 2))
            losses.append(sums_loss(before, after).kept(mechanism.parameters.epsilon))
    return worst(losses)


def _recorded(mechanism: Moments, forces: Establishments) -> NoiseRequest:
    noise = RecordingNoise()
    mechanism._release(forces, noise)
    (sums,) = noise.requests
    return sums


def examine_employers(mechanism: EmployerMoments, depth: Depth) -> PrivacyLoss:
    """An establishment grows by one step: index and sums jointly, over indices."""
    losses, alpha = [], mechanism.parameters.growth
    whole = alpha.denominator
    sizes = {0, 1, 2, depth.small, whole - 1, whole, 2 * whole, 10 * whole, 10 * whole + 1}
    for size in sorted(sizes):
        joiners = max(1, int(alpha * size))  # a whole step, or one row
        for here, new in product(CORNERS, CORNERS):
            before: list[Point] = [here] * size
            after: list[Point] = [*before, *[new] * joiners]
            losses.append(_step_loss(mechanism, held([before]), held([after])))
    return worst(losses)


def _step_loss(mechanism: EmployerMoments, *both: Establishments) -> PrivacyLoss:
    grid = mechanism.clipping.grid
    indices = around(
        (int(grid.index(establishments.largest())[0]) for establishments in both), mechanism
    )
    maxima, sums = [], []
    for force in both:
        noise, copies = RecordingNoise((np.array(indices),)), len(indices)
        in_each_cell = replace(
            force,
            sums=np.repeat(force.sums, copies, axis=0),
            sizes=np.repeat(force.sizes, copies),
            cell=np.arange(copies),
            cells=copies,
        )
        theta = mechanism._release(in_each_cell, noise)[1]
        index, drawn_sums = noise.requests
        maxima.append((index, theta))
        sums.append(drawn_sums)

    def each_sums(i: int) -> PrivacyLoss:
        return sums_loss(sums[0], sums[1], slice(i * SUMS, (i + 1) * SUMS))

    drawn = maxima[0], maxima[1]
    return worst_index(indices, drawn, each_sums, mechanism.parameters.epsilon)


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


def released_medians(
    mechanism: MedianMechanism, rows: Sequence[tuple[int, int]], count: int
) -> Places:
    """The exact probability of pairs of places, the ends and the middle, over all orders."""
    u, v = np.array(rows).T
    orders = list(permutations(range(max(len(rows), count))))
    chances: Places = {}
    seen: dict[tuple[bytes, ...], int] = {}
    ranks_of = {}
    for order in orders:
        selection = RecordingSelection(order)
        mechanism._release(u, v, count, selection)
        key = tuple(ranks.tobytes() + str(rate).encode() for ranks, rate in selection.asked)
        seen[key] = seen.get(key, 0) + 1
        ranks_of[key] = selection.asked
    with precision(128):
        for key, times in seen.items():
            first, last = (_chances(*request) for request in ranks_of[key])
            for (i, p), (j, q) in product(first.items(), last.items()):
                chances[i, j] = chances.get((i, j), arb(0)) + p * q * times / len(orders)
    return chances


def _chances(ranks: Integers, rate: Fraction) -> dict[int, arb]:
    """The probability of the ends and the middle: all pairs of rows predict an end."""
    levels, places = np.unique(ranks, return_counts=True)
    parts = weights(levels.tolist(), places.tolist(), rate)
    total = sum(parts, arb(0))
    chances = {}
    for place in (0, len(ranks) // 2, len(ranks) - 1):
        level = int(np.searchsorted(levels, ranks[place]))
        chances[place] = parts[level] / total / int(places[level])
    return chances


COUNT = 4
"""The public number of rows: two pairs."""

CORNER = (-LATTICE, LATTICE)
STEEP = (1 - LATTICE, -LATTICE), (1 - LATTICE, LATTICE)
"""A row before and after: with others in the corner its pairs leave through opposite ends."""

RISING = ((1, 2), (2, 4), (3, 6), (4, 8))
"""Rows on a line through the middle, whose pairs leave through the ends at both places."""

FALLING = (5, -LATTICE)
"""A row that turns its pairs with all of them to the opposite ends."""


def examine_medians(mechanism: TheilSen, _: Depth) -> PrivacyLoss:
    """A row joins three, or as many as the public number, or is replaced by another one.

    In every matching one pair turns from end to end at both places, unless a row is left out.
    """
    pairs = (
        (RISING[:3], (*RISING[:3], FALLING)),
        (RISING, (*RISING, FALLING)),
        tuple((moving, *[CORNER] * 3) for moving in STEEP),
    )
    losses = []
    for pair in pairs:
        left, right = (released_medians(mechanism, rows, COUNT) for rows in pair)
        losses.append(over(left, left.__getitem__, right.__getitem__, mechanism.parameters.epsilon))
    return worst(losses)


@dataclass(frozen=True)
class RegressionLine(PolicyLine):
    """A mechanism of regressions under the relation that it is proved for."""

    mechanism: str
    policy: str
    made: Callable[[str, str], object]
    examine: Callable[..., PrivacyLoss]
    at: Grid = ()

    def rows(self, grid: Grid, depth: Depth) -> Iterator[Row]:
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


def short_rows(depth: Depth) -> PrivacyLoss:
    """Laplace noise for rows of L1 norm 4; one at a corner has 4.5."""
    return examine_moments(replace(Moments.calibrated("1"), radius=Fraction(4)), depth)


def near_rows(depth: Depth) -> PrivacyLoss:
    """Clipped sums with the norm of a row in place of the distance of two."""
    employers = EmployerMoments.calibrated("0.1", "1")
    return examine_employers(replace(employers, diameter=RADIUS), depth)


class CountedSizes(EmployerMoments):
    """Establishments are as large as their rows in the sums; those left out are forgotten."""

    def _release(self, forces: Establishments, noise: Noise) -> tuple[Integers, Integers]:
        return super()._release(replace(forces, sizes=forces.sums[:, 0] // UNIT), noise)


def counted_sizes(depth: Depth) -> PrivacyLoss:
    """Rows left out do not make an establishment larger."""
    employers = EmployerMoments.calibrated("0.1", "1")
    return examine_employers(CountedSizes(**vars(employers)), depth)


def hasty_medians(depth: Depth) -> PrivacyLoss:
    """Medians with weights e^(−rank·ε/2)."""
    medians = TheilSen.calibrated("1")
    return examine_medians(replace(medians, rate=2 * medians.rate), depth)


REGRESSION_CONTROLS = (
    Control("rows taken for 4 long", "moments", short_rows, "worker"),
    Control("rows taken for 4.5 apart", "employer_moments", near_rows),
    Control("sizes without the rows left out", "employer_moments", counted_sizes),
    Control("a rank for ε/2", "theil_sen", hasty_medians, "worker"),
)
