"""Linked model: the counts that rows are drawn from, of tidy tables and the guides between them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from leeward.core.noise.scales import public_seed
from leeward.core.randomness import SeededBits
from leeward.derived.settle.noisy_table import Floats, Integers, NoisyTable, numbered, read_table
from leeward.publishing.bundle import Bundle, CertifiedTable
from leeward.systems.synth.assignment import ConditionalCounts
from leeward.systems.synth.junction import Junction, Link, Turn
from leeward.systems.synth.linked_folder import GuideStatement
from leeward.systems.synth.raking import associated, information, whole_joint


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
        tables = {table.name: table for table in tidied.certificate.tables}
        read = {
            clique.name: read_table(tidied, tables[clique.name])[1] for clique in junction.cliques
        }
        total = read_table(tidied, tables[junction.base.name])[1].total()
        counts = {
            name: dense(noisy_table, total).astype(np.int64) for name, noisy_table in read.items()
        }
        links = {guide.name: junction.link(guide) for guide in junction.guides}
        guides = {
            name: _Guide.of(read_table(measured, tables_of(measured)[name])[1], total, link, sides)
            for name, link in links.items()
            if isinstance(link, Link)
            for sides in (_sides(link, counts, read),)
        }
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
        statements = [_followed(guides[one.guide]) for one in followed]
        idle = [name for name in links if name not in {one.guide for one in followed}]
        return cls(total, tuple(parts), (*statements, *(_idle(name, links[name]) for name in idle)))


def tables_of(bundle: Bundle) -> dict[str, CertifiedTable]:
    """The tables of a bundle by name."""
    return {table.name: table for table in bundle.certificate.tables}


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
    given, new = ({one: len(codes[one]) for one in side} for side in (turn.given, turn.new))
    return given, new


def _followed(guide: "_Guide") -> GuideStatement:
    link = guide.link
    sentence = (
        f"{' × '.join(link.left)} and {' × '.join(link.right)} go together as in this table, as "
        f"far as its noise and the reproduced tables allow: {guide.kept:.0%} of the pattern that "
        "it shows in all its workplaces together is kept."
    )
    kept = round(guide.kept, 6)
    return GuideStatement(table=link.guide, followed=True, kept=kept, sentence=sentence)


def _idle(name: str, link: Link | str) -> GuideStatement:
    reason = link if isinstance(link, str) else "stronger ones tie its tables already"
    sentence = f"Rows do not follow this table: {reason}. Read it in the release."
    return GuideStatement(table=name, followed=False, kept=None, sentence=sentence)


def dense(table: NoisyTable, total: NoisyTable) -> Floats:
    """Its values as (cells of the total, codes of each worker attribute); no row is an exact 0."""
    sizes = [len(table.codes[name]) for name in table.worker]
    found = np.zeros((len(total.values), prod(sizes)))
    worker = {name: table.codes[name] for name in table.worker}
    rows = table.rows_in(total)
    at = numbered(worker, table.positions, len(table.values))
    held = table.values != 0
    found[rows[held], at[held]] = table.values[held]
    return found.reshape(-1, *sizes)


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
