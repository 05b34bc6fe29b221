"""The audit in the documents is the audit of the program."""

from docs.slot import current
from docs.tables import TABLES
from leeward.interface.commands.audit_command import markdown, summary
from leeward.lab.audit import Row
from tests.docs.test_examples import ROOT


def test_the_page_shows_the_quick_audit(rows: list[Row]) -> None:
    assert current(TABLES["audit"][0], "audit") == markdown(rows)


def test_the_readme_ends_as_the_command_does(rows: list[Row]) -> None:
    assert summary(rows) in (ROOT / "README.md").read_text(encoding="utf-8")
