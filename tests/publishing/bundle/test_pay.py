"""Tables of pay: written with empty fields, read back, verified, and broken."""

import csv
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError

from leeward.core.codebook import Payroll, Published
from leeward.core.errors import Damaged
from leeward.core.show.environment import environment
from leeward.publishing.bundle import BundleWriter, CertifiedTable, read_bundle, verify_bundle
from leeward.publishing.bundle.figure import picture
from leeward.publishing.bundle.selection import RowSelection, SelectedRow, select
from leeward.publishing.bundle.table_statements import StatisticStatement, TotalsStatement
from tests.publishing.bundle.made_up_pay import (
    EARNINGS,
    ENDS,
    MEAN_CELLS,
    MEANS,
    NUMBERS,
    PAYROLL_CELLS,
    write_pay,
)
from tests.publishing.bundle.tampering import Row, reseal, rewrite, stated


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pay(tmp_path_factory.mktemp("pay") / "pay")


@pytest.fixture
def bundle(sealed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sealed, tmp_path / "pay"))


def test_fields_without_a_number_are_empty_in_both_formats(sealed: Path) -> None:
    assert verify_bundle(sealed) == ()
    table = read_bundle(sealed)["means"]
    assert table.columns == ("place", "value", "status", *ENDS)
    rows = table.to_arrow().to_pylist()
    assert [
        (one["value"], one["status"], one["low"], one["high"], one["count"]) for one in rows
    ] == [
        (410_000, 1, 380_000, 450_000, 52),
        (None, -1, None, None, -3),
        (0, -2, None, None, None),
        (390_000, 1, 120_000, None, 4),
        (520_000, 1, None, None, 2),
    ]
    with (sealed / "tables" / "means.csv").open() as file:
        read = list(csv.DictReader(file))
    assert [{k: "" if v is None else str(v) for k, v in one.items()} for one in rows] == read
    assert [one["status"] for one in read_bundle(sealed).table("by_sex").to_pylist()][:3] == [
        1,
        -1,
        1,
    ]


def test_the_certificate_says_what_a_value_is(sealed: Path) -> None:
    tables = {one.name: one for one in read_bundle(sealed).certificate.tables}
    told = tables["means"].statistic
    assert told is not None
    assert told.model_dump(exclude={"sentence"}) == {
        "name": "mean",
        "of": "earnings",
        "unit": "cents",
        "period": "month",
        "low": 0,
        "cap": 1_500_000,
        "cap_from": "the pay scale of 2025",
        "count": True,
    }
    assert "payroll counted up to 1,500,000 cents a job" in told.sentence
    assert "Missing pay counts as 0, and so does pay below 0" in told.sentence
    assert "not whole is rounded down" in told.sentence
    assert (tables["means"].unit, tables["counts"].unit) == ("cents per month", "jobs")
    assert "statistic" not in tables["counts"].model_dump()


def test_pay_below_a_bound_above_0_is_told() -> None:
    column = replace(EARNINGS, numbers=replace(NUMBERS, low=100))
    told = StatisticStatement.of_statistic(Payroll(column), count=False)
    assert told is not None
    assert "what is below 100 counts as 100" in told.sentence
    assert "count" not in told.model_dump()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"low": 2_000_000}, "low must not be above cap"),
        ({"edges": (1, 2)}, "edges must be there with classes"),
        ({"name": "classes"}, "edges must be there with classes"),
        ({"name": "percentiles", "edges": (1, 2)}, "at must be there with percentiles"),
        ({"name": "classes", "edges": (2, 2)}, "must ascend"),
    ],
)
def test_a_statement_agrees_with_itself(sealed: Path, changes: Row, reason: str) -> None:
    told = read_bundle(sealed).certificate.tables[0].statistic
    assert told is not None
    with pytest.raises(ValidationError, match=reason):
        StatisticStatement.model_validate(told.model_dump() | changes)


def test_only_counts_have_totals(sealed: Path) -> None:
    told = read_bundle(sealed).certificate.tables[0]
    sums = TotalsStatement(codes={"place": "00"}, rows=1, draws=None, seed=None, sentence="Sums.")
    with pytest.raises(ValidationError, match="must be of counts"):
        CertifiedTable.model_validate(dict(told) | {"totals": sums})


def edited(at: int, **numbers: object) -> Callable[[list[Row]], list[Row]]:
    return lambda rows: [row | numbers if n == at else row for n, row in enumerate(rows)]


BETWEEN = "has values that are not between low and high"
LACKING = "has a value where status is -1, or none where it is not"


@pytest.mark.parametrize(
    ("table", "change", "finding"),
    [
        ("means", edited(0, value=None), LACKING),
        ("means", edited(1, value=5), LACKING),
        ("means", edited(0, value=None, status=-1), None),
        ("means", edited(0, low=410_001), BETWEEN),
        ("means", edited(0, high=409_999), BETWEEN),
        ("means", edited(3, low=390_001), BETWEEN),
        ("means", edited(1, low=2, high=1), BETWEEN),
        ("means", edited(2, count=0), "has low, high or count where status is -2"),
        ("means", edited(2, value=1), "has a value other than 0 where there is no establishment"),
        ("means", edited(0, status=9), "has status flags other than 1, -1 and -2"),
        ("means", edited(0, status=None), "has rows with an empty field"),
        ("by_sex", edited(1, status=-2, value=0, count=None), "has different flags in one"),
        ("counts", edited(0, value=None), "has rows with an empty field"),
        ("counts", edited(0, status=-1), "has status flags other than 1 and -2"),
    ],
)  # fmt: skip
def test_verify_finds_what_breaks_the_rules(
    bundle: Path, table: str, change: Callable[[list[Row]], list[Row]], finding: str | None
) -> None:
    rewrite(bundle, table, change)
    found = verify_bundle(bundle)
    if finding is None:
        assert found == ()
    else:
        assert any(one.startswith(f"the table {table} {finding}") for one in found), found


def test_a_table_of_counts_may_not_lack_numbers(bundle: Path) -> None:
    """Whoever takes the statistic out of a certificate makes counts of it: they are refused."""

    def without(content: Row) -> None:
        one = stated(content, "means")
        del one["statistic"]
        one["columns"].remove("count")

    reseal(bundle, without)
    assert verify_bundle(bundle) == (
        "tables/means.csv-metadata.json does not describe the table that the certificate states",
        "the table means has other columns in Parquet than the certificate says",
    )


@pytest.mark.parametrize(
    "published",
    [
        replace(MEAN_CELLS, flags=PAYROLL_CELLS.flags),
        replace(PAYROLL_CELLS, margins={**PAYROLL_CELLS.margins, "low": PAYROLL_CELLS.values + 1}),
    ],
)
def test_unsound_cells_are_not_sealed(tmp_path: Path, published: Published) -> None:
    with (
        pytest.raises(Damaged, match="must be sound"),
        BundleWriter(tmp_path / "x") as target,
        target.table(MEANS, margins=ENDS) as writer,
    ):
        writer.write(published)


def test_rows_are_sorted_with_empty_fields_last_and_their_ends_may_be_open(sealed: Path) -> None:
    def rows(sort: str, *, descending: bool = False) -> tuple[SelectedRow, ...]:
        asked = RowSelection(sort=sort, descending=descending)
        return select(read_bundle(sealed), "means", asked).rows

    assert [one.value for one in rows("value")] == [0, 390_000, 410_000, 520_000, None]
    assert [one.value for one in rows("value", descending=True)][-1] is None
    assert [one.margins[2] for one in rows("count")] == [-3, 2, 4, 52, None]
    assert [one.margins[0] for one in rows("low", descending=True)][:2] == [380_000, 120_000]
    assert [one.ends for one in rows("")] == [
        (380_000, 450_000), None, None, (120_000, None), None,
    ]  # fmt: skip
    lacking = select(read_bundle(sealed), "means", RowSelection(status=-1))
    assert [one.value for one in lacking.rows] == [None]


def test_pictures_have_the_unit_and_open_ends(sealed: Path) -> None:
    held = read_bundle(sealed)
    made = picture(held, held["means"].about, "bars", 25)
    macros = environment().get_template("show/charts.html.j2").module
    html = str(macros.figure(made.chart, made.caption))  # type: ignore[attr-defined]
    assert '<th scope="col" class="number">Cents per month</th>' in html
    assert [html.count(one) for one in ("no margin", "at least 120,000", 'class="whisker"')] == [
        1,
        1,
        2,
    ]
    assert 'x2="100%" y1="9"' in html, "without an upper end the line goes on to the border"
    assert "All 3 cells of means." in made.caption
    squares = picture(held, held["by_sex"].about, "squares", 25)
    html = str(macros.figure(squares.chart, ""))  # type: ignore[attr-defined]
    assert "in cents per month</caption>" in html
    assert 'title="no number"' in html
    assert "no establishment" not in html


def test_the_readme_explains_the_columns(sealed: Path) -> None:
    text = " ".join((sealed / "README.txt").read_text().split())
    assert "pay: employment and pay for 2026Q2" in text
    assert "In means value is in cents per month: the mean of earnings." in text
    for words in ("-1 means that", "count is the number of jobs", "of pay may be empty", "Fieller"):
        assert words in text, words
