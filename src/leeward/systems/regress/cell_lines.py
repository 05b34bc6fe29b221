"""Lines of cells, computed from released numbers alone: predictions, slopes, standard errors.

Released are the numbers that have noise; all lines follow from them at no cost.

All numbers here are those of a and b, which are x and y moved to [−1, 1].
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from leeward.core.mechanisms.moments import LATTICE, SUMS, UNIT, NoisySums
from leeward.core.mechanisms.theil_sen import FEWEST
from leeward.core.noise.scales import Integers
from leeward.core.noise.tabulated import Floats
from leeward.systems.regress.setting import PublicSetting

NAMES = ("n", "a", "aa", "b", "ab")
"""The sums of a cell: N, Σa, Σ(a²−½), Σb, Σab."""

STEEPEST = 2.0
"""Slopes beyond this, in either direction, are moved to it: a public rule."""


@dataclass(frozen=True, eq=False)
class Estimates:
    """One estimate a cell with its standard error; nan where there is none."""

    value: Floats
    error: Floats


class Lines(Protocol):
    """A line for each cell."""

    @property
    def count(self) -> Floats:
        """The released number of rows of each cell."""

    def predictions(self, at: float) -> Estimates:
        """b on the line at a; it is moved into [−1, 1]."""

    def slopes(self) -> Estimates:
        """The slopes of the lines; they are moved into [−2, 2]."""


@dataclass(frozen=True, eq=False)
class MomentLines:
    """Least squares of noisy sums.

    With means ā, b̄ of n rows, V = Σ(a²−½) + n/2 − n·ā² and C = Σab − n·ā·b̄, the slope is s = C/V
    and the prediction at a is b̄ + s(a−ā). There is none where n or V is at most the standard
    deviation of its noise.

    The variance has two parts. The noise of the five sums has the same variance each and no
    covariance, so to first order it adds that variance times the squared derivatives. Sampling adds
    R/V for the slope and R(1/n + (a−ā)²/V) for a prediction. Σb² is not released, so R is the
    largest variance around the line that b in [−1, 1] can have, 1 − b̄² − s²V/n, or `scatter`², a
    number known from elsewhere, if that is less.
    """

    count: Floats
    mean_a: Floats
    mean_b: Floats
    spread: Floats
    slope: Floats
    noise: Floats
    scatter: float = inf

    @classmethod
    def of(cls, noisy: NoisySums, scatter: float = inf) -> "MomentLines":
        """Lines of what a mechanism has released."""
        n, a, square, b, product = noisy.sums.T / UNIT
        with np.errstate(all="ignore"):
            mean_a, mean_b = a / n, b / n
            spread = square + n / 2 - n * mean_a**2
            slope = (product - n * mean_a * mean_b) / spread
            least = noisy.deviation * np.sqrt((0.5 + mean_a**2) ** 2 + 4 * mean_a**2 + 1)
            known = (n > noisy.deviation) & (n >= 2) & (spread > least)
        line = np.where(known, slope, np.nan)
        return cls(n, mean_a, mean_b, spread, line, noisy.deviation, scatter)

    def slopes(self) -> Estimates:
        error = np.hypot(
            self.noise * _length(self._slope_changes()), self._sampled(1 / self.spread)
        )
        return Estimates(np.clip(self.slope, -STEEPEST, STEEPEST), error)

    def predictions(self, at: float) -> Estimates:
        value, away, n = self.mean_b + self.slope * (at - self.mean_a), at - self.mean_a, self.count
        changes = away * self._slope_changes()
        changes += np.stack(
            [(self.slope * self.mean_a - self.mean_b) / n, -self.slope / n, 0 * n, 1 / n, 0 * n]
        )
        error = np.hypot(
            self.noise * _length(changes), self._sampled(1 / n + away**2 / self.spread)
        )
        return Estimates(np.clip(value, -1.0, 1.0), error)

    def _slope_changes(self) -> Floats:
        """The derivatives of the slope by the five sums."""
        a, b, s = self.mean_a, self.mean_b, self.slope
        parts = (a * b - s * (0.5 + a**2), 2 * s * a - b, -s, -a, np.ones_like(a))
        changes: Floats = np.stack(parts) / self.spread
        return changes

    def _sampled(self, share: Floats) -> Floats:
        rest = 1 - self.mean_b**2 - self.slope**2 * self.spread / self.count
        return np.sqrt(np.clip(rest, 0, self.scatter**2) * share)


def _length(changes: Floats) -> Floats:
    return np.asarray(np.sqrt((changes**2).sum(axis=0)))


@dataclass(frozen=True, eq=False)
class MedianLines:
    """Lines through two selected points, at a = −½ and a = ½.

    How far the pairs of rows scatter is not released, so there is no standard error.
    """

    count: Floats
    first: Floats
    last: Floats

    @classmethod
    def of(cls, points: Integers, counts: Integers, known: NDArray[np.bool_]) -> "MedianLines":
        """Lines of lattice points (cells, 2); there is none where not `known`."""
        first, last = np.where(known, points.T / LATTICE, np.nan)
        return cls(counts.astype(np.float64), first, last)

    def slopes(self) -> Estimates:
        return self._without_error(np.clip(self.last - self.first, -STEEPEST, STEEPEST))

    def predictions(self, at: float) -> Estimates:
        middle, slope = (self.first + self.last) / 2, self.last - self.first
        return self._without_error(np.clip(middle + slope * at, -1.0, 1.0))

    def _without_error(self, value: Floats) -> Estimates:
        return Estimates(value, np.full_like(value, np.nan))


class ReleasedNumbers(Protocol):
    """What a private method has released of every cell."""

    @property
    def cells(self) -> tuple[str, ...]:
        """The codes of the cells."""

    def lines(self, setting: PublicSetting) -> Lines:
        """The line of each cell."""

    def as_json(self) -> dict[str, object]:
        """Plain values, nothing rounded."""


@dataclass(frozen=True, eq=False)
class ReleasedSums:
    """The five sums of each cell, and the standard deviation of the noise in each."""

    cells: tuple[str, ...]
    noisy: NoisySums

    def lines(self, setting: PublicSetting) -> Lines:
        """Least squares."""
        return MomentLines.of(self.noisy, setting.relative_scatter)

    def as_json(self) -> dict[str, object]:
        """A mapping for each cell."""
        columns = np.column_stack([self.noisy.sums / UNIT, self.noisy.deviation]).tolist()
        rows = (dict(zip((*NAMES, "deviation"), row, strict=True)) for row in columns)
        return {"sums": [{"cell": cell, **row} for cell, row in zip(self.cells, rows, strict=True)]}

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> "ReleasedSums":
        """From plain values: sums are whole in their unit."""
        rows: Sequence[Mapping[str, Any]] = told["sums"]
        sums: Integers = np.array(
            [[round(row[name] * UNIT) for name in NAMES] for row in rows], dtype=np.int64
        ).reshape(-1, SUMS)
        deviation: Floats = np.array([row["deviation"] for row in rows], dtype=np.float64)
        return cls(tuple(row["cell"] for row in rows), NoisySums(sums, deviation))


@dataclass(frozen=True, eq=False)
class ReleasedMedians:
    """Two lattice points of each cell; its count is public, and below two there is no line."""

    cells: tuple[str, ...]
    points: Integers
    counts: Integers

    def lines(self, setting: PublicSetting) -> Lines:
        """Through both points."""
        return MedianLines.of(self.points, self.counts, self.counts >= FEWEST)

    def as_json(self) -> dict[str, object]:
        """A mapping for each cell."""
        rows = zip(self.cells, self.counts.tolist(), self.points.tolist(), strict=True)
        return {
            "medians": [
                {"cell": cell, "count": count, "first": first, "last": last}
                for cell, count, (first, last) in rows
            ]
        }

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> "ReleasedMedians":
        """From plain values."""
        rows: Sequence[Mapping[str, Any]] = told["medians"]
        points = np.array([(row["first"], row["last"]) for row in rows], dtype=np.int64)
        counts = np.array([row["count"] for row in rows], dtype=np.int64)
        return cls(tuple(row["cell"] for row in rows), points.reshape(-1, 2), counts)
