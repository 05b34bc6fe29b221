"""Exams of clipped sums: the index of the maximum and the sums, jointly.

The released code is run on both databases, once for each index that the noise may give; the noise
that it asks for is recorded. The log-ratio of the index adds to the log-ratios of the
sums, which are independent given θ; the loss is the worst index.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from math import log
from typing import cast

import numpy as np
from flint import arb

from leeward.core.exact import ball, precision
from leeward.core.mechanisms.size_grid import STEPS
from leeward.core.noise.gaussian import normaliser
from leeward.core.noise.law import Law
from leeward.core.privacy import Policy
from leeward.core.privacy.workforces import Database
from leeward.lab.audit.exams import examined
from leeward.lab.audit.loss import INFINITE, NONE, Loss, over, worst, zcdp_loss
from leeward.lab.audit.neighbours import Depth, Pair, parts, sized_blocks
from leeward.lab.audit.outputs import Rounded
from leeward.lab.audit.recording import (
    ClippedRelease,
    ClippingMechanism,
    EntryMechanism,
    NoiseRequest,
    clipped_release,
)

ORDERS = (Fraction(3, 2), Fraction(2), Fraction(8))
Both = tuple[Database, Database]
DISTINGUISHED = Loss(INFINITE, INFINITE, arb("nan"))


def examine_clipped(mechanism: EntryMechanism, name: str, depth: Depth) -> Loss:
    """Index and sums jointly."""
    return clipped_loss(mechanism, examined(mechanism, name), depth)


def examine_gaussian(mechanism: EntryMechanism, name: str, depth: Depth) -> Loss:
    """ρ from Rényi divergences, restated as the ε that it implies at the requested δ."""
    return zcdp_loss(
        gaussian_rho(mechanism, examined(mechanism, name), depth), mechanism.parameters.delta
    )


def examine_clipped_chains(mechanism: EntryMechanism, name: str, depth: Depth) -> Loss:
    """The same by employer: each part is two establishments, which both change."""
    chained = (pair.chained() for pair in _pairs(mechanism, examined(mechanism, name), depth))
    return worst(pair_loss(mechanism, (parts(pair.before), parts(pair.after))) for pair in chained)


def clipped_loss(
    mechanism: EntryMechanism, policy: Policy, depth: Depth, *, chained: bool = False
) -> Loss:
    """The worst pair of neighbours; `chained`: two establishments for each, which both grow."""
    pairs = _pairs(mechanism, policy, depth)
    both = (pair.chained() if chained else pair for pair in pairs)
    return worst(pair_loss(mechanism, pair.databases) for pair in both)


def _pairs(mechanism: EntryMechanism, policy: Policy, depth: Depth) -> Iterator[Pair]:
    """Also with workers outside the table."""
    alpha, cells = mechanism.parameters.growth, mechanism.parameters.cells
    for kinds in (cells, cells + 1):
        yield from sized_blocks(policy, alpha, kinds, 100, depth)


def releases(
    mechanism: EntryMechanism, both: Both
) -> tuple[ClippedRelease, ClippedRelease, list[int]]:
    """Both databases, released with the same indices, and these."""
    maxima = (clipped_release(mechanism, [database]).index.true[0] for database in both)
    indices = index_grid(maxima, mechanism)
    before, after = (
        clipped_release(mechanism, [database] * len(indices), np.array(indices))
        for database in both
    )
    return before, after, indices


def pair_loss(mechanism: EntryMechanism, both: Both) -> Loss:
    """The joint loss: over indices, that of the index plus that of the sums."""
    before, after, indices = releases(mechanism, both)
    if (before.theta != after.theta).any():  # published: it must follow from the index alone
        return DISTINGUISHED
    cells, steps = mechanism.parameters.cells, moves(before.sums, after.sums)
    return worst_index(
        indices,
        (before.index, after.index),
        lambda i: sums_loss(before.sums, after.sums, steps[i * cells : (i + 1) * cells]),
        mechanism.parameters.epsilon,
    )


def worst_index(
    indices: Iterable[int],
    requests: tuple[NoiseRequest, NoiseRequest],
    sums: Callable[[int], Loss],
    claimed: Fraction,
) -> Loss:
    """Over indices, the log-ratio of each and the loss of the sums given it, together."""
    losses = []
    for i, index in enumerate(indices):
        before, after = (request.rounded(i).mass((index,)) for request in requests)
        with precision(128):
            first = (before / after).log()
        losses.append(joined(first, sums(i), claimed))
    return worst(losses)


Step = tuple[int, int, int]
"""How far an entry moves between neighbours, and the number of its scale in either."""


def moves(before: NoiseRequest, after: NoiseRequest) -> list[Step]:
    """Of each entry."""
    columns = (after.true - before.true, before.level, after.level)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def sums_loss(before: NoiseRequest, after: NoiseRequest, steps: list[Step]) -> Loss:
    """The loss of the noisy sums given θ: cells are independent, so it adds up."""
    total = NONE
    for (moved, left, right), cells in Counter(steps).items():
        law, scale = before.laws[left], before.scales[left]
        if (law, scale) != (after.laws[right], after.scales[right]):
            return DISTINGUISHED  # exponential tails of unequal scale: their ratio has no bound
        alike = _cell(cast(Hashable, law), scale, moved)
        total = total.plus(alike.times(cells))
    return total


@lru_cache(maxsize=1 << 16)  # databases with one largest size share θ, and so the noise
def _cell(law: Hashable, scale: Fraction, moved: int) -> Loss:
    """Exponential tails of equal scale differ most at their ends."""
    low, high = sorted((0, moved))
    before, after = (Rounded(true, cast(Law, law), scale) for true in (0, moved))
    outputs = {(low,), (high,), (low - 9,), (high + 9,)}
    return over(outputs, before.mass, after.mass, Fraction(0))


def index_grid(maxima: Iterable[int], mechanism: ClippingMechanism) -> list[int]:
    """Indices around both maxima, where θ meets either size, and such as put θ below both.

    Noise may put the index anywhere, so also where θ would be hardly a job but for its floor.
    """
    before, after = sorted(map(int, maxima))
    parameters = mechanism.parameters
    growth = log(1 + parameters.growth)
    headroom = int(log(mechanism.clipping.headroom) / growth * STEPS)
    near, high = before - headroom - 3 * STEPS, after + 3 * STEPS
    least = int(log(parameters.floor) / growth) * STEPS - STEPS
    grid = {before, after}  # where the index itself loses most
    grid.update(range(near, high + 1, max(1, (high - near) // 12)))
    grid.update(size - headroom + side for size in (before, after) for side in (-1, 0, 1))
    grid.update(range(least, near, max(1, (near - least) // 4)))
    grid.update(range(0, least, max(1, least // 4)))
    return sorted(grid)


def joined(first: arb, sums: Loss, claimed: Fraction) -> Loss:
    """Forward adds the index's log-ratio, backward subtracts it."""
    with precision(128):
        forward, backward = sums.forward + first, sums.backward - first
        kept = forward.max(backward) <= ball(claimed)
    # A joint δ would need the whole joint distribution; within the claim it is exactly zero.
    return Loss(forward, backward, arb(0) if kept else arb("nan"))


def gaussian_rho(mechanism: EntryMechanism, policy: Policy, depth: Depth) -> arb:
    """The largest ρ that Rényi divergences of the masses show, over all pairs."""
    most = arb(0)
    for pair in _pairs(mechanism, policy, depth):
        most = most.max(pair_rho(mechanism, pair.databases))
    return most


def pair_rho(mechanism: EntryMechanism, both: Both) -> arb:
    """The same of one pair; divergences of discrete Gaussians are the same either way.

    Given θ the cells are independent, so divergences add over cells and over the two steps.
    """
    most, cells = arb(0), mechanism.parameters.cells
    before, after, indices = releases(mechanism, both)
    if (before.theta != after.theta).any():
        return INFINITE
    first, rest = moves(before.index, after.index), moves(before.sums, after.sums)
    for i in range(len(indices)):
        parts = Counter(
            _moved(before.sums, after.sums, step) for step in rest[i * cells : (i + 1) * cells]
        )
        parts[_moved(before.index, after.index, first[i])] += 1
        for order in ORDERS:
            total = sum((renyi(*part, order) * n for part, n in parts.items()), arb(0))
            most = most.max(total / ball(order))
    return most


def _moved(before: NoiseRequest, after: NoiseRequest, step: Step) -> tuple[int, Fraction]:
    """How far a step moves, and the variance of its noise: 0 where neighbours have two."""
    moved, left, right = step
    variance = before.scales[left]
    return moved, variance if variance == after.scales[right] else Fraction(0)


@lru_cache(maxsize=1 << 16)
def renyi(shift: int, variance: Fraction, order: Fraction) -> arb:
    """D_a between discrete Gaussians at 0 and at `shift`, from the sum of p^a·q^(1−a).

    Completing the square, that sum is e^(a(a−1)v²/2σ²) times a discrete Gaussian's total around
    (1−a)v, over its total around 0; both totals are summed exactly. A variance of 0 means
    two that differ, which no ρ allows.
    """
    if variance == 0:
        return INFINITE
    with precision(128):
        square = order * (order - 1) * Fraction(shift) ** 2 / (2 * variance)
        centre = (1 - order) * shift % 1
        moved = normaliser(variance, centre) / normaliser(variance) if centre else arb(1)
        return (ball(square) + moved.log()) / ball(order - 1)
