"""Exams of the released code of whole products: compared with its definition, and sampled.

Noise is put in place of draws: a row of different numbers with one sum in all tables. What is
shown must be that row and its total, whatever the database, with the same margins for neighbours.
The draws themselves are compared with points that fill the ball of their norm evenly.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from math import floor, prod, sqrt
from typing import Any, Protocol, cast

import numpy as np

from leeward.core.codebook import Entries
from leeward.core.mechanisms import Mechanism
from leeward.core.mechanisms.calibrated import MarginRule
from leeward.core.mechanisms.error_margins import NoMargins, PublicMargins
from leeward.core.mechanisms.measurement import Measured
from leeward.core.mechanisms.radial_product import paid_margins
from leeward.core.noise.design import Design
from leeward.core.noise.draws import SECRET
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.radial_law import RadialLaw
from leeward.core.noise.scales import Integers, Scales
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import Policy
from leeward.core.privacy.workforces import Database
from leeward.lab.audit.joint_exam import (
    JointCountMechanism,
    JointEntryMechanism,
    broken_down,
    clipped_run,
    joint_entries,
)
from leeward.lab.audit.neighbours import DatabasePair
from leeward.lab.audit.radial_bound import exponential_radius
from leeward.lab.audit.radius_check import in_dimension, radii
from leeward.lab.audit.recording import RecordingNoise
from leeward.lab.audit.released_code import (
    COUNTS,
    INDEX,
    JOBS,
    SUMS,
    CodeExam,
    count_pairs,
    grid_index,
)
from leeward.lab.audit.table_exam import LOW, SHOWS, same_shown

JOINT_DRAWS = 1 << 17
"""Draws of each database."""

LAW = "draws noise of another law than it asks for"


def count_faults(mechanism: JointCountMechanism, databases: list[Database]) -> Iterator[str]:
    """The jobs of each code of each table, and with noise what was drawn, with its total."""
    yield from _law_faults(mechanism.design, getattr(mechanism, "radius", None))
    tables = mechanism.design.tables
    measurement = _measurement(mechanism, paid_margins(cast(Any, mechanism), Fraction(1)))
    for before, after in zip(databases[::2], databases[1::2], strict=True):
        counts = broken_down(before, tables).sum(axis=0, keepdims=True)
        noise = RecordingNoise()
        mechanism._release(counts, np.array([before.largest]), noise)
        if [block.true for block in noise.joints] != [tuple(counts[0].tolist())]:
            yield COUNTS
        answers = [
            counts + shift(tables),
            np.array([grid_index(before.largest, mechanism.parameters)]),
        ]
        yield from _same(measurement, (before, after), answers)
        shown = measurement._measure(joint_entries([before], tables), RecordingNoise(answers))
        if shown.values.tolist() != [[int(answers[0][0, : tables[0]].sum()), *answers[0][0]]]:
            yield COUNTS


def clipped_faults(mechanism: JointEntryMechanism, databases: list[Database]) -> Iterator[str]:
    """Index, sums in lattice points, and whole jobs; the bound θ is only read."""
    yield from _law_faults(mechanism.design, None)
    lattice, tables = mechanism.clipping.lattice, mechanism.design.tables
    true = [grid_index(base.largest, mechanism.parameters) for base in databases]
    for low in LOW:
        noise, values, theta = clipped_run(mechanism, databases, [index - low for index in true])
        if noise.requests[0].true.tolist() != true:
            yield INDEX
        for i, (database, bound) in enumerate(zip(databases, theta.tolist(), strict=True)):
            points = _clipped_sums(database, tables, bound, lattice)
            if list(noise.joints[i].true) != points:
                yield SUMS
            if values[i].tolist() != _whole_jobs(points, tables, lattice):
                yield JOBS
    measurement = _measurement(mechanism, PublicMargins())
    for k, (before, after) in enumerate(zip(databases[::2], databases[1::2], strict=True)):
        drawn_sums = (20 + k) * lattice * shift(tables) + 7 * shift(tables)
        answers = [np.array([true[2 * k]]), drawn_sums]
        yield from _same(measurement, (before, after), answers)
        shown = measurement._measure(joint_entries([before], tables), RecordingNoise(answers))
        jobs = _whole_jobs(drawn_sums[0].tolist(), tables, lattice)
        if shown.values.tolist() != [[sum(jobs[: tables[0]]), *jobs]]:
            yield JOBS


def shift(tables: Sequence[int]) -> Integers:
    """A row of different numbers with one sum in all tables."""
    total, row = 1000, list[int]()
    for size in tables:
        cells = [7 * (len(row) + k) + 3 for k in range(size - 1)]
        row += [*cells, total - sum(cells)]
    return np.array([row])


class JointMeasurement(Protocol):
    """What the auditor asks of the measurement of a product."""

    def _measure(self, columns: Entries, noise: Noise) -> Measured:
        """What is released, with given noise."""

    @property
    def design(self) -> Design:
        """The tables."""


def _measurement(product: object, margins: MarginRule) -> JointMeasurement:
    """What a release measures with."""
    return cast(
        JointMeasurement, cast(Mechanism, product).measurement(by_cell=False, margins=margins)
    )


def _same(
    measurement: JointMeasurement, both: tuple[Database, Database], answers: Sequence[Integers]
) -> Iterator[str]:
    """With the same noisy numbers, neighbours show the same values and margins."""
    first, second = (
        measurement._measure(
            joint_entries([database], measurement.design.tables), RecordingNoise(list(answers))
        )
        for database in both
    )
    if not same_shown(first, second):
        yield SHOWS


DRAWN = 1 << 14
FAR = 5.5
"""Standard errors: one in 10⁷ draws of a share is farther off."""

STEPS = (0.8191725134, 0.6710436067, 0.5497004779)
"""Multiples modulo one fill a cube evenly (the generalised golden ratio in three dimensions)."""


@lru_cache(maxsize=16)
def _law_faults(design: Design, law: RadialLaw | None) -> tuple[str, ...]:
    """Draws of tables of two and two cells against points of the ball that fill it evenly."""
    small = Design((2, 2), design.norm)
    scale, wanted = 10**6, None if law is None else in_dimension(law, small.dimension)
    noise = SECRET.joint(
        np.zeros((DRAWN, 4), np.int64), Scales(np.full(DRAWN, scale)), small, wanted
    )
    # Points of the ball, evenly, by the first cells and the total.
    total, first, second = (np.arange(1, 1 << 18)[:, None] * np.array(STEPS) % 1 * 2 - 1).T
    points = np.column_stack([first, total - first, second, total - second])
    drawn_points, filled = noise / scale, points[_norms(points, small) <= 1]
    norms = _norms(drawn_points, small)
    known = radii(wanted or exponential_radius(small.dimension))
    close = all(near(float((norms <= r).mean()), known.within(r)) for r in known.reaches())
    directions = (drawn_points / norms[:, None], filled / _norms(filled, small)[:, None])
    shares = [_events(direction) for direction in directions]
    return () if close and all(map(near, *shares)) else (LAW,)


def _norms(points: Floats, design: Design) -> Floats:
    parts = [points[:, cells] for cells in design.slices()]
    if design.norm == "sum":
        return np.asarray(np.max([np.abs(part).sum(axis=1) for part in parts], axis=0))
    sides = [np.maximum(sign * table, 0).sum(axis=1) for table in parts for sign in (1, -1)]
    return np.asarray(np.max(sides, axis=0))


def _events(points: Floats) -> list[float]:
    """How often tables have one sign, cells are large, and tables agree."""
    one_sign = [
        np.abs(np.sign(points[:, at]).sum(axis=1)) == 2 for at in (slice(0, 2), slice(2, 4))
    ]
    large = [points[:, k] > 0.5 for k in range(4)] + [np.abs(points[:, k]) < 0.2 for k in range(4)]
    agree = [points[:, 0] * points[:, 2] > 0, one_sign[0] & one_sign[1]]
    return [float(event.mean()) for event in (*one_sign, *large, *agree)]


def near(seen: float, wanted: float) -> bool:
    """Whether a share of the draws is as near as chance leaves it."""
    return abs(seen - wanted) < FAR * sqrt(max(wanted * (1 - wanted), 1e-3) / DRAWN) + 1e-3


def _clipped_sums(database: Database, tables: Sequence[int], theta: int, lattice: int) -> list[int]:
    """Each establishment scaled to at most θ points, rounded with one sum in all tables."""
    total = [0] * sum(tables)
    for size, row in zip(database.sizes, broken_down(database, tables).tolist(), strict=True):
        points = min(size * lattice, theta)
        exact = [Fraction(points * c, size) if size else Fraction(0) for c in row]
        total = [a + b for a, b in zip(total, _of_one_sum(exact, tables, points), strict=True)]
    return total


def _whole_jobs(points: Sequence[int], tables: Sequence[int], lattice: int) -> list[int]:
    exact = [Fraction(point, lattice) for point in points]
    return _of_one_sum(exact, tables, floor(sum(exact[: tables[0]]) + Fraction(1, 2)))


def _of_one_sum(exact: list[Fraction], tables: Sequence[int], whole: int) -> list[int]:
    """Floors, and one more for the largest remainders of each table, the first of equal ones."""
    rounded, start = list[int](), 0
    for size in tables:
        cells = exact[start : start + size]
        rest = [cell - floor(cell) for cell in cells]
        short = whole - sum(map(floor, cells))
        order = sorted(range(size), key=lambda i: (-rest[i], i))
        rounded += [floor(cell) + (order.index(i) < short) for i, cell in enumerate(cells)]
        start += size
    return rounded


def drawn(mechanism: Mechanism, database: Database, draws: int) -> Floats:
    """The first cell of the first table and the last of the last, by what measures them.

    Where the scale of the noise is public it is shown too, and values are in units of it.
    """
    tables: tuple[int, ...] = mechanism.design.tables  # type: ignore[attr-defined] # of a product
    columns = joint_entries([database], tables, draws)
    measured = mechanism.measurement(by_cell=False, margins=NoMargins()).measure(columns)
    values = measured.values[:, [1, sum(tables)]].astype(np.float64)
    scale = measured.law.scale
    return values if scale is None else np.column_stack((scale, values / scale[:, None]))


def product_pairs(mechanism: Mechanism, protected: Policy) -> Iterator[DatabasePair]:
    """Pairs of counts, and one in which those who join are of the last kind alone."""
    yield from count_pairs(mechanism, protected)
    grown, none = int(1000 * mechanism.parameters.growth), (0,) * (_kinds(mechanism)[0] - 2)
    yield DatabasePair.of((1000, *none, 0), (1000, *none, grown))


def _kinds(mechanism: Mechanism) -> tuple[int, ...]:
    return (prod(mechanism.design.tables),)  # type: ignore[attr-defined] # of a product


JOINT_CODE = CodeExam(count_faults, product_pairs, JOINT_DRAWS, drawn, _kinds)
JOINT_CLIPPED_CODE = CodeExam(clipped_faults, product_pairs, JOINT_DRAWS, drawn, _kinds)
