"""`leeward jobs`: from wage records to the jobs of one quarter, for the operator's eyes."""

from pathlib import Path
from typing import Annotated

import typer

from leeward.cli.check import Encoding, Memory, Quotes, Spill
from leeward.cli.screen import CONFIDENTIAL, progress, say
from leeward.engines.wages import write_jobs
from leeward.model.resources import (
    Resources,
    read_encoding,
    read_engine,
    read_memory,
    read_quotes,
)
from leeward.model.wage_jobs import KINDS, ONES, Quarter, WageColumns, WageJobs
from leeward.show.numbers import counted


def jobs_command(  # noqa: PLR0913 (a parameter for each option)
    wages: Annotated[str, typer.Argument(help="A file, or a table of a database, as in plans.")],
    *,
    quarter: Annotated[str, typer.Option(help="The quarter of the jobs, such as 2026Q2.")],
    out: Annotated[Path, typer.Option(help="The Parquet file to write; must not exist.")],
    kind: Annotated[str, typer.Option(help=f"One of {', '.join(KINDS)}.")] = "any",
    one: Annotated[
        str | None,
        typer.Option(help=f"One job of each person: {' or '.join(ONES)}. Left out, all of them."),
    ] = None,
    worker: Annotated[str, typer.Option(metavar="COL", help="The person.")] = WageColumns.worker,
    workplace: Annotated[
        str | None,
        typer.Option(metavar="COL", help="The establishment. Left out, workplace_id."),
    ] = None,
    quarter_column: Annotated[
        str, typer.Option(metavar="COL", help="The quarter of a record.")
    ] = WageColumns.quarter,
    earnings: Annotated[
        str, typer.Option(metavar="COL", help="The pay of that quarter.")
    ] = WageColumns.earnings,
    employer: Annotated[
        str | None,
        typer.Option(metavar="COL", help="The employer; needs --workplace beside it."),
    ] = None,
    engine: Annotated[str | None, typer.Option(help="duckdb or spark, as in plans.")] = None,
    memory: Memory = None,
    spill: Spill = None,
    encoding: Encoding = None,
    quotes: Quotes = None,
) -> None:
    """Write the jobs of a quarter that follow from wage records. CONFIDENTIAL output.

    A job has pay in the quarter. kind says when else: in the quarter before (beginning), after
    (end), or both (full). one keeps the job with the largest pay in the quarter (primary), or in
    it and the one before, of those of the beginning (dominant).

    Example: leeward jobs wages.parquet --quarter 2026Q2 --kind beginning --out jobs.parquet
    """
    columns = WageColumns(worker, workplace, quarter_column, earnings, employer)
    wanted = WageJobs(Quarter.read(quarter), kind, one, columns)
    allowed = Resources(
        read_engine(engine),
        None,
        read_memory(memory, "--memory"),
        spill,
        read_encoding(encoding, "--encoding"),
        read_quotes(quotes, "--quotes"),
    )
    with progress() as bar:
        bar.step("reading wages")
        made = write_jobs(wages, wanted, out, allowed)
    say(CONFIDENTIAL)
    say(f"{made.path} has {counted(made.jobs, 'job')} of {quarter}; only its owner may read it.")
    if made.missing:
        say(f"It has no column flow: there are no wages of {' and '.join(made.missing)}.")
