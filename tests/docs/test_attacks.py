"""The page of attacks says what the attacks find, where that is exact."""

import re

from leeward.lab.attacks.attack_registry import ATTACKS
from leeward.lab.attacks.edge import attack
from tests.docs.page import ROOT

PAGE = ROOT / "docs" / "explanation" / "attacks.md"


def test_exact_findings_are_those_of_the_program() -> None:
    page, found = PAGE.read_text(encoding="utf-8"), attack()
    for sentence in (found.sentence, found.against_leeward.sentence):
        assert sentence in page


def test_every_section_is_an_attack() -> None:
    sections = re.findall(r"^### (.*)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert sections == [one for one in ATTACKS if one in sections] != []
