"""`leeward synth generate`: further rows of a description, at no further cost."""

from pathlib import Path
from typing import Annotated

import typer

from leeward.interface.commands.synth_table import show
from leeward.systems.synth.run import generate


def generate_command(
    description: Annotated[Path, typer.Argument(help="A description.json.")],
    *,
    out: Annotated[Path, typer.Option(help="The folder to write; it must not exist.")],
    rows: Annotated[
        int | None, typer.Option(help="Rows to write. Left out, the released total.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Other seeds give other rows.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="The answer as JSON.")] = False,
) -> None:
    """Write synthetic rows of a description alone: no data are read and nothing is spent.

    Example: leeward synth generate people-synthetic/description.json --rows 1000 --seed 7
    --out more
    """
    show(generate(description, out, rows, seed), as_json=as_json)
