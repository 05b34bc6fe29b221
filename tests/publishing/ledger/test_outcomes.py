"""What becomes of a charge: committed, failed, withdrawn; it stays in every case."""

from collections.abc import Callable

import pytest

from leeward.core.errors import InvalidParameter
from leeward.publishing.ledger import Entry, Ledger
from tests.publishing.ledger.scenes import DIGEST, release, strong

Act = Callable[[Ledger, int], Entry]


def commit(ledger: Ledger, number: int) -> Entry:
    return ledger.commit(number, DIGEST)


def commit_other(ledger: Ledger, number: int) -> Entry:
    return ledger.commit(number, "e" * 64)


def fail(ledger: Ledger, number: int) -> Entry:
    return ledger.fail(number, "interrupted")


def withdraw(ledger: Ledger, number: int) -> Entry:
    return ledger.withdraw(number, "wrong period")


@pytest.fixture
def charged(ledger: Ledger) -> Ledger:
    ledger.reserve("lodes", strong(1), release())
    return ledger


@pytest.mark.parametrize(
    ("act", "kind", "digest", "reason"),
    [
        (commit, "committed", DIGEST, None),
        (fail, "failed", None, "interrupted"),
        (withdraw, "withdrawn", None, "wrong period"),
    ],
)
def test_an_end_is_an_entry(
    charged: Ledger, act: Act, kind: str, digest: str | None, reason: str | None
) -> None:
    made = act(charged, 2)
    assert (made.number, made.kind, made.account, made.names) == (3, kind, "lodes", 2)
    assert (made.digest, made.reason, made.charge) == (digest, reason, None)
    assert charged.entries()[-1] == made
    assert charged.account("lodes").spent == strong(1)
    assert charged.verify() == ()


def test_the_same_commit_again_changes_nothing(charged: Ledger) -> None:
    first = commit(charged, 2)
    assert commit(charged, 2) == first
    assert charged.head() == first.anchor


def test_the_same_commit_again_is_known_after_a_withdrawal(charged: Ledger) -> None:
    first = commit(charged, 2)
    withdraw(charged, 2)
    assert commit(charged, 2) == first


def test_a_committed_release_can_be_withdrawn(charged: Ledger) -> None:
    commit(charged, 2)
    assert withdraw(charged, 2).kind == "withdrawn"


def test_a_failed_release_can_be_withdrawn(charged: Ledger) -> None:
    fail(charged, 2)
    assert withdraw(charged, 2).kind == "withdrawn"


@pytest.mark.parametrize(
    ("first", "then", "state"),
    [
        (commit, commit_other, "committed"),
        (commit, fail, "committed"),
        (fail, commit, "failed"),
        (fail, fail, "failed"),
        (withdraw, withdraw, "withdrawn"),
        (withdraw, commit, "withdrawn"),
        (withdraw, fail, "withdrawn"),
    ],
)
def test_an_end_is_final(charged: Ledger, first: Act, then: Act, state: str) -> None:
    first(charged, 2)
    with pytest.raises(InvalidParameter) as refused:
        then(charged, 2)
    assert str(refused.value) == (
        f"entry: must be a charge that was not {state}; got 2, {state} in 3. "
        "See what became of it with `leeward ledger show`."
    )
    assert charged.head().number == 3


@pytest.mark.parametrize(("act", "number"), [(commit, 0), (fail, 1), (withdraw, 99), (fail, True)])
def test_what_is_no_charge(charged: Ledger, act: Act, number: int) -> None:
    with pytest.raises(InvalidParameter) as refused:
        act(charged, number)
    assert str(refused.value) == (
        f"entry: must be the number of a reserved entry; got {number!r}. "
        "See the numbers with `leeward ledger show`."
    )


def test_a_bundle_digest_is_a_digest(charged: Ledger) -> None:
    with pytest.raises(InvalidParameter) as refused:
        charged.commit(2, "abc")
    assert str(refused.value) == (
        "bundle_digest: must be 64 hexadecimal digits in lower case; got 'abc'. Give a SHA-256 sum."
    )


@pytest.mark.parametrize("reason", ["", "a\nb"])
def test_a_reason_is_plain(charged: Ledger, reason: str) -> None:
    for act in (charged.fail, charged.withdraw):
        with pytest.raises(InvalidParameter, match=r"^reason: must be text of 1 to 1000"):
            act(2, reason)
    assert charged.head().number == 2
