"""Answer: what a regression by cell gives, cell by cell, and what is said about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from leeward.baselines.scatter import SLOPE
from leeward.mechanisms.moments import UNIT, NoisySums
from leeward.model import RealRange
from leeward.noise.tabulated import Floats
from leeward.regress.lines import Lines

OK, NO_ESTIMATE = "ok", "no estimate"
DIGITS = 6


@dataclass(frozen=True)
class CellEstimate:
    """One estimate of one cell, in the units of y, a slope in those of y for one of x.

    `rank` is a share of the range of x, or names the slope. What is not known is None.
    """

    cell: str
    rank: float | str
    estimate: float | None
    error: float | None
    count: float | None
    status: str

    def as_json(self) -> dict[str, object]:
        """Plain values."""
        named = {"cell": self.cell, "rank": self.rank, "estimate": self.estimate, "se": self.error}
        return {**named, "count": self.count, "status": self.status}


@dataclass(frozen=True)
class Answer:
    """All estimates of a method. Without a guarantee it is internal, like the output of a check.

    `chi` has χ of each estimand of MOSE and `chi_cell` the cell that attains it. `says` are the
    sentences about the guarantee, or that there is none. `sums` are what `moments` has released of
    each cell: further estimates follow from them at no cost.
    """

    method: str
    private: bool
    epsilon: Fraction
    alpha: Fraction | None
    cells: tuple[CellEstimate, ...]
    says: tuple[str, ...]
    charged: bool = False
    entry: int | None = None
    chi: Mapping[str, float] = field(default_factory=dict)
    chi_cell: Mapping[str, str] = field(default_factory=dict)
    sums: tuple[Mapping[str, object], ...] = ()

    @property
    def internal(self) -> bool:
        """Whether it must stay inside."""
        return not self.private

    def as_json(self) -> dict[str, object]:
        """Everything as plain values."""
        return {
            "method": self.method,
            "private": self.private,
            "internal": self.internal,
            "charged": self.charged,
            "entry": self.entry,
            "epsilon": float(self.epsilon),
            "alpha": None if self.alpha is None else float(self.alpha),
            "chi": dict(self.chi),
            "chi_cell": dict(self.chi_cell),
            "says": list(self.says),
            "cells": [one.as_json() for one in self.cells],
            "sums": [dict(one) for one in self.sums],
        }

    def lines(self) -> list[str]:
        """A table for people, in columns of equal width, and the sentences before it."""
        header = ("cell", "rank", "estimate", "se", "count", "status")
        rows = [header, *(tuple(map(_shown, one.as_json().values())) for one in self.cells)]
        widths = [max(len(row[i]) for row in rows) for i in range(len(header))]
        table = [
            "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
        chi = [
            f"χ of {name}: {one:.6g}, attained by cell {self.chi_cell[name]}"
            for name, one in self.chi.items()
        ]
        return [*self.says, *chi, "", *table]


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.{DIGITS}g}"
    return "" if value is None else str(value)


def known(value: float) -> float | None:
    """A number to six decimals; nothing where there is none."""
    return round(float(value), DIGITS) if np.isfinite(value) else None


def released_sums(noisy: NoisySums, cells: Sequence[str]) -> tuple[Mapping[str, object], ...]:
    """N, Σa, Σ(a²−½), Σb, Σab of each cell, and the standard deviation of the noise in each."""
    names = ("n", "a", "aa", "b", "ab", "deviation")
    columns = np.column_stack([noisy.sums / UNIT, noisy.deviation])
    return tuple(
        {"cell": cell, **dict(zip(names, map(known, row), strict=True))}
        for cell, row in zip(cells, columns.tolist(), strict=True)
    )


def of_lines(
    lines: Lines, cells: Sequence[str], ranks: Sequence[Fraction], ends: tuple[RealRange, RealRange]
) -> tuple[CellEstimate, ...]:
    """Predictions at each rank and slopes of private lines, in units of x and y, cell by cell."""
    x, y = ends
    half = float(y.high - y.low) / 2
    steep = 2 * half / float(x.high - x.low)
    found: list[tuple[float | str, Floats, Floats]] = []
    for rank in ranks:
        made = lines.predictions(2 * float(rank) - 1)
        found.append((float(rank), float(y.low) + half * (made.value + 1), half * made.error))
    slopes = lines.slopes()
    found.append((SLOPE.name, steep * slopes.value, steep * slopes.error))
    return tuple(
        CellEstimate(
            cell,
            rank,
            known(value[i]),
            known(error[i]),
            round(float(lines.count[i])),
            OK if np.isfinite(value[i]) else NO_ESTIMATE,
        )
        for i, cell in enumerate(cells)
        for rank, value, error in found
    )
