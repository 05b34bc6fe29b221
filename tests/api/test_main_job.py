"""From three frames to a verified bundle, with `import leeward` alone."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import ibis  # type: ignore[import-untyped] # ships no types
import pandas as pd  # type: ignore[import-untyped] # ships no types
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import leeward
from leeward.core.errors import AlreadyReleased, BadFile, OverBudget
from tests.api.conftest import CODES, REQUEST
from tests.unchecked import unchecked_release

Tables = dict[str, pd.DataFrame]


def test_from_three_frames_to_a_verified_bundle(
    plan: leeward.Plan, ledger: leeward.Ledger, tables: Tables, tmp_path: Path
) -> None:
    (told,) = leeward.predict(plan, ledger=ledger).tables
    assert (told.name, told.mechanism, str(told.epsilon)) == ("by_place", "staircase", "4")
    assert told.mean_abs_error is not None
    assert leeward.check(plan, **tables).findings == ()
    bundle = unchecked_release(plan, out=tmp_path / "bundle", ledger=ledger, **tables)
    assert list(bundle) == ["by_place"]
    frame = bundle["by_place"].to_pandas(labels=True)
    assert list(frame.columns) == ["place", "place_label", "value", "status", "margin"]
    assert dict(zip(frame.place, frame.place_label, strict=True)) == CODES
    assert bundle["by_place"].to_polars().columns == ["place", "value", "status", "margin"]
    assert bundle["by_place"].to_arrow() == bundle.table("by_place")
    assert (bundle.path / "report.html").exists()
    assert leeward.verify(bundle.path, ledger=ledger).sound
    picture = bundle["by_place"].picture().save(tmp_path / "by_place.html").read_text()
    for place, value, margin in zip(frame.place_label, frame.value, frame.margin, strict=True):
        assert f'<th scope="row">{place}</th>' in picture
        assert f'<td class="number">{value}</td><td class="number">± {margin}</td>' in picture
    assert ledger.account("office").left.epsilon == 12


STREAMS: dict[str, Any] = {
    "pandas": lambda one: one,
    "polars": pl.from_pandas,
    "arrow": lambda one: pa.Table.from_pandas(one, preserve_index=False),
    "reader": lambda one: pa.Table.from_pandas(one, preserve_index=False).to_reader(),
    "duckdb": duckdb.from_df,
    "ibis": lambda one: ibis.memtable(pa.Table.from_pandas(one, preserve_index=False)),
    "categories": lambda one: one.astype("category"),
}


@pytest.mark.parametrize("kind", STREAMS)
def test_every_kind_of_frame_counts_the_same(plan: leeward.Plan, kind: str, tables: Tables) -> None:
    from leeward.publishing.release.check import open_data  # noqa: PLC0415 (what a release reads)

    given = {name: STREAMS[kind](one) for name, one in tables.items()}
    with open_data(plan.reading(**given)) as engine:
        assert engine.check(plan.codebook, plan.jobs) == ()
        engine.prepare(plan.codebook, plan.jobs, [plan.tables[0].marginal], [])
        (batch,) = engine.cells(plan.tables[0].marginal, batch=9)
        assert engine.digest()
        assert engine.unchanged()
    sizes = tables["jobs"].merge(tables["workplaces"]).groupby("place").size()
    assert batch.cells.opened().counts[:, 0].tolist() == sizes.tolist()


def test_files_and_frames_may_be_mixed(
    plan: leeward.Plan, tables: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pq.write_table(pa.Table.from_pandas(tables["jobs"]), tmp_path / "jobs.parquet")
    monkeypatch.chdir(tmp_path)
    for jobs in ("jobs.parquet", Path("jobs.parquet"), tmp_path / "jobs.parquet"):
        assert leeward.check(plan, **{**tables, "jobs": jobs}).findings == ()


def test_a_frame_that_changes_after_it_was_given_is_not_seen(
    plan: leeward.Plan, ledger: leeward.Ledger, tables: Tables, tmp_path: Path
) -> None:
    """The charge and the counts are those of one copy."""
    arrow = {name: pa.Table.from_pandas(one) for name, one in tables.items()}
    unchecked_release(plan, out=tmp_path / "one", ledger=ledger, **arrow)
    with pytest.raises(AlreadyReleased):
        unchecked_release(plan, out=tmp_path / "two", ledger=ledger, **arrow)
    changed = {**arrow, "jobs": arrow["jobs"].slice(1)}
    with pytest.raises(AlreadyReleased):  # whatever the data are
        unchecked_release(plan, out=tmp_path / "two", ledger=ledger, **changed)
    unchecked_release(plan, out=tmp_path / "two", ledger=ledger.path, again=True, **changed)


def test_what_is_no_frame_is_refused(plan: leeward.Plan, tables: Tables) -> None:
    with pytest.raises(BadFile, match=r"data.jobs: must be a path, or a frame .* got a list"):
        leeward.check(plan, **{**tables, "jobs": [1, 2]})
    with pytest.raises(leeward.LeewardError, match=r"got a DataFrame in this process\. Leave out"):
        leeward.check(plan, engine="spark", **tables)
    with pytest.raises(BadFile, match=r"data.jobs: must name a file"):
        leeward.check(plan, workplaces=tables["workplaces"], workers=tables["workers"])


def test_a_frame_of_mixed_values_is_read_value_by_value(
    plan: leeward.Plan, ledger: leeward.Ledger, tables: Tables, tmp_path: Path
) -> None:
    tables["workers"]["sex"] = tables["workers"]["sex"].astype(object)
    tables["workers"].loc[0, "sex"] = ("SECRET",)
    tables["workers"].loc[1, "sex"] = 7
    found = leeward.check(plan, **tables).findings
    assert {(one.problem, one.rows) for one in found if one.column == "sex"} == {
        ("missing code", 1), ("unlisted code", 1)
    }  # fmt: skip
    unchecked_release(plan, out=tmp_path / "bundle", ledger=ledger, **tables)
    assert ledger.account("office").left.epsilon < 16


def test_a_release_over_the_cap_is_refused(
    ledger: leeward.Ledger, tables: Tables, tmp_path: Path
) -> None:
    dear = {**REQUEST, "protect": {**REQUEST["protect"], "epsilon": 17}}
    plan = leeward.read_plan(dear)
    assert leeward.predict(plan, ledger=ledger).to_dict()["refused"]
    with pytest.raises(OverBudget):
        unchecked_release(plan, out=tmp_path / "bundle", ledger=ledger, **tables)


def test_a_changed_bundle_is_not_sound(
    plan: leeward.Plan, ledger: leeward.Ledger, tables: Tables, tmp_path: Path
) -> None:
    bundle = unchecked_release(plan, out=tmp_path / "bundle", ledger=ledger, **tables)
    table = bundle.path / "tables" / "by_place.csv"
    table.write_text(table.read_text().replace("01,", "02,", 1))
    found = leeward.verify(bundle.path, ledger=ledger)
    assert not found.sound
    assert any("by_place.csv" in one for one in found.problems)


def test_values_show_themselves(
    plan: leeward.Plan, ledger: leeward.Ledger, tables: Tables, tmp_path: Path
) -> None:
    bundle = unchecked_release(plan, out=tmp_path / "bundle", ledger=ledger, **tables)
    shown = [plan, leeward.predict(plan), bundle, bundle["by_place"], ledger,
             leeward.verify(bundle.path)]  # fmt: skip
    for one in shown:
        assert len(repr(one)) < 200, repr(one)
        assert one._repr_html_().startswith("<div><p><b>")  # type: ignore[attr-defined]
    assert bundle["by_place"].picture()._repr_html_().startswith("<iframe ")
    assert str(ledger.show()).startswith("office: strong, alpha 0.1, epsilon 16 in all")


def test_texts_of_a_bundle_are_escaped_in_a_notebook(
    ledger: leeward.Ledger, tables: Tables, tmp_path: Path
) -> None:
    hostile = "<script>alert(1)</script>"
    book = {"attributes": {"place": {"table": "workplaces", "public": True, "codes": [hostile]}}}
    tables["workplaces"]["place"] = hostile
    plan = leeward.read_plan({**REQUEST, "codebook": book})
    bundle = unchecked_release(plan, out=tmp_path / "bundle", ledger=ledger, **tables)
    assert "<script" not in bundle["by_place"]._repr_html_()
    assert "&lt;script" in bundle["by_place"]._repr_html_()
    picture = bundle["by_place"].picture()
    assert "<script" not in picture.to_html()
    assert "<script" not in picture._repr_html_()


def test_polars_must_be_installed_for_its_frames(
    plan: leeward.Plan,
    ledger: leeward.Ledger,
    tables: Tables,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bundle = unchecked_release(plan, out=tmp_path / "bundle", ledger=ledger, **tables)
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(BadFile, match=r"polars: must be installed .* pip install polars"):
        bundle["by_place"].to_polars()


def test_squares_are_for_tables_that_fit(
    plan: leeward.Plan, ledger: leeward.Ledger, tables: Tables, tmp_path: Path
) -> None:
    both = {**REQUEST["tables"][0], "name": "both", "by": ["place", "sex"]}
    plan = leeward.read_plan({**REQUEST, "tables": [*REQUEST["tables"], both]})
    bundle = unchecked_release(plan, out=tmp_path / "bundle", ledger=ledger, **tables)
    assert 'class="heat' in bundle["both"].picture("squares").to_html()
    with pytest.raises(leeward.LeewardError, match="kind: must be bars, or squares"):
        bundle["by_place"].picture("squares")
    with pytest.raises(leeward.LeewardError, match="most: must be at least 1"):
        bundle["both"].picture(most=0)


def test_importing_leeward_loads_nothing_else() -> None:
    program = (
        "import sys, leeward; print(*(n for n in sys.modules if n.startswith('leeward.')));"
        "print('numpy' in sys.modules, 'pydantic' in sys.modules)"
    )
    told = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout
    assert told.split() == ["False", "False"]
