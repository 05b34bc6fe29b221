"""The clipped mechanism examined: the index of the maximum and the clipped sums, jointly.

For each possible index the log-ratio of the index adds to the log-ratio of the sums given the θ
that follows from it; the loss is the worst index.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import log

import numpy as np
from flint import arb

from leeward.audit.loss import NONE, Loss, over, worst
from leeward.audit.measure import Depth, jobs
from leeward.audit.neighbours import Pair, Workforce, blocks
from leeward.audit.outputs import Rounded
from leeward.exact import ball, precision
from leeward.mechanisms.clipped import Clipped
from leeward.mechanisms.clipping import HEADROOM
from leeward.mechanisms.gaussian import normaliser
from leeward.mechanisms.grid import STEPS
from leeward.mechanisms.law import PiecewiseLaw, discrete_laplace
from leeward.privacy import Policy

ORDERS = (Fraction(3, 2), Fraction(2), Fraction(8))


def whole_norm(force: Workforce, covered: int) -> int:
    """|E|: all jobs, covered by the table or not."""
    return jobs(force[:covered]) + jobs(force[covered:])


@dataclass(frozen=True)
class ClippedExam:
    """A clipped mechanism to examine, perhaps with a defect: the controls change one part.

    `norm` is what an establishment's size is taken to be, `scale` the noise scale of the sums for
    a θ in lattice points, `covered` the number of worker cells in the table.
    """

    mechanism: Clipped
    norm: Callable[[Workforce, int], int] = whole_norm
    cut: Fraction = Fraction(1)
    lattice: int | None = None
    allowance: bool = True

    @property
    def covered(self) -> int:
        """Worker cells in the table; further kinds of worker are outside it."""
        return self.mechanism.parameters.cells

    def worst(self, policy: Policy, depth: Depth) -> Loss:
        """The worst pair of neighbours."""
        alpha = self.mechanism.parameters.growth
        sizes = [*range(2, depth.small, 8), int(2 / alpha), int(100 / alpha)]
        pairs = [
            pair
            for kinds in (self.covered, self.covered + 1)
            for pair in blocks(policy, alpha, kinds, sizes)
        ]
        return worst(self.pair(pair) for pair in pairs)

    def pair(self, pair: Pair) -> Loss:
        """The joint loss: over indices, that of the index plus that of the sums."""
        size = [max(map(jobs, database)) for database in pair.databases]
        grid = self.mechanism.clipping.grid
        before, after = (int(i) for i in grid.index(np.array(size)))
        law = self._law(self.mechanism.index_law)
        claimed = self.mechanism.parameters.epsilon
        losses = []
        for index in _indices(before, after, self.mechanism.parameters.growth):
            masses = (Rounded(true, law, Fraction(1)).mass for true in (before, after))
            first = _signed(*(mass((index,)) for mass in masses))
            sums = self.sums(pair, self.mechanism.clipping.theta_of(index))
            losses.append(_joined(first, sums, claimed))
        return worst(losses)

    def sums(self, pair: Pair, theta: int) -> Loss:
        """The loss of the noisy sums given θ: cells are independent, so it adds up."""
        law = self._law(self._sum_law(theta))
        vectors = [self.clip(force, theta) for force in (pair.before, pair.after)]
        total = NONE
        for (left, right), cells in Counter(zip(*vectors, strict=True)).items():
            outputs = {(left,), (right,), ((left + right) // 2,), (left - 9,), (right + 9,)}
            before, after = (Rounded(true, law, Fraction(1)) for true in (left, right))
            alike = over(outputs, before.mass, after.mass, Fraction(0)).times(cells)
            total = total.plus(alike)
        return total

    def clip(self, force: Workforce, theta: int) -> list[int]:
        """The clipped lattice vector, by the mechanism's own arithmetic unless it is defective."""
        lattice = self.lattice or self.mechanism.clipping.lattice
        norm = self.norm(force, self.covered)
        counts = force[: self.covered]
        if self.lattice is None:
            row = np.array([counts]), np.array([norm]), np.array([theta])
            return [int(c) for c in self.mechanism.clipping.clip(*row)[0]]
        bound = Fraction(theta * lattice, self.mechanism.clipping.lattice)
        factor = min(Fraction(lattice), bound / norm if norm else Fraction(lattice))
        return [int(c * factor) for c in counts]

    def _sum_law(self, theta: int) -> PiecewiseLaw:
        if self.lattice is None and self.allowance:
            return self.mechanism.sum_law(theta)
        clipping = self.mechanism.clipping
        lattice = self.lattice or clipping.lattice
        moved = clipping.reach(theta) * min(self.covered, 2) * lattice / clipping.lattice
        rest = (1 - self.mechanism.split) * self.mechanism.parameters.aimed
        return discrete_laplace(moved / rest)

    def _law(self, law: PiecewiseLaw) -> PiecewiseLaw:
        return law if self.cut == 1 else discrete_laplace(-self.cut / law.pieces[-1].rate)


def _indices(before: int, after: int, alpha: Fraction) -> Iterator[int]:
    """Indices around both maxima, where θ meets either size, and such as put θ below both.

    Noise may put the index anywhere, so also where θ would be hardly a job but for its floor.
    """
    headroom = int(log(HEADROOM) / log(1 + alpha) * STEPS)
    near, high = before - headroom - 3 * STEPS, after + 3 * STEPS
    least = int(log(1 / alpha) / log(1 + alpha)) * STEPS - STEPS
    yield from range(near, high + 1, max(1, (high - near) // 12))
    yield from (before, after)  # where the index itself loses most
    yield from (size - headroom + side for size in {before, after} for side in (-1, 0, 1))
    yield from range(least, near, max(1, (near - least) // 4))
    yield from range(0, least, max(1, least // 4))


def _signed(p: arb, q: arb) -> arb:
    with precision(128):
        return (p / q).log()


def _joined(first: arb, sums: Loss, claimed: Fraction) -> Loss:
    """Forward adds the index's log-ratio, backward subtracts it."""
    with precision(128):
        forward, backward = sums.forward + first, sums.backward - first
        kept = forward.max(backward) <= ball(claimed)
    # A joint δ would need the whole joint distribution; within the claim it is exactly zero.
    return Loss(forward, backward, arb(0) if kept else arb("nan"))


def gaussian(mechanism: Clipped, policy: Policy, depth: Depth) -> arb:
    """The largest ρ that Rényi divergences of the masses show.

    Given θ the cells are independent, so divergences add over cells and over the two steps.
    """
    alpha, most = mechanism.parameters.growth, arb(0)
    sizes = [2, depth.small, int(10 / alpha)]
    for pair in blocks(policy, alpha, mechanism.parameters.cells, sizes):
        largest = np.array([jobs(force) for force in (pair.before, pair.after)])
        before, after = (int(i) for i in mechanism.clipping.grid.index(largest))
        for index in _indices(before, after, alpha):
            theta = mechanism.clipping.theta_of(index)
            for order in ORDERS:
                total = renyi(before - after, mechanism.index_variance, order)
                total += _sum_divergence(mechanism, pair, theta, order)
                most = most.max(total / ball(order))
    return most


def _sum_divergence(mechanism: Clipped, pair: Pair, theta: int, order: Fraction) -> arb:
    exam = ClippedExam(mechanism)
    before, after = (exam.clip(force, theta) for force in (pair.before, pair.after))
    variance = mechanism.sum_variance(theta)
    shifts = Counter(left - right for left, right in zip(before, after, strict=True))
    parts = (cells * renyi(shift, variance, order) for shift, cells in shifts.items())
    return sum(parts, arb(0))


def renyi(shift: int, variance: Fraction, order: Fraction) -> arb:
    """D_a between discrete Gaussians at 0 and at `shift`, from the sum of p^a·q^(1−a).

    Completing the square, that sum is e^(a(a−1)v²/2σ²) times a discrete Gaussian's total around
    (1−a)v, over its total around 0; both totals are summed exactly.
    """
    with precision(128):
        square = order * (order - 1) * Fraction(shift) ** 2 / (2 * variance)
        centre = (1 - order) * shift % 1
        moved = normaliser(variance, centre) / normaliser(variance) if centre else arb(1)
        return (ball(square) + moved.log()) / ball(order - 1)
