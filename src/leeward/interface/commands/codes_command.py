"""`leeward codes`: the classifications that a codebook may name, and their codes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from leeward.core.codebook.classifications import STANDARD, Classification, Library
from leeward.interface.commands.screen import show

SHOWN = 4
"""How many texts of a spelling are shown."""


Name = Annotated[
    str | None, typer.Argument(help="A classification, such as naics/sector or lehd/agegrp.")
]
Classifications = Annotated[
    Path | None, typer.Option(help="Folder of official files with further classifications.")
]
Search = Annotated[
    str | None, typer.Option(metavar="TEXT", help="Only codes whose code or label has this.")
]
AsJson = Annotated[bool, typer.Option("--json", help="The same as JSON.")]


def codes_command(
    name: Name = None,
    *,
    classifications: Classifications = None,
    search: Search = None,
    as_json: AsJson = False,
) -> None:
    """List the classifications that a codebook may name, or the codes of one of them.

    A codebook names one as `codes: standard:NAME`. Short public lists are part of Leeward; long
    ones are read from official files that you put into a folder.

    Example: leeward codes fips/county?state=44 --classifications official
    """
    library = Library(classifications, "--classifications")
    if name is None and search is None:
        listed = tuple(library)
        wide = max(len(entry.name) for entry in listed)
        lines = [f"{entry.name:{wide}}  {len(entry.codes):>5}  {entry.title} ({entry.source})"
                 for entry in listed]  # fmt: skip
        lines += ["Write one into a codebook as `codes: standard:NAME`."]
        show(lines, lambda: [*map(_described, listed)], as_json=as_json)
        return
    listed = tuple(library) if name is None else (library.find(f"{STANDARD}{name}", "NAME"),)
    wanted = "" if search is None else search.casefold()
    lines, content = [], []
    for entry in listed:
        codes = {code: label for code, label in entry.codes.items()
                 if wanted in code.casefold() or wanted in label.casefold()}  # fmt: skip
        place = "" if name else f"{entry.name}  "
        lines += [f"{place}{code}  {label}" for code, label in codes.items()]
        content += [{**_described(entry), "codes": codes}] if codes else []
    if name is not None and search is None:
        lines += _spelled(listed[0])
    show(lines, lambda: content, as_json=as_json)


def _described(entry: Classification) -> dict[str, object]:
    """A classification for programs, without its codes."""
    spellings = {name: {**texts} for name, texts in entry.spellings.items()}
    return {
        "name": entry.name,
        "title": entry.title,
        "source": entry.source,
        "size": len(entry.codes),
        **({"spellings": spellings} if spellings else {}),
    }


def _spelled(entry: Classification) -> Iterator[str]:
    """The other texts that columns have for the codes."""
    for name, texts in entry.spellings.items():
        pairs = ", ".join(f"{text} for {code}" for text, code in list(texts.items())[:SHOWN])
        more = ", …" if len(texts) > SHOWN else ""
        yield f"With `spelled: {name}` a column may have {pairs}{more}."
