"""Model: a network in the making, and rows drawn of it.

Tables of any sizes may be measured after a start. Those that add one column to what is there become
nodes; the others are met by weights of the rows. All of it is released, so that it may decide which
tables are asked for next and how large they are.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from leeward.core.noise.scales import Integers
from leeward.core.noise.tabulated import Floats
from leeward.core.randomness import SeededBits
from leeward.systems.synth.drawing import BayesianNetwork, Fitted, extend, places, raked
from leeward.systems.synth.fitting import Start, agreeing, margins_of, shrunk
from leeward.systems.synth.measurer import Margin, NoisyGroups, collected

SAMPLE = 1 << 16
"""Rows that are drawn to look at a model; their seed is the same always, and public."""

Tables = Mapping[tuple[int, ...], NoisyGroups]
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
    def network(self) -> BayesianNetwork:
        """What rows are drawn from; columns that are not placed stand by themselves."""
        left = [at for at in range(len(self.margins)) if at not in self.placed]
        nodes = (*self.nodes, *(Fitted((at,), self.margins[at]) for at in left))
        return BayesianNetwork(tuple(self.start.groups), self.start.weights, nodes, self.targets)

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

    def given(self, columns: Sequence[int], noisy: NoisyGroups) -> "Model":
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

    def _near(
        self, columns: Sequence[int], noisy: NoisyGroups, expected: Floats | None = None
    ) -> Floats:
        """A measured table near what is expected, with the margins that the model has."""
        *parents, column = columns
        above, size = self.table(parents).ravel(), self.start.sizes[column]
        prior = self.independent(columns) if expected is None else expected
        flat = NoisyGroups(noisy.table.reshape(-1, size), noisy.variance.reshape(-1, size))
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
        families: dict[tuple[int, ...], NoisyGroups] = {}  # placed columns, then one further
        for columns, noisy in tables.items():
            placed = tuple(at for at in columns if at in model.placed)
            for new in (at for at in columns if placed and at not in placed):
                family = (*placed, new)
                families[family] = noisy.onto([columns.index(at) for at in family])
        if not families:
            missing = [at for at in range(len(model.margins)) if at not in model.placed]
            most = max(missing, key=lambda at: sum(at in columns for columns in tables))
            model = model.alone(most)
            continue
        # How far a table is from independence of its last column, less what noise does.
        dependence = {
            columns: float(
                np.abs(noisy.table - model.independent(columns)).sum()
                - np.sqrt(noisy.variance).sum()
            )
            for columns, noisy in families.items()
        }
        best = max(families, key=dependence.__getitem__)
        model = model.given(best, families[best])
        nodes.add(frozenset(best))
    return model.meeting({key: noisy for key, noisy in tables.items() if set(key) not in nodes})
