"""What the documents show is what the program does."""

import re
from pathlib import Path

import pytest

from docs.tables import TABLES, current

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\(([^)#]+)(#[^)]*)?\)")


def examples(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.mark.parametrize("page", [p for p in PAGES if examples(p)], ids=lambda p: p.name)
def test_examples_run(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    for number, example in enumerate(examples(page)):
        exec(compile(example, f"{page.name}:{number}", "exec"), names)  # noqa: S102 (our own page)
    assert capsys.readouterr().out


def test_the_readme_has_examples() -> None:
    assert len(examples(ROOT / "README.md")) >= 2


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = [m.group(1) for m in LINK.finditer(page.read_text(encoding="utf-8"))]
    broken = [t for t in targets if "://" not in t and not (page.parent / t).exists()]
    assert broken == []


@pytest.mark.parametrize("name", ["demo", "errors"])
def test_the_readme_shows_what_the_program_says(name: str) -> None:
    assert current(name) == TABLES[name][1]()
