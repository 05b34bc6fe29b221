"""Links of the documents lead to files, and paths and names of modules are those of today."""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path, PurePosixPath

import pytest

from tests.docs.page import ROOT

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
ELSEWHERE = re.compile(r"[a-z]+:")
CODE = re.compile(r"`([\w.-]+/[\w./-]+\.(?:py|md)|(?:[\w-]+/)+)`")
"""A path in backticks: of a module, a page, or a folder."""
DOTTED = re.compile(r"\bleeward(?:\.[A-Za-z_]\w*)+")

OF_A_USER = {"build/", "figures/", "codes/", "settlement/", "lehd/", "tables/", "settled/"}
"""Folders that a command writes or that a user has, and parts of names."""


def pages() -> list[Path]:
    """Every page that the repository has."""
    folders = (ROOT / "docs", ROOT / "src", ROOT / "benchmarks", ROOT / "tests")
    return [*sorted(ROOT.glob("*.md")), *(p for f in folders for p in sorted(f.rglob("*.md")))]


def files() -> Iterator[str]:
    """The paths of files and of their folders, from the root."""
    for folder in ("src", "tests", "docs", "benchmarks"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix != ".pyc":
                yield path.relative_to(ROOT).as_posix()


KNOWN = {
    "/".join(parts[start:])
    for parts in (PurePosixPath(path).parts for path in files())
    for start in range(len(parts))
}
"""Every end of a path that exists: `plan/request.py` is one of `publishing/plan/request.py`."""


def broken(page: Path, text: str) -> list[str]:
    """Links of a page that lead nowhere."""
    return [
        link
        for link in LINK.findall(text)
        if not ELSEWHERE.match(link) and not (page.parent / link).exists()
    ]


def unknown(text: str) -> list[str]:
    """Paths in backticks that nothing has."""
    return [
        path
        for path in CODE.findall(text)
        if path not in OF_A_USER and path.rstrip("/") not in KNOWN and not (ROOT / path).exists()
    ]


def missing(name: str) -> bool:
    """Whether nothing in the package has this dotted name."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found: object = import_module(".".join(parts[:end]))
        except ImportError:
            continue
        return not _has(found, parts[end:])
    return True


def _has(found: object, names: list[str]) -> bool:
    for name in names:
        if not hasattr(found, name):
            return False
        found = getattr(found, name)
    return True


PAGES = pages()
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


@each_page
def test_links_lead_to_files(page: Path) -> None:
    assert broken(page, page.read_text(encoding="utf-8")) == []


@each_page
def test_paths_are_those_of_today(page: Path) -> None:
    assert unknown(page.read_text(encoding="utf-8")) == []


def test_names_of_the_package_are_those_of_today() -> None:
    texts = [*PAGES, ROOT / "mkdocs.yml", ROOT / "Makefile", *sorted((ROOT / "docs").glob("*.py"))]
    named = {one for path in texts for one in DOTTED.findall(path.read_text(encoding="utf-8"))}
    assert (
        sorted(name for name in named - {"leeward.cdx", "leeward.cdx.json"} if missing(name)) == []
    )


def test_what_leads_nowhere_is_noticed() -> None:
    assert broken(ROOT / "README.md", "[a](docs/README.md#x) [b](docs/gone.md)") == ["docs/gone.md"]
    assert unknown("`plan/request.py`, `core/noise/` and `tidy/fitting.py`") == ["tidy/fitting.py"]
    assert missing("leeward.tidy.fitting")
    assert not missing("leeward.core.exact.ball")
