"""Modules with docstrings and clear names, short signatures, and no trace of the machine."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shape.source import ROOT, modules

VAGUE_NAMES = {"utils", "helpers", "constants", "common"}
MOST_PARAMETERS = 6
MORE_PARAMETERS = {
    "plan_command": "an option for each thing that may be asked",
    "__init__": "a guarantee has one for each of its numbers",
    "mechanism": "the one factory takes the options of every mechanism",
    "economy_command": "an option for each field of an economy",
    "create_command": "an option for each number of a cap",
    "create": "the same from Python",
    "init_command": "an option for each thing that may be otherwise",
    "verify_command": "an option for each thing that may be asked",
    "serve_command": "an option for each thing that is shown",
    "release_command": "an option for each thing that may be otherwise",
    "release": "the same from Python, and the three tables",
    "derive": "a parameter for each thing that may be asked",
    "read_command": "the same as options",
    "explain_command": "an option for each thing that may be assumed",
    "audit_command": "an option for each thing that may be examined",
    "jobs_command": "an option for each thing that may be asked",
    "find_jobs": "the same from Python",
    "regress_command": "an option for each thing that may be asked",
    "table_command": "an option for each thing that may be otherwise",
    "inspect_command": "an option for each thing that may be otherwise",
    "linked_command": "the same as options",
    "linked": "a release from Python, and where its rows go",
    "evaluate_command": "an option for each thing that may be evaluated otherwise",
}
# Character classes keep these patterns from matching the file they are written in.
MACHINE = re.compile(r"(?<!\w)/(?:work|root|farm|tmp)/")
REGISTRY_HOST = re.compile(r"py[p]i\.org|python[h]osted|npm[j]s|ana[c]onda\.org|art[i]factory")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def test_ruff_reports_a_missing_docstring(tmp_path: Path) -> None:
    """With the rules of this repository; `make test` runs ruff on every module."""
    (tmp_path / "empty.py").write_text('""""""\n')
    (tmp_path / "duck.py").write_text("class Duck:\n    def swim(self) -> None: ...\n")
    (tmp_path / "swim.py").write_text('"""Water."""\n\n\ndef swim() -> None: ...\n')
    (tmp_path / "__init__.py").write_text("import duckdb\n")
    rules = ["--config", str(ROOT / "pyproject.toml"), "--no-cache", "--output-format", "concise"]
    command = [sys.executable, "-m", "ruff", "check", *rules, str(tmp_path)]
    reported = subprocess.run(command, check=False, capture_output=True, text=True).stdout
    assert set(re.findall(r"D\d{3}", reported)) == {"D100", "D101", "D103", "D104", "D419"}


def test_no_module_has_a_vague_name() -> None:
    assert [m.name for m in modules() if VAGUE_NAMES & set(m.name.split("."))] == []


def parameters(function: Function) -> list[str]:
    given = function.args
    listed = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
    return [one.arg for one in listed if one and one.arg not in {"self", "cls"}]


def too_long(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, Function) and len(parameters(node)) > MOST_PARAMETERS:
            yield node.name


def test_no_function_has_more_than_six_parameters() -> None:
    found = {name: m.name for m in modules() for name in too_long(m.tree)}
    assert {name: m for name, m in found.items() if name not in MORE_PARAMETERS} == {}


def test_a_seventh_parameter_is_reported() -> None:
    assert list(too_long(ast.parse("def f(self, a, b, c, /, d, *e, g): ..."))) == []
    assert list(too_long(ast.parse("def f(self, a, b, c, /, d, *e, g, **h): ..."))) == ["f"]
    assert list(too_long(ast.parse("def f(a, *, b, c, d, e, g, h): ..."))) == ["f"]


def tracked_texts() -> Iterator[tuple[str, str]]:
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        path = ROOT / name
        content = path.read_bytes() if path.is_file() else b"\0"
        if b"\0" not in content:
            yield name, content.decode()


@pytest.mark.parametrize("trace", [MACHINE, REGISTRY_HOST], ids=["machine", "registry"])
def test_no_file_tells_where_it_was_written(trace: re.Pattern[str]) -> None:
    assert [name for name, text in tracked_texts() if trace.search(text)] == []


@pytest.mark.parametrize("folder", ["work", "root", "farm", "tmp"])
def test_a_machine_path_is_detected(folder: str) -> None:
    assert MACHINE.search(f"see /{folder}/notes")
    assert not MACHINE.search(f"see docs/{folder}/notes")


@pytest.mark.parametrize("host", ["py" + "pi.org", "files.python" + "hosted.org"])
def test_a_registry_host_is_detected(host: str) -> None:
    assert REGISTRY_HOST.search(f"https://{host}/simple")
