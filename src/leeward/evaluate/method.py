"""Method: a calibrated mechanism that releases a whole table, and what is known of its error."""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from leeward.evaluate.strata import Floats, Integers
from leeward.evaluate.truth import Truth
from leeward.mechanisms.additive import Additive
from leeward.mechanisms.clipped import Clipped
from leeward.mechanisms.margins import (
    COVERAGE,
    MarginRule,
    for_all,
    released_margins,
    whole,
)
from leeward.mechanisms.node_laplace import NodeLaplace


class Drawn(NamedTuple):
    """One trial: the released cells (w, d), and their margins if they have any."""

    values: Integers
    margins: Integers | None


class Expected(NamedTuple):
    """Closed forms for each cell (w, d); None where they are infinite or not known.

    `finite` is whether the error has a mean at all; `steady` is whether it has a variance, so
    that means of trials settle.
    """

    absolute: Floats | None
    bias: Floats | None
    finite: bool
    steady: bool


class Method(Protocol):
    """What an experiment does with a mechanism."""

    def draw(self, truth: Truth) -> Drawn:
        """One trial of the whole table."""

    def expected(self, truth: Truth) -> Expected:
        """What trials tend to, without drawing."""


@dataclass(frozen=True)
class Additively:
    """Noise added to counts: a whole block at once, or cell by cell.

    `own` is whether the noise of a cell follows its own largest establishment rather than the
    largest of its workplace cell.
    """

    made: Additive
    own: bool
    margins: MarginRule

    def draw(self, truth: Truth) -> Drawn:
        """One trial; blocks of one cell are drawn as one long column."""
        counts, largest = self._columns(truth)
        values = self.made.release(counts, self._needed(largest))
        margins = released_margins(self.margins, self.made, values, largest)
        shape = truth.counts.shape
        return Drawn(values.reshape(shape), None if margins is None else margins.reshape(shape))

    def expected(self, truth: Truth) -> Expected:
        """The mechanism's own formulas."""
        counts, largest = self._columns(truth)
        shape = truth.counts.shape
        error = self.made.errors(self._needed(largest), counts)
        return Expected(
            _spread(error.absolute, shape),
            _spread(error.mean, shape),
            finite=error.absolute is not None,
            steady=error.square is not None,
        )

    def _needed(self, largest: Integers) -> Integers | None:
        return largest if self.made.needs == "largest" else None

    def _columns(self, truth: Truth) -> tuple[Integers, Integers]:
        if self.made.parameters.cells > 1:
            return truth.counts, truth.cells.own_largest() if self.own else truth.cells.largest
        each = truth.cells.largest[:, None]
        largest = (
            truth.cells.own_largest() if self.own else np.broadcast_to(each, truth.counts.shape)
        )
        return truth.counts.ravel(), largest.ravel()


@dataclass(frozen=True)
class ByClipping:
    """The clipped mechanism on the whole block, or on each worker cell as a query of its own."""

    made: Clipped

    def draw(self, truth: Truth) -> Drawn:
        """One trial, with the margins that its public scale gives away."""
        if self.made.parameters.cells == truth.worker_cells:
            values, theta = self.made.release_entries(truth.entries)
            return Drawn(values, for_all(self._margins(theta), values))
        values, theta = self.made.release_entries(truth.entries.by_worker_cell())
        return Drawn(_by_query(values[:, 0], truth), _by_query(self._margins(theta), truth))

    def _margins(self, theta: Integers) -> Integers:
        return whole(self.made.margin(theta, COVERAGE))

    def expected(self, truth: Truth) -> Expected:
        """None: the bias of clipping depends on every establishment of a cell.

        Whether there is a mean or a variance depends on the noise of θ alone.
        """
        finite = self.made.mean_abs_error(0) is not None
        return Expected(None, None, finite, steady=self.made.std(0) is not None)


@dataclass(frozen=True, eq=False)
class ByDropping:
    """Establishments above θ left out, noise for a whole establishment of that size."""

    made: NodeLaplace

    def draw(self, truth: Truth) -> Drawn:
        """One trial; there are no margins that would cover what was dropped."""
        return Drawn(self.made.release(truth.entries.up_to(self.made.theta)), None)

    def expected(self, truth: Truth) -> Expected:
        """E|J − b| = b + 2p^(b+1)/(1−p²) for discrete Laplace J of rate p and b dropped jobs."""
        dropped = (truth.counts - truth.entries.up_to(self.made.theta)).astype(np.float64)
        rate = float(self.made.parameters.aimed / self.made.theta)
        p = np.exp(-rate)
        absolute = dropped + 2 * np.exp(-rate * (dropped + 1)) / ((1 + p) * -np.expm1(-rate))
        return Expected(absolute, -dropped, finite=True, steady=True)


def _spread(measure: Floats | None, shape: tuple[int, ...]) -> Floats | None:
    """A measure of every cell; that of a block holds for each of its cells."""
    if measure is None:
        return None
    cells = measure.reshape(shape) if measure.size == shape[0] * shape[1] else measure[:, None]
    return np.broadcast_to(cells, shape)


def _by_query(column: Integers, truth: Truth) -> Integers:
    """Queries one after the other become the columns of the table."""
    return column.reshape(truth.cells.shape[::-1]).T
