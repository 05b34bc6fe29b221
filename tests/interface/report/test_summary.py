"""What is told about a table against the plain rows of its CSV file."""

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leeward.core.codebook import Marginal, Published
from leeward.core.show.interpretation import NET_CHANGES
from leeward.interface.report.glance import meaning_of_zero
from leeward.interface.report.summary import BARS, TableSummary, summarise
from leeward.interface.web.releases_table import lines
from leeward.publishing.bundle import Bundle, BundleWriter, read_bundle
from leeward.publishing.bundle.figure import Cell, DrawnRows, FigureAxes, layout, matrix
from leeward.publishing.bundle.rows import ROW_GROUP
from leeward.publishing.bundle.selection import RowSelection, select
from leeward.publishing.bundle.table_statements import FlowStatement, MarginStatement
from tests.publishing.bundle.made_up import (
    SECTOR,
    cells,
    certificate,
    certified,
    dimension,
    write_demo,
)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    target = tmp_path_factory.mktemp("summary") / "demo"
    write_demo(target)
    return read_bundle(target)


def summary(bundle: Bundle, name: str) -> TableSummary:
    table = bundle.certificate.table(name)
    assert table is not None
    return summarise(bundle, table)


def rows(bundle: Bundle, name: str) -> list[dict[str, str]]:
    with (bundle.path / "tables" / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", ["by_sex", "by_place", "total"])
def test_a_summary_is_that_of_the_rows(bundle: Bundle, name: str) -> None:
    told, every = summary(bundle, name), rows(bundle, name)
    noisy = [row for row in every if row["status"] == "1"]
    margins = [int(row["margin"]) for row in noisy if "margin" in row]
    assert told.statuses == {1: len(noisy), -2: len(every) - len(noisy)}
    assert told.cells == len(noisy)
    assert told.negative == sum(int(row["value"]) < 0 for row in every)
    assert told.wide == sum(
        int(row["margin"]) >= int(row["value"]) for row in noisy if "margin" in row
    )
    assert (told.margins is None) == (name == "total")
    if told.margins is not None:
        assert told.margins.cells == len(margins)
        median = sorted(margins)[(len(margins) + 1) // 2 - 1]
        assert told.margins.median is not None
        assert (told.margins.median.low, told.margins.median.high) == (median, median)


@pytest.mark.parametrize("name", ["by_sex", "by_place", "total"])
def test_bars_are_the_first_cells_with_a_value(bundle: Bundle, name: str) -> None:
    table = bundle.certificate.table(name)
    assert table is not None
    noisy = [row for row in rows(bundle, name) if row["status"] == "1"]
    assert summary(bundle, name).bars == tuple(
        as_cell(row, table.identifiers) for row in noisy[:BARS]
    )


def as_cell(row: dict[str, Any], identifiers: tuple[str, ...]) -> Cell:
    value, margin = int(row["value"]), row.get("margin")
    codes = tuple(row[name] for name in identifiers)
    ends = (value - int(margin), value + int(margin)) if margin else None
    return Cell(codes, value, int(row["status"]), ends)


def test_a_matrix_holds_every_cell_once_and_no_sum(bundle: Bundle) -> None:
    told = summary(bundle, "by_sex")
    assert told.matrix is not None
    assert told.matrix.layout == FigureAxes(("place", "sector"), ("sex", "school"))
    shown = {
        (*down, *across): square
        for down, line in zip(told.matrix.rows, told.matrix.squares, strict=True)
        for across, square in zip(told.matrix.columns, line, strict=True)
    }
    expected = {
        tuple(row[name] for name in told.table.identifiers): row for row in rows(bundle, "by_sex")
    }
    assert {codes: as_cell(row, told.table.identifiers) for codes, row in expected.items()} == shown


def test_codes_without_an_establishment_are_left_out(bundle: Bundle) -> None:
    told = summary(bundle, "by_place")
    assert told.matrix is not None
    assert told.matrix.columns == (("11",), ("21",))
    assert told.matrix.size == told.cells == 10
    assert not told.matrix.whole


def test_a_square_without_an_establishment_is_empty(bundle: Bundle) -> None:
    table = bundle.certificate.table("by_place")
    assert table is not None
    chosen = FigureAxes(("place",), ("sector",))
    one, other = Cell(("01001", "11"), 5, 1, (3, 7)), Cell(("05", "31-33"), -1, 1, None)
    none = Cell(("05", "11"), 0, -2, None)
    drawn = matrix(chosen, table, [one, none, other])
    assert (drawn.rows, drawn.columns) == ((("01001",), ("05",)), (("11",), ("31-33",)))
    assert drawn.squares == ((one, None), (None, other))


@pytest.mark.parametrize(
    ("workplace", "worker", "expected"),
    [
        ((3, 5), (), (("b",), ("a",))),
        ((12, 20, 4), (), None),
        ((12,), (2, 4), (("a",), ("b", "c"))),
        ((2, 3, 4), (), (("b", "c"), ("a",))),
        ((40,), (25,), (("a",), ("b",))),
        ((41,), (25,), None),
        ((25,), (40,), (("b",), ("a",))),
        ((26,), (27,), None),
        ((10,), (), None),
        ((), (5, 6), (("b",), ("a",))),
        ((), (), None),
    ],
)
def test_identifiers_are_split_where_both_sides_fit(
    tmp_path: Path,
    workplace: tuple[int, ...],
    worker: tuple[int, ...],
    expected: tuple[tuple[str, ...], tuple[str, ...]] | None,
) -> None:
    sizes = [*((n, "workplaces") for n in workplace), *((n, "workers") for n in worker)]
    listed = [
        dimension(name, [f"{name}{at}" for at in range(size)], room)
        for name, (size, room) in zip("abc", sizes, strict=False)
    ]
    marginal = Marginal("t", tuple(listed[: len(workplace)]), tuple(listed[len(workplace) :]))
    with BundleWriter(tmp_path / "x") as bundle, bundle.table(marginal, margins=()) as writer:
        pass
    found = layout(certified(writer, margins=False))
    assert (None if found is None else (found.down, found.across)) == expected


@given(
    st.lists(st.lists(st.integers(-3, 6), max_size=20), max_size=6),
    st.integers(1, 7),
)
def test_the_largest_rows_are_the_first_of_equals(batches: list[list[int]], most: int) -> None:
    largest, seen = DrawnRows(most), 0
    for batch in batches:
        largest.add(np.array(batch, np.int64), np.arange(seen, seen + len(batch)))
        seen += len(batch)
    every = [value for batch in batches for value in batch]
    assert largest.found() == sorted(range(len(every)), key=lambda at: -every[at])[:most]


def test_the_whole_range_of_values_can_be_ranked() -> None:
    largest = DrawnRows(3)
    largest.add(np.array([-(2**63), 2**63 - 1, 0]), np.arange(3))
    assert largest.found() == [1, 2, 0]


def test_a_margin_as_large_as_the_value_reaches_zero(tmp_path: Path) -> None:
    sectors = Marginal("t", (SECTOR,), ())
    keys, ok = np.arange(3), np.ones(3, np.int64)
    published = Published(
        keys, np.array([[5], [5], [-5]]), ok, {"margin": np.array([[4], [5], [0]])}
    )
    with BundleWriter(tmp_path / "x") as writer:
        with writer.table(sectors, margins=("margin",)) as table:
            table.write(published)
        writer.seal(certificate("x", [certified(table)]))
    assert summary(read_bundle(tmp_path / "x"), "t").wide == 2


FLOWS = FlowStatement(name="flows", of="flow", sentence="Net changes are among them.")


@pytest.mark.parametrize("statistic", [None, FLOWS], ids=["counts", "net changes"])
def test_a_net_change_far_below_zero_does_not_reach_it(
    tmp_path: Path, statistic: FlowStatement | None
) -> None:
    """Of counts every number below zero does: the true number is none."""
    sectors = Marginal("t", (dimension("measure", list("abcd")),), ())
    ok, value = np.ones(4, np.int64), np.array([[-2371], [-5], [5], [9]])
    margins = {"margin": np.array([[7], [6], [6], [3]])}
    ends = {"low": value - margins["margin"], "high": value + margins["margin"]}
    spent: dict[str, Any] = {
        "method": "spent",
        "coverage": "9/10",
        "epsilon": "2/15",
        "note": "Paid.",
    }
    stated = {name: MarginStatement(**spent, ends=name == "ends") for name in ("margins", "ends")}
    for name, columns in (("margins", margins), ("ends", ends)):
        with BundleWriter(tmp_path / name) as writer:
            with writer.table(sectors, margins=tuple(columns)) as table:
                table.write(Published(np.arange(4), value, ok, columns))
            told = certified(table, changes={"statistic": statistic, "margins": stated[name]})
            writer.seal(certificate(name, [told]))
        bundle = read_bundle(tmp_path / name)
        found = summary(bundle, "t")
        assert found.wide == (3 if statistic is None else 2)
        page, measure = select(bundle, "t", RowSelection()), found.table.identifiers
        drawn = lines(page, measure, signed=found.table.signed)
        assert sum(one.span.open for one in drawn) == found.wide
        assert (NET_CHANGES in meaning_of_zero([found])) == (statistic is not None)


def test_a_table_of_several_row_groups_is_told_as_one(tmp_path: Path) -> None:
    places = ROW_GROUP + 500
    place = dimension("place", [f"{n:06d}" for n in range(places)])
    marginal = Marginal("long", (place,), (), establishments=True)
    with BundleWriter(tmp_path / "long") as writer:
        with writer.table(marginal, margins=("margin",)) as table:
            frame = np.ones(places, np.int64)
            frame[[-1, 3]] = 5000, 4000
            made = cells(marginal, range(places), margins=True)
            table.write(replace(made, establishments=frame))
        writer.seal(certificate("long", [certified(table)]))
    told = summary(read_bundle(tmp_path / "long"), "long")
    assert told.statuses == {1: places, -2: 0}
    assert [cell.codes for cell in told.bars[:2]] == [(f"{places - 1:06d}",), ("000003",)]
    assert told.matrix is None
