from pathlib import Path

import pytest

from tests.bundle.made_up import write_demo


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    """A sealed bundle that a test may spoil."""
    write_demo(tmp_path / "demo")
    return tmp_path / "demo"
