"""Charts: the places of marks, in per cent of their room; `charts.html.j2` draws them.

Labels and numbers are HTML text around the marks, so that nothing depends on letter widths and one
drawing serves screen, phone and paper.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import ceil, copysign, floor, isfinite, log10
from statistics import median
from typing import ClassVar

from leeward.core.exact import number_text
from leeward.core.show.interpretation import OPEN
from leeward.core.show.numbers import NO_MARGIN, Ends, amount_left, count, reach, tick

MOST_PARTS = 12
"""Maximum number of parts of a budget; of more, the first are added up."""

PART_LOOKS = ("past", "bar")
"""Looks of neighbouring parts in turn; they differ in grey too."""

MOST_TICKS, TICK_LETTERS = 7, 40
"""Maximum number of steps of an axis, and of letters that its numbers and the gaps between them
take: a phone has room for these."""

LEAST_TICKS = 3
"""Minimum number of numbers of an axis."""

STEPS = (*range(MOST_TICKS, 0, -1), 10)
"""Numbers of steps of an axis to try; between ten steps at most there are at least four numbers."""

SHORT = 12
"""Maximum length of labels beside which bars take all of the room that is left."""

LEAST_SPAN = 1e-300
"""Values that are less apart have no place of their own on an axis: its steps would be 0."""

SEEN = 0.005
"""Share of its peak below which a curve is not drawn."""

MOST_TOOLTIPS = 400
"""Maximum number of dots with a tooltip each."""

MOST_NAMES = 8
"""Maximum number of names below a trend; of more points every second, third, … is named."""

SPREAD = 30
"""Ratio of the largest to the median value from which a scatter plot is logarithmic."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Tick:
    """A number of an axis, and its place in per cent."""

    at: float
    text: str

    @property
    def anchor(self) -> str:
        """The text anchor that keeps the number between the ends of the axis."""
        return "start" if self.at < 3 else "end" if self.at > 97 else "middle"


@dataclass(frozen=True)
class AxisScale:
    """The two ends of an axis."""

    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float], *, zero: bool = True, air: float = 0.0) -> "AxisScale":
        """The scale that shows these values, and zero; `air` is a share of it beside both ends."""
        seen = [float(value) for value in values] + ([0.0] if zero else [])
        low, high = min(seen), max(seen)
        if high - low <= LEAST_SPAN:
            step = max(1.0, abs(high) / 10**6)  # a step of 1 is lost beside a very large value
            low, high = low if zero else low - step, high + step
        beside = air * (high - low)
        return cls(low - beside, high + beside).grown()

    def grown(self) -> "AxisScale":
        """The scale, or a larger one around it on which three numbers have room."""
        scale = self
        while len(scale.ticks) < LEAST_TICKS or _letters(scale.ticks) > TICK_LETTERS:
            half = (scale.high - scale.low) / 2
            scale = AxisScale(scale.low - half, scale.high + half)
        return scale

    def at(self, value: float) -> float:
        """The place of a value in per cent."""
        return round(100 * (value - self.low) / (self.high - self.low), 2)

    @property
    def ticks(self) -> tuple[Tick, ...]:
        """Round numbers, as many as have room, at least three; whole ones where these suffice."""
        steps = [round_ticks(self.low, self.high, most) for most in STEPS]
        whole = fitting([self._ticks(v for v in few if v == int(v)) for few in steps])
        parts = reversed(steps)  # as few as suffice
        return whole if len(whole) >= LEAST_TICKS else fitting([*map(self._ticks, parts)])

    def _ticks(self, values: Iterable[float]) -> tuple[Tick, ...]:
        return tuple(Tick(self.at(one), text) for one, text in named(values))


def named(values: Iterable[float]) -> list[tuple[float, str]]:
    """Numbers of an axis with their texts, which have all digits where short ones are alike."""
    found = list(values)
    texts = [tick(one) for one in found]
    if len(set(texts)) < len(texts):
        texts = [f"{one:,.15g}".replace("-", "−") for one in found]
    return list(zip(found, texts, strict=True))


def fitting(found: Sequence[tuple[Tick, ...]], letters: int = TICK_LETTERS) -> tuple[Tick, ...]:
    """The first choice of numbers that has room and at least three; else every second of one.

    Where nothing has room, the shortest that has three.
    """
    thinned = [few[start::2] for few in found for start in (0, 1)]
    enough = [few for few in (*found, *thinned) if len(few) >= LEAST_TICKS]
    fits = (few for few in enough if _letters(few) <= letters)
    return next(fits, min(enough, key=_letters, default=max(found, key=len)))


def _letters(ticks: tuple[Tick, ...]) -> int:
    """The letters that numbers and the gaps between them take."""
    return sum(len(one.text) + 3 for one in ticks)


def round_ticks(low: float, high: float, most: int) -> tuple[float, ...]:
    """Multiples of 1, 2 or 5 times a power of ten, with at most `most` steps between them."""
    rough = (high - low) / most
    power = floor(log10(rough))
    step = next(digit for digit in (1, 2, 5, 10) if float(f"{digit}e{power}") >= rough)
    unit = float(f"{step}e{power}")
    return tuple(
        round(n * unit, max(0, -power)) for n in range(ceil(low / unit), floor(high / unit) + 1)
    )


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
        """The look of the bar."""
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
    scale = _scale(values)
    return [
        replace(_span(value or 0, ends, scale), open=reaches_zero(value or 0, ends, signed=signed))
        for value, ends in values
    ]


def _scale(values: Iterable[tuple[int | None, Ends | None]]) -> AxisScale:
    marks = (mark for value, ends in values for mark in (value, *(ends or ())))
    return AxisScale.of(mark for mark in marks if mark is not None)


def _span(value: int, ends: Ends | None, scale: AxisScale) -> Span:
    zero, end = scale.at(0), scale.at(value)
    low, high = (None if one is None else scale.at(one) for one in ends or (None, None))
    if low is not None and high is not None and low >= high:
        low = high = None
    return Span(min(zero, end), round(abs(end - zero), 2), low, high, zero, value < 0)


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
        Couple(label, (one, two), (scale.at(100 * one), scale.at(100 * two)))
        for label, one, two in items
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
        """The range as text."""
        if self.low == self.high:
            return count(self.low)
        between = " to " if self.low < 0 else "–"
        return f"{count(self.low)}{between}{count(self.high)}"


def histogram(bins: Sequence[Bin], *, title: str, x: str, y: str = "Cells") -> Bars:
    """One bar for each bin."""
    return bars([ChartBar(one.label, one.count) for one in bins], title=title, head=x, unit=y)


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
    spent = _joined(parts)
    amounts = [max(one.amount, Fraction(0)) for one in (*spent, BudgetPart("Left", left))]
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


def _joined(parts: Sequence[BudgetPart]) -> Sequence[BudgetPart]:
    if len(parts) <= MOST_PARTS:
        return parts
    early = parts[: len(parts) - MOST_PARTS + 1]
    total = sum((part.amount for part in early), Fraction(0))
    return [BudgetPart(f"{len(early)} earlier", total), *parts[len(early) :]]


@dataclass(frozen=True)
class Band:
    """A true size, the curve of published numbers, and the interval of nine in ten of them."""

    label: str
    true: int
    low: int
    high: int
    curve: Sequence[Point]

    @property
    def interval(self) -> str:
        """The interval as text."""
        return f"nine times in ten between {count(self.low)} and {count(self.high)}"

    @property
    def seen(self) -> Sequence[Point]:
        """The visible part of the curve, scaled to the height 1."""
        usable = [(x, y) for x, y in self.curve if isfinite(x) and isfinite(y) and y > 0]
        peak = max((y for _, y in usable), default=1.0)
        return sorted((x, y / peak) for x, y in usable if y >= SEEN * peak)


@dataclass(frozen=True)
class Hill:
    """A band as it is drawn: polygons in a box of 1000 by 100, and places in per cent."""

    band: Band
    whole: str
    core: str
    edge: str
    true: Tick
    ticks: tuple[Tick, ...]


@dataclass(frozen=True)
class Curves:
    """Distributions of published numbers, one below the other."""

    kind: ClassVar = "curves"

    title: str
    hills: tuple[Hill, ...]


def curves(bands: Sequence[Band], *, title: str) -> Curves:
    """One curve for each band, each on its own scale."""
    return Curves(title, tuple(_hill(band) for band in bands))


def _hill(band: Band) -> Hill:
    curve = band.seen
    shown = [*(x for x, _ in curve), band.true, band.low, band.high]
    scale = AxisScale.of(shown, zero=False)
    inner = _between(curve, band.low, band.high)
    true = Tick(scale.at(band.true), f"true size {count(band.true)}")
    return Hill(
        band, _area(curve, scale), _area(inner, scale), _points(curve, scale), true, scale.ticks
    )


def _area(curve: Sequence[Point], scale: AxisScale) -> str:
    if len(curve) < 2:
        return ""
    return _points([(curve[0][0], 0.0), *curve, (curve[-1][0], 0.0)], scale)


def _points(curve: Sequence[Point], scale: AxisScale) -> str:
    return " ".join(f"{10 * scale.at(x):.1f},{100 - 100 * y:.1f}" for x, y in curve)


def _between(curve: Sequence[Point], low: float, high: float) -> Sequence[Point]:
    """The curve from low to high, with points of its own at both ends."""
    ends = [(end, up) for end in (low, high) for up in _height(curve, end)]
    return sorted([*ends, *((x, y) for x, y in curve if low < x < high)])


def _height(curve: Sequence[Point], at: float) -> Iterator[float]:
    """The height of the curve at a place; nothing beyond its ends."""
    for (start, up), (end, down) in pairwise(curve):
        if start <= at <= end and start < end:
            yield up + (down - up) * (at - start) / (end - start)
            return


@dataclass(frozen=True)
class Dot:
    """A pair of numbers; marked ones have another shape and colour."""

    x: float
    y: float
    marked: bool = False
    label: str = ""


@dataclass(frozen=True)
class DotChart:
    """Dots in per cent of a square whose two axes have one scale."""

    kind: ClassVar = "scatter"

    title: str
    x: str
    y: str
    dots: tuple[Dot, ...]
    ticks: tuple[Tick, ...]
    log: bool

    @property
    def description(self) -> str:
        """The chart in a sentence."""
        marked = sum(dot.marked for dot in self.dots)
        return (
            f"Across: {self.x}. Upwards: {self.y}. {len(self.dots)} dots, {marked} of them marked."
        )


def scatter(dots: Sequence[Dot], *, title: str, x: str, y: str) -> DotChart:
    """The dots on axes of one scale; it is logarithmic far from zero where values need it."""
    values = [value for dot in dots for value in (dot.x, dot.y)] or [0.0]
    sizes = [abs(value) for value in values]
    log = max(sizes) >= 1000 and max(sizes) > SPREAD * (1 + median(sizes))
    shown = map(bent, values) if log else values
    scale = AxisScale.of(shown, zero=log, air=0.03)
    drawn = tuple(_placed(dot, scale, log=log, tooltip=len(dots) <= MOST_TOOLTIPS) for dot in dots)
    return DotChart(title, x, y, drawn, _log_ticks(scale) if log else scale.ticks, log)


def _placed(dot: Dot, scale: AxisScale, *, log: bool, tooltip: bool) -> Dot:
    x, y = (scale.at(bent(value) if log else value) for value in (dot.x, dot.y))
    return Dot(x, round(100 - y, 2), dot.marked, dot.label if tooltip else "")


def bent(value: float) -> float:
    """A value on the logarithmic scale: linear near zero, logarithmic on both sides of it."""
    return copysign(log10(1 + abs(value)), value)


def _log_ticks(scale: AxisScale) -> tuple[Tick, ...]:
    """Zero and powers of ten, so few that their numbers do not touch, and at least three."""
    step = ceil((scale.high - scale.low) / 5)
    found = (_powers(scale, fewer) for fewer in range(step, 0, -1))
    return next((few for few in found if len(few) >= LEAST_TICKS), _powers(scale, 1))


def _powers(scale: AxisScale, step: int) -> tuple[Tick, ...]:
    """Zero and every `step`-th power of ten on both sides."""
    last = ceil(max(abs(scale.low), abs(scale.high)))
    powers = range(step, last + 1, step)
    values = [0.0, *(sign * 10.0**power for power in powers for sign in (1, -1))]
    return tuple(
        Tick(scale.at(bent(one)), tick(one)) for one in values if 0 <= scale.at(bent(one)) <= 100
    )


@dataclass(frozen=True)
class TrendMark:
    """A point of a trend in per cent; `low` and `high` are the ends of its line, the upper second.

    An end that is not `known` is out of sight. Few names have room below the points.
    """

    bar: ChartBar
    at: float
    up: float
    low: float
    high: float
    known: tuple[bool, bool]
    named: bool

    @property
    def ends(self) -> tuple[float, ...]:
        """Where the line has a cap."""
        places = zip((self.low, self.high), self.known, strict=True)
        return tuple(place for place, known in places if known)


@dataclass(frozen=True)
class Trend:
    """Numbers over time as points with the lines of their intervals; zero need not be in sight."""

    kind: ClassVar = "trend"

    title: str
    unit: str
    marks: tuple[TrendMark, ...]
    ticks: tuple[Tick, ...]

    @property
    def links(self) -> Iterator[tuple[TrendMark, TrendMark]]:
        """Neighbouring points."""
        return pairwise(self.marks)

    @property
    def description(self) -> str:
        """The numbers as text."""
        return "; ".join(f"{one.bar.label}: {count(one.bar.value)}" for one in self.marks)


def trend(items: Sequence[ChartBar], *, title: str, unit: str) -> Trend:
    """Points in the given order, at equal distances."""
    marks = (mark for item in items for mark in (item.value, *(item.ends or ())))
    scale = AxisScale.of((one for one in marks if one is not None), zero=not items, air=0.05)
    every = ceil(len(items) / MOST_NAMES)
    drawn = [
        _mark(item, scale, round(100 * (at + 0.5) / len(items), 2), named=at % every == 0)
        for at, item in enumerate(items)
    ]
    return Trend(title, unit, tuple(drawn), scale.ticks)


def _mark(item: ChartBar, scale: AxisScale, at: float, *, named: bool) -> TrendMark:
    up = round(100 - scale.at(item.value), 2)
    if item.ends is None:
        return TrendMark(item, at, up, up, up, (False, False), named)
    known = (item.ends[0] is not None, item.ends[1] is not None)
    places = (
        (scale.low if item.ends[0] is None else item.ends[0]),
        (scale.high if item.ends[1] is None else item.ends[1]),
    )
    low, high = (round(100 - scale.at(one), 2) for one in places)
    return TrendMark(item, at, up, low, high, known, named)
