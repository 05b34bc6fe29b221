"""Rehearsals: the released code itself, run with noise that the auditor chooses.

The auditor's noise answers what it is told, or adds nothing, and keeps what it was asked for: the
true numbers, their law and their scales. That is the distribution of what the code releases, so
losses are computed from what it does, not from what it should do.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from leeward.audit.neighbours import Database, jobs
from leeward.audit.outputs import Gaussian, Independent, ParetoBlock, Rounded
from leeward.mechanisms.additive import Additive
from leeward.mechanisms.clipped import Clipped
from leeward.mechanisms.entries import Entries
from leeward.mechanisms.law import Law
from leeward.mechanisms.sampling import MOST, Integers, Scales
from leeward.mechanisms.vector_pareto import VectorPareto

Single = Rounded | Gaussian


@dataclass
class ToldNoise:
    """Noise that answers the first request with `first` and adds nothing to the others."""

    first: Integers | None = None
    singles: list[Single] = field(default_factory=list)
    blocks: list[ParetoBlock] = field(default_factory=list)

    def rounded(self, true: Integers, law: Law, scales: Scales) -> Integers:
        """Keep one distribution an entry."""
        exact: dict[int, Fraction] = {}
        for i, (value, base) in enumerate(zip(true.tolist(), scales.base.tolist(), strict=True)):
            if base not in exact:
                exact[base] = scales.exact(i)
            self.singles.append(Rounded(value, law, exact[base]))
        return self._answer(true)

    def gaussian(self, true: Integers, variance: Fraction) -> Integers:
        """Keep one distribution an entry."""
        self.singles += [Gaussian(value, variance) for value in true.ravel().tolist()]
        return self._answer(true)

    def block(self, true: Integers, scales: Scales, shape: int) -> Integers:
        """Keep one joint distribution a row."""
        for i, row in enumerate(true.tolist()):
            self.blocks.append(ParetoBlock(tuple(row), scales.exact(i), Fraction(shape)))
        return self._answer(true)

    def _answer(self, true: Integers) -> Integers:
        answer, self.first = self.first, None
        return true if answer is None else answer.reshape(true.shape)


def released(mechanism: Additive, count: int, largest: int) -> Rounded:
    """The distribution of what is released for one cell."""
    told = ToldNoise()
    mechanism._release(count, largest if mechanism.needs == "largest" else None, told)
    (single,) = told.singles
    if not isinstance(single, Rounded):
        raise TypeError(single)
    return single


def released_block(mechanism: VectorPareto, database: Database) -> Independent:
    """The joint distribution of a block: as many parts as the code drew independently.

    Kinds of worker beyond the block's cells are in no cell, but in the size.
    """
    told = ToldNoise()
    counts = [sum(kind) for kind in zip(*database, strict=True)][: mechanism.parameters.cells]
    largest = max(jobs(force) for force in database)
    mechanism._release(np.array([counts]), np.array([largest]), told)
    singles = [
        ParetoBlock((single.true,), single.scale, mechanism.shape)
        for single in told.singles
        if isinstance(single, Rounded) and single.law == mechanism.law
    ]
    return Independent((*told.blocks, *singles))


@dataclass(frozen=True)
class ClippedRun:
    """Workplace cells under the clipped mechanism: their index, θ, sums, and released values."""

    index: tuple[Single, ...]
    theta: tuple[int, ...]
    sums: tuple[tuple[Single, ...], ...]
    values: Integers


def clipped_run(
    mechanism: Clipped, databases: Sequence[Database], indices: Integers | None = None
) -> ClippedRun:
    """The three steps of a release, one workplace cell a database; without indices, no noise."""
    told, cells = ToldNoise(indices), mechanism.parameters.cells
    held = entries(databases, mechanism)
    values, theta = mechanism._release(held, len(databases), told)
    index, drawn = told.singles[: len(databases)], told.singles[len(databases) :]
    rows = [tuple(drawn[i : i + cells]) for i in range(0, len(drawn), cells)]
    order = np.arange(len(rows))
    if isinstance(index[0], Gaussian):  # one call for each θ, from the lowest
        order = np.argsort(np.argsort(theta, kind="stable"), kind="stable")
    sums = tuple(rows[i] for i in order.tolist())
    return ClippedRun(tuple(index), tuple(theta.tolist()), sums, values)


def entries(databases: Sequence[Database], mechanism: Clipped) -> Entries:
    """Databases as workplace cells of one release, checked as a release checks them."""
    forces = np.array([force for database in databases for force in database], dtype=np.int64)
    cells = mechanism.parameters.cells
    row, cell = np.nonzero(forces[:, :cells])
    columns = {
        "counts": forces[row, cell],
        "cell": cell,
        "row": row,
        "sizes": forces.sum(axis=1),
        "workplace": np.repeat(np.arange(len(databases)), [len(each) for each in databases]),
    }
    most = MOST // mechanism.clipping.lattice
    return Entries.checked(columns, workplaces=len(databases), cells=cells, most=most)
