"""A real Chromium, one for all tests of a process, and its windows."""

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.view import PATIENCE, WIDE, Look, NewView, View

NAMES = ("chromium", "chromium-browser", "google-chrome")


def options() -> list[str]:
    """How the browser is started: it reaches this machine alone."""
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # it cannot make one for root
    return ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", *sandbox]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The system's browser, in which no name can be looked up and no host but this one reached."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("no Chromium")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=path, args=options())
        yield browser
        browser.close()


@pytest.fixture
def view(chromium: Browser) -> Iterator[NewView]:
    """Opens windows, which must all have been quiet and have asked nobody else in the end."""
    opened: list[View] = []

    def new(look: Look = WIDE) -> View:
        opened.append(View.new(chromium, look))
        return opened[-1]

    yield new
    for one in opened:
        one.close()
    assert [wrong for one in opened for wrong in one.wrongs] == []
