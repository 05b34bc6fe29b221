"""Product: several tables of the same workplace cells, released together or for a share of ε each.

Both ways give values (w, 1 + D): the total, then the published cells of all tables side by side.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from leeward.core.codebook import Cells, Entries, Marginal
from leeward.core.mechanisms.measurement import Expected, Measured, Measurement, PublicLaw
from leeward.core.mechanisms.parameters import Share
from leeward.core.mechanisms.table_measurement import measurement
from leeward.lab.evaluate.contender import SPLIT, Contender, Price
from leeward.lab.evaluate.strata import Floats, Integers
from leeward.lab.evaluate.truth import Truth


class ReleasedProduct(Protocol):
    """The tables of a product as a contender releases them."""

    def draw(self) -> Measured:
        """One release."""

    def expected(self, *, total: bool) -> Expected:
        """Closed forms of the total (w, 1), or of the cells (w, D)."""


@dataclass(frozen=True, eq=False, repr=False)
class Together:
    """By one joint measurement; `published` are its columns but those of rests."""

    made: Measurement
    columns: Cells | Entries
    published: Integers

    def draw(self) -> Measured:
        """Rests are left out afterwards."""
        drawn = self.made.measure(self.columns)
        margins = {name: margin[:, self.published] for name, margin in drawn.margins.items()}
        return Measured(drawn.values[:, self.published], margins, drawn.law)

    def expected(self, *, total: bool) -> Expected:
        """As the measurement says.

        Its closed form is of noise before it is rounded to whole jobs, so trials that settle are
        better: at ε = 16 by a twentieth, where most noise is below a job.
        """
        known = self.made.expected(self.columns)
        asked = self.published[:1] if total else self.published[1:]
        absolute, bias = (None if one is None else one[:, asked] for one in known[:2])
        settled = None if known.steady else absolute
        return known._replace(absolute=settled, bias=bias, square=None)


@dataclass(frozen=True, eq=False, repr=False)
class TablesApart:
    """Each table by a measurement of its own; the total is that of the smallest table."""

    tables: tuple[tuple[Measurement, Cells | Entries], ...]

    def draw(self) -> Measured:
        """No margins: the tables differ in their sums, so there is no one way to read them."""
        values = [measurement.measure(columns).values for measurement, columns in self.tables]
        least = min(values, key=lambda one: one.shape[1])
        total = least.sum(axis=1, keepdims=True)
        return Measured(np.concatenate([total, *values], axis=1), {}, PublicLaw(None, False, None))

    def expected(self, *, total: bool) -> Expected:
        """A sum of cells has no closed form."""
        known = [measurement.expected(columns) for measurement, columns in self.tables]
        return Expected(
            None if total else _beside([one.absolute for one in known]),
            None if total else _beside([one.bias for one in known]),
            all(one.finite for one in known),
            all(one.steady for one in known),
            None if total else _beside([one.square for one in known]),
        )


def _beside(parts: list[Floats | None]) -> Floats | None:
    known = [part for part in parts if part is not None]
    return np.concatenate(known, axis=1) if len(known) == len(parts) else None


def released(
    contender: Contender, price: Price, product: Marginal, truth: Truth, margins: Share = None
) -> ReleasedProduct:
    """Calibrate as a plan does; refused where the conditions fail.

    `price` is that of the product, or of each of its tables.
    """
    guarantee = price.strong
    if contender.accounting != SPLIT:
        made = measurement(contender.mechanism, product, guarantee, margins)
        published = np.concatenate([[0], 1 + product.published_cells()])
        return Together(made, (truth.whole or truth).columns(made), published)
    tables, start = [], 0
    for marginal in product.published[1:]:
        made = measurement(contender.mechanism, marginal, guarantee, None)
        cells = truth.of_cells(np.arange(start, start + marginal.worker_cells))
        tables.append((made, cells.columns(made)))
        start += marginal.worker_cells
    return TablesApart(tuple(tables))
