"""Setting: the public part of a regression, from which its lines are read off."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

from leeward.core.codebook import RealRange
from leeward.core.exact import positive


@dataclass(frozen=True)
class Columns:
    """The columns of the file by their names in the codebook."""

    x: str
    y: str
    by: str
    workplace: str | None = None


@dataclass(frozen=True)
class PublicSetting:
    """Columns, the ends of x and y, the ranks of predictions, and the scatter if it is known."""

    columns: Columns
    ends: tuple[RealRange, RealRange]
    ranks: tuple[str, ...]
    scatter: str | None = None

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """The ranks as exact numbers."""
        return tuple(map(Fraction, self.ranks))

    @property
    def relative_scatter(self) -> float:
        """The scatter as a part of half the range of y; infinite where it is not known."""
        if self.scatter is None:
            return inf
        low, high = self.ends[1].low, self.ends[1].high
        return float(2 * positive(self.scatter, "--scatter") / (high - low))

    def as_json(self) -> dict[str, object]:
        """Plain values; ends are exact."""
        x, y = ([str(end.low), str(end.high)] for end in self.ends)
        return {
            "columns": vars(self.columns),
            "ends": {"x": x, "y": y},
            "ranks": list(self.ranks),
            "scatter": self.scatter,
        }

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> "PublicSetting":
        """From plain values."""
        columns = Columns(**told["columns"])
        x, y = (
            RealRange(name, Fraction(low), Fraction(high))
            for name, (low, high) in (
                (columns.x, told["ends"]["x"]),
                (columns.y, told["ends"]["y"]),
            )
        )
        return cls(columns, (x, y), tuple(told["ranks"]), told["scatter"])
