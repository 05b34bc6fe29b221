"""Charts: the places of marks, in per cent of their room; `charts.html.j2` draws them.

Labels and numbers are HTML text around the marks, so that nothing depends on letter widths and one
drawing serves screen, phone and paper.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from leeward.core.exact import number_text
from leeward.core.show.axes import AxisScale, Tick
from leeward.core.show.interpretation import OPEN
from leeward.core.show.numbers import NO_MARGIN, Ends, amount_left, count, reach

MOST_PARTS = 12
"""Maximum number of parts of a budget; of more, the first are added up."""


PART_LOOKS = ("past", "bar")
"""Looks of neighbouring parts in turn; they differ in grey too."""


SHORT = 12
"""Maximum length of labels beside which bars take all of the room that is left."""


@dataclass(frozen=True)
class Span:
    """A bar from zero with its whisker from `low` to `high`; one that is None is out of sight."""

    start: float
    length: float
    low: float | None
    high: float | None
    zero: float
    negative: bool
    open: bool = False
    """Whether the whisker reaches zero: the number is not distinguishable from it."""

    @property
    def look(self) -> str:
        return f"{'less' if self.negative else 'more'}{' open' if self.open else ''}"


def reaches_zero(value: int, ends: Ends | None, *, signed: bool = False) -> bool:
    """Whether the interval of a number reaches zero, or nothing bounds it on that side.

    A count below zero reaches it whatever its interval is; a signed number where that holds zero.
    """
    if ends is None:
        return False
    low, high = ends
    if signed and value < 0:
        return high is None or high >= 0
    return low is None or low <= 0


def spans(values: Sequence[tuple[int | None, Ends | None]], *, signed: bool = False) -> list[Span]:
    """The bars of values with the intervals around them, on one scale; no bar without a value."""
    scale, drawn = _scale(values), []
    for known, ends in values:
        value = known or 0
        zero, end = scale.at(0), scale.at(value)
        low, high = (None if mark is None else scale.at(mark) for mark in ends or (None, None))
        if low is not None and high is not None and low >= high:
            low = high = None
        begin, length = min(zero, end), round(abs(end - zero), 2)
        unsure = reaches_zero(value, ends, signed=signed)
        drawn.append(Span(begin, length, low, high, zero, value < 0, open=unsure))
    return drawn


def _scale(values: Iterable[tuple[int | None, Ends | None]]) -> AxisScale:
    marks = (mark for value, ends in values for mark in (value, *(ends or ())))
    return AxisScale.of(mark for mark in marks if mark is not None)


@dataclass(frozen=True)
class ChartBar:
    """A number with its label, the ends of its interval, and the ranks that it may have."""

    label: str
    value: int
    ends: Ends | None = None
    rank: str = ""

    @property
    def reach(self) -> str:
        """How far off the number may be, as text."""
        return NO_MARGIN if self.ends is None else reach(self.value, self.ends)


@dataclass(frozen=True)
class Bars:
    """Numbers as horizontal bars; `head` names the labels and `unit` the numbers."""

    kind: ClassVar = "bars"

    title: str
    head: str
    unit: str
    rows: tuple[tuple[ChartBar, Span], ...]
    ticks: tuple[Tick, ...]
    signed: bool = False
    """Whether numbers below zero are no less likely than those above, as of differences."""

    @property
    def margins(self) -> bool:
        """Whether any number has a margin."""
        return any(bar.ends is not None for bar, _ in self.rows)

    @property
    def ranked(self) -> bool:
        """Whether any number has ranks."""
        return any(bar.rank for bar, _ in self.rows)

    @property
    def open(self) -> str:
        """What a pale bar means, where there is one; else nothing."""
        meaning = "margin holds zero: up or down" if self.signed else OPEN
        return meaning if any(span.open for _, span in self.rows) else ""

    @property
    def short(self) -> bool:
        """Whether all labels are short."""
        return all(len(bar.label) <= SHORT for bar, _ in self.rows)


def bars(
    items: Sequence[ChartBar],
    *,
    title: str,
    head: str = "Cell",
    unit: str = "Jobs",
    signed: bool = False,
) -> Bars:
    """Bars in the given order; those below zero go to the left of the zero line."""
    values = [(item.value, item.ends) for item in items]
    ticks = _scale(values).ticks if items else ()
    drawn = spans(values, signed=signed)
    return Bars(title, head, unit, tuple(zip(items, drawn, strict=True)), ticks, signed)


@dataclass(frozen=True)
class Couple:
    """Two shares of the same thing with their label, and the lengths of their bars."""

    label: str
    shares: tuple[float, float]
    lengths: tuple[float, float]


@dataclass(frozen=True)
class Couples:
    """Shares of two wholes as bars one above the other; `names` are the names of the wholes."""

    kind: ClassVar = "couples"

    title: str
    head: str
    names: tuple[str, str]
    rows: tuple[Couple, ...]
    ticks: tuple[Tick, ...]

    @property
    def looks(self) -> tuple[tuple[str, str], ...]:
        """The look of the bars of each whole."""
        return tuple(zip(PART_LOOKS, self.names, strict=True))


def couples(
    items: Sequence[tuple[str, float, float]], *, title: str, head: str, names: tuple[str, str]
) -> Couples:
    """Shares from 0 to 1 in the given order; the axis is in per cent."""
    scale = AxisScale.of(100 * share for _, *both in items for share in both)
    rows = (
        Couple(label, (number, two), (scale.at(100 * number), scale.at(100 * two)))
        for label, number, two in items
    )
    return Couples(title, head, names, tuple(rows), scale.ticks)


@dataclass(frozen=True)
class Bin:
    """A range with both ends, and the number of cells in it."""

    low: int
    high: int
    count: int

    @property
    def label(self) -> str:
        if self.low == self.high:
            return count(self.low)
        between = " to " if self.low < 0 else "–"
        return f"{count(self.low)}{between}{count(self.high)}"


def histogram(bins: Sequence[Bin], *, title: str, x: str, y: str = "Cells") -> Bars:
    """One bar for each bin."""
    return bars([ChartBar(each.label, each.count) for each in bins], title=title, head=x, unit=y)


@dataclass(frozen=True)
class BudgetPart:
    """An amount of ε, or of ρ, with its label."""

    label: str
    amount: Fraction


@dataclass(frozen=True)
class Slice:
    """A part of a budget as it is drawn."""

    look: str
    label: str
    text: str
    start: float
    length: float


@dataclass(frozen=True)
class BudgetChart:
    """The parts of a budget and the rest, as one bar."""

    kind: ClassVar = "budget"

    title: str
    slices: tuple[Slice, ...]
    currency: str = "epsilon"

    @property
    def description(self) -> str:
        """The parts as text."""
        return "; ".join(f"{one.label}: {one.text}" for one in self.slices)


def budget(
    parts: Sequence[BudgetPart], left: Fraction, *, title: str, currency: str = "epsilon"
) -> BudgetChart:
    """The parts in their order, and the rest; amounts of zero and below take no room."""
    spent = list(parts)
    if len(parts) > MOST_PARTS:
        early, late = parts[: 1 - MOST_PARTS], parts[1 - MOST_PARTS :]
        total = sum((part.amount for part in early), Fraction(0))
        spent = [BudgetPart(f"{len(early)} earlier", total), *late]
    amounts = [
        max(budget_part.amount, Fraction(0)) for budget_part in (*spent, BudgetPart("Left", left))
    ]
    total = sum(amounts, Fraction(0)) or Fraction(1)
    starts = [sum(amounts[:at], Fraction(0)) for at in range(len(amounts))]
    places = [
        (round(float(100 * start / total), 2), round(float(100 * amount / total), 2))
        for start, amount in zip(starts, amounts, strict=True)
    ]
    slices = [
        Slice(PART_LOOKS[at % 2], part.label, number_text(part.amount), *places[at])
        for at, part in enumerate(spent)
    ]
    rest = Slice("left", "Left", amount_left(str(left)), *places[-1])
    return BudgetChart(title, (*slices, rest), currency)
