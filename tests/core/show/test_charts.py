"""Charts: marks at their places, labels as inert text, numbers for those who do not see them."""

import re
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

from leeward.core.show.axes import LEAST_TICKS, TICK_LETTERS, AxisScale
from leeward.core.show.charts import (
    MOST_PARTS,
    Bin,
    BudgetPart,
    ChartBar,
    bars,
    budget,
    couples,
    histogram,
    reaches_zero,
    spans,
)
from leeward.core.show.environment import ROOMS, environment, prose
from leeward.core.show.heat import SHADES, HeatMap, Shades, heat_map, shades
from leeward.core.show.interpretation import OPEN
from leeward.core.show.notebook import html_table
from leeward.core.show.numbers import Ends
from leeward.core.show.point_charts import MOST_TOOLTIPS, Band, Dot, curves, scatter, trend

EVIL = "</title><script>alert(1)</script>\"><img src=x onerror=x>'{{ 7 * 7 }}"
HUGE = 2**63 - 1
integers = st.integers(-HUGE, HUGE)


def drawn(chart: object, caption: str = "") -> str:
    source = '{% import "show/charts.html.j2" as charts %}{{ charts.figure(chart, caption) }}'
    return environment().from_string(source).render(chart=chart, caption=caption)


class Read(HTMLParser):
    """Elements, attributes and words of a chart; unbalanced elements are an error."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.words = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


CHARTS = {
    "bars": bars(
        [ChartBar(EVIL, 5, (3, 7)), ChartBar(EVIL, -3, None)], title=EVIL, head=EVIL, unit=EVIL
    ),
    "histogram": histogram([Bin(0, 4, 7), Bin(5, 5, 0)], title=EVIL, x=EVIL, y=EVIL),
    "budget": budget(
        [BudgetPart(EVIL, Fraction(1, 3)), BudgetPart("b", Fraction(0))], Fraction(2), title=EVIL
    ),
    "curves": curves([Band(EVIL, 10, 8, 12, [(5, 0.1), (10, 1.0), (15, 0.1)])], title=EVIL),
    "couples": couples([(EVIL, 0.5, 0.25)], title=EVIL, head=EVIL, names=(EVIL, "b")),
    "heat": heat_map([EVIL], [EVIL, "b", "c"], [[-5, None, 4000]], title=EVIL),
    "scatter": scatter([Dot(1, 2, False, EVIL), Dot(3, 4, True, EVIL)], title=EVIL, x=EVIL, y=EVIL),
    "nothing": bars([], title="Nothing"),
    "no dots": scatter([], title="Nothing", x="x", y="y"),
    "no curve": curves([Band("flat", 0, 0, 0, [])], title="Nothing"),
    "huge": bars(
        [ChartBar("a", HUGE, (0, 2 * HUGE)), ChartBar("b", -HUGE, (-2 * HUGE, 0))], title="Huge"
    ),
}


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_is_well_formed_and_every_text_is_inert(name: str) -> None:
    read = Read(drawn(CHARTS[name], EVIL))
    assert not {tag for tag, _, _ in read.attributes} & {"script", "img", "style"}
    assert not [key for _, key, _ in read.attributes if key.startswith("on") or key == "style"]
    assert EVIL in read.words
    assert "nan" not in str(read.attributes)


@pytest.mark.parametrize("name", CHARTS)
def test_every_place_is_within_its_room(name: str) -> None:
    text = drawn(CHARTS[name])
    for at in re.findall(r'="(-?[\d.]+)%"', text):
        assert -0.01 <= float(at) <= 100.01


@pytest.mark.parametrize("name", ["budget", "curves", "scatter"])
def test_a_picture_has_a_name_and_a_description(name: str) -> None:
    text = drawn(CHARTS[name])
    assert re.search(r'<svg[^>]* role="img" aria-label="[^"]+"', text)
    assert re.search(r"<desc>[^<]{5,}</desc>", text)


@pytest.mark.parametrize("name", ["bars", "histogram", "heat"])
def test_a_table_has_a_caption_and_heads_and_its_marks_are_hidden(name: str) -> None:
    text = drawn(CHARTS[name])
    assert text.count("<caption") == 1
    assert all("scope=" in head for head in re.findall(r"<th\b[^>]*>", text))
    assert all('aria-hidden="true"' in svg for svg in re.findall(r"<svg[^>]*>", text))


def test_bars_share_one_scale_with_their_whiskers() -> None:
    first, below, nothing = spans([(60, (40, 80)), (-20, None), (0, (0, 0))])
    assert (first.zero, first.start, first.length, first.low, first.high) == (20, 20, 60, 60, 100)
    assert (below.start, below.length, below.negative, below.low) == (0, 20, True, None)
    assert (nothing.start, nothing.length, nothing.low) == (20, 0, None)


def test_a_whisker_may_reach_farther_on_one_side() -> None:
    (one,) = spans([(50, (40, 100))])
    assert (one.length, one.low, one.high) == (50, 40, 100)
    assert ChartBar("a", 50, (40, 60)).reach == "± 10"
    assert ChartBar("a", 50, (-5, 100)).reach == "−5 to 100"


@given(st.lists(st.tuples(integers, st.none() | st.tuples(integers, integers)), min_size=1))
def test_bars_of_any_numbers_stay_in_their_room(
    values: list[tuple[int, tuple[int, int] | None]],
) -> None:
    for one in spans(values):
        ends = (one.start, one.start + one.length, one.low or 0, one.high or 0, one.zero)
        assert all(-0.02 <= end <= 100.02 for end in ends)


@given(st.lists(st.floats(-1e18, 1e18), min_size=1, max_size=4), st.booleans())
def test_ticks_have_room_and_are_in_order(values: list[float], zero: bool) -> None:
    ticks = AxisScale.of(values, zero=zero).ticks
    assert sum(len(one.text) + 3 for one in ticks) <= TICK_LETTERS
    assert [one.at for one in ticks] == sorted(one.at for one in ticks)
    assert all(0 <= one.at <= 100 for one in ticks)


def test_a_budget_shows_every_part_and_adds_up_the_first_of_many() -> None:
    few = budget(
        [BudgetPart("a", Fraction(1)), BudgetPart("b", Fraction(2))], Fraction(1), title="t"
    )
    assert [(one.start, one.length) for one in few.slices] == [(0, 25), (25, 50), (75, 25)]
    assert few.description == "a: 1; b: 2; Left: 1"
    many = budget([BudgetPart(str(n), Fraction(1)) for n in range(20)], Fraction(0), title="t")
    assert len(many.slices) == MOST_PARTS + 1
    assert (many.slices[0].label, many.slices[0].text) == ("9 earlier", "9")
    assert budget([], Fraction(0), title="t").slices[0].length == 0


def test_a_bin_is_named_by_its_range() -> None:
    labels = [Bin(*ends, 1).label for ends in ((5, 5), (0, 1200), (-3, 4))]
    assert labels == ["5", "0–1,200", "−3 to 4"]


def test_the_core_of_a_curve_lies_within_its_interval() -> None:
    (hill,) = CHARTS["curves"].hills  # type: ignore[attr-defined] # the chart of curves
    across = [float(point.split(",")[0]) for point in hill.core.split()]
    assert (min(across), max(across)) == (300, 700)
    assert hill.true.at == 50


@given(st.lists(st.integers(1, HUGE), min_size=1, max_size=30))
def test_larger_numbers_are_never_paler(values: list[int]) -> None:
    steps = shades(values)
    assert len(steps.starts) <= SHADES + 1
    looks = [int(steps.look(value).removeprefix("shade-")) for value in sorted(values)]
    assert looks == sorted(looks)
    assert max(looks) < SHADES


def test_numbers_below_zero_and_missing_cells_have_their_own_look_and_key() -> None:
    chart = CHARTS["heat"]
    text = drawn(chart)
    assert 'class="below"' in text
    assert 'class="none"' in text
    assert ">4.0k<" in text
    assert 'title="4,000"' in text
    assert {"below zero", "no establishment"} <= {words for _, words in chart.legend}  # type: ignore[attr-defined] # a heat map


def test_dots_far_apart_are_on_a_logarithmic_scale_and_many_have_no_tooltips() -> None:
    far = scatter(
        [Dot(1, 1), *[Dot(n, n) for n in range(5)], Dot(10**6, 10**6)], title="", x="", y=""
    )
    assert far.log
    assert not scatter([Dot(1, 1), Dot(5, 5)], title="", x="", y="").log
    many = [Dot(n, n, False, "label") for n in range(MOST_TOOLTIPS + 1)]
    assert {dot.label for dot in scatter(many, title="", x="", y="").dots} == {""}


def test_a_missing_value_is_an_error_and_not_a_blank() -> None:
    with pytest.raises(UndefinedError):
        environment().from_string("{{ nothing }}").render()


def test_templates_escape_everything_but_figures_that_we_drew() -> None:
    texts = [
        one.read_text(encoding="utf-8")
        for room in ROOMS
        for one in files("leeward").joinpath(room, "templates").iterdir()
    ]
    assert re.findall(r"[\w.]+\s*\|\s*safe", " ".join(texts)) == ["picture.svg|safe"]
    assert not [text for text in texts if "autoescape" in text or " style=" in text]


def test_a_trend_places_points_evenly_and_intervals_on_one_scale() -> None:
    items = [ChartBar("a", 0, (-50, 50)), ChartBar("b", 50, (0, None)), ChartBar("c", 25)]
    drawn = trend(items, title="t", unit="jobs")
    assert [one.at for one in drawn.marks] == [16.67, 50.0, 83.33]
    first, second, third = drawn.marks
    assert (first.low, first.up, first.high) == (95.45, 50.0, 4.55)
    assert (second.high, second.ends) == (0.0, (50.0,))
    assert (third.low, third.high, third.ends) == (third.up, third.up, ())
    names = [one.named for one in trend([ChartBar("x", 1)] * 17, title="t", unit="jobs").marks]
    assert sum(names) == 6
    assert trend([], title="t", unit="jobs").marks == ()


def test_couples_share_one_scale() -> None:
    one, two = couples([("a", 0.5, 0.25), ("b", 0.1, 0)], title="", head="", names=("r", "s")).rows
    assert (one.lengths, two.lengths) == ((100, 50), (20, 0))


def test_signed_shades_tell_both_directions() -> None:
    steps = Shades((0, 1, 2, 5, 10, 20, 40), "", signed=True)
    assert [steps.look(value) for value in (-6, 0, 6)] == ["under-3", "shade-0", "shade-3"]
    legend = HeatMap("", ["a"], ["a"], [[-6]], steps, "", "").legend
    assert legend[0] == ("under-6", "−40")
    assert len(legend) == 13


@pytest.mark.parametrize(
    ("value", "ends", "signed", "open_"),
    [
        (5, (1, 9), False, False),
        (5, (0, 10), False, True),
        (-50, (-70, -30), False, True),
        (-50, (-70, -30), True, False),
        (-50, (-100, 0), True, True),
        (50, (None, 90), False, True),
        (50, (10, None), False, False),
        (50, None, False, False),
    ],
)
def test_a_number_whose_margin_reaches_zero_looks_otherwise(
    value: int, ends: Ends | None, signed: bool, open_: bool
) -> None:
    assert reaches_zero(value, ends, signed=signed) is open_
    chart = bars([ChartBar("a", value, ends)], title="t", signed=signed)
    look = ("less" if value < 0 else "more") + (" open" if open_ else "")
    assert f'<rect class="{look}"' in drawn(chart)
    assert bool(chart.open) is open_
    assert (chart.open in drawn(chart)) is True


def test_squares_whose_margin_reaches_zero_have_no_shade() -> None:
    chart = heat_map(["r"], ["a", "b", "c"], [[9, 9, -1]], title="t")
    hatched = replace(chart, open=[[False, True, True]])
    assert [hatched.look(0, at, one) for at, one in enumerate((9, 9, -1))] == [
        *(chart.look(0, 0, 9), "open", "open below")
    ]
    assert ("open", OPEN) in hatched.legend
    assert ("open", OPEN) not in chart.legend


@pytest.mark.parametrize("largest", [1000, 1500, 3800, 9999, 12_000, 10**6, 10**9, 10**15])
@pytest.mark.parametrize("sign", [1, -1])
def test_logarithmic_axes_have_at_least_three_numbers(largest: int, sign: int) -> None:
    drawn = scatter([Dot(0, 1), Dot(1, 2), Dot(2, sign * largest)], title="t", x="x", y="y")
    assert drawn.log
    assert len(drawn.ticks) >= LEAST_TICKS


@given(st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=4), st.booleans(), st.floats(0, 1))
def test_every_axis_has_at_least_three_different_numbers(
    values: list[float], zero: bool, air: float
) -> None:
    for scale in (AxisScale.of(values, zero=zero), AxisScale.of(values, zero=zero, air=air)):
        texts = [one.text for one in scale.ticks]
        assert len(set(texts)) == len(texts) >= LEAST_TICKS
        assert scale.low <= min(values) <= max(values) <= scale.high


@pytest.mark.parametrize(("first", "second"), [(19_957, 20_041), (0, 0), (7, 7), (1, 2)])
def test_charts_of_near_numbers_have_three_on_each_axis(first: int, second: int) -> None:
    assert len(scatter([Dot(first, second)], title="", x="", y="").ticks) >= LEAST_TICKS
    both = [ChartBar("a", first), ChartBar("b", second)]
    assert len(trend(both, title="", unit="").ticks) >= LEAST_TICKS
    assert len(bars(both, title="").ticks) >= LEAST_TICKS


def test_words_in_backticks_are_code_and_everything_is_escaped() -> None:
    words = prose("`a<b>` and <i> & `c`, and ` by itself")
    assert words == "<code>a&lt;b&gt;</code> and &lt;i&gt; &amp; <code>c</code>, and ` by itself"
    assert prose(words) == words  # what is markup stays as it is
    assert "<p>run <code>x &lt;</code></p>" in html_table("t", ("h",), [("v",)], note="run `x <`")
