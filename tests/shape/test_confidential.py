"""Confidential values are opened to be released, or to be compared with draws: in two modules."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shape.source import Module, modules

MAY_OPEN = {"leeward.publishing.release.measuring", "leeward.lab.evaluate.truth"}
HOME = "leeward.core.codebook.cells"


def openings(module: Module) -> Iterator[str]:
    """Calls of `opened`, and any way around it to the columns inside."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Attribute) and node.attr.endswith("__held"):
            yield f"{module.name}:{node.lineno} looks inside"
        elif isinstance(node, ast.Call) and _opens(node):
            yield f"{module.name}:{node.lineno} opens"


def _opens(call: ast.Call) -> bool:
    """Whether a call is that of the method; the ledger's `opened` takes an argument."""
    named = isinstance(call.func, ast.Attribute) and call.func.attr == "opened"
    return named and not call.args and not call.keywords


def test_only_two_modules_open_confidential_values() -> None:
    found = [line for m in modules() if m.name != HOME for line in openings(m)]
    assert found
    assert [line for line in found if line.partition(":")[0] not in MAY_OPEN] == []


@pytest.mark.parametrize(
    "text", ["batch.cells.opened()", "cells._Confidential__held", "f(x=one.opened().counts)"]
)
def test_another_opening_is_reported(tmp_path: Path, text: str) -> None:
    path = tmp_path / "leeward" / "interface" / "commands" / "peek.py"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    (found,) = [line for module in modules(tmp_path) for line in openings(module)]
    assert found.startswith("leeward.interface.commands.peek:1")
