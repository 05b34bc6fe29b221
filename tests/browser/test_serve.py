"""The page as people meet it: it comes up, keeps strangers out and stays up."""

from pathlib import Path

import pytest

from tests.browser.view import LOOKS, Look, NewView


@pytest.mark.parametrize("tab", ["plan", "releases", "ledger"])
@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_every_tab_is_fit_to_be_looked_at(
    view: NewView, address: str, pictures: Path, tab: str, look: Look
) -> None:
    window = view(look)
    window.page.goto(address + tab)
    window.keep(pictures, f"{tab}-{look}")
    assert window.page.locator("nav [aria-current=page]").inner_text().lower() == tab
    assert window.faults() + window.barriers() == []
