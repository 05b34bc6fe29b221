"""Eight real releases at once from one account that can pay for three."""

from pathlib import Path

from leeward.publishing.bundle import read_bundle, verify_bundle
from leeward.publishing.ledger import Ledger
from tests.publishing.office import Driver, Office, release

PROCESSES = 8
FITTING = 3
EPSILON = 4
"""Of each release."""


def test_of_eight_releases_at_once_three_are_paid_for(
    tmp_path: Path, driver: Driver, small_economy: Path
) -> None:
    office = Office(driver, tmp_path)
    office.open_account(FITTING * EPSILON + EPSILON - 1)
    periods = [f"20{number:02}" for number in range(PROCESSES)]
    for period in periods:  # another period is another plan
        office.write_plan(small_economy, period=period)
    crowd = [office.start(period, *release(period=period)) for period in periods]
    codes = {running.folder: running.ended() for running in crowd}
    paid = [folder for folder, code in codes.items() if code == 0]
    refused = [folder for folder, code in codes.items() if code == 1]
    assert (len(paid), len(refused)) == (FITTING, PROCESSES - FITTING)
    for folder in refused:
        assert "charge: must keep account 'office' within its cap of epsilon 15" in said(folder)
        assert list(folder.glob("bundle")) == list(folder.glob(".*")) == []
    with Ledger.open(office.ledger) as book:
        anchors = [entry.anchor for entry in book.entries()]
        kinds = [entry.kind for entry in book.entries()]
        committed = {entry.names for entry in book.entries() if entry.kind == "committed"}
        assert book.verify(anchors) == ()
        assert book.account("office").left.epsilon == EPSILON - 1
    assert sorted(kinds) == ["committed"] * FITTING + ["opened"] + ["reserved"] * FITTING
    assert {read_bundle(folder / "bundle").certificate.ledger.entry for folder in paid} == committed
    for folder in paid:
        assert verify_bundle(folder / "bundle") == ()
        check = ("verify", str(folder / "bundle"), "--ledger", "../ledger.sqlite")
        assert office.run("verify", *check).code == 0


def said(folder: Path) -> str:
    """What a process had to say; nothing but refusals."""
    text = (folder / "stderr.txt").read_text()
    assert "Traceback" not in text
    return text
