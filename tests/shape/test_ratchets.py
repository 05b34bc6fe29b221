"""What may only fall: sizes, helpers called once, names that occur twice, mannered words."""

from pathlib import Path

import pytest

from tests.shape import ratchets
from tests.shape.ratchets import BUDGETS, RATCHETS, written
from tests.shape.source import modules


@pytest.mark.parametrize("name", RATCHETS)
def test_a_count_is_what_is_written_down(name: str) -> None:
    """`python -m tests.shape.ratchets NAME` shows the places; `--write` writes down a fall."""
    most = written()["ratchets"][name]
    places = list(RATCHETS[name]())
    print(f"{name}: {len(places)} of {most}", *places, sep="\n")  # noqa: T201 (where to look)
    assert len(places) <= most
    assert len(places) == most, "a fall is not written down yet"


@pytest.mark.parametrize("name", BUDGETS)
def test_a_budget_is_kept(name: str) -> None:
    """Raise it by hand, with the reason beside the number."""
    budget = written()["budgets"][name]
    size = BUDGETS[name]()
    print(f"{name}: {size:,} of {budget['most']:,}")  # noqa: T201 (a number to read)
    assert budget["why"]
    assert size <= budget["most"]


def test_every_count_is_written_down() -> None:
    assert {*written()["ratchets"]} == {*RATCHETS}
    assert {*written()["budgets"]} == {*BUDGETS}


ONCE = """
class Cell:
    def size(self) -> int:
        return self._jobs() + _twice(1) + _twice(2)

    def _jobs(self) -> int:
        return 1

def _twice(n: int) -> int:
    return 2 * n

class Cell: ...
"""
"""A class that occurs twice, one helper called once and one called twice."""


PLANTED = dict(zip(RATCHETS, (1, 1, 1, 1, 1, 301, 0, 41), strict=False))
"""All but the words of documents, which `mannered` counts in the same way."""


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A house with one case of each kind."""
    for room, text in {"a": ONCE, "b": "one = 1\n" * 301 + "def f(): ...\n" + "\n"}.items():
        folder = tmp_path / "leeward" / room
        folder.mkdir(parents=True)
        (folder / "cell.py").write_text(text)
    (tmp_path / "leeward" / "long.py").write_text("def f():\n" + "    'nobody'\n" * 41)
    inside = modules(tmp_path)
    monkeypatch.setattr(ratchets, "modules", lambda: inside)
    monkeypatch.setattr(ratchets, "HOUSE", tmp_path / "leeward")
    monkeypatch.setattr(ratchets, "ROOT", tmp_path)


@pytest.mark.usefixtures("planted")
@pytest.mark.parametrize(("name", "count"), PLANTED.items())
def test_a_planted_case_is_counted(name: str, count: int) -> None:
    assert len(list(RATCHETS[name]())) == count


@pytest.mark.parametrize(
    "line",
    ["Measured values alone count.", "Of two rows the first.", "He reads it; his file.", "refused"],
)
def test_mannered_words_are_counted(line: str) -> None:
    assert list(ratchets.mannered(iter([("here", line)])))


def test_plain_words_are_not_counted() -> None:
    plain = "Leeward rejects the plan. The table contains one row for each cell."
    assert not list(ratchets.mannered(iter([("here", plain)])))
