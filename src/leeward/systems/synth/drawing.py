"""Drawing: rows of positions from a network, with shares kept as closely as whole rows allow.

A pool of rows is drawn column by column. Where a network has further tables, or some rows are
impossible, the pool is larger than needed, its rows are weighted until they agree with all tables
(raking), and rows are taken by their weights. Everything follows from the network and a seed.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from leeward.core.noise.scales import Integers
from leeward.core.noise.tabulated import Floats
from leeward.core.randomness import SeededBits
from leeward.systems.synth.bayesian_network import BayesianNetwork, Fitted
from leeward.systems.synth.domain import Domain

BLOCK = 1 << 17
"""Rows drawn together: memory does not grow with their number."""

POOL = 4
"""Rows of a pool for each row that is taken."""

FEWEST, TRIED = 1 << 10, 1 << 14
"""Rows of a pool at least, and uniform rows among which one must be possible."""

ROUNDS = 10
"""Rounds of raking."""

Rows = NDArray[np.uint16]


def blocks(network: BayesianNetwork, domain: Domain, rows: int, seed: int) -> Iterator[Rows]:
    """Blocks of rows (rows, columns) of positions, the same for the same seed."""
    bits = SeededBits(seed)
    for start in range(0, rows, BLOCK):
        yield _block(network, domain, min(BLOCK, rows - start), bits)


def _block(network: BayesianNetwork, domain: Domain, rows: int, bits: SeededBits) -> Rows:
    plain = not network.targets and not domain.impossible
    pool = _pool(network, rows if plain else max(POOL * rows, FEWEST), bits)
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


def _pool(network: BayesianNetwork, rows: int, bits: SeededBits) -> Integers:
    """Groups of every column (columns, rows), each given its parents."""
    pool = np.zeros((len(network.groups), rows), dtype=np.int64)
    for node in network.nodes:
        extend(pool, node, bits)
    return pool


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
