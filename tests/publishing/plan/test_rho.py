"""A budget in ρ from the plan to certificate, report, page and ledger."""

import json
from fractions import Fraction
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped] # ships no types
import pytest

import leeward
from leeward.core.errors import Damaged, InvalidParameter, NotCovered, OverBudget
from leeward.core.mechanisms.clipped import Clipped
from leeward.core.mechanisms.clipped_counts import ClippedCounts
from leeward.core.noise.sums import ErrorDraws
from leeward.core.privacy import Guarantee, sequential
from leeward.interface.web.plan_form import load
from leeward.lab.evaluate import run
from leeward.publishing.ledger.account import Left, payment
from leeward.publishing.ledger.notation import read_guarantee, written
from leeward.publishing.plan.prediction import noise
from tests.unchecked import unchecked_release

ATTRIBUTES = {
    "place": {"table": "workplaces", "public": True, "codes": ["01", "02"], "total": "00"},
    "sex": {"table": "workers", "codes": ["F", "M"]},
}
RHO, DELTA = Fraction(1, 5), Fraction(1, 10**9)


def request(rho: object = "0.2", **protect: object) -> dict[str, Any]:
    promise = {"policy": "strong", "alpha": "0.1", "rho": rho, "delta": "1e-9", **protect}
    return {
        "codebook": {"attributes": ATTRIBUTES},
        "account": "office",
        "period": "2026Q2",
        "protect": promise,
        "tables": [
            {"name": "by_place", "by": ["place"], "share": "1/4", "totals": ["place"]},
            {"name": "by_sex", "by": ["place", "sex"], "share": "3/4"},
        ],
    }


def planned(rho: object = "0.2", **protect: object) -> leeward.Plan:
    return leeward.read_plan(request(rho, **protect))


def tables() -> dict[str, Any]:
    jobs = [(f"{i}-{n}", i) for i in range(8) for n in range(3 * i)]
    workers = {"worker_id": [name for name, _ in jobs], "sex": ["F", "M"] * (len(jobs) // 2)}
    return {
        "workplaces": pd.DataFrame({"workplace_id": range(8), "place": ["01", "02"] * 4}),
        "workers": pd.DataFrame(workers),
        "jobs": pd.DataFrame(jobs, columns=["worker_id", "workplace_id"]),
    }


def drawn(table: Any) -> Clipped:  # noqa: ANN401 (a planned table)
    made = table.measurement
    assert isinstance(made, ClippedCounts)
    return made.mechanism


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> tuple[leeward.Ledger, leeward.Bundle]:
    folder = tmp_path_factory.mktemp("office")
    ledger = leeward.Ledger(folder / "ledger.sqlite")
    ledger.create("office", policy="strong", alpha="0.1", rho="1/2", delta="1e-9")
    bundle = unchecked_release(planned(), out=folder / "bundle", ledger=ledger, **tables())
    return ledger, bundle


def test_tables_share_rho_and_are_calibrated_to_it_exactly() -> None:
    plan = planned()
    assert [table.charge.rho for table in plan.tables] == [RHO / 4, RHO * 3 / 4]
    assert plan.charge == Guarantee("strong", "0.1", 0, 0, RHO, reading=DELTA)
    for table in plan.tables:
        made = drawn(table)
        assert (table.measurement.name, made.noise) == ("clipped", "gaussian")
        # 32²/(2σ²) of the index and Δ₂²/(2σ²) of the sums, Δ₂ = √min(d, 2)·αθ/(1+α) + √d.
        theta, d = made.clipping.most, made.parameters.cells
        moved = sqrt(min(d, 2)) * theta / 11 + sqrt(d)
        index, sums = 32**2 / (2 * made.maximum.variance), made.sum_variance(theta)
        assert float(index) + moved**2 / (2 * sums) == pytest.approx(float(table.charge.rho))


def test_nothing_is_charged_to_epsilon_or_delta(
    office: tuple[leeward.Ledger, leeward.Bundle],
) -> None:
    ledger, bundle = office
    account = ledger.account("office")
    assert account.spent == Guarantee("strong", "0.1", 0, 0, RHO, reading=DELTA)
    assert account.left == Left(Fraction(0), Fraction(0), Fraction(3, 10))
    stated = json.loads((bundle.path / "certificate.json").read_text())
    told = {"policy": "strong", "alpha": "1/10", "epsilon": "0", "delta": "0"}
    told |= {"rho": "1/5", "reading": "1/1000000000"}
    assert stated["guarantee"]["measure"] == "zCDP"
    assert stated["budget"]["paid"] == told
    assert stated["guarantee"].items() >= told.items()
    assert stated["budget"]["left"] == {"epsilon": "0", "delta": "0", "rho": "3/10"}
    assert stated["tables"][0]["guarantee"]["rho"] == "1/20"
    assert stated["odds"]["failing"] == "1/1000000000"
    assert leeward.verify(bundle.path, ledger=ledger).sound
    assert ledger.verify() == ()


def test_every_page_states_it(office: tuple[leeward.Ledger, leeward.Bundle]) -> None:
    ledger, bundle = office
    for name in ("README.txt", "report.html"):
        said = " ".join((bundle.path / name).read_text().split())
        assert "So read, the loss of one step is ε = 3.94 at δ = 0.000000001." in said
        assert "A suspicion of 1 in 100 becomes at most 42 in 100 (more with a probability" in said
    assert "rho 1/20 of zCDP" in (bundle.path / "README.txt").read_text()
    assert "ρ\u00a00.3</td>" in (bundle.path / "report.html").read_text()
    assert "office: strong, alpha 0.1, rho 0.5 in all; rho 0.3 left" in str(ledger.show())
    told = str(leeward.predict(planned(), ledger=ledger))
    assert "cost       rho 0.15" in told
    assert "Read as epsilon 3.94 at delta 0.000000001, of which nothing is spent." in told
    assert "Left: rho 0.3 before, 0.1 after." in told
    assert repr(planned()) == "Plan(2026Q2, rho 0.2: by_place, by_sex)"


def test_the_cap_holds_in_rho(office: tuple[leeward.Ledger, leeward.Bundle]) -> None:
    account = office[0].account("office")
    assert payment(account, planned("3/10").charge).rho == Fraction(3, 10)
    with pytest.raises(OverBudget) as refused:
        payment(account, planned("0.31").charge)
    assert str(refused.value) == (
        "charge: must keep account 'office' within its cap of rho 1/2 (0.5); "
        "got rho 31/100 (0.31) where rho 3/10 (0.3) is left. "
        "Charge at most rho 3/10 (0.3); a cap is never raised."
    )


def test_epsilon_is_paid_in_rho_and_delta_is_not(
    office: tuple[leeward.Ledger, leeward.Bundle],
) -> None:
    account = office[0].account("office")
    pure = Guarantee("strong", "0.1", "1/2")
    assert payment(account, pure) == Guarantee("strong", "0.1", 0, 0, Fraction(1, 8))
    with pytest.raises(NotCovered, match="counts in rho, which a delta does not imply"):
        payment(account, Guarantee("strong", "0.1", "1/2", "1e-9"))


def test_rho_is_paid_from_epsilon_where_there_is_a_delta(tmp_path: Path) -> None:
    with leeward.Ledger(tmp_path / "ledger.sqlite") as ledger:
        ledger.create("pure", policy="strong", alpha="0.1", epsilon=16)
        ledger.create("both", policy="strong", alpha="0.1", epsilon=16, delta="1e-9")
        charge = planned().charge
        left = ledger.account("both").after(payment(ledger.account("both"), charge)).remaining
        assert left == 16 - charge.restated.epsilon
        with pytest.raises(OverBudget):
            payment(ledger.account("pure"), charge)


def test_a_delta_that_says_too_little_is_refused(tmp_path: Path) -> None:
    with leeward.Ledger(tmp_path / "ledger.sqlite") as ledger:
        ledger.create("office", policy="strong", alpha="0.1", rho=1)
        with pytest.raises(InvalidParameter, match=r"protect\.delta.*Give one below 1/800\."):
            unchecked_release(
                planned(delta="0.01"), out=tmp_path / "bundle", ledger=ledger, **tables()
            )
        assert ledger.account("office").spent is None


def test_draws_and_curves_are_those_of_gaussian_noise() -> None:
    table = planned().tables[0]
    at = noise(table, 1000)
    mass = np.array([height for _, height in at.curve])
    places = np.array([place for place, _ in at.curve])
    steps = np.gradient(places)
    scale = float(np.sqrt((mass * steps * (places - at.true) ** 2).sum() / (mass * steps).sum()))
    # Nine in ten of a normal law lie within 1.645 standard deviations, of Laplace's within 1.628.
    assert (at.high - at.low) / (2 * scale) == pytest.approx(1.645, rel=0.005)
    cell = table.measurement.cell_noise()
    assert cell is not None
    errors = ErrorDraws(cell, 7).draw(np.array([[500]]), np.array([[200]]), np.array([4]))
    assert cell.law is None
    assert np.std(errors[..., : errors.shape[-1] // 2]) == pytest.approx(200 / 1.96, rel=0.1)


def test_what_compares_by_epsilon_refuses_it(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match=r"protect\.rho: must be left out in an evaluation"):
        run(planned())
    (tmp_path / "plan.yaml").write_text(json.dumps(request()))
    (refusal,) = load(tmp_path / "plan.yaml").refusals
    assert str(refusal).startswith("protect.rho: must be left out of a plan that this page changes")


@pytest.mark.parametrize(
    ("rho", "reading"), [("0", "1/1000"), ("1/5", "1/1000000"), ("1/5", "1"), ("1/5", 3)]
)
def test_an_entry_writes_a_reading_in_one_way(rho: str, reading: object) -> None:
    parts = {**written(Guarantee("strong", "0.1", 1)), "rho": rho, "reading": reading}
    with pytest.raises(Damaged):
        read_guarantee(parts)


def test_of_several_readings_the_smallest_is_kept() -> None:
    first, second = planned().charge, planned(delta="1e-12").charge
    assert sequential(first, second) == second.with_amount(2 * RHO)
    assert sequential(first, Guarantee("strong", "0.1", 1)).reading == DELTA
