"""Recorded releases: the released code itself, run with noise that records what it is asked for.

The recording noise adds nothing, or returns given numbers, and keeps each request: the true
numbers, their law and their scales. That is the distribution of what the code releases, so losses
are computed from what the code does, not from what it should do.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leeward.core.codebook import Entries
from leeward.core.mechanisms.checked_columns import checked_entries
from leeward.core.mechanisms.clipping import Clipping
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.noise.body import Body
from leeward.core.noise.design import Design
from leeward.core.noise.law import Law
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.radial_law import RadialLaw
from leeward.core.noise.scales import MOST, Integers, Laws, Scales, TwoScales, by_law
from leeward.core.privacy.workforces import Database
from leeward.lab.audit.outputs import CellBlock, Independent, JointBlock, Rounded
from leeward.lab.audit.pair_block import PairBlock
from leeward.lab.audit.radial_bound import of_dimension


class CountMechanism(Protocol):
    """What the auditor asks of a mechanism that adds noise to counts, or to indices of sizes."""

    @property
    def parameters(self) -> Parameters:
        """α, ε, δ and the number of worker cells."""

    @property
    def follows(self) -> str:
        """Which column the noise depends on."""

    @property
    def counted(self) -> bool:
        """Whether what is released are counts."""

    @property
    def law(self) -> Law:
        """The law of the noise."""

    def _release(
        self, counts: ArrayLike | None, largest: ArrayLike | None, noise: Noise
    ) -> Integers:
        """What is released, with given noise."""


class BlockMechanism(CountMechanism, Protocol):
    """What the auditor asks of a mechanism with one shared draw for all cells of a block."""

    @property
    def radius(self) -> RadialLaw:
        """The law of the size of the noise, which all cells share."""


class KeepingMechanism(CountMechanism, Protocol):
    """What the auditor asks of a mechanism that counts establishments of at most θ jobs."""

    @property
    def theta(self) -> int:
        """The largest size that is counted."""

    def keeps(self, sizes: ArrayLike) -> NDArray[np.bool_]:
        """Which establishments are counted."""


class ClippingMechanism(Protocol):
    """What decides on the bound to which establishments are clipped."""

    @property
    def parameters(self) -> Parameters:
        """α, ε, δ and the number of worker cells."""

    @property
    def clipping(self) -> Clipping:
        """Its lattice; what is clipped, and how, is examined."""


class EntryMechanism(ClippingMechanism, Protocol):
    """What the auditor asks of a mechanism that clips establishments to a bound."""

    def _release(self, entries: Entries, noise: Noise) -> tuple[Integers, Integers]:
        """Counts and the bound θ of each workplace cell, with given noise."""


@dataclass(frozen=True)
class NoiseRequest:
    """A column of numbers to which noise was asked for, with the scale and the law of each.

    `level` numbers the scale of an entry in `scales`, and its law in `laws`. For Gaussian noise
    there are no laws, and the scale is the variance.
    """

    true: Integers
    level: Integers
    scales: tuple[Fraction, ...]
    laws: tuple[Law, ...] = ()

    @classmethod
    def of(cls, true: Integers, laws: Laws, scales: Scales) -> "NoiseRequest":
        """Laws are looked up as draws look them up: one by one they might be other ones."""
        level = np.full(true.size, -1)
        drawn: list[tuple[Fraction, Law]] = []
        for law, some in by_law(laws, scales):
            part = scales.part(some)
            _, first, inverse = np.unique(part.base, return_index=True, return_inverse=True)
            level[some] = inverse + len(drawn)
            drawn += [(part.exact(i), law) for i in first.tolist()]
        if (level < 0).any():
            raise ValueError("a number has no law")
        return cls(true, level, tuple(scale for scale, _ in drawn), tuple(law for _, law in drawn))

    @classmethod
    def together(cls, parts: Sequence["NoiseRequest"]) -> "NoiseRequest":
        """Several columns, one after the other."""
        before = np.cumsum([0, *(len(part.scales) for part in parts)])
        return cls(
            np.concatenate([part.true for part in parts]),
            np.concatenate([part.level + n for part, n in zip(parts, before, strict=False)]),
            tuple(scale for part in parts for scale in part.scales),
            tuple(law for part in parts for law in part.laws),
        )

    @property
    def gaussian(self) -> bool:
        """Whether it is Gaussian noise."""
        return not self.laws

    def in_order(self, rows: Integers, cells: int) -> "NoiseRequest":
        """The same with rows of `cells` entries put into this order."""
        true, level = (column.reshape(-1, cells)[rows] for column in (self.true, self.level))
        return replace(self, true=true.ravel(), level=level.ravel())

    def rounded(self, i: int) -> Rounded:
        """The distribution of one entry."""
        if self.gaussian:
            raise TypeError("Gaussian noise is not rounded")
        level = self.level[i]
        return Rounded(int(self.true[i]), self.laws[level], self.scales[level])


@dataclass
class RecordingNoise:
    """Noise that answers the first requests with `answers` and adds nothing to the others."""

    answers: Sequence[Integers] = ()
    requests: list[NoiseRequest] = field(default_factory=list)
    blocks: list[CellBlock] = field(default_factory=list)
    joints: list[JointBlock] = field(default_factory=list)
    pair_blocks: list[PairBlock] = field(default_factory=list)
    asked: list[Integers] = field(default_factory=list)
    """The true numbers of all requests, in the order of the calls."""

    answered: list[Integers] = field(default_factory=list)
    """What was returned in their place."""

    def rounded(self, true: Integers, law: Laws, scales: Scales) -> Integers:
        """Keep the column."""
        self.requests.append(NoiseRequest.of(true, law, scales))
        return self._answer(true)

    def gaussian(self, true: Integers, variance: Fraction) -> Integers:
        """Keep the column."""
        self.requests.append(NoiseRequest(true.ravel(), np.zeros(true.size, np.int64), (variance,)))
        return self._answer(true)

    def block(self, true: Integers, scales: Scales, law: RadialLaw) -> Integers:
        """Keep one joint distribution a row."""
        radius = of_dimension(law, true.shape[1])
        for i, row in enumerate(true.tolist()):
            self.blocks.append(CellBlock(tuple(row), scales.exact(i), radius))
        return self._answer(true)

    def pairs(
        self, true: Integers, scales: TwoScales, body: Body, law: RadialLaw | None
    ) -> Integers:
        """Keep one joint distribution a row."""
        radius = of_dimension(law, 2 * true.shape[1])
        for i, row in enumerate(true.tolist()):
            exact = (scales[0].exact(i), scales[1].exact(i))
            self.pair_blocks.append(PairBlock(tuple(map(tuple, row)), exact, body, radius))
        return self._answer(true)

    def joint(
        self, true: Integers, scales: Scales, design: Design, law: RadialLaw | None
    ) -> Integers:
        """Keep one joint distribution a row."""
        radius = of_dimension(law, design.dimension)
        for i, row in enumerate(true.tolist()):
            self.joints.append(JointBlock(tuple(row), scales.exact(i), design, radius))
        return self._answer(true)

    def _answer(self, true: Integers) -> Integers:
        self.asked.append(true.copy())
        answer = true
        if self.answers:
            answer, *self.answers = self.answers
        self.answered.append(answer.copy())
        return answer.reshape(true.shape).copy()


def released(mechanism: CountMechanism, count: int, largest: int) -> Rounded:
    """The distribution of what is released for one cell."""
    noise = RecordingNoise()
    mechanism._release(count, largest if mechanism.follows == "largest" else None, noise)
    (column,) = noise.requests
    return column.rounded(0)


def released_block(mechanism: BlockMechanism, database: Database) -> Independent:
    """The joint distribution of a block: as many parts as the code drew independently.

    Kinds of worker beyond the block's cells are in no cell, but in the size.
    """
    noise = RecordingNoise()
    counts = database.by_kind[: mechanism.parameters.cells]
    mechanism._release(np.array([counts]), np.array([database.largest]), noise)
    alone = [
        CellBlock((int(n),), column.scales[level], mechanism.radius)
        for column in noise.requests
        for n, level in zip(column.true, column.level, strict=True)
        if column.laws[level] == mechanism.law
    ]
    return Independent((*noise.blocks, *alone))


@dataclass(frozen=True)
class ClippedRelease:
    """Workplace cells under the clipped mechanism: their index, θ, sums, and released values."""

    index: NoiseRequest
    theta: Integers
    sums: NoiseRequest
    values: Integers


def clipped_release(
    mechanism: EntryMechanism, databases: Sequence[Database], indices: Integers | None = None
) -> ClippedRelease:
    """The three steps of a release, one workplace cell a database; without indices, no noise."""
    noise, cells = RecordingNoise(() if indices is None else (indices,)), mechanism.parameters.cells
    columns = checked_entries(entries(databases, cells), MOST // mechanism.clipping.lattice)
    values, theta = mechanism._release(columns, noise)
    index, sums = noise.requests[0], NoiseRequest.together(noise.requests[1:])
    if index.gaussian:  # one call for each θ, from the lowest
        sums = sums.in_order(np.argsort(np.argsort(theta, kind="stable"), kind="stable"), cells)
    return ClippedRelease(index, theta, sums, values)


def entries(databases: Sequence[Database], cells: int, copies: int = 1) -> Entries:
    """Databases as workplace cells of one table, each `copies` times; with pay where they have it.

    Kinds of worker beyond the table's cells are in no cell, but in the size.
    """
    forces = [force for database in databases for force in database.establishments]
    jobs = np.array([force.jobs for force in forces], dtype=np.int64)
    pay = np.array([list(map(sum, force.pay or ())) for force in forces], dtype=np.int64)
    return entries_of(databases, jobs[:, :cells], cells, copies, pay if pay.size else None)


def entries_of(
    databases: Sequence[Database],
    rows: Integers,
    cells: int,
    copies: int,
    pay: Integers | None = None,
) -> Entries:
    """The same from the counts, and pay by kind, of all establishments in order.

    A database may have fewer kinds of worker than the table has cells.
    """
    sizes = np.array([size for database in databases for size in database.sizes], dtype=np.int64)
    establishments = [len(database.sizes) for database in databases]
    row, cell = np.nonzero(rows)

    def repeated(column: Integers, apart: int = 0) -> Integers:
        return (column + np.arange(copies)[:, None] * apart).ravel()

    return Entries(
        counts=repeated(rows[row, cell]),
        cell=repeated(cell),
        row=repeated(row, len(rows)),
        sizes=repeated(sizes),
        workplace=repeated(np.repeat(np.arange(len(databases)), establishments), len(databases)),
        shape=(copies * len(databases), cells),
        in_frame=np.tile(establishments, copies),
        payroll=None if pay is None else repeated(pay[row, cell]),
        payrolls=None if pay is None else repeated(pay.sum(axis=1)),
    )
