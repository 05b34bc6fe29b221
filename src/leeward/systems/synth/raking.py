"""Raking: whole tables of two sets of codes in every workplace cell, with both sums to the unit.

Iterative proportional fitting starts with the shares of a guide, and repeats three steps: the sums
of each workplace cell on either side, and those of the guide over the workplace cells that it
counts together. What it tends to has no more structure than these three ask for (Deming and
Stephan 1940; the maximum of entropy). Rounding keeps both sums of every workplace cell.
"""

import numpy as np

from leeward.derived.settle.noisy_table import Floats, Integers

ROUNDS = 30
"""Of the three steps; the sums of a guide then hardly move."""

CAUTION = 2
"""Noise that is drawn together is uneven: its square is now and then far above its mean."""

TINY = 1e-6
"""A part of the largest noise that is as good as none."""

SEEN = 0.5
"""What a guide's empty cell counts as: 0 of a noisy table is not impossible."""


def whole_joint(
    guide: Floats, within: Integers, left: Integers, right: Integers, offset: Floats
) -> Integers:
    """Whole numbers (cells, left codes, right codes) whose sums are `left` and `right`.

    `guide` is (its workplaces, left codes, right codes); `within` has the guide's workplace of each
    cell; `offset`, from 0 to 1, decides for each cell where it is rounded.
    """
    return _whole(_raked(guide, within, left, right), left, right, offset)


def associated(
    released: Floats, variances: Floats | None, within: Integers, left: Integers, right: Integers
) -> tuple[Floats, float]:
    """How two sets of codes go together, moved towards independence for the noise of a guide.

    `left` and `right` are the counts of every workplace cell, which is `within` a workplace of the
    guide. What the guide has beyond independence inside workplace cells, in all its workplaces
    together, is D; it becomes (1 − noise/|D|²)·D where that is positive (James and Stein 1961), and
    noise counts twice (`CAUTION`). The share that is kept is given too. What each of its workplaces
    has of its own is moved as `tidy.shrinkage` moves shares, with one τ² for all. With noise of
    unknown size everything is kept.
    """
    number = len(released)
    sides = [_by(within, one, number) for one in (left, right)]
    jobs = np.maximum(sides[0].sum(axis=1), 1)
    rows, columns = (side / jobs[:, None] for side in sides)
    each = np.maximum(left.sum(axis=1), 1)[:, None, None]
    alone = _by(within, left[:, :, None] * right[:, None, :] / each, number)
    off = released - alone
    off = off - off.sum(axis=2)[:, :, None] * columns[:, None, :]
    off = off - off.sum(axis=1)[:, None, :] * rows[:, :, None]
    noise = np.zeros(len(jobs))
    if variances is not None:
        spread = [one.shape[1] * (1 + (one**2).sum(axis=1)) - 2 for one in (rows, columns)]
        noise = variances.mean(axis=(1, 2)) * spread[0] * spread[1]
    common = off.sum(axis=0)
    square = float((common**2).sum())
    kept = max(0.0, 1 - CAUTION * float(noise.sum()) / square) if square > 0 else 0.0
    usual = (jobs / jobs.sum())[:, None, None] * common
    own = off - usual
    moved = alone + kept * usual + _own(own, noise, jobs)[:, None, None] * own
    return np.maximum(moved, 0.0), kept


def _by(within: Integers, counts: Floats | Integers, number: int) -> Floats:
    """Sums over the workplace cells of each of the guide's workplaces."""
    found = np.zeros((number, *counts.shape[1:]))
    np.add.at(found, within, counts)
    return found


def _own(off: Floats, noise: Floats, jobs: Floats) -> Floats:
    """B = τ²N²/(τ²N² + σ²), τ² by moments that are weighted by what their noise would blur."""
    squares, blur = (off**2).sum(axis=(1, 2)) / jobs**2, noise / jobs**2
    if not noise.any():
        return np.ones(len(jobs))
    weights = 1 / np.maximum(blur, blur.max() * TINY) ** 2
    between = max(0.0, float((weights * (squares - CAUTION * blur)).sum() / weights.sum()))
    return _ratio(np.full(len(jobs), between), between + blur)


def information(guide: Floats) -> float:
    """Jobs times the mutual information of the two sides of a guide, over all its workplaces."""
    total = guide.sum(axis=(1, 2), keepdims=True)
    alone = guide.sum(axis=2, keepdims=True) * guide.sum(axis=1, keepdims=True)
    held = guide > 0
    ratio = np.where(held, guide * total, 1.0) / np.where(held, alone, 1.0)
    return float((guide * np.log(ratio)).sum())


def _raked(guide: Floats, within: Integers, left: Integers, right: Integers) -> Floats:
    wanted = guide + SEEN
    x = wanted[within]
    for _ in range(ROUNDS):
        x *= _ratio(left, x.sum(axis=2))[:, :, None]
        x *= _ratio(right, x.sum(axis=1))[:, None, :]
        sums = _by(within, x, len(wanted))
        x *= _ratio(wanted * _share(sums, wanted), sums)[within]
    for _ in range(ROUNDS):
        x *= _ratio(left, x.sum(axis=2))[:, :, None]
        x *= _ratio(right, x.sum(axis=1))[:, None, :]
    return x


def _share(sums: Floats, wanted: Floats) -> Floats:
    """The guide has as many jobs as the workplace cells have."""
    return np.asarray(_ratio(sums.sum(axis=(1, 2)), wanted.sum(axis=(1, 2)))[:, None, None])


def _ratio(wanted: Floats | Integers, found: Floats) -> Floats:
    return np.asarray(np.divide(wanted, found, out=np.zeros(found.shape), where=found > 0))


def _whole(x: Floats, left: Integers, right: Integers, offset: Floats) -> Integers:
    """Sums from the first corner are rounded; at the far edges they are whole already.

    A number is the difference of four rounded sums: right on average over the offset, at most 2
    off, and −1 at worst where it should be 0. There four numbers change by one, on both sides of
    the sums.
    """
    cells, rows, columns = x.shape
    corner = np.zeros((cells, rows + 1, columns + 1), np.int64)
    inner = x[:, :-1, :-1].cumsum(axis=1).cumsum(axis=2)
    corner[:, 1:-1, 1:-1] = np.floor(inner + offset[:, None, None])
    corner[:, 1:, -1] = left.cumsum(axis=1)
    corner[:, -1, 1:] = right.cumsum(axis=1)
    made = np.diff(np.diff(corner, axis=1), axis=2)
    negative = np.flatnonzero((made < 0).any(axis=(1, 2)))
    while negative.size:
        part = made[negative]
        at = np.arange(len(part))
        i, j = np.unravel_index((part < 0).reshape(len(part), -1).argmax(axis=1), (rows, columns))
        k, m = part[at, i].argmax(axis=1), part[at, :, j].argmax(axis=1)
        for row, column, step in ((i, j, 1), (i, k, -1), (m, j, -1), (m, k, 1)):
            part[at, row, column] += step
        made[negative] = part
        negative = negative[(part < 0).any(axis=(1, 2))]
    return np.asarray(made)
