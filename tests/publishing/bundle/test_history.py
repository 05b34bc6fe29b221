"""Several bundles without their ledger: whether they tell one history."""

import shutil
from pathlib import Path

import pytest

from leeward.core.exact import Number
from leeward.core.privacy import Guarantee
from leeward.publishing.bundle import Certificate, TableGuarantee, read_bundle
from leeward.publishing.bundle.witness import history_findings
from tests.interface.commands.scene import Office

KEPT = Path(__file__).parents[2] / "kept" / "format-1" / "bundle"
CAP = TableGuarantee.of(Guarantee("strong", "1/10", 100))


def released(
    entry: int, spent: Number, *, head: str = "a", cap: TableGuarantee = CAP, ledger: str = "one"
) -> Certificate:
    """The certificate of a charge of ε 2, after which so much is spent."""
    told = read_bundle(KEPT).certificate
    sums = {"cap": cap, "spent": TableGuarantee.of(Guarantee("strong", "1/10", spent))}
    at = {"id": ledger, "entry": entry, "head": head * 64}
    return told.model_copy(
        update={
            "budget": told.budget.model_copy(update=sums),
            "ledger": told.ledger.model_copy(update=at),
        }
    )


FIRST = released(2, 2)
OTHER_CAP = TableGuarantee.of(Guarantee("strong", "1/10", 50))


@pytest.mark.parametrize(
    "other",
    [
        FIRST,
        released(4, 4),
        released(9, 20),  # with charges of bundles that are not at hand
        released(2, 2, head="b", ledger="another"),
    ],
)
def test_bundles_of_one_history_agree(other: Certificate) -> None:
    assert history_findings({"A": FIRST, "B": other}) == ()
    assert history_findings({"A": other, "B": FIRST}) == ()


@pytest.mark.parametrize(
    ("other", "finding"),
    [
        (
            released(2, 2, head="b"),
            "A and B carry two different entries 2 of one ledger: it has two histories, so an old "
            "copy was put back and used, or it was rewritten",
        ),
        (released(2, 4), "A and B claim the same entry 2, which paid for one bundle"),
        (
            released(4, 2),
            "A and B do not add up in account kept: by entries 2 and 4 the later one holds less "
            "than what was spent before and its own charge; the ledger forgot a charge",
        ),
        (
            released(4, 4, cap=OTHER_CAP),
            "A and B give account kept two caps in entries 2 and 4: a cap is set once",
        ),
    ],
)
def test_contradictions_are_told(other: Certificate, finding: str) -> None:
    assert history_findings({"A": FIRST, "B": other}) == (finding,)
    assert len(history_findings({"X": other, "A": FIRST, "B": other})) == 2


@pytest.fixture
def office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Office:
    monkeypatch.chdir(tmp_path)
    made = Office(tmp_path)
    made.write()
    made.edit("plan.yaml", ("tables:", "rows: strict\ntables:"))
    made.open_account()
    return made


def test_a_ledger_that_was_put_back_shows_in_its_bundles_alone(office: Office) -> None:
    shutil.copy("ledger.sqlite", "old.sqlite")
    office.released(out="first")
    shutil.copy("old.sqlite", "ledger.sqlite")
    office.released(out="second")
    for one in ("first", "second"):
        assert office.run("verify", one).stdout == f"{one} is sound.\n"
    told = office.run("verify", "first", "second")
    assert told.exit_code == 1
    assert told.stdout == (
        "first is sound.\nsecond is sound.\n- first and second carry two different entries 2 of "
        "one ledger: it has two histories, so an old copy was put back and used, or it was "
        "rewritten\nThese bundles do NOT agree: 1 finding.\n"
    )
    # The same entry, paid for the same data: nothing tells anyone that they are the same.
    prints = {read_bundle(one).certificate.data.fingerprint for one in ("first", "second")}
    assert len(prints) == 2
    confirmed = office.run("verify", "second", "--ledger", "ledger.sqlite")
    assert confirmed.stdout == "second is sound and the ledger confirms it.\n"


def test_an_unsound_bundle_among_several_is_told(office: Office) -> None:
    office.released()
    told = office.run("verify", "bundle", "none")
    assert told.exit_code == 1
    assert told.stdout == (
        "bundle is sound.\n- it is not a folder\nnone is NOT sound: 1 finding.\n"
    )
    office.refuse(
        *("verify", "bundle", "none", "--sign-off", "--name", "One"),
        *("--role", "author", "--decision", "submitted"),
        says="--sign-off: must be about one bundle; got 2 bundles. Verify and sign one after the "
        "other.",
    )
