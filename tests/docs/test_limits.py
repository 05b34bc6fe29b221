"""Pages about limits name every command, and a test or a version for each limit."""

import re
from collections.abc import Iterator

import pytest

import leeward
from tests.docs.page import ROOT
from tests.docs.test_reference import COMMANDS, parameters

EXPLANATION = ROOT / "docs" / "explanation"
LIMIT = re.compile(r"^\* .*?(?=^\* |^## |\Z)", flags=re.DOTALL | re.MULTILINE)
SHOWN_BY = re.compile(r"\*(?P<how>Test|Checked): (?P<what>[^*]+)\*\s*\Z")


def limits() -> list[str]:
    """The lines of the page, each with all its sentences."""
    return LIMIT.findall((EXPLANATION / "known-limits.md").read_text(encoding="utf-8"))


def rows() -> Iterator[list[str]]:
    """The rows of the table of commands: name, truth, charge, publication, witness."""
    for line in (EXPLANATION / "threat-model.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("| `leeward "):
            yield [cell.strip(" `") for cell in line.strip("|").split(" | ")]


@pytest.mark.parametrize("limit", limits(), ids=lambda limit: limit[4:34])
def test_a_limit_has_a_test_or_the_version_it_was_checked_with(limit: str) -> None:
    shown = SHOWN_BY.search(limit)
    assert shown is not None, limit
    if shown["how"] == "Checked":
        assert shown["what"] == leeward.__version__
        return
    path, _, name = shown["what"].strip("`").partition("::")
    assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8")


def test_every_command_has_a_row_in_the_threat_model() -> None:
    assert sorted(row[0] for row in rows()) == sorted(set(COMMANDS) - {"leeward"})


def test_what_charges_and_what_stays_inside_is_what_the_commands_say() -> None:
    table = {name: cells for name, *cells in rows()}
    charging = {name for name, (_, charges, _, _) in table.items() if charges.startswith("yes")}
    paying = {name for name, command in COMMANDS.items() if "--again" in parameters(command)}
    assert charging == paying | {"leeward demo"}
    assert all(table[name][3] != "–" for name in charging)
    inside = {name for name, cells in table.items() if "CONFIDENTIAL" in cells[2]}
    for name, command in COMMANDS.items():
        first = (command.help or "").partition("\n")[0]
        assert "CONFIDENTIAL" not in first or name in inside, name
