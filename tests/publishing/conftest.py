from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.publishing.office import Driver, driving, write_small_economy


@pytest.fixture(scope="session")
def driver() -> Iterator[Driver]:
    with driving() as made:
        yield made


@pytest.fixture(scope="session")
def small_economy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_small_economy(tmp_path_factory.mktemp("small") / "economy")
