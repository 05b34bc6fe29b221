from pathlib import Path

import pytest

from leeward.publishing.ledger import Ledger
from tests.publishing.ledger.scenes import ledger_with


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return ledger_with(tmp_path)
