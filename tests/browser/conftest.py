"""An office with a made-up economy and a real `leeward serve` in it; pictures of what is seen."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.office import Office


@pytest.fixture(scope="session")
def office(tmp_path_factory: pytest.TempPathFactory) -> Office:
    """A demonstration with a release in it; tests that add to it say so."""
    made = Office(tmp_path_factory.mktemp("browser") / "demo")
    made.run("demo", "--out", str(made.folder), folder=made.folder.parent)
    return made


@pytest.fixture(scope="session")
def address(office: Office) -> Iterator[str]:
    """The page of the office, which stays up through all tests."""
    with office.serving("plan.yaml", "--ledger", "ledger.sqlite") as url:
        yield url


@pytest.fixture(scope="session")
def pictures() -> Path:
    """Where views are kept for people to look at."""
    folder = Path(__file__).parents[2] / "build" / "views"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
