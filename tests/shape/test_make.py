"""The Makefile lists its targets in short lines, and hooks run files that exist."""

import re

import pytest

from tests.shape.source import ROOT

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
HELP = dict(re.findall(r"^([a-z-]+):.*?## (.+)$", MAKEFILE, flags=re.MULTILINE))
MOST_WORDS = 11
WITHOUT_HELP = {"test-system", "types", "suite"}
"""Targets that only other targets need."""


def test_every_target_has_a_help_line() -> None:
    (phony,) = re.findall(r"^\.PHONY: (.+)$", MAKEFILE, flags=re.MULTILINE)
    assert {*phony.split()} == {*HELP} | WITHOUT_HELP


@pytest.mark.parametrize("target", HELP)
def test_a_help_line_has_fewer_than_twelve_words(target: str) -> None:
    assert len(HELP[target].split()) <= MOST_WORDS


def test_modules_and_files_that_it_names_exist() -> None:
    parts = re.findall(r"^BENCH \?= (.+)$", MAKEFILE, flags=re.MULTILINE)[0].split()
    named = [f"benchmarks/{part}.py" for part in parts]
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    named += re.findall(r"\b(?:tests|docs|benchmarks)/[\w/]+\.py", MAKEFILE + hooks)
    modules = re.findall(r"-m ((?:docs|benchmarks)\.\w+)", MAKEFILE)
    named += [f"{name.replace('.', '/')}.py" for name in modules]
    assert [path for path in named if not (ROOT / path).exists()] == []
