"""`leeward jobs`: from wage records to the jobs of one quarter, for the operator's eyes."""

from collections.abc import Iterator
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from leeward.core.codebook.resources import (
    Resources,
    read_encoding,
    read_engine,
    read_memory,
    read_quotes,
)
from leeward.core.codebook.wage_jobs import KINDS, ONES, Quarter, WageColumns, WageJobs
from leeward.core.show.numbers import counted, share
from leeward.interface.commands.check import Encoding, Memory, Most, Quotes, Spill
from leeward.interface.commands.screen import CONFIDENTIAL, EXCEEDED, progress, say, say_json
from leeward.publishing.engines.wage_records import DOUBTFUL
from leeward.publishing.engines.wages import JobsFile, write_jobs
from leeward.publishing.release.losses import HALF, MOST, NOISE, beyond, read_most


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
    most: Most = MOST,
    as_json: Annotated[bool, typer.Option("--json", help="The answer as JSON.")] = False,
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
    allowance = read_most(most, "--most")
    with progress() as bar:
        bar.step("reading wages")
        made = write_jobs(wages, wanted, out, allowed)
    warnings = [*_warnings(made, quarter, allowance)]
    if as_json:
        say_json(_as_json(made, most, warnings))
    else:
        for line in (CONFIDENTIAL, *_lines(made, quarter), *warnings):
            say(line)
    if warnings:
        raise typer.Exit(EXCEEDED)


READ = dict(zip(DOUBTFUL, ("read as a fraction", "counted"), strict=True))
DOUBTS = dict(
    zip(
        DOUBTFUL,
        (
            "have a point, from which on their pay does not count",
            "have ids of persons with far too many records",
        ),
        strict=True,
    )
)
"""What becomes of doubtful records, and what is wrong with very many of them."""


def _lines(made: JobsFile, quarter: str) -> Iterator[str]:
    """The file, what it lacks, and the records that make no job."""
    yield f"{made.path} has {counted(made.jobs, 'job')} of {quarter}; only its owner may read it."
    if made.missing:
        yield f"It has no column flow: there are no wages of {' and '.join(made.missing)}."
    for one in (*made.left_out, *made.doubtful):
        of = "" if one.quarter == quarter else f" of {one.quarter}"
        such = f" (such as {', '.join(one.examples)})" if one.examples else ""
        what = READ.get(one.problem, "left out")
        yield f"{what}{of}: {one.rows:,} of {counted(one.of, 'record')} {one.problem}{such}"
        yield f"  {one.remedy}"


def _warnings(made: JobsFile, quarter: str, most: Fraction) -> Iterator[str]:
    """In which quarters more records than allowed make no job, or a doubtful one."""
    lost_records = made.lost()
    for name, (lost, of) in lost_records.items():
        if lost == of:
            missing = NOISE if name == quarter else "nothing is known of the flow of its jobs"
            yield f"Every record of {name} is lost: {missing}."
        elif beyond(lost, of, most):
            yield f"{name} loses {share(lost, of)} of its records ({lost:,} of {of:,})."
    for one in made.doubtful:
        if beyond(one.rows, one.of, most):
            yield (
                f"{share(one.rows, one.of)} of the records of {one.quarter} ({one.rows:,} of "
                f"{one.of:,}) {DOUBTS[one.problem]}."
            )
    lost, of = lost_records.get(quarter, (0, 1))
    if not made.jobs and lost < of:
        yield f"No record makes a job of {quarter}: {NOISE}."
    sound = not any(beyond(lost, of, most) for lost, of in lost_records.values())
    if made.linked is not None and sound and made.linked < HALF:
        part = f"Only {share(*made.linked.as_integer_ratio())} of jobs have"
        yield (
            f"{part if made.linked else 'No job has'} pay in the quarters beside it: are ids the "
            "same texts in all quarters?"
        )


def _as_json(made: JobsFile, most: str, warnings: list[str]) -> dict[str, object]:
    """The whole answer, with its mark."""
    return {
        "confidential": CONFIDENTIAL,
        "path": str(made.path),
        "jobs": made.jobs,
        "missing": list(made.missing),
        "left_out": [{**asdict(one), "examples": list(one.examples)} for one in made.left_out],
        "doubtful": [{**asdict(one), "examples": list(one.examples)} for one in made.doubtful],
        "most": most,
        "warnings": warnings,
    }
