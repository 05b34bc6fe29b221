"""A table by nothing: all jobs in one workplace cell."""

from pathlib import Path

import leeward
from leeward.publishing.release.check import open_data
from tests.publishing.plan.test_plus import PLACES, opened, tables
from tests.unchecked import unchecked_release

REQUEST = {
    "codebook": {"attributes": PLACES},
    "account": "office",
    "period": "2026Q2",
    "protect": {"policy": "strong", "alpha": "0.1", "epsilon": 1},
    "tables": [{"name": "all", "by": []}, {"name": "north", "by": [], "where": {"place": ["01"]}}],
}


def test_its_cell_is_that_of_all_establishments() -> None:
    plan, given = leeward.read_plan(REQUEST), tables()
    marginals = [one.marginal for one in plan.tables]
    assert [(one.kind, one.workplace_cells, one.worker_cells) for one in marginals] == [
        ("workplace", 1, 1)
    ] * 2
    with open_data(plan.reading(**given)) as engine:
        engine.prepare(plan.codebook, plan.jobs, marginals, [])
        found = [next(iter(engine.cells(one, batch=5))).cells.opened() for one in marginals]
    north = given["workplaces"].query("place == '01'")
    sizes = given["jobs"].groupby("workplace_id").size()
    assert [one.counts.tolist() for one in found] == [
        [[len(given["jobs"])]],
        [[int(sizes.reindex(north.workplace_id, fill_value=0).sum())]],
    ]
    assert [one.largest.tolist() for one in found] == [[21], [18]]


def test_it_is_released_with_a_row(tmp_path: Path) -> None:
    plan, ledger = leeward.read_plan(REQUEST), opened(tmp_path, 1)
    bundle = unchecked_release(plan, out=tmp_path / "bundle", ledger=ledger, **tables())
    assert repr(bundle["all"]) == "PublishedTable('all', one total, 1 row)"
    assert bundle["all"].columns == ("value", "status", "low", "high")
    assert "All jobs" in bundle["all"].picture().to_html()
    assert leeward.verify(bundle.path, ledger=ledger).sound
