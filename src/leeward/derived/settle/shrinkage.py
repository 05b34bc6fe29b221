"""Shrinkage: shares of small workplace cells are moved towards those of cells alike.

A share becomes prior + B·(share − prior), B = τ²N²/(τ²N² + σ²). N is the tidy total of the
workplace cell, σ the public deviation of a worker cell's noise, and τ² is by moments of released
values, for each worker cell and each class of N. So B is near 1 where a workplace cell is large
beside its noise, and near 0 where noise hides everything.

The prior is the share in all workplace cells with the same codes but for the first attribute, and
it is moved towards the share in those with the same code of the first attribute, by the same rule
one level up: of a table by place and sector, the share of the sector, and how the place differs
from its sectors. Of a table by one attribute it is the share in the whole table. Nothing but
released values and public scales is read.
"""

from dataclasses import replace
from math import prod

import numpy as np

from leeward.derived.settle.least_squares import sums_of
from leeward.derived.settle.noisy_table import Floats, Integers, NoisyTable, numbered

CLASS = 2
"""A class of totals reaches from a number to this multiple of it."""

ROUNDS = 20
"""Of moments, each weighted by the variances that the one before found."""

TINY = 1e-12
"""A variance of shares that is none."""


def shrunk(table: NoisyTable, total: NoisyTable, rows: Integers, totals: Integers) -> NoisyTable:
    """The table with moved shares, if its noise has a public size and `total` is by workplace."""
    if table.variances is None or not table.worker or tuple(total.codes) != table.workplace:
        return table
    each = prod(len(table.codes[name]) for name in table.worker)
    z, v = (column.reshape(-1, each) for column in (table.values, table.spread()))
    size = totals[rows[::each]].astype(float)
    # The shares of the workplace cells that agree in all attributes but the first, in jobs.
    group = _groups(table, table.workplace[1:], each)
    shares = np.clip(_by_group(z, group) / np.maximum(_by_group(size, group), 1), 0, 1)
    usual = shares * size[:, None]
    if len(table.workplace) > 1:
        # How the cells with the same code of the first attribute differ together.
        group = _groups(table, table.workplace[:1], each)
        jobs, together = _by_group(size, group)[:, 0], _by_group(z - usual, group)
        weight = _weight(together, _by_group(v, group), jobs)
        usual = usual + weight * together * (size / np.maximum(jobs, 1))[:, None]
    moved = usual + _weight(z - usual, v, size) * (z - usual)
    return replace(table, values=moved.ravel())


def _groups(table: NoisyTable, names: tuple[str, ...], each: int) -> Integers:
    """The number of each workplace cell's combination of codes of some attributes."""
    codes = {name: table.codes[name] for name in names}
    positions = {name: table.positions[name][::each] for name in names}
    keys = numbered(codes, positions, len(table.values) // each)
    return np.unique(keys, return_inverse=True)[1]


def _weight(off: Floats, v: Floats, size: Floats) -> Floats:
    """B of each cell; 0 where a workplace cell has no jobs."""
    jobs = np.maximum(size, 1)
    group = np.floor(np.log(jobs) / np.log(CLASS)).astype(np.int64)
    squares, noise = off**2 / jobs[:, None] ** 2, v / jobs[:, None] ** 2
    between = np.zeros_like(squares)
    for _ in range(ROUNDS):
        w = 1 / np.maximum(between + noise, TINY) ** 2
        between = np.maximum(0, _by_group(w * (squares - noise), group) / _by_group(w, group))
    return np.where(size[:, None] > 0, between / np.maximum(between + noise, TINY), 0)


def _by_group(columns: Floats, group: Integers) -> Floats:
    """For each row the sums of its group."""
    rows = columns.reshape(len(group), -1).T
    return np.stack([sums_of(row, group, int(group.max()) + 1) for row in rows], axis=1)[group]
