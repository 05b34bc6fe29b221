"""The site holds every page, and its Python reference every public name."""

import importlib

import yaml

import leeward
from docs.site import ENTRY, full_name, python_page
from tests.docs.page import ROOT

REFERENCE = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")


def pages(nav: object) -> list[str]:
    """The files in the navigation, in order."""
    if isinstance(nav, str):
        return [nav]
    inside = nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ()
    return [page for one in inside for page in pages(one)]


def test_the_navigation_holds_every_page_once() -> None:
    found = pages(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"])
    files = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    written = {str(one.relative_to(ROOT)) for one in files if one.parent.name != "decisions"}
    assert sorted(found) == sorted({*written, "docs/decisions/index.md"})


def test_the_python_reference_holds_every_public_name() -> None:
    names = {full_name(name) for name in ENTRY.findall(REFERENCE)}
    public = {full_name(name) for name in leeward.__all__ if not name.startswith("_")}
    assert public <= names
    for name in names - public:
        home, _, one = name.rpartition(".")
        assert hasattr(importlib.import_module(home), one), name


def test_docstrings_replace_the_lines_of_the_reference() -> None:
    made = python_page(REFERENCE)
    assert "\n::: leeward.read_plan\n" in made
    assert "\n### " not in made
    assert "\n## The main job\n" in made
