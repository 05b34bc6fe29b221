"""A run of pytest inside a test, with the settings of this one."""

import pytest

from tests.shape.source import ROOT


@pytest.fixture
def inner(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """No other plugin is loaded: importing them takes longer than the tests inside."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p xdist")
    pytester.makeconftest((ROOT / "tests" / "conftest.py").read_text())
    return pytester
