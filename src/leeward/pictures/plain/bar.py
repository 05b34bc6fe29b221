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


def bars(items: Sequence[Bar], *, title: str, unit: str = "jobs", width: int = 680) -> Picture:
    """Bars from left to right in the order given; those below zero go to the left of the line."""
    checked(width)
    at_most(MOST, len(items), "bars")
    if not items:
        return empty(title, width)
    layout = _layout(items, width)
    parts = [
        *_frame(layout, unit),
        *(part for at, item in enumerate(items) for part in _row(item, layout, layout.tops[at])),
        path(stroke((_zero(layout), TOP - 4), (_zero(layout), layout.foot)), "line"),
    ]
    return finished(
        parts, (width, layout.foot + 20), title=title, description=_description(items, unit)
    )


def _layout(items: Sequence[Bar], width: int) -> Layout:
    margin = max(wide(item.more) for item in items)
    number = max(wide(full(item.value)) for item in items)
    column = width - margin - (6 if margin else 0)
    left, right = column - number - GAP, 0.0
    beside = width >= WIDE
    label = min(max(wide(item.label) for item in items) + 1, 0.36 * width) if beside else left
    start, end = (label + GAP, left) if beside else (1.0, width - 1.0 - right)
    tops = [TOP]
    for item in items:
        tops.append(tops[-1] + (24.0 if beside else 36.0) + (13.0 if item.note else 0.0))
    shown = ruler((one for item in items for one in item.reach), start, end)
    return Layout(label, column, width, tuple(tops), shown)


def _zero(layout: Layout) -> float:
    return layout.ruler.at(0)


def _frame(layout: Layout, unit: str) -> Iterator[str]:
    """The grid with its numbers, and the unit over the column of numbers."""
    texts = {tick: round_number(tick) for tick in layout.ruler.scale.ticks}
    shown = layout.ruler.ticks(texts)
    steps = [
        stroke((layout.ruler.at(t), TOP - 4), (layout.ruler.at(t), layout.foot)) for t in shown
    ]
    yield path("".join(steps), "grid") if steps else ""
    for tick in shown:
        half = wide(texts[tick], 11) / 2
        at = min(max(layout.ruler.at(tick), half), layout.margins - half)
        yield words(texts[tick], (at, layout.foot + 14), "soft", anchor="middle")
    yield words(unit, (layout.values, 12), "soft", anchor="end", room=layout.values / 2)


def _row(item: Bar, layout: Layout, top: float) -> Iterator[str]:
    """Label, bar, whisker and numbers of one item."""
    beside = layout.ruler.start > layout.label
    yield words(item.label, (0, top + 14), room=layout.label)
    yield words(item.note, (0, top + 27), "soft", room=layout.label) if item.note else ""
    yield words(full(item.value), (layout.values, top + 14), "number", anchor="end")
    if item.more:
        yield words(item.more, (layout.margins, top + 14), "number", anchor="end")
    down = top + (4 if beside else 20 + (13 if item.note else 0))
    yield from _bar(item, layout.ruler, down, 12 if beside else 9)


def _bar(item: Bar, along: Ruler, top: float, high: float) -> Iterator[str]:
    ends = sorted((along.at(0), along.at(item.value)))
    look = "less" if item.value < 0 else "bar"
    yield box((ends[0], top, ends[1] - ends[0], high), look, told=f"{item.label}: {item.told}")
    if item.margin:
        low, most = (along.at(one) for one in item.reach)
        middle, cap = top + high / 2, high / 4
        caps = "".join(stroke((x, middle - cap), (x, middle + cap)) for x in (low, most))
        yield path(stroke((low, middle), (most, middle)) + caps, "whisker")


def _description(items: Sequence[Bar], unit: str) -> str:
    first, last = items[0], items[-1]
    ends = f"the first, {first.label}: {first.told} {unit}"
    if len(items) > 1:
        ends += f"; the last, {last.label}: {last.told} {unit}"
    return f"Bars, {len(items)} of them; {ends}."
