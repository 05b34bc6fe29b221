"""An account with a cap of its own for one job: two filters, each by itself (Theorem 11)."""

from fractions import Fraction
from pathlib import Path

import pytest

from leeward.core.errors import Damaged, InvalidParameter, OverBudget
from leeward.core.privacy import Guarantee
from leeward.publishing.ledger import Ledger, Left
from leeward.publishing.ledger.account import covers, within
from leeward.publishing.ledger.box import Box
from leeward.publishing.ledger.entry import FORMAT
from leeward.publishing.ledger.notation import read_guarantee, written
from tests.publishing.ledger.scenes import ledger_with, release, strong
from tests.publishing.ledger.test_tampering import charged, rewrite


def beside(epsilon: str, job: str, alpha: str = "0.1", delta: str = "0") -> Guarantee:
    return Guarantee("strong", alpha, epsilon, delta, epsilon_job=job)


CAP = beside("16", "4")


def test_both_are_spent_and_left(tmp_path: Path) -> None:
    ledger = ledger_with(tmp_path, CAP)
    assert ledger.account("lodes").left == Left(Fraction(16), Fraction(0), epsilon_job=Fraction(4))
    ledger.reserve("lodes", beside("4", "1"), release(1))
    ledger.reserve("lodes", strong("1/2"), release(2))  # one job costs as much as a step
    account = ledger.account("lodes")
    assert account.spent == beside("9/2", "3/2")
    assert account.left == Left(Fraction(23, 2), Fraction(0), epsilon_job=Fraction(5, 2))
    text = str(ledger.show())
    assert "lodes: strong, alpha 0.1, epsilon 16 (epsilon 4 for one job) in all; " in text
    assert "; epsilon 11.5 (2.5 for one job) left\n" in text
    assert "charged strong, alpha 0.1, epsilon 4 (epsilon 1 for one job) for out/1" in text
    stated = ledger.show().to_dict()["accounts"]
    assert isinstance(stated, list)
    jobs = {name: part for name, part in stated[0].items() if name.endswith("_job")}
    assert jobs == {"epsilon_job": "4", "spent_job": "3/2", "left_job": "5/2"}
    assert ledger.verify() == ()


def test_each_filter_rejects_by_itself(tmp_path: Path) -> None:
    ledger = ledger_with(tmp_path, CAP)
    with pytest.raises(OverBudget) as jobs:
        ledger.reserve("lodes", strong(8), release(1))
    assert str(jobs.value) == (
        "charge: must keep account 'lodes' within its cap of epsilon 16 (epsilon 4 for one job); "
        "got epsilon 8 (epsilon 8 for one job) where epsilon 16 (4 for one job) is left. Charge at "
        "most epsilon 4 (epsilon 4 for one job); a cap is never raised."
    )
    with pytest.raises(OverBudget, match=r"got epsilon 20 \(epsilon 1 for one job\) where"):
        ledger.reserve("lodes", beside("20", "1"), release(1))
    with pytest.raises(OverBudget, match=r"Charge at most epsilon 8 \(epsilon 4 for one job\);"):
        ledger.reserve("lodes", beside("10", "5"), release(1))
    ledger.reserve("lodes", beside("8", "4"), release(1))
    with pytest.raises(OverBudget, match="Release nothing more from this account"):
        ledger.reserve("lodes", beside("1", "1/1000"), release(2))


def test_over_many_steps_one_job_stays_one_job(tmp_path: Path) -> None:
    ledger = ledger_with(tmp_path, CAP)
    ledger.reserve("lodes", beside("1", "1/4", alpha="0.05"), release(1))
    assert ledger.account("lodes").spent == beside("3", "1/4")
    ledger.reserve("lodes", strong("1", alpha="0.05"), release(2))
    assert ledger.account("lodes").spent == beside("6", "5/4")
    assert ledger.verify() == ()


def test_without_a_cap_for_one_job_it_is_that_of_sizes(tmp_path: Path) -> None:
    ledger = ledger_with(tmp_path)
    ledger.reserve("lodes", beside("3", "1"), release(1))
    assert ledger.account("lodes").left == Left(Fraction(1), Fraction(0))
    assert "one job" not in str(ledger.show()).splitlines()[0]


def test_a_worker_account_pays_what_one_job_costs(tmp_path: Path) -> None:
    ledger = ledger_with(tmp_path, Guarantee("worker", None, 4))
    ledger.reserve("lodes", beside("8", "2"), release(1))
    assert ledger.account("lodes").spent == Guarantee("worker", None, 2)


def test_rho_is_read_for_both(tmp_path: Path) -> None:
    cap = beside("8", "2", delta="1e-6")
    ledger = ledger_with(tmp_path, cap)
    charge = Guarantee("strong", "0.1", 0, rho="1/10", rho_job="1/100")
    ledger.reserve("lodes", charge, release(1))
    left = ledger.account("lodes").left
    assert left.epsilon_job is not None
    assert left.epsilon_job > 2 - Fraction("0.8")
    assert within(cap, charge.share(Fraction(3)))
    assert not within(cap, Guarantee("strong", "0.1", 0, rho="1/10"))
    assert ledger.verify() == ()


def test_nothing_divides_a_cap_for_one_job(tmp_path: Path) -> None:
    cap = beside("8", "2", delta="1e-6")
    with pytest.raises(InvalidParameter) as refused:
        Box.declared(cap, "1/10", None)
    assert str(refused.value) == (
        "gaussian_rho: must be left out beside a cap of its own for one job, which nothing "
        "divides; got 1/10. Leave it out: the first charge then decides which kind the account "
        "takes."
    )
    ledger = Ledger.new(tmp_path / "office.ledger")
    box = Box.of(strong(8, "1e-6"), "1/10")
    with pytest.raises(InvalidParameter, match="cap: must be in epsilon and without a box where"):
        ledger.open_account("lodes", cap, box)
    own = Guarantee("strong", "0.1", 0, rho=1, rho_job="1/2")
    with pytest.raises(InvalidParameter, match="cap: must be in epsilon and without a box where"):
        ledger.open_account("lodes", own)


@pytest.mark.parametrize(
    "guarantee",
    [CAP, beside("4", "1", delta="1e-6"), Guarantee("strong", "0.1", 1, 0, 1, epsilon_job="1/2")],
)
def test_it_is_written_exactly(guarantee: Guarantee) -> None:
    parts = written(guarantee)
    assert read_guarantee(parts) == guarantee
    assert parts["epsilon_job"] == str(guarantee.epsilon_job)
    assert "epsilon_job" not in written(strong(4))


@pytest.mark.parametrize(
    "parts",
    [
        {"epsilon_job": "1"},
        {"rho_job": "0"},
        {"epsilon_job": "4", "rho_job": "0"},
        {"epsilon_job": "x", "rho_job": "0"},
    ],
)
def test_there_is_one_way_to_write_it(parts: dict[str, str]) -> None:
    with pytest.raises(Damaged):
        read_guarantee({**written(strong(4)), **parts})


def test_more_for_one_job_than_for_a_size_is_no_guarantee() -> None:
    with pytest.raises(InvalidParameter, match="epsilon_job: must be above 0 and at most epsilon"):
        read_guarantee({**written(strong(4)), "epsilon_job": "5", "rho_job": "0"})


def test_earlier_formats_do_not_know_it(tmp_path: Path) -> None:
    ledger = ledger_with(tmp_path, CAP)
    entry = charged(2, beside("4", "1"))
    assert entry["format"] == FORMAT - 1
    rewrite(ledger, lambda bodies: bodies.append(entry))
    assert any("states a guarantee that its format does not know" in f for f in ledger.verify())


def test_a_payment_covers_both() -> None:
    assert covers(beside("4", "1"), beside("4", "1"))
    assert covers(strong(4), beside("4", "1"))
    assert not covers(beside("4", "1"), beside("4", "2"))
