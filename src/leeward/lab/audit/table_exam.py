"""Exams of whole tables: values and margins of a measurement together, as a release makes them.

Most lines examine a mechanism alone. Here the measurement of a table is recorded: the noise of
its values, and the noise of the scales that its margins follow from. All draws are independent,
so their losses add up. That nothing else of the data is released is examined too: with the same
noisy numbers, neighbours must show the same values and the same margins.

Tables of clipped sums draw twice: the noise of the sums follows the index that was drawn first.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import chain
from typing import Any

import numpy as np

from leeward.core.codebook import Entries
from leeward.core.mechanisms.clipping import Clipping
from leeward.core.mechanisms.measurement import Measured, Measurement
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.scale import STEPS
from leeward.core.mechanisms.split import establishment_class
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import Integers
from leeward.core.privacy.workforces import Database
from leeward.lab.audit.clipped_exam import pair_loss
from leeward.lab.audit.exams import block_loss
from leeward.lab.audit.job_relation import Examined, MoreJobs
from leeward.lab.audit.loss import PrivacyLoss, pure_loss, worst
from leeward.lab.audit.neighbours import (
    DatabasePair,
    Depth,
    block_pairs,
    first_jobs,
    pairs,
)
from leeward.lab.audit.outputs import CellBlock, Independent, Rounded
from leeward.lab.audit.paid_neighbours import paid_pairs
from leeward.lab.audit.pair_block import PairBlock, density_loss
from leeward.lab.audit.recording import RecordingNoise, entries

Part = Rounded | CellBlock | PairBlock
"""The distribution of one noisy number, or of a block of them."""

WITH_MARGINS = "values and margins"
SHOWS = "shows more of the data than its noisy numbers"
FAULT = PrivacyLoss.faulty(SHOWS)


@dataclass(frozen=True)
class Recorded:
    """What a measurement drew for one database, in order; and what it showed."""

    measured: Measured
    noise: RecordingNoise

    @classmethod
    def of(
        cls,
        measurement: Measurement,
        database: Database,
        noise: RecordingNoise | None = None,
        copies: int = 1,
    ) -> "Recorded":
        """Workplace cells alike; further kinds of worker count only in its size."""
        noise = noise or RecordingNoise()
        return cls(
            measurement._measure(entries([database], measurement.parameters.cells, copies), noise),
            noise,
        )

    @property
    def parts(self) -> tuple[Part, ...]:
        """The distributions that it drew from; all draws are independent."""
        columns = self.noise.requests
        alone = (column.rounded(i) for column in columns for i in range(column.true.size))
        return (*self.noise.pair_blocks, *self.noise.blocks, *alone)

    def shows_more(self, measurement: Measurement, neighbour: Database, copies: int = 1) -> bool:
        """Whether the same noisy numbers show something else for a neighbour."""
        same = RecordingNoise(self.noise.answered)
        return not same_shown(
            self.measured, Recorded.of(measurement, neighbour, same, copies).measured
        )


def same_shown(first: Measured, second: Measured) -> bool:
    """Whether values and all columns of margins are the same."""
    columns, others = (
        {"values": measured.values, **measured.margins} for measured in (first, second)
    )
    return [*columns] == [*others] and all(
        np.array_equal(column, others[name]) for name, column in columns.items()
    )


def examine_table(
    measurement: Measurement,
    protected: Examined,
    depth: Depth,
    claimed: Fraction,
    cap: int | None = None,
) -> PrivacyLoss:
    """The worst pair of neighbours; with a cap, of those with pay."""
    losses: dict[object, PrivacyLoss] = {}
    together: dict[object, PrivacyLoss] = {}
    for pair in _pairs(measurement.parameters, protected, depth, cap):
        before, after = Recorded.of(measurement, pair.before), Recorded.of(measurement, pair.after)
        if before.shows_more(measurement, pair.after):
            return FAULT
        drawn = list(zip(before.parts, after.parts, strict=True))
        steps = tuple(step(*both) for both in drawn)
        for change, both in zip(steps, drawn, strict=True):
            if change not in losses:
                losses[change] = part_loss(*both, claimed)
        if steps not in together:
            together[steps] = reduce(PrivacyLoss.plus, (losses[move] for move in steps))
    return worst(together.values())


LOW = (0, 8 * STEPS, 40 * STEPS)
"""Distances of an index below its maximum, so that there is something to clip."""


def examine_clipped_table(
    measurement: Measurement,
    protected: Examined,
    depth: Depth,
    _: Fraction,
    cap: int | None = None,
) -> PrivacyLoss:
    """The same of clipped sums, whose margins are free: index and sums jointly."""
    losses, neighbours = [], _pairs(measurement.parameters, protected, depth, cap)
    for pair in chain(neighbours, first_jobs(measurement.parameters.cells)):
        index = Recorded.of(measurement, pair.before).noise.asked[0]
        low = Recorded.of(
            measurement, pair.before, RecordingNoise([index - np.array(LOW)]), len(LOW)
        )
        if low.shows_more(measurement, pair.after, len(LOW)):
            return FAULT
        losses.append(pair_loss(ClippedTable(measurement, len(pair.before.sizes)), pair.databases))
    return worst(losses)


@dataclass(frozen=True)
class ClippedTable:
    """A table of clipped sums as one mechanism, with `establishments` in each workplace cell.

    What is clipped, and how, is recorded.
    """

    measurement: Measurement
    establishments: int

    @property
    def parameters(self) -> Parameters:
        """Those of its mechanism."""
        return self.measurement.parameters

    @property
    def clipping(self) -> Clipping:
        """Where indices are examined: that of the class of these workplace cells."""
        classes: Any = getattr(self.measurement, "classes", self.measurement)
        suited = classes.mechanism.suited(establishment_class(self.establishments))
        clipping: Clipping = suited.clipping
        return clipping

    def _release(self, entries: Entries, noise: Noise) -> tuple[Integers, Integers]:
        """What is shown, and the public scale of the noise, which θ gives.

        A scale is compared by its bits, which for positive numbers are in their order.
        """
        measured = self.measurement._measure(entries, noise)
        scale = measured.law.scale
        if scale is None:
            raise TypeError("the scale of clipped sums is public")
        return measured.values, scale.view(np.int64)


def _pairs(
    parameters: Parameters, protected: Examined, depth: Depth, cap: int | None
) -> Iterable[DatabasePair]:
    """Blocks of the table's cells, and with one kind of worker that it does not have.

    A workplace table counts every job.
    """
    if not protected.uses_alpha and not isinstance(protected, MoreJobs):
        yield from pairs(protected, None, depth)
        return
    alpha, cells = parameters.growth, parameters.cells
    kinds = (cells, cells + 1) if cells > 1 else (1,)
    if cap is None:
        yield from block_pairs(protected, alpha, kinds, depth, 1000, first=4)
        return
    for number in kinds:
        yield from paid_pairs(protected, alpha, cap, number, depth)


def step(before: Part, after: Part) -> object:
    """What a loss depends on: distances, laws and scales."""
    apart = tuple(np.subtract(after.true, before.true).ravel().tolist())
    drawn = list[object]()
    for part in (before, after):
        if isinstance(part, PairBlock):
            drawn.append((PairBlock, part.body, part.radius, part.scales))
        else:
            law = part.law if isinstance(part, Rounded) else part.radius
            drawn.append((type(part), law, part.scale))
    return apart, *drawn


def part_loss(before: Part, after: Part, claimed: Fraction) -> PrivacyLoss:
    """By masses; of pairs by densities, whose ratios no masses exceed."""
    if isinstance(before, PairBlock) and isinstance(after, PairBlock):
        return density_loss(before, after, claimed)
    if isinstance(before, CellBlock) and isinstance(after, CellBlock):
        return block_loss(Independent((before,)), Independent((after,)), claimed)
    return pure_loss(before, after, claimed)
