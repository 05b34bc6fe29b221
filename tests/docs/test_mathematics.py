"""Citations of the mathematics lead to a section that exists."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.page import ROOT

MATHEMATICS = ROOT / "docs" / "mathematics"
CITATION = re.compile(r"mathematics/([\w-]+)\.md(?:\)?,? (\d+)(?: to (\d+))?)?")
ON_THE_PAGES = re.compile(r"\[[^\]]+\]\(([\w-]+)\.md\)((?: \d+(?:, \d+)*)?)")
"""How pages of the mathematics cite each other: a link and sections."""
SECTION = re.compile(r"^## (\d+)\. ", re.MULTILINE)
# Character classes keep these patterns from matching the file they are written in.
ELSEWHERE = re.compile(r"MATH[S]\b|\[[A]\d+\]")
"""Citations of papers that a reader of this repository does not have."""


def sections(page: Path) -> list[int]:
    """The numbers of a page's sections, in order."""
    return [int(number) for number in SECTION.findall(page.read_text(encoding="utf-8"))]


PAGES = {page.stem: sections(page) for page in sorted(MATHEMATICS.glob("*.md"))}
NUMBERED = [name for name in PAGES if name != "README"]


def sources() -> Iterator[Path]:
    """Files that may cite."""
    for folder in ("src", "tests", "docs", "benchmarks"):
        for kind in ("py", "md", "yaml"):
            yield from sorted((ROOT / folder).rglob(f"*.{kind}"))
    yield from sorted(ROOT.glob("*.md"))


def leads_nowhere(text: str) -> list[str]:
    """Citations in a text of pages or sections that are missing."""
    return [
        cited[0]
        for cited in CITATION.finditer(text)
        if cited[1] not in PAGES
        or not {int(number) for number in cited.groups()[1:] if number} <= {*PAGES[cited[1]]}
    ]


def test_every_citation_leads_to_a_section() -> None:
    lost = {path: leads_nowhere(path.read_text(encoding="utf-8")) for path in sources()}
    here = Path(__file__)
    assert {path: cited for path, cited in lost.items() if cited and path != here} == {}


def test_a_citation_of_a_missing_page_or_section_is_noticed() -> None:
    assert leads_nowhere("(mathematics/slope.md 3) and mathematics/slope.md 2 to 4") == []
    assert leads_nowhere("mathematics/slope.md 33") == ["mathematics/slope.md 33"]
    assert leads_nowhere("mathematics/slope.md 2 to 9") == ["mathematics/slope.md 2 to 9"]
    assert leads_nowhere("mathematics/slide.md") == ["mathematics/slide.md"]


def test_nothing_cites_what_is_not_in_the_repository() -> None:
    cited = {
        str(path.relative_to(ROOT)): ELSEWHERE.findall(path.read_text(encoding="utf-8"))
        for path in sources()
    }
    assert {path: found for path, found in cited.items() if found} == {}


@pytest.mark.parametrize("name", NUMBERED)
def test_sections_are_numbered_from_one(name: str) -> None:
    assert PAGES[name] == [*range(1, len(PAGES[name]) + 1)]


@pytest.mark.parametrize("name", PAGES)
def test_the_pages_cite_each_other_where_they_should(name: str) -> None:
    text = (MATHEMATICS / f"{name}.md").read_text(encoding="utf-8")
    for page, numbers in ON_THE_PAGES.findall(text):
        assert {int(number) for number in re.findall(r"\d+", numbers)} <= {*PAGES[page]}, page


def test_the_list_has_every_page() -> None:
    listed = re.findall(r"^\| \[\w+\]\((\w+)\.md\)", (MATHEMATICS / "README.md").read_text(), re.M)
    assert sorted(listed) == sorted(NUMBERED)
