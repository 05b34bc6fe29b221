"""Flows and gains, from the plan to the bundle and to what is read from it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped] # ships no types
import pytest
from typer.testing import CliRunner

import leeward
from leeward import derive, tidy
from leeward.core.codebook import Gains
from leeward.core.codebook.flow_classes import MEASURES
from leeward.core.errors import InvalidParameter, LeewardError
from leeward.core.noise import draws
from leeward.interface.commands.app import build
from leeward.interface.report.writing import write_report
from leeward.lab import evaluate
from tests.publishing.plan.test_classes import Unnoised
from tests.publishing.plan.test_plus import opened
from tests.unchecked import unchecked_release

PLACES = [f"{number:02d}" for number in range(40)]
CODEBOOK: dict[str, Any] = {
    "tables": {"workplaces": {"employer": "employer_id"}},
    "attributes": {
        "place": {"table": "workplaces", "public": True, "codes": PLACES, "total": "all"},
        "sex": {"table": "workers", "codes": ["F", "M"], "total": "all"},
        "flow": {"table": "jobs", "codes": ["00", "01", "10", "11"]},
        "half": {"table": "jobs", "column": "flow", "codes": ["11", "10"]},
    },
}
FLOWS = {"name": "t", "by": ["place"], "statistic": "flows", "of": "flow"}
GAINS = FLOWS | {"statistic": "gains"}


def planned(*tables: dict[str, Any], **protect: str) -> leeward.Plan:
    asked = {"policy": "strong", "alpha": "0.1", "epsilon": "16"} | protect
    return leeward.read_plan(
        {
            "codebook": CODEBOOK,
            "account": "office",
            "period": "2026Q2",
            "protect": {key: one for key, one in asked.items() if one},
            "tables": list(tables),
        }
    )


def economy() -> dict[str, pd.DataFrame]:
    """Establishments that grow or shrink, in all places but the last."""
    random, number = np.random.default_rng(7), 600
    sizes = random.lognormal(2.5, 0.9, number).astype(int)
    at = np.repeat(np.arange(number), sizes)
    grows = random.uniform(0.02, 0.25, number)[at]
    drawn = random.random(len(at))
    flow = np.where(drawn < grows, "01", np.where(drawn > 0.88, "10", "11"))
    flow[::50] = "00"
    return {
        "workplaces": pd.DataFrame(
            {"workplace_id": range(number), "employer_id": range(number)}
            | {"place": [PLACES[i % 39] for i in range(number)]}
        ),
        "workers": pd.DataFrame(
            {"worker_id": range(len(at)), "sex": random.choice(["F", "M"], len(at))}
        ),
        "jobs": pd.DataFrame({"worker_id": range(len(at)), "workplace_id": at, "flow": flow}),
    }


def truth(data: dict[str, pd.DataFrame], by: list[str]) -> pd.DataFrame:
    """Every measure by these attributes, as a query gives it."""
    held = data["jobs"].merge(data["workplaces"]).merge(data["workers"])
    n = held.groupby([*by, "flow"]).size().unstack(fill_value=0)
    held["net"] = held.flow.map({"01": 1, "10": -1, "11": 0, "00": 0})
    net = held.groupby([*by, "workplace_id"]).net.sum()
    return pd.DataFrame(
        {
            "EmpTotal": n.sum(axis=1),
            "Emp": n["11"] + n["10"],
            "EmpEnd": n["11"] + n["01"],
            "EmpS": n["11"],
            "HirA": n["01"] + n["00"],
            "Sep": n["10"] + n["00"],
            "FrmJbC": n["01"] - n["10"],
            "FrmJbGn": net.clip(lower=0).groupby(by).sum(),
            "FrmJbLs": (-net).clip(lower=0).groupby(by).sum(),
        }
    )


def test_released_rows_are_what_a_query_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draws, "SECRET", Unnoised())
    plan = planned(
        FLOWS | {"name": "pareto", "mechanism": "vector_pareto", "complete": "true"},
        FLOWS | {"name": "clipped", "mechanism": "clipped", "totals": "all"},
        FLOWS
        | {"name": "sexes", "by": ["place", "sex"], "mechanism": "clipped", "margins": "none"},
        GAINS | {"name": "gains", "mechanism": "vector_pareto", "totals": ["place"]},
        GAINS | {"name": "gains_sexes", "by": ["place", "sex"], "mechanism": "clipped"},
    )
    data, ledger = economy(), opened(tmp_path, 1)
    bundle = unchecked_release(plan, out=tmp_path / "b", ledger=ledger, **data)
    assert leeward.verify(tmp_path / "b", ledger=ledger).sound
    for name in ("pareto", "clipped", "sexes", "gains", "gains_sexes"):
        by = ["place", "sex"] if "sexes" in name else ["place"]
        rows = bundle[name].to_pandas()
        found = rows.set_index([*by, "measure"]).value.unstack()
        true = truth(data, by)[[*found.columns]]
        if name == "pareto":
            nothing = rows[rows.place == PLACES[-1]]
            assert (nothing.value.tolist(), set(nothing.status)) == ([0] * 7, {-2})
        there = found.loc[true.index]
        assert (there == true).all(axis=None), name
        if len(found) > len(true):
            assert (found.drop(true.index) == (true.sum() if name != "pareto" else 0)).all(
                axis=None
            )
    stated = json.loads((tmp_path / "b" / "certificate.json").read_text())["tables"]
    assert [one["statistic"]["name"] for one in stated] == ["flows"] * 3 + ["gains"] * 2
    assert ["interval" in (one["bias"] or "") for one in stated[:3]] == [False, True, False]
    assert Gains.note in stated[3]["statistic"]["sentence"]
    assert [*stated[0]["codes"]["measure"]] == [*MEASURES]
    with pytest.raises(InvalidParameter, match="flows and gains do not add up"):
        tidy(tmp_path / "b", tmp_path / "tidy")
    assert "meant to be hidden" in write_report(bundle).read_text()


@pytest.fixture(scope="module")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> leeward.Bundle:
    folder = tmp_path_factory.mktemp("flows")
    plan = planned(
        FLOWS | {"name": "pareto", "mechanism": "vector_pareto", "totals": "all"},
        FLOWS | {"name": "clipped", "mechanism": "clipped", "establishments": "true"},
        GAINS | {"name": "gains"},
        GAINS | {"name": "sexes", "by": ["place", "sex"]},
        {"name": "jobs", "by": ["place"]},
    )
    return unchecked_release(plan, out=folder / "b", ledger=opened(folder, 1), **economy())


def growth(true: pd.DataFrame) -> pd.Series:
    return 2 * true["FrmJbC"] / (true["Emp"] + true["EmpEnd"])


@pytest.mark.parametrize("table", ["pareto", "clipped"])
def test_nine_rates_of_growth_of_ten_hold(noisy: leeward.Bundle, table: str) -> None:
    """Of 39 places 28 is five standard deviations below nine of ten."""
    true = truth(economy(), ["place"])
    rows = derive(noisy, table, ["place"], ["growth", "sum"]).to_pandas()
    rate = rows[rows.quantity == "growth"].set_index("place")
    inside = (rate.low <= growth(true)) & (growth(true) <= rate.high)
    assert inside.sum() >= 28
    wide = (rate.high - rate.low).median()
    released = noisy[table].to_pandas().query("measure == 'FrmJbC' and place != 'all'")
    ends = released.get("high", released.value + released.get("margin", 0))
    assert wide < 2.5 * 2 * ((ends - released.value).to_numpy() / true["Emp"]).median()
    sums = rows[rows.quantity == "sum"].set_index(["place", "measure"])
    wanted = true[[*MEASURES]].stack()
    held = (sums.low.reindex(wanted.index) <= wanted) & (wanted <= sums.high.reindex(wanted.index))
    assert held.mean() > 0.75


def test_the_whole_grows_as_its_totals_say(noisy: leeward.Bundle) -> None:
    result = CliRunner().invoke(build(), ["read", str(noisy.path), "pareto", "--as", "growth,sum"])
    assert result.exit_code == 0, result.output
    rows = derive(noisy, "pareto", quantity=["growth", "sum"]).to_pandas().set_index("measure")
    totals = noisy["pareto"].to_pandas().query("place == 'all'").set_index("measure")
    sums = rows[rows.quantity == "sum"]
    assert (sums.value == totals.value).all()
    assert (sums.high - sums.value <= 1.1 * totals.margin + 1).all()  # other draws
    rate = rows[rows.quantity == "growth"].loc["FrmJbC"]
    assert rate.value == pytest.approx(growth(totals.value.to_frame().T).iloc[0], rel=1e-5)


READ: dict[str, tuple[str, list[str], dict[str, Any], str]] = {
    "growth": ("gains", ["growth"], {}, "growth must be of a table of flows"),
    "growth of jobs": ("jobs", ["growth"], {}, "a table of number of jobs"),
    "kinds": ("sexes", ["sum"], {}, "do not add up to its net change"),
    "rank": ("gains", ["rank"], {}, "no common order"),
    "share": ("gains", ["share"], {}, "must name measure"),
}


@pytest.mark.parametrize("name", READ)
def test_what_does_not_follow_from_measures_is_refused(noisy: leeward.Bundle, name: str) -> None:
    table, quantity, options, words = READ[name]
    with pytest.raises(InvalidParameter, match=words):
        derive(noisy, table, ["place"], quantity, **options)


def test_shares_are_of_one_measure(noisy: leeward.Bundle) -> None:
    found = derive(noisy, "gains", ["place"], "share", of=["measure"]).to_pandas()
    assert found.groupby("measure").value.sum().tolist() == pytest.approx([1, 1], abs=1e-4)


REFUSED: dict[str, tuple[dict[str, Any], dict[str, str], str]] = {
    "nothing": (FLOWS | {"of": None}, {}, "codes 11, 10, 01, 00"),
    "codes": (FLOWS | {"of": "half"}, {}, "got 'half'"),
    "undeclared": (GAINS | {"of": "flows"}, {}, "Did you mean 'flow'?"),
    "workplaces": (GAINS | {"of": "place"}, {}, "attribute of jobs"),
    "twice": (FLOWS | {"by": ["flow"]}, {}, "must not name the column"),
    "where": (GAINS | {"where": {"flow": ["11"]}}, {}, "must not name the column"),
    "kinds": (GAINS | {"by": ["place", "sex"], "totals": ["sex"]}, {}, "do not add up"),
    "employers": (GAINS, {"unit": "employer"}, "which are those of establishments"),
    "bins": (FLOWS | {"bins": ["0", "1"]}, {}, "statistic is flows"),
    "margins": (FLOWS | {"mechanism": "slope"}, {"policy": "weak"}, "sums of classes"),
    "slope": (GAINS | {"mechanism": "slope"}, {}, "slope on a gains table is proved for no policy"),
    "rho": (GAINS, {"epsilon": "", "rho": "0.5", "delta": "1e-9"}, "epsilon for gains"),
    "named rho": (
        GAINS | {"mechanism": "clipped"},
        {"epsilon": "", "rho": "0.5", "delta": "1e-9"},
        "epsilon for gains",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused(name: str) -> None:
    table, protect, words = REFUSED[name]
    with pytest.raises(LeewardError) as refusal:
        planned({key: one for key, one in table.items() if one is not None}, **protect)
    assert words in str(refusal.value)
    assert all((refusal.value.parameter, refusal.value.rule, refusal.value.next_step))


def test_an_evaluation_scores_counts_alone() -> None:
    with pytest.raises(InvalidParameter, match="which scores counts; got flows"):
        evaluate.run(planned(FLOWS))


def test_under_the_worker_policy_noise_hides_one_job() -> None:
    plan = planned(FLOWS | {"name": "f"}, GAINS | {"name": "g"}, policy="worker", alpha="")
    flows, gains = (table.measurement for table in plan.tables)
    assert (flows.name, gains.name) == ("edge_laplace", "edge_laplace")
    assert (flows.margin_columns, gains.expected_margin(10**6)) == (("margin",), 0)
