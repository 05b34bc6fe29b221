"""Drawing: rows of positions from a network, with shares kept as closely as whole rows allow.

A network is columns in an order, each drawn given its parents, and further tables to agree with.
It is all that rows are drawn from, whatever method found it. Tables are of groups of values.

A pool of rows is drawn column by column. Where a network has further tables, or some rows are
impossible, the pool is larger than needed, its rows are weighted until they agree with all tables
(raking), and rows are taken by their weights. Everything follows from the network and a seed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leeward.core.noise.scales import Integers
from leeward.core.noise.tabulated import Floats
from leeward.core.randomness import SeededBits
from leeward.systems.synth.domain import Domain

BLOCK = 1 << 17
"""Rows drawn together: memory does not grow with their number."""

POOL = 4
"""Rows of a pool for each row that is taken."""

FEWEST, TRIED = 1 << 10, 1 << 14
"""Rows of a pool at least, and uniform rows among which one must be possible."""

ROUNDS = 10
"""Rounds of raking."""

DECIMALS = 3
"""Tables are kept to this part of a row."""

Rows = NDArray[np.uint16]


@dataclass(frozen=True)
class Fitted:
    """A fitted table of some columns, in rows; a node draws the last one given the others."""

    columns: tuple[int, ...]
    table: Floats

    def as_json(self, names: Sequence[str]) -> dict[str, object]:
        """Plain values, the last column fastest."""
        *parents, column = (names[at] for at in self.columns)
        return {"column": column, "parents": parents, "table": self.table.round(DECIMALS).tolist()}

    @classmethod
    def read(cls, told: Mapping[str, Any], names: Sequence[str]) -> "Fitted":
        """From plain values."""
        columns = (*told["parents"], told["column"])
        return cls(tuple(map(names.index, columns)), np.array(told["table"], dtype=np.float64))


@dataclass(frozen=True)
class BayesianNetwork:
    """`nodes` in the order of drawing; `targets` are tables that weights of rows are raked to.

    `groups` has the group of each value of each column, and `weights` how a group is divided.
    """

    groups: tuple[Integers, ...]
    weights: tuple[Floats, ...]
    nodes: tuple[Fitted, ...]
    targets: tuple[Fitted, ...] = ()

    @classmethod
    def alone(cls, tables: Sequence[Floats]) -> "BayesianNetwork":
        """Independent columns, each value its own group."""
        nodes = tuple(Fitted((at,), table) for at, table in enumerate(tables))
        groups = tuple(np.arange(table.size) for table in tables)
        return cls(groups, tuple(np.ones(table.size) for table in tables), nodes)

    def as_json(self, domain: Domain) -> dict[str, object]:
        """Plain values."""
        names = domain.names
        groups = (group.tolist() for group in self.groups)
        weights = (weight.round(DECIMALS).tolist() for weight in self.weights)
        return {
            "groups": dict(zip(names, groups, strict=True)),
            "weights": dict(zip(names, weights, strict=True)),
            "nodes": [node.as_json(names) for node in self.nodes],
            "targets": [target.as_json(names) for target in self.targets],
        }

    @classmethod
    def read(cls, told: Mapping[str, Any], domain: Domain) -> "BayesianNetwork":
        """From plain values."""
        names = domain.names
        return cls(
            tuple(np.array(told["groups"][name], dtype=np.int64) for name in names),
            tuple(np.array(told["weights"][name], dtype=np.float64) for name in names),
            tuple(Fitted.read(fitted, names) for fitted in told["nodes"]),
            tuple(Fitted.read(fitted, names) for fitted in told["targets"]),
        )


def blocks(network: BayesianNetwork, domain: Domain, rows: int, seed: int) -> Iterator[Rows]:
    """Blocks of rows (rows, columns) of positions, the same for the same seed."""
    bits = SeededBits(seed)
    for start in range(0, rows, BLOCK):
        yield _block(network, domain, min(BLOCK, rows - start), bits)


def _block(network: BayesianNetwork, domain: Domain, rows: int, bits: SeededBits) -> Rows:
    plain = not network.targets and not domain.impossible
    size = rows if plain else max(POOL * rows, FEWEST)
    pool = np.zeros((len(network.groups), size), dtype=np.int64)  # groups, by column and row
    for node in network.nodes:
        extend(pool, node, bits)
    values = _values(network, pool, bits)
    if plain:
        return values
    possible = ~domain.forbidden(values)
    weights = raked(possible.astype(np.float64), pool, (*network.nodes, *network.targets))
    if not weights.sum() > 0:  # tables that noise has made of impossible rows alone
        values = values[possible] if possible.any() else some_possible(domain)
        weights = np.ones(len(values))
    return values[np.repeat(np.arange(len(values)), _whole(weights, rows, bits))]


def some_possible(domain: Domain) -> Rows:
    """Possible rows among some that are uniform over the domain, always the same."""
    bits = SeededBits(0).generator
    held = [bits.integers(0, size, TRIED, dtype=np.uint16) for size in domain.sizes]
    rows = np.stack(held, axis=1)
    return rows[~domain.forbidden(rows)]


def _whole(shares: Floats, rows: int, bits: SeededBits) -> Integers:
    """Whole numbers that sum to `rows`; remainders of shares are drawn systematically."""
    exact = shares / shares.sum() * rows
    whole: Integers = np.floor(exact).astype(np.int64)
    left = rows - int(whole.sum())
    if left > 0:
        ends = np.cumsum(exact - whole)
        marks = (bits.generator.random() + np.arange(left)) * (ends[-1] / left)
        np.add.at(whole, np.minimum(np.searchsorted(ends, marks, side="right"), len(whole) - 1), 1)
    return whole


def _shuffled(shares: Floats, rows: int, bits: SeededBits) -> Integers:
    """Places in these shares, in random order; all alike where there are no shares."""
    held = shares if shares.sum() > 0 else np.ones_like(shares)
    return bits.generator.permutation(np.repeat(np.arange(held.size), _whole(held, rows, bits)))


def extend(pool: Integers, node: Fitted, bits: SeededBits) -> None:
    """Draw the column of a node into a pool (columns, rows) that has its parents."""
    *parents, column = node.columns
    shares = node.table.reshape(-1, node.table.shape[-1])
    key = places(pool, parents, node.table.shape[:-1])
    order = np.argsort(key, kind="stable")
    ends = np.cumsum(np.bincount(key, minlength=len(shares)))
    common = shares.sum(axis=0)
    for share, some in zip(shares, np.split(order, ends[:-1]), strict=True):
        if some.size:
            held = share if share.sum() > 0 else common
            pool[column, some] = _shuffled(held, some.size, bits)


def places(pool: Integers, columns: Sequence[int], sizes: Sequence[int]) -> Integers:
    """The number of the cell of each row in a table of these columns."""
    key = np.zeros(pool.shape[1], dtype=np.int64)
    for column, size in zip(columns, sizes, strict=True):
        key = key * size + pool[column]
    return key


def _values(network: BayesianNetwork, pool: Integers, bits: SeededBits) -> Rows:
    """Positions of values: groups of several values are divided by their weights."""
    values = np.empty(pool.shape[::-1], dtype=np.uint16)
    for column, (groups, weights) in enumerate(zip(network.groups, network.weights, strict=True)):
        first = np.zeros(int(groups.max()) + 1, dtype=np.int64)
        first[groups] = np.arange(groups.size)
        values[:, column] = first[pool[column]]
        for group in np.flatnonzero(np.bincount(groups) > 1).tolist():
            some, members = np.flatnonzero(pool[column] == group), np.flatnonzero(groups == group)
            if some.size:
                values[some, column] = members[_shuffled(weights[members], some.size, bits)]
    return values


def raked(weights: Floats, pool: Integers, tables: Sequence[Fitted]) -> Floats:
    """Weights of the rows of a pool under which these tables are met, or nearly."""
    held = weights.copy()
    cells = [
        (places(pool, fitted.columns, fitted.table.shape), fitted.table.ravel())
        for fitted in tables
    ]
    for _ in range(ROUNDS):
        for key, table in cells:
            now = np.bincount(key, held, table.size)
            held *= (table / np.where(now > 0, now, 1.0))[key]
    return held
