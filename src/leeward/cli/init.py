"""`leeward init`: a codebook and a plan to start from, made from table headers."""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from leeward.bundle.disk import write_file
from leeward.cli.check import Encoding, Quotes
from leeward.cli.draft import Column, Draft, quoted
from leeward.cli.meaning import few_labels
from leeward.cli.recipes import start_recipe
from leeward.cli.screen import given_options, say, say_json
from leeward.engines import connect
from leeward.engines.address import seen_from
from leeward.engines.driver_errors import frankly
from leeward.errors import BadFile, InvalidParameter, raise_all
from leeward.model.classifications import Library
from leeward.model.resources import read_resources

CODEBOOK, PLAN = "codebook.yaml", "plan.yaml"
HEADERS_ALONE = (
    *("--jobs", "--list-codes", "--classifications", "--engine", "--encoding", "--quotes"),
    "--json",
)
OFFICE_ALONE = ("--wages", "--cohorts", "--workplaces", "--workers", "--years", "--quarter")
DEMO_ALONE = ("--demo-jobs",)
RECIPES_ALONE = (*OFFICE_ALONE[:2], *OFFICE_ALONE[4:], "--target", "--size", "--demo", *DEMO_ALONE)
"""Options for headers, for the tables of an office, for made-up ones, and for recipes."""


def init_command(  # noqa: PLR0913 (a parameter for each option)
    context: typer.Context,
    workplaces: Annotated[str | None, typer.Option(help="The table of workplaces.")] = None,
    workers: Annotated[str | None, typer.Option(help="The table of workers.")] = None,
    jobs: Annotated[str | None, typer.Option(help="The table of jobs.")] = None,
    out: Annotated[Path, typer.Option("--out", help="Folder for codebook and plan.")] = Path(),
    *,
    list_codes: Annotated[
        bool,
        typer.Option("--list-codes", help="Fill code lists of public workplace columns from data."),
    ] = False,
    classifications: Annotated[
        Path | None,
        typer.Option(help="Folder of official files; public workplace codes are compared."),
    ] = None,
    engine: Annotated[
        str | None, typer.Option(help="What reads the tables: duckdb or spark.")
    ] = None,
    encoding: Encoding = None,
    quotes: Quotes = None,
    as_json: Annotated[bool, typer.Option("--json", help="What was written as JSON.")] = False,
    recipe: Annotated[
        str | None, typer.Option(help="Plans of a product: umetrics, pseo, veo or qwi.")
    ] = None,
    wages: Annotated[str | None, typer.Option(help="With --recipe: the wage records.")] = None,
    cohorts: Annotated[
        str | None, typer.Option(help="With umetrics, pseo and veo: who graduated or left when.")
    ] = None,
    years: Annotated[
        str | None, typer.Option(help="With --cohorts: years of whole wage records, 2016-2026.")
    ] = None,
    quarter: Annotated[
        list[str] | None,
        typer.Option(metavar="<str>", help="With qwi: a quarter, 2026Q2; may be repeated."),
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="With umetrics: the error to reach, 'APD 10 % in 90 %'.")
    ] = None,
    size: Annotated[
        int | None, typer.Option(help="With umetrics: the planned number of people in a cell.")
    ] = None,
    demo: Annotated[
        bool, typer.Option("--demo", help="With --recipe: make up the data, release and verify.")
    ] = False,
    demo_jobs: Annotated[int, typer.Option(help="With --demo: number of jobs.")] = 100_000,
) -> None:
    """Write a codebook and a plan from the headers of three tables.

    Only column names and types are read. With --classifications or --list-codes the codes of
    workplace columns that are usually public are read too: to find the list and vintage that they
    are of, or to fill lists that have no standard. Codes of workers are never read.

    With --recipe the plans are those of a public product, and its confidential tables are
    prepared from wage records and cohorts; --demo does everything on made-up data.

    Example: leeward init --workplaces w.parquet --workers p.parquet --jobs j.parquet
    """
    tables = {"workplaces": workplaces, "workers": workers, "jobs": jobs}
    if recipe is not None:
        office = {"wages": wages, "workplaces": workplaces, "workers": workers, "cohorts": cohorts}
        told = {"years": years, "quarter": tuple(quarter or ()) or None, "target": target,
                "size": size}  # fmt: skip
        _refuse_beside(context, "with --recipe", HEADERS_ALONE)
        way, useless = ("with", OFFICE_ALONE) if demo else ("without", DEMO_ALONE)
        _refuse_beside(context, f"{way} --demo", useless)
        start_recipe(recipe, out, office, told, demo_jobs if demo else None)
        return
    _refuse_beside(context, "without --recipe", RECIPES_ALONE)
    raise_all(_not_given(name) for name, one in tables.items() if one is None)
    sources = {name: one or "" for name, one in tables.items()}
    reading = {"engine": engine, "encoding": encoding, "quotes": quotes}
    reading_codes = list_codes or classifications is not None
    headers = {*sources} - ({"workplaces"} if reading_codes else set())
    resources = read_resources(reading, Path())
    with frankly(), connect(sources, Path(), resources, headers=headers) as opened:
        reads = opened.codes if reading_codes else None
        library = Library(classifications, "--classifications")
        draft = Draft(opened.describe(), library, reads, listing=list_codes)
        located = {name: seen_from(source, out) for name, source in sources.items()}
        located |= {name: told for name, told in reading.items() if told is not None}
        official = None if classifications is None else seen_from(str(classifications), out)
        texts = _texts(draft, located, official)
    refuse_existing(out, texts)
    write_texts(out, texts)
    if as_json:
        say_json(_as_json(out, draft))
        return
    for line in _next_steps(out, draft):
        say(line)


def _texts(draft: Draft, sources: Mapping[str, str], official: str | None) -> dict[str, str]:
    """Codebook, plan and code lists by the names of their files."""
    return {
        CODEBOOK: "\n".join(draft.codebook(official)) + "\n",
        PLAN: "\n".join(draft.plan(sources)) + "\n",
        **{one.list_file: list_text(one.listed) for one in draft.active if one.in_file},
    }


def _not_given(name: str) -> InvalidParameter:
    return InvalidParameter(
        f"--{name}",
        rule="must be given",
        value="nothing",
        next_step="Name a file, or a table of a database; or take a --recipe.",
    )


def _refuse_beside(context: typer.Context, way: str, useless: Collection[str]) -> None:
    """Refuse options that would mean nothing."""
    for option in sorted(given_options(context) & {*useless}):
        raise InvalidParameter(
            option, rule=f"has no meaning {way}", value="given", next_step="Leave it out."
        )


def list_text(codes: Mapping[str, str]) -> str:
    """A code list as CSV: codes with their labels."""
    doubled = ([one.replace('"', '""') for one in row] for row in codes.items())
    return "code,label\n" + "".join(f'"{code}","{label}"\n' for code, label in doubled)


def refuse_existing(folder: Path, names: Iterable[str]) -> None:
    """Refuse a folder that holds some of these already."""
    raise_all(
        BadFile(
            "--out",
            rule="must not hold the file already",
            value=repr(str(folder / name)),
            next_step="Choose another folder, or remove the file.",
        )
        for name in names
        if os.path.lexists(folder / name)
    )


def write_texts(folder: Path, texts: Mapping[str, str]) -> None:
    """Write texts into a folder by the names of their files; no link is followed."""
    for name, text in texts.items():
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, text.encode())
        except OSError as error:
            raise BadFile(
                "--out",
                rule=f"must be a folder that can be written ({error.strerror})",
                value=repr(str(path)),
                next_step="Choose another folder.",
            ) from None


def _as_json(out: Path, draft: Draft) -> dict[str, object]:
    """What was written: paths, names of columns and classifications, never codes."""
    standard = {one.attribute: one.fit.address for one in draft.active if one.fit is not None}
    return {
        "codebook": str(out / CODEBOOK),
        "plan": str(out / PLAN),
        "classifications": standard,
        "lists_to_confirm": [str(out / one.list_file) for one in draft.active if one.in_file],
        "lists_to_fill": [str(out / one.list_file) for one in draft.to_write],
        "not_proposed": [f"{one.table}.{one.name}" for one in draft.unproposed],
        "left_out": {f"{table}.{name}": why for table, name, why in draft.skipped},
    }


def _next_steps(out: Path, draft: Draft) -> Iterator[str]:
    """What was written, what it rests on, and what a person must do."""
    yield f"Wrote {out / CODEBOOK} and {out / PLAN}."
    fitted = [one for one in draft.active if not one.in_file]
    if fitted:
        yield "These columns got a classification. Look whether it is theirs:"
        yield from (
            f"  {quoted(one.name)}: {one.fit.address} ({few_labels(one.listed)})"
            for one in fitted
            if one.fit is not None
        )
    confirm = [one for one in draft.active if one.in_file]
    if confirm:
        yield "These code lists were read from the data, from workplace columns that are usually"
        yield "public. Somebody must confirm that their values are public:"
        yield from (f"  {out / one.list_file}{_lacking(one)}" for one in confirm)
    if draft.to_write:
        yield "No list is known for these: they are comments in the codebook. Write a list (header"
        yield "code,label; one row for each code) and uncomment the attribute, or delete it:"
        yield from (f"  {quoted(one.name)}: {out / one.list_file}" for one in draft.to_write)
    if draft.unproposed:
        count = len(draft.unproposed)
        yield f"{count} further columns could hold codes; their names are comments in the codebook."
    yield from draft.why_left_out()
    ready = "" if draft.tables else " once a list is written"
    yield "Then: decide which workplace attributes are public, choose tables and epsilon, and run"
    yield f"  leeward plan {quote(str(out / PLAN))}{ready}"


def _lacking(column: Column) -> str:
    """How a list in a file came about."""
    if column.fit is None:
        return ""
    lacks = len(column.fit.lacking)
    return f": {column.fit.listed.name}, which lacks {lacks} of the codes (another vintage?)"
