"""Exams of whole tables: values and margins of a measurement together, as a release makes them.

Most lines examine a mechanism alone. Here the measurement of a table is recorded: the noise of
its values, and the noise of the scales that its margins follow from. All draws are independent,
so their losses add up. That nothing else of the data is released is examined too: with the same
noisy numbers, neighbours must show the same values and the same margins.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Protocol

import numpy as np
from flint import arb

from leeward.audit.exams import pareto_loss
from leeward.audit.loss import Loss, pure_loss, worst
from leeward.audit.neighbours import Depth, Pair, additive, block_sizes, blocks
from leeward.audit.outputs import Independent, ParetoBlock, Rounded
from leeward.audit.pair_block import PairBlock, density_loss
from leeward.audit.pay_neighbours import paid_pairs
from leeward.audit.recording import RecordingNoise, entries
from leeward.mechanisms.measurement import Measured
from leeward.mechanisms.parameters import Parameters
from leeward.model import Entries
from leeward.noise.scales import Integers, Noise
from leeward.privacy import Policy
from leeward.privacy.database import Database

Part = Rounded | ParetoBlock | PairBlock
"""The distribution of one noisy number, or of a block of them."""

WITH_MARGINS = "values and margins"
SHOWS = "shows more of the data than its noisy numbers"


class TableMeasurement(Protocol):
    """What the auditor asks of the measurement of a table."""

    @property
    def parameters(self) -> Parameters:
        """What its mechanism was calibrated for."""

    def _measure(self, columns: Entries, noise: Noise) -> Measured:
        """What is released, with given noise."""


@dataclass(frozen=True)
class Recorded:
    """What a measurement drew for one database, in order; and what it showed."""

    parts: tuple[Part, ...]
    measured: Measured
    noise: RecordingNoise

    @classmethod
    def of(
        cls, made: TableMeasurement, database: Database, noise: RecordingNoise | None = None
    ) -> "Recorded":
        """One workplace cell; kinds of worker beyond the table's cells are in its size alone."""
        noise = noise or RecordingNoise()
        measured = made._measure(entries([database], made.parameters.cells), noise)
        alone = (one.rounded(i) for one in noise.requests for i in range(one.true.size))
        return cls((*noise.pair_blocks, *noise.blocks, *alone), measured, noise)

    def shows(self, other: Measured) -> bool:
        """Whether both show the same."""
        mine, theirs = self.measured, other
        if not np.array_equal(mine.values, theirs.values) or [*mine.margins] != [*theirs.margins]:
            return False
        return all(np.array_equal(one, theirs.margins[name]) for name, one in mine.margins.items())

    @property
    def answers(self) -> list[Integers]:
        """The numbers that were drawn, as they were asked for."""
        return self.noise.asked


def examine_table(
    made: TableMeasurement,
    protected: Policy,
    depth: Depth,
    claimed: Fraction,
    cap: int | None = None,
) -> Loss:
    """The worst pair of neighbours; with a cap, of those with pay."""
    losses: dict[object, Loss] = {}
    together: dict[object, Loss] = {}
    for pair in _pairs(made.parameters, protected, depth, cap):
        before, after = Recorded.of(made, pair.before), Recorded.of(made, pair.after)
        if _shows_more(made, pair, before):
            return Loss(arb("nan"), arb("nan"), arb("nan"), fault=SHOWS)
        parts = {step(*both): both for both in zip(before.parts, after.parts, strict=True)}
        for one in parts.keys() - losses.keys():
            losses[one] = part_loss(*parts[one], claimed)
        steps = tuple(map(step, before.parts, after.parts))
        if steps not in together:
            together[steps] = reduce(Loss.plus, (losses[one] for one in steps))
    return worst(together.values())


def _pairs(
    parameters: Parameters, protected: Policy, depth: Depth, cap: int | None
) -> Iterable[Pair]:
    """Blocks of the table's cells, and with one kind of worker that it does not have.

    A workplace table counts every job.
    """
    alpha, cells = parameters.growth, parameters.cells
    sizes = [*block_sizes(alpha, 1000, additive(protected)), *range(4, depth.small, 4)]
    for kinds in (cells, cells + 1) if cells > 1 else (1,):
        if cap is not None:
            yield from paid_pairs(protected, alpha, cap, kinds, depth)
            continue
        yield from blocks(protected, alpha, kinds, sizes)


def _shows_more(made: TableMeasurement, pair: Pair, before: Recorded) -> bool:
    """Whether the noisy numbers of one database show something else for the other."""
    same = RecordingNoise(before.answers)
    return not before.shows(Recorded.of(made, pair.after, same).measured)


def step(before: Part, after: Part) -> object:
    """What a loss depends on: distances, laws and scales."""
    apart = tuple(np.subtract(after.true, before.true).ravel().tolist())
    return apart, *((type(one), _law(one), _scales(one)) for one in (before, after))


def _law(part: Part) -> object:
    if isinstance(part, Rounded):
        return part.law
    return (part.body, part.shape) if isinstance(part, PairBlock) else part.shape


def _scales(part: Part) -> object:
    return part.scales if isinstance(part, PairBlock) else part.scale


def part_loss(before: Part, after: Part, claimed: Fraction) -> Loss:
    """By masses; of pairs by densities, whose ratios no masses exceed."""
    if isinstance(before, PairBlock) and isinstance(after, PairBlock):
        return density_loss(before, after, claimed)
    if isinstance(before, ParetoBlock) and isinstance(after, ParetoBlock):
        return pareto_loss(Independent((before,)), Independent((after,)), claimed)
    return pure_loss(before, after, claimed)
