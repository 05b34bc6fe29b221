"""Every public name is documented for a reader of `help`, and its examples run."""

import doctest
import inspect
from collections.abc import Callable
from typing import Any

import pytest

import leeward
from leeward.lab.attacks.blackbox import lower_bound
from leeward.lab.audit import audit
from leeward.lab.evaluate import run
from leeward.publishing.bundle.published_table import PublishedTable
from leeward.systems.local import aggregate, encode, read_survey
from tests.api.conftest import REQUEST, frames
from tests.unchecked import unchecked_release

PUBLIC = [getattr(leeward, name) for name in leeward.__all__ if not name.startswith("_")]
ERRORS = [one for one in PUBLIC if isinstance(one, type) and issubclass(one, leeward.LeewardError)]
KINDS = [one for one in ERRORS if one is not leeward.LeewardError]
"""Each says in a line when it is raised; what they have in common is said once."""

BUNDLE, LEDGER = leeward.Bundle, leeward.Ledger
METHODS = [
    *(BUNDLE.table, BUNDLE.batches, BUNDLE.rows, LEDGER.create, LEDGER.show, LEDGER.account),
    *(LEDGER.verify, leeward.Plan.reading),
    *(PublishedTable.to_arrow, PublishedTable.to_pandas, PublishedTable.to_polars),
    *(PublishedTable.picture, leeward.Derived.to_arrow, leeward.Derived.to_pandas),
]
CLASSES = [PublishedTable]
ROOMS = [audit, run, lower_bound, encode, aggregate, read_survey]
FULL = [*(one for one in PUBLIC if one not in KINDS), *CLASSES, *METHODS, *ROOMS]
ELSEWHERE = (audit, run)
"""Their examples run in `tests/lab/audit/test_table.py` and in the tests of the command."""


def name(one: Any) -> str:  # noqa: ANN401 (a class or a function)
    return str(one.__qualname__)


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the examples of docstrings take for given."""
    folder, plan, tables = tmp_path_factory.mktemp("docs"), leeward.read_plan(REQUEST), frames()
    ledger, own = (leeward.Ledger(folder / name) for name in ("paid.sqlite", "own.sqlite"))
    for one in (ledger, own):
        one.create("office", policy="strong", alpha="0.1", epsilon=16)
    made = unchecked_release(plan, out=folder / "released", ledger=ledger, **tables)
    survey = read_survey({"name": "pay", "question": "On time?", "answers": ["yes", "no"],
                          "epsilon": "4"})  # fmt: skip
    clients = encode(survey, ["yes"] * 300 + ["no"] * 700)
    return {"leeward": leeward, "plan": plan, "tables": tables, "folder": folder, "own": own,
            "request": REQUEST, "bundle": made, "ledger": ledger, "survey": survey,
            "clients": clients}  # fmt: skip


@pytest.mark.parametrize("one", [*PUBLIC, *FULL[len(PUBLIC) - len(KINDS) :]], ids=name)
def test_it_says_what_it_is(one: object) -> None:
    text = inspect.getdoc(one) or ""
    assert text[:1].isupper()
    assert "." in text.splitlines()[0]


def part(text: str, heading: str) -> str:
    """What a docstring says under a heading."""
    _, found, rest = text.partition(f"{heading}\n{'-' * len(heading)}\n")
    return rest.partition("\n\n")[0] if found else ""


@pytest.mark.parametrize("one", FULL, ids=name)
def test_it_says_what_it_takes_and_gives_and_shows_an_example(one: Callable[..., object]) -> None:
    text = inspect.getdoc(one) or ""
    about = part(text, "Parameters") + part(text, "Attributes")
    heads = {head.strip("*") for line in about.splitlines() if line[:1] != " "
             for head in line.split(", ")}  # fmt: skip
    assert heads == set(inspect.signature(one).parameters) - {"self"}
    assert part(text, "Returns") or isinstance(one, type)
    assert part(text, "Examples").startswith(">>> ")


@pytest.mark.parametrize("one", [one for one in FULL if one not in ELSEWHERE], ids=name)
def test_its_examples_run(one: object, names: dict[str, Any]) -> None:
    found = doctest.DocTestFinder(recurse=False).find(one, name(one), globs={**names})
    (test,) = [one for one in found if one.examples]
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(test)
    assert runner.failures == 0
    assert runner.tries == len(test.examples)
