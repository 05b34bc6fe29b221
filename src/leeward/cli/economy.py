"""`leeward economy`: made-up tables to try things on."""

from collections.abc import Callable
from dataclasses import fields
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any

import typer

from leeward.cli.screen import progress, say
from leeward.economy import Economy, EconomyFiles, write_economy

Folder = Annotated[Path, typer.Option("--out", help="Folder to write into.")]
Jobs = Annotated[int, typer.Option(help="Number of jobs, exactly.")]
Establishments = Annotated[int, typer.Option(help="Number of establishments, exactly.")]
Places = Annotated[int | None, typer.Option(help="Number of places; grows with the economy.")]
Seed = Annotated[int, typer.Option(help="The same seed makes the same economy.")]
Several = Annotated[str, typer.Option(help="Share of workers with a second job, such as 1/20.")]
Geography = Annotated[str, typer.Option(help="places (few large, many small) or tracts (even).")]

OPTIONS = {
    "jobs": Jobs,
    "establishments": Establishments,
    "places": Places,
    "seed": Seed,
    "several_jobs": Several,
    "geography": Geography,
}


def request_options(command: Callable[..., None]) -> Callable[..., None]:
    """Make every field of an economy, with its default, an option of a command."""
    named = [Parameter("out", Parameter.KEYWORD_ONLY, annotation=Folder)]
    for field in fields(Economy):
        kind = OPTIONS[field.name]
        named.append(
            Parameter(field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=kind)
        )
    command.__dict__["__signature__"] = Signature(named)
    return command


@request_options
def economy_command(out: Folder, **request: Any) -> None:  # noqa: ANN401 (typed in OPTIONS)
    """Make up an economy: three Parquet tables and their codebook.

    Everything is invented and public; the seed repeats it. It is for trying things out.

    Example: leeward economy --out economy --jobs 1000000 --establishments 50000
    """
    asked = Economy(**request)
    made = make(asked, out)
    say(
        f"{asked.jobs:,} jobs in {asked.establishments:,} establishments, "
        f"all made up (seed {asked.seed}):"
    )
    for path in made:
        say(f"  {path}")


def make(economy: Economy, folder: Path) -> EconomyFiles:
    """Write the economy with a progress bar."""
    with progress() as bar:
        return write_economy(
            economy,
            folder,
            progress=lambda done, of: bar.cells("jobs", done, of),
        )
