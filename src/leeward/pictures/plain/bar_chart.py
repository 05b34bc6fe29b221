"""Bar chart: ranked numbers with their margins, and the parts of a budget."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from leeward.pictures.picture import Picture
from leeward.pictures.plain.elements import (
    WIDE,
    Key,
    Ruler,
    at_most,
    box,
    checked,
    empty,
    finished,
    keys,
    path,
    ruler,
    stroke,
    words,
)
from leeward.pictures.plain.text import exact, full, round_number
from leeward.pictures.plain.text import width as wide

MOST_BARS = 40
TOP, GAP = 22.0, 14.0
MOST_PARTS = 12
STACK_TOP, STACK_HIGH = 1.0, 26.0
PART_LOOKS = ("past", "bar")
"""Looks of neighbouring parts in turn; they differ in grey too."""


@dataclass(frozen=True)
class Bar:
    """A number with its label and its margin."""

    label: str
    value: int
    margin: int | None = None
    note: str = ""

    @property
    def reach(self) -> tuple[int, int]:
        """The ends of its whisker."""
        margin = abs(self.margin or 0)
        return self.value - margin, self.value + margin

    @property
    def text(self) -> str:
        """The number as words."""
        return full(self.value) + ("" if self.margin is None else f" {self.more}")

    @property
    def more(self) -> str:
        """The margin as words."""
        return "" if self.margin is None else f"± {full(self.margin)}"


@dataclass(frozen=True)
class BarLayout:
    """The places of the columns and rows of a bar chart."""

    label: float
    values: float
    margins: float
    tops: tuple[float, ...]
    ruler: Ruler

    @property
    def foot(self) -> float:
        """Under the last bar."""
        return self.tops[-1]

    @property
    def beside(self) -> bool:
        """Whether bars are beside their labels, not under them."""
        return self.ruler.start > self.label


@dataclass(frozen=True)
class Part:
    """An amount of ε with its label."""

    label: str
    amount: Fraction

    @property
    def text(self) -> str:
        """The label with its number."""
        return f"{self.label}: {exact(self.amount)}"


def bars(items: Sequence[Bar], *, title: str, unit: str = "jobs", width: int = 680) -> Picture:
    """Bars in the given order; those below zero go to the left of the zero line."""
    checked(width)
    at_most(MOST_BARS, len(items), "bars")
    if not items:
        return empty(title, width)
    layout = _layout(items, width)
    parts = [
        *_frame(items, layout, unit),
        *(
            part
            for item, top in zip(items, layout.tops, strict=False)
            for part in (*_words(item, layout, top), *_bar(item, layout, top))
        ),
        _rule(items, layout, 0, "line"),
    ]
    size, described = (width, layout.foot + 20), _description(items, unit)
    return finished(parts, size, title=title, description=described)


def _layout(items: Sequence[Bar], width: int) -> BarLayout:
    margin = max(wide(item.more) for item in items)
    column = width - margin - (7 if margin else 0)
    left = column - max(wide(full(item.value)) for item in items) - GAP
    beside = width >= WIDE
    named = max(max(wide(item.label), wide(item.note, 11)) for item in items) + 1
    label = min(named, 0.36 * width) if beside else left
    start, end = (label + GAP, left) if beside else (1.0, width - 1.0)
    tops = [TOP]
    for item in items:
        tops.append(tops[-1] + (24 if beside else 36) + (13 if item.note else 0))
    shown = ruler((one for item in items for one in item.reach), start, end)
    return BarLayout(label, column, width, tuple(tops), shown)


def _frame(items: Sequence[Bar], layout: BarLayout, unit: str) -> Iterator[str]:
    """The grid with its numbers, and the unit over the column of numbers."""
    texts = {tick: round_number(tick) for tick in layout.ruler.scale.ticks}
    for tick, at in layout.ruler.written(texts, layout.margins):
        yield _rule(items, layout, tick, "grid")
        yield words(texts[tick], (at, layout.foot + 14), "soft", anchor="middle")
    yield words(unit, (layout.values, 12), "soft", anchor="end", room=layout.values / 2)


def _rule(items: Sequence[Bar], layout: BarLayout, value: float, look: str) -> str:
    """A vertical line through all bars; through each bar alone if labels are between them."""
    x = layout.ruler.at(value)
    if layout.beside:
        return path(stroke((x, TOP - 4), (x, layout.foot)), look)
    spans = (_span(item, layout, top) for item, top in zip(items, layout.tops, strict=False))
    return path("".join(stroke((x, y - 3), (x, y + high + 3)) for y, high in spans), look)


def _words(item: Bar, layout: BarLayout, top: float) -> Iterator[str]:
    yield words(item.label, (0, top + 14), room=layout.label)
    if item.note:
        yield words(item.note, (0, top + 27), "soft", room=layout.label)
    yield words(full(item.value), (layout.values, top + 14), "number", anchor="end")
    if item.more:
        yield words(item.more, (layout.margins, top + 14), "number", anchor="end")


def _span(item: Bar, layout: BarLayout, top: float) -> tuple[float, float]:
    """The top of a bar and its thickness."""
    if layout.beside:
        return top + 4, 12.0
    return top + 20 + (13 if item.note else 0), 9.0


def _bar(item: Bar, layout: BarLayout, top: float) -> Iterator[str]:
    along = layout.ruler
    y, high = _span(item, layout, top)
    start, end = sorted((along.at(0), along.at(item.value)))
    look = "less" if item.value < 0 else "bar"
    yield box((start, y, end - start, high), look, tooltip=f"{item.label}: {item.text}")
    if item.margin:
        low, most = (along.at(one) for one in item.reach)
        middle, cap = y + high / 2, high / 4
        caps = "".join(stroke((x, middle - cap), (x, middle + cap)) for x in (low, most))
        yield path(stroke((low, middle), (most, middle)) + caps, "whisker")


def _description(items: Sequence[Bar], unit: str) -> str:
    first, last = items[0], items[-1]
    ends = f"the first, {first.label}: {first.text} {unit}"
    if len(items) > 1:
        ends += f"; the last, {last.label}: {last.text} {unit}"
    return f"Bars, {len(items)} of them; {ends}."


def budget(
    before: Fraction, now: Fraction, left: Fraction, *, title: str, width: int = 680
) -> Picture:
    """The ε of earlier releases, of this one, and the rest."""
    parts = [Part("Spent before", before), Part("This release", now)]
    return budget_parts(parts, left, title=title, width=width)


def budget_parts(parts: Sequence[Part], left: Fraction, *, title: str, width: int = 680) -> Picture:
    """The parts in their order, and the rest; of too many, the first are added up."""
    checked(width)
    spent, rest = _joined(parts), Part("Left", left)
    listed = [Key(_look(at), part.label, exact(part.amount)) for at, part in enumerate(spent)]
    drawn, foot = keys(
        [*listed, Key("left", rest.label, exact(left))], STACK_TOP + STACK_HIGH + 22, width
    )
    described = "; ".join(part.text for part in (*spent, rest))
    return finished(
        [*_stack(spent, left, width), *drawn],
        (width, foot + 8),
        title=title,
        description=f"Epsilon. {described}.",
    )


def _look(at: int) -> str:
    return PART_LOOKS[at % len(PART_LOOKS)]


def _joined(parts: Sequence[Part]) -> Sequence[Part]:
    if len(parts) <= MOST_PARTS:
        return parts
    early = parts[: len(parts) - MOST_PARTS + 1]
    total = sum((part.amount for part in early), Fraction(0))
    return [Part(f"{len(early)} earlier", total), *parts[len(early) :]]


def _stack(spent: Sequence[Part], left: Fraction, width: int) -> Iterator[str]:
    """The stacked bar in its outline; amounts of zero and below take no room."""
    amounts = [max(part.amount, Fraction(0)) for part in spent]
    total = sum(amounts, max(left, Fraction(0))) or Fraction(1)
    yield box((0.5, STACK_TOP, width - 1, STACK_HIGH), "left", tooltip=Part("Left", left).text)
    start = Fraction(0)
    for at, (part, amount) in enumerate(zip(spent, amounts, strict=True)):
        if amount:
            x, long = (float(one / total) * (width - 1) for one in (start, amount))
            yield box(
                (0.5 + x, STACK_TOP, max(long, 1.0), STACK_HIGH), _look(at), tooltip=part.text
            )
        start += amount
