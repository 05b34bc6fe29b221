"""Exams of whole products: tables of one workplace cell that are released together.

A worker of a database is of a kind for each combination of codes, so each table of the product is
a sum over kinds. What the released code asks for is recorded, as for other mechanisms.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import prod
from typing import Protocol

import numpy as np
from flint import arb

from leeward.core.codebook import Entries
from leeward.core.exact import ball, precision
from leeward.core.mechanisms.clipping import Clipping, checked_entries
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.noise.design import Design
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import MOST, Integers
from leeward.core.privacy import Policy
from leeward.core.privacy.workforces import Database
from leeward.lab.audit.clipped_exam import DISTINGUISHED, ORDERS, index_grid, renyi, worst_index
from leeward.lab.audit.exams import examined
from leeward.lab.audit.loss import NONE, Loss, over, tail_bound, worst, zcdp_loss
from leeward.lab.audit.neighbours import Depth, Pair, parts, sized_blocks
from leeward.lab.audit.outputs import JointBlock
from leeward.lab.audit.recording import NoiseRequest, RecordingNoise

FEW_POINTS = 3
"""The largest dimension in which integer masses are computed; beyond it, densities alone."""


class JointMechanism(Protocol):
    """What the auditor asks of a mechanism of whole products."""

    @property
    def parameters(self) -> Parameters:
        """α, ε, δ and the number of all cells."""

    @property
    def design(self) -> Design:
        """The tables; only their sizes are used."""


class JointCountMechanism(JointMechanism, Protocol):
    """One that adds noise to counts."""

    def _release(self, counts: Integers, largest: Integers, noise: Noise) -> Integers:
        """What is released, with given noise."""


class JointEntryMechanism(JointMechanism, Protocol):
    """One that clips establishments to a bound."""

    @property
    def clipping(self) -> Clipping:
        """Its lattice and headroom."""

    def _release(self, entries: Entries, noise: Noise) -> tuple[Integers, Integers]:
        """Counts and the bound θ of each workplace cell, with given noise."""


def broken_down(database: Database, tables: Sequence[int]) -> Integers:
    """The cells of all tables side by side, one row an establishment."""
    kinds = np.array([force.jobs for force in database.establishments], dtype=np.int64)
    crossed = kinds.reshape(-1, *tables)
    axes = range(1, len(tables) + 1)
    sums = [crossed.sum(axis=tuple(k for k in axes if k != j)) for j in axes]
    return np.concatenate([table.reshape(len(kinds), -1) for table in sums], axis=1)


def released_counts(mechanism: JointCountMechanism, database: Database) -> list[JointBlock]:
    """The distributions that the code drew from."""
    noise = RecordingNoise()
    counts = broken_down(database, mechanism.design.tables).sum(axis=0, keepdims=True)
    mechanism._release(counts, np.array([database.largest]), noise)
    return noise.joints


def examine_joint(mechanism: JointCountMechanism, name: str, depth: Depth) -> Loss:
    """Joint masses in few dimensions, and the density's bound over all outputs in any."""
    return joint_loss(mechanism, examined(mechanism, name), depth)


def examine_joint_chains(mechanism: JointCountMechanism, name: str, depth: Depth) -> Loss:
    """The same by employer: each part is two establishments, which both change."""
    return joint_loss(mechanism, examined(mechanism, name), depth, chained=True)


def joint_loss(
    mechanism: JointCountMechanism, policy: Policy, depth: Depth, *, chained: bool = False
) -> Loss:
    """The worst pair of neighbours; `chained`: of employers with two establishments each."""
    claimed = mechanism.parameters.epsilon
    seen = {}
    for pair in _pairs(mechanism, policy, depth, 1000):
        both = _merged(pair) if chained else pair
        before, after = (released_counts(mechanism, database) for database in both.databases)
        apart = tuple(tuple(np.subtract(b.true, a.true).tolist()) for a, b in
                      zip(before, after, strict=True))  # fmt: skip
        laws = ((block.scale, block.shape, block.design) for block in (*before, *after))
        key = (apart, *laws)
        seen[key] = before, after
    return worst(blocks_loss(before, after, claimed) for before, after in seen.values())


def blocks_loss(before: list[JointBlock], after: list[JointBlock], claimed: Fraction) -> Loss:
    """Blocks that were drawn one by one: their losses add up."""
    total, bound = NONE, arb(0)
    for a, b in zip(before, after, strict=True):
        total = total.plus(_block_loss(a, b, claimed))
        bound += density_bound(a, b)
    with precision(128):
        kept = bound <= ball(claimed)
    return Loss(total.forward, total.backward, arb(0) if kept else arb("nan"), bound=bound)


def density_bound(before: JointBlock, after: JointBlock) -> arb:
    """The supremum of the density's log-ratio: it depends on the two norms alone."""
    design, scales = before.design, (before.scale, after.scale)
    if (design, before.shape) != (after.design, after.shape):
        return arb("inf")
    return tail_bound(before.distance(after), scales, design.dimension, before.shape)


def _block_loss(before: JointBlock, after: JointBlock, claimed: Fraction) -> Loss:
    if before.design.dimension > FEW_POINTS or before.design != after.design:
        reached = density_bound(before, after)
        return Loss(reached, reached, arb(0))
    outputs = {*before.landmarks(), *after.landmarks()}
    return over(outputs, before.mass, after.mass, claimed)


def _pairs(mechanism: JointMechanism, policy: Policy, depth: Depth, reach: int) -> Iterator[Pair]:
    kinds = prod(mechanism.design.tables)
    return sized_blocks(policy, mechanism.parameters.growth, kinds, reach, depth)


def joint_entries(databases: Sequence[Database], tables: Sequence[int], copies: int = 1) -> Entries:
    """Databases as workplace cells of one product, each `copies` times."""
    rows = np.concatenate([broken_down(database, tables) for database in databases])
    sizes = np.array([size for database in databases for size in database.sizes], dtype=np.int64)
    in_frame = [len(database.sizes) for database in databases]
    place = np.repeat(np.arange(len(databases)), in_frame)
    row, cell = np.nonzero(rows)

    def repeated(column: Integers, apart: int = 0) -> Integers:
        return (column + np.arange(copies)[:, None] * apart).ravel()

    return Entries(
        counts=repeated(rows[row, cell]),
        cell=repeated(cell),
        row=repeated(row, len(rows)),
        sizes=repeated(sizes),
        workplace=repeated(place, len(databases)),
        shape=(copies * len(databases), sum(tables)),
        in_frame=np.tile(in_frame, copies),
    )


def clipped_release(
    mechanism: JointEntryMechanism, databases: Sequence[Database], indices: Integers | None = None
) -> tuple[NoiseRequest, Integers, list[JointBlock], Integers]:
    """The recorded index, θ, the distributions of the sums, and what is released."""
    noise, tables = RecordingNoise(() if indices is None else (indices,)), mechanism.design.tables
    most = MOST // mechanism.clipping.lattice
    checked = checked_entries(joint_entries(databases, tables), most, len(tables))
    values, theta = mechanism._release(checked, noise)
    return noise.requests[0], theta, noise.joints, values


def examine_joint_clipped(mechanism: JointEntryMechanism, name: str, depth: Depth) -> Loss:
    """Index and sums jointly, over the indices that the noise may give."""
    return joint_clipped_loss(mechanism, examined(mechanism, name), depth)


def examine_joint_clipped_chains(mechanism: JointEntryMechanism, name: str, depth: Depth) -> Loss:
    """The same by employer: each part is two establishments, which both change."""
    return joint_clipped_loss(mechanism, examined(mechanism, name), depth, chained=True)


def joint_clipped_loss(
    mechanism: JointEntryMechanism, policy: Policy, depth: Depth, *, chained: bool = False
) -> Loss:
    """The worst pair of neighbours; `chained`: of employers with two establishments each."""
    pairs = _pairs(mechanism, policy, depth, 100)
    both = (_merged(pair) if chained else pair for pair in pairs)
    return worst(_pair_loss(mechanism, pair) for pair in both)


def _merged(pair: Pair) -> Pair:
    """What a release by employer counts of two establishments each."""
    chained = pair.chained()
    return Pair(parts(chained.before), parts(chained.after))


def _pair_loss(mechanism: JointEntryMechanism, pair: Pair) -> Loss:
    indices = index_grid(clipped_release(mechanism, pair.databases)[0].true, mechanism)
    runs = [
        clipped_release(mechanism, [database] * len(indices), np.array(indices))
        for database in pair.databases
    ]
    (index, theta, sums, _), (other_index, other_theta, other_sums, _) = runs
    if (theta != other_theta).any():  # published: it must follow from the index alone
        return DISTINGUISHED
    each = len(sums) // len(indices)

    def lost(i: int) -> Loss:
        both = zip(sums[i * each :][:each], other_sums[i * each :][:each], strict=True)
        total = sum((_sums_loss(a, b) for a, b in both), arb(0))
        return Loss(total, total, arb(0))

    return worst_index(indices, (index, other_index), lost, mechanism.parameters.epsilon)


def _sums_loss(before: JointBlock, after: JointBlock) -> arb:
    """Exponential tails of one scale differ by the distance at most, and do so at the centre."""
    if (before.scale, before.design, before.shape) != (after.scale, after.design, 0):
        return arb("inf")
    with precision(128):
        return ball(before.distance(after) / before.scale)


def examine_joint_gaussian(mechanism: JointEntryMechanism, name: str, depth: Depth) -> Loss:
    """ρ from Rényi divergences of all that is drawn, restated as the ε at the requested δ."""
    pairs = _pairs(mechanism, examined(mechanism, name), depth, 100)
    rho = max((_pair_rho(mechanism, pair) for pair in pairs), key=float)
    return zcdp_loss(rho, mechanism.parameters.delta)


def _pair_rho(mechanism: JointEntryMechanism, pair: Pair) -> arb:
    """The largest over indices: every number is drawn by itself, so divergences add up."""
    runs = (_gaussian_run(mechanism, database) for database in pair.databases)
    most = arb(0)
    for index in index_grid((run.requests[0].true[0] for run in runs), mechanism)[::2]:
        before, after = (_gaussian_run(mechanism, database, index) for database in pair.databases)
        moved = Counter(
            step
            for a, b in zip(before.requests, after.requests, strict=True)
            for step in _gaussian_steps(a, b)
        )
        for order in ORDERS:
            total = sum((renyi(*step, order) * n for step, n in moved.items()), arb(0))
            most = most.max(total / ball(order))
    return most


def _gaussian_run(
    mechanism: JointEntryMechanism, database: Database, index: int | None = None
) -> RecordingNoise:
    noise = RecordingNoise(() if index is None else (np.array([index]),))
    tables, most = mechanism.design.tables, MOST // mechanism.clipping.lattice
    mechanism._release(checked_entries(joint_entries([database], tables), most, len(tables)), noise)
    return noise


def _gaussian_steps(before: NoiseRequest, after: NoiseRequest) -> Iterator[tuple[int, Fraction]]:
    """How far each number moves, and its variance: 0 where neighbours have two."""
    (variance,), (other,) = before.scales, after.scales
    for moved in (after.true - before.true).tolist():
        yield moved, variance if variance == other else Fraction(0)
