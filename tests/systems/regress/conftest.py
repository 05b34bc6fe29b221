"""A folder to run the command in."""

from pathlib import Path

import pytest

from tests.systems.regress.scene import write


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The made-up file and its codebook; commands run beside them."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path)
    return tmp_path
