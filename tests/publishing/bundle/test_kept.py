"""Bundles and ledgers of earlier formats, kept as they were made: read, verified and charged."""

import json
import shutil
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from leeward.publishing.bundle import certificate_schema, read_bundle, verify_bundle
from leeward.publishing.bundle.certificate import is_published, published_schema
from leeward.publishing.ledger import Ledger
from tests.interface.commands.scene import Office
from tests.publishing.bundle.tampering import reseal

KEPT = Path(__file__).parents[2] / "kept"
LEDGER = ("--ledger", "ledger.sqlite")
SOFTWARE = {1: None, 2: "0.4.0"}


def office(number: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Office:
    """A copy to work with; the mode of the ledger is not what version control keeps.

    Format 1 has the plan and the tables that made both.
    """
    for kept in dict.fromkeys((1, number)):
        shutil.copytree(KEPT / f"format-{kept}", folder, dirs_exist_ok=True)
    (folder / "ledger.sqlite").chmod(0o600)
    monkeypatch.chdir(folder)
    return Office(folder)


@pytest.fixture(params=SOFTWARE)
def number(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def kept(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Office:
    return office(number, tmp_path / "kept", monkeypatch)


def test_its_bundle_is_read_and_verified(number: int, kept: Office) -> None:
    certificate = read_bundle("bundle").certificate
    made = certificate.software
    assert (certificate.format, made and made.leeward) == (number, SOFTWARE[number])
    assert certificate.to_json() == (kept.folder / "bundle" / "certificate.json").read_bytes()
    assert verify_bundle("bundle") == ()
    note = (
        f"It says that Leeward {certificate.leeward} made it. This is {version('leeward')}, which "
        "words things differently: its sentences, README.txt and report.html were NOT compared "
        "with its numbers. Verify it with that version.\n"
    )
    assert kept.run("verify", "bundle").stdout == f"bundle is sound.\n{note}"
    confirmed = kept.run("verify", "bundle", *LEDGER).stdout
    assert confirmed == f"bundle is sound and the ledger confirms it.\n{note}"
    assert kept.run("ledger", "commit", "bundle").stdout == "Entry 2 is committed.\n"


def test_what_was_not_compared_is_signed_with_the_ledger_only(kept: Office) -> None:
    signed = ("--sign-off", "--name", "A", "--role", "head", "--decision", "submitted")
    rejected = kept.run("verify", "bundle", *signed)
    assert rejected.exit_code == 1
    assert rejected.stdout.endswith("bundle is NOT sound: 1 finding. Nothing was signed.\n")
    assert kept.run("verify", "bundle", *LEDGER, *signed).exit_code == 0


def test_sums_of_an_older_format_are_compared(kept: Office) -> None:
    def cheaper(content: dict[str, Any]) -> None:
        content["guarantee"]["epsilon"] = "1/100"

    reseal(kept.folder / "bundle", cheaper)
    told = kept.run("verify", "bundle").stdout
    assert "guarantee is not what its tables cost together" in told


def test_its_report_is_made_again(kept: Office) -> None:
    (kept.folder / "bundle" / "report.html").unlink()
    assert kept.run("report", "bundle").exit_code == 0
    assert "<html" in (kept.folder / "bundle" / "report.html").read_text()
    assert kept.run("verify", "bundle", *LEDGER).exit_code == 0


def test_its_certificate_fits_the_schema_of_today(number: int, kept: Office) -> None:
    content = json.loads((kept.folder / "bundle" / "certificate.json").read_text())
    jsonschema.Draft202012Validator(certificate_schema()).validate(content)
    own = (kept.folder / "bundle" / "certificate.schema.json").read_bytes()
    assert [is_published(own, one) for one in (1, 2, 3)] == [number == one for one in (1, 2, 3)]
    assert not is_published(published_schema(), number)


def test_its_ledger_is_shown_and_verified(number: int, kept: Office) -> None:
    shown = kept.run("ledger", "show").stdout
    assert shown.startswith("kept: strong, alpha 0.1, epsilon 100 in all; epsilon 98 left\n")
    assert "charged strong, alpha 0.1, epsilon 2 for bundle (2026Q2)" in shown
    assert kept.run("ledger", "show", "--json").exit_code == 0
    known = kept.run("ledger", "verify", "--against", "bundle").stdout
    assert known == "ledger.sqlite is sound, and knows 1 bundle.\n"
    with Ledger.open(kept.folder / "ledger.sqlite") as book:
        assert {entry.format for entry in book.entries()} == {number}


def test_an_account_of_format_1_is_charged_by_strict_plans_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = office(1, tmp_path / "kept", monkeypatch)
    kept.edit("plan.yaml", ("period: 2026Q2", "period: 2026Q3"))
    kept.refuse_release(
        says="jobs: must be the rule of all releases of an account: guarantees about differently "
        "reduced jobs do not add up; got 'every' after 'single' in entry 2. Write `rows: strict` "
        "and leave `jobs` out.",
        out="next",
    )
    kept.edit("plan.yaml", ("period: 2026Q3", "period: 2026Q3\nrows: strict"))
    require_charged(kept, 1)


def test_an_account_of_format_2_is_charged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = office(2, tmp_path / "kept", monkeypatch)
    kept.edit("plan.yaml", ("period: 2026Q2", "period: 2026Q3"))
    require_charged(kept, 2)


def require_charged(kept: Office, number: int) -> None:
    """The next release adds entries of today, and everything agrees."""
    kept.released(out="next")
    both = kept.run("verify", "bundle", "next", *LEDGER)
    assert both.exit_code == 0, both.output
    assert both.stdout.endswith("They agree with each other.\n")
    assert kept.run("ledger", "verify", "--against", "bundle", "--against", "next").exit_code == 0
    with Ledger.open(kept.folder / "ledger.sqlite") as book:
        assert [entry.format for entry in book.entries()] == [*3 * [number], 6, 6]
        assert book.account("kept").left.epsilon == 96
    assert read_bundle("next").certificate.format == 3
