"""The clipped mechanism examined: the index of the maximum and the clipped sums, jointly.

The released code is run on both databases, once for each index that the noise may give; it says
what it adds noise to, and which noise. The log-ratio of the index adds to the log-ratios of the
sums, which are independent given θ; the loss is the worst index.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from math import log
from typing import cast

import numpy as np
from flint import arb

from leeward.audit.loss import INFINITE, NONE, Loss, over, worst
from leeward.audit.measure import Depth
from leeward.audit.neighbours import Pair, block_sizes, blocks
from leeward.audit.outputs import Gaussian, Rounded
from leeward.audit.rehearsal import ClippedRun, Single, clipped_run
from leeward.exact import ball, precision
from leeward.mechanisms.clipped import Clipped
from leeward.mechanisms.clipping import HEADROOM
from leeward.mechanisms.gaussian import normaliser
from leeward.mechanisms.grid import STEPS
from leeward.privacy import Policy

ORDERS = (Fraction(3, 2), Fraction(2), Fraction(8))
TOLD_APART = Loss(INFINITE, INFINITE, arb("nan"))


def clipped_loss(mechanism: Clipped, policy: Policy, depth: Depth) -> Loss:
    """The worst pair of neighbours."""
    return worst(pair_loss(mechanism, pair) for pair in _pairs(mechanism, policy, depth))


def _pairs(mechanism: Clipped, policy: Policy, depth: Depth) -> Iterator[Pair]:
    """Also with workers outside the table."""
    alpha, cells = mechanism.parameters.growth, mechanism.parameters.cells
    sizes = [*block_sizes(alpha, 100), *range(5, depth.small, 8)]
    for kinds in (cells, cells + 1):
        yield from blocks(policy, alpha, kinds, sizes)


def runs(mechanism: Clipped, pair: Pair) -> tuple[ClippedRun, ClippedRun, list[int]]:
    """Both databases, released with the same indices, and these."""
    true = [single.true for single in clipped_run(mechanism, pair.databases).index]
    indices = sorted(set(_indices(true[0], true[1], mechanism.parameters.growth)))
    before, after = (
        clipped_run(mechanism, [database] * len(indices), np.array(indices))
        for database in pair.databases
    )
    return before, after, indices


def pair_loss(mechanism: Clipped, pair: Pair) -> Loss:
    """The joint loss: over indices, that of the index plus that of the sums."""
    before, after, indices = runs(mechanism, pair)
    if before.theta != after.theta:  # θ is published, and must follow from the index alone
        return TOLD_APART
    claimed = mechanism.parameters.epsilon
    losses = []
    for i, index in enumerate(indices):
        first = _signed(*(_mass(run.index[i])((index,)) for run in (before, after)))
        losses.append(_joined(first, _sums(before.sums[i], after.sums[i]), claimed))
    return worst(losses)


def _mass(single: Single) -> Callable[[tuple[int, ...]], arb]:
    return cast(Rounded, single).mass


def _sums(before: tuple[Single, ...], after: tuple[Single, ...]) -> Loss:
    """The loss of the noisy sums given θ: cells are independent, so it adds up."""
    total = NONE
    alike = Counter((_seen_from(a.true, a), _seen_from(a.true, b)) for a, b in zip(before, after, strict=True))
    for (left, right), cells in alike.items():
        total = total.plus(_cell(left, right).times(cells))
    return total


def _seen_from(origin: int, single: Single) -> Rounded:
    rounded = cast(Rounded, single)
    return Rounded(rounded.true - origin, rounded.law, rounded.scale)


@lru_cache(maxsize=1 << 16)  # databases with one largest size share θ, and so the noise
def _cell(left: Rounded, right: Rounded) -> Loss:
    """Exponential tails of unequal scale have no bound; of equal scale, the ends tell most."""
    if (left.law, left.scale) != (right.law, right.scale):
        return TOLD_APART
    low, high = sorted((left.true, right.true))
    outputs = {(low,), (high,), (low - 9,), (high + 9,)}
    return over(outputs, left.mass, right.mass, Fraction(0))


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
    most = arb(0)
    for pair in _pairs(mechanism, policy, depth):
        before, after, indices = runs(mechanism, pair)
        if before.theta != after.theta:
            return INFINITE
        for i in range(len(indices)):
            steps = ((before.index[i], after.index[i]), *zip(before.sums[i], after.sums[i], strict=True))
            moved = Counter(_moved(*step) for step in steps)
            for order in ORDERS:
                parts = (renyi(*step, order) * times for step, times in moved.items())
                most = most.max(sum(parts, arb(0)) / ball(order))
    return most


def _moved(before: Single, after: Single) -> tuple[int, Fraction]:
    """How far a step moves, and the variance of its noise."""
    left, right = cast(Gaussian, before), cast(Gaussian, after)
    return left.true - right.true, left.variance if left.variance == right.variance else Fraction(0)


@lru_cache(maxsize=1 << 16)
def renyi(shift: int, variance: Fraction, order: Fraction) -> arb:
    """D_a between discrete Gaussians at 0 and at `shift`, from the sum of p^a·q^(1−a).

    Completing the square, that sum is e^(a(a−1)v²/2σ²) times a discrete Gaussian's total around
    (1−a)v, over its total around 0; both totals are summed exactly. A variance of 0 stands for
    two that differ, which no ρ allows for.
    """
    if variance == 0:
        return INFINITE
    with precision(128):
        square = order * (order - 1) * Fraction(shift) ** 2 / (2 * variance)
        centre = (1 - order) * shift % 1
        moved = normaliser(variance, centre) / normaliser(variance) if centre else arb(1)
        return (ball(square) + moved.log()) / ball(order - 1)
