"""An office to run commands in."""

from pathlib import Path

import pytest

from tests.interface.commands.scene import Office


@pytest.fixture
def office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Office:
    """A fresh folder with good tables, codebook, plan and ledger; commands run in it."""
    monkeypatch.chdir(tmp_path)
    made = Office(tmp_path)
    made.write()
    made.open_account()
    return made
