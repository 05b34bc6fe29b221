"""Payrolls and means from the plan to the bundle."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped] # ships no types
import pytest

import leeward
from leeward.core.errors import LeewardError
from leeward.core.mechanisms.pay import PayMechanism
from leeward.core.mechanisms.pay_table import PayTable
from tests.unchecked import unchecked_release

CAP = 10_000
EARNINGS = {
    "table": "jobs", "type": "integer", "unit": "euro", "period": "month", "cap": str(CAP),
    "cap_from": "a rule of 2025", "classes": {"L": "2000", "H": str(CAP)}, "null_as": "L",
}  # fmt: skip
CODEBOOK: dict[str, Any] = {
    "attributes": {
        "place": {"table": "workplaces", "public": True, "codes": ["01", "02", "03", "04"]},
        "sex": {"table": "workers", "codes": ["F", "M"]},
        "earnings": EARNINGS,
        "bonus": {key: one for key, one in EARNINGS.items() if key != "cap_from"},
        "hours": {**EARNINGS, "table": "workers", "low": "-5", "unit": "hour"},
    }
}
MEAN = {"name": "pay", "by": ["place"], "statistic": "mean", "of": "earnings"}


def growth(policy: str) -> dict[str, str]:
    return {} if policy == "worker" else {"alpha": "0.1"}


def planned(
    *changes: dict[str, Any], policy: str = "strong", epsilon: str = "8", **protect: str
) -> leeward.Plan:
    return leeward.read_plan(
        {
            "codebook": CODEBOOK,
            "account": "office",
            "period": "2026Q2",
            "protect": {"policy": policy, "epsilon": epsilon, **growth(policy), **protect},
            "tables": [MEAN | change for change in changes or ({},)],
        }
    )


def tables(jobs: int = 40_000) -> dict[str, pd.DataFrame]:
    """200 establishments in three of four places; some pay is missing, below 0 or above the cap."""
    generator = np.random.default_rng(3)
    at = generator.integers(0, 200, jobs)
    pay = np.exp(generator.normal(8, 0.6, jobs)) + at % 7 * 100
    pay[::97], pay[::101] = np.nan, -40
    return {
        "workplaces": pd.DataFrame(
            {"workplace_id": range(200), "place": [f"0{1 + i % 3}" for i in range(200)]}
        ),
        "workers": pd.DataFrame(
            {"worker_id": range(jobs), "sex": generator.choice(["F", "M"], jobs), "hours": 40}
        ),
        "jobs": pd.DataFrame(
            {"worker_id": range(jobs), "workplace_id": at, "earnings": pay, "bonus": 0}
        ),
    }


def truth(data: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Counts and capped payrolls by place and sex."""
    held = data["jobs"].merge(data["workplaces"]).merge(data["workers"])
    held["pay"] = np.floor(held.earnings.fillna(0).clip(0, CAP))
    return held.groupby(["place", "sex"]).pay.agg(["size", "sum"])


NAMED = {
    "strong": ("pay_centred", "pay_pareto", "pay_clipped"),
    "proportional": ("pay_two_scales", "pay_pareto", "pay_clipped", "log_pair"),
    "worker": ("edge_pay",),
}


@pytest.mark.parametrize("policy", NAMED)
def test_a_release_of_payrolls_and_means_is_near_the_truth(policy: str, tmp_path: Path) -> None:
    data = tables()
    wanted = [
        {"name": f"{name}_{statistic}", "statistic": statistic, "mechanism": name,
         "complete": True, "establishments": True}
        for name in NAMED[policy]
        for statistic in ("mean", "payroll")
    ]  # fmt: skip
    women = {"name": "women", "where": {"sex": "F"}}
    plan = planned(*wanted, women, policy=policy, epsilon="40")
    ledger = leeward.Ledger(tmp_path / "ledger.sqlite")
    ledger.create("office", policy=policy, epsilon=40, alpha=growth(policy).get("alpha"))
    bundle = unchecked_release(plan, out=tmp_path / "bundle", ledger=ledger, **data)
    assert leeward.verify(tmp_path / "bundle", ledger=ledger).sound
    by_sex = truth(data)
    everyone = by_sex.groupby("place").sum()
    for one in wanted:
        rows = bundle[str(one["name"])].to_pandas().set_index("place")
        assert list(rows.columns) == ["value", "status", "low", "high", "count", "establishments"]
        assert rows.loc["04", ["value", "status", "establishments"]].tolist() == [0, -2, 0]
        true = everyone["sum"] / (everyone["size"] if one["statistic"] == "mean" else 1)
        there = rows.loc[["01", "02", "03"]]
        room = 0.3 if one["mechanism"] == "log_pair" else 0.05
        assert (np.abs(there.value / true - 1) < room).all(), one
        if (one["mechanism"], one["statistic"]) == ("pay_clipped", "mean"):
            assert (there["count"] < 1.05 * everyone["size"]).all()  # clipping takes jobs alone
        else:
            assert (np.abs(there["count"] / everyone["size"] - 1) < room).all()
        assert (there.low <= there.value).all()
        assert (there.value <= there.high).all()
    rows = bundle["women"].to_pandas().set_index("place")
    true = by_sex.xs("F", level="sex")
    assert (np.abs(rows.value / (true["sum"] / true["size"]) - 1) < 0.05).all()
    stated = json.loads((tmp_path / "bundle" / "certificate.json").read_text())
    said = next(one["statistic"] for one in stated["tables"] if one["name"] == "women")
    assert said["cap"] == CAP
    assert said["cap_from"] == "a rule of 2025"
    assert "payroll counted up to 10,000 euro a job" in said["sentence"]
    told = " ".join(stated["pay"]["promised"] + stated["pay"]["unprotected"])
    assert ("many joiners at the cap are several steps" in told) == (policy == "proportional")
    assert ("does NOT protect the payrolls of establishments" in told) == (policy == "worker")


@pytest.mark.parametrize(
    ("policy", "epsilon", "change", "chosen"),
    [
        ("strong", "2", {}, "pay_centred_radial"),
        ("strong", "2", {"statistic": "payroll"}, "pay_centred_radial"),
        ("strong", "0.19", {}, "pay_clipped"),
        ("strong", "2", {"margins": "free"}, "pay_clipped"),
        ("strong", "2", {"by": ["place", "sex"]}, "pay_centred_radial"),
        ("proportional", "2", {}, "pay_two_scales"),
        ("proportional", "2", {"where": {"sex": "F"}}, "pay_two_scales"),
        ("proportional", "2", {"statistic": "payroll", "by": ["place", "sex"]}, "payroll_radial"),
        ("worker", "0.1", {"statistic": "payroll", "by": ["place", "sex"]}, "edge_pay"),
    ],
)
def test_auto_goes_by_public_figures(
    policy: str, epsilon: str, change: dict[str, Any], chosen: str
) -> None:
    (table,) = planned(change, policy=policy, epsilon=epsilon).tables
    assert table.measurement.name == chosen
    reason = {
        "payroll_radial": "pay_two_scales is not proved",
        "pay_clipped": "pay_centred_radial needs",
    }
    assert table.why.startswith(reason.get(chosen, f"first choice under the {policy} policy"))


def test_the_log_pair_is_taken_where_each_cell_is_one_establishment(tmp_path: Path) -> None:
    sizes = tmp_path / "sizes.csv"
    sizes.write_text("largest,cells,establishments\n200,5,1\n50,9,1\n")
    written = {
        "codebook": CODEBOOK, "account": "office", "period": "2026Q2", "sizes": str(sizes),
        "protect": {"policy": "proportional", "alpha": "0.1", "epsilon": "1"}, "tables": [MEAN],
    }  # fmt: skip
    (table,) = leeward.read_plan(written).tables
    assert table.measurement.name == "log_pair"
    assert table.why.startswith("each cell is one establishment")


def test_the_scale_by_payroll_is_for_the_proportional_policy_alone() -> None:
    change = {"statistic": "payroll", "mechanism": "payroll_pareto"}
    for policy in ("strong", "proportional"):
        made = planned(change, policy=policy).tables[0].measurement
        assert isinstance(made, PayTable)
        assert isinstance(made.mechanism, PayMechanism)
        assert made.mechanism.by_payroll == (policy == "proportional")
        assert made.margin_columns == ("low", "high")


REFUSED: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "tables[0].of: must name a column whose cap_from": ({"of": "bonus"}, {}),
    "tables[0].of: must name a column whose low is 0": ({"of": "hours"}, {}),
    "tables[0].of: must name a numeric column": ({"of": "sex"}, {}),
    "protect.policy: must be strong, proportional, worker or person": ({}, {"policy": "weak"}),
    "tables[0].totals: must be": ({"totals": "all"}, {}),
    "tables[0].mechanism: must be proved for the policy of the plan: pay_centred":
        ({"mechanism": "pay_centred"}, {"policy": "proportional"}),
    "tables[0].mechanism: must be proved for the policy of the plan: slope":
        ({"mechanism": "slope"}, {}),
    "tables[0].mechanism: must release counts for a mean": ({"mechanism": "payroll_pareto"}, {}),
    "tables[0].mechanism: must do without alpha under the worker policy; got 'pay_centred'. "
    "Use edge_pay":         ({"mechanism": "pay_centred"}, {"policy": "worker"}),
    "tables[0].mechanism: must be proved for worker cells":
        ({"by": ["place", "sex"]}, {"policy": "proportional"}),
    "protect.epsilon: must be above": ({"mechanism": "pay_centred"}, {"epsilon": "0.19"}),
}  # fmt: skip


@pytest.mark.parametrize("message", REFUSED)
def test_what_cannot_be_published_is_refused_with_the_plan(message: str) -> None:
    change, protect = REFUSED[message]
    with pytest.raises(LeewardError) as refusal:
        planned(change, **protect)
    assert str(refusal.value).startswith(message), refusal.value


def test_payrolls_and_means_have_no_budget_in_rho() -> None:
    protect = {"policy": "strong", "alpha": "0.1", "rho": "0.2", "delta": "1e-9"}
    written = {"codebook": CODEBOOK, "account": "office", "period": "2026Q2", "protect": protect}
    with pytest.raises(
        LeewardError, match="must be strong, proportional, worker or person, with epsilon"
    ):
        leeward.read_plan(written | {"tables": [MEAN]})
