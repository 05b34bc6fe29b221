"""Statistics are data: who reads plans or writes certificates asks them, and knows none by name."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from leeward.core.codebook import STATISTICS, Count
from tests.shape.source import Module, modules

HOMES = (
    *(f"leeward.core.codebook{name}" for name in ("", ".statistic", ".known_statistics")),
    *{statistic.__module__ for statistic in STATISTICS.values()},
)
"""Where statistics are defined and listed."""

MEASURED = "leeward.core.mechanisms."
"""The room that measures them, where proofs tell them apart."""

CLASSES = {one.__name__ for one in STATISTICS.values() if one is not Count} | {"Pay"}
ORDINARY = {"count", "mean", "classes", "payroll"}
"""Words that are also columns of tables, keys of a codebook, or quantities."""

NAMES = {*STATISTICS} - ORDINARY
KNOWN = {
    "leeward.lab.audit.audit_line": "an audit line names the statistic that it examines",
    "leeward.lab.audit.lines": "an audit line names the statistic that it examines",
}
"""The only other modules in which a statistic's name or class may occur, and why: may shrink."""


def knowledge(module: Module) -> Iterator[str]:
    """Imports of statistics by class, and their names as text."""
    for line, target in module.imports():
        home, _, name = target.rpartition(".")
        if home in HOMES and name in CLASSES:
            yield f"{module.name}:{line} imports {name}"
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Constant) and node.value in NAMES:
            yield f"{module.name}:{node.lineno} names {node.value!s}"


def test_only_a_statistic_and_what_measures_it_know_it() -> None:
    outside = [
        module
        for module in modules()
        if module.name not in (*HOMES, *KNOWN) and not module.name.startswith(MEASURED)
    ]
    assert [line for module in outside for line in knowledge(module)] == []


@pytest.mark.parametrize(
    "text",
    [
        "from leeward.core.codebook import Percentiles",
        "from leeward.core.codebook.known_statistics import Gains",
        "if table.statistic.name == 'flows': pass",
        "shown = written.statistic in ('percentiles', 'other')",
    ],
)
def test_knowledge_is_reported(tmp_path: Path, text: str) -> None:
    path = tmp_path / "leeward" / "publishing" / "peek.py"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    (module,) = modules(tmp_path)
    assert list(knowledge(module))


def test_what_may_know_a_statistic_does() -> None:
    assert set(KNOWN) <= {module.name for module in modules() if any(knowledge(module))}
