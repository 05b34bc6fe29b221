"""Axis: one direction of a chart, and the scale that places values on it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10

from leeward.core.show.charts import LEAST_TICKS, round_ticks


@dataclass(frozen=True)
class Scale:
    """Where values lie between the ends of an axis, as shares of its length."""

    low: float
    high: float
    log: bool
    ticks: tuple[float, ...]

    def share(self, value: float) -> float:
        """0 at the low end, 1 at the high end; beyond them for values that lie beyond."""
        low, high, at = (self._even(one) for one in (self.low, self.high, value))
        return (at - low) / (high - low)

    def value(self, share: float) -> float:
        """The value that lies at a share of the axis."""
        low, high = self._even(self.low), self._even(self.high)
        at = low + share * (high - low)
        return float(10**at) if self.log else at

    def _even(self, value: float) -> float:
        return log10(value) if self.log else value


@dataclass(frozen=True)
class Axis:
    """The column that an axis shows, under which title; ticks are round where fewer than three
    of the given ones are in sight.

    The scale shows `reaches` whatever the values are, and leaves `margin` free at both ends, as a
    share of what it shows.
    """

    column: str
    title: str
    log: bool = False
    ticks: tuple[float, ...] = ()
    reaches: tuple[float, ...] = ()
    margin: float = 0.04

    def drawable(self, value: object) -> float | None:
        """A value that the axis can place; None for what is missing, infinite or has no log."""
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return None
        place = float(value)
        return place if isfinite(place) and (place > 0 or not self.log) else None

    def scale(self, values: Iterable[float]) -> Scale:
        """The scale that shows all values, with a margin."""
        low, high = self._ends([*values, *self.reaches])
        bare = Scale(low, high, self.log, ())
        low, high = bare.value(-self.margin), bare.value(1 + self.margin)
        round_ones = _log_ticks(low, high) if self.log else ()
        choices = (self.ticks, *round_ones, *(round_ticks(low, high, most) for most in (7, 10)))
        seen = [tuple(at for at in ticks if low <= at <= high) for ticks in choices]
        ticks = next(found for found in seen if len(found) >= LEAST_TICKS)
        return Scale(low, high, self.log, ticks)

    def _ends(self, values: list[float]) -> tuple[float, float]:
        low, high = (min(values), max(values)) if values else (1.0, 1.0)
        if self.log:
            return (low, high) if high > low * 1.2 else (low / 2, high * 2)
        return (low, high) if high - low > 1e-3 else (low - 0.05, high + 0.05)


def _log_ticks(low: float, high: float) -> Iterator[tuple[float, ...]]:
    """Powers of ten, with 2 and 5 between them where there is room; then in any case with them."""
    first, last = floor(log10(low)), ceil(log10(high))
    step = max(1, ceil((last - first) / 7))
    first = floor(first / step) * step  # so that 1 is among them
    for between in ((1,), (1, 2, 5)) if log10(high / low) > 2.2 else ((1, 2, 5),):
        powers = range(first, last + 1, step)
        yield tuple(float(f"{digit}e{power}") for power in powers for digit in between)
