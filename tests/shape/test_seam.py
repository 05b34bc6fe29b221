"""The seam: no room but `mechanisms/` knows a mechanism by its class or by its name."""

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import leeward.core.mechanisms
from leeward.core.mechanisms import REGISTRY
from leeward.core.mechanisms.calibrated import Mechanism
from leeward.core.mechanisms.measurement import Recordable
from tests.shape.source import Module, modules

ROOM = "leeward.core.mechanisms"
HOMES = [
    import_module(f"{ROOM}.{one.name}") for one in iter_modules(leeward.core.mechanisms.__path__)
]
"""Modules that define mechanism classes and their measurements."""

CLASSES = {
    name
    for home in HOMES
    for name, one in vars(home).items()
    if isinstance(one, type) and issubclass(one, (Mechanism, Recordable))
} - {Mechanism.__name__}
NAMED = {
    "leeward.lab.attacks.released_counts": "makes the additive mechanisms that attacks try",
    "leeward.lab.attacks.differencing": "an attack names the mechanism that it is tried against",
    "leeward.lab.attacks.edge": "an attack names the mechanism that it is tried against",
    "leeward.lab.attacks.infusion": "an attack names the mechanism that it is tried against",
    "leeward.lab.attacks.margins": "an attack names the mechanism that it is tried against",
    "leeward.lab.attacks.odds": "an attack names the mechanism that it is tried against",
    "leeward.lab.audit.lines": "an audit line names the mechanism that it examines",
    "leeward.lab.audit.job_lines": "an audit line names the mechanism that it examines",
    "leeward.lab.audit.pay_exam": "an audit line names the mechanism that it examines",
    "leeward.lab.audit.soft_exam": "an audit line names the mechanism that it examines",
    "leeward.lab.audit.history_exam": "an audit line names the mechanism that it examines",
    "leeward.lab.audit.parts_exam": "an audit line names the mechanism that it examines",
    "leeward.lab.audit.graph_exam": "Laplace noise for a sensitivity over any graph",
    "leeward.lab.audit.at_one_job": "a setting names the mechanism whose sentences are examined",
    "leeward.lab.audit.false_promises": "a false sentence is about a mechanism without its floor",
    "leeward.lab.audit.publication": "a setting names the mechanism whose sentences are examined",
    "leeward.lab.audit.reading_exam": "a release of one cell names the mechanism that is examined",
    "leeward.lab.audit.controls": "a broken twin is made of the mechanism that it breaks",
    "leeward.lab.audit.pay_controls": "a broken twin is made of the mechanism that it breaks",
    "leeward.lab.audit.radial_controls": "a broken twin is made of the mechanism that it breaks",
    "leeward.lab.audit.other_releases": "a broken twin is made of the mechanism that it breaks",
    "leeward.lab.audit.twins": "a broken twin is made of the mechanism that it breaks",
    "leeward.lab.audit.pay_twins": "a broken twin is made of the mechanism that it breaks",
    "leeward.lab.audit.planted": "a broken twin is made of the mechanism that it breaks",
    "leeward.lab.attacks.audit_queries": "an attack names the mechanism that it is tried against",
    "leeward.lab.attacks.evidence": "an attack names the mechanism that it is tried against",
    "leeward.lab.attacks.samplers": "an attack names the mechanism that it is tried against",
    "leeward.lab.attacks.block": "an attack names the mechanism that it is tried against",
    "leeward.lab.attacks.floats": "an attack names the mechanism that it is tried against",
    "leeward.lab.attacks.membership": "an attack names the mechanism that it is tried against",
    "leeward.lab.attacks.reconstruct": "an attack names the mechanism that it is tried against",
    "leeward.systems.regress.scatter": "the slope of a line: no mechanism, but the same word",
    "leeward.lab.baselines.printed": "a form of 2015 goes by the name of what it became",
    "leeward.lab.evaluate.key_findings": "the slope of a line: no mechanism, but the same word",
}
"""The only modules outside the room that may name a mechanism, and why."""


def knowledge(module: Module) -> Iterator[str]:
    """Imports of mechanism classes, tests by class, and names of mechanisms as text."""
    for line, target in module.imports():
        home, _, name = target.rpartition(".")
        if home.startswith(ROOM) and name in CLASSES:
            yield f"{module.name}:{line} imports {name}"
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Constant) and str(node.value) in REGISTRY:
            yield f"{module.name}:{node.lineno} names {node.value!s}"
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance":
            tested = {one.id for one in ast.walk(node.args[1]) if isinstance(one, ast.Name)}
            if tested & CLASSES:
                yield f"{module.name}:{node.lineno} tests by class"


def test_only_mechanisms_and_their_audit_know_a_mechanism() -> None:
    outside = [m for m in modules() if not m.name.startswith(ROOM) and m.name not in NAMED]
    assert [line for module in outside for line in knowledge(module)] == []


@pytest.mark.parametrize(
    "text",
    [
        "from leeward.core.mechanisms.clipped import Clipped",
        "isinstance(made, CountsWithNoise)",
        "free = ('slope', 'other')",
        "if made.name == 'log_laplace': pass",
    ],
)
def test_knowledge_is_reported(tmp_path: Path, text: str) -> None:
    path = tmp_path / "leeward" / "publishing" / "peek.py"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    (module,) = modules(tmp_path)
    assert list(knowledge(module))


def test_what_may_name_a_mechanism_does() -> None:
    known = {m.name for m in modules() if any(knowledge(m))}
    assert set(NAMED) <= known
