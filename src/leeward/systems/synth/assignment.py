"""Assignment: the jobs of a workplace cell get the codes that its tables count, to the last one.

Each table's codes are permuted among the jobs of a workplace cell that agree in what they have of
it already. So every table is reproduced, and codes of tables that share nothing are independent.
Then each job gets an establishment of the public frame.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from leeward.core.codebook import Attribute
from leeward.core.errors import BadData, Damaged
from leeward.core.randomness import SeededBits
from leeward.derived.settle.noisy_table import Integers, NoisyTable, numbered
from leeward.publishing.engines.driver_errors import hiding_errors
from leeward.publishing.engines.opening import open_database
from leeward.publishing.engines.workplaces import frame_counts
from leeward.publishing.plan.plan import Plan

BLOCK = 1 << 20
"""Jobs that are assigned at once; a larger workplace cell is a block of its own."""

MISSING = -1
"""The position of a code that a job does not have: its table leaves it out."""

Columns = Mapping[str, Integers]
"""The position of each job's code of each attribute."""


@dataclass(frozen=True)
class ConditionalCounts:
    """The counts of a table: (workplace cells, combinations given, combinations new)."""

    given: Mapping[str, int]
    new: Mapping[str, int]
    counts: Integers
    """Attributes have their number of codes; the first one is slowest."""


@dataclass(frozen=True)
class Jobs:
    """Some jobs: the workplace cell of each, and the positions of its codes."""

    cells: Integers
    columns: Columns


def assigned(totals: Integers, parts: Sequence[ConditionalCounts], seed: int) -> Iterator[Jobs]:
    """All jobs by workplace cell, block by block."""
    bits = SeededBits(seed)
    for block in blocks(totals):
        cells = np.repeat(np.arange(block.start, block.stop), totals[block])
        columns: dict[str, Integers] = {}
        for part in parts:
            columns |= _given(part, block, cells, columns, bits)
        yield Jobs(cells, columns)


def blocks(totals: Integers) -> Iterator[slice]:
    """Workplace cells one after the other, up to BLOCK jobs together."""
    ends = totals.cumsum()
    start = 0
    while start < len(totals):
        before = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + BLOCK, side="right")))
        yield slice(start, stop)
        start = stop


def _given(
    part: ConditionalCounts, block: slice, cells: Integers, columns: Columns, bits: SeededBits
) -> dict[str, Integers]:
    """The new codes of some jobs."""
    counts = part.counts[block]
    _, groups, codes = counts.shape
    known = np.ones(len(cells), bool)
    group = cells - block.start
    for name, size in part.given.items():
        known &= columns[name] != MISSING
        group = group * size + columns[name]
    order = np.flatnonzero(known)
    order = order[np.argsort(group[order] + bits.generator.random(len(order)))]
    each = np.bincount(group[order], minlength=len(counts) * groups).reshape(-1, groups)
    rest = each - counts.sum(axis=2)
    if (rest < 0).any():
        raise Damaged(
            "bundle",
            rule="must have tables that agree on what they share",
            value=f"one by {', '.join(part.new)} that does not",
            next_step="See what `leeward verify` finds in it.",
        )
    listed = np.concatenate([counts, rest[:, :, None]], axis=2)
    codes_of = np.tile(np.append(np.arange(codes), MISSING), len(counts) * groups)
    chosen = np.full(len(cells), MISSING)
    chosen[order] = np.repeat(codes_of, listed.ravel())
    positions = np.unravel_index(np.maximum(chosen, 0), [*part.new.values()])
    return {
        name: np.where(chosen == MISSING, MISSING, at)
        for name, at in zip(part.new, positions, strict=True)
    }


@dataclass(frozen=True)
class PublicFrame:
    """How many establishments have each combination of public codes."""

    attributes: tuple[Attribute, ...]
    positions: dict[str, Integers]
    establishments: Integers

    @classmethod
    def read(cls, plan: Plan) -> "PublicFrame":
        """From the workplaces table alone, which is public."""
        known = [
            attribute for attribute in plan.codebook.attributes.values() if attribute.of_workplaces
        ]
        public = tuple(attribute for attribute in known if attribute.public)
        base, resources = plan.path.parent, plan.resources
        database = open_database(plan.sources, base, resources, tables=("workplaces",))
        try:
            positions, number = hiding_errors(lambda: frame_counts(database, public), public=True)
        finally:
            database.close()
        return cls(public, positions, number)

    def in_cells(self, total: NoisyTable) -> tuple[Integers, Integers]:
        """For each establishment the combination and the workplace cell, by workplace cell."""
        keys = numbered(total.codes, self.positions, len(self.establishments))
        cell = np.minimum(np.searchsorted(total.keys, keys), max(len(total.keys) - 1, 0))
        if len(total.keys) == 0 or (total.keys[cell] != keys).any():
            raise _other_frame()
        order = np.lexsort((*reversed([*self.positions.values()]), cell))
        combinations = np.repeat(order, self.establishments[order])
        return combinations, cell[combinations]


def _other_frame() -> BadData:
    return BadData(
        "data.workplaces",
        rule="must be the frame of the release",
        value="one with other workplace cells",
        next_step="Give the workplaces that the release was made with.",
    )


def placed(
    blocks: Iterator[Jobs], totals: Integers, establishments: Integers
) -> Iterator[tuple[Jobs, Integers]]:
    """Each job's establishment, numbered from 1: the first of a cell get one more than the last.

    `establishments` has the workplace cell of each, ascending.
    """
    each = np.bincount(establishments, minlength=len(totals))
    if (each[totals > 0] == 0).any():
        raise _other_frame()
    first, before = each.cumsum() - each, totals.cumsum() - totals
    done = 0
    for block in blocks:
        turn = np.arange(done, done + len(block.cells)) - before[block.cells]
        done += len(block.cells)
        yield block, 1 + first[block.cells] + turn % np.maximum(each[block.cells], 1)
