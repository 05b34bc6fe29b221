"""Tests on several workers, slow tests, and a warning that is an error on a worker too."""

import re
from collections import defaultdict

import pytest

from tests.conftest import QUICK, SHARED, SLOW, place, unit
from tests.shape.source import ROOT

FILES = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py"))

NOTES_ITS_WORKER = """
import os, pytest
@pytest.mark.parametrize("n", range(4))
def test_a(n, request):
    with open(request.config.rootpath / "noted", "a") as file:
        file.write(f"{request.path.parent.name}/{request.path.stem} "
                   f"{os.environ['PYTEST_XDIST_WORKER']}\\n")
"""


@pytest.mark.slow
def test_a_file_and_a_folder_that_shares_stay_on_one_worker(inner: pytest.Pytester) -> None:
    for name in (
        "publishing/engines/spark/test_a",
        "publishing/engines/spark/test_b",
        "model/test_c",
        "model/test_d",
    ):
        path = inner.path / "tests" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(NOTES_ITS_WORKER)
    options = ("-n", "2", "--dist", "loadfile", "--import-mode=importlib")
    inner.runpytest(*options).assert_outcomes(passed=16)
    used = defaultdict(set)
    for line in (inner.path / "noted").read_text().splitlines():
        file, worker = line.split()
        used[file if file.startswith("model") else "spark"].add(worker)
    assert len(used) == 3
    assert {len(workers) for workers in used.values()} == {1}
    assert len(set.union(*used.values())) == 2


@pytest.mark.parametrize("start", SLOW)
def test_a_slow_or_shared_file_is_there(start: str) -> None:
    assert [file for file in FILES if file.startswith(start)]


@pytest.mark.parametrize("group", SHARED, ids=lambda group: group[0])
def test_files_that_share_are_one_unit(group: tuple[str, ...]) -> None:
    files = [file for file in FILES if file.startswith(group)]
    assert len(files) > 1
    assert {unit(f"{file}::test_a[x]") for file in files} == {group[0]}


def test_every_reader_of_the_quick_audit_shares_it() -> None:
    reads = re.compile(r"^def test_\w+\([^)]*\brows: list\[Row\]", re.MULTILINE)
    readers = {file for file in FILES if reads.search((ROOT / file).read_text())}
    assert len({unit(file) for file in readers}) == 1


def test_any_other_test_goes_with_its_file() -> None:
    assert (
        unit("tests/core/codebook/test_values.py::test_a[b::c]")
        == "tests/core/codebook/test_values.py"
    )
    assert place("tests/core/codebook/test_values.py::test_a") > place(f"{SLOW[-1]}x.py::test_a")


def test_a_quick_run_leaves_slow_tests_out_and_does_not_import_them(
    inner: pytest.Pytester,
) -> None:
    for name, text in {
        "browser/test_a": "raise AssertionError('imported')",
        "model/test_b": "import pytest\n@pytest.mark.slow\ndef test_a(): assert False",
        "model/test_c": "def test_a(): pass",
    }.items():
        path = inner.path / "tests" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    options = ("--import-mode=importlib", "--strict-markers")
    inner.runpytest("-m", QUICK, *options).assert_outcomes(passed=1, deselected=1)
    inner.runpytest(*options).assert_outcomes(errors=1)
    assert f"-m '{QUICK}'" in (ROOT / "Makefile").read_text()


@pytest.mark.slow
def test_a_warning_is_an_error_on_a_worker(inner: pytest.Pytester) -> None:
    inner.makefile(".toml", pyproject=(ROOT / "pyproject.toml").read_text())
    (inner.path / "tests").mkdir()
    (inner.path / "tests" / "test_a.py").write_text(
        "import warnings\ndef test_a(): warnings.warn('old')\ndef test_b(): pass\n"
    )
    inner.runpytest("-n", "2").assert_outcomes(passed=1, failed=1)
