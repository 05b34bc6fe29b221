"""`leeward codes`: the classifications that a codebook may name, and their codes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from leeward.core.codebook.classifications import STANDARD, Classification, Library
from leeward.interface.commands.screen import say, say_json

SHOWN = 4
"""How many texts of a spelling are shown."""


def codes_command(
    name: Annotated[
        str | None, typer.Argument(help="A classification, such as naics/sector or lehd/agegrp.")
    ] = None,
    *,
    classifications: Annotated[
        Path | None, typer.Option(help="Folder of official files with further classifications.")
    ] = None,
    search: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Only codes whose code or label has this.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as JSON.")] = False,
) -> None:
    """List the classifications that a codebook may name, or the codes of one of them.

    A codebook names one as `codes: standard:NAME`. Short public lists are part of Leeward; long
    ones are read from official files that you put into a folder.

    Example: leeward codes fips/county?state=44 --classifications official
    """
    library = Library(classifications, "--classifications")
    if name is None and search is None:
        listed = tuple(library)
        if as_json:
            say_json([_described(one) for one in listed])
            return
        for line in _overview(listed):
            say(line)
        return
    listed = tuple(library) if name is None else (library.find(f"{STANDARD}{name}", "NAME"),)
    found = [(one, _matching(one, search)) for one in listed]
    if as_json:
        say_json([{**_described(one), "codes": codes} for one, codes in found if codes])
        return
    for one, codes in found:
        for code, label in codes.items():
            say(f"{code}  {label}" if name else f"{one.name}  {code}  {label}")
    if name is not None and search is None:
        for line in _spelled(listed[0]):
            say(line)


def _described(one: Classification) -> dict[str, object]:
    spellings = {name: {**texts} for name, texts in one.spellings.items()}
    return {
        "name": one.name,
        "title": one.title,
        "source": one.source,
        "size": len(one.codes),
        **({"spellings": spellings} if spellings else {}),
    }


def _spelled(one: Classification) -> Iterator[str]:
    """The other texts that columns have for the codes."""
    for name, texts in one.spellings.items():
        pairs = ", ".join(f"{text} for {code}" for text, code in list(texts.items())[:SHOWN])
        more = ", …" if len(texts) > SHOWN else ""
        yield f"With `spelled: {name}` a column may have {pairs}{more}."


def _overview(listed: tuple[Classification, ...]) -> Iterator[str]:
    wide = max(len(one.name) for one in listed)
    for one in listed:
        yield f"{one.name:{wide}}  {len(one.codes):>5}  {one.title} ({one.source})"
    yield "Write one into a codebook as `codes: standard:NAME`."


def _matching(one: Classification, text: str | None) -> dict[str, str]:
    wanted = "" if text is None else text.casefold()
    return {
        code: label
        for code, label in one.codes.items()
        if wanted in code.casefold() or wanted in label.casefold()
    }
