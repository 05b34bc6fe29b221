"""Public draws: seeded draws of the law of a product's noise, from which its margins follow.

They are written by themselves, from the same design: tests compare them with the exact draws.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray

from leeward.core.noise.design import Design
from leeward.core.noise.law import PiecewiseLaw, symmetric
from leeward.core.noise.piece import Piece
from leeward.core.noise.radial_law import RadialLaw
from leeward.core.randomness import SeededBits

Floats = NDArray[np.float64]
ROWS = 1 << 15
"""Draws of the public law behind margins."""

SURE = 3.0
"""Standard errors by which a margin from draws is widened."""


@dataclass(frozen=True)
class PublicDraws:
    """Seeded draws of the noise of a design in units of its scale: its total, then each table.

    `shape` is k of power tails; else N has the law of `radius`, or without one ∝ e^−N. Everyone can
    repeat them; no release uses them.
    """

    design: Design
    shape: int = 0
    radius: RadialLaw | None = None

    @property
    def tail(self) -> float:
        """The power of tails; 0 where they are exponential."""
        tail = None if self.radius is None else self.radius.tail
        return self.shape if tail is None else float(tail)

    def reach(self, table: int, coverage: float, *, block: bool = False) -> float:
        """What |noise| of a cell keeps to with this probability; `block`: that of all cells.

        `table` 0 is the total. It is the draw of a rank so far up that chance is allowed for.
        """
        drawn = _ranked(self, table, block)
        blur = SURE * sqrt(coverage * (1 - coverage) / ROWS)
        rank = min(ceil((coverage + blur) * len(drawn)), len(drawn)) - 1
        return float(drawn[rank])

    def within(self, table: int, reach: Floats, *, block: bool = False) -> Floats:
        """The share of draws within some reaches, less what chance may have added."""
        share = self.share_within(table, reach, block=block)
        return np.asarray(np.maximum(share - SURE * np.sqrt(share * (1 - share) / ROWS), 0.0))

    def share_within(self, table: int, reach: Floats, *, block: bool = False) -> Floats:
        """The share of draws within some reaches."""
        drawn = _ranked(self, table, block)
        return np.asarray(np.searchsorted(drawn, reach, side="right") / len(drawn))

    def law(self, table: int) -> PiecewiseLaw:
        """The noise of a cell: flat between quantiles, then a tail of the law's own kind."""
        return _law(self, table)


KNOTS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.995)
"""Shares of |noise| below the ends of flat pieces."""


@lru_cache(maxsize=64)
def _law(draws: PublicDraws, table: int) -> PiecewiseLaw:
    drawn = _ranked(draws, table, False)
    ends = [0.0, *np.quantile(drawn, KNOTS).tolist()]
    shares = np.diff([0.0, *KNOTS, 1.0])
    last = ends[-1]
    beyond = float(drawn[drawn > last].mean()) - last
    widths = [*np.diff(ends).tolist(), last / draws.tail if draws.tail else beyond]
    heights = np.log(shares / np.array(widths))
    flat = [
        Piece(Fraction(a), Fraction(b), Fraction(0), centre=Fraction(a)) for a, b in pairwise(ends)
    ]
    power = Fraction(-draws.tail - 1)
    tail = Piece(Fraction(last), None, power, Fraction(0))
    if not draws.tail:
        tail = Piece(Fraction(last), None, Fraction(-1 / beyond))
    jumps = [Fraction(number) for number in np.diff(heights).tolist()]
    right, both = [*flat, tail], symmetric([*flat, tail])
    mirrored = [*(-jump for jump in reversed(jumps)), Fraction(0), *jumps]
    left = [
        replace(piece, centre=piece.low) if other.rate == 0 else piece
        for piece, other in zip(both.pieces, [*reversed(right), *right], strict=True)
    ]
    return PiecewiseLaw(tuple(left), tuple(mirrored))


@lru_cache(maxsize=256)
def _ranked(draws: PublicDraws, table: int, block: bool) -> Floats:
    column = _columns(draws)[table]
    return np.sort((column.max(axis=1) if block else column).ravel())


@lru_cache(maxsize=8)
def _columns(draws: PublicDraws) -> tuple[Floats, ...]:
    """|noise| of the total and of the cells of each table, (ROWS, cells)."""
    design, p, bits = draws.design, draws.design.dimension, SeededBits(draws.design.cells)
    generator = bits.generator
    left = power = _options([design.powers], np.zeros(ROWS, dtype=np.int64), bits)
    total, rest = generator.gamma(power + 1), generator.gamma(p - power)
    unit = 1 / generator.gamma(draws.shape, size=ROWS) if draws.shape else np.ones(ROWS)
    tables, norm = list[Floats](), total.copy()
    for j, d in enumerate(design.tables):
        weights = [design.power_of(j, number) for number in range(len(design.rests[j]))]
        e = _options(weights, left, bits)
        left = left - e
        a = _options([design.positive(j, number) for number in range(d)], e, bits)
        a = np.where(e == d - 1, d, e + 1 + a)
        below = rest * float(design.part) * generator.beta(np.maximum(d - 1 - e, 1), 1)
        below = np.where(e == d - 1, 0.0, below)
        positive = np.arange(d) < a[:, None]  # cells of a table are alike
        each = generator.exponential(size=(ROWS, d))
        with np.errstate(invalid="ignore"):
            above = np.where(positive, each, 0) / np.where(positive, each, 0).sum(1)[:, None]
            under = np.where(positive, 0, each) / np.where(positive, 0, each).sum(1)[:, None]
        cells = (total + below)[:, None] * above - below[:, None] * np.nan_to_num(under)
        tables.append(cells)
        norm = np.maximum(norm, total + below / float(design.part))
    if draws.radius is not None:
        words = generator.integers(2**64, size=ROWS, dtype=np.uint64)
        unit = draws.radius.approximate(words)[0] / norm
    return tuple(np.abs(cells * unit[:, None]) for cells in (total[:, None], *tables))


def _options(
    weights: Sequence[Sequence[int]], given: NDArray[np.int64], bits: SeededBits
) -> NDArray[np.int64]:
    """An option of each row, with the weights that are its own."""
    width = max(map(len, weights))
    ends = np.ones((len(weights), width))
    for row, one in enumerate(weights):
        shares = np.cumsum([float(Fraction(weight, sum(one))) for weight in one])
        ends[row, : len(one)] = shares / shares[-1]
    found = (bits.generator.random(len(given))[:, None] >= ends[given]).sum(axis=1)
    return np.asarray(np.minimum(found, width - 1), dtype=np.int64)
