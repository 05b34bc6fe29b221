"""Tests on several workers: what is slow to make is made once, and a warning is still an error."""

from collections import defaultdict
from pathlib import Path

import pytest

from tests.conftest import SHARED, unit
from tests.shape.source import ROOT

NOTES_ITS_WORKER = """
import os, pytest
@pytest.mark.parametrize("n", range(4))
def test_a(n, request):
    with open(request.config.rootpath / "noted", "a") as file:
        file.write(f"{request.path.parent.name}/{request.path.stem} "
                   f"{os.environ['PYTEST_XDIST_WORKER']}\\n")
"""


@pytest.fixture
def inner(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeconftest((ROOT / "tests" / "conftest.py").read_text())
    return pytester


def test_a_file_and_a_folder_that_shares_stay_on_one_worker(inner: pytest.Pytester) -> None:
    for name in ("engines/spark/test_a", "engines/spark/test_b", "model/test_c", "model/test_d"):
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


@pytest.mark.parametrize("folder", SHARED)
def test_a_folder_that_shares_is_there(folder: str) -> None:
    files = sorted(Path(ROOT, folder).glob("test_*.py"))
    assert len(files) > 1
    assert {unit(f"{file.relative_to(ROOT)}::test_a[x]") for file in files} == {folder}


def test_any_other_test_goes_with_its_file() -> None:
    assert unit("tests/model/test_values.py::test_a[b::c]") == "tests/model/test_values.py"


def test_a_warning_is_an_error_on_a_worker(inner: pytest.Pytester) -> None:
    inner.makefile(".toml", pyproject=(ROOT / "pyproject.toml").read_text())
    (inner.path / "tests").mkdir()
    (inner.path / "tests" / "test_a.py").write_text(
        "import warnings\ndef test_a(): warnings.warn('old')\ndef test_b(): pass\n"
    )
    inner.runpytest("-n", "2").assert_outcomes(passed=1, failed=1)
