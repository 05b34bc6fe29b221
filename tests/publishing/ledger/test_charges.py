"""Charges: within the cap, in the currency of the account, and not twice for the same plan."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from leeward.core.errors import (
    AlreadyReleased,
    InvalidParameter,
    LeewardError,
    NotCovered,
    OverBudget,
    Problems,
)
from leeward.core.privacy import Guarantee
from leeward.publishing.ledger import Ledger, Subject
from tests.publishing.ledger.scenes import DIGEST, ledger_with, release, strong

RAISED = "a cap is never raised."
NOTHING = f"Release nothing more from this account; {RAISED}"


def said(
    ledger: Ledger, charge: Guarantee, subject: Subject | None = None, *, again: bool = False
) -> str:
    """The refusal of a charge to 'lodes', which the dry run foresees, and which writes nothing."""
    before = ledger.entries()
    release_of = subject or release(99)
    foreseen = ledger.would_refuse("lodes", charge, release_of, again=again)
    with pytest.raises(LeewardError) as refused:
        ledger.reserve("lodes", charge, release_of, again=again)
    assert str(foreseen) == str(refused.value)
    assert type(foreseen) is type(refused.value)
    assert ledger.entries() == before
    return str(refused.value)


def test_a_charge_is_an_entry(ledger: Ledger) -> None:
    made = ledger.reserve("lodes", strong(1), release())
    assert (made.number, made.kind, made.account) == (2, "reserved", "lodes")
    assert (made.charge, made.paid, made.subject) == (strong(1), strong(1), release())
    assert (made.names, made.corrects) == (None, None)
    assert ledger.entries()[-1] == made
    assert ledger.head() == made.anchor
    assert made.previous == ledger.entries()[0].hash


def test_a_cap_can_be_spent_to_the_last(ledger: Ledger) -> None:
    for number in range(3):
        ledger.reserve("lodes", strong("4/3"), release(number))
    assert ledger.account("lodes").left.epsilon == 0
    assert said(ledger, strong("1e-9")) == (
        "charge: must keep account 'lodes' within its cap of epsilon 4; "
        f"got epsilon 1/1000000000 (1E-9) where nothing is left. {NOTHING}"
    )


def test_over_the_cap_says_what_is_left(ledger: Ledger) -> None:
    ledger.reserve("lodes", strong("5/3"), release())
    assert said(ledger, strong("5/2")) == (
        "charge: must keep account 'lodes' within its cap of epsilon 4; "
        "got epsilon 5/2 (2.5) where epsilon 7/3 (about 2.33333) is left. "
        f"Charge at most epsilon 7/3 (about 2.33333); {RAISED}"
    )
    ledger.reserve("lodes", strong("7/3"), release(2))


def test_over_the_cap_in_another_currency(ledger: Ledger) -> None:
    ledger.reserve("lodes", strong(1), release())
    small = strong(1, alpha="1/20")  # two steps of 1/20 make one of 1/10
    paid = small.weaken(alpha="1/10")
    steps = paid.epsilon
    assert steps > 1
    dear = strong(3, alpha="1/20")
    most = Fraction(3) / steps
    assert said(ledger, dear) == (
        "charge: must keep account 'lodes' within its cap of epsilon 4; "
        f"got epsilon 3, which is epsilon {3 * steps} under strong at alpha 1/10, "
        f"where epsilon 3 is left. Charge at most epsilon {most}"
        f"{'' if most.denominator == 1 else f' ({float(most):g})'}; {RAISED}"
    )
    made = ledger.reserve("lodes", strong(most, alpha="1/20"), release(2))
    assert made.charge == strong(most, alpha="1/20")
    assert made.paid == Guarantee("strong", "0.1", 3, epsilon_job=1)
    assert ledger.account("lodes").left.epsilon == 0


def test_a_stronger_promise_pays_as_it_is(ledger: Ledger) -> None:
    made = ledger.reserve("lodes", strong(1, alpha="0.2"), release())
    assert made.paid == strong(1)
    assert ledger.account("lodes").spent == strong(1)
    assert ledger.verify() == ()


@pytest.mark.parametrize(
    ("charge", "rule", "value"),
    [
        (
            Guarantee("worker", None, 1),
            "worker does not imply strong: it protects one job, never a share of a size",
            "worker",
        ),
        (
            Guarantee("weak", "0.1", 1),
            "weak does not imply strong: newcomers may all be of a kind that was absent, and then "
            "every single one is a step",
            "weak at alpha 1/10",
        ),
        (
            Guarantee("proportional", "0.1", 1),
            "proportional does not imply strong: many joiners at the cap are one strong step, and "
            "any number of proportional ones",
            "proportional at alpha 1/10",
        ),
    ],
)
def test_a_charge_that_no_proof_converts(
    ledger: Ledger, charge: Guarantee, rule: str, value: str
) -> None:
    assert said(ledger, charge) == (
        "charge: must follow under the policy of account 'lodes', strong at alpha 1/10: "
        f"{rule}; got {value}. Release under strong at alpha 1/10, or charge an account with a "
        "cap under the policy of the release."
    )
    assert isinstance(ledger.would_refuse("lodes", charge, None), NotCovered)


def test_a_proportional_account_is_charged_for_proportional_releases(tmp_path: Path) -> None:
    cap = Guarantee("proportional", "0.1", 4, plus=2)
    ledger = ledger_with(tmp_path, cap)
    assert "strong does not imply proportional" in said(ledger, Guarantee("strong", "0.1", 1))
    assert ledger.would_refuse("lodes", Guarantee("proportional", "0.2", 4, plus=3), None) is None
    ledger.close()
    with Ledger.open(tmp_path / "office.ledger") as again:
        assert again.account("lodes").cap == cap


def test_every_charge_of_a_worker_account_converts(tmp_path: Path) -> None:
    ledger = ledger_with(tmp_path, Guarantee("worker", None, 4))
    ledger.reserve("lodes", strong(1), release(1))
    ledger.reserve("lodes", Guarantee("establishment", None, 1), release(2))
    assert ledger.account("lodes").spent == Guarantee("worker", None, 3)


def test_rho_is_paid_from_epsilon_and_delta(tmp_path: Path) -> None:
    ledger = ledger_with(tmp_path, strong(2, "1e-6"))
    ledger.reserve("lodes", strong(0, 0, "1/50"), release(1))
    assert 0 < ledger.account("lodes").left.epsilon < 2
    ledger.reserve("lodes", strong(0, 0, "0.068"), release(2))
    assert "where epsilon" in said(ledger, strong(0, 0, "0.01"))
    assert "Charge at most rho" in said(ledger, strong(0, 0, 1), release(3))
    assert ledger.account("lodes").spent == strong(0, 0, "0.088")
    assert ledger.verify() == ()


def test_rho_that_does_not_fit_is_scaled(tmp_path: Path) -> None:
    ledger = ledger_with(tmp_path, strong(2, "1e-6"))
    assert said(ledger, strong(0, 0, 1)) == (
        "charge: must keep account 'lodes' within its cap of epsilon 2 and delta 1/1000000 "
        "(0.000001); got rho 1 where epsilon 2 and delta 1/1000000 (0.000001) is left. "
        f"Charge at most rho 11/125 (0.088); {RAISED}"
    )
    assert strong(0, 0, "0.088").to_approximate("1e-6").epsilon <= 2
    assert strong(0, 0, "0.089").to_approximate("1e-6").epsilon > 2
    assert "Charge at most rho 11/125 (0.088);" in said(ledger, strong(0, 0, 1000))
    ledger.reserve("lodes", strong(0, 0, "0.088"), release())


def test_rho_without_delta_is_over_the_cap(ledger: Ledger) -> None:
    assert said(ledger, strong(0, 0, "1/1000")) == (
        "charge: must keep account 'lodes' within its cap of epsilon 4; "
        f"got rho 1/1000 (0.001) where epsilon 4 is left. Charge pure epsilon, at most 4; {RAISED}"
    )


def test_delta_that_does_not_fit(tmp_path: Path) -> None:
    ledger = ledger_with(tmp_path, strong(2, "1e-6"))
    ledger.reserve("lodes", strong(1, "9e-7"), release())
    assert said(ledger, strong(1, "2e-7")) == (
        "charge: must keep account 'lodes' within its cap of epsilon 2 and delta 1/1000000 "
        "(0.000001); got epsilon 1 and delta 1/5000000 (2E-7) where epsilon 1 and delta "
        "1/10000000 (1E-7) is left. Charge at most epsilon 1/2 (0.5) and delta 1/10000000 "
        f"(1E-7); {RAISED}"
    )


def test_delta_that_adds_up_to_one(tmp_path: Path) -> None:
    ledger = ledger_with(tmp_path, strong(2, "0.9"))
    ledger.reserve("lodes", strong(1, "0.8"), release())
    assert "is left. Charge at most" in said(ledger, strong(1, "0.8"))


def test_numbers_that_no_sum_can_hold(ledger: Ledger) -> None:
    ledger.reserve("lodes", strong(Fraction(1, 3**4000)), release())
    assert said(ledger, strong(Fraction(1, 5**2500))) == (
        "charge: must add up with the earlier charges to a number of at most 4000 digits; got a "
        "sum of more. Charge numbers with a common small denominator, such as 1/10."
    )
    assert ledger.account("lodes").charges == 1


def test_the_dry_run_without_a_subject_asks_the_budget_alone(ledger: Ledger) -> None:
    ledger.reserve("lodes", strong(1), release())
    assert ledger.would_refuse("lodes", strong(3), None) is None
    assert isinstance(ledger.would_refuse("lodes", strong(4), None), OverBudget)
    assert isinstance(ledger.would_refuse("lodes", strong(1), release()), AlreadyReleased)
    assert ledger.would_refuse("lodes", strong(1), release(), again=True) is None
    assert isinstance(ledger.would_refuse("other", strong(1), None), InvalidParameter)
    assert not isinstance(ledger.would_refuse("other", strong(1), None), Problems)
    assert len(ledger.entries()) == 2


FATES = [
    ((), ", never committed: its budget is spent, the bundle may be missing"),
    (("commit",), ""),
    (("fail",), ", which failed: its budget is spent, there is no bundle"),
    (("commit", "withdraw"), ", since withdrawn: its budget stays spent"),
    (("withdraw",), ", since withdrawn: its budget stays spent"),
]


def live(ledger: Ledger, number: int, fate: tuple[str, ...]) -> None:
    for act in fate:
        if act == "commit":
            ledger.commit(number, DIGEST)
        elif act == "fail":
            ledger.fail(number, "interrupted")
        else:
            ledger.withdraw(number, "wrong period")


@pytest.mark.parametrize(("fate", "words"), FATES)
def test_the_same_plan_again(ledger: Ledger, fate: tuple[str, ...], words: str) -> None:
    live(ledger, ledger.reserve("lodes", strong(1), release()).number, fate)
    usable = fate in ((), ("commit",))
    assert said(ledger, strong(1), release()) == (
        "plan: must not have been charged to this account before; "
        f"got entry 2 of account 'lodes', bundle 'out/1'{words}. "
        f"{'Use that bundle; or release' if usable else 'Release'} with --again, which pays once "
        "more for new noise."
    )
    ledger.reserve("lodes", strong(1), release(), again=True)
    assert ledger.account("lodes").spent == strong(2)


def test_again_does_not_open_the_cap(ledger: Ledger) -> None:
    ledger.reserve("lodes", strong(3), release())
    assert said(ledger, strong(3), release(), again=True).startswith("charge: must keep account")


def test_of_several_the_usable_one_is_named(ledger: Ledger) -> None:
    for _ in range(3):
        ledger.reserve("lodes", strong(1), release(), again=True)
    assert "entry 4 of" in said(ledger, strong(1), release())
    ledger.commit(3, DIGEST)
    assert "entry 3 of" in said(ledger, strong(1), release())


def answers(ledger: Ledger, data: int) -> list[str]:
    """What the ledger says to every kind of charge from these data."""
    asked = [(account, plan, again) for account in ("lodes", "qwi") for plan in (1, 2, 3)
             for again in (False, True)]  # fmt: skip
    return [
        str(ledger.would_refuse(account, strong(1), release(plan, data=data), again=again))
        for account, plan, again in asked
    ]


def test_what_is_rejected_says_nothing_about_the_data(ledger: Ledger) -> None:
    """Known bad: a plan that was rejected for the same data and not for others."""
    ledger.open_account("qwi", strong(4))
    ledger.reserve("lodes", strong(1), release(1))
    ledger.reserve("qwi", strong(1), release(2))
    assert answers(ledger, data=1) == answers(ledger, data=2) == answers(ledger, data=9)
    assert sum("charged to this account before" in one for one in answers(ledger, data=9)) == 2


def keyed(number: int, **keys: str) -> Subject:
    named = {name.replace("_", "."): column for name, column in keys.items()}
    return replace(release(number), keys=tuple(sorted(named.items())))


def test_an_account_has_one_column_for_each_key(ledger: Ledger) -> None:
    ledger.open_account("qwi", strong(4))
    ledger.reserve("lodes", strong(1), release(1))  # as all charges before format 4
    ledger.reserve("lodes", strong(1), keyed(2, workplaces_id="site", workers_id="pid"))
    ledger.reserve("lodes", strong(1), keyed(3, workplaces_id="site", jobs_worker="p"))
    assert said(ledger, strong(1), keyed(4, workplaces_id="department", workers_id="pid")) == (
        "workplaces.id: must be the same column in all releases of an account: guarantees about "
        "different workplaces or workers do not add up; got 'department' after 'site' in entry 4. "
        "If only its name changed, call the column 'site' in data and codebook; or charge another "
        "account."
    )
    ledger.reserve("qwi", strong(1), keyed(4, workplaces_id="department"))
    ledger.reserve("lodes", strong(1), release(5))  # a table without keys
    assert ledger.verify() == ()
    found = ledger.entries()[3].subject
    assert found is not None
    assert dict(found.keys) == {"workplaces.id": "site", "workers.id": "pid"}


@pytest.mark.parametrize(
    ("held", "asked", "step"),
    [
        ("single", "every", "Write `rows: strict` and leave `jobs` out."),
        ("single", "primary: pay", "Write `rows: strict` and leave `jobs` out."),
        ("every", "single", "Leave `rows` and `jobs` out."),
        ("primary: pay", "primary: pay, total", "Write `rows: strict`."),
        ("primary: pay, total", "primary: pay", "Leave `rows` out."),
        ("primary: pay, total", "max_per_worker: 2, total", "Use the same rule."),
    ],
)
def test_an_account_has_one_rule_for_workers_with_several_jobs(
    ledger: Ledger, held: str, asked: str, step: str
) -> None:
    ledger.reserve("lodes", strong(1), replace(release(1), jobs=held))
    assert said(ledger, strong(1), replace(release(2), jobs=asked)) == (
        "jobs: must be the rule of all releases of an account: guarantees about differently "
        f"reduced jobs do not add up; got {asked!r} after {held!r} in entry 2. {step}"
    )


def test_what_the_weak_policy_speaks_of_is_kept(ledger: Ledger) -> None:
    subject = replace(release(1), kinds="sex, age")
    assert ledger.reserve("lodes", strong(1), subject).subject == subject


def test_a_correction_names_its_release(ledger: Ledger) -> None:
    ledger.reserve("lodes", strong(1), release(1))
    ledger.withdraw(2, "wrong period")
    made = ledger.reserve("lodes", strong(1), release(2), corrects=2)
    assert made.corrects == 2
    assert ledger.account("lodes").spent == strong(2)
    assert ledger.verify() == ()


@pytest.mark.parametrize("number", [0, 1, 3])
def test_a_correction_of_nothing(ledger: Ledger, number: int) -> None:
    ledger.reserve("lodes", strong(1), release(1))
    with pytest.raises(InvalidParameter) as refused:
        ledger.reserve("lodes", strong(1), release(2), corrects=number)
    assert str(refused.value) == (
        f"corrects: must be the number of a reserved entry; got {number!r}. "
        "See the numbers with `leeward ledger show`."
    )
    assert ledger.account("lodes").spent == strong(1)


def test_a_correction_of_another_account(ledger: Ledger) -> None:
    ledger.open_account("qwi", strong(4))
    ledger.reserve("qwi", strong(1), release(1))
    with pytest.raises(InvalidParameter) as refused:
        ledger.reserve("lodes", strong(1), release(2), corrects=3)
    assert str(refused.value) == (
        "corrects: must be the number of an earlier charge of account 'lodes'; got 3. "
        "Name the charge of the release that this one corrects."
    )
