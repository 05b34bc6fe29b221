"""Adding up: tables that are part of each other are settled so that all sums agree to the unit.

The finest tables have rows that no other table divides. A coarser table is the sum of the finest
one that holds it. Where several hold it, or where its noise has a public size, it is settled first:
its own numbers and the sums of finer ones are combined by least squares, from the finest level up,
and the finer tables are then fitted to it, from the coarsest level down (two passes over the tree).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from leeward.core.errors import InvalidParameter
from leeward.derived.settle.least_squares import projected, sums_of, whole
from leeward.derived.settle.noisy_table import Floats, Integers, NoisyTable

Estimate: TypeAlias = Callable[[NoisyTable, NoisyTable, Integers, Integers], NoisyTable]
"""What to fit in place of a table: of the table, its total, the rows of it, and its tidy values."""


@dataclass
class Settlement:
    """Tables of one population, and their tidy values by name."""

    tables: Sequence[NoisyTable]
    estimate: Estimate | None = None
    """Released numbers are fitted where there is none."""

    values: dict[str, Integers] = field(default_factory=dict)

    def settle(self) -> dict[str, Integers]:
        """The tidy values of every table."""
        finest = [table for table in self.tables if not self._holders(table, self.tables)]
        # Totals that nobody published, by workplaces that several of the finest tables have.
        sharing: dict[tuple[str, ...], list[NoisyTable]] = {}
        for table in finest:
            if table.worker and not table.partial & {*table.worker}:
                sharing.setdefault(table.workplace, []).append(table)
        published = {tuple(table.codes) for table in self.tables}
        shared = [names for names, several in sharing.items() if len(several) > 1]
        virtual = [sharing[names][0].total() for names in shared if names not in published]
        coarse = [*virtual, *(table for table in self.tables if table not in finest)]
        holders = {table.name: self._holders(table, finest) for table in coarse}
        first = self._settled_first(coarse, holders)
        above = {table.name: _above(table, first) for table in finest}
        if first:
            better = [
                _combined(
                    table, [low for low in finest if above[low.name] is table], table in virtual
                )
                for table in first
            ]
            self.values |= Settlement(better, self.estimate).settle()
        for table in finest:
            self.values[table.name] = self._fitted(table, above[table.name])
        for table in coarse:
            if table not in first:
                fine = holders[table.name][0]
                sums = sums_of(self.values[fine.name], fine.rows_in(table), len(table.values))
                self.values[table.name] = sums.astype(np.int64)
        return self.values

    def _holders(self, coarse: NoisyTable, tables: Sequence[NoisyTable]) -> list[NoisyTable]:
        """The tables that it is part of; of two alike the first one holds the other."""
        names, holders = [table.name for table in self.tables], []
        for fine in tables:
            if fine is coarse or not fine.divides(coarse):
                continue
            alike, listed = coarse.divides(fine), coarse.name in names
            if not alike or (listed and names.index(fine.name) < names.index(coarse.name)):
                holders.append(fine)
        return holders

    def _settled_first(
        self,
        coarse: Sequence[NoisyTable],
        holders: Mapping[str, list[NoisyTable]],
    ) -> list[NoisyTable]:
        """Coarse tables that several hold or one in part; then those of public noise in a chain."""
        must = [
            table
            for table in coarse
            if len(holders[table.name]) > 1
            or not all(low.covers(table) for low in holders[table.name])
        ]
        for table in sorted(coarse, key=lambda table: len(table.values)):
            (low, *others) = holders[table.name]
            known = table.variances is not None and low.variances is not None
            within = [high for high in must if low.divides(high)]
            nested = all(high.divides(table) or table.divides(high) for high in within)
            if table not in must and not others and known and nested:
                must.append(table)
        return must

    def _fitted(self, table: NoisyTable, above: NoisyTable | None) -> Integers:
        """The nearest whole numbers that are not negative and add up to the settled ones above.

        Without any, the worker cells of a workplace keep their own sum.
        """
        if above is None and not table.worker:
            return rounded(table.values)
        if above is None:
            table = replace(table, partial=frozenset())
            above = table.total()
            totals = rounded(above.values)
        else:
            totals = self.values[above.name]
        rows = table.rows_in(above)
        covers = table.covers(above)
        if self.estimate is not None:
            table = self.estimate(table, above, rows, totals)
        return fitted(table.values, table.spread(), rows, totals, covers=covers)


def rounded(values: Floats) -> Integers:
    """Whole numbers that are not negative; halves go up."""
    return np.maximum(0, np.floor(values + 0.5)).astype(np.int64)


def fitted(
    values: Floats, variances: Floats, rows: Integers, totals: Integers, *, covers: bool
) -> Integers:
    """Whole numbers ≥ 0, nearest to the values, whose sums are the totals, or at most these.

    Where not every job is covered one more cell for each total takes the rest; it is not published.
    """
    cells = len(values)
    if not covers:
        each = np.bincount(rows, minlength=len(totals))
        rest = totals - sums_of(values, rows, len(totals))
        spread = sums_of(variances, rows, len(totals)) / np.maximum(each, 1)
        values, variances = np.concatenate([values, rest]), np.concatenate([variances, spread])
        rows = np.concatenate([rows, np.arange(len(totals))])
    near = projected(values, variances, rows, totals.astype(float))
    return whole(near, rows, totals)[:cells]


def _above(table: NoisyTable, first: Sequence[NoisyTable]) -> NoisyTable | None:
    """The finest of the tables that were settled before and are part of this one."""
    within = [high for high in first if table.divides(high)]
    if not within:
        return None
    chosen = max(within, key=lambda high: (len(high.values), sum(map(high.divides, within))))
    apart = [high.name for high in within if not chosen.divides(high)]
    if apart:
        raise InvalidParameter(
            "bundle",
            rule="must not have two tables that overlap in a third one if others divide them too",
            value=f"{chosen.name} and {apart[0]}, both sums of {table.name}",
            next_step=f"Release them without {chosen.name} or {apart[0]}; sums of {table.name} "
            "give their numbers.",
        )
    return chosen


def _combined(table: NoisyTable, below: Sequence[NoisyTable], virtual: bool) -> NoisyTable:
    """A table's numbers and the sums of tables below it, weighted by inverse variances."""
    own = [] if virtual else [(table.values, table.variances)]
    for fine in below:
        if (virtual or fine.family != table.family) and fine.covers(table):
            rows, cells = fine.rows_in(table), len(table.values)
            spread = None if fine.variances is None else sums_of(fine.spread(), rows, cells)
            own.append((sums_of(fine.values, rows, cells), spread))
    known = [variances for _, variances in own if variances is not None]
    if len(own) == 1 or (len(known) < len(own) and not virtual):
        return replace(table, values=own[0][0], variances=own[0][1])
    if len(known) < len(own):
        mean = np.mean([values for values, _ in own], axis=0)
        return replace(table, values=mean, variances=None)
    weights = [1 / np.where(table.drawn, variances, 1) for variances in known]
    total = np.sum(weights, axis=0)
    means = np.sum([w * values for w, (values, _) in zip(weights, own, strict=True)], axis=0)
    return replace(table, values=means / total, variances=1 / total)
