"""Shrinkage: shares of small workplace cells are moved towards those of cells alike.

A share becomes prior + B·(share − prior), B = τ²N²/(τ²N² + σ²). N is the tidy total of the
workplace cell, σ the public deviation of a worker cell's noise. The prior is the share in all
workplace cells that have the same codes but for the first attribute, so of a table by place and
sector that of the sector; of a table by one attribute, that of the whole table. τ² is by moments
of released values, for each worker cell and each class of N. Nothing but released values and public
scales is read.
"""

from dataclasses import replace
from math import prod

import numpy as np

from leeward.tidy.noisy_table import Floats, Integers, NoisyTable, numbered

CLASS = 2
"""A class of totals reaches from a number to this multiple of it."""


def shrunk(table: NoisyTable, total: NoisyTable, rows: Integers, totals: Integers) -> NoisyTable:
    """The table with moved shares, if its noise has a public size and `total` is by workplace."""
    if table.variances is None or not table.worker or tuple(total.codes) != table.workplace:
        return table
    each = prod(len(table.codes[name]) for name in table.worker)
    z, v = (column.reshape(-1, each) for column in (table.values, table.spread()))
    size = totals[rows[::each]].astype(float)[:, None]
    usual = _prior(table, z, size, whole=table.covers(total)) * size
    moved = usual + _weight(z - usual, v, size) * (z - usual)
    return replace(table, values=moved.ravel())


def _prior(table: NoisyTable, z: Floats, size: Floats, *, whole: bool) -> Floats:
    """The shares of the workplace cells that agree in all attributes but the first."""
    alike = {name: table.codes[name] for name in table.workplace[1:]}
    each = z.shape[1]
    positions = {name: table.positions[name][::each] for name in alike}
    keys, group = np.unique(numbered(alike, positions, len(z)), return_inverse=True)
    sums = np.stack([np.bincount(group, column, len(keys)) for column in z.T], axis=1)
    jobs = np.bincount(group, size[:, 0], len(keys))[:, None]
    shares = np.clip(sums / np.maximum(jobs, 1), 0, 1)
    if whole:
        shares = shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-9)
    return np.asarray(shares[group])


def _weight(off: Floats, v: Floats, size: Floats) -> Floats:
    """B, for each cell; 0 where a workplace cell has no jobs."""
    group = np.floor(np.log(np.maximum(size[:, 0], 1)) / np.log(CLASS)).astype(np.int64)
    moments = [np.bincount(group, column) for column in (off**2 - v).T]
    squares = np.maximum(np.bincount(group, size[:, 0] ** 2), 1)
    between = np.maximum(0, np.stack(moments, axis=1) / squares[:, None])[group] * size**2
    return np.asarray(between / np.maximum(between + v, 1e-9))
