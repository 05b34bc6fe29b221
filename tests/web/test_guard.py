"""The guard: each refusal by itself, and the headers that every answer carries."""

from collections.abc import Iterator

import pytest

from tests.web.serving import Served, serving


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(releases=tmp_path_factory.mktemp("releases")) as up:
        yield up


@pytest.mark.parametrize("path", ["/plan", "/releases", "/ledger", "/static/style.css"])
def test_every_tab_is_there(page: Served, path: str) -> None:
    assert page.get(path).status == 200
