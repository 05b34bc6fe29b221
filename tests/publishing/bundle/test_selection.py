"""A page of a table is what a plain search and sort in Python gives."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leeward.core.errors import Damaged, InvalidParameter
from leeward.publishing.bundle import read_bundle
from leeward.publishing.bundle.selection import (
    MOST_ROWS,
    Coded,
    Page,
    RowSelection,
    SelectedRow,
    select,
)
from tests.publishing.bundle.made_up import write_demo
from tests.publishing.bundle.tables_in_memory import Codes, InMemory, Line, in_memory

CODES: Codes = {
    "place": {"01": "Łódź North", "02": "ŁÓDŹ south", "1-2": "Straße 3"},
    "value": {"A": "retail trade", "B": "Retail, other", "C": "02"},
}
"""An attribute may have the name of a column that is none."""

SEARCHES = ["", "retail", "RETAIL  north", "0", "strasse", "łódź", "nowhere", "a 1", "south south"]

lines = st.lists(
    st.tuples(
        st.tuples(st.sampled_from(list(CODES["place"])), st.sampled_from(list(CODES["value"]))),
        st.integers(-4, 4) | st.integers(-(2**61), 2**61),
        st.sampled_from([1, -2]),
        st.none() | st.integers(0, 3),
    ),
    max_size=40,
)
selections = st.builds(
    RowSelection,
    search=st.sampled_from(SEARCHES),
    filters=st.fixed_dictionaries(
        {}, optional={name: st.sampled_from(["", *codes]) for name, codes in CODES.items()}
    ),
    status=st.sampled_from([None, 1, -2]),
    sort=st.sampled_from(["", "place", "value", "status", "margin"]),
    descending=st.booleans(),
    page=st.integers(1, 5),
)


def truth(held: list[Line], selection: RowSelection, size: int) -> tuple[list[SelectedRow], int]:
    """All wanted rows in order, each looked at on its own."""
    rows = [
        SelectedRow(
            tuple(Coded(c, CODES[name][c]) for name, c in zip(CODES, codes, strict=True)),
            value,
            status,
            (margin,),
            None if margin is None else (value - margin, value + margin),
        )
        for codes, value, status, margin in held
    ]
    wanted = [row for row in rows if _wanted(row, selection)]
    if selection.sort:
        wanted.sort(key=lambda row: _key(row, selection))
    number = min(selection.page, max(1, -(-len(wanted) // size)))
    return wanted[(number - 1) * size : number * size], len(wanted)


def _wanted(row: SelectedRow, selection: RowSelection) -> bool:
    texts = [text.casefold() for one in row.codes for text in (one.code, one.label)]
    words = selection.search.casefold().split()
    filters = zip(CODES, row.codes, strict=True)
    return (
        all(any(word in text for text in texts) for word in words)
        and all(selection.filters.get(name, "") in {"", one.code} for name, one in filters)
        and selection.status in {None, row.status}
    )


def _key(row: SelectedRow, selection: RowSelection) -> tuple[bool, int]:
    if selection.sort == "margin":
        number = row.margins[0] or 0
        return row.margins[0] is None, -number if selection.descending else number
    # Two columns may be called `value`; the first of them is the attribute.
    numbers = {"status": row.status}
    for (name, codes), one in zip(CODES.items(), row.codes, strict=True):
        numbers[name] = list(codes).index(one.code)
    number = numbers[selection.sort]
    return False, -number if selection.descending else number


@settings(max_examples=200, deadline=None)
@given(lines, selections, st.integers(1, 7), st.integers(1, 9))
def test_a_page_is_what_a_plain_search_finds(
    held: list[Line], selection: RowSelection, size: int, each: int
) -> None:
    page = select(in_memory(held, CODES, each=each), "t", selection, size=size)
    rows, matches = truth(held, selection, size)
    assert list(page.rows) == rows
    assert (page.matches, page.of) == (matches, len(held))
    assert page.pages == max(1, -(-matches // size))
    assert page.number == min(selection.page, page.pages)


@settings(max_examples=200, deadline=None)
@given(lines, st.booleans(), st.integers(1, 9))
def test_values_are_sorted_with_ties_in_the_order_of_the_rows(
    held: list[Line], descending: bool, each: int
) -> None:
    codes = {"place": CODES["place"], "sector": CODES["value"]}
    bundle = in_memory(held, codes, each=each)
    page = select(bundle, "t", RowSelection(sort="value", descending=descending), size=30)
    ranked = sorted(held, key=lambda line: -line[1] if descending else line[1])
    assert [row.value for row in page.rows] == [line[1] for line in ranked[:30]]
    assert [row.codes[0].code for row in page.rows] == [line[0][0] for line in ranked[:30]]


def many(number: int) -> list[Line]:
    return [(("01", "A"), row, 1, 1) for row in range(number)]


def test_nobody_turns_beyond_ten_thousand_rows() -> None:
    bundle = in_memory(many(MOST_ROWS + 60), CODES, each=4096)
    last = select(bundle, "t", RowSelection(page=200))
    assert [row.value for row in last.rows] == list(range(9950, 10_000))
    assert (last.pages, last.last) == (202, 200)
    with pytest.raises(InvalidParameter, match=r"page: must be at most 200.*Narrow the search"):
        select(bundle, "t", RowSelection(page=201))


def test_no_more_rows_are_read_than_the_first_page_needs() -> None:
    read: list[int] = []

    class Counting(InMemory):
        def batches(
            self, name: str, columns: Sequence[str] | None = None, *, totals: bool = True
        ) -> Iterator[pa.RecordBatch]:
            for batch in super().batches(name, columns):
                read.append(len(batch))
                yield batch

    whole = in_memory(many(1000), CODES, each=100)
    bundle = Counting(whole.path, whole.certificate, rows=whole.rows, each=100)
    assert select(bundle, "t", RowSelection()).matches == 1000
    assert sum(read) == 100


def test_tables_without_identifiers_or_rows() -> None:
    total = select(in_memory([((), 5, 1, None)], {}, margins=False), "t", RowSelection())
    assert total.rows == (SelectedRow((), 5, 1, (), None),)
    nothing = select(in_memory([], CODES), "t", RowSelection(search="x", sort="margin"))
    assert nothing == Page((), 0, 0, 1, 1, 1)
    assert select(in_memory([((), 5, 1, 2)], {}), "t", RowSelection(search="x")).matches == 0


def test_a_written_bundle_is_read_with_its_labels(tmp_path: Path) -> None:
    write_demo(tmp_path / "demo")
    page = select(read_bundle(tmp_path / "demo"), "by_place", RowSelection(search="ŁÓDŹ 31-33"))
    (row,) = page.rows
    assert row.codes == (Coded("Łódź", "label of Łódź"), Coded("31-33", "label of 31-33"))
    assert (row.status, row.value, row.margins) == (-2, 0, (None,))


@pytest.mark.parametrize(
    ("given_so", "message"),
    [
        ({"filters": {"rows": "1"}}, "filter: must be an identifier of t; got 'rows'"),
        ({"filters": {"place": "x"}}, "place: must be a code of place; got 'x'"),
        ({"sort": "place; drop"}, "sort: must be a column of t"),
        ({"page": 0}, "page: must be at least 1"),
        ({"search": "x" * 201}, "search: must have at most 200 letters; got 201"),
    ],
)
def test_what_cannot_be_selected_is_refused(given_so: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParameter) as refusal:
        select(in_memory(many(3), CODES), "t", RowSelection(**given_so))
    assert message in str(refusal.value)
    assert refusal.value.next_step


def test_a_table_that_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="table: must be a table of the bundle"):
        select(in_memory([], CODES), "../t", RowSelection())


def _with(bundle: InMemory, **changes: object) -> InMemory:
    (table,) = bundle.certificate.tables
    stated = bundle.certificate.model_copy(update={"tables": (table.model_copy(update=changes),)})
    return replace(bundle, certificate=stated)


@pytest.mark.parametrize(
    ("lines", "changes", "rule"),
    [
        (many(3), {"columns": ("place", "value", "status")}, "must have the columns"),
        (many(3), {"codes": {"place": {"9": "x"}, "value": {"A": "x"}}}, "must hold the codes"),
        ([(("01", "A"), 2**62, 1, 1)], {}, "must have numbers of at most"),
        ([(("01", "A"), 1, 1, -(2**62))], {}, "must have numbers of at most"),
        ([(("01", "A"), None, 1, 1)], {}, "must have a whole number in every row"),
        ([(("01", None), 1, 1, 1)], {}, "must have a code in every row"),
    ],
)
def test_rows_that_are_not_what_is_certified_are_refused(
    lines: list[Line], changes: dict[str, Any], rule: str
) -> None:
    with pytest.raises(Damaged, match=f"the table t {rule}"):
        select(_with(in_memory(lines, CODES), **changes), "t", RowSelection(sort="status"))
