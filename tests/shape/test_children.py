"""A Python that the package starts looks for modules in the environment, not in the folder."""

import ast
from collections.abc import Iterator

from tests.shape.source import Module, modules


def starts(module: Module) -> Iterator[str]:
    """Arguments that follow `sys.executable` in a command, and how processes are forked."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.List) and node.elts and ast.unparse(node.elts[0]) == PYTHON:
            yield ast.unparse(node.elts[1])
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("get_context"):
            yield ast.unparse(node.args[0])


PYTHON = "sys.executable"


def test_every_python_that_is_started_ignores_the_working_folder() -> None:
    found = {module.name: sorted(starts(module)) for module in modules()}
    assert {name: ways for name, ways in found.items() if ways} == {
        "leeward.core.processes": ["'fork'"],  # a copy of this process: it looks for nothing
        "leeward.interface.web.drafting": ["'-P'"],
        "leeward.interface.web.releases_outputs": ["'-P'"],
    }
