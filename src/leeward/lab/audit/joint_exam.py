"""Exams of whole products: tables of one workplace cell that are released together.

A worker of a database is of a kind for each combination of codes, so each table of the product is
a sum over kinds. What the released code asks for is recorded, as for other mechanisms.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import Protocol

import numpy as np
from flint import arb

from leeward.core.codebook import Entries
from leeward.core.mechanisms.checked_columns import checked_entries
from leeward.core.mechanisms.clipping import Clipping
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.noise.design import Design
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import MOST, Integers
from leeward.core.privacy.workforces import Database
from leeward.lab.audit.clipped_exam import around, moves, rho_of, worst_index
from leeward.lab.audit.exams import by_policy, examined
from leeward.lab.audit.job_relation import Examined
from leeward.lab.audit.loss import (
    DISTINGUISHED,
    INFINITE,
    NONE,
    PrivacyLoss,
    over,
    worst,
    zcdp_loss,
)
from leeward.lab.audit.neighbours import DatabasePair, Depth, block_pairs
from leeward.lab.audit.outputs import JointBlock
from leeward.lab.audit.radial_bound import radial_bound
from leeward.lab.audit.recording import RecordingNoise, entries_of

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
    return np.concatenate([total.reshape(len(kinds), -1) for total in sums], axis=1)


def released_counts(mechanism: JointCountMechanism, database: Database) -> list[JointBlock]:
    """The distributions that the code drew from."""
    noise = RecordingNoise()
    counts = broken_down(database, mechanism.design.tables).sum(axis=0, keepdims=True)
    mechanism._release(counts, np.array([database.largest]), noise)
    return noise.joints


def joint_loss(
    mechanism: JointCountMechanism,
    policy: Examined,
    depth: Depth,
    seen: Callable[[DatabasePair], DatabasePair] = lambda pair: pair,
) -> PrivacyLoss:
    """The worst pair of neighbours, as they are `seen`: employers may have two establishments.

    By joint masses in few dimensions, and by the density's bound over all outputs in any.
    """
    distinct = {}
    for pair in map(seen, _pairs(mechanism, policy, depth, 1000)):
        before, after = (released_counts(mechanism, database) for database in pair.databases)
        apart = tuple(tuple(np.subtract(b.true, a.true).tolist()) for a, b in
                      zip(before, after, strict=True))  # fmt: skip
        drawn = ((block.scale, block.radius, block.design) for block in (*before, *after))
        distinct[apart, *drawn] = before, after
    claimed = mechanism.parameters.epsilon
    return worst(blocks_loss(before, after, claimed) for before, after in distinct.values())


def blocks_loss(
    before: list[JointBlock], after: list[JointBlock], claimed: Fraction
) -> PrivacyLoss:
    """Blocks that were drawn one by one: their losses add up."""
    total, bound = NONE, arb(0)
    for a, b in zip(before, after, strict=True):
        reached = density_bound(a, b)
        if a.design.dimension > FEW_POINTS or a.design != b.design:
            loss = PrivacyLoss(reached, reached, arb(0))
        else:
            loss = over({*a.landmarks(), *b.landmarks()}, a.mass, b.mass, claimed)
        total = total.plus(loss)
        bound += reached
    return replace(total, bound=bound).kept(claimed)


def density_bound(before: JointBlock, after: JointBlock) -> arb:
    """The supremum of the density's log-ratio: it depends on the two norms alone."""
    design, scales = before.design, (before.scale, after.scale)
    if (design, before.radius) != (after.design, after.radius):
        return INFINITE
    return radial_bound(before.distance(after), scales, before.radius)


def _pairs(
    mechanism: JointMechanism, policy: Examined, depth: Depth, largest: int = 100
) -> Iterator[DatabasePair]:
    kinds = prod(mechanism.design.tables)
    return block_pairs(policy, mechanism.parameters.growth, (kinds,), depth, largest)


def joint_entries(databases: Sequence[Database], tables: Sequence[int], copies: int = 1) -> Entries:
    """Databases as workplace cells of one product, each `copies` times."""
    rows = np.concatenate([broken_down(database, tables) for database in databases])
    return entries_of(databases, rows, sum(tables), copies)


def clipped_run(
    mechanism: JointEntryMechanism,
    databases: Sequence[Database],
    indices: Sequence[int] | None = None,
) -> tuple[RecordingNoise, Integers, Integers]:
    """What the code asked for, with these indices in place of noisy ones; values and θ."""
    noise = RecordingNoise(() if indices is None else (np.array(indices),))
    tables, most = mechanism.design.tables, MOST // mechanism.clipping.lattice
    columns = checked_entries(joint_entries(databases, tables), most, len(tables))
    return noise, *mechanism._release(columns, noise)


def joint_clipped_loss(
    mechanism: JointEntryMechanism,
    policy: Examined,
    depth: Depth,
    seen: Callable[[DatabasePair], DatabasePair] = lambda pair: pair,
) -> PrivacyLoss:
    """The same of clipped sums: index and sums jointly, over the indices that noise may give."""
    return worst(
        _pair_loss(mechanism, pair) for pair in map(seen, _pairs(mechanism, policy, depth))
    )


def _pair_loss(mechanism: JointEntryMechanism, pair: DatabasePair) -> PrivacyLoss:
    indices = around(clipped_run(mechanism, pair.databases)[0].requests[0].true.tolist(), mechanism)
    runs = (
        clipped_run(mechanism, [database] * len(indices), indices) for database in pair.databases
    )
    (before, _, theta), (after, _, other_theta) = runs
    each = len(before.joints) // len(indices)

    def sums(i: int) -> PrivacyLoss:
        lost = arb(0)
        blocks = (run.joints[i * each :][:each] for run in (before, after))
        for a, b in zip(*blocks, strict=True):
            lost += density_bound(a, b)
        return PrivacyLoss(lost, lost, arb(0)) if lost.is_finite() else DISTINGUISHED

    drawn = (before.requests[0], theta), (after.requests[0], other_theta)
    return worst_index(indices, drawn, sums, mechanism.parameters.epsilon)


def examine_joint_gaussian(mechanism: JointEntryMechanism, name: str, depth: Depth) -> PrivacyLoss:
    """ρ from Rényi divergences of all that is drawn, restated as the ε at the requested δ."""
    neighbours = _pairs(mechanism, examined(mechanism, name), depth)
    rho = max((_pair_rho(mechanism, pair) for pair in neighbours), key=float)
    return zcdp_loss(rho, mechanism.parameters.delta)


def _pair_rho(mechanism: JointEntryMechanism, pair: DatabasePair) -> arb:
    """The largest over indices: every number is drawn by itself, so divergences add up."""
    runs = (clipped_run(mechanism, [database])[0] for database in pair.databases)
    most = arb(0)
    for index in around((int(run.requests[0].true[0]) for run in runs), mechanism)[::2]:
        before, after = (clipped_run(mechanism, [each], [index])[0] for each in pair.databases)
        columns = zip(before.requests, after.requests, strict=True)
        most = most.max(rho_of(step for both in columns for step in moves(*both)))
    return most


examine_joint = by_policy(joint_loss)
examine_joint_chains = by_policy(joint_loss, seen=DatabasePair.merged)
examine_joint_clipped = by_policy(joint_clipped_loss)
examine_joint_clipped_chains = by_policy(joint_clipped_loss, seen=DatabasePair.merged)
