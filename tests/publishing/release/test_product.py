"""Whole products: breakdowns from the plan to the bundle."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped] # ships no types
import pytest

import leeward
from leeward.core.errors import LeewardError, NotCovered
from leeward.core.noise import draws
from leeward.core.noise.design import Design
from leeward.core.noise.scales import Integers, Scales
from tests.publishing.plan.test_plus import opened
from tests.unchecked import unchecked_release

CODEBOOK: dict[str, Any] = {
    "attributes": {
        "place": {"table": "workplaces", "public": True, "codes": ["01", "02", "03"]},
        "sector": {"table": "workplaces", "public": True, "codes": ["A", "B"]},
        "sex": {"table": "workers", "codes": ["F", "M"], "other": "M", "null_as": "M"},
        "age": {"table": "workers", "codes": ["1", "2", "3"]},
        "contract": {"table": "jobs", "codes": ["T", "P"], "other": "P", "null_as": "P"},
        "kind": {
            "table": "jobs",
            "column": "contract",
            "codes": ["T"],
            "other": "T",
            "null_as": "T",
        },
    }
}
BREAKDOWNS = ["sex", "age", ["sex", "contract"]]
PRODUCT = {"name": "wac", "by": ["place", "sector"], "breakdowns": BREAKDOWNS}
SEED = 3


def planned(*changes: dict[str, Any], policy: str = "strong", epsilon: str = "8") -> leeward.Plan:
    protect = {"policy": policy, "alpha": "0.1", "epsilon": epsilon}
    return leeward.read_plan(
        {
            "codebook": CODEBOOK,
            "account": "office",
            "period": "2026Q2",
            "protect": protect if policy != "worker" else {"policy": policy, "epsilon": epsilon},
            "tables": [PRODUCT | change for change in changes or ({},)],
        }
    )


def tables() -> dict[str, pd.DataFrame]:
    """60 establishments, one of them large; some workers have an age that no list has."""
    generator = np.random.default_rng(SEED)
    sizes = [300 if i == 7 else int(generator.integers(1, 30)) for i in range(60)]
    at = np.repeat(np.arange(60), sizes)
    number = len(at)
    places = {
        "place": [f"0{1 + i % 3}" for i in range(60)],
        "sector": ["AB"[i % 2] if i % 3 else "A" for i in range(60)],
    }
    workers = {
        "sex": np.array(["F", "M", None])[generator.choice(3, number, p=[0.5, 0.4, 0.1])],
        "age": generator.choice(["1", "2", "3", "9"], number, p=[0.3, 0.3, 0.3, 0.1]),
    }
    return {
        "workplaces": pd.DataFrame({"workplace_id": range(60), **places}),
        "workers": pd.DataFrame({"worker_id": range(number), **workers}),
        "jobs": pd.DataFrame(
            {
                "worker_id": range(number),
                "workplace_id": at,
                "contract": generator.choice(["T", "P", "X"], number),
            }
        ),
    }


def truth(by: list[str]) -> dict[tuple[str, ...], int]:
    """Counts by pandas; an uncovered age is in no cell."""
    held = tables()
    joined = held["jobs"].merge(held["workers"], on="worker_id")
    joined = joined.merge(held["workplaces"], on="workplace_id")
    joined["sex"] = joined["sex"].fillna("M")
    joined["contract"] = joined["contract"].replace("X", "P")
    joined = joined[joined["age"] != "9"] if "age" in by else joined
    return {key: int(n) for key, n in joined.groupby(by).size().items()}


class Unnoised:
    """Adds nothing, and lets maxima as they are."""

    def rounded(self, true: Integers, *_: object) -> Integers:
        return true

    def joint(self, true: Integers, scales: Scales, design: Design, shape: int) -> Integers:
        assert len(scales.base) == len(true)
        assert design.cells == true.shape[1]
        return true


@pytest.mark.parametrize("mechanism", ["joint_pareto", "joint_clipped"])
def test_every_table_counts_what_a_query_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mechanism: str
) -> None:
    monkeypatch.setattr(draws, "SECRET", Unnoised())
    plan = planned({"mechanism": mechanism, "margins": "none", "establishments": True})
    bundle = unchecked_release(plan, out=tmp_path / "b", ledger=opened(tmp_path, 1), **tables())
    for name in ("total", "sex", "age", "sex_contract"):
        by = ["place", "sector", *(name.split("_") if name != "total" else ())]
        rows = bundle[f"wac_{name}"].to_pandas()
        shown = {tuple(row[key] for key in by): row["value"] for _, row in rows.iterrows()}
        true = truth(by)
        assert shown == {key: true.get(key, 0) for key in shown}
        assert sum(shown.values()) == sum(true.values())
        assert (rows["establishments"] > 0).all()


@pytest.mark.parametrize("mechanism", ["joint_pareto", "joint_clipped"])
def test_a_released_product_adds_up_and_says_so(tmp_path: Path, mechanism: str) -> None:
    ledger = opened(tmp_path, 1)
    plan = planned({"mechanism": mechanism})
    bundle = unchecked_release(plan, out=tmp_path / "b", ledger=ledger, **tables())
    assert leeward.verify(tmp_path / "b", ledger=ledger).sound
    frames = {name: bundle[f"wac_{name}"].to_pandas() for name in ("total", "sex", "sex_contract")}
    total = frames.pop("total").set_index(["place", "sector"])["value"]
    for rows in frames.values():
        assert rows.groupby(["place", "sector"])["value"].sum().to_dict() == total.to_dict()
    held = json.loads((tmp_path / "b" / "certificate.json").read_text())
    joint = {one["name"]: one["joint"] for one in held["tables"]}
    assert {name: one["covers"] for name, one in joint.items()} == {
        "wac_total": True,
        "wac_sex": True,
        "wac_age": False,
        "wac_sex_contract": True,
    }
    assert {one["name"] for one in joint.values()} == {"wac"}
    unit = {"joint_pareto": "margin", "joint_clipped": "bound"}[mechanism]
    assert {one["unit"] for one in joint.values()} == {unit}
    assert ("bound" in bundle["wac_total"].columns) == (unit == "bound")
    assert "bound" not in bundle["wac_sex"].columns
    assert held["guarantee"]["epsilon"] == "8"  # all of them are paid once
    assert len({json.dumps(one["guarantee"]) for one in held["tables"]}) == 1


def test_combinations_without_an_establishment_are_zeros(tmp_path: Path) -> None:
    plan = planned({"complete": True, "mechanism": "joint_clipped"})
    held = tables()
    held["workplaces"].loc[held["workplaces"]["sector"] == "B", "place"] = "02"
    bundle = unchecked_release(plan, out=tmp_path / "b", ledger=opened(tmp_path, 1), **held)
    for name in ("wac_total", "wac_sex"):
        rows = bundle[name].to_pandas()
        empty = rows[(rows["place"] == "01") & (rows["sector"] == "B")]
        assert (empty["status"] == -2).all()
        assert (empty["value"] == 0).all()
    assert leeward.verify(tmp_path / "b").sound


@pytest.mark.parametrize("mechanism", ["joint_pareto", "joint_clipped"])
def test_a_table_of_one_cell_is_its_total(tmp_path: Path, mechanism: str) -> None:
    plan = planned({"breakdowns": ["kind", "sex"], "mechanism": mechanism})
    bundle = unchecked_release(plan, out=tmp_path / "b", ledger=opened(tmp_path, 1), **tables())
    one, total = (bundle[f"wac_{name}"].to_pandas() for name in ("kind", "total"))
    assert one["value"].tolist() == total["value"].tolist()
    assert not [name for name in one.columns if name.startswith("block")]


@pytest.mark.parametrize(
    ("change", "parameter"),
    [
        ({"where": {"sex": "F"}}, "where"),
        ({"totals": "all"}, "totals"),
        ({"statistic": "payroll"}, "statistic"),
        ({"by": ["place", "sex"]}, "by"),
        ({"breakdowns": ["sex", "sector"]}, "breakdowns"),
        ({"breakdowns": ["sex", "sex"]}, "breakdowns"),
        ({"breakdowns": [["sex", "sex"]]}, "breakdowns"),
        ({"breakdowns": [[]]}, "breakdowns"),
        ({"breakdowns": ["sex", "unknown"]}, "breakdowns"),
        ({"mechanism": "clipped"}, "mechanism"),
        ({"name": "w" * 60}, "tables.name"),
    ],
)
def test_what_cannot_stand_beside_breakdowns_is_refused(
    change: dict[str, Any], parameter: str
) -> None:
    with pytest.raises(LeewardError, match=rf"{parameter}\b.*: (must|is)"):
        planned(change)


def test_names_that_clash_are_refused() -> None:
    with pytest.raises(LeewardError, match="writes 'wac_sex'"):
        planned({}, {"name": "wac_sex", "breakdowns": [], "by": ["place"]})


def test_there_is_no_joint_mechanism_for_the_worker_policy() -> None:
    with pytest.raises(NotCovered, match="worker and person policies"):
        planned(policy="worker")


def test_a_joint_mechanism_is_for_products_alone() -> None:
    with pytest.raises(NotCovered, match="joint_pareto"):
        planned({"breakdowns": [], "mechanism": "joint_pareto"})


@pytest.mark.parametrize(
    ("epsilon", "chosen"), [("8", "joint_radial"), ("1", "joint_radial"), ("0.5", "joint_clipped")]
)
def test_auto_weighs_the_dimension_and_tells_what_else_would_give(
    epsilon: str, chosen: str
) -> None:
    (table,) = planned(epsilon=epsilon).tables  # p = 2 + 4 + 4 − 2 = 8
    assert table.measurement.name == chosen
    needed = "joint_radial needs more epsilon, joint_pareto needs more epsilon"
    assert ("joint_clipped would have" in table.why) == (chosen == "joint_radial")
    assert (needed in table.why.replace(";", ",")) == (chosen == "joint_clipped")
    assert "3 tables with a part of epsilon each" in table.why


def test_the_prediction_lists_every_table() -> None:
    prediction = leeward.predict(planned())
    told = prediction.to_dict()["tables"][0]["tables"]  # type: ignore[index] # of plain values
    assert [one["name"] for one in told] == ["wac_total", "wac_sex", "wac_age", "wac_sex_contract"]
    assert all(one["mean_error"] > 0 for one in told)
    text = "\n".join(prediction.lines())
    assert "4 tables at once" in " ".join(text.split())
    assert "    wac_age" in text


def test_a_product_may_be_paid_in_rho(tmp_path: Path) -> None:
    ledger = leeward.Ledger(tmp_path / "ledger.sqlite")
    ledger.create("office", policy="strong", rho="1", delta="1e-9", alpha="0.1")
    plan = leeward.read_plan(
        {
            "codebook": CODEBOOK,
            "account": "office",
            "period": "2026Q2",
            "protect": {"policy": "strong", "alpha": "0.1", "rho": "0.2", "delta": "1e-9"},
            "tables": [PRODUCT],
        }
    )
    assert plan.tables[0].measurement.name == "joint_clipped"
    assert plan.charge.epsilon == 0
    assert plan.charge.rho == Fraction(1, 5)
    bundle = unchecked_release(plan, out=tmp_path / "b", ledger=ledger, **tables())
    assert leeward.verify(tmp_path / "b", ledger=ledger).sound
    total = bundle["wac_total"].to_pandas().set_index(["place", "sector"])["value"]
    rows = bundle["wac_sex"].to_pandas().groupby(["place", "sector"])["value"].sum()
    assert rows.to_dict() == total.to_dict()
