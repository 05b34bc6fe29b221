"""Every public name is documented for a reader of `help`, and its examples run."""

import doctest
import inspect
from pathlib import Path
from typing import Any

import pytest

import leeward
from tests.front.conftest import REQUEST

NAMES = [name for name in leeward.__all__ if not name.startswith("_")]
MAIN = ("Ledger", "check", "predict", "read_bundle", "read_plan", "release", "verify")


@pytest.fixture
def names(
    plan: leeward.Plan, ledger: leeward.Ledger, tables: dict[str, Any], tmp_path: Path
) -> dict[str, Any]:
    """What the examples of docstrings take for given."""
    made = leeward.release(plan, out=tmp_path / "released", ledger=ledger, **tables)
    inside = tmp_path / "inside"
    inside.mkdir()
    own = leeward.Ledger(inside / "own.sqlite")
    own.create("office", policy="strong", alpha="0.1", epsilon=16)
    paid = {"bundle": made, "ledger": ledger}
    return {"leeward": leeward, "plan": plan, "tables": tables, "folder": inside, "own": own,
            "request": REQUEST, **paid}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_it_is(name: str) -> None:
    text = inspect.getdoc(getattr(leeward, name)) or ""
    assert text[:1].isupper(), name
    assert "." in text.splitlines()[0], name


@pytest.mark.parametrize("name", MAIN)
def test_it_says_what_it_takes_and_shows_an_example(name: str) -> None:
    text = inspect.getdoc(getattr(leeward, name)) or ""
    assert "Parameters\n----------" in text
    assert "Examples\n--------" in text
    given = inspect.signature(getattr(leeward, name)).parameters
    about = text[text.index("Parameters\n----------") :]
    assert [one for one in given if one not in about] == []


@pytest.mark.parametrize("name", MAIN)
def test_its_examples_run(name: str, names: dict[str, Any]) -> None:
    found = doctest.DocTestFinder(recurse=False).find(getattr(leeward, name), name, globs=names)
    tests = [one for one in found if one.examples]
    assert tests
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for one in tests:
        runner.run(one)
    assert runner.failures == 0
