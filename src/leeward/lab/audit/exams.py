"""Exams by exact masses: from neighbouring databases to the largest loss.

An audit line names the exam of its mechanism. `examine_scalar` is for one number a cell,
`examine_chains` for the same where an employer's establishments in a cell count as one,
`examine_kept` for counts of the establishments that are kept, `examine_block` for one joint draw of
all cells; clipped sums have a module of their own.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from flint import arb

from leeward.core.privacy import policy
from leeward.core.privacy.policy import with_plus
from leeward.core.privacy.workforces import Database
from leeward.lab.audit.job_relation import JOB_QUESTIONS, Examined, MoreJobs
from leeward.lab.audit.loss import (
    INFINITE,
    UNKNOWN,
    PrivacyLoss,
    laplace_loss,
    over,
    pure_loss,
    worst,
)
from leeward.lab.audit.neighbours import DatabasePair, Depth, block_pairs, pairs
from leeward.lab.audit.outputs import CellBlock, Independent, Rounded
from leeward.lab.audit.radial_bound import peaks, radial_bound
from leeward.lab.audit.recording import (
    BlockMechanism,
    CountMechanism,
    KeepingMechanism,
    released,
    released_block,
)

View = Callable[[Database], Rounded]
"""The distribution of what is released of a database."""

Exam = Callable[[Any, str, Depth], PrivacyLoss]
"""The largest loss of a mechanism under the policy of a name; an audit line joins the two."""


def examine_scalar(mechanism: CountMechanism, name: str, depth: Depth) -> PrivacyLoss:
    """A workplace table; several worker cells are released alike, each at its share of ε."""
    parameters, policy = mechanism.parameters, examined(mechanism, name)
    neighbours = pairs(policy, parameters.alpha, depth)
    copies = 1 if isinstance(policy, MoreJobs) else parameters.cells  # a job is in one cell
    return scalar(workplace_view(mechanism), neighbours, parameters.epsilon, copies=copies)


def examine_chains(mechanism: CountMechanism, name: str, depth: Depth) -> PrivacyLoss:
    """A workplace table by employer: each part is two establishments, which both change."""
    parameters = mechanism.parameters
    neighbours = pairs(examined(mechanism, name), parameters.alpha, depth)
    merged = (pair.merged() for pair in neighbours)
    return scalar(workplace_view(mechanism), merged, parameters.epsilon)


def examine_kept(mechanism: KeepingMechanism, name: str, depth: Depth) -> PrivacyLoss:
    """Whole establishments, also such as are too large to be kept."""
    return scalar(
        kept_view(mechanism), pairs(policy(name), None, depth), mechanism.parameters.epsilon
    )


def by_policy(loss: Callable[..., PrivacyLoss], **how: Any) -> Exam:  # noqa: ANN401
    """The exam that is a loss under a policy of this name, with the Δ of the mechanism."""
    return lambda made, name, depth: loss(made, examined(made, name), depth, **how)


def examined(mechanism: Any, name: str) -> Any:  # noqa: ANN401 (any mechanism, any relation)
    """The policy of this name, with the Δ of the noise rounded down; or a question of jobs."""
    if name in JOB_QUESTIONS:
        return MoreJobs.of(name, mechanism.parameters)
    wanted = policy(name)
    return with_plus(wanted, int(mechanism.parameters.least)) if wanted.uses_alpha else wanted


def workplace_view(mechanism: CountMechanism) -> View:
    """A workplace table: all jobs are counted."""

    def view(database: Database) -> Rounded:
        return released(mechanism, database.size, database.largest)

    return view


def kept_view(mechanism: KeepingMechanism) -> View:
    """Only the establishments that are kept are counted."""

    def view(database: Database) -> Rounded:
        sizes = np.array(database.sizes)
        return released(mechanism, int(sizes[mechanism.keeps(sizes)].sum()), 0)

    return view


def scalar(
    view: View, neighbours: Iterable[DatabasePair], claimed: Fraction, *, copies: int = 1
) -> PrivacyLoss:
    """The worst pair of a mechanism that releases one number, or `copies` alike at once.

    Only the distance of the centres, both laws and both scales matter for additive noise, so pairs
    that agree in these are examined once.
    """
    seen: dict[object, tuple[Rounded, Rounded]] = {}
    for pair in neighbours:
        before, after = (view(database) for database in pair.databases)
        drawn = (before.law, before.scale, after.law, after.scale)
        seen[after.true - before.true, drawn] = before, after
    # Where tails are exponential and scales differ only δ is finite.
    exponential = any(a.exponential and a.scale != b.scale for a, b in seen.values())
    measure = laplace_loss if exponential else pure_loss
    return worst(measure(a, b, claimed / copies).times(copies) for a, b in seen.values())


def block_loss(before: Independent, after: Independent, claimed: Fraction) -> PrivacyLoss:
    """Joint masses at landmarks and between them, and the density's bound over all outputs."""
    outputs = {*before.landmarks(), *after.landmarks(), *window(before.true, after.true)}
    if len(before.parts) == 1 and before.parts[0].radius == after.parts[0].radius:
        outputs.update(block_peaks(before.parts[0], after.parts[0]))
    loss = over(outputs, before.mass, after.mass, claimed)
    delta = arb(0) if loss.delta <= 0 else UNKNOWN
    bounds = (block_bound(a, b) for a, b in zip(before.parts, after.parts, strict=True))
    return replace(loss, delta=delta, bound=sum(bounds, arb(0)))


def window(before: tuple[int, ...], after: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """All outputs near two centres of two cells, and a few between them for more cells."""
    if len(before) == 2 and sum(after) - sum(before) <= 4:
        yield from product(*(range(b - 6, a + 7) for b, a in zip(before, after, strict=True)))
    for part in (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)):
        yield tuple(b + int(part * (a - b)) for b, a in zip(before, after, strict=True))


def block_peaks(before: CellBlock, after: CellBlock) -> Iterator[tuple[int, ...]]:
    """Where the ratio of densities is largest."""
    centres, distance = (before.true, after.true), block_distance(before, after)
    yield from peaks(centres, distance, (before.scale, after.scale), before.radius)


def block_distance(before: CellBlock, after: CellBlock) -> int:
    """Σ|n' − n|."""
    return sum(abs(a - b) for a, b in zip(before.true, after.true, strict=True))


def block_bound(before: CellBlock, after: CellBlock) -> arb:
    """The supremum of the density's log-ratio over the whole space.

    Boxes of integers cannot exceed it. None is known of noise of two laws.
    """
    if before.radius != after.radius:
        return INFINITE
    distance = block_distance(before, after)
    return radial_bound(distance, (before.scale, after.scale), before.radius)


def block(mechanism: BlockMechanism, policy: Examined, depth: Depth) -> PrivacyLoss:
    """The worst pair for blocks of worker cells, also with workers outside the table."""
    d, alpha = mechanism.parameters.cells, mechanism.parameters.growth
    outputs = set()
    for pair in block_pairs(policy, alpha, (d, d + 1), depth, 10**4):
        before, after = (released_block(mechanism, database) for database in pair.databases)
        # Only distances matter, so databases that agree in these are examined once.
        outputs.add((before.seen_from(before.true), after.seen_from(before.true)))
    claimed = mechanism.parameters.epsilon
    return worst(block_loss(before, after, claimed) for before, after in outputs)


examine_block = by_policy(block)
