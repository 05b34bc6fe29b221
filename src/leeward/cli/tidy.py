"""`leeward tidy`: tables that add up, are not negative and are whole, made of a sealed bundle."""

from pathlib import Path
from typing import Annotated

import typer

from leeward.bundle import Bundle
from leeward.cli.screen import progress, say
from leeward.tidy.lodes import require_wac, write_wac
from leeward.tidy.tidying import tidy


def tidy_command(
    bundle: Annotated[Path, typer.Argument(help="The folder of a release.")],
    out: Annotated[Path, typer.Option("--out", help="Folder of the new bundle.")],
    *,
    shrink: Annotated[
        bool,
        typer.Option("--shrink", help="Move shares of small cells towards those of cells alike."),
    ] = False,
    lodes: Annotated[
        Path | None,
        typer.Option("--lodes", help="Folder to write the numbers into in the form of LODES WAC."),
    ] = None,
) -> None:
    """Write a bundle whose tables add up, are not negative and are whole.

    It is made of the release alone, so nothing is paid and the promises hold. Released numbers
    stay beside the tidy ones. That no value is negative has a price in bias, which is printed.

    Example: leeward tidy bundle --out tidy --shrink
    """
    if lodes is not None:
        require_wac(bundle, lodes)
    with progress() as bar:
        made = tidy(bundle, out, shrink=shrink, progress=bar)
    _tell(made)
    if lodes is not None:
        say(f"{write_wac(made, lodes)} has the form of LODES WAC.")


def _tell(made: Bundle) -> None:
    """Where it is, and what tidying did to each table."""
    stated = made.certificate.made_from
    say(f"{made.path} is made from {stated.name if stated else ''}; nothing was charged.")
    for table in made.certificate.tables:
        if table.tidied is not None:
            say(f"  {table.name}: {table.tidied.sentence}")
    if stated is not None:
        say(stated.sentence)
