"""Confidential values are opened to be released, or to be compared with draws: in two modules."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shape.source import Module, modules

MAY_OPEN = {"leeward.publishing.release.measuring", "leeward.lab.evaluate.truth"}
HOME = ("leeward.core.codebook.cells", "Confidential")
"""The class that has the columns inside, and its module."""


def openings(module: Module) -> Iterator[str]:
    """Calls of `opened`, and any way around it to the columns inside, but by the class itself."""
    home = {
        inside
        for node in module.tree.body
        if isinstance(node, ast.ClassDef) and (module.name, node.name) == HOME
        for inside in ast.walk(node)
    }
    for node in ast.walk(module.tree):
        if node in home:
            continue
        if isinstance(node, ast.Attribute) and node.attr.endswith("__held"):
            yield f"{module.name}:{node.lineno} looks inside"
        elif isinstance(node, ast.Call) and _opens(node):
            yield f"{module.name}:{node.lineno} opens"


def _opens(call: ast.Call) -> bool:
    """Whether a call is that of the method; the ledger's `opened` takes an argument."""
    named = isinstance(call.func, ast.Attribute) and call.func.attr == "opened"
    return named and not call.args and not call.keywords


def test_only_two_modules_open_confidential_values() -> None:
    found = [line for module in modules() for line in openings(module)]
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


def test_beside_the_class_of_confidential_values_an_opening_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "leeward" / "core" / "codebook" / "cells.py"
    path.parent.mkdir(parents=True)
    path.write_text(
        "class Confidential:\n    def opened(self): return self._Confidential__held\n"
        "def columns(cells): return cells.opened()\n"
    )
    (found,) = [line for module in modules(tmp_path) for line in openings(module)]
    assert found == "leeward.core.codebook.cells:3 opens"
