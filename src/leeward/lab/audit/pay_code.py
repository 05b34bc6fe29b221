"""Exams of the released code of pay: compared with its definition, and sampled.

Count and payroll are counted once more, job by job, from the databases. What a table shows must
follow from its noisy numbers alone: with the same noise, neighbours show the same. The draws of
pairs are compared with the law of their norm and with the cones of their body.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import Any, Protocol, cast

import numpy as np

from leeward.core.codebook import Cells, Entries
from leeward.core.mechanisms import Mechanism
from leeward.core.mechanisms.error_margins import NoMargins, PublicMargins
from leeward.core.mechanisms.measurement import Measured
from leeward.core.noise.body import Body
from leeward.core.noise.draws import SECRET
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.radial_law import RadialLaw
from leeward.core.noise.scales import Scales
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import Policy, StrongAlpha
from leeward.core.privacy.workforces import Database
from leeward.lab.audit.joint_code import DRAWN, LAW, near
from leeward.lab.audit.neighbours import QUICK, DatabasePair
from leeward.lab.audit.paid_neighbours import paid_pairs
from leeward.lab.audit.pair_block import PairBlock
from leeward.lab.audit.radial_bound import exponential_radius
from leeward.lab.audit.radius_check import in_dimension, radii
from leeward.lab.audit.recording import RecordingNoise, entries
from leeward.lab.audit.released_code import INDEX, SUMS, CodeExam, grid_index, log_index
from leeward.lab.audit.table_exam import LOW, SHOWS, same_shown

PAY_DRAWS = 1 << 16
"""Draws of each database."""

PAIRS = "releases other counts or payrolls than it was given"
MEANS = "publishes another mean than payroll over count"
WIDE = 10**6


class PayMeasurement(Protocol):
    """What the auditor asks of the measurement of a table of pay."""

    def _measure(self, columns: Cells | Entries, noise: Noise) -> Measured:
        """What is released, with given noise."""


def databases(mechanism: Any, kinds: int) -> list[Database]:  # noqa: ANN401 (any mechanism of pay)
    """Both sides of strong steps, every third: many differ in the neighbour alone."""
    p = mechanism.parameters
    neighbours = paid_pairs(StrongAlpha(p.plus), p.growth, mechanism.cap, kinds, QUICK)[::3]
    return [database for pair in neighbours for database in pair.databases]


def by_definition(database: Database, cells: int) -> list[list[int]]:
    """Count and payroll of each kind of worker that the table has, job by job."""
    kinds = [[pay for force in database.establishments for pay in (force.pay or ())[kind]]
             for kind in range(cells)]  # fmt: skip
    return [[len(jobs), sum(jobs)] for jobs in kinds]


def cell_faults(mechanism: Any, examined: list[Database]) -> Iterator[str]:  # noqa: ANN401
    """What noise was asked for are counts and payrolls, of those that release no count payrolls."""
    columns, noise = entries(examined, mechanism.parameters.cells), RecordingNoise()
    mechanism._release(columns.as_cells(), noise)
    true = np.array([by_definition(database, mechanism.parameters.cells) for database in examined])
    wanted = true if mechanism.with_count else true[:, :, 1]
    if noise.asked[0].size != wanted.size or (noise.asked[0].ravel() != wanted.ravel()).any():
        yield PAIRS
    if mechanism.statistic == "mean":
        yield from mean_faults(mechanism, examined)
    yield from _law_faults(noise.pair_blocks)
    yield from table_faults(mechanism, examined)


def log_faults(mechanism: Any, examined: list[Database]) -> Iterator[str]:  # noqa: ANN401
    """Grid indices of n + Δ/α and of P + Δ·cap/α."""
    columns, noise, p = entries(examined, 1), RecordingNoise(), mechanism.parameters
    mechanism._release(columns.as_cells(), noise)
    for row, database in zip(noise.asked[0].tolist(), examined, strict=True):
        ((jobs, pay),) = by_definition(database, 1)
        floors = (p.floor, p.floor * mechanism.cap)
        wanted = [log_index(n + f, p.growth) for n, f in zip((jobs, pay), floors, strict=True)]
        if row != [wanted]:
            yield INDEX
    yield from _law_faults(noise.pair_blocks)
    yield from table_faults(mechanism, examined)


def clipped_faults(mechanism: Any, examined: list[Database]) -> Iterator[str]:  # noqa: ANN401
    """Index, and sums: establishments above θ scaled down by all their jobs, then floored."""
    lattice, cells = mechanism.bounds.clipping.lattice, mechanism.parameters.cells
    true = [grid_index(case.largest, mechanism.parameters) for case in examined]
    for low in LOW:
        noise = RecordingNoise([np.array(true) - low])
        _, theta = mechanism._release(entries(examined, cells), noise)
        if noise.asked[0].tolist() != true:
            yield INDEX
        for block, database, bound in zip(noise.pair_blocks, examined, theta.tolist(), strict=True):
            if list(block.true) != clipped_sums(database, cells, Fraction(bound, lattice), lattice):
                yield SUMS
    yield from _law_faults(noise.pair_blocks)
    yield from table_faults(mechanism, examined)


def clipped_sums(
    database: Database, cells: int, theta: Fraction, lattice: int
) -> list[tuple[int, int]]:
    """Σ over establishments of ⌊lattice·c·min(1, θ/|E|)⌋ and ⌊P·min(1, θ/|E|)⌋, kind by kind."""
    sums = [[0, 0] for _ in range(cells)]
    for force in database.establishments:
        factor = min(Fraction(1), theta / max(force.size, 1))
        for total, jobs, pay in zip(sums, force.jobs, force.pay or (), strict=False):
            total[0] += floor(lattice * jobs * factor)
            total[1] += floor(sum(pay) * factor)
    return [(jobs, pay) for jobs, pay in sums]


def table_faults(mechanism: Any, examined: list[Database]) -> Iterator[str]:  # noqa: ANN401
    """With the same noisy numbers, neighbours show the same, intervals too where they are free."""
    free = PublicMargins() if mechanism.free_margins else NoMargins()
    table = cast(PayMeasurement, mechanism.measurement(by_cell=False, margins=free))
    cells, noise = mechanism.parameters.cells, RecordingNoise()
    first = table._measure(entries(examined[::2], cells), noise)
    second = table._measure(entries(examined[1::2], cells), RecordingNoise(noise.asked))
    if not same_shown(first, second):
        yield SHOWS


def mean_faults(mechanism: Any, examined: list[Database]) -> Iterator[str]:  # noqa: ANN401
    """Without noise a mean is payroll over count."""
    table = cast(PayMeasurement, mechanism.measurement(by_cell=False, margins=NoMargins()))
    cells = mechanism.parameters.cells
    shown = table._measure(entries(examined, cells), RecordingNoise()).values.tolist()
    for row, database in zip(shown, examined, strict=True):
        # To the nearest whole number, at most the cap; none without a job.
        wanted = [
            min(floor(Fraction(payroll, jobs) + Fraction(1, 2)), mechanism.cap) if jobs else None
            for jobs, payroll in by_definition(database, cells)
        ]
        if any(mean not in (None, value) for mean, value in zip(wanted, row, strict=True)):
            yield MEANS


# Draws.


def _law_faults(blocks: Sequence[PairBlock]) -> Iterator[str]:
    """Where pairs are drawn: whether their draws are of the law that was asked for."""
    for body, radius in {(block.body, block.radius) for block in blocks}:
        if not follows_law(body, radius):
            yield LAW


@lru_cache(maxsize=16)
def follows_law(body: Body, radius: RadialLaw) -> bool:
    """Two pairs a row: the law of their norm, cones alike, sides even, and one radius for both."""
    unit_scale, law = Scales(np.full(DRAWN, WIDE)), in_dimension(radius, 4)
    exponential = radius == exponential_radius(radius.dimension)
    noise = SECRET.pairs(
        np.zeros((DRAWN, 2, 2), np.int64), (unit_scale,) * 2, body, None if exponential else law
    )
    drawn_pairs, known = noise / WIDE, radii(law)
    norms = body.norm(drawn_pairs[..., 0], drawn_pairs[..., 1])
    seen, wanted = list[float](), list[float]()
    for reach in known.reaches():
        half = reach / 2
        seen += [float((norms[:, 0] <= half).mean()), float((norms.sum(axis=1) <= reach).mean())]
        wanted += [known.halves_within(half), known.within(reach)]
    for share, cone in _cones(drawn_pairs[:, 0], body):
        cones = len(body.vertices)
        seen += [float(cone.mean()), float((cone & (share < 0.25)).mean())]
        wanted += [1 / cones, 0.25 / cones]
    return all(map(near, seen, wanted))


def _cones(points: Floats, body: Body) -> Iterator[tuple[Floats, Any]]:
    """For each cone the share of its first vertex in the norm, and which points are inside."""
    vertices = body.vertices
    for (a, b), (c, d) in zip(vertices, (*vertices[1:], vertices[0]), strict=True):
        turn = a * d - b * c
        first = (points[:, 0] * d - points[:, 1] * c) / turn
        second = (points[:, 1] * a - points[:, 0] * b) / turn
        inside = (first > 0) & (second > 0)
        with np.errstate(all="ignore"):
            yield first / (first + second), inside


def drawn(mechanism: Mechanism, database: Database, draws: int) -> Floats:
    """Payrolls of the first cell, and its counts where they are released."""
    columns = entries([database], mechanism.parameters.cells, draws)
    paid = replace(cast(Any, mechanism), statistic="payroll")
    measured = paid.measurement(by_cell=False, margins=NoMargins()).measure(columns)
    counts = [measured.margins[name][:, 0] for name in ("count",) if name in measured.margins]
    return np.column_stack([measured.values[:, 0], *counts]).astype(np.float64)


def sampled_pairs(mechanism: Any, protected: Policy) -> Iterator[DatabasePair]:  # noqa: ANN401
    """The first job, many joiners at 0 and at the cap, and where it may be, a raise of all."""
    cap, alpha, none = (
        mechanism.cap,
        mechanism.parameters.growth,
        ((),) * (mechanism.parameters.cells - 1),
    )
    size, level = 1000, cap // 3
    grown, more = int(size * alpha), min(level + int(level * alpha), cap)

    def pair(
        before: Sequence[int], after: Sequence[int], *others: Sequence[int]
    ) -> Iterator[DatabasePair]:
        both = (Database.capped(cap, *([workforce, *none] for workforce in (*others, each)))
                for each in (before, after))  # fmt: skip
        yield from DatabasePair(*both).admitted(protected, alpha)

    yield from pair([], [cap])
    yield from pair([0] * size, [0] * (size + grown))
    yield from pair([cap] * size, [cap] * (size + grown))
    yield from pair([level] * size, [more] * size, [level] * (size + grown // 2))


PAY_CODE, LOG_CODE, PAY_CLIPPED_CODE = (
    CodeExam(
        faults,
        sampled_pairs,
        PAY_DRAWS,
        drawn,
        kinds=lambda mechanism: (mechanism.parameters.cells + 1,),
        databases=databases,
    )
    for faults in (cell_faults, log_faults, clipped_faults)
)
