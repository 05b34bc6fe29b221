"""Cell errors: draws of the errors of published cells, by the law of their noise.

Totals of a release, numbers that readers derive and comparisons are drawn here, so that the same
sum has the same margin wherever it is shown.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from leeward.core.codebook import Flag, Published
from leeward.core.codebook.cells import Integers, ends
from leeward.core.codebook.flow_classes import (
    FLOW_CODES,
    MEASURES,
    ONE_CLASS,
    classes,
    measured_ends,
    measures,
)
from leeward.core.codebook.totals import DrawnErrors
from leeward.core.noise.summed_errors import Singles
from leeward.core.noise.sums import ErrorDraws, sides

AT_ONCE = 1 << 10
"""Cells whose noise is drawn together: draws take much memory."""


def drawn_parts(
    published: Published, draws: ErrorDraws | None, *, of_classes: bool = False
) -> Iterator[tuple[Published, DrawnErrors | None]]:
    """The cells in their order, a part at a time, with their errors if there are any.

    `of_classes`: the cells are measures of flows, and the law is that of the classes behind them.
    """
    step = max(1, AT_ONCE // published.values.shape[1])
    for start in range(0, len(published.keys), step):
        part = published.part(slice(start, start + step))
        if draws is None or not part.margins:
            yield part, None
            continue
        below, there = part.values - ends(part.values, part.margins)[0], part.flags == Flag.OK
        if not of_classes:
            yield part, draws.cells(part.values, below, part.establishments, there)
            continue
        # One measure is a class, so that the margin of a class is known.
        below = below[:, ONE_CLASS :: len(MEASURES)].repeat(len(FLOW_CODES), axis=1)
        errors = draws.cells(classes(part.values), below, part.establishments, there)
        yield part, FlowErrors(errors, draws.halved)


@dataclass(frozen=True)
class FlowErrors:
    """Errors of measures: those of the four classes, which measures tell, added up."""

    classes: DrawnErrors
    halved: bool

    def over(self, columns: Integers) -> "FlowErrors":
        """By the new column of each measure."""
        outer = columns[:: len(MEASURES)] // len(MEASURES)
        inner = np.arange(len(FLOW_CODES))
        return self._of(self.classes.over((outer[:, None] * len(FLOW_CODES) + inner).ravel()))

    def grouped(self, groups: Integers) -> "FlowErrors":
        """By the group of each row."""
        return self._of(self.classes.grouped(groups))

    def plus(self, at: Integers, other: "FlowErrors") -> "FlowErrors":
        """Other rows added."""
        return self._of(self.classes.plus(at, other.classes))

    def joined(self, other: "FlowErrors") -> "FlowErrors":
        """Other rows after these."""
        return self._of(self.classes.joined(other.classes))

    def part(self, some: slice) -> "FlowErrors":
        """Some of the rows."""
        return self._of(self.classes.part(some))

    def drawn(self) -> Singles:
        """Draws of measures, of which some take classes away from others."""
        errors = self.classes.drawn()
        if not self.halved:
            return measures(errors)
        return np.concatenate(measured_ends(*sides(errors, halved=True)), axis=2)

    def _of(self, errors: DrawnErrors) -> "FlowErrors":
        return FlowErrors(errors, self.halved)
