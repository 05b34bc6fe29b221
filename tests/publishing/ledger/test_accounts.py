"""Accounts: a cap is set once, charges add up exactly, and what is left is never too much."""

from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leeward.core.errors import CannotCompose, InvalidParameter, OverBudget
from leeward.core.exact import Number, exact_text
from leeward.core.privacy import Guarantee, sequential
from leeward.publishing.ledger import Account, Ledger, Left
from leeward.publishing.ledger.account import certainly_past, covers, left, within
from leeward.publishing.ledger.box import Box
from tests.publishing.ledger.scenes import ledger_with, release, strong

RHO_CAP = strong(4, "1e-6")


def test_an_account_before_its_first_charge(ledger: Ledger) -> None:
    (opening,) = ledger.entries()
    assert ledger.account("lodes") == Account("lodes", strong(4), None, 0, opening.time)
    assert ledger.account("lodes").left == Left(Fraction(4), Fraction(0))
    assert (opening.kind, opening.account, opening.cap) == ("opened", "lodes", strong(4))
    assert opening.time.endswith("+00:00")
    assert len(opening.time) == len("2026-11-15T10:00:00+00:00")


def test_charges_of_all_periods_add_up(ledger: Ledger) -> None:
    ledger.reserve("lodes", strong("1/3"), release(1))
    ledger.reserve("lodes", strong("0.1"), release(2))
    found = ledger.account("lodes")
    assert (found.spent, found.charges) == (strong("13/30"), 2)
    assert found.left == Left(Fraction(107, 30), Fraction(0))


def test_accounts_come_by_name(ledger: Ledger) -> None:
    ledger.open_account("a", strong(1))
    ledger.open_account("z", Guarantee("worker", None, 1))
    assert [account.name for account in ledger.accounts()] == ["a", "lodes", "z"]


@pytest.mark.parametrize("cap", [strong(4), strong(5), Guarantee("worker", None, 1)])
def test_a_cap_is_set_once(ledger: Ledger, cap: Guarantee) -> None:
    with pytest.raises(InvalidParameter) as refused:
        ledger.open_account("lodes", cap)
    assert str(refused.value) == (
        "account: must be new: a cap is set once; got 'lodes', opened in entry 1. "
        "Use the account as it is, or choose another name or cap."
    )
    assert len(ledger.entries()) == 1


def test_a_cap_is_not_of_two_kinds(ledger: Ledger) -> None:
    with pytest.raises(InvalidParameter) as refused:
        ledger.open_account("z", strong(1, rho="1/2"))
    assert str(refused.value) == (
        "cap: must be in epsilon and delta, or in rho alone; got rho 1/2 beside them. "
        "Use the account as it is, or choose another name or cap."
    )


def test_an_account_needs_a_plain_name(ledger: Ledger) -> None:
    with pytest.raises(InvalidParameter) as refused:
        ledger.open_account("lodes 2026", strong(1))
    assert str(refused.value) == (
        "account: must be 1 to 64 letters, digits, dots, underscores or hyphens; "
        "got 'lodes 2026'. Choose a name such as 'lodes-2026'."
    )


@pytest.mark.parametrize(
    ("name", "step"),
    [("lode", "Did you mean 'lodes'?"), ("xyz", "Open it with its cap first.")],
)
def test_an_unknown_account(ledger: Ledger, name: str, step: str) -> None:
    ledger.open_account("b", strong(1))
    said = f"account: must be open in this ledger (b, lodes); got {name!r}. {step}"
    with pytest.raises(InvalidParameter) as refused:
        ledger.account(name)
    assert str(refused.value) == said
    with pytest.raises(InvalidParameter) as refused:
        ledger.reserve(name, strong(1), release())
    assert str(refused.value) == said


def test_a_ledger_without_accounts(tmp_path: Path) -> None:
    empty = Ledger.new(tmp_path / "empty.ledger")
    assert (empty.accounts(), empty.entries(), empty.verify()) == ((), (), ())
    assert empty.head().number == 0
    with pytest.raises(InvalidParameter, match=r"must be open in this ledger \(it has none\)"):
        empty.account("lodes")


def test_left_with_delta() -> None:
    assert left(strong(4, "1e-6"), strong(1, "1e-7")) == Left(Fraction(3), Fraction(9, 10**7))


def test_left_after_rho_is_what_pure_charges_may_add() -> None:
    spent = strong(1, 0, "1/50")
    rest = left(RHO_CAP, spent)
    assert rest.delta == 0
    assert 0 < rest.epsilon < 3
    assert within(RHO_CAP, sequential(spent, strong(rest.epsilon)))
    assert not within(RHO_CAP, sequential(spent, strong(rest.epsilon + Fraction(1, 10**12))))


def test_rho_needs_some_delta() -> None:
    assert not within(strong(100), strong(0, 0, "1/1000000"))
    assert not within(strong(100, "1e-6"), strong(0, "1e-6", "1/1000000"))
    assert left(strong(100), strong(0, 0, "1/1000000")) == Left(Fraction(0), Fraction(0))


def test_pure_epsilon_is_not_traded_for_delta() -> None:
    # It could be, by zCDP; then what is left would not be the difference any more.
    assert strong("0.11").implies(strong("0.1", "0.05"))
    assert not within(strong("0.1", "0.05"), strong("0.11"))


def of(cap: Guarantee) -> Account:
    return Account("lodes", cap, None, 0, "t")


def test_the_last_digits_of_a_conversion_are_no_damage() -> None:
    spent = strong(0, 0, "1/50")
    brim = spent.to_approximate("1e-6").epsilon
    tighter = strong(brim * (1 - Fraction(1, 2**50)), "1e-6")
    assert not within(tighter, spent)
    assert not certainly_past(of(tighter), spent)
    assert certainly_past(of(strong(brim * Fraction(99, 100), "1e-6")), spent)
    assert certainly_past(of(strong("0.1")), strong("0.1000000000000000001"))


@pytest.mark.parametrize(
    ("paid", "due", "enough"),
    [
        (strong(1), strong(1), True),
        (strong(2, "1e-6"), strong(1), True),
        (strong(1), strong(1, "1e-6"), False),
        (strong(1), strong(1, 0, "1/2"), False),
        (strong("0.9"), strong(1), False),
        (strong(1, alpha="0.2"), strong(1), False),
        (Guarantee("weak", "0.1", 1), strong(1), False),
    ],
)
def test_a_payment_covers_what_is_due(paid: Guarantee, due: Guarantee, enough: bool) -> None:
    assert covers(paid, due) is enough


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("2", "2"),
        ("3/2", "3/2 (1.5)"),
        ("1/3", "1/3 (about 0.333333)"),
        ("2/3", "2/3 (about 0.666666)"),
        ("1e-9", "1/1000000000 (1E-9)"),
        (Fraction(10**50 + 1, 10**50), "about 1"),
        (Fraction(2 * 10**50 - 1, 10**50), "about 1.99999"),
    ],
)
def test_a_decimal_is_never_above_the_number(number: Number, text: str) -> None:
    assert exact_text(Fraction(number)) == text


charges = st.lists(st.fractions(min_value="1/50", max_value=2, max_denominator=60), max_size=12)


@given(charges, st.fractions(min_value="1/10", max_value=5, max_denominator=60))
@settings(deadline=None, max_examples=20)
def test_no_sequence_of_charges_passes_the_cap(wanted: list[Fraction], cap: Fraction) -> None:
    with TemporaryDirectory() as folder:
        ledger = ledger_with(Path(folder), strong(cap))
        spent = Fraction(0)
        for number, epsilon in enumerate(wanted):
            try:
                ledger.reserve("lodes", strong(epsilon), release(number))
            except OverBudget:
                assert spent + epsilon > cap
            else:
                spent += epsilon
                assert spent <= cap
        found = ledger.account("lodes")
        assert (found.spent.epsilon if found.spent else 0) == spent
        assert found.left.epsilon == cap - spent
        assert ledger.verify() == ()


losses = st.tuples(
    st.sampled_from(["0", "1/10", "1/2", "1"]),
    st.sampled_from(["0", "1e-8", "1e-7", "5e-7"]),
    st.sampled_from(["0", "1/1000", "1/50"]),
).filter(lambda loss: loss != ("0", "0", "0"))


BOXES = [None, Box.of(strong(2, "1e-6"), "1/25", "5e-7"), Box.of(strong(2, "1e-6"), "1/1000")]


@given(st.lists(st.builds(lambda loss: strong(*loss), losses), max_size=6), st.sampled_from(BOXES))
@settings(deadline=None, max_examples=25)
def test_no_mixture_of_measures_passes_the_cap(wanted: list[Guarantee], box: Box | None) -> None:
    accepted: list[Guarantee] = []
    with TemporaryDirectory() as folder:
        ledger = Ledger.new(Path(folder) / "office.ledger")
        ledger.open_account("lodes", strong(2, "1e-6"), box)
        for number, charge in enumerate(wanted):
            foreseen = ledger.would_refuse("lodes", charge, release(number))
            if foreseen is None:
                ledger.reserve("lodes", charge, release(number))
                accepted.append(charge)
            else:
                with pytest.raises((OverBudget, CannotCompose)) as refused:
                    ledger.reserve("lodes", charge, release(number))
                assert str(refused.value) == str(foreseen)
        assert box is not None or len({one.rho > 0 for one in accepted}) <= 1
        assert not accepted or sequential(*accepted).implies(strong(2, "1e-6"))
        assert ledger.account("lodes").spent == (sequential(*accepted) if accepted else None)
        assert ledger.verify() == ()
