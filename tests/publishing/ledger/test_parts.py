"""Accounts by parts of the frame: a sum for each code, and the largest is what is spent."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from leeward.core.errors import AlreadyReleased, Damaged, InvalidParameter, OverBudget
from leeward.publishing.ledger import Entry, Ledger, Reasons, Subject
from leeward.publishing.ledger.part_sums import Part
from tests.publishing.ledger.scenes import release, strong
from tests.publishing.ledger.test_frames import sketch

STATES = tuple(f"{number:02}" for number in range(1, 51))


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """An account of states that may lose ε = 4 in each."""
    made = Ledger.new(tmp_path / "office.ledger")
    made.open_account("states", strong(4), parts="state")
    return made


def of(code: str | None, number: int, ids: range | None = None) -> Subject:
    """A release of its own for one state, or for all; with the ids of its establishments."""
    part: Part | None = None if code is None else ("state", code)
    frame = None if ids is None else sketch(ids).written
    return replace(release(number), part=part, frame=frame)


def charge(ledger: Ledger, code: str | None, epsilon: int, number: int) -> Entry:
    return ledger.reserve("states", strong(epsilon), of(code, number))


def test_fifty_states_at_4_cost_4(ledger: Ledger) -> None:
    for number, code in enumerate(STATES, 1):
        charge(ledger, code, 4, number)
    account = ledger.account("states")
    assert account.spent == strong(4)
    assert account.left.epsilon == 0
    assert ledger.verify() == ()
    with pytest.raises(OverBudget, match="where nothing is left"):
        charge(ledger, "50", 1, 99)


def test_one_account_for_all_of_the_frame_pays_for_each(tmp_path: Path) -> None:
    """Known bad: without parts the second state does not fit."""
    with Ledger.new(tmp_path / "one.ledger") as one:
        one.open_account("states", strong(4))
        charge(one, "01", 4, 1)
        with pytest.raises(OverBudget):
            charge(one, "02", 4, 2)


def test_a_release_without_a_part_is_charged_to_every_part(ledger: Ledger) -> None:
    charge(ledger, "01", 1, 1)
    charge(ledger, None, 2, 2)
    charge(ledger, "02", 2, 3)  # 2 + 2
    assert ledger.account("states").spent == strong(4)
    with pytest.raises(OverBudget, match="epsilon 1 is left"):
        charge(ledger, "01", 2, 4)
    with pytest.raises(OverBudget, match="where nothing is left"):
        charge(ledger, None, 1, 5)
    charge(ledger, "01", 1, 6)
    charge(ledger, "03", 2, 7)
    assert ledger.verify() == ()


def test_a_part_of_another_attribute_is_rejected(ledger: Ledger) -> None:
    other = replace(release(1), part=("county", "01"))
    with pytest.raises(InvalidParameter) as told:
        ledger.reserve("states", strong(1), other)
    assert str(told.value) == (
        "part: must be a part of state: account 'states' has a sum for each of its codes; got "
        "'county'. Write part: {state: CODE}, or leave it out: the release is then charged to "
        "every part."
    )


def test_parts_with_establishments_in_common_need_a_reason(ledger: Ledger) -> None:
    ledger.reserve("states", strong(1), of("01", 1, range(500)))
    ledger.reserve("states", strong(1), of("02", 2, range(496, 996)))  # 4 of 500 moved
    with pytest.raises(AlreadyReleased, match="at most a hundredth of its establishments"):
        ledger.reserve("states", strong(1), of("03", 3, range(490, 1000)))
    moved = Reasons(same_establishments="a boundary was moved by law")
    ledger.reserve("states", strong(1), of("03", 3, range(490, 1000)), reasons=moved)
    ledger.reserve("states", strong(1), of(None, 5, range(1000)))  # all of the frame


def test_the_kind_of_the_first_charge_is_that_of_all_parts(tmp_path: Path) -> None:
    with Ledger.new(tmp_path / "kinds.ledger") as kinds:
        kinds.open_account("states", strong(4, "1e-6"), parts="state")
        charge(kinds, "01", 1, 1)
        with pytest.raises(Exception, match="must be in epsilon as all charges"):
            kinds.reserve("states", strong(0, rho="0.01"), of("02", 2))


def test_what_an_account_says_of_its_parts(ledger: Ledger) -> None:
    charge(ledger, "01", 1, 1)
    charge(ledger, "02", 3, 2)
    shown = ledger.show()
    lines = [line.strip() for line in shown.lines()]
    assert lines[0] == "states: strong, alpha 0.1, epsilon 4 in all; epsilon 1 left"
    assert "An establishment that is in k parts over time may lose k times the cap" in lines[1]
    assert lines[2:4] == ["state 01: epsilon 3 left", "state 02: epsilon 1 left"]
    assert lines[-1].endswith("epsilon 3 for out/2 (2026Q2), part state 02")
    stated: Any = shown.to_dict()["accounts"]
    assert [account["parts"] for account in stated] == ["state"]
    assert stated[0]["spent_by_part"] == {"01": "1", "02": "3"}


def test_earlier_formats_and_other_accounts_have_no_parts(ledger: Ledger) -> None:
    with Ledger.new(ledger.path.with_name("plain.ledger")) as plain:
        opened = plain.open_account("states", strong(4))
        assert "parts" not in opened.body
        assert "part" not in release(1).written()
        assert plain.account("states").sums is None
    (by_parts,) = ledger.entries()
    old = {**by_parts.body, "format": 5}
    with pytest.raises(Damaged, match="of no known kind"):
        Entry.after(by_parts.anchor, old)
