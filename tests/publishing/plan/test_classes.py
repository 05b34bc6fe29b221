"""Classes and percentiles of pay, from the plan to the bundle."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped] # ships no types
import pytest

import leeward
from leeward.core.codebook import Entries
from leeward.core.codebook.cells import EMPTY
from leeward.core.errors import LeewardError
from leeward.core.noise import draws
from leeward.core.noise.scales import Integers
from leeward.publishing.plan.statistic_reading import pseo_edges
from leeward.publishing.release.certify import Draft
from tests.publishing.plan.test_plus import opened
from tests.unchecked import unchecked_release

PAY: dict[str, Any] = {
    "table": "jobs",
    "type": "integer",
    "unit": "cent",
    "period": "year",
    "cap": 99,
}
PAY |= {"classes": {"L": 9, "M": 49, "H": 99}, "null_as": "H"}
CODEBOOK: dict[str, Any] = {
    "attributes": {
        "place": {"table": "workplaces", "public": True, "codes": ["01", "02", "03"]},
        "sex": {"table": "workers", "codes": ["F", "M"]},
        "pay": PAY,
        "monthly": {**PAY, "column": "pay", "period": "month"},
        "half": {
            "table": "jobs",
            "from": "pay",
            "codes": ["l", "h"],
            "map": {"L": "l", "M": "l", "H": "h"},
        },
    }
}
CLASSES = {"name": "t", "by": ["place"], "statistic": "classes", "of": "pay"}
BINS = ["10", "20", "40", "60"]


def planned(*changes: dict[str, Any], **protect: str) -> leeward.Plan:
    asked = {"policy": "strong", "alpha": "0.1", "epsilon": "12"} | protect
    tables = [
        {key: one for key, one in (CLASSES | {"name": f"t{n}"} | change).items() if one is not None}
        for n, change in enumerate(changes)
    ]
    return leeward.read_plan(
        {
            "codebook": CODEBOOK,
            "account": "office",
            "period": "2026Q2",
            "protect": {key: one for key, one in asked.items() if one},
            "tables": tables,
        }
    )


def tables() -> dict[str, pd.DataFrame]:
    """Two places with jobs and one without; a tenth of the jobs have no pay."""
    generator = np.random.default_rng(5)
    at = np.repeat(np.arange(20), generator.integers(1, 30, 20))
    pay = np.where(generator.random(len(at)) < 0.1, np.nan, generator.integers(-5, 90, len(at)))
    places = [f"0{1 + i % 2}" for i in range(20)]
    return {
        "workplaces": pd.DataFrame({"workplace_id": range(21), "place": [*places, "03"]}),
        "workers": pd.DataFrame(
            {"worker_id": range(len(at)), "sex": generator.choice(["F", "M"], len(at))}
        ),
        "jobs": pd.DataFrame({"worker_id": range(len(at)), "workplace_id": at, "pay": pay}),
    }


def truth(edges: list[int]) -> dict[str, list[int]]:
    """Jobs of each place by class; what is no number counts as 0, the last class has no end."""
    held = tables()
    joined = held["jobs"].merge(held["workplaces"], on="workplace_id")
    pay = joined["pay"].fillna(0).clip(lower=0)
    return {
        place: np.histogram(pay[joined["place"] == place], [*edges[:-1], np.inf])[0].tolist()
        for place in ("01", "02", "03")
    }


class Unnoised:
    """Adds nothing, and lets maxima as they are."""

    def rounded(self, true: Integers, *_: object) -> Integers:
        return true

    block = rounded


def test_the_edges_of_pseo() -> None:
    """As published, in dollars a year; of a column in cents a hundred times as much."""
    edges = "10000 17403 22876 27512 31857 36128 40449 44914 49605 54609 60027 65982 72639 80226"
    edges += " 89080 99735 113106 130970 157509 207050 262475 614597"
    assert pseo_edges() == tuple(map(int, edges.split()))
    (table,) = planned({"bins": "pseo"}).tables
    assert len(table.marginal.worker[-1].codes) == 21
    assert table.marginal.worker[-1].attribute.labels[0] == "1000000 to 1740299 cent per year"


def test_released_rows_are_what_a_query_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draws, "SECRET", Unnoised())
    plan = planned(
        {"bins": BINS},
        {},
        {"statistic": "percentiles", "bins": BINS, "mechanism": "vector_pareto"},
        {"statistic": "percentiles", "bins": BINS, "mechanism": "clipped", "at": ["50"]},
    )
    ledger = opened(tmp_path, 1)
    bundle = unchecked_release(plan, out=tmp_path / "b", ledger=ledger, **tables())
    assert leeward.verify(tmp_path / "b", ledger=ledger).sound
    rows = bundle["t0"].to_pandas()
    assert rows["pay"].tolist() == ["01", "02", "03"] * 3
    classes = truth([10, 20, 40, 60])
    assert rows["value"].tolist() == [jobs for one in classes.values() for jobs in one]
    own = bundle["t1"].to_pandas().set_index(["place", "pay"])["value"]
    assert own.loc["01"].to_dict() == dict(zip("LMH", truth([0, 10, 50, 100])["01"], strict=True))
    for name, at in (("t2", [25, 50, 75]), ("t3", [50])):
        rows = bundle[name].to_pandas().set_index(["place", "percentile"])
        assert rows.columns.tolist() == ["value", "status", "low", "high", "count"]
        for place in ("01", "02"):
            below = np.concatenate([[0], np.cumsum(classes[place])])
            exact = np.interp(np.array(at) * below[-1] / 100, below, [10, 20, 40, 60])
            found = rows.loc[place]
            assert found["value"].tolist() == np.floor(exact + 0.5).tolist()
            assert (found["low"] <= found["value"]).all()
            assert (found["count"] == below[-1]).all()
        nothing = rows.loc["03"]
        assert nothing["value"].isna().all()
        assert (nothing["status"] == -1).all()
    stated = json.loads((tmp_path / "b" / "certificate.json").read_text())["tables"]
    assert [one["statistic"]["name"] for one in stated] == ["classes"] * 2 + ["percentiles"] * 2
    assert stated[2]["statistic"]["edges"] == [10, 20, 40, 60]
    assert stated[2]["statistic"]["at"] == [25, 50, 75]


def test_classes_of_a_plan_have_no_parents() -> None:
    """Only codes of the codebook have; a parent that is in the table itself is not told."""
    classes, counts = Draft.of(
        planned({"bins": BINS}, {"statistic": "count", "of": None, "by": ["pay", "half"]})
    ).tables
    assert classes.parents is None
    assert counts.parents is None


REFUSED: dict[str, tuple[dict[str, Any], dict[str, str], str]] = {
    "no column": ({"of": "sex"}, {}, "must name a numeric column"),
    "no number": ({"bins": ["10", "2x"]}, {}, "'2x'"),
    "one edge": ({"bins": "10"}, {}, "at least two edges"),
    "order": ({"bins": ["10", "10", "20"]}, {}, "10 after 10"),
    "monthly": ({"of": "monthly", "bins": "pseo"}, {}, "cent per month"),
    "one class": ({"statistic": "percentiles", "bins": ["0", "9"]}, {}, "at least three edges"),
    "percentage": ({"statistic": "percentiles", "at": ["50", "100"]}, {}, "'100'"),
    "percentages": ({"statistic": "percentiles", "at": ["75", "25"]}, {}, "[75, 25]"),
    "at of classes": ({"at": ["50"]}, {}, "statistic is classes"),
    "bins of counts": ({"statistic": "count", "of": None, "bins": BINS}, {}, "statistic is count"),
    "column twice": ({"by": ["place", "pay"]}, {}, "must not name the column"),
    "totals": ({"statistic": "percentiles", "totals": "all"}, {}, "statistic is percentiles"),
    "complete": ({"statistic": "percentiles", "complete": "true"}, {}, "none without a job"),
    "kinds": ({"bins": BINS, "mechanism": "slope", "margins": "none"}, {"policy": "weak"}, "kinds"),
    "margins": (
        {"statistic": "percentiles", "mechanism": "slope"},
        {"policy": "weak"},
        "sums of classes",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused(name: str) -> None:
    change, protect, words = REFUSED[name]
    with pytest.raises(LeewardError) as refusal:
        planned(change, **protect)
    assert words in str(refusal.value)
    assert all((refusal.value.parameter, refusal.value.rule, refusal.value.next_step))


ASKED = {
    "strong": {},
    "little": {"epsilon": "0.5"},
    "worker": {"policy": "worker", "alpha": ""},
    "rho": {"epsilon": "", "rho": "0.5", "delta": "1e-9"},
}


@pytest.mark.parametrize("name", ASKED)
def test_every_noise_has_tests_at_edges(name: str) -> None:
    """Of so many jobs in small establishments, each percentile is known to its own class."""
    (table,) = planned(
        {"statistic": "percentiles", "bins": BINS, "by": ["sex"]}, **ASKED[name]
    ).tables
    made, each = table.measurement, 20_000
    assert made.name == ("clipped" if name in ("little", "rho") else made.name)
    cells = np.tile(np.array([1, 2, 1]), 2)
    at = np.arange(6 * each)
    entries = Entries(
        np.tile(cells, each),
        at % 6,
        at // 6,
        np.full(each, cells.sum()),
        np.zeros(each, dtype=np.int64),
        (1, 6),
    )
    values, margins, _ = made.measure(entries)
    assert np.abs(values - [20, 30, 40] * 2).max() <= 3
    assert (margins["low"] <= [20, 30, 40] * 2).all()
    assert (margins["low"][0, [1, 4]] == 20).all()
    assert (margins["high"][0, [1, 4]] == 40).all()
    assert (margins["high"] != EMPTY)[0, [0, 1]].all()
