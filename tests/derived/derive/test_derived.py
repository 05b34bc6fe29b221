"""Derived numbers: they cover the truth, agree with totals, and say where nothing ends."""

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped] # ships no types
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import leeward
from leeward import Derived, derive
from leeward.core.errors import Damaged, InvalidParameter
from leeward.derived.derive.comparison import compare
from leeward.derived.derive.question import DerivedRow
from leeward.interface.commands.app import build
from leeward.publishing.bundle.noise_statement import NoiseStatement
from tests.publishing.bundle.tables_in_memory import Codes, InMemory, Line, in_memory
from tests.unchecked import unchecked_release

PLACES, SECTORS = [f"{number:03d}" for number in range(100)], [str(one) for one in range(10)]
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "place": {"table": "workplaces", "public": True, "codes": PLACES, "total": "all"},
    "sector": {"table": "workplaces", "public": True, "codes": SECTORS, "total": "all"},
    "sex": {"table": "workers", "codes": ["1", "2"], "total": "0"},
}
BY = ["place", "sector", "sex"]
TABLES: list[dict[str, Any]] = [
    {"name": "steps", "by": BY[:2], "mechanism": "staircase"},
    {"name": "shares", "by": BY[:2], "mechanism": "log_laplace"},
    {"name": "blocks", "by": BY, "mechanism": "vector_pareto", "totals": "all"},
    {"name": "bounds", "by": BY, "mechanism": "clipped", "totals": "all", "establishments": True},
]
COVERING = ("steps", "shares", "blocks", "bounds")


@dataclass(frozen=True)
class Twice:
    """The same data released twice by one plan, and the truth."""

    first: leeward.Bundle
    second: leeward.Bundle
    true: pd.Series


def economy() -> dict[str, pd.DataFrame]:
    random, number = np.random.default_rng(5), 2000
    workplaces = pd.DataFrame({"workplace_id": range(number)})
    workplaces["place"], workplaces["sector"] = (
        random.choice(codes, number) for codes in (PLACES, SECTORS)
    )
    sizes = random.lognormal(2, 1.4, number).astype(int)
    jobs = pd.DataFrame({"workplace_id": np.repeat(np.arange(number), sizes)})
    jobs["worker_id"] = jobs.index
    workers = pd.DataFrame({"worker_id": jobs.index, "sex": random.choice(["1", "2"], len(jobs))})
    return {"workplaces": workplaces, "workers": workers, "jobs": jobs}


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> Twice:
    folder, data = tmp_path_factory.mktemp("derived"), economy()
    plan = leeward.read_plan(
        {
            "codebook": {"attributes": ATTRIBUTES},
            "account": "office",
            "period": "2026Q2",
            "protect": {"policy": "strong", "alpha": "0.1", "epsilon": 10},
            "tables": TABLES,
        }
    )
    ledger = leeward.Ledger(folder / "ledger.sqlite")
    ledger.create("office", policy="strong", epsilon=20, alpha="0.1")
    first = unchecked_release(plan, out=folder / "first", ledger=ledger, **data)
    second = unchecked_release(plan, out=folder / "second", ledger=ledger, again=True, **data)
    true = data["jobs"].merge(data["workplaces"], on="workplace_id").groupby("place").size()
    return Twice(first, second, true)


def by_place(found: Derived, quantity: str) -> pd.DataFrame:
    rows = found.to_pandas()
    return rows[rows.quantity == quantity].set_index("place")


def covered(rows: pd.DataFrame, true: pd.Series) -> float:
    return float(((rows.low <= true) & (true <= rows.high)).mean())


def with_noise(
    bundle: leeward.Bundle, table: str, change: Callable[[NoiseStatement], NoiseStatement | None]
) -> leeward.Bundle:
    """The bundle with another statement of the noise of a table."""
    tables = [
        one.model_copy(update={"noise": change(one.noise)})
        if one.name == table and one.noise
        else one
        for one in bundle.certificate.tables
    ]
    certificate = bundle.certificate.model_copy(update={"tables": tuple(tables)})
    return replace(bundle, certificate=certificate)


def narrow(noise: NoiseStatement) -> NoiseStatement:
    part = {"share": noise.share / 4, "least": noise.least / 4}
    per_job = None if noise.per_job is None else noise.per_job / 4
    return noise.model_copy(update=part | {"per_job": per_job})


@pytest.mark.parametrize("table", COVERING)
def test_nine_sums_and_shares_of_ten_hold(twice: Twice, table: str) -> None:
    found = derive(twice.first, table, ["place"], ["sum", "share"])
    # 100 sums of about nine cells: 0.75 is five standard deviations below 0.9.
    assert covered(by_place(found, "sum"), twice.true) > 0.75
    assert covered(by_place(found, "share"), twice.true / twice.true.sum()) > 0.75
    wrong = derive(with_noise(twice.first, table, narrow), table, ["place"])
    assert covered(by_place(wrong, "sum"), twice.true) < 0.75


@pytest.mark.parametrize("table", ["blocks", "bounds"])
def test_a_sum_has_the_interval_of_the_published_total(twice: Twice, table: str) -> None:
    published = twice.first[table].to_pandas().set_index(BY)
    totals = {name: ATTRIBUTES[name]["total"] for name in BY}
    for by in (["place"], ["sector", "sex"], ["sex"], []):
        for row in derive(twice.first, table, by).rows:
            codes = totals | dict(zip(by, row.codes, strict=True))
            total = published.loc[tuple(codes[name] for name in BY)]
            ends = (total.low, total.high) if table == "bounds" else (
                total.value - total.margin, total.value + total.margin
            )  # fmt: skip
            assert (row.value, row.low, row.high) == (total.value, *ends)


@pytest.mark.parametrize("table", COVERING)
def test_equal_data_seldom_differ_clearly(twice: Twice, table: str) -> None:
    found = derive(twice.first, table, ["place"], ["change", "ratio"], against=twice.second)
    changes = by_place(found, "change")
    one, two = (by_place(derive(b, table, ["place"]), "sum") for b in (twice.first, twice.second))
    assert (changes.value == one.value - two.value).all()
    # Of 100 groups ten are clear on average at most: 25 is five standard deviations above.
    assert covered(changes, 0 * twice.true) > 0.75
    assert covered(by_place(found, "ratio"), twice.true / twice.true) > 0.75
    both = (one.high - one.low) + (two.high - two.low)
    assert ((changes.high - changes.low) < both).all()
    assert ((changes.high - changes.low) / both).median() < 0.85
    page = compare(twice.second, twice.first, table)
    assert page.drawn
    assert page.apart is not None
    assert page.by_chance == round(page.both / 10)
    assert page.independent == (table in ("steps", "shares"))
    assert page.different is not None
    assert page.different <= 1  # at most a tenth is expected to be some, and noise is all there is
    assert page.apart < 0.15 * page.both  # of 850 cells or more: five standard deviations


def test_without_the_number_of_establishments_clipping_is_taken_at_its_most(twice: Twice) -> None:
    (row,) = derive(twice.first, "bounds").rows
    known = twice.first["bounds"].about
    unknown = known.model_copy(update={"establishments": None, "columns": known.columns[:-1]})
    certificate = twice.first.certificate.model_copy(update={"tables": (unknown,)})

    @dataclass(frozen=True)
    class Without(leeward.Bundle):
        def batches(
            self, name: str, columns: Sequence[str] | None = None, *, totals: bool = True
        ) -> Iterator[pa.RecordBatch]:
            for batch in twice.first.batches(name, columns, totals=totals):
                yield batch.drop_columns(["establishments"])

    (wider,) = derive(Without(twice.first.path, certificate), "bounds").rows
    assert (wider.value, wider.low) == (row.value, row.low)
    assert ends(wider)[1] > ends(row)[1]
    assert row.method == "draws; bias not corrected"


CODES: Codes = {"place": {"a": "A", "b": "B", "c": "C"}, "sector": {"1": "one", "2": "two"}}
LAPLACE = [{"rate": 1.0}, {"low": 0.0, "rate": -1.0}]
"""A density of exp(−|z|), as a certificate states it."""


def stated(**changes: object) -> NoiseStatement:
    """Laplace noise whose scale is the margin."""
    numbers = {"law": "pieces", "pieces": LAPLACE, "share": 1.0, "least": 0.0}
    return NoiseStatement.of(numbers | changes)


def small(
    values: Mapping[str, tuple[int, int]],
    noise: NoiseStatement | None = None,
    bias: str | None = None,
) -> InMemory:
    """Places with a value and a margin."""
    lines: list[Line] = [((code,), *one[:1], 1, one[1]) for code, one in values.items()]
    return in_memory(lines, {"place": CODES["place"]}, noise=noise or stated(), bias=bias)


def only(found: Derived, code: str, quantity: str) -> DerivedRow:
    (row,) = [one for one in found.rows if (one.codes, one.quantity) == ((code,), quantity)]
    return row


def ends(row: DerivedRow) -> tuple[float, float]:
    """The ends of a row that has both."""
    assert row.low is not None
    assert row.high is not None
    return row.low, row.high


def test_a_denominator_that_may_be_0_leaves_no_end() -> None:
    bundle = small({"a": (1000, 1), "b": (10, 20), "c": (-3, 20)})
    against_b = derive(bundle, "t", ["place"], "ratio", against={"place": "b"})
    row = only(against_b, "a", "ratio")
    assert (row.value, row.high) == (100, None)
    assert row.low is not None
    assert 10 < row.low < 40
    assert row.method == "draws; no upper end: the denominator may be 0"
    none = only(against_b, "c", "ratio")
    assert (none.low, none.high) == (None, None)
    assert none.method == "draws; no ends: the denominator may be 0"
    unknown = only(derive(bundle, "t", ["place"], "ratio", against={"place": "c"}), "a", "ratio")
    assert (unknown.value, unknown.high) == (None, None)
    sure = only(derive(bundle, "t", ["place"], "ratio", against={"place": "a"}), "b", "ratio")
    assert sure.method == "draws"
    assert -0.1 < ends(sure)[0] < 0 < ends(sure)[1] < 0.1


def test_a_change_of_groups_has_the_interval_of_both_noises() -> None:
    codes = {str(number): "" for number in range(16)}
    lines: list[Line] = [((code,), 1000, 1, 100) for code in codes]
    bundle = in_memory(lines, {"place": codes}, noise=stated())
    pairs = [(str(number), str(number + 1)) for number in range(0, 16, 2)]
    changes = [
        only(derive(bundle, "t", ["place"], "change", against={"place": other}), code, "change")
        for code, other in pairs
    ]
    # P(|L − L'| > x) = (1 + x/2)·e^−x, which is 0.1 at 3.27. 2000 draws are off by 2.5 %, the mean
    # of eight by 0.9 %.
    wide = np.mean([np.ptp(ends(row)) / 200 for row in changes])
    assert wide == pytest.approx(3.27, rel=0.04)
    own = [only(derive(bundle, "t", ["place"]), code, "sum") for code in codes]
    assert np.mean([np.ptp(ends(row)) / 200 for row in own]) == pytest.approx(np.log(10), rel=0.04)


def test_ranks_are_sets_and_chances_of_the_largest() -> None:
    bundle = small({"a": (5000, 10), "b": (1000, 10), "c": (1003, 10)})
    found = derive(bundle, "t", ["place"], "rank", top=2)
    ranks = {row.codes[0]: (row.value, row.low, row.high) for row in found.rows[::2]}
    assert ranks == {"a": (1, 1, 1), "b": (3, 2, 3), "c": (2, 2, 3)}
    chances = {row.codes[0]: row.value for row in found.rows[1::2]}
    assert chances["a"] == 1
    # P(L − L' > −0.3) = 1 − (1 + 0.15)·e^−0.3 / 2
    assert chances["c"] == pytest.approx(0.574, abs=0.04)
    assert found.rows[1].quantity == "top 2"
    (alone,) = derive(bundle, "t", [], "rank").rows[:1]
    assert (alone.value, alone.low, alone.high) == (1, 1, 1)


def test_shares_are_of_a_group_and_means_of_cells() -> None:
    lines: list[Line] = [
        *((("a", "1"), 30, 1, 1), (("a", "2"), 10, 1, 1), (("b", "1"), 50, 1, 1)),
        (("c", "1"), 0, -2, None),
    ]
    bundle = in_memory(lines, CODES, noise=stated())
    found = derive(bundle, "t", ["sector", "place"], "share", of=["place"])
    assert found.by == ("place", "sector")
    shares = {row.codes: row.value for row in found.rows}
    assert shares == {("a", "1"): 0.75, ("a", "2"): 0.25, ("b", "1"): 1.0}
    means = derive(bundle, "t", ["place"], "mean").rows
    assert [(row.codes, row.value) for row in means] == [(("a",), 20.0), (("b",), 50.0)]
    assert derive(in_memory([], CODES, noise=stated()), "t", BY[:2], ["sum", "rank"]).rows == ()


def test_noise_without_a_bound_has_no_ends() -> None:
    heavy = [{"power": -0.01, "centre": 1.0}, {"low": 0.0, "power": -0.01, "centre": -1.0}]
    found = derive(small({"a": (50, 9), "b": (9, 9)}, stated(pieces=heavy)), "t", ["place"])
    assert {(row.low, row.high) for row in found.rows} == {(None, None)}
    assert found.rows[0].method == "draws; no ends: the noise is too large for a bound"


def test_rows_are_the_same_in_every_form() -> None:
    bundle = small({"a": (1000, 1), "b": (1, 20)}, bias="Clipped.")
    found = derive(bundle, "t", ["place"], ["sum", "ratio"], against={"place": "b"})
    rows = found.to_dict(labels=True)["rows"]
    read = list(csv.DictReader(StringIO(found.to_csv(labels=True))))
    assert [row["place_label"] for row in read] == ["A", "B", "A"]
    texts = [{k: "" if v is None else str(v) for k, v in row.items()} for row in rows]
    assert texts == read
    assert found.to_arrow(labels=True).to_pylist() == rows
    assert "Clipped." in " ".join(found.notes)
    assert repr(found) == "Derived('t', by place, 3 rows)"
    assert "bias not corrected" in found._repr_html_()


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({"by": ["sex"]}, "by: must be some of place"),
        ({"quantity": "median"}, "quantity: must be among sum"),
        ({"quantity": "change"}, "against: is needed for change"),
        ({"against": {"place": "a"}}, "against: belongs to change and ratio"),
        ({"quantity": "ratio", "against": {"place": "z"}}, "against: must name codes of by"),
        ({"of": ["place"]}, "of: belongs to share"),
        ({"quantity": "share", "of": ["place"]}, "of: must be some of by"),
        ({"quantity": "rank", "top": 0}, "top: must be a whole number"),
    ],
)
def test_what_cannot_be_derived_is_refused(given: dict[str, Any], rule: str) -> None:
    with pytest.raises(InvalidParameter, match=rule):
        derive(small({"a": (1, 1)}), "t", **given)


def test_tables_without_a_law_are_refused(twice: Twice) -> None:
    bare = in_memory([], {"place": {"a": "A"}}, margins=False)
    with pytest.raises(InvalidParameter, match=r"t, which has no margins\. Choose a table with"):
        derive(bare, "t")
    older = with_noise(twice.first, "steps", lambda _: None)
    with pytest.raises(InvalidParameter, match=r"of an earlier Leeward\. Release it again"):
        derive(older, "steps")
    assert not compare(older, twice.second, "steps").drawn
    with pytest.raises(InvalidParameter, match="must be of another noise than the table itself"):
        derive(twice.first, "steps", [], "change", against=twice.first)
    other = derive(twice.first, "steps", [], "change", against=twice.first["shares"])
    assert other.rows[0].quantity == "change"


def test_a_statement_that_is_no_law_is_damage() -> None:
    upside = [{"rate": -1.0}, {"low": 0.0, "rate": 1.0}]
    with pytest.raises(Damaged, match="must state noise that has a law"):
        derive(small({"a": (1, 1)}, stated(pieces=upside)), "t")
    twice_there: list[Line] = [(("a",), 1, 1, 1)] * 2
    with pytest.raises(Damaged, match="each cell once"):
        derive(in_memory(twice_there, {"place": {"a": "A"}}, noise=stated()), "t")


def run(*words: str) -> tuple[int, str]:
    ended = CliRunner().invoke(build(), ["read", *words])
    return ended.exit_code, ended.output


def test_the_command_shows_and_writes_what_the_function_says(twice: Twice, tmp_path: Path) -> None:
    first, second = str(twice.first.path), str(twice.second.path)
    asked = (first, "steps", "--by", "sector", "--as", "sum,change", "--against", second)
    expected = derive(twice.first, "steps", ["sector"], ["sum", "change"], against=twice.second)
    code, shown = run(*asked)
    assert code == 0
    lines = shown.splitlines()
    assert lines[0].split() == ["sector", "quantity", "value", "low", "high", "method"]
    value = f"{expected.rows[0].value:,}".replace("-", "−")
    assert lines[1].split()[:3] == ["0", "sum", value]
    assert all(note in shown for note in expected.notes)
    assert json.loads(run(*asked, "--json")[1]) == expected.to_dict()
    target = tmp_path / "rows.csv"
    assert run(*asked, "--csv", str(target))[0] == 0
    assert target.read_text() == expected.to_csv()
    assert "--csv: must be a new file" in run(*asked, "--csv", str(target))[1]
    code, shown = run(first, "steps", "--by", "sector", "--as", "ratio", "--against", "sector=0")
    assert "Change and ratio are against the group sector=0." in shown
    assert run(first, "steps", "--as", "change", "--against-table", "shares")[0] == 0
    mixed = ("--as", "ratio", "--against", "sector=0", "--against-table", "shares")
    assert (
        "--against-table: must be left out where --against is a group"
        in run(first, "steps", *mixed)[1]
    )
