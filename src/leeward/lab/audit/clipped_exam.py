"""Exams of clipped sums: the index of the maximum and the sums, jointly.

The released code is run on both databases, once for each index that the noise may give; the noise
that it asks for is recorded. The log-ratio of the index adds to the log-ratios of the
sums, which are independent given θ; the loss is the worst index.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, reduce
from math import log
from typing import cast

import numpy as np
from flint import arb

from leeward.core.exact import ball, precision
from leeward.core.mechanisms.scale import STEPS
from leeward.core.noise.law import Law
from leeward.core.noise.sampling import normaliser
from leeward.core.noise.scales import Integers
from leeward.core.privacy.workforces import Database
from leeward.lab.audit.exams import by_policy, examined
from leeward.lab.audit.job_relation import Examined
from leeward.lab.audit.loss import (
    BITS,
    DISTINGUISHED,
    INFINITE,
    NONE,
    PrivacyLoss,
    over,
    worst,
    zcdp_loss,
)
from leeward.lab.audit.neighbours import DatabasePair, Depth, block_pairs
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


def clipped_loss(
    mechanism: EntryMechanism,
    policy: Examined,
    depth: Depth,
    seen: Callable[[DatabasePair], DatabasePair] = lambda pair: pair,
) -> PrivacyLoss:
    """The worst pair of neighbours, as they are `seen`: employers may have two establishments."""
    pairs = map(seen, _pairs(mechanism, policy, depth))
    return worst(pair_loss(mechanism, pair.databases) for pair in pairs)


def _pairs(mechanism: EntryMechanism, policy: Examined, depth: Depth) -> Iterator[DatabasePair]:
    """Also with workers outside the table."""
    alpha, cells = mechanism.parameters.growth, mechanism.parameters.cells
    return block_pairs(policy, alpha, (cells, cells + 1), depth, 100)


def releases(
    mechanism: EntryMechanism, both: Both
) -> tuple[ClippedRelease, ClippedRelease, list[int]]:
    """Both databases, released with the same indices, and these."""
    maxima = (int(clipped_release(mechanism, [database]).index.true[0]) for database in both)
    indices = around(maxima, mechanism)
    before, after = (
        clipped_release(mechanism, [database] * len(indices), np.array(indices))
        for database in both
    )
    return before, after, indices


def pair_loss(mechanism: EntryMechanism, both: Both) -> PrivacyLoss:
    """The joint loss: over indices, that of the index plus that of the sums."""
    before, after, indices = releases(mechanism, both)
    cells = mechanism.parameters.cells

    def sums(i: int) -> PrivacyLoss:
        return sums_loss(before.sums, after.sums, slice(i * cells, (i + 1) * cells))

    maxima = (before.index, before.theta), (after.index, after.theta)
    return worst_index(indices, maxima, sums, mechanism.parameters.epsilon)


Maximum = tuple[NoiseRequest, Integers]
"""Noisy indices of the largest establishment, and the bounds θ that follow from them."""


def worst_index(
    indices: Sequence[int],
    drawn: tuple[Maximum, Maximum],
    sums: Callable[[int], PrivacyLoss],
    claimed: Fraction,
) -> PrivacyLoss:
    """The worst of some noisy indices, with the loss of the sums that each leads to.

    Forward adds the index's log-ratio, backward subtracts it. A joint δ would need the whole joint
    distribution; within the claim it is exactly zero.
    """
    (first_index, theta), (other_index, other_theta) = drawn
    if (theta != other_theta).any():  # published: it must follow from the index alone
        return DISTINGUISHED
    losses = []
    for i, index in enumerate(indices):
        before, after = (column.rounded(i).mass((index,)) for column in (first_index, other_index))
        rest = sums(i)
        with precision(BITS):
            first = (before / after).log()
            forward, backward = rest.forward + first, rest.backward - first
        losses.append(replace(rest, forward=forward, backward=backward).kept(claimed))
    return worst(losses)


Step = tuple[int, int, int]
"""How far an entry moves between neighbours, and the number of its scale in either."""


def steps_apart(before: NoiseRequest, after: NoiseRequest) -> list[Step]:
    """The step of every entry."""
    columns = (after.true - before.true, before.level, after.level)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def sums_loss(before: NoiseRequest, after: NoiseRequest, some: slice = slice(None)) -> PrivacyLoss:
    """The loss of some noisy sums given θ: cells are independent, so it adds up."""
    total = NONE
    for (moved, left, right), cells in Counter(steps_apart(before, after)[some]).items():
        law, scale = before.laws[left], before.scales[left]
        if (law, scale) != (after.laws[right], after.scales[right]):
            return DISTINGUISHED  # exponential tails of unequal scale: their ratio has no bound
        total = total.plus(_cell(cast(Hashable, law), scale, moved).times(cells))
    return total


@lru_cache(maxsize=1 << 16)  # databases with one largest size share θ, and so the noise
def _cell(law: Hashable, scale: Fraction, moved: int) -> PrivacyLoss:
    """Exponential tails of equal scale differ most at their ends."""
    low, high = sorted((0, moved))
    before, after = (Rounded(true, cast(Law, law), scale) for true in (0, moved))
    outputs = {(low,), (high,), (low - 9,), (high + 9,)}
    return over(outputs, before.mass, after.mass, Fraction(0))


def around(maxima: Iterable[int], mechanism: ClippingMechanism) -> list[int]:
    """Indices around both maxima, where θ meets either size, and such as put θ below both.

    Noise may put the index anywhere, so also where θ would be hardly a job but for its floor.
    """
    before, after = sorted(maxima)
    parameters = mechanism.parameters
    growth = log(1 + parameters.growth)
    headroom = int(log(mechanism.clipping.headroom) / growth * STEPS)
    near, high = before - headroom - 3 * STEPS, after + 3 * STEPS
    least = int(log(parameters.floor) / growth) * STEPS - STEPS
    indices = {
        *range(near, high + 1, max(1, (high - near) // 12)),
        *(before, after),  # where the index itself loses most
        *(size - headroom + side for size in (before, after) for side in (-1, 0, 1)),
        *range(least, near, max(1, (near - least) // 4)),
        *range(0, least, max(1, least // 4)),
    }
    return sorted(indices)


def examine_gaussian(mechanism: EntryMechanism, name: str, depth: Depth) -> PrivacyLoss:
    """ρ from Rényi divergences, restated as the ε that it implies at the requested δ."""
    return zcdp_loss(
        gaussian_rho(mechanism, examined(mechanism, name), depth), mechanism.parameters.delta
    )


def gaussian_rho(mechanism: EntryMechanism, policy: Examined, depth: Depth) -> arb:
    """The largest ρ that Rényi divergences of the masses show, over all pairs."""
    pairs = _pairs(mechanism, policy, depth)
    return reduce(arb.max, (pair_rho(mechanism, pair.databases) for pair in pairs), arb(0))


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
        most = most.max(rho_of([*rest[i * cells : (i + 1) * cells], first[i]]))
    return most


def rho_of(steps: Iterable[tuple[int, Fraction]]) -> arb:
    """The largest Rényi divergence over its order, of steps with their variances: it adds up."""
    most, alike = arb(0), Counter(steps)
    for order in ORDERS:
        total = sum((renyi(*step, order) * times for step, times in alike.items()), arb(0))
        most = most.max(total / ball(order))
    return most


def moves(before: NoiseRequest, after: NoiseRequest) -> list[tuple[int, Fraction]]:
    """How far each entry moves, and the variance of its noise: 0 where neighbours have two."""
    return [
        (moved, before.scales[i] if before.scales[i] == after.scales[j] else Fraction(0))
        for moved, i, j in steps_apart(before, after)
    ]


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


examine_clipped = by_policy(clipped_loss)
examine_clipped_chains = by_policy(clipped_loss, seen=DatabasePair.merged)
