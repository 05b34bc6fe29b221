"""Bar: ranked numbers as horizontal bars, each with its margin."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from leeward.pictures.picture import Picture
from leeward.pictures.plain.letters import width as wide
from leeward.pictures.plain.mark import box, path, stroke, words
from leeward.pictures.plain.number import full, round_number
from leeward.pictures.plain.ruler import Ruler, ruler
from leeward.pictures.plain.sheet import WIDE, at_most, checked, empty, finished

MOST = 40
TOP, GAP = 22.0, 14.0


@dataclass(frozen=True)
class Bar:
    """One number, what it is of, and how far the truth may lie from it."""

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
    def told(self) -> str:
        """The number as words."""
        return full(self.value) + ("" if self.margin is None else f" {self.more}")

    @property
    def more(self) -> str:
        """The margin as words."""
        return "" if self.margin is None else f"± {full(self.margin)}"


@dataclass(frozen=True)
class Layout:
    """Where the columns and rows of a chart of bars lie."""

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
        """Whether bars stand beside their labels, not under them."""
        return self.ruler.start > self.label


def bars(items: Sequence[Bar], *, title: str, unit: str = "jobs", width: int = 680) -> Picture:
    """Bars from left to right in the order given; those below zero go to the left of the line."""
    checked(width)
    at_most(MOST, len(items), "bars")
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
    size, told = (width, layout.foot + 20), _description(items, unit)
    return finished(parts, size, title=title, description=told)


def _layout(items: Sequence[Bar], width: int) -> Layout:
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
    return Layout(label, column, width, tuple(tops), shown)


def _frame(items: Sequence[Bar], layout: Layout, unit: str) -> Iterator[str]:
    """The grid with its numbers, and the unit over the column of numbers."""
    texts = {tick: round_number(tick) for tick in layout.ruler.scale.ticks}
    for tick, at in layout.ruler.written(texts, layout.margins):
        yield _rule(items, layout, tick, "grid")
        yield words(texts[tick], (at, layout.foot + 14), "soft", anchor="middle")
    yield words(unit, (layout.values, 12), "soft", anchor="end", room=layout.values / 2)


def _rule(items: Sequence[Bar], layout: Layout, value: float, look: str) -> str:
    """A line down through all bars; where labels stand between them, through each bar."""
    x = layout.ruler.at(value)
    if layout.beside:
        return path(stroke((x, TOP - 4), (x, layout.foot)), look)
    spans = (_span(item, layout, top) for item, top in zip(items, layout.tops, strict=False))
    return path("".join(stroke((x, y - 3), (x, y + high + 3)) for y, high in spans), look)


def _words(item: Bar, layout: Layout, top: float) -> Iterator[str]:
    yield words(item.label, (0, top + 14), room=layout.label)
    if item.note:
        yield words(item.note, (0, top + 27), "soft", room=layout.label)
    yield words(full(item.value), (layout.values, top + 14), "number", anchor="end")
    if item.more:
        yield words(item.more, (layout.margins, top + 14), "number", anchor="end")


def _span(item: Bar, layout: Layout, top: float) -> tuple[float, float]:
    """The top of a bar and its thickness."""
    if layout.beside:
        return top + 4, 12.0
    return top + 20 + (13 if item.note else 0), 9.0


def _bar(item: Bar, layout: Layout, top: float) -> Iterator[str]:
    along = layout.ruler
    y, high = _span(item, layout, top)
    start, end = sorted((along.at(0), along.at(item.value)))
    look = "less" if item.value < 0 else "bar"
    yield box((start, y, end - start, high), look, told=f"{item.label}: {item.told}")
    if item.margin:
        low, most = (along.at(one) for one in item.reach)
        middle, cap = y + high / 2, high / 4
        caps = "".join(stroke((x, middle - cap), (x, middle + cap)) for x in (low, most))
        yield path(stroke((low, middle), (most, middle)) + caps, "whisker")


def _description(items: Sequence[Bar], unit: str) -> str:
    first, last = items[0], items[-1]
    ends = f"the first, {first.label}: {first.told} {unit}"
    if len(items) > 1:
        ends += f"; the last, {last.label}: {last.told} {unit}"
    return f"Bars, {len(items)} of them; {ends}."
