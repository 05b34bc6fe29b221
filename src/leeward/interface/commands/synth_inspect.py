"""`leeward synth inspect`: synthetic rows beside the real ones, for the operator's eyes."""

import json
from pathlib import Path
from typing import Annotated

import typer

from leeward.core.codebook import read_codebook
from leeward.interface.commands.screen import CONFIDENTIAL, progress, say, say_json
from leeward.publishing.bundle.disk import appearing, write_file
from leeward.publishing.bundle.writer import require_free
from leeward.systems.synth.inspection import BAD_AT, InspectionRequest, inspect
from leeward.systems.synth.inspection_page import findings, page

PAGE, NUMBERS = "index.html", "inspection.json"
OWNER = 0o600, 0o700
"""Modes of files and folder: the owner's alone."""


def inspect_command(  # noqa: PLR0913 (a parameter for each option)
    real: Annotated[Path, typer.Argument(help="The real rows, a file as in plans.")],
    synthetic: Annotated[
        Path, typer.Argument(help="Synthetic rows, or the folder that a synth command wrote.")
    ],
    *,
    out: Annotated[Path, typer.Option(help="The folder to write; it must not exist.")],
    codebook: Annotated[
        Path | None,
        typer.Option(help="Left out, what the folder of SYNTHETIC says of its columns."),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(metavar="COL", help="The column to predict. Left out, some of few values."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of triples, halves and samples.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="The findings as JSON.")] = False,
) -> None:
    """Compare synthetic rows with the real ones. CONFIDENTIAL output.

    Writes a page with bars, heat maps, models, broken rules and unique rows. Its numbers are exact:
    they stay inside, and choosing a method by them is outside of every promise.

    Example: leeward synth inspect people.csv people-synthetic --out inspection
    """
    require_free(out)
    book = None if codebook is None else read_codebook(codebook)
    asked = InspectionRequest.of(real, synthetic, book, target, seed)
    with progress() as bar:
        found = inspect(asked, bar.step)
    told = {"confidential": CONFIDENTIAL, **found.as_json()}
    file, folder = OWNER
    with appearing(out, folder) as hidden:
        write_file(hidden / PAGE, page(found).encode(), file)
        content = json.dumps(told, indent=1, ensure_ascii=False) + "\n"
        write_file(hidden / NUMBERS, content.encode(), file)
    if as_json:
        say_json(told)
        return
    for line in (CONFIDENTIAL, *findings(found)):
        say(line)
    say("Synthetic rows are bad at:")
    for line in BAD_AT:
        say(f"  {line}")
    say(f"The page is {out / PAGE}.")
