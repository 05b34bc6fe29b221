"""Tutorial and how-to pages do what they say, from the first line to the last."""

from pathlib import Path

import pytest

from tests.browser.view import NewView
from tests.docs.page import ROOT, Block, Reader, agrees, blocks, commands, is_run
from tests.matrix.documents import faults_in

PAGES = [page for page in sorted((ROOT / "docs").rglob("*.md")) if is_run(page)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_can_be_followed(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, view: NewView
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    Reader().follow(page)
    assert "\n".join(faults_in(tmp_path, view())) == ""


def test_the_pages_that_promise_it_are_run() -> None:
    assert {
        *("first-release", "own-data", "read-bundle", "recover", "ledger-backup"),
        *("synthetic-microdata", "lectures"),
    } <= {page.stem for page in PAGES}


def test_a_wrong_output_is_noticed() -> None:
    assert agrees("a … c\n", "a b c\n")
    assert agrees("first\n…\nlast", "first\nx\ny\nlast\n")
    assert not agrees("a … c", "a b d")
    assert not agrees("2 left", "12 left")


def test_fences_and_commands_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        '<!-- not run -->\n```console\n$ pip\n```\n```yaml title="p.yaml"\na: b\n```\n'
        "```console\n$ leeward \\\n> plan\nout\n$ ls\n```\n"
    )
    found = blocks(page)
    assert found[0] == Block("yaml", "p.yaml", "a: b\n")
    assert list(commands(found[1])) == [("leeward plan", "out\n"), ("ls", "")]


def test_a_page_that_shows_something_else_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    page.write_text("```console\n$ leeward --version\nleeward 99\n```\n")
    with pytest.raises(AssertionError, match="version"):
        Reader().follow(page)
    page.write_text("```console\n$ leeward verify nowhere\n…\n```\n")
    with pytest.raises(AssertionError, match="verify"):
        Reader().follow(page)
