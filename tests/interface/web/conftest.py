"""A plan without data, and a page that shows it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from leeward.core.privacy import Guarantee
from leeward.publishing.ledger import Ledger
from tests.interface.web.serving import Served, serving
from tests.publishing.plans import write_plan

TABLES = (
    "{name: by_sector, by: [sector, place], share: 1/2}",
    "{name: by_sex, by: [place, sex, education], share: 0.25, margins: none}",
    "{name: men, by: [place], where: {sex: M, education: [E1, E2]}, share: 1/4, complete: true}",
)


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    """A plan file whose data are nowhere."""
    return write_plan(tmp_path, *TABLES)


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """A ledger with the account of the plan."""
    path = tmp_path / "ledger.sqlite"
    with Ledger.new(path) as book:
        book.open_account("office", Guarantee("strong", "0.1", 6))
    return path


@pytest.fixture
def page(plan: Path, ledger: Path) -> Iterator[Served]:
    with serving(plan, plan.parent, ledger) as up:
        yield up
