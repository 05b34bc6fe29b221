"""A mechanism is one file, one proof, one registry line, one audit line."""

import pytest

from leeward.audit import LINES
from leeward.local.choice import METHODS
from leeward.mechanisms import REGISTRY
from tests.shape.source import SRC

ROOMS = SRC / "leeward"
MOST_LINES = 400

OF_FILES = ("moments", "theil_sen", "row_counts", "row_choice")
"""Mechanisms that no plan names."""

FILES = {name: ROOMS / "mechanisms" / name for name in (*sorted(REGISTRY), *OF_FILES)}
FILES |= {name: ROOMS / "local" / name for name in METHODS}
every_mechanism = pytest.mark.parametrize("name", FILES)


def test_there_are_mechanisms() -> None:
    assert REGISTRY


@every_mechanism
def test_a_mechanism_is_one_short_file(name: str) -> None:
    lines = FILES[name].with_suffix(".py").read_text().splitlines()
    assert 0 < len(lines) <= MOST_LINES


@every_mechanism
def test_a_mechanism_has_a_proof(name: str) -> None:
    proof = FILES[name].with_suffix(".proof.md").read_text()
    assert [part for part in ("Precondition", "Claim", "Proof") if part not in proof] == []


@every_mechanism
def test_a_mechanism_has_an_audit_line(name: str) -> None:
    assert name in {line.mechanism for line in LINES}
