"""Markup: text as HTML, everything escaped that comes from outside."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from leeward.pictures import Picture

TOGETHER = re.compile(r"(?<=[αεδθd]) ([=≤≥<>]) (?=[\d–])|(?<=[≤≥<>]) (?=\d)|(?<=\d) (?=%)")
"""Where a line must not break: between a letter and its value, and before a per cent sign."""


def text(words: str) -> str:
    """Words as HTML."""
    held = TOGETHER.sub(lambda gap: gap[0].replace(" ", "\u00a0"), words)
    return escape(held)


@dataclass(frozen=True)
class Row:
    """A line of a table: what it is about, its cells, and whether it is one of ours."""

    head: str
    cells: Sequence[str]
    ours: bool = False


def paragraph(sentences: Iterable[str]) -> str:
    """Sentences as one paragraph; nothing for none."""
    told = " ".join(one for one in sentences if one)
    return f"<p>{text(told)}</p>\n" if told else ""


def points(sentences: Iterable[str]) -> str:
    """Sentences one below the other; nothing for none."""
    items = "".join(f"<li>{text(one)}</li>\n" for one in sentences if one)
    return f"<ul>\n{items}</ul>\n" if items else ""


def heading(words: str) -> str:
    """A heading within a section."""
    return f"<h3>{text(words)}</h3>\n"


def terms(known: Iterable[tuple[str, str]]) -> str:
    """What words mean."""
    items = "".join(f"<dt>{text(word)}</dt><dd>{text(said)}</dd>\n" for word, said in known)
    return f"<dl>\n{items}</dl>\n" if items else ""


def figure(picture: Picture | None) -> str:
    """A drawing with its title, and in words what it shows; nothing for a missing one."""
    if picture is None:
        return ""
    title = escape(picture.title)
    return (
        f'<figure>\n<div class="wide" tabindex="0" role="region" aria-label="{title}">'
        f"{picture.svg}</div>\n<figcaption>{title} "
        f"<details><summary>The figure in words</summary>{text(picture.description)}</details>"
        "</figcaption>\n</figure>\n"
    )


def table(caption: str, columns: Sequence[str], rows: Sequence[Row], texts: int = 0) -> str:
    """A table; the first `texts` columns beside the heads of the rows are words, not numbers."""
    if not rows:
        return ""
    heads = "".join(
        f'<th scope="col"{_kind(number <= texts)}>{text(one)}</th>'
        for number, one in enumerate(columns)
    )
    body = "".join(_row(row, texts) for row in rows)
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(caption)}">\n<table>\n'
        f"<caption>{text(caption)}</caption>\n<thead><tr>{heads}</tr></thead>\n"
        f"<tbody>\n{body}</tbody>\n</table>\n</div>\n"
    )


def _row(row: Row, texts: int) -> str:
    cells = "".join(
        f"<td{_kind(number < texts)}>{text(one)}</td>" for number, one in enumerate(row.cells)
    )
    own = ' class="ours"' if row.ours else ""
    return f'<tr{own}><th scope="row">{text(row.head)}</th>{cells}</tr>\n'


def _kind(text: bool) -> str:
    return ' class="text"' if text else ""
