"""Assignment: the jobs of a workplace cell get the codes that its tables count, to the last one.

Each table's codes are permuted among the jobs of a workplace cell that agree in what they have of
it already. So every table is reproduced, and codes of tables that share nothing are independent.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from leeward.core.errors import Damaged
from leeward.core.randomness import SeededBits
from leeward.derived.settle.noisy_table import Integers

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
    found, sizes = {}, [*part.new.values()]
    for name, at in zip(part.new, np.unravel_index(np.maximum(chosen, 0), sizes), strict=True):
        found[name] = np.where(chosen == MISSING, MISSING, at)
    return found
