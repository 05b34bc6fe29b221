"""`leeward tidy`: tables that add up, are not negative and are whole, made of a sealed bundle."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from leeward.core.errors import InvalidParameter
from leeward.derived.products.lodes import Lodes, forms
from leeward.derived.products.small_areas import OPTION, SmallAreas
from leeward.derived.settle.tidying import tidy
from leeward.interface.commands.screen import progress, say, say_lines
from leeward.publishing.bundle import Bundle

Release = Annotated[Path, typer.Argument(help="The folder of a release.")]
Out = Annotated[Path, typer.Option("--out", help="Folder of the new bundle.")]
Shrink = Annotated[
    bool,
    typer.Option("--shrink", help="Move shares of small cells towards those of cells alike."),
]
LodesFolder = Annotated[
    Path | None,
    typer.Option("--lodes", help="Folder for the numbers in the form of LODES WAC, RAC, OD."),
]
Population = Annotated[
    Path | None,
    typer.Option(OPTION, help="With --lodes: people of small areas, to share out homes."),
]


def tidy_command(
    bundle: Release,
    out: Out,
    *,
    shrink: Shrink = False,
    lodes: LodesFolder = None,
    population: Population = None,
) -> None:
    """Write a bundle whose tables add up, are not negative and are whole.

    It is made of the release alone, so nothing is paid and the promises hold. Released numbers
    stay beside the tidy ones. That no value is negative has a price in bias, which is printed.

    Example: leeward tidy bundle --out tidy --shrink
    """
    if lodes is None and population is not None:
        raise InvalidParameter(
            OPTION,
            rule="needs --lodes: people share out the homes of its files",
            value="no --lodes",
            next_step="Name a new folder with --lodes, or leave the option out.",
        )
    shared = None if population is None else SmallAreas.read(population)
    layout = None if lodes is None else Lodes(lodes, shared)
    if layout is not None:
        layout.require(bundle)
    with progress() as bar:
        settled = tidy(bundle, out, shrink=shrink, progress=bar)
    stated = settled.certificate.made_from
    say(f"{settled.path} is made from {stated.name if stated else ''}; nothing was charged.")
    for table in settled.certificate.tables:
        if table.tidied is not None:
            say(f"  {table.name}: {table.tidied.sentence}")
    if stated is not None:
        say(stated.sentence)
    if layout is not None:
        say_lines(lodes_lines(layout, settled))


def lodes_lines(layout: Lodes, bundle: Bundle) -> Iterator[str]:
    """Write the files in the form of LODES, and say which were made."""
    for form, path in layout.write(bundle).items():
        yield f"{path} has the form of LODES {form.upper()}."
    for form, missing in forms(bundle)[1].items():
        yield f"{form.upper()} is not made: it {missing.rule}."
