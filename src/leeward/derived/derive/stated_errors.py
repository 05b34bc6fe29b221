"""Stated errors: the errors of published cells, by the law that their certificate states."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import log1p
from typing import TypeVar

import numpy as np

from leeward.core.codebook.cells import Integers, ends
from leeward.core.codebook.marginal import margin_columns
from leeward.core.errors import Damaged, InvalidParameter
from leeward.core.noise.difference import Noisy
from leeward.core.noise.scales import DRAWS, CellNoise, public_seed
from leeward.core.noise.summed_errors import Singles
from leeward.core.noise.sums import ErrorDraws, drawn_margins, sides
from leeward.core.noise.tabulated import Floats
from leeward.core.noise.tail_table import NoisyWidth
from leeward.publishing.bundle import Certificate, CertifiedTable

Result = TypeVar("Result")

PAID = "spent"
"""The method of margins whose width was paid for."""

GRID_STEPS = 32
"""Steps of ln(1+α) of the grid of noisy widths, as in `mechanisms.scale`."""


def stated_draws(
    certificate: Certificate, table: CertifiedTable, *words: str, draws: int = DRAWS
) -> ErrorDraws:
    """Draws by the law of the noise of a table; other words give draws of another seed."""
    return stated_law(
        table,
        lambda noise: ErrorDraws(
            noise, public_seed(certificate.plan_digest, table.name, *words), draws
        ),
    )


def stated_law(table: CertifiedTable, use: Callable[[CellNoise], Result]) -> Result:
    """What follows from the law that a certificate states; it may be none."""
    if table.noise is None:
        raise without_law(table)
    try:
        return use(CellNoise.read(table.noise.numbers()))
    except (ValueError, ArithmeticError):
        raise Damaged(
            "bundle",
            rule=f"the table {table.name} must state noise that has a law",
            value="something else",
            next_step="Ask for the bundle again, or see what `leeward verify` finds.",
        ) from None


def noisy_numbers(
    table: CertifiedTable, values: Integers, low: Integers, establishments: Integers | None
) -> Noisy:
    """Released numbers with the lower ends of their intervals and the law of their noise."""
    noise = stated_law(table, lambda noise: noise)
    return Noisy(noise, values, values - low, establishments, paid_width(table))


def paid_width(table: CertifiedTable) -> NoisyWidth | None:
    """The noise of the width of a table's noise, where part of ε paid for it.

    Blocks and products release one width for a workplace cell, others one for each cell: the noise
    of its logarithm is Laplace, of scale ln(1+α)/ε on a grid.
    """
    stated, noise, alpha = table.margins, table.noise, table.guarantee.alpha
    if stated.method != PAID or stated.epsilon is None or noise is None or alpha is None:
        return None
    growth = log1p(float(Fraction(alpha)))
    parts = 1 if noise.shared or table.joint is not None else table.worker_cells
    return NoisyWidth(growth * parts / float(Fraction(stated.epsilon)), growth / GRID_STEPS)


def require_counts(table: CertifiedTable) -> None:
    """Refuse a table of pay: its rows do not add up, and what noise they have is not told."""
    if not table.counts:
        raise InvalidParameter(
            "table",
            rule="must be a table of counts: sums, shares and ranks do not follow from pay",
            value=f"{table.name}, whose values are the {table.statistic_words}",
            next_step="Choose a table of counts, and read pay as it was published.",
        )


def without_law(table: CertifiedTable) -> InvalidParameter:
    """The refusal of a table from which nothing can be drawn."""
    if table.has_margins:
        next_step = "Release it again with Leeward 0.5 or later, or add the margins up: too wide."
        value = f"{table.name}, of an earlier Leeward"
    else:
        next_step = "Choose a table with margins, or plan `margins` for the next release."
        value = f"{table.name}, which has no margins"
    rule = "must state the law of its noise, or the error of what is derived is not known"
    return InvalidParameter("table", rule=rule, value=value, next_step=next_step)


@dataclass(frozen=True)
class Errors:
    """Draws of errors, truth less value: for the lower and for the upper end of an interval.

    The last axis are the draws. Where clipping may have taken jobs away, both differ. `ends` says
    whether intervals reach as far on one side as they must, or equally far on both.
    """

    low: Singles
    high: Singles
    ends: bool

    @classmethod
    def of(cls, drawn: Singles, draws: ErrorDraws, table: CertifiedTable) -> "Errors":
        """Draws of the errors of a table."""
        return cls(*sides(drawn, halved=draws.halved), table.margins.ends)

    def take(self, chosen: Integers) -> "Errors":
        """Those of some of the numbers."""
        return Errors(self.low[chosen], self.high[chosen], self.ends)

    def added(self) -> "Errors":
        """Those of the sum of all numbers."""
        low, high = (draws.sum(axis=0, keepdims=True) for draws in (self.low, self.high))
        return Errors(low, high, self.ends)

    def truths(self, values: Integers, at: int) -> tuple[Floats, Floats]:
        """Draws of the truth behind one of the values, for the lower and for the upper end."""
        value = float(values[at])
        return value + self.low[at].astype(np.float64), value + self.high[at].astype(np.float64)

    def less(self, other: "Errors") -> "Errors":
        """Errors of differences from numbers with noise of their own."""
        return Errors(self.low - other.high, self.high - other.low, self.ends or other.ends)

    def interval(self, values: Integers) -> tuple[Integers, Integers]:
        """The ends of intervals that hold the truth in nine of ten cases; values (n,)."""
        columns = margin_columns(ends=self.ends, block=False)
        drawn = (self.low[:, None], self.high[:, None])
        low, high = ends(values[:, None], drawn_margins(columns, values[:, None], drawn))
        return low[:, 0], high[:, 0]
