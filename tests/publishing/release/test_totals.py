"""Totals and establishments from the plan to the bundle, with the total codes of LEHD (V4.14)."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped] # ships no types
import pytest

import leeward
from leeward.core.errors import InvalidParameter, LeewardError
from leeward.derived.derive.comparison import compare
from leeward.publishing.bundle.selection import RowSelection, select
from tests.publishing.bundle.tampering import Row, reseal, rewrite, stated
from tests.publishing.plan.test_plus import opened
from tests.unchecked import unchecked_release

ATTRIBUTES: dict[str, dict[str, Any]] = {
    "industry": {"table": "workplaces", "codes": ["11", "21", "22"], "total": "00"},
    "ownercode": {"table": "workplaces", "codes": ["A01", "A05"], "total": "A00"},
    "sex": {"table": "workers", "codes": ["1", "2"], "total": "0"},
    "agegrp": {"table": "workers", "codes": ["A01", "A02", "A03"], "total": "A00"},
    "race": {"table": "workers", "codes": ["A1", "A2"], "total": "A0"},
    "county": {"table": "workplaces", "codes": ["001"]},
}
for _one in ATTRIBUTES.values():
    _one |= {"public": True} if _one["table"] == "workplaces" else {}
BY = ["industry", "ownercode", "sex", "agegrp"]
TABLES: list[dict[str, Any]] = [
    {
        "name": "workers",
        "by": BY,
        "totals": "all",
        "establishments": True,
        "mechanism": "vector_pareto",
    },
    {
        "name": "owners",
        "by": BY[:2],
        "totals": ["ownercode"],
        "complete": True,
        "mechanism": "slope",
    },
    {"name": "plain", "by": BY[:2], "totals": "all", "margins": "none", "mechanism": "clipped"},
]


Change = Callable[[list[Row]], list[Row]]


def planned(tables: list[dict[str, Any]] = TABLES) -> leeward.Plan:
    return leeward.read_plan(
        {
            "codebook": {"attributes": ATTRIBUTES},
            "account": "office",
            "period": "2026Q2",
            "protect": {"policy": "strong", "alpha": "0.1", "epsilon": 8},
            "tables": tables,
        }
    )


def data() -> dict[str, pd.DataFrame]:
    """60 establishments, none of industry 22 and owner A01."""
    numbers = np.random.default_rng(5)
    workplaces = pd.DataFrame({"workplace_id": range(60), "county": "001"})
    workplaces["industry"] = numbers.choice(["11", "21", "22"], 60)
    public = workplaces.industry != "22"
    workplaces["ownercode"] = np.where(public & (workplaces.index % 3 == 0), "A01", "A05")
    jobs = pd.DataFrame({"workplace_id": np.repeat(np.arange(60), numbers.integers(0, 30, 60))})
    jobs["worker_id"] = jobs.index
    kinds = {one: ATTRIBUTES[one]["codes"] for one in ("sex", "agegrp", "race")}
    drawn = {name: numbers.choice(codes, len(jobs)) for name, codes in kinds.items()}
    workers = pd.DataFrame({"worker_id": jobs.index, **drawn})
    return {"workplaces": workplaces, "workers": workers, "jobs": jobs}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> leeward.Bundle:
    folder = tmp_path_factory.mktemp("totals")
    ledger = opened(folder, 1)
    made = unchecked_release(planned(), out=folder / "bundle", ledger=ledger, **data())
    assert leeward.verify(made.path, ledger=ledger).sound
    return made


def test_a_total_is_the_sum_of_its_rows(bundle: leeward.Bundle) -> None:
    cells = bundle["workers"].to_pandas(totals=False)
    rows = bundle["workers"].to_pandas().set_index(BY)
    grand = rows.loc["00", "A00", "0", "A00"]
    assert grand.value == cells.value.sum()
    assert grand.establishments == 60
    assert rows.index[-1] == ("00", "A00", "0", "A00")
    for industry, part in cells.groupby("industry"):
        assert rows.loc[industry, "A00", "0", "A00"].value == part.value.sum()
        assert (
            rows.loc[industry, "A00", "1", "A00"].establishments
            == (data()["workplaces"].industry == industry).sum()
        )
    assert (rows.margin > 0).all()


def test_totals_of_a_complete_table_have_its_flags(bundle: leeward.Bundle) -> None:
    rows = bundle["owners"].to_pandas().set_index(BY[:2])
    assert rows.loc["22", "A01"].status == -2
    assert rows.loc["22", "A00"].value == rows.loc["22", "A05"].value
    assert rows.loc["22", "A00"].margin >= rows.loc["22", "A05"].margin * 0.8
    assert len(rows) == 6 + 3


def test_the_certificate_tells_how_totals_were_made(bundle: leeward.Bundle) -> None:
    tables = json.loads((bundle.path / "certificate.json").read_text())["tables"]
    assert tables[0]["totals"]["codes"] == {name: ATTRIBUTES[name]["total"] for name in BY}
    assert tables[0]["totals"]["seed"] == planned().seed("workers")
    assert [one["totals"]["draws"] for one in tables] == [2000, 2000, None]
    assert tables[0]["establishments"]["exact"] is True
    assert "establishments" not in tables[1]
    assert (tables[1]["rows"], tables[1]["totals"]["rows"]) == (9, 3)
    readme = " ".join((bundle.path / "README.txt").read_text().split())
    assert "The last 3 rows are totals, by the code A00 of ownercode." in readme
    assert tables[0]["establishments"]["sentence"] in readme


def test_pictures_comparisons_and_pages_are_of_cells(bundle: leeward.Bundle) -> None:
    assert "All 6 cells" not in repr(bundle["owners"].picture())
    assert "All 5 cells" in repr(bundle["owners"].picture())
    compared = compare(bundle, bundle, "owners")
    assert compared.both == 5
    assert select(bundle, "owners", RowSelection()).of == 6
    asked = RowSelection(totals=True, filters={"ownercode": "A00"})
    found = select(bundle, "owners", asked)
    assert [row.codes[1].label for row in found.rows] == ["Total"] * 3


def tampered(at: int, **fields: int) -> Change:
    def change(rows: list[Row]) -> list[Row]:
        rows[at] |= {name: rows[at][name] + more for name, more in fields.items()}
        return rows

    return change


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        (tampered(-1, value=1), "has totals that are not the sums of their rows"),
        (tampered(-9, establishments=1), "has totals that are not the sums of their rows"),
        (tampered(0, value=1), "has totals that are not the sums of their rows"),
        (lambda rows: [*rows[:-2], rows[-1], rows[-2]], "has totals that are not the sums"),
        (tampered(3, establishments=1), "has different numbers of establishments in one"),
    ],
)
def test_verify_adds_the_totals_up(
    bundle: leeward.Bundle, tmp_path: Path, change: Change, finding: str
) -> None:
    copy = Path(shutil.copytree(bundle.path, tmp_path / "bundle"))
    rewrite(copy, "workers", change)
    found = leeward.verify(copy).problems
    assert any(finding in one for one in map(str, found)), found


def test_verify_misses_the_last_total(bundle: leeward.Bundle, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(bundle.path, tmp_path / "bundle"))
    rewrite(copy, "workers", lambda rows: rows[:-1])
    left = bundle["workers"].about.total_rows - 1
    reseal(copy, lambda content: stated(content, "workers")["totals"].update(rows=left))
    found = leeward.verify(copy).problems
    assert any("has totals that are not the sums" in one for one in map(str, found)), found


def refusal(table: dict[str, Any]) -> str:
    with pytest.raises(LeewardError) as refused:
        planned([{"name": "t", "by": BY, **table}])
    return str(refused.value)


def test_totals_need_a_total_code_of_an_attribute_of_the_table() -> None:
    assert "county, which has none" in refusal({"by": ["county"], "totals": "all"})
    assert "must be all, or a list of attributes in by" in refusal({"totals": ["race"]})
    assert "must be all, or a list of attributes" in refusal({"totals": {"sex": "0"}})


def test_draws_that_would_fill_the_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leeward.publishing.plan.table_reading.MOST_DRAWN_TOTALS", 20)
    assert "must have at most 20 rows in memory" in refusal({"totals": "all"})
    for allowed in ({"totals": "all", "margins": "none"}, {"totals": ["sex", "agegrp"]}):
        assert planned([{"name": "t", "by": BY, **allowed}]).tables[0].marginal.totals


def test_a_total_code_is_none_of_the_codes() -> None:
    attribute = {"table": "workers", "codes": ["0", "1"], "total": "0"}
    with pytest.raises(InvalidParameter, match="must not be one of the codes"):
        leeward.read_plan({"codebook": {"attributes": {"sex": attribute}}, "account": "a",
                           "period": "q", "protect": {"policy": "worker", "epsilon": 1},
                           "tables": [{"name": "t", "by": ["sex"]}]})  # fmt: skip
