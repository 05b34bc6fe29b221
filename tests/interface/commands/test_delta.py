"""The rule for δ: a frame refuses it before the charge; `plan` knows no frame and tells it."""

import pytest

from tests.interface.commands.scene import Office

RULE = (
    "must be below 1/(100 × establishments of the frame): a delta of 1/n allows one of n jobs to "
    "be published as it is (Haney et al. 2015); n is confidential, and a hundred jobs for each "
    "establishment bound it; got"
)
PLANNED = f"protect.delta: {RULE} 1/600 for 6 establishments. Give one below 1/600, or 0."
CAPPED = (
    f"delta of account 'wide': {RULE} 1/100 for 6 establishments. Give one below 1/600 to an "
    "account that is opened for this frame; a cap is never changed."
)


@pytest.fixture
def strict(office: Office) -> Office:
    office.edit("plan.yaml", ("period:", "rows: strict\nperiod:"))
    return office


def give_delta(office: Office, delta: str) -> None:
    office.edit("plan.yaml", ("epsilon: 4", f"epsilon: 4, delta: {delta}"))


def test_a_plan_with_too_large_a_delta_is_refused(strict: Office) -> None:
    give_delta(strict, "1/600")
    strict.refuse_release(says=PLANNED)
    result = strict.run("check", "plan.yaml")
    assert result.exit_code == 1
    assert PLANNED in result.stderr


def test_a_smaller_delta_is_released(strict: Office) -> None:
    give_delta(strict, "1/601")
    assert strict.run("check", "plan.yaml").exit_code == 0
    strict.released()


def test_the_delta_of_the_account_counts_too(strict: Office) -> None:
    made = strict.run(
        *("ledger", "create", "--account", "wide", "--policy", "strong"),
        *("--alpha", "0.1", "--epsilon", "16", "--delta", "0.01"),
    )
    assert made.exit_code == 0, made.output
    strict.edit("plan.yaml", ("account: office", "account: wide"))
    strict.refuse_release(says=CAPPED)
    told = strict.run("plan", "plan.yaml", "--ledger", "ledger.sqlite").stdout
    assert "for at most 0 establishments" in " ".join(told.split())


def test_plan_tells_the_rule_where_there_is_a_delta(office: Office) -> None:
    assert "Delta" not in office.run("plan", "plan.yaml").stdout
    give_delta(office, "1/2000001")
    told = office.run("plan", "plan.yaml").stdout
    assert "which this one is for at most 20,000 establishments" in " ".join(told.split())
