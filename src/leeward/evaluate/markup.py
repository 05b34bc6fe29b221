"""Markup: text as escaped HTML, and the style sheet of the page."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from leeward.pictures import Picture, colour

TOGETHER = re.compile(r"(?<=[αεδθd]) ([=≤≥<>]) (?=[\d–])|(?<=[≤≥<>]) (?=\d)|(?<=\d) (?=%)")
"""Where a line must not break: between a letter and its value, and before a per cent sign."""

STYLE = f"""
:root {{ color-scheme: light; }}
* {{ box-sizing: border-box; }}
body {{ margin: 0 auto; padding: 1rem; max-width: 62rem; background: #fff; color: #1a1a1a;
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial,
  sans-serif; overflow-wrap: break-word; }}
h1 {{ font-size: 1.75rem; line-height: 1.25; margin: .5rem 0; }}
h2 {{ font-size: 1.35rem; line-height: 1.3; margin: 0 0 .5rem; }}
h3 {{ font-size: 1.08rem; margin: 1.6rem 0 .3rem; }}
section {{ border-top: 1px solid #ccc; margin-top: 2.2rem; padding-top: 1.2rem; }}
p, ul, dl {{ max-width: 46rem; margin: .5rem 0; }}
ul {{ padding-left: 1.3rem; }}
li {{ margin: .25rem 0; }}
a {{ color: {colour.BLUE}; }}
a:focus-visible, .wide:focus-visible, summary:focus-visible {{
  outline: 3px solid {colour.BLUE}; outline-offset: 2px; }}
nav h2 {{ font-size: 1rem; margin-top: 1rem; }}
nav ul {{ columns: 2 18rem; max-width: none; }}
nav li {{ break-inside: avoid; }}
.lead {{ font-size: 1.05rem; color: #444; }}
.mark {{ background: {colour.RED}; color: #fff; font-weight: 700; padding: .6rem .9rem;
  margin: 0 0 1rem; max-width: none; }}
header .mark {{ position: sticky; top: 0; }}
figure {{ margin: 1rem 0; }}
figcaption {{ font-size: .9rem; color: #444; max-width: 46rem; }}
summary {{ cursor: pointer; }}
.wide {{ overflow-x: auto; }}
figure svg {{ display: block; width: 100%; min-width: 44rem; height: auto; }}
table {{ border-collapse: collapse; font-size: .85rem; margin: .3rem 0 1rem; }}
caption {{ text-align: left; font-weight: 600; padding: .4rem 0; }}
th, td {{ padding: .3rem .45rem; text-align: right; border-bottom: 1px solid #ddd;
  font-variant-numeric: tabular-nums; vertical-align: top; }}
th {{ font-weight: 600; }}
thead th {{ border-bottom: 2px solid #888; vertical-align: bottom; }}
th[scope=row], td.text, th.text {{ text-align: left; }}
tr.ours th, tr.ours td {{ background: #eaf3fa; }}
th[scope=row] {{ min-width: 9.5rem; }}
dt {{ font-weight: 600; margin-top: .7rem; }}
dd {{ margin: .1rem 0 0 1.2rem; }}
@media (max-width: 40rem) {{ body {{ padding: .75rem; }} h1 {{ font-size: 1.4rem; }}
  dd {{ margin-left: .6rem; }} }}
@media print {{ body {{ max-width: none; padding: 0; font-size: 10pt; }}
  .wide {{ overflow: visible; }} figure svg {{ min-width: 0; }}
  figure, tr {{ break-inside: avoid; }} h2, h3 {{ break-after: avoid; }}
  .mark {{ border: 2px solid {colour.RED}; color: {colour.RED}; background: #fff;
    position: static; }} nav {{ display: none; }} }}
"""


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
