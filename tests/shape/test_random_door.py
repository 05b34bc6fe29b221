"""Random bits come through `leeward.core.randomness` and through nothing else."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shape.source import SRC, Module, modules

DOOR = SRC / "leeward" / "core" / "randomness.py"

SOURCES = {
    *("random", "secrets", "numpy.random", "os.urandom", "os.getrandom"),
    *("ssl.RAND_bytes", "uuid.uuid1", "uuid.uuid4"),
}
TELLTALES = {"urandom", "getrandom", "uuid4", "SystemRandom", "RAND_bytes", "default_rng", "rvs"}
"""Names that draw wherever they stand, also on something whose origin is not visible."""
DEVICES = {"/dev/random", "/dev/urandom"}
DYNAMIC = {"import_module", "__import__", "getattr"}


def draws(module: Module) -> Iterator[str]:
    """Every place that reaches a source of random bits."""
    for line, target in module.imports():
        if forbidden(target):
            yield f"{module.name}:{line} imports {target}"
    origins = dict(bindings(module.tree))
    for node in ast.walk(module.tree):
        if isinstance(node, ast.expr) and reaches(node, origins):
            yield f"{module.name}:{node.lineno} uses {ast.unparse(node)}"


def forbidden(target: str) -> bool:
    """Whether a dotted name is a source, lies in one, or is a star that brings one along."""
    if target.endswith(".*"):
        return any(source.startswith(target[:-1]) for source in SOURCES) or forbidden(target[:-2])
    return any(f"{target}.".startswith(f"{source}.") for source in SOURCES)


def bindings(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The names that imports bind, and what they stand for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                yield (alias.asname, alias.name) if alias.asname else (top, top)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def reaches(node: ast.expr, origins: dict[str, str]) -> bool:
    match node:
        case ast.Attribute():
            return node.attr in TELLTALES or forbidden(dotted(node, origins))
        case ast.Constant(value=str(text)):
            return text in DEVICES
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in DYNAMIC:
            texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
            return any(text in TELLTALES or forbidden(str(text)) for text in texts)
    return False


def dotted(node: ast.expr, origins: dict[str, str]) -> str:
    """What a chain of attributes stands for; empty where it does not start at an import."""
    if isinstance(node, ast.Attribute):
        start = dotted(node.value, origins)
        return f"{start}.{node.attr}" if start else ""
    return origins.get(node.id, "") if isinstance(node, ast.Name) else ""


def test_no_other_module_draws_random_bits() -> None:
    others = [module for module in modules() if module.path != DOOR]
    assert [line for module in others for line in draws(module)] == []


def test_the_door_itself_is_detected() -> None:
    (door,) = [module for module in modules() if module.path == DOOR]
    assert list(draws(door))


def judge(src: Path, text: str) -> list[str]:
    src.joinpath("suspect.py").write_text(text)
    return [line for module in modules(src) for line in draws(module)]


@pytest.mark.parametrize(
    "text",
    [
        "import random",
        "import random as r",
        "from random import gauss",
        "import secrets",
        "def f():\n    from secrets import token_bytes",
        "import os\nos.urandom(8)",
        "import os as o\no.getrandom(8)",
        "from os import urandom",
        "from os import *",
        "from numpy.random import default_rng",
        "from numpy import random",
        "import numpy.random as r",
        "import numpy as np\nnp.random.laplace()",
        "import numpy\ndraw = numpy.random.Generator",
        "import numpy as np\nother = np\nother.default_rng",
        "from uuid import uuid4",
        "import uuid\nuuid.uuid4()",
        "import importlib\nimportlib.import_module('random')",
        "__import__('secrets')",
        "import os\ngetattr(os, 'urandom')(8)",
        "open('/dev/urandom', 'rb')",
        "from scipy.stats import laplace\nlaplace.rvs()",
    ],
)
def test_a_hidden_draw_is_reported(tmp_path: Path, text: str) -> None:
    assert judge(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        "from leeward.core.randomness import SecretBits\nSecretBits().words64(3)",
        "def f(bits):\n    return bits.generator.random(5)",
        "import os\nos.fsync(3)",
        "import numpy as np\nnp.floor(random)",
    ],
)
def test_what_uses_the_door_is_not_reported(tmp_path: Path, text: str) -> None:
    assert judge(tmp_path, text) == []
