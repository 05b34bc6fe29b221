"""A folder to run the command in."""

from pathlib import Path

import pytest

from leeward.systems.synth import model
from tests.systems.synth.scene import write


@pytest.fixture(autouse=True)
def small_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models look at fewer rows: made-up tables are small."""
    monkeypatch.setattr(model, "SAMPLE", 1 << 12)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The made-up file and its codebook; commands run beside them."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path)
    return tmp_path
