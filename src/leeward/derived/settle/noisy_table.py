"""Noisy table: the cells of a released table as numbers, with what is public of their noise."""

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from leeward.core.codebook import Flag
from leeward.core.codebook.marginal import BOUND
from leeward.core.errors import InvalidParameter
from leeward.derived.settle.least_squares import sums_of
from leeward.publishing.bundle import Bundle, CertifiedTable
from leeward.publishing.bundle.blocks import Block, join, read_blocks
from leeward.publishing.bundle.table_statements import StatisticStatement

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Booleans: TypeAlias = NDArray[np.bool_]
Parents: TypeAlias = Mapping[str, tuple[str, Mapping[str, str]]]

DEVIATION = 0.61
"""Standard deviation by the margin of 90 %: .608 for normal noise, .614 for Laplace's.

Weights of least squares are public, whatever they are, so they cost nothing.
"""
LEAST = 0.5
"""Least deviation, in jobs: that of rounding and more."""


@dataclass(frozen=True, eq=False)
class NoisyTable:
    """Rows without totals, in their order; `positions` are those of the codes of each identifier.

    `drawn` is false where no establishment is, or nobody can be: an exact 0. `variances` is None
    where no scale of the noise is public. Tables of one `family` were drawn together. By an
    identifier that is `partial` not every job counts. `parents` has coarser attributes: of which
    identifier, and the parent of each code. `edges` are those of classes that a plan lists, by
    identifier: equal codes of other edges are other classes.
    """

    name: str
    codes: Mapping[str, tuple[str, ...]]
    positions: Mapping[str, Integers]
    values: Floats
    drawn: Booleans
    variances: Floats | None
    worker: tuple[str, ...] = ()
    partial: frozenset[str] = frozenset()
    parents: Parents = field(default_factory=dict)
    family: str = ""
    edges: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def workplace(self) -> tuple[str, ...]:
        """The identifiers of workplaces."""
        return tuple(name for name in self.codes if name not in self.worker)

    @cached_property
    def keys(self) -> Integers:
        """The number of each row's combination of codes, ascending."""
        return numbered(self.codes, self.positions, len(self.values))

    def spread(self) -> Floats:
        """Variances, or ones where none is public; 0 where nothing was drawn."""
        known = 1 if self.variances is None else self.variances
        return np.where(self.drawn, known, 0.0)

    def divides(self, coarse: "NoisyTable") -> bool:
        """Whether every identifier of another table is one of this table, or a parent of one.

        Of an identifier of both the classes must be the same.
        """
        return all(
            (self.codes.get(name) == codes and self.edges.get(name) == coarse.edges.get(name))
            or (name in self.parents and {*self.parents[name][1].values()} <= {*codes})
            for name, codes in coarse.codes.items()
        )

    def covers(self, coarse: "NoisyTable") -> bool:
        """Whether its rows add up to those of a coarser table: no job is left out on the way."""
        kept = {self.parents[name][0] if name in self.parents else name for name in coarse.codes}
        return not self.partial - kept

    def rows_in(self, coarse: "NoisyTable") -> Integers:
        """For each row the number of the row of a coarser table that it is part of."""
        positions = dict[str, Integers]()
        for name, codes in coarse.codes.items():
            if self.codes.get(name) == codes:
                positions[name] = self.positions[name]
            else:
                of, parents = self.parents[name]
                place = {code: at for at, code in enumerate(codes)}
                steps = np.array([place[parents[code]] for code in self.codes[of]])
                positions[name] = steps[self.positions[of]]
        keys = numbered(coarse.codes, positions, len(self.values))
        rows = np.minimum(np.searchsorted(coarse.keys, keys), len(coarse.keys) - 1)
        # Where nothing was drawn the coarser table may have no row; then any does for an exact 0.
        lost = (coarse.keys[rows] != keys)[self.drawn].any()
        there = sums_of(self.drawn.astype(np.int64), rows, len(coarse.keys)) > 0
        if lost or not np.array_equal(there, coarse.drawn):
            raise InvalidParameter(
                "bundle",
                rule="must have the same establishments in all its tables",
                value=f"a row of {self.name} or {coarse.name} that the other one lacks",
                next_step="Tidy a bundle that `leeward release` wrote.",
            )
        return np.asarray(rows)

    def total(self) -> "NoisyTable":
        """Its sums by workplace, as a table."""
        keep = {name: self.codes[name] for name in self.workplace}
        keys, first, rows = np.unique(
            numbered(keep, self.positions, len(self.values)), return_index=True, return_inverse=True
        )
        sums = [sums_of(column, rows, len(keys)) for column in (self.values, self.spread())]
        return replace(
            self,
            name=f"total of {self.name}",
            codes=keep,
            positions={name: self.positions[name][first] for name in keep},
            values=sums[0],
            drawn=sums_of(self.drawn.astype(np.int64), rows, len(keys)) > 0,
            variances=None if self.variances is None else sums[1],
            worker=(),
            parents={name: of for name, of in self.parents.items() if of[0] in keep},
        )


def numbered(codes: Mapping[str, Sized], positions: Mapping[str, Integers], rows: int) -> Integers:
    """The number of each combination of codes, the first identifier slowest."""
    number = np.zeros(rows, np.int64)
    for name, listed in codes.items():
        number = number * len(listed) + positions[name]
    return number


def read_table(bundle: Bundle, about: CertifiedTable) -> tuple[Block, NoisyTable]:
    """A table as published, with its rows of totals, and its cells as numbers."""
    block = join(list(read_blocks(bundle, about, totals=True)))
    cells = block.take(np.arange(about.cell_rows))
    positions = dict(zip(about.identifiers, cells.positions, strict=True))
    possible = np.ones(len(cells), bool)  # combinations that the codebook rules out are empty
    for codes in about.impossible or ():
        combined = np.ones(len(cells), bool)
        for name, code in codes.items():
            if name in positions:
                combined &= positions[name] == list(about.codes[name]).index(code)
        possible &= ~combined
    table = _table(
        about,
        positions,
        values=np.where(possible, cells.values, 0.0),
        drawn=(cells.status == Flag.OK) & possible,
        variances=_variances(bundle, about, cells),
    )
    return block, table


def _table(
    about: CertifiedTable,
    positions: Mapping[str, Integers],
    *,
    values: Floats,
    drawn: Booleans,
    variances: Floats | None,
) -> NoisyTable:
    partial = frozenset(about.partial or ())
    if about.joint is not None:
        partial = frozenset(() if about.joint.covers else about.worker_identifiers)
    of, edges = about.statistic, dict[str, tuple[int, ...]]()
    if isinstance(of, StatisticStatement) and of.edges is not None:
        edges[of.of] = of.edges
    return NoisyTable(
        name=about.name,
        codes={name: tuple(codes) for name, codes in about.codes.items()},
        positions=positions,
        values=values,
        drawn=drawn,
        variances=variances,
        worker=about.worker_identifiers,
        partial=partial,
        parents={name: (parent.of, parent.codes) for name, parent in (about.parents or {}).items()},
        edges=edges,
        family=about.name if about.joint is None else f"joint {about.joint.name}",
    )


def outlines(tables: Sequence[CertifiedTable]) -> list[NoisyTable]:
    """Tables of one row of 0 each, before anything is released: which ones settle which shows.

    The row has the first code of each attribute, and the parents of these codes.
    """
    coarser = [item for table in tables for item in (table.parents or {}).items()]
    derived = {name for name, _ in coarser}
    roots = ((name, parent.codes.values()) for name, parent in coarser if parent.of not in derived)
    first, rows = {name: next(iter(codes)) for name, codes in roots}, []
    for about in tables:
        at = {
            name: np.array([[*codes].index(first[name]) if name in first else 0])
            for name, codes in about.codes.items()
        }
        public = about.has_margins if about.joint is None else about.joint.unit is not None
        variances = np.ones(1) if public else None
        empty, drawn = np.zeros(1), np.ones(1, bool)
        rows.append(_table(about, at, values=empty, drawn=drawn, variances=variances))
    return rows


def _variances(bundle: Bundle, about: CertifiedTable, cells: Block) -> Floats | None:
    """By margins, or half of the way from low to high, or as a product says; else None."""
    joint, part, scale = about.joint, DEVIATION, None
    if cells.margins:
        low, high = cells.ends
        scale = np.asarray((high - low) / 2)
    if joint is not None:
        if joint.unit is None or joint.deviation is None:
            return None
        part = float(joint.deviation)
        scale = bounds(bundle, about) if joint.unit == BOUND else scale
    if scale is None:
        return None
    return np.asarray(np.maximum(part * scale, LEAST) ** 2)


def bounds(bundle: Bundle, about: CertifiedTable) -> Floats | None:
    """The bound of each cell's workplace, from the table of totals that it was drawn with."""
    for table in bundle.certificate.tables:
        if table.joint and about.joint and table.is_total and table.joint.name == about.joint.name:
            batches = bundle.batches(table.name, [BOUND], totals=False)
            column = np.concatenate([batch[0].fill_null(0).to_numpy() for batch in batches])
            return np.asarray(np.repeat(column, about.worker_cells), float)
    return None
