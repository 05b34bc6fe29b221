import shutil
from pathlib import Path

import pytest

from tests.publishing.bundle.made_up import write_demo


@pytest.fixture(scope="session")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sealed bundle, written once; tests get copies."""
    folder = tmp_path_factory.mktemp("sealed") / "demo"
    write_demo(folder)
    return folder


@pytest.fixture
def demo(sealed: Path, tmp_path: Path) -> Path:
    """A sealed bundle that a test may spoil."""
    return Path(shutil.copytree(sealed, tmp_path / "demo"))
