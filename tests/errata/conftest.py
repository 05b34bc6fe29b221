"""What the page prints beside the name of a test, so that the test can compare its own numbers."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "errata.md"


@dataclass(frozen=True)
class Row:
    """One erratum as it stands on the page."""

    text: str

    def prints(self, *numbers: str) -> bool:
        """Whether all these numbers are there, each as a whole number and not part of another."""
        return all(
            re.search(rf"(?<![\d.]){re.escape(number)}(?!\d|\.\d)", self.text) for number in numbers
        )


@pytest.fixture
def row(request: pytest.FixtureRequest) -> Row:
    """The line of the page that names the test that asks."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    found = [line for line in lines if f"`{request.node.name}`" in line]
    assert len(found) == 1, f"the page names {request.node.name} {len(found)} times"
    return Row(found[0])
