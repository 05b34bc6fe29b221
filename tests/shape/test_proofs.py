"""A mechanism is one file, one proof, one registry line, one audit line."""

import pytest

from leeward.audit import LINES
from leeward.mechanisms import REGISTRY
from tests.shape.source import SRC

FOLDER = SRC / "leeward" / "mechanisms"
MOST_LINES = 400

OF_FILES = ("moments", "theil_sen", "row_counts", "row_choice")
"""Mechanisms that no plan names."""

every_mechanism = pytest.mark.parametrize("name", [*sorted(REGISTRY), *OF_FILES])


def test_there_are_mechanisms() -> None:
    assert REGISTRY


@every_mechanism
def test_a_mechanism_is_one_short_file(name: str) -> None:
    lines = (FOLDER / f"{name}.py").read_text().splitlines()
    assert 0 < len(lines) <= MOST_LINES


@every_mechanism
def test_a_mechanism_has_a_proof(name: str) -> None:
    proof = (FOLDER / f"{name}.proof.md").read_text()
    assert [part for part in ("Precondition", "Claim", "Proof") if part not in proof] == []


@every_mechanism
def test_a_mechanism_has_an_audit_line(name: str) -> None:
    assert name in {line.mechanism for line in LINES}
