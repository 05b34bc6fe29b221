"""A bundle and a ledger of the first format, kept as they were made: read, verified and charged."""

import json
import shutil
from pathlib import Path

import jsonschema
import pytest

from leeward.bundle import certificate_schema, read_bundle, verify_bundle
from leeward.bundle.certificate import is_published, published_schema
from leeward.ledger import Ledger
from tests.cli.scene import Office

KEPT = Path(__file__).parents[1] / "kept" / "format-1"
LEDGER = ("--ledger", "ledger.sqlite")


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Office:
    """A copy to work with; the mode of the ledger is not what version control keeps."""
    folder = tmp_path / "kept"
    shutil.copytree(KEPT, folder)
    (folder / "ledger.sqlite").chmod(0o600)
    monkeypatch.chdir(folder)
    return Office(folder)


def test_its_bundle_is_read_and_verified(kept: Office) -> None:
    certificate = read_bundle("bundle").certificate
    assert (certificate.format, certificate.software) == (1, None)
    assert certificate.to_json() == (kept.folder / "bundle" / "certificate.json").read_bytes()
    assert verify_bundle("bundle") == ()
    assert kept.run("verify", "bundle").stdout == "bundle is sound.\n"
    confirmed = kept.run("verify", "bundle", *LEDGER).stdout
    assert confirmed == "bundle is sound and the ledger confirms it.\n"
    assert kept.run("ledger", "commit", "bundle").stdout == "Entry 2 is committed.\n"


def test_its_report_is_made_anew(kept: Office) -> None:
    (kept.folder / "bundle" / "report.html").unlink()
    assert kept.run("report", "bundle").exit_code == 0
    assert "<html" in (kept.folder / "bundle" / "report.html").read_text()
    assert kept.run("verify", "bundle", *LEDGER).exit_code == 0


def test_its_certificate_fits_the_schema_of_today(kept: Office) -> None:
    content = json.loads((kept.folder / "bundle" / "certificate.json").read_text())
    jsonschema.Draft202012Validator(certificate_schema()).validate(content)
    own = (kept.folder / "bundle" / "certificate.schema.json").read_bytes()
    assert is_published(own, 1)
    assert not is_published(own, 2)
    assert not is_published(published_schema(), 1)


def test_its_ledger_is_shown_and_verified(kept: Office) -> None:
    shown = kept.run("ledger", "show").stdout
    assert shown.startswith("kept: strong, alpha 0.1, epsilon 100 in all; epsilon 98 left\n")
    assert "charged strong, alpha 0.1, epsilon 2 for bundle (2026Q2)" in shown
    assert kept.run("ledger", "show", "--json").exit_code == 0
    known = kept.run("ledger", "verify", "--against", "bundle").stdout
    assert known == "ledger.sqlite is sound, and knows 1 bundle.\n"
    with Ledger.open(kept.folder / "ledger.sqlite") as book:
        assert {entry.format for entry in book.entries()} == {1}


def test_its_account_is_charged_by_strict_plans_alone(kept: Office) -> None:
    kept.edit("plan.yaml", ("period: 2026Q2", "period: 2026Q3"))
    kept.refuse_release(
        says="jobs: must be the rule of all releases of an account: guarantees about differently "
        "reduced jobs do not add up; got 'every' after 'single' in entry 2. Write `rows: strict` "
        "and leave `jobs` out.",
        out="next",
    )
    kept.edit("plan.yaml", ("period: 2026Q3", "period: 2026Q3\nrows: strict"))
    kept.released(out="next")
    both = kept.run("verify", "bundle", "next", *LEDGER)
    assert both.exit_code == 0, both.output
    assert both.stdout.endswith("They agree with each other.\n")
    assert kept.run("ledger", "verify", "--against", "bundle", "--against", "next").exit_code == 0
    with Ledger.open(kept.folder / "ledger.sqlite") as book:
        assert [entry.format for entry in book.entries()] == [1, 1, 1, 2, 2]
        assert book.account("kept").left.epsilon == 96
    assert read_bundle("next").certificate.format == 3
