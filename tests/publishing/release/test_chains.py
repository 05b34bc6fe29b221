"""The unit of protection from the plan to certificate and ledger: an employer's part in a cell."""

import json
from pathlib import Path
from typing import Any

import pandas as pd  # type: ignore[import-untyped] # ships no types
import pytest

import leeward
from leeward.core.errors import CannotCompose, Damaged, InvalidParameter, NotCovered
from leeward.core.privacy import Guarantee, sequential
from leeward.core.privacy.policy import policy, with_unit
from leeward.lab import evaluate
from leeward.publishing.ledger.account import payment
from leeward.publishing.ledger.notation import read_guarantee, written
from leeward.publishing.release import measuring
from tests.unchecked import unchecked_release

OWNED = {"workplaces": {"employer": "firm"}}
PLACES = {"place": {"table": "workplaces", "public": True, "codes": ["01", "02"]}}
SEXES = {"sex": {"table": "workers", "codes": ["F", "M"]}}


def planned(unit: str | None = "employer", **protect: object) -> leeward.Plan:
    content: dict[str, Any] = {
        "codebook": {"attributes": PLACES | SEXES, "tables": OWNED},
        "account": "office",
        "period": "2026Q2",
        "protect": {"policy": "strong", "alpha": "0.1", "epsilon": 1, **protect},
        "tables": [
            {"name": "by_place", "by": ["place"]},
            {"name": "by_sex", "by": ["place", "sex"]},
        ],
    }
    if unit is not None:
        content["protect"]["unit"] = unit
    return leeward.read_plan(content)


def tables() -> dict[str, Any]:
    """Two chains of three and two establishments in place 01; of two others no employer is known.

    The largest establishment of place 01 has 40 jobs, the largest employer 30 + 25 + 5.
    """
    sizes = [30, 25, 5, 40, 1, 7, 9]
    firms = ["a", "a", "a", "b", "b", None, None]
    jobs = [(f"{i}-{n}", i) for i, size in enumerate(sizes) for n in range(size)]
    places = ["01"] * 5 + ["02", "02"]
    workers = {"worker_id": [name for name, _ in jobs], "sex": ["F"] * len(jobs)}
    return {
        "workplaces": pd.DataFrame({"workplace_id": range(7), "place": places, "firm": firms}),
        "workers": pd.DataFrame(workers),
        "jobs": pd.DataFrame(jobs, columns=["worker_id", "workplace_id"]),
    }


def opened(folder: Path, unit: str | None) -> leeward.Ledger:
    ledger = leeward.Ledger(folder / "ledger.sqlite")
    ledger.create("office", policy="strong", epsilon=16, alpha="0.1", unit=unit)
    return ledger


def test_a_release_follows_the_largest_employer_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    largest: list[list[int]] = []
    publish = measuring.publish

    def looked_at(batch: Any, made: Any) -> Any:  # noqa: ANN401 (as it is called)
        cells = batch.cells.opened()
        largest.append(getattr(cells, "as_cells", lambda: cells)().largest.tolist())
        return publish(batch, made)

    monkeypatch.setattr(measuring, "publish", looked_at)
    ledger = opened(tmp_path, "employer")
    bundle = unchecked_release(planned(), out=tmp_path / "bundle", ledger=ledger, **tables())
    assert largest == [[60, 9]] * 2
    stated = json.loads((bundle.path / "certificate.json").read_text())
    assert stated["guarantee"]["unit"] == stated["budget"]["cap"]["unit"] == "employer"
    assert stated["firm"]["two"] == {"workplace_cells": 2, "epsilon": "2", "delta": "0", "rho": "0"}
    for name in ("README.txt", "report.html"):
        said = " ".join((bundle.path / name).read_text().split())
        assert "in one cell count as one (c workplace cells: c times epsilon)" in said
        assert "of an employer's part" in said.replace("&#39;", "'")
    assert "in proportion to its largest employer;" in said
    assert leeward.verify(bundle.path, ledger=ledger).sound
    assert ledger.account("office").left.epsilon == 15
    assert ledger.show().to_dict()["accounts"][0]["unit"] == "employer"  # type: ignore[index]


def test_the_column_must_be_declared() -> None:
    request = planned(None).request.model_dump(exclude_none=True)
    request["codebook"] = {"attributes": PLACES | SEXES}
    assert leeward.read_plan(request).charge.unit == "establishment"
    request["protect"]["unit"] = "employer"
    rule = (
        r"protect\.unit: must be establishment where the codebook does not name the employer's "
        r"column; got employer\. Add the column to the codebook, tables: \{workplaces: \{employer"
    )
    with pytest.raises(InvalidParameter, match=rule):
        leeward.read_plan(request)


def test_an_account_of_establishments_pays_for_employers_and_never_the_reverse(
    tmp_path: Path,
) -> None:
    (tmp_path / "employer").mkdir()
    with opened(tmp_path, None) as wide, opened(tmp_path / "employer", "employer") as narrow:
        accounts = [one.account("office") for one in (wide, narrow)]
    by_employer, usual = planned().charge, planned("establishment").charge
    assert usual == planned(None).charge
    assert payment(accounts[0], by_employer) == usual
    assert payment(accounts[1], by_employer) == by_employer
    with pytest.raises(NotCovered) as caught:
        payment(accounts[1], usual)
    assert "strong at alpha 1/10, unit employer: unit establishment does not imply" in str(
        caught.value
    )
    assert "Release under strong at alpha 1/10, unit employer, or charge" in str(caught.value)


def test_what_follows_from_it() -> None:
    strong = Guarantee(with_unit(policy("strong"), "employer"), "0.1", 1)
    weak, usual = strong.weaken("weak"), strong.weaken(unit="establishment")
    assert weak == Guarantee(weak.policy, "0.1", 1)
    assert weak.unit == "employer"
    assert usual == Guarantee("strong", "0.1", 1)
    assert strong.implies(usual)
    assert not usual.implies(strong)
    assert not Guarantee("establishment", None, 1).implies(strong)
    assert sequential(strong, weak).unit == "employer"
    assert sequential(strong, usual) == Guarantee("strong", "0.1", 2)
    assert strong.weaken(alpha="0.2") == Guarantee(strong.policy, "0.2", 3, epsilon_job=1)
    with pytest.raises(CannotCompose):
        sequential(strong, Guarantee("worker", None, 1))


@pytest.mark.parametrize(
    ("name", "unit", "rule"),
    [
        ("strong", "firm", "unit: must be establishment or employer; got 'firm'"),
        ("worker", "employer", "unit: has no meaning under the worker policy"),
        ("establishment", "employer", "unit: has no meaning under the establishment policy"),
    ],
)
def test_other_units_are_refused(name: str, unit: str, rule: str) -> None:
    with pytest.raises(InvalidParameter, match=rule):
        with_unit(policy(name), unit)


def test_an_entry_writes_it_in_one_way() -> None:
    stated = planned(plus=5).charge
    assert read_guarantee(written(stated)) == stated
    assert "unit" not in written(planned(None).charge)
    for text in ("establishment", "firm", None, 1):
        with pytest.raises(Damaged):
            read_guarantee({**written(stated), "unit": text})


def test_predictions_name_the_employer() -> None:
    told, usual = (str(leeward.predict(planned(unit))) for unit in ("employer", None))
    assert "if the largest employer has  " in told
    assert "if the largest establishment has  " in usual


def test_an_evaluation_by_establishments_is_refused() -> None:
    with pytest.raises(InvalidParameter, match=r"protect\.unit: must be establishment in an eval"):
        evaluate.run(planned().reading(**tables()))
