"""Releases that turn out wrong: withdrawn or corrected by new entries, and never refunded."""

from fractions import Fraction
from pathlib import Path

import pytest

from leeward.core.privacy import Guarantee
from leeward.publishing.bundle import read_bundle
from leeward.publishing.ledger import Account, Ledger
from leeward.publishing.release.charge import budget
from leeward.publishing.release.ledger_check import subject_findings
from tests.publishing.office import Driver, Office, noted, release, steps

LEDGER = ("--ledger", "../ledger.sqlite")


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory, driver: Driver, small_economy: Path) -> Office:
    """An office that has published entry 2."""
    made = Office(driver, tmp_path_factory.mktemp("office"))
    made.open_account(20)
    with Ledger.open(made.ledger) as book:
        book.open_account("other", book.account("office").cap)
    made.write_plan(small_economy)
    assert made.run("first", *release()).code == 0
    return made


def spent(office: Office) -> int:
    with Ledger.open(office.ledger) as book:
        found = book.account("office").spent
    assert found is not None
    return int(found.epsilon)


@pytest.mark.parametrize(
    ("number", "value"), [("99", "99"), ("1", "1"), ("4", "4"), ("0", "0"), ("-3", "-3")]
)
def test_only_an_earlier_charge_can_be_corrected(office: Office, number: str, value: str) -> None:
    before = office.ledger.read_bytes()
    name = f"wrong-{number.strip('-')}"
    told = office.run(name, *release("--again", "--corrects", number), changes=noted())
    assert told.code == 1
    assert told.err == (
        "leeward: --corrects: must be the number of an earlier charge of account 'office'; "
        f"got {value}. See the numbers with `leeward ledger show`.\n"
    )
    assert office.ledger.read_bytes() == before
    assert steps(office.folder / name) == []  # no row was looked at
    assert not (office.folder / name / "bundle").exists()


def test_a_release_is_withdrawn_and_corrected_and_stays_charged(office: Office) -> None:
    paid = spent(office)
    reserved = next(e.number for e in office.entries() if e.kind == "reserved")
    why = ("--reason", "wrong period")
    told = office.run("withdraw", "ledger", "withdraw", str(reserved), *why, *LEDGER)
    assert told.code == 0
    assert told.out.endswith("its charge stays.\n")
    assert spent(office) == paid
    verify = office.run("verify", "verify", "../first/bundle", *LEDGER)
    assert verify.code == 1
    assert verify.out.startswith(f"- entry {reserved} was withdrawn: wrong period\n")
    assert office.run("without", "verify", "../first/bundle").code == 0
    twice = office.run("twice", "ledger", "withdraw", str(reserved), *why, *LEDGER)
    assert (twice.code, spent(office)) == (1, paid)

    same = office.run("same", *release())
    assert same.code == 1
    assert "since withdrawn: its budget stays spent" in same.err
    correct = office.run("better", *release("--again", "--corrects", str(reserved)))
    assert (correct.code, correct.err) == (0, "")
    assert spent(office) == 2 * paid
    certificate = read_bundle(office.folder / "better" / "bundle").certificate
    assert certificate.corrects == reserved
    text = (office.folder / "better" / "bundle" / "README.txt").read_text()
    assert f"It corrects the release of ledger entry {reserved}." in text
    assert office.run("sound", "verify", "../better/bundle", *LEDGER).code == 0
    shown = office.run("show", "ledger", "show", *LEDGER).out
    assert f"entry {reserved} withdrawn (wrong period); its charge stays" in shown
    assert f"corrects entry {reserved}" in shown


def test_what_is_not_a_charge_cannot_be_withdrawn(office: Office) -> None:
    before = office.ledger.read_bytes()
    told = office.run("nothing", "ledger", "withdraw", "1", "--reason", "no", *LEDGER)
    assert told.code == 1
    assert "must be the number of a reserved entry; got 1" in told.err
    assert office.ledger.read_bytes() == before


def test_a_certificate_of_another_charge_is_noticed(office: Office) -> None:
    bundle = office.folder / "first" / "bundle"
    certificate = read_bundle(bundle).certificate
    number = certificate.ledger.entry
    other = certificate.data.model_copy(update={"fingerprint": "b" * 64})
    less = certificate.budget.spent.model_copy(update={"epsilon": "1"})
    richer = certificate.budget.model_copy(update={"spent": less})
    with Ledger.open(office.ledger) as book:
        entries = book.entries()
        assert subject_findings(certificate, entries, book) == []
        for change, part in (
            ({"plan_digest": "a" * 64}, "plan"),
            ({"period": "2020"}, "period"),
            ({"account": "other"}, "account"),
            ({"corrects": 1}, "corrected entry"),
            ({"name": "b"}, "name"),
            ({"data": other}, "data"),
            ({"budget": richer}, "state of the account"),
        ):
            forged = certificate.model_copy(update=change)
            expected = [f"entry {number} was charged for another {part}"]
            assert subject_findings(forged, entries, book) == expected


def test_a_certificate_says_what_is_left_with_its_own_charge(office: Office) -> None:
    first, second = (
        read_bundle(office.folder / name / "bundle").certificate.budget
        for name in ("first", "better")
    )
    with Ledger.open(office.ledger) as book:
        account = book.account("office")
    cap, paid = account.cap.epsilon, Fraction(first.paid.epsilon)
    assert [Fraction(one.cap.epsilon) for one in (first, second)] == [cap, cap]
    assert [Fraction(one.spent.epsilon) for one in (first, second)] == [paid, 2 * paid]
    assert [Fraction(one.left.epsilon) for one in (first, second)] == [cap - paid, cap - 2 * paid]


def test_a_budget_of_very_many_digits_is_said_in_fewer_and_never_as_too_much() -> None:
    odd = Fraction(1, 10**150 + 1)
    cap, spent = Guarantee("strong", "0.1", 9), Guarantee("strong", "0.1", 1 + odd)
    said = budget(Account("a", cap, spent, 1, ""), spent)
    assert len(said.spent.epsilon) < 210
    assert 1 + odd < Fraction(said.spent.epsilon) < 1 + Fraction(1, 10**99)
    assert 8 - Fraction(1, 10**99) < Fraction(said.left.epsilon) < 8 - odd


def test_two_releases_of_the_same_data_do_not_show_that_they_are_the_same(office: Office) -> None:
    first, second = (
        read_bundle(office.folder / name / "bundle").certificate for name in ("first", "better")
    )
    with Ledger.open(office.ledger) as book:
        paid = {
            entry.number: entry.subject.data
            for entry in book.entries()
            if entry.subject is not None
        }
    assert paid[first.ledger.entry] == paid[second.ledger.entry]
    assert first.data.fingerprint != second.data.fingerprint
    assert paid[first.ledger.entry] not in (first.to_json() + second.to_json()).decode()
