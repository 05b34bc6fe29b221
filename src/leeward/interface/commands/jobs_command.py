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
from leeward.interface.commands.options import AsJson, Encoding, Memory, Most, Quotes, Spill
from leeward.interface.commands.screen import CONFIDENTIAL, EXCEEDED, progress, show
from leeward.publishing.engines.wage_records import DOUBTFUL
from leeward.publishing.engines.wages import JobsFile, write_jobs
from leeward.publishing.release.losses import HALF, MOST, NOISE, beyond, read_most

Wages = Annotated[str, typer.Argument(help="A file, or a table of a database, as in plans.")]
QuarterName = Annotated[str, typer.Option(help="The quarter of the jobs, such as 2026Q2.")]
Out = Annotated[Path, typer.Option(help="The Parquet file to write; must not exist.")]
Kind = Annotated[str, typer.Option(help=f"One of {', '.join(KINDS)}.")]
OneJob = Annotated[
    str | None,
    typer.Option(help=f"One job of each person: {' or '.join(ONES)}. Left out, all of them."),
]
Worker = Annotated[str, typer.Option(metavar="COL", help="The person.")]
Workplace = Annotated[
    str | None, typer.Option(metavar="COL", help="The establishment. Left out, workplace_id.")
]
QuarterColumn = Annotated[str, typer.Option(metavar="COL", help="The quarter of a record.")]
Earnings = Annotated[str, typer.Option(metavar="COL", help="The pay of that quarter.")]
Employer = Annotated[
    str | None, typer.Option(metavar="COL", help="The employer; needs --workplace beside it.")
]
Engine = Annotated[str | None, typer.Option(help="duckdb or spark, as in plans.")]

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


def jobs_command(  # noqa: PLR0913 (a parameter for each option)
    wages: Wages,
    *,
    quarter: QuarterName,
    out: Out,
    kind: Kind = "any",
    one: OneJob = None,
    worker: Worker = WageColumns.worker,
    workplace: Workplace = None,
    quarter_column: QuarterColumn = WageColumns.quarter,
    earnings: Earnings = WageColumns.earnings,
    employer: Employer = None,
    engine: Engine = None,
    memory: Memory = None,
    spill: Spill = None,
    encoding: Encoding = None,
    quotes: Quotes = None,
    most: Most = MOST,
    as_json: AsJson = False,
) -> None:
    """Write the jobs of a quarter that follow from wage records. CONFIDENTIAL output.

    A job has pay in the quarter. kind says when else: in the quarter before (beginning), after
    (end), or both (full). one keeps the job with the largest pay in the quarter (primary), or in
    it and the one before, of those of the beginning (dominant).

    Example: leeward jobs wages.parquet --quarter 2026Q2 --kind beginning --out jobs.parquet
    """
    columns = WageColumns(worker=worker, workplace=workplace, quarter=quarter_column,
                          earnings=earnings, employer=employer)  # fmt: skip
    wanted = WageJobs(quarter=Quarter.read(quarter), kind=kind, one=one, columns=columns)
    allowed = _resources(engine, memory, spill, encoding, quotes)
    allowance = read_most(most, "--most")
    with progress() as bar:
        bar.step("reading wages")
        file = write_jobs(wages, wanted, out, allowed)
    _show_file(file, quarter, most, [*_warnings(file, quarter, allowance)], as_json=as_json)


def _resources(
    engine: str | None,
    memory: str | None,
    spill: Path | None,
    encoding: str | None,
    quotes: str | None,
) -> Resources:
    """What the command line allows; a refusal names the option."""
    return Resources(
        engine=read_engine(engine),
        memory=read_memory(memory, "--memory"),
        spill=spill,
        encoding=read_encoding(encoding, "--encoding"),
        quotes=read_quotes(quotes, "--quotes"),
    )


def _show_file(
    file: JobsFile, quarter: str, most: str, warnings: list[str], *, as_json: bool
) -> None:
    """The file, what it lacks, and the records that make no job.

    Another exit code where more is lost than allowed.
    """
    lines = [
        CONFIDENTIAL,
        f"{file.path} has {counted(file.jobs, 'job')} of {quarter}; only its owner may read it.",
    ]
    if file.missing:
        lines += [f"It has no column flow: there are no wages of {' and '.join(file.missing)}."]
    for doubt in (*file.left_out, *file.doubtful):
        of = "" if doubt.quarter == quarter else f" of {doubt.quarter}"
        such = f" (such as {', '.join(doubt.examples)})" if doubt.examples else ""
        what = READ.get(doubt.problem, "left out")
        rows = f"{doubt.rows:,} of {counted(doubt.of, 'record')}"
        lines += [f"{what}{of}: {rows} {doubt.problem}{such}", f"  {doubt.remedy}"]
    doubts = {"left_out": file.left_out, "doubtful": file.doubtful}
    content = {
        "confidential": CONFIDENTIAL,
        "path": str(file.path),
        "jobs": file.jobs,
        "missing": list(file.missing),
        **{name: [{**asdict(doubt), "examples": list(doubt.examples)} for doubt in several]
           for name, several in doubts.items()},
        "most": most,
        "warnings": warnings,
    }  # fmt: skip
    show((*lines, *warnings), lambda: content, as_json=as_json)
    if warnings:
        raise typer.Exit(EXCEEDED)


def _warnings(file: JobsFile, quarter: str, most: Fraction) -> Iterator[str]:
    """In which quarters more records than allowed make no job, or a doubtful one."""
    lost_records = file.lost()
    for name, (lost, of) in lost_records.items():
        if lost == of:
            missing = NOISE if name == quarter else "nothing is known of the flow of its jobs"
            yield f"Every record of {name} is lost: {missing}."
        elif beyond(lost, of, most):
            yield f"{name} loses {share(lost, of)} of its records ({lost:,} of {of:,})."
    for doubt in file.doubtful:
        if beyond(doubt.rows, doubt.of, most):
            yield (
                f"{share(doubt.rows, doubt.of)} of the records of {doubt.quarter} "
                f"({doubt.rows:,} of {doubt.of:,}) {DOUBTS[doubt.problem]}."
            )
    lost, of = lost_records.get(quarter, (0, 1))
    if not file.jobs and lost < of:
        yield f"No record makes a job of {quarter}: {NOISE}."
    sound = not any(beyond(lost, of, most) for lost, of in lost_records.values())
    if file.linked is not None and sound and file.linked < HALF:
        part = f"Only {share(*file.linked.as_integer_ratio())} of jobs have"
        yield (
            f"{part if file.linked else 'No job has'} pay in the quarters beside it: are ids the "
            "same texts in all quarters?"
        )
