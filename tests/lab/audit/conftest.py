"""The quick audit, run once for all tests that read its table."""

import pytest

from leeward.lab.audit import Row, audit


@pytest.fixture(scope="session")
def rows() -> list[Row]:
    return list(audit(quick=True))
