"""`leeward economy`: made-up tables to try things on."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from leeward.interface.commands.options import Establishments, Jobs, Seed
from leeward.interface.commands.screen import progress, say, say_lines
from leeward.lab.economy import Economy, EconomyFiles, write_economy

Folder = Annotated[Path, typer.Option("--out", help="Folder to write into.")]
Places = Annotated[int | None, typer.Option(help="Number of places; grows with the economy.")]
Several = Annotated[str, typer.Option(help="Share of workers with a second job, such as 1/20.")]
Geography = Annotated[
    str, typer.Option(help="places (few large, many small), tracts (even) or blocks (in tracts).")
]
Quarters = Annotated[
    int, typer.Option(help="Also wage records: the number of quarters, which end with 2026Q4.")
]
Cohorts = Annotated[
    bool, typer.Option("--cohorts", help="With --quarters: graduates, leavers and veterans too.")
]

Homes = Annotated[
    bool, typer.Option("--homes", help="Also where workers live, with a map of the places.")
]


def economy_command(  # noqa: PLR0913 (an option for each field of an economy)
    out: Folder,
    *,
    jobs: Jobs = 20_000,
    establishments: Establishments = 1_000,
    places: Places = None,
    seed: Seed = 1,
    several_jobs: Several = "0",
    geography: Geography = "places",
    quarters: Quarters = 0,
    cohorts: Cohorts = False,
    homes: Homes = False,
) -> None:
    """Make up an economy: three Parquet tables and their codebook.

    Everything is invented and public; the seed repeats it. It is for trying things out. On request
    it has a life over time, and homes.

    Example: leeward economy --out economy --jobs 1000000 --establishments 50000
    """
    economy = Economy(jobs=jobs, establishments=establishments, places=places, seed=seed,
                      several_jobs=several_jobs, geography=geography, quarters=quarters,
                      cohorts=cohorts, homes=homes)  # fmt: skip
    paths = make(economy, out)
    say(f"{jobs:,} jobs in {establishments:,} establishments, all made up (seed {seed}):")
    say_lines(f"  {path}" for path in paths)


def make(economy: Economy, folder: Path) -> EconomyFiles:
    """Write the economy with a progress bar."""
    with progress() as bar:
        return write_economy(economy, folder, progress=partial(bar.part, "jobs"))
