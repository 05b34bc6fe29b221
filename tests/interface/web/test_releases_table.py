"""The rows of a table on the page: those of the selection, each drawn with its margin."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leeward.core.codebook import Marginal
from leeward.core.codebook.totals import Totals
from leeward.core.errors import InvalidParameter
from leeward.interface.web.releases_address import MOST_CHOICES, query, read_selection
from leeward.interface.web.releases_table import headers, lines
from leeward.publishing.bundle import BundleWriter, read_bundle, verify_bundle
from leeward.publishing.bundle.selection import Page, RowSelection, SelectedRow, select
from leeward.publishing.bundle.table_statements import TotalsStatement
from tests.interface.web.releases_scene import Markup
from tests.interface.web.serving import Served, serving
from tests.publishing.bundle.made_up import cells, certificate, certified, dimension, write_demo
from tests.publishing.bundle.tables_in_memory import in_memory

TABLE = "/releases/demo/tables/by_sex"
LONG = Marginal("long", (dimension("place", [f"{n:04}" for n in range(MOST_CHOICES + 1)]),), ())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("releases")
    write_demo(made / "demo")
    with BundleWriter(made / "long") as bundle:
        with bundle.table(LONG, margins=("margin",)) as writer:
            writer.write(cells(LONG, range(MOST_CHOICES + 1), margins=True))
        bundle.seal(certificate("long", [certified(writer)]))
    write_totals(made / "totals")
    return made


def write_totals(target: Path) -> None:
    """A table of two places with the number of establishments, and its total."""
    place = dimension("place", ["1", "2"])
    place = replace(place, attribute=replace(place.attribute, total="00"))
    marginal = Marginal("t", (place,), (), establishments=True, totals=("place",))
    made = replace(cells(marginal, (0, 1), margins=True), establishments=np.array([3, 4]))
    totals = Totals(marginal)
    totals.add(made)
    with BundleWriter(target) as bundle:
        with bundle.table(marginal, margins=("margin",)) as writer:
            writer.write(made)
            for family, added in totals.rows():
                writer.write_totals(
                    family, replace(added, margins={"margin": added.values * 0 + 9})
                )
        stated = TotalsStatement(codes={"place": "00"}, rows=1, draws=9, seed=1, sentence="Sums.")
        table = certified(writer).model_copy(update={"totals": stated})
        bundle.seal(certificate(target.name, [table]))


@pytest.mark.parametrize(("asked", "codes"), [("", ["1", "2"]), ("?totals=too", ["1", "2", "00"])])
def test_totals_are_shown_if_asked_for(
    page: Served, folder: Path, asked: str, codes: list[str]
) -> None:
    assert verify_bundle(folder / "totals") == ()
    answer = page.get(f"/releases/totals/tables/t{asked}")
    rows = [row for row in Rows(answer.text).rows if row]
    assert [row[0].split()[0] for row in rows] == codes
    assert [row[-1] for row in rows] == ["3", "4", "7"][: len(codes)]


@pytest.fixture(scope="module")
def page(folder: Path) -> Iterator[Served]:
    with serving(releases=folder) as up:
        yield up


class Rows(Markup):
    """The cells of the table on a page, row by row."""

    def __init__(self, page: str) -> None:
        self.rows: list[list[str]] = []
        self._inside = False
        super().__init__(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        super().handle_starttag(tag, attrs)
        if tag == "tr":
            self.rows.append([])
        elif tag == "td":
            self.rows[-1].append("")
            self._inside = True

    def handle_endtag(self, tag: str) -> None:
        super().handle_endtag(tag)
        if tag == "td":
            self._inside = False
            self.rows[-1][-1] = " ".join(self.rows[-1][-1].split())

    def handle_data(self, data: str) -> None:
        super().handle_data(data)
        if self._inside:
            self.rows[-1][-1] += data


def shown(row: SelectedRow) -> list[str]:
    """A row as it must stand on the page; the cell after the value is its picture."""
    number = f"{row.value:,}".replace("-", "−")
    margins = ["none" if one is None else f"± {one:,}" for one in row.margins]
    codes = [f"{one.code} {one.label}" for one in row.codes]
    return [*codes, number, "", str(row.status).replace("-", "−"), *margins]


@pytest.mark.parametrize(
    ("table", "asked"),
    [
        ("by_sex", {}),
        ("by_place", {}),
        ("by_sex", {"search": "01001 label of f"}),
        ("by_sex", {"sort": "value", "order": "down"}),
        ("by_place", {"sort": "margin"}),
        ("by_sex", {"code.sex": "F", "code.place": "Łódź"}),
        ("by_place", {"status": "-2"}),
        ("by_sex", {"search": "nothing at all"}),
        ("by_place", {"search": 'label "', "sort": "place", "order": "down", "page": "1"}),
    ],
)
def test_the_page_shows_what_is_selected(
    page: Served, folder: Path, table: str, asked: dict[str, str]
) -> None:
    bundle = read_bundle(folder / "demo")
    held = bundle.certificate.table(table)
    assert held is not None
    answer = page.get(f"/releases/demo/tables/{table}?{urlencode(asked)}")
    wanted = select(bundle, table, read_selection(asked, held))
    rows = [row for row in Rows(answer.text).rows if row]
    assert answer.status == 200
    assert rows == [shown(row) for row in wanted.rows]
    counted = f"{wanted.matches} of {wanted.of} rows" if wanted.matches < wanted.of else "rows."
    assert counted in Markup(answer.text).plain


def test_pages_are_turned_by_links(page: Served) -> None:
    first = Markup(page.get("/releases/long/tables/long?sort=place&order=down").text)
    (after,) = (one["href"] for one in first.all("a") if one.get("rel") == "next")
    second = page.get(after.removeprefix(page.site.base))
    assert "Page 2 of 3" in Markup(second.text).plain
    rows = [row[0] for row in Rows(second.text).rows if row]
    assert rows[0] == "0050 label of 0050"
    assert [one["href"] for one in Markup(second.text).all("a") if one.get("rel") == "prev"]


def test_long_code_lists_are_typed_short_ones_chosen(page: Served) -> None:
    long = Markup(page.get("/releases/long/tables/long?code.place=0100").text)
    (field,) = [one for one in long.all("input") if one.get("name") == "code.place"]
    assert (field["value"], field["list"]) == ("0100", "codes1")
    assert len([one for one in long.all("option") if one["value"].isdigit()]) == MOST_CHOICES + 1
    assert "1 of 101 rows" in long.plain
    short = Markup(page.get(f"{TABLE}?code.sex=F").text)
    assert [one["name"] for one in short.all("select")] == [
        "code.place",
        "code.sector",
        "code.sex",
        "code.school",
        "status",
    ]
    assert {"value": "F", "selected": ""} in short.all("option")


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("page=0", "page must be at least 1"),
        ("page=201", "page must be at most 200"),
        ("page=1e9", "page must be a whole number"),
        ("page=%D9%A1", "page must be a whole number"),
        ("status=x", "status must be a whole number"),
        ("sort=nowhere", "sort must be a column of by_sex"),
        ("code.sex=%00", "sex must be a code of sex"),
        ("code.place=..%2F..", "place must be a code of place"),
        (f"search={'x' * 201}", "search must have at most 200 letters"),
    ],
)
def test_what_cannot_be_asked_is_told_beside_the_fields(
    page: Served, asked: str, told: str
) -> None:
    answer = page.get(f"{TABLE}?{asked}")
    assert answer.status == 400
    assert told in Markup(answer.text).plain
    assert Markup(answer.text).all("form")


def test_a_table_that_is_not_there_is_refused(page: Served) -> None:
    answer = page.get("/releases/demo/tables/nowhere")
    assert answer.status == 400
    assert "must be a table of the bundle" in answer.text


texts = st.text(max_size=8).map(str.strip)


@settings(max_examples=100, deadline=None)
@given(
    search=texts,
    code=st.sampled_from(["", "a", "page", "ä&=b"]),
    status=st.sampled_from([None, 1, -2]),
    sort=st.sampled_from(["", "page", "value"]),
    descending=st.booleans(),
    page=st.integers(1, 10**8),
)
def test_an_address_says_what_was_selected(
    search: str, code: str, status: int | None, sort: str, descending: bool, page: int
) -> None:
    held = in_memory([], {"page": {"a": "A"}}).certificate.tables[0]
    selection = RowSelection(search, {"page": code}, status, sort, descending, page)
    asked = dict(parse_qsl(query(selection), keep_blank_values=True))
    assert read_selection(asked, held) == selection


def test_clicks_on_a_heading_sort_one_way_then_the_other_then_not() -> None:
    held = in_memory([], {"place": {"a": "A"}}).certificate.tables[0]
    selection = RowSelection(filters={"place": ""}, page=7)
    seen = []
    for _ in range(3):
        links = {one.name: one.query for one in headers(held, selection)}
        selection = read_selection(dict(parse_qsl(links["value"])), held)
        seen.append((selection.sort, selection.descending, selection.page))
    assert seen == [("value", True, 1), ("value", False, 1), ("", False, 1)]
    upwards = {one.name: one.query for one in headers(held, RowSelection(filters={"place": ""}))}
    assert upwards["place"] == "sort=place"


def test_bars_and_whiskers_lie_on_one_scale() -> None:
    ends = {60: (40, 80), 10: (-20, 40)}
    rows = [SelectedRow((), one, 1, (), ends.get(one)) for one in (60, -20, 0, 10)]
    drawn = [line.span for line in lines(Page(tuple(rows), 4, 4, 1, 1, 1), ())]
    assert (drawn[0].zero, drawn[0].start, drawn[0].length) == (20, 20, 60)
    assert (drawn[0].low, drawn[0].high) == (60, 100)
    assert (drawn[1].start, drawn[1].length, drawn[1].negative) == (0, 20, True)
    assert (drawn[2].start, drawn[2].length) == (20, 0)
    assert (drawn[3].low, drawn[3].high) == (0, 60)


def test_zero_is_on_the_scale_where_all_values_are_large() -> None:
    (line,) = lines(Page((SelectedRow((), 60, 1, (), (40, 80)),), 1, 1, 1, 1, 1), ())
    assert (line.span.zero, line.span.start, line.span.length) == (0, 0, 75)
    (below,) = lines(Page((SelectedRow((), -60, 1, (), (-80, -40)),), 1, 1, 1, 1, 1), ())
    assert (below.span.zero, below.span.start) == (100, 25)


def test_rows_of_nothing_are_drawn_too() -> None:
    drawn = [
        line.span for line in lines(Page((SelectedRow((), 0, 1, (), None),), 1, 1, 1, 1, 1), ())
    ]
    assert (drawn[0].start, drawn[0].length) == (0, 0)
    assert lines(Page((), 0, 0, 1, 1, 1), ()) == []


def test_every_refusal_has_a_next_step() -> None:
    held = in_memory([], {"place": {"a": "A"}}).certificate.tables[0]
    with pytest.raises(InvalidParameter) as refusal:
        read_selection({"page": "-"}, held)
    assert refusal.value.next_step == "Use the fields and links of the page."
