"""What the documents show is what the program does."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from docs.slot import current
from docs.tables import TABLES
from leeward.interface.commands.app import build
from tests.docs.page import is_run

ROOT = Path(__file__).parents[2]

PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\(([^)#]*)(?:#([^)]*))?\)")


def examples(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.mark.parametrize(
    "page", [p for p in PAGES if examples(p) and not is_run(p)], ids=lambda p: p.name
)
def test_examples_run(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if "build/demo" in "".join(examples(page)):  # as `make demo` leaves it
        assert CliRunner().invoke(build(), ["demo", "--out", "build/demo"]).exit_code == 0
    names: dict[str, object] = {}
    for number, example in enumerate(examples(page)):
        exec(compile(example, f"{page.name}:{number}", "exec"), names)  # noqa: S102 (our own page)
    assert capsys.readouterr().out


def test_the_readme_has_examples() -> None:
    assert len(examples(ROOT / "README.md")) >= 2


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    links = [m.groups() for m in LINK.finditer(page.read_text(encoding="utf-8"))]
    inside = [(page.parent / path if path else page, part) for path, part in links if _here(path)]
    assert [path for path, _ in inside if not path.exists()] == []
    assert [part for path, part in inside if part and part not in anchors(path)] == []


def _here(path: str) -> bool:
    return "://" not in path


def anchors(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_page_is_in_the_index() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    rooms = ("tutorial", "how-to", "reference", "explanation")
    pages = [page for room in rooms for page in sorted((ROOT / "docs" / room).glob("*.md"))]
    listed = [f"({page.relative_to(ROOT / 'docs')})" for page in pages]
    assert [one for one in listed if one not in index] == []


@pytest.mark.parametrize("name", ["errors", "quarters", "survey-errors", "survey-people"])
def test_pages_show_the_errors_that_the_program_computes(name: str) -> None:
    assert current(TABLES[name][0], name) == TABLES[name][1]()


NOISY_ROW = re.compile(r"^( +[0-9]{7} +[0-9-]+ +[0-9] ) +-?[0-9,]+ +± [0-9,]+( +[0-9,]+)$")
NOISY_SUM = re.compile(r"[0-9]+ of ([0-9]+) margins hold")


def without_noise(line: str) -> str:
    """The line without what differs from one release to the next."""
    return NOISY_SUM.sub(r"… of \1 margins hold", NOISY_ROW.sub(r"\1 …\2", line))


@pytest.mark.slow
def test_the_readme_shows_what_the_demo_prints() -> None:
    shown, said = current(TABLES["demo"][0], "demo"), TABLES["demo"][1]()
    assert sum(without_noise(line) != line for line in shown.splitlines()) == 13
    assert list(map(without_noise, shown.splitlines())) == list(
        map(without_noise, said.splitlines())
    )
