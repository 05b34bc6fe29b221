"""Model: a network in the making, and rows drawn of it that answer for any of its columns.

Tables of any sizes may be measured. Those that add one column to what is there become nodes; the
others are met by weights of the rows. All of it follows from released numbers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from leeward.core.noise.scales import Integers
from leeward.core.noise.tabulated import Floats
from leeward.core.randomness import SeededBits
from leeward.systems.synth.drawing import extend, places, raked
from leeward.systems.synth.fitting import Noisy, agreeing, margins_of, shrunk
from leeward.systems.synth.measuring import Margin, collected
from leeward.systems.synth.network import Fitted, Network
from leeward.systems.synth.start import Start

SAMPLE = 1 << 16
"""Rows that are drawn to look at a model; their seed is the same always, and public."""

Tables = Mapping[tuple[int, ...], Noisy]
"""Measured tables by their columns."""


@dataclass(frozen=True)
class Model:
    """Columns with their released margins; `nodes` are those that are placed already."""

    start: Start
    margins: tuple[Floats, ...]
    rows: float
    pool: Integers
    weights: Floats
    nodes: tuple[Fitted, ...] = ()
    targets: tuple[Fitted, ...] = ()

    @classmethod
    def empty(cls, start: Start, tables: Tables) -> "Model":
        """No column yet; margins are means of all that was measured of a column."""
        margins, rows = margins_of(start.alone, tables)
        pool = np.zeros((len(margins), SAMPLE), dtype=np.int64)
        return cls(start, margins, rows, pool, np.full(SAMPLE, rows / SAMPLE))

    @property
    def placed(self) -> tuple[int, ...]:
        """The columns in the order of drawing."""
        return tuple(node.columns[-1] for node in self.nodes)

    @property
    def network(self) -> Network:
        """What rows are drawn from; columns that are not placed stand by themselves."""
        left = [at for at in range(len(self.margins)) if at not in self.placed]
        nodes = (*self.nodes, *(Fitted((at,), self.margins[at]) for at in left))
        return Network(tuple(self.start.groups), self.start.weights, nodes, self.targets)

    def table(self, columns: Sequence[int]) -> Floats:
        """What placed columns are expected to be; one column by itself need not be placed."""
        if len(columns) == 1:
            return self.margins[columns[0]]
        shape = self.start.shape(columns)
        key = places(self.pool, columns, shape)
        held = np.bincount(key, self.weights, self.start.cells(columns))
        return held.reshape(shape).astype(np.float64, copy=False)

    def independent(self, columns: Sequence[int]) -> Floats:
        """The last column independent of the others, which are placed."""
        *parents, column = columns
        return np.multiply.outer(self.table(parents), self.margins[column] / self.rows)

    def alone(self, column: int) -> "Model":
        """A further column by itself."""
        return self._with(Fitted((column,), self.margins[column]))

    def given(self, columns: Sequence[int], noisy: Noisy) -> "Model":
        """A further column, the last one, given the others by a measured table of all of them."""
        shape = self.start.shape(columns)
        return self._with(Fitted(tuple(columns), self._near(columns, noisy).reshape(shape)))

    def meeting(self, tables: Tables) -> "Model":
        """The same with rows weighted to meet further tables of placed columns."""
        if not tables:
            return self
        targets = tuple(
            Fitted(one, self._near(one, noisy, self.table(one)).reshape(noisy.table.shape))
            for one, noisy in tables.items()
        )
        weights = raked(self.weights, self.pool, (*self.nodes, *targets))
        return replace(self, targets=targets, weights=weights)

    def _with(self, node: Fitted) -> "Model":
        pool = self.pool.copy()
        extend(pool, node, SeededBits(len(self.nodes)))
        return replace(self, pool=pool, nodes=(*self.nodes, node))

    def _near(self, columns: Sequence[int], noisy: Noisy, expected: Floats | None = None) -> Floats:
        """A measured table near what is expected, with the margins that the model has."""
        *parents, column = columns
        above, size = self.table(parents).ravel(), self.start.sizes[column]
        prior = self.independent(columns) if expected is None else expected
        flat = Noisy(noisy.table.reshape(-1, size), noisy.variance.reshape(-1, size))
        possible = self.start.possible(columns).reshape(-1, size)
        towards = shrunk(flat, prior.reshape(-1, size))
        return agreeing(towards, (above, self.margins[column]), possible)


def estimated(start: Start, margins: Iterable[Margin]) -> Model:
    """A model of measured tables of two columns and more.

    What tells most about one further column is the next node; tables that are no node are met.
    """
    tables = collected(margins)
    model, nodes = Model.empty(start, tables), set[frozenset[int]]()
    while len(model.nodes) < len(model.margins):
        found = {one: noisy for key in tables for one, noisy in _families(model, key, tables[key])}
        if not found:
            model = model.alone(_first(model, tables))
            continue
        best = max(found, key=lambda one: _told(model, one, found[one]))
        model = model.given(best, found[best])
        nodes.add(frozenset(best))
    return model.meeting({one: held for one, held in tables.items() if set(one) not in nodes})


def _families(
    model: Model, columns: tuple[int, ...], noisy: Noisy
) -> Iterator[tuple[tuple[int, ...], Noisy]]:
    """Placed columns of a table with each of its others, and what it says of those together."""
    placed = tuple(at for at in columns if at in model.placed)
    for new in (at for at in columns if placed and at not in placed):
        yield (*placed, new), _onto(noisy, columns, (*placed, new))


def _onto(noisy: Noisy, columns: tuple[int, ...], wanted: tuple[int, ...]) -> Noisy:
    """Added up to some of its columns, in another order."""
    others = tuple(axis for axis, at in enumerate(columns) if at not in wanted)
    kept = [at for at in columns if at in wanted]
    axes = [kept.index(at) for at in wanted]
    table, variance = (one.sum(axis=others) for one in (noisy.table, noisy.variance))
    return Noisy(table.transpose(axes), variance.transpose(axes))


def _told(model: Model, columns: tuple[int, ...], noisy: Noisy) -> float:
    """How far a table is from independence of its last column, less what noise does."""
    apart = np.abs(noisy.table - model.independent(columns)).sum()
    return float(apart - np.sqrt(noisy.variance).sum())


def _first(model: Model, tables: Tables) -> int:
    """The column of the most tables among those that are not placed."""
    new = [at for at in range(len(model.margins)) if at not in model.placed]
    return max(new, key=lambda at: sum(at in one for one in tables))
