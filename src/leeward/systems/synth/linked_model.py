"""Linked model: the counts that rows are drawn from, of tidy tables and the guides between them.

A guide is raked: whole tables of two sets of codes in every workplace cell, with both sums to the
unit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from leeward.core.noise.scales import public_seed
from leeward.core.randomness import SeededBits
from leeward.derived.settle.noisy_table import Floats, Integers, NoisyTable, numbered, read_table
from leeward.publishing.bundle import Bundle
from leeward.systems.synth.assignment import ConditionalCounts
from leeward.systems.synth.junction import Junction, Link, Turn
from leeward.systems.synth.linked_folder import GuideStatement

ROUNDS = 30
"""Of the three steps; the sums of a guide then hardly move."""

CAUTION = 2
"""Noise that is drawn together is uneven: its square is now and then far above its mean."""

TINY = 1e-6
"""A part of the largest noise that is as good as none."""

SEEN = 0.5
"""What a guide's empty cell counts as: 0 of a noisy table is not impossible."""


@dataclass(frozen=True)
class LinkedModel:
    """What rows are drawn from: totals by workplace cell, and counts in the order of turns."""

    total: NoisyTable
    parts: tuple[ConditionalCounts, ...]
    guides: tuple[GuideStatement, ...]

    @property
    def totals(self) -> Integers:
        """The jobs of each workplace cell."""
        return self.total.values.astype(np.int64)

    @classmethod
    def of(cls, junction: Junction, tidied: Bundle, measured: Bundle, seed: int) -> "LinkedModel":
        """The tidy tables of a bundle; guides, as released, are raked to what rows reproduce."""
        tidy, released = (
            {table.name: table for table in bundle.certificate.tables}
            for bundle in (tidied, measured)
        )
        names = [clique.name for clique in junction.cliques]
        read = {name: read_table(tidied, tidy[name])[1] for name in names}
        total = read_table(tidied, tidy[junction.base.name])[1].total()
        counts = {name: dense(table, total).astype(np.int64) for name, table in read.items()}
        links = {guide.name: junction.link(guide) for guide in junction.guides}
        guides = {}
        for name, link in links.items():
            if isinstance(link, Link):
                table = read_table(measured, released[name])[1]
                guides[name] = _Guide.of(table, total, link, _sides(link, counts, read))
        strongest = sorted(guides.values(), key=lambda guide: -information(guide.joint))
        turns, followed = junction.turns([guide.link for guide in strongest])
        bits = SeededBits(public_seed(str(seed), "rounding"))
        parts = []
        for turn in turns:
            if turn.link is None:
                parts.append(part_of(read[turn.table], counts[turn.table], turn))
            else:
                sides = _sides(turn.link, counts, read)
                joint = guides[turn.table].raked(turn.link, sides, bits)
                parts.append(ConditionalCounts(*_sizes(junction.worker_codes, turn), joint))
        kept = {link.guide: guides[link.guide].kept for link in followed}
        idle = [name for name in links if name not in kept]
        statements = (_statement(name, links[name], kept.get(name)) for name in (*kept, *idle))
        return cls(total, tuple(parts), tuple(statements))


Sides = tuple[Integers, Integers]
"""Counts of every workplace cell by the codes on either side of a link."""


def _sides(link: Link, counts: Mapping[str, Integers], read: Mapping[str, NoisyTable]) -> Sides:
    left, right = link.cliques
    return (
        sums_by(counts[left], read[left].worker, link.left),
        sums_by(counts[right], read[right].worker, link.right),
    )


def _sizes(
    codes: Mapping[str, tuple[str, ...]], turn: Turn
) -> tuple[dict[str, int], dict[str, int]]:
    given, new = ({name: len(codes[name]) for name in side} for side in (turn.given, turn.new))
    return given, new


def _statement(name: str, link: Link | str, kept: float | None) -> GuideStatement:
    """How far rows follow a guide, by the share of its pattern that is kept, or why they do not."""
    if kept is not None and isinstance(link, Link):
        sentence = (
            f"{' × '.join(link.left)} and {' × '.join(link.right)} go together as in this table, "
            f"as far as its noise and the reproduced tables allow: {kept:.0%} of the pattern that "
            "it shows in all its workplaces together is kept."
        )
        return GuideStatement(table=name, followed=True, kept=round(kept, 6), sentence=sentence)
    reason = link if isinstance(link, str) else "stronger ones tie its tables already"
    sentence = f"Rows do not follow this table: {reason}. Read it in the release."
    return GuideStatement(table=name, followed=False, kept=None, sentence=sentence)


def dense(table: NoisyTable, total: NoisyTable) -> Floats:
    """Its values as (cells of the total, codes of each worker attribute); no row is an exact 0."""
    sizes = [len(table.codes[name]) for name in table.worker]
    values = np.zeros((len(total.values), prod(sizes)))
    worker = {name: table.codes[name] for name in table.worker}
    rows = table.rows_in(total)
    at = numbered(worker, table.positions, len(table.values))
    some = table.values != 0
    values[rows[some], at[some]] = table.values[some]
    return values.reshape(-1, *sizes)


def sums_by(counts: Any, names: Sequence[str], kept: Sequence[str]) -> Any:  # noqa: ANN401 (either kind)
    """Sums over all attributes but the kept ones, which are crossed in their order."""
    axes = [1 + names.index(name) for name in kept]
    others = tuple(k for k in range(1, counts.ndim) if k not in axes)
    moved = np.moveaxis(counts, axes, range(1, 1 + len(axes)))
    summed = moved.sum(axis=tuple(range(1 + len(axes), counts.ndim))) if others else moved
    return np.asarray(summed.reshape(len(counts), -1))


def part_of(table: NoisyTable, counts: Integers, turn: Turn) -> ConditionalCounts:
    """A clique's counts with the codes that jobs have already before the new ones."""
    given, new = _sizes(table.codes, turn)
    order = sums_by(counts, table.worker, (*turn.given, *turn.new))
    return ConditionalCounts(
        given, new, order.reshape(len(counts), prod(given.values()), prod(new.values()))
    )


@dataclass(frozen=True)
class _Guide:
    """How the codes of a link go together, by the guide's workplaces: (these, left, right).

    `within` is to which of them each workplace cell belongs.
    """

    link: Link
    joint: Floats
    kept: float
    within: Integers

    @classmethod
    def of(cls, table: NoisyTable, total: NoisyTable, link: Link, sides: Sides) -> "_Guide":
        """Released numbers, moved towards independence for their noise."""
        coarse = table.total()
        within, shape = total.rows_in(coarse), [side.shape[1] for side in sides]
        names = (*link.left, *link.right)

        def between(values: Floats) -> Floats:
            held = dense(replace(table, values=values), coarse)
            return np.asarray(sums_by(held, table.worker, names).reshape(-1, *shape))

        spread = None if table.variances is None else between(table.spread())
        joint, kept = associated(between(table.values), spread, within, *sides)
        return cls(link, joint, kept, within)

    def raked(self, link: Link, sides: Sides, bits: SeededBits) -> Integers:
        """Whole numbers of every workplace cell; the link may be turned round."""
        joint = self.joint if link.left == self.link.left else self.joint.transpose(0, 2, 1)
        offset = bits.generator.random(len(self.within))
        return whole_joint(joint, self.within, *sides, offset)


def whole_joint(
    guide: Floats, within: Integers, left: Integers, right: Integers, offset: Floats
) -> Integers:
    """Whole numbers (cells, left codes, right codes) whose sums are `left` and `right`.

    `guide` is (its workplaces, left codes, right codes); `within` has the guide's workplace of each
    cell; `offset`, from 0 to 1, decides for each cell where it is rounded.

    Iterative proportional fitting starts with the shares of a guide, and repeats three steps: the
    sums of each workplace cell on either side, and those of the guide over the workplace cells that
    it counts together. What it tends to has no more structure than these three ask for (Deming and
    Stephan 1940; the maximum of entropy). Rounding keeps both sums of every workplace cell.
    """
    wanted = guide + SEEN
    x = wanted[within]
    for _ in range(ROUNDS):
        x *= _ratio(left, x.sum(axis=2))[:, :, None]
        x *= _ratio(right, x.sum(axis=1))[:, None, :]
        sums = _by(within, x, len(wanted))
        # The guide has as many jobs as the workplace cells have.
        share = _ratio(sums.sum(axis=(1, 2)), wanted.sum(axis=(1, 2)))[:, None, None]
        x *= _ratio(wanted * share, sums)[within]
    for _ in range(ROUNDS):
        x *= _ratio(left, x.sum(axis=2))[:, :, None]
        x *= _ratio(right, x.sum(axis=1))[:, None, :]
    return _whole(x, left, right, offset)


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
    sides = [_by(within, side, number) for side in (left, right)]
    jobs = np.maximum(sides[0].sum(axis=1), 1)
    rows, columns = (side / jobs[:, None] for side in sides)
    each = np.maximum(left.sum(axis=1), 1)[:, None, None]
    alone = _by(within, left[:, :, None] * right[:, None, :] / each, number)
    off = released - alone
    off = off - off.sum(axis=2)[:, :, None] * columns[:, None, :]
    off = off - off.sum(axis=1)[:, None, :] * rows[:, :, None]
    noise = np.zeros(len(jobs))
    if variances is not None:
        spread = [side.shape[1] * (1 + (side**2).sum(axis=1)) - 2 for side in (rows, columns)]
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
    sums = np.zeros((number, *counts.shape[1:]))
    np.add.at(sums, within, counts)
    return sums


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
    seen = guide > 0
    ratio = np.where(seen, guide * total, 1.0) / np.where(seen, alone, 1.0)
    return float((guide * np.log(ratio)).sum())


def _ratio(wanted: Floats | Integers, sums: Floats) -> Floats:
    return np.asarray(np.divide(wanted, sums, out=np.zeros(sums.shape), where=sums > 0))


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
    whole = np.diff(np.diff(corner, axis=1), axis=2)
    negative = np.flatnonzero((whole < 0).any(axis=(1, 2)))
    while negative.size:
        part = whole[negative]
        at = np.arange(len(part))
        i, j = np.unravel_index((part < 0).reshape(len(part), -1).argmax(axis=1), (rows, columns))
        k, m = part[at, i].argmax(axis=1), part[at, :, j].argmax(axis=1)
        for row, column, step in ((i, j, 1), (i, k, -1), (m, j, -1), (m, k, 1)):
            part[at, row, column] += step
        whole[negative] = part
        negative = negative[(part < 0).any(axis=(1, 2))]
    return np.asarray(whole)
