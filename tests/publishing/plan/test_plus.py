"""The additive factor Δ from the plan to certificate and ledger."""

import json
from pathlib import Path
from typing import Any

import pandas as pd  # type: ignore[import-untyped] # ships no types
import pytest

import leeward
from leeward.core.errors import Damaged, InvalidParameter, NotCovered
from leeward.core.privacy import Guarantee
from leeward.publishing.ledger.account import payment
from leeward.publishing.ledger.notation import read_guarantee, written
from tests.unchecked import unchecked_release

PLACES = {"place": {"table": "workplaces", "public": True, "codes": ["01", "02"]}}


def planned(policy: str = "strong", **protect: object) -> leeward.Plan:
    return leeward.read_plan(
        {
            "codebook": {"attributes": PLACES},
            "account": "office",
            "period": "2026Q2",
            "protect": {"policy": policy, "alpha": "0.1", "epsilon": 1, **protect},
            "tables": [{"name": "by_place", "by": ["place"]}],
        }
    )


def tables() -> dict[str, Any]:
    jobs = [(f"{i}-{n}", i) for i in range(8) for n in range(3 * i)]
    places = ["01", "02"] * 4
    return {
        "workplaces": pd.DataFrame({"workplace_id": range(8), "place": places}),
        "workers": pd.DataFrame({"worker_id": [name for name, _ in jobs]}),
        "jobs": pd.DataFrame(jobs, columns=["worker_id", "workplace_id"]),
    }


def opened(folder: Path, plus: int, policy: str = "strong") -> leeward.Ledger:
    ledger = leeward.Ledger(folder / "ledger.sqlite")
    ledger.create("office", policy=policy, epsilon=16, alpha="0.1", plus=plus)
    return ledger


def test_certificate_report_and_ledger_state_it(tmp_path: Path) -> None:
    plan, ledger = planned(plus=5), opened(tmp_path, 5)
    assert plan.charge.plus == 5
    bundle = unchecked_release(plan, out=tmp_path / "bundle", ledger=ledger, **tables())
    stated = json.loads((bundle.path / "certificate.json").read_text())
    assert (stated["format"], stated["guarantee"]["plus"]) == (3, 5)
    assert stated["budget"]["cap"]["plus"] == stated["tables"][0]["guarantee"]["plus"] == 5
    for name in ("README.txt", "report.html"):
        said = " ".join((bundle.path / name).read_text().split())
        assert "at most 1.1 times x (or 5 jobs more)" in said
    assert leeward.verify(bundle.path, ledger=ledger).sound
    assert ledger.account("office").left.epsilon == 15
    assert ledger.show().to_dict()["accounts"][0]["plus"] == 5  # type: ignore[index]


@pytest.mark.parametrize(
    ("policy", "asked", "cap", "epsilon"),
    [
        ("strong", 5, 1, 1),
        ("strong", 5, 5, 1),
        ("strong", 1, 5, 5),
        ("strong", 3, 10, 4),
        ("weak", 3, 3, 1),
        ("weak", 1, 3, 4),
    ],
)
def test_an_account_pays_for_as_many_steps_as_its_own_takes(
    policy: str, asked: int, cap: int, epsilon: int, tmp_path: Path
) -> None:
    with opened(tmp_path, cap, policy) as ledger:
        paid = payment(ledger.account("office"), planned(policy, plus=asked).charge)
    assert paid.policy == Guarantee(policy, "0.1", epsilon, plus=cap).policy
    assert paid.epsilon == epsilon
    assert paid.epsilon_job <= 1  # one job stays one job


def test_a_larger_factor_means_more_noise_in_small_cells_alone() -> None:
    small, usual = (planned(plus=plus).tables[0].measurement for plus in (5, 1))
    assert small.expected_error(7) == pytest.approx(5 * 1.041 / 0.85, rel=0.02)
    assert small.expected_error(1000) == pytest.approx(usual.expected_error(1000))


@pytest.mark.parametrize("written_plus", ["0", "3/2", "10001"])
def test_it_is_a_whole_number_of_jobs(written_plus: str) -> None:
    rule = rf"protect.plus: must be a whole number of jobs from 1 to 10000; got {written_plus}\."
    with pytest.raises(InvalidParameter, match=rule):
        planned(plus=written_plus)


def test_policies_without_growth_have_none() -> None:
    with pytest.raises(InvalidParameter, match="plus: has no meaning under the worker policy"):
        Guarantee("worker", None, 1, plus=2)


def test_an_entry_writes_it_in_one_way() -> None:
    stated = Guarantee("strong", "0.1", 1, plus=5)
    assert read_guarantee(written(stated)) == stated
    assert "plus" not in written(Guarantee("strong", "0.1", 1, plus=1))
    for text in ("1", "05", "5.0", 5, None):
        with pytest.raises(Damaged):
            read_guarantee({**written(stated), "plus": text})


def test_a_claim_is_restated_for_a_larger_factor() -> None:
    slope = leeward.mechanism("slope", alpha="0.1", epsilon=1, plus=3)
    assert slope.guarantee("strong").policy == Guarantee("strong", "0.1", 1, plus=3).policy
    larger = Guarantee("strong", "0.1", 1, plus=9).policy
    assert slope.guarantee(larger).epsilon == 3
    assert slope.guarantee(larger).epsilon_job == slope.guarantee("strong").epsilon_job
    with pytest.raises(NotCovered):
        Guarantee("weak", "0.1", 1, plus=3).weaken(alpha="0.2")
