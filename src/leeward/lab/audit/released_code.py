"""Exams of the released code: compared with its definition, and sampled.

The code that a release calls is first run with noise that adds nothing, on empty, tiny and partly
covered establishments and beside larger ones, and must give the numbers of its definition, which
is written here once more in exact rationals. Nothing is imported from what the code calls.

Then it is sampled. Each workplace cell has noise of its own, so one release of many equal cells is
many draws, of which `sampled_pair` makes a lower bound of the loss.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import islice
from math import floor, log
from typing import Any

import numpy as np

from leeward.core.mechanisms import Mechanism
from leeward.core.mechanisms.error_margins import NoMargins, PublicMargins
from leeward.core.mechanisms.measurement import Measurement
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import Policy, StrongAlpha
from leeward.core.privacy.workforces import Database
from leeward.lab.audit.exams import examined
from leeward.lab.audit.loss import PrivacyLoss, worst
from leeward.lab.audit.neighbours import DatabasePair, Depth, block_sizes, blocks, first_jobs
from leeward.lab.audit.outputs import HALF
from leeward.lab.audit.recording import (
    CountMechanism,
    KeepingMechanism,
    RecordingNoise,
    clipped_release,
    entries,
)
from leeward.lab.audit.sampled_pair import SampledPair
from leeward.lab.audit.table_exam import LOW, SHOWS, Recorded

RELEASED_CODE = "released code"
DRAWS, FEWER_DRAWS = 1 << 18, 1 << 14
"""Draws of each database; discrete Gaussian noise is drawn more slowly."""


GRID = 32
COUNTS = "releases other counts than it was given"
INDEX = "releases another index than that of the largest establishment"
SUMS = "clips otherwise than by all jobs of an establishment"
JOBS = "releases other jobs than its sums"


@dataclass(frozen=True)
class CodeExam:
    """How the released code of one kind of mechanism is examined.

    `faults` names departures from the definition on given databases, `pairs` are the neighbours
    that are sampled.
    """

    faults: Callable[[Any, list[Database]], Iterator[str]]
    pairs: Callable[[Any, Policy], Iterator[DatabasePair]]
    draws: int = DRAWS
    drawn: Callable[[Mechanism, Database, int], Floats] | None = None
    """What draws of a database show, if it is not a table by kinds of worker."""

    kinds: Callable[[Mechanism], tuple[int, ...]] = lambda mechanism: (
        mechanism.parameters.cells,
        mechanism.parameters.cells + 1,
    )
    """Kinds of worker in the databases whose release is compared with its definition."""

    databases: Callable[[Any, int], list[Database]] = lambda made, kinds: list(
        databases(made.parameters.alpha or Fraction(1, 10), kinds, made.parameters.plus)
    )
    """These databases: neighbours, one after the other."""

    def __call__(self, mechanism: Mechanism, name: str, _: Depth) -> PrivacyLoss:
        """The released code compared with its definition, and then sampled."""
        fault = self.fault(mechanism)
        return (
            PrivacyLoss.faulty(fault)
            if fault
            else self.sampled(mechanism, examined(mechanism, name))
        )

    def fault(self, mechanism: Mechanism) -> str:
        """How the released code departs from its definition; empty where it does not."""
        for kinds in self.kinds(mechanism):
            first = next(self.faults(mechanism, self.databases(mechanism, kinds)), "")
            if first:
                return first
        return ""

    def sampled(self, mechanism: Mechanism, protected: Policy) -> PrivacyLoss:
        """The largest lower bound over pairs and directions."""
        delta = mechanism.parameters.delta  # with Gaussian noise, ε is what ρ implies at this δ
        experiments = [SampledPair(pair, self.draws) for pair in self.pairs(mechanism, protected)]
        release = partial(self.drawn or drawn, mechanism)
        loss = worst(experiment.loss(release, delta) for experiment in experiments)
        return replace(loss, draws=self.draws)


# Definitions.


def databases(alpha: Fraction, kinds: int, plus: int) -> Iterator[Database]:
    """Both sides of every pair that blocks are examined on."""
    for pair in blocks(StrongAlpha(plus), alpha, kinds, block_sizes(alpha, 100, plus)):
        yield from pair.databases


def count_faults(mechanism: CountMechanism, neighbours: list[Database]) -> Iterator[str]:
    """All jobs, or the grid index of the largest establishment."""
    counts = [database.size for database in neighbours]
    largest = [database.largest for database in neighbours]
    noise = RecordingNoise()
    followed = np.array(largest) if mechanism.follows == "largest" else None
    values = mechanism._release(np.array(counts), followed, noise)
    if not mechanism.counted:
        counts = [grid_index(size, mechanism.parameters) for size in largest]
    if values.tolist() != counts or noise.requests[0].true.size != len(counts):
        yield COUNTS if mechanism.counted else INDEX


def kept_faults(mechanism: Any, neighbours: list[Database]) -> Iterator[str]:  # noqa: ANN401
    """The jobs of establishments of at most θ jobs, by the measurement of a table."""
    noise = RecordingNoise()
    table: Measurement = mechanism.measurement(by_cell=False, margins=NoMargins())
    values = table._measure(entries(neighbours, 1), noise).values.ravel()
    kept = [
        sum(force.jobs[0] for force in database.establishments if force.size <= mechanism.theta)
        for database in neighbours
    ]
    if values.tolist() != kept or noise.requests[0].true.tolist() != kept:
        yield COUNTS


def block_faults(mechanism: CountMechanism, neighbours: list[Database]) -> Iterator[str]:
    """The jobs of each kind that the table has."""
    cells = mechanism.parameters.cells
    counts = [list(database.by_kind[:cells]) for database in neighbours]
    largest = np.array([database.largest for database in neighbours])
    if mechanism._release(np.array(counts), largest, RecordingNoise()).tolist() != counts:
        yield COUNTS


def clipped_faults(mechanism: Any, examined_databases: list[Database]) -> Iterator[str]:  # noqa: ANN401
    """Index, sums in lattice points, and whole jobs; the bound θ is only read.

    With the same noisy numbers a table shows the same of neighbours.
    """
    lattice, parameters = mechanism.clipping.lattice, mechanism.parameters
    true = [grid_index(database.largest, parameters) for database in examined_databases]
    for low in LOW:
        run = clipped_release(mechanism, examined_databases, np.array(true) - low)
        if run.index.true.tolist() != true:
            yield INDEX
        sums = [row.tolist() for row in run.sums.true.reshape(run.values.shape)]
        for database, theta, row in zip(examined_databases, run.theta.tolist(), sums, strict=True):
            wanted = clipped_sums(database, Fraction(theta, lattice), lattice)
            if row != list(islice(wanted, len(row))):
                yield SUMS
        jobs = [[floor(Fraction(points, lattice) + HALF) for points in row] for row in sums]
        if run.values.tolist() != jobs:
            yield JOBS
    table = mechanism.measurement(by_cell=False, margins=PublicMargins())
    neighbours = map(DatabasePair, examined_databases[::2], examined_databases[1::2])
    for pair in (*neighbours, *first_jobs(mechanism.parameters.cells)):
        if Recorded.of(table, pair.before).shows_more(table, pair.after):
            yield SHOWS


def clipped_sums(database: Database, theta: Fraction, lattice: int) -> Iterator[int]:
    """Σ over establishments of ⌊lattice·c·min(1, θ/|E|)⌋, for each kind of worker."""
    factors = [min(Fraction(1), theta / max(size, 1)) for size in database.sizes]
    for kind in zip(*(force.jobs for force in database.establishments), strict=True):
        yield sum(floor(lattice * c * f) for c, f in zip(kind, factors, strict=True))


def grid_index(size: int, parameters: Parameters) -> int:
    """⌊32·ln A/ln(1+α)⌋ with A = max(size, Δ/α)."""
    alpha = parameters.growth
    return log_index(max(Fraction(size), parameters.least / alpha), alpha)


def log_index(number: Fraction, alpha: Fraction) -> int:
    """⌊32·ln(number)/ln(1+α)⌋, by whole powers of both."""
    grown = 1 + alpha
    power, index = number**GRID, floor(GRID * log(number) / log(grown))
    while grown**index > power:
        index -= 1
    while grown ** (index + 1) <= power:
        index += 1
    return index


# Draws.


def drawn(mechanism: Mechanism, database: Database, draws: int) -> Floats:
    """What a table of equal workplace cells shows, by the function that measures it.

    Where the scale of the noise is public and differs, it is shown too, and values are in units
    of it, since their noise follows it.
    """
    columns = entries([database], mechanism.parameters.cells, draws)
    measured = mechanism.measurement(by_cell=False, margins=NoMargins()).measure(columns)
    scale, values = measured.law.scale, measured.values.astype(np.float64)
    if scale is None or (scale == scale[0]).all():
        return values
    return np.column_stack((scale, values / scale[:, None]))


def count_pairs(mechanism: Mechanism, protected: Policy) -> Iterator[DatabasePair]:
    """The empty establishment, sizes at which a mechanism loses most, and a second one."""
    alpha, none = mechanism.parameters.alpha, (0,) * (mechanism.parameters.cells - 1)
    yield DatabasePair.of((0, *none), (1, *none))
    if alpha is None or not protected.uses_alpha:
        return
    full, part = 1000 + int(1000 * alpha), 1000 + int(500 * alpha)
    yield DatabasePair.of((1000, *none), (full, *none))
    yield DatabasePair.of((1000, *none), (full, *none), (part, *none))


def block_pairs(mechanism: Mechanism, protected: Policy) -> Iterator[DatabasePair]:
    """The same, and pairs with workers of a kind that the table does not have."""
    yield from count_pairs(mechanism, protected)
    alpha, none = mechanism.parameters.alpha, (0,) * (mechanism.parameters.cells - 1)
    if alpha is not None and protected.name == "strong":
        joined = int(10000 * alpha)
        yield DatabasePair.of(
            (0, *none, 10000), (joined, *none, 10000)
        )  # most are outside the table
        yield DatabasePair.of((joined, *none, 0), (joined, *none, int(alpha * joined)))


def removal_pairs(mechanism: KeepingMechanism, _: Policy) -> Iterator[DatabasePair]:
    """The largest establishment that is counted, and one that is not."""
    yield DatabasePair.of((0,), (mechanism.theta,))
    yield DatabasePair.of((0,), (mechanism.theta + 1,))
    yield DatabasePair.of((0,), (100 * mechanism.theta,))


COUNT_CODE = CodeExam(count_faults, count_pairs)
KEPT_CODE = CodeExam(kept_faults, removal_pairs)
BLOCK_CODE = CodeExam(block_faults, block_pairs)
CLIPPED_CODE = CodeExam(clipped_faults, block_pairs)
GAUSSIAN_CODE = replace(CLIPPED_CODE, draws=FEWER_DRAWS)
