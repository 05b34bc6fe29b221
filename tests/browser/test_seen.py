"""The functions of `seen` find planted faults, and find none in what is as it should be."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser import seen
from tests.browser.view import NewView

AXIS = '<svg class="axis" data-axis="x" width="300" height="20">{}</svg>'
NUMBER = '<text x="{at}" y="16" fill="black">{at}</text>'
CELLS = "<tr>" + "<td>long_word_in_a_cell</td>" * 12 + "</tr>"

FAULTS: dict[str, tuple[Callable[[Page], list[str]], str]] = {
    "page": (seen.sideways, '<div style="width: 3000px">wide</div>'),
    "hidden": (
        seen.clipped,
        '<p style="width: 4em; overflow: hidden"><nobr>cut off here</nobr></p>',
    ),
    "below": (seen.clipped, '<p style="height: 1em; overflow: hidden">one<br>two<br>three</p>'),
    "cell": (
        seen.clipped,
        '<table style="table-layout: fixed; width: 60px"><tr><td><nobr>far too long a word</nobr>'
        "<td>next</table>",
    ),
    "caption": (
        seen.clipped,
        f'<div style="width: 300px; overflow-x: auto" tabindex="0"><table><caption>{"words " * 60}'
        f"</caption>{CELLS}</table></div>",
    ),
    "focus": (
        seen.clipped,
        f'<div style="width: 300px; overflow-x: auto"><table>{CELLS}</table></div>',
    ),
    "broken": (
        seen.broken_words,
        '<p style="width: 3em; overflow-wrap: anywhere">Agriculture and 0123456789abcdef</p>',
    ),
    "out of sight": (
        seen.hidden_columns,
        '<div class="scroll" tabindex="0" style="overflow: auto; width: 90px">'
        "<table data-rows><thead><tr><th>Region<th>Jobs<th>Status</table></div>",
    ),
    "over": (
        seen.overlaid,
        '<table style="table-layout: fixed; width: 80px"><tr><td><nobr>Northern region</nobr>'
        "<td>1,013,401</table>",
    ),
    "backtick": (seen.literal_backticks, "<p>Run `leeward verify` now.</p>"),
    "label": (seen.literal_backticks, '<p title="Run `leeward`">Now</p>'),
    "two ticks": (seen.few_ticks, AXIS.format(NUMBER.format(at=0) + NUMBER.format(at=100))),
    "same ticks": (seen.few_ticks, AXIS.format(NUMBER.format(at=20) * 4)),
    "unmarked": (seen.few_ticks, AXIS.format("").replace(' data-axis="x"', "")),
    "mark": (seen.faint, '<svg width="9" height="9"><circle r="4" fill="#dddddd"/></svg>'),
    "pale": (
        seen.faint,
        '<svg width="9" height="9"><circle r="4" fill="#3f7fae" fill-opacity=".5"/></svg>',
    ),
    "text": (seen.faint, '<svg width="99" height="20"><text y="9" fill="#999999">9</text></svg>'),
}

SOUND = f"""
<p>Run <code>`leeward`</code>.</p>
<p style="width: 3em; overflow-wrap: anywhere">two words fac0123456789bacd</p>
<p style="overflow: hidden">whole</p>
<div style="width: 300px; overflow-x: auto; container-type: inline-size" tabindex="0"><table>
<caption style="position: sticky; left: 0; max-width: 100cqi">{"words " * 60}</caption>
{CELLS}</table></div>
{AXIS.format("".join(NUMBER.format(at=at) for at in (20, 100, 200)))}
<svg width="9" height="9"><circle r="4" fill="#3f7fae" fill-opacity=".5" stroke="#3f7fae"/></svg>
"""


def opened(view: NewView, body: str) -> Page:
    page = view().page
    page.set_content(f"<!doctype html><html lang=en><title>t</title><body>{body}")
    return page


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(view: NewView, name: str) -> None:
    look, body = FAULTS[name]
    assert look(opened(view, body)) != []


def test_nothing_is_found_where_nothing_is_wrong(view: NewView) -> None:
    assert seen.on_screen(opened(view, SOUND)) == []


ROWS = '<table data-rows="3"><thead><tr><th>h</th></tr></thead><tbody>{}</tbody></table>'
ROW = "<tr><td>{}</td></tr>"


@pytest.mark.parametrize(
    "body",
    [
        '<div style="width: 700px"><nobr>' + "word " * 200 + "</nobr></div>",
        "<input value='a field'>",
        "<select><option>any</option></select>",
        "<button>Press</button>",
        '<input type="text" style="border: 0; width: 3em" value="an answer that is cut">',
        ROWS.format(ROW.format("a")),
        ROWS.format(ROW.format("a") + ROW.format("b") + "<tr hidden><td>c</td></tr>"),
        "<style>thead {display: table-row-group}</style>" + ROWS.format(ROW.format("a") * 100),
    ],
    ids=["wide", "input", "select", "button", "cut", "rows", "hidden row", "head"],
)
def test_a_planted_fault_of_paper_is_found(view: NewView, body: str) -> None:
    rows = 3 if "data-rows" in body else 0
    assert seen.on_paper(opened(view, body), rows=rows) != []


def test_missing_words_and_sources_of_paper_are_found(view: NewView) -> None:
    page = opened(view, ROWS.format(ROW.format("a") * 3) + '<p class="source">Here</p>')
    assert seen.on_paper(page, rows=3, words=("Here", "a")) == []
    assert seen.on_paper(page, rows=3, words=("There",)) == ["not printed: There"]
    assert seen.unsourced(page) == []
    assert seen.unsourced(opened(view, "<p>words</p>")) == ["printed without a source"]
