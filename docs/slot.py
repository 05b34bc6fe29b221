"""Slot: a place in a document between two comments, filled by a program."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def current(page: Path, name: str) -> str:
    """What stands in a slot."""
    return _slot(name, page.read_text(encoding="utf-8"))[1].removesuffix("\n")


def fill(page: Path, contents: Mapping[str, str]) -> None:
    """Put new contents into slots of a page."""
    text = page.read_text(encoding="utf-8")
    for name, content in contents.items():
        start, end = _slot(name, text).span(1)
        text = f"{text[:start]}{content}\n{text[end:]}"
    page.write_text(text, encoding="utf-8")


def _slot(name: str, text: str) -> re.Match[str]:
    (found,) = re.finditer(rf"<!-- {name} -->\n(.*?)<!-- /{name} -->", text, re.DOTALL)
    return found
