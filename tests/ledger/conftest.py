from pathlib import Path

import pytest

from leeward.ledger import Ledger
from tests.ledger.scenes import ledger_with


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return ledger_with(tmp_path)
