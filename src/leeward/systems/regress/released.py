"""Released: the numbers of a regression that have noise. All lines follow from them at no cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from leeward.core.mechanisms.moments import SUMS, UNIT, NoisySums
from leeward.core.mechanisms.theil_sen import FEWEST
from leeward.core.noise.scales import Integers
from leeward.core.noise.tabulated import Floats
from leeward.systems.regress.cell_lines import Lines, MedianLines, MomentLines
from leeward.systems.regress.setting import PublicSetting

NAMES = ("n", "a", "aa", "b", "ab")


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
    """N, Σa, Σ(a²−½), Σb, Σab of each cell, and the standard deviation of the noise in each."""

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
