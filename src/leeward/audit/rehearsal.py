"""Rehearsals: the released code itself, run with noise that the auditor chooses.

The auditor's noise answers what it is told, or adds nothing, and keeps what it was asked for: the
true numbers, their law and their scales. That is the distribution of what the code releases, so
losses are computed from what it does, not from what it should do.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from leeward.audit.neighbours import Database, jobs
from leeward.audit.outputs import Independent, ParetoBlock, Rounded
from leeward.mechanisms.additive import Additive
from leeward.mechanisms.clipped import Clipped
from leeward.mechanisms.clipping import checked_entries
from leeward.mechanisms.vector_pareto import VectorPareto
from leeward.model import Entries
from leeward.noise.law import Law
from leeward.noise.scales import MOST, Integers, Scales


@dataclass(frozen=True)
class Asked:
    """A column of numbers to which noise was asked for: their law, and which scale each has.

    `level` numbers the scale of an entry in `scales`. For Gaussian noise there is no law, and the
    scale is the variance.
    """

    true: Integers
    law: Law | None
    level: Integers
    scales: tuple[Fraction, ...]

    @classmethod
    def together(cls, parts: Sequence["Asked"]) -> "Asked":
        """Several columns of one law, one after the other."""
        before = np.cumsum([0, *(len(part.scales) for part in parts)])
        return cls(
            np.concatenate([part.true for part in parts]),
            parts[0].law,
            np.concatenate([part.level + n for part, n in zip(parts, before, strict=False)]),
            tuple(scale for part in parts for scale in part.scales),
        )

    def in_order(self, rows: Integers, cells: int) -> "Asked":
        """The same with rows of so many cells put into this order."""
        true, level = (column.reshape(-1, cells)[rows] for column in (self.true, self.level))
        return replace(self, true=true.ravel(), level=level.ravel())

    def rounded(self, i: int) -> Rounded:
        """The distribution of one entry."""
        if self.law is None:
            raise TypeError("Gaussian noise is not rounded")
        return Rounded(int(self.true[i]), self.law, self.scales[self.level[i]])


@dataclass
class ToldNoise:
    """Noise that answers the first request with `first` and adds nothing to the others."""

    first: Integers | None = None
    asked: list[Asked] = field(default_factory=list)
    blocks: list[ParetoBlock] = field(default_factory=list)

    def rounded(self, true: Integers, law: Law, scales: Scales) -> Integers:
        """Keep the column."""
        _, first, level = np.unique(scales.base, return_index=True, return_inverse=True)
        exact = tuple(scales.exact(int(i)) for i in first)
        self.asked.append(Asked(true, law, level, exact))
        return self._answer(true)

    def gaussian(self, true: Integers, variance: Fraction) -> Integers:
        """Keep the column."""
        self.asked.append(Asked(true.ravel(), None, np.zeros(true.size, np.int64), (variance,)))
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
    mechanism._release(count, largest if mechanism.follows == "largest" else None, told)
    (column,) = told.asked
    return column.rounded(0)


def released_block(mechanism: VectorPareto, database: Database) -> Independent:
    """The joint distribution of a block: as many parts as the code drew independently.

    Kinds of worker beyond the block's cells are in no cell, but in the size.
    """
    told = ToldNoise()
    counts = [sum(kind) for kind in zip(*database, strict=True)][: mechanism.parameters.cells]
    largest = max(jobs(force) for force in database)
    mechanism._release(np.array([counts]), np.array([largest]), told)
    alone = [
        ParetoBlock((int(n),), column.scales[level], mechanism.shape)
        for column in told.asked
        if column.law == mechanism.law
        for n, level in zip(column.true, column.level, strict=True)
    ]
    return Independent((*told.blocks, *alone))


@dataclass(frozen=True)
class ClippedRun:
    """Workplace cells under the clipped mechanism: their index, θ, sums, and released values."""

    index: Asked
    theta: Integers
    sums: Asked
    values: Integers


def clipped_run(
    mechanism: Clipped, databases: Sequence[Database], indices: Integers | None = None
) -> ClippedRun:
    """The three steps of a release, one workplace cell a database; without indices, no noise."""
    told, cells = ToldNoise(indices), mechanism.parameters.cells
    held = entries(databases, mechanism)
    values, theta = mechanism._release(held, told)
    index, sums = told.asked[0], Asked.together(told.asked[1:])
    if index.law is None:  # one call for each θ, from the lowest
        sums = sums.in_order(np.argsort(np.argsort(theta, kind="stable"), kind="stable"), cells)
    return ClippedRun(index, theta, sums, values)


def entries(databases: Sequence[Database], mechanism: Clipped, copies: int = 1) -> Entries:
    """Databases as workplace cells of one release, all of them so many times, and checked."""
    forces = np.array([force for database in databases for force in database], dtype=np.int64)
    place = np.repeat(np.arange(len(databases)), [len(each) for each in databases])
    cells, most = mechanism.parameters.cells, MOST // mechanism.clipping.lattice
    row, cell = np.nonzero(forces[:, :cells])

    def repeated(column: Integers, apart: int = 0) -> Integers:
        return (column + np.arange(copies)[:, None] * apart).ravel()

    held = Entries(
        counts=repeated(forces[row, cell]),
        cell=repeated(cell),
        row=repeated(row, len(forces)),
        sizes=repeated(forces.sum(axis=1)),
        workplace=repeated(place, len(databases)),
        shape=(copies * len(databases), cells),
    )
    return checked_entries(held, most)
