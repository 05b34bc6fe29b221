"""Anchors, subjects, entries and guarantees: what they hold and what they refuse."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import leeward.publishing.ledger
from leeward.core.errors import Damaged, InvalidParameter, LeewardError
from leeward.core.privacy import Guarantee
from leeward.publishing.ledger import Anchor, Entry, Subject, TableCharge
from leeward.publishing.ledger.entry import link
from leeward.publishing.ledger.notation import account_name, plain, read_guarantee, words, written
from leeward.publishing.ledger.subject import Reasons
from tests.publishing.ledger.scenes import DIGEST, release, strong

HEAD = Anchor(0, DIGEST, "0123456789abcdef")
BODY = {"kind": "failed", "account": "lodes", "time": "2026-11-15T10:00:00+00:00"}


def test_public_names_are_exactly_these() -> None:
    assert leeward.publishing.ledger.__all__ == [
        "Account",
        "Anchor",
        "Entry",
        "FrameSketch",
        "Ledger",
        "Left",
        "Reasons",
        "Subject",
        "TableCharge",
    ]


fractions = st.fractions(min_value=0, max_value=100)


@given(fractions, st.fractions(min_value=0, max_value="0.99"), fractions)
def test_a_guarantee_is_written_exactly_and_read_back(
    epsilon: Fraction, delta: Fraction, rho: Fraction
) -> None:
    made = Guarantee("weak", "1/3", epsilon + 1, delta, rho)
    assert read_guarantee(json.loads(json.dumps(written(made)))) == made


def test_a_guarantee_is_written_as_rationals() -> None:
    assert written(strong("0.1", "1e-6")) == {
        "policy": "strong",
        "alpha": "1/10",
        "epsilon": "1/10",
        "delta": "1/1000000",
        "rho": "0",
    }
    assert written(Guarantee("worker", None, 1))["alpha"] is None


def test_numbers_longer_than_a_person_may_write_come_back() -> None:
    long = strong(Fraction(1, 3**2000))
    assert read_guarantee(written(long)) == long


@pytest.mark.parametrize(
    "change",
    [
        {"epsilon": 1},
        {"epsilon": "0.1"},
        {"epsilon": "-1"},
        {"epsilon": "1/0"},
        {"epsilon": None},
        {"more": "1"},
        {"policy": "none"},
        {"alpha": None},
        {"delta": "2"},
    ],
)
def test_what_is_no_guarantee_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(LeewardError):
        read_guarantee({**written(strong(1)), **change})


def test_a_guarantee_in_pieces_is_refused_in_words() -> None:
    with pytest.raises(Damaged) as refused:
        read_guarantee([])
    assert str(refused.value) == (
        "guarantee: must hold policy, alpha, epsilon, delta, rho as exact text; got something "
        "else. Run `leeward ledger verify`."
    )


@pytest.mark.parametrize("name", ["A.b_c-9", "x" * 64])
def test_account_names(name: str) -> None:
    assert account_name(name) == name


@pytest.mark.parametrize("name", ["", "x" * 65, "a/b", "a\n", None])
def test_other_account_names_are_refused(name: object) -> None:
    with pytest.raises(InvalidParameter) as refused:
        account_name(name)
    assert refused.value.rule == "must be 1 to 64 letters, digits, dots, underscores or hyphens"
    assert refused.value.next_step == "Choose a name such as 'lodes-2026'."


@pytest.mark.parametrize("text", ["訂正", "x" * 1000])
def test_plain_text_of_any_script_is_kept(text: str) -> None:
    assert plain(text, "reason") == text


@pytest.mark.parametrize(
    "text", ["", "x" * 1001, "a\nb", "\x1b[31m", "a\u202eb", "\ud800", "a\u2028b", None]
)
def test_control_characters_are_refused(text: object) -> None:
    with pytest.raises(InvalidParameter) as refused:
        plain(text, "reason")
    assert refused.value.rule == ("must be text of 1 to 1000 characters without control characters")
    assert refused.value.next_step == "Write reason as one plain line."


@pytest.mark.parametrize("blank", [" ", "\u00a0", "\u3000 "])
def test_a_reason_has_a_word(blank: str) -> None:
    assert words("no check is possible here", "unchecked") == "no check is possible here"
    with pytest.raises(InvalidParameter, match="must give the reason in words"):
        Reasons(unchecked=blank)
    assert Reasons(same_establishments=blank).same_establishments == blank


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"plan": "12AB"},
            "plan: must be 64 hexadecimal digits in lower case; got '12AB'. Give a SHA-256 sum.",
        ),
        (
            {"data": None},
            "data: must be 64 hexadecimal digits in lower case; got None. Give a SHA-256 sum.",
        ),
        (
            {"period": "2026\t"},
            "period: must be text of 1 to 1000 characters without control characters; "
            r"got '2026\t'. Write period as one plain line.",
        ),
        (
            {"bundle": ""},
            "bundle: must be text of 1 to 1000 characters without control characters; "
            "got ''. Write bundle as one plain line.",
        ),
        (
            {"tables": (1,)},
            "tables: must be a tuple of table charges; got a tuple (not shown). "
            "Give one TableCharge for each table.",
        ),
        (
            {"tables": []},
            "tables: must be a tuple of table charges; got a list (not shown). "
            "Give one TableCharge for each table.",
        ),
    ],
)
def test_a_subject_is_refused_at_birth(change: dict[str, object], message: str) -> None:
    good: dict[str, object] = {
        "plan": DIGEST,
        "data": DIGEST,
        "period": "2026Q2",
        "bundle": "out",
        "tables": (),
    }
    Subject(**good)  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter) as refused:
        Subject(**{**good, **change})  # type: ignore[arg-type]
    assert str(refused.value) == message


@pytest.mark.parametrize(("name", "mechanism"), [("", "slope"), ("a", "\n")])
def test_a_table_charge_has_plain_names(name: str, mechanism: str) -> None:
    with pytest.raises(InvalidParameter, match="must be text"):
        TableCharge(name, mechanism, strong(1))


@pytest.mark.parametrize(
    ("number", "digest", "ledger", "part"),
    [
        (-1, DIGEST, "a", "number"),
        (True, DIGEST, "a", "number"),
        (1, "x", "a", "hash"),
        (1, DIGEST, "", "ledger"),
    ],
)
def test_an_anchor_is_refused_at_birth(number: int, digest: str, ledger: str, part: str) -> None:
    with pytest.raises(InvalidParameter) as refused:
        Anchor(number, digest, ledger)
    assert refused.value.parameter == part


def test_an_entry_is_a_link() -> None:
    body = {**BODY, "names": 1, "reason": "interrupted"}
    made = Entry.after(HEAD, body)
    assert (made.number, made.previous, made.ledger) == (1, HEAD.hash, HEAD.ledger)
    assert made.hash == link(1, HEAD.hash, made.text)
    assert made.anchor == Anchor(1, made.hash, HEAD.ledger)
    assert (made.kind, made.account, made.time) == ("failed", "lodes", BODY["time"])
    assert (made.names, made.reason) == (1, "interrupted")
    nothing = (made.cap, made.charge, made.paid, made.subject, made.corrects, made.digest)
    assert nothing == (None,) * 6


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{", "its text cannot be read"),
        ("[" * 100_000, "its text cannot be read"),
        ("[]", "it is of no known kind"),
        ('{"kind": "gift"}', "it is of no known kind"),
        ('{"kind": []}', "it is of no known kind"),
        (json.dumps(BODY), "it is of no known kind"),
        (json.dumps({**BODY, "names": "1", "reason": "x"}), "it holds a value of the wrong type"),
        (json.dumps({**BODY, "names": True, "reason": "x"}), "it holds a value of the wrong type"),
        (json.dumps({**BODY, "names": None, "reason": "x"}), "it holds a value of the wrong type"),
        (json.dumps({**BODY, "names": 1, "reason": 2}), "it holds a value of the wrong type"),
        (
            json.dumps({**BODY, "kind": "opened", "cap": "1"}),
            "it holds a value of the wrong type",
        ),
        (
            json.dumps(
                {
                    **BODY,
                    "kind": "opened",
                    "format": 2,
                    "cap": written(Guarantee("strong", "1/10", 1, plus=5)),
                }
            ),
            "it states a guarantee that its format does not know",
        ),
    ],
)
def test_a_body_that_is_none_is_damage(text: str, fault: str) -> None:
    with pytest.raises(Damaged) as refused:
        Entry(1, HEAD.hash, text, link(1, HEAD.hash, text), HEAD.ledger)
    assert str(refused.value) == (
        f"ledger: every entry must be as it was written; got entry 1: {fault}. "
        "Release nothing from it and run `leeward ledger verify`."
    )


def test_a_body_that_does_not_agree_with_its_hash_is_damage() -> None:
    with pytest.raises(Damaged, match="its text does not agree with its hash"):
        Entry(1, HEAD.hash, "{}", DIGEST, HEAD.ledger)


def test_a_subject_comes_back_from_its_entry() -> None:
    body = {
        **BODY,
        "kind": "reserved",
        "charge": written(strong(1)),
        "paid": written(strong(1)),
        "subject": release(7).written(),
        "corrects": None,
        "format": 5,
        "salt": "0" * 32,
        "same_establishments": None,
        "unchecked": None,
    }
    assert Entry.after(HEAD, body).subject == release(7)
