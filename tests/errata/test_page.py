"""The page names tests that exist; that it names each of them is what its fixture asks."""

import re
from pathlib import Path

from tests.errata.conftest import PAGE, Row


def test_the_page_names_only_tests_that_exist() -> None:
    files = Path(__file__).parent.glob("test_*.py")
    here = {
        name
        for file in files
        if file.name != "test_page.py"
        for name in re.findall(r"^def (test_\w+)\(row: Row\)", file.read_text("utf-8"), re.M)
    }
    named = set(re.findall(r"`(test_\w+)`", PAGE.read_text(encoding="utf-8")))
    assert named == here


def test_a_number_is_found_as_a_whole() -> None:
    row = Row("loses 11.31 at 15, 1.3132 later, 2ε.")
    assert row.prints("11.31", "15", "1.3132", "2ε")
    assert not row.prints("1.31")
    assert not row.prints("11")
    assert not row.prints("11.31", "1.3133")
