"""Definitions: what a release without noise must be, written down anew in exact rationals.

The released code is run with noise that adds nothing, on empty, tiny and partly covered
establishments and beside larger ones, and must give these numbers. Nothing is imported from what
it calls.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from math import floor, log

import numpy as np

from leeward.audit.neighbours import Database, block_sizes, blocks, jobs
from leeward.audit.rehearsal import ToldNoise, clipped_run
from leeward.mechanisms.additive import Additive
from leeward.mechanisms.clipped import Clipped
from leeward.mechanisms.vector_pareto import VectorPareto
from leeward.privacy import StrongAlpha

GRID = 32
LOW = (0, 8 * GRID, 40 * GRID)
"""How far below its maximum an index is put, so that there is something to clip."""

COUNTS = "releases other counts than it was given"
INDEX = "releases another index than that of the largest establishment"
SUMS = "clips otherwise than by all jobs of an establishment"
JOBS = "releases other jobs than its sums"


def fault(mechanism: Additive | Clipped) -> str:
    """How the released code departs from its definition; empty where it does not."""
    alpha, cells = mechanism.parameters.alpha or Fraction(1, 10), mechanism.parameters.cells
    for kinds in (cells, cells + 1):
        found = list(databases(alpha, kinds))
        if isinstance(mechanism, Clipped):
            faults = _clipped(mechanism, found)
        elif isinstance(mechanism, VectorPareto):
            faults = _block(mechanism, found)
        else:
            faults = _counts(mechanism, found)
        first = next(faults, "")
        if first:
            return first
    return ""


def databases(alpha: Fraction, kinds: int) -> Iterator[Database]:
    """Both sides of every pair that blocks are examined on."""
    for pair in blocks(StrongAlpha(), alpha, kinds, block_sizes(alpha, 100)):
        yield from pair.databases


def _counts(mechanism: Additive, found: list[Database]) -> Iterator[str]:
    """All jobs, or the grid index of the largest establishment."""
    counts = [sum(map(jobs, database)) for database in found]
    largest = [max(map(jobs, database)) for database in found]
    told = ToldNoise()
    asked = largest if mechanism.follows == "largest" else None
    values = mechanism._release(np.array(counts), None if asked is None else np.array(asked), told)
    if not mechanism.counted:
        counts = [grid_index(size, mechanism.parameters.growth) for size in largest]
    if values.tolist() != counts or told.asked[0].true.size != len(counts):
        yield COUNTS if mechanism.counted else INDEX


def _block(mechanism: VectorPareto, found: list[Database]) -> Iterator[str]:
    """The jobs of each kind that the table has."""
    cells = mechanism.parameters.cells
    counts = [[sum(kind) for kind in zip(*each, strict=True)][:cells] for each in found]
    largest = [max(map(jobs, database)) for database in found]
    if mechanism._release(np.array(counts), np.array(largest), ToldNoise()).tolist() != counts:
        yield COUNTS


def _clipped(mechanism: Clipped, found: list[Database]) -> Iterator[str]:
    """Index, sums in lattice points, and whole jobs; the bound θ is only read."""
    lattice, alpha = mechanism.clipping.lattice, mechanism.parameters.growth
    true = [grid_index(max(map(jobs, database)), alpha) for database in found]
    for low in LOW:
        run = clipped_run(mechanism, found, np.array(true) - low)
        if run.index.true.tolist() != true:
            yield INDEX
        sums = [row.tolist() for row in run.sums.true.reshape(run.values.shape)]
        for database, theta, row in zip(found, run.theta.tolist(), sums, strict=True):
            wanted = clipped_sums(database, Fraction(theta, lattice), lattice)
            if row != list(islice(wanted, len(row))):
                yield SUMS
        if run.values.tolist() != [[_whole_jobs(n, lattice) for n in row] for row in sums]:
            yield JOBS


def _whole_jobs(points: int, lattice: int) -> int:
    return floor(Fraction(points, lattice) + Fraction(1, 2))


def clipped_sums(database: Database, theta: Fraction, lattice: int) -> Iterator[int]:
    """Σ over establishments of ⌊lattice·c·min(1, θ/|E|)⌋, for each kind of worker."""
    factors = [min(Fraction(1), theta / max(jobs(force), 1)) for force in database]
    for kind in zip(*database, strict=True):
        yield sum(floor(lattice * c * f) for c, f in zip(kind, factors, strict=True))


def grid_index(size: int, alpha: Fraction) -> int:
    """⌊32·ln A/ln(1+α)⌋ with A = max(size, 1/α), by whole powers of both."""
    largest, grown = max(Fraction(size), 1 / alpha), 1 + alpha
    power, index = largest**GRID, floor(GRID * log(largest) / log(grown))
    while grown**index > power:
        index -= 1
    while grown ** (index + 1) <= power:
        index += 1
    return index
