"""`leeward init`: a codebook and a plan to start from, made from table headers."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from leeward.core.codebook.classifications import Library
from leeward.core.codebook.resources import read_resources
from leeward.core.errors import InvalidParameter, raise_all
from leeward.interface.commands.draft import FirstDraft
from leeward.interface.commands.draft_documents import (
    CODEBOOK,
    PLAN,
    DraftAnswer,
    Stated,
    codebook_lines,
    plan_lines,
)
from leeward.interface.commands.employees import FILES, LIST, Employees, require_file
from leeward.interface.commands.new_files import (
    CONFIDENTIAL,
    list_text,
    refuse_existing,
    write_texts,
)
from leeward.interface.commands.options import Encoding, Quotes
from leeward.interface.commands.recipes import start_recipe
from leeward.interface.commands.screen import given_options, show
from leeward.publishing.engines import connect
from leeward.publishing.engines.address_reading import seen_from
from leeward.publishing.engines.driver_errors import frankly

HEADERS_ALONE = (
    *("--list-codes", "--classifications", "--engine", "--encoding", "--quotes"),
    *("--account", "--json"),
)
OFFICE_ALONE = (
    *("--wages", "--cohorts", "--years", "--quarter"),
    *("--workplaces", "--workers", "--jobs", "--period"),
)
DEMO_ALONE = ("--demo-jobs",)
RECIPES_ALONE = (*OFFICE_ALONE[:4], "--target", "--size", "--demo", *DEMO_ALONE)
"""Options for headers, for the tables of an office, for made-up ones, and for recipes."""

Workplaces = Annotated[str | None, typer.Option(help="The table of workplaces.")]
Workers = Annotated[str | None, typer.Option(help="The table of workers.")]
Jobs = Annotated[str | None, typer.Option(help="The table of jobs.")]
Out = Annotated[Path, typer.Option("--out", help="Folder for codebook and plan.")]
ListCodes = Annotated[
    bool,
    typer.Option("--list-codes", help="Fill code lists of public workplace columns from data."),
]
Classifications = Annotated[
    Path | None, typer.Option(help="Folder of official files; public workplace codes are compared.")
]
Engine = Annotated[str | None, typer.Option(help="What reads the tables: duckdb or spark.")]
Account = Annotated[str | None, typer.Option(help="The account that pays, as the plan names it.")]
Period = Annotated[str | None, typer.Option(help="What the jobs are of, such as 2026Q2.")]
AsJson = Annotated[bool, typer.Option("--json", help="What was written as JSON.")]
Recipe = Annotated[
    str | None, typer.Option(help="Plans of a product: lodes, umetrics, pseo, veo or qwi.")
]
Wages = Annotated[str | None, typer.Option(help="With --recipe: the wage records.")]
Cohorts = Annotated[
    str | None, typer.Option(help="With umetrics, pseo and veo: who graduated or left when.")
]
Years = Annotated[
    str | None, typer.Option(help="With --cohorts: years of whole wage records, 2016-2026.")
]
Quarter = Annotated[
    list[str] | None,
    typer.Option(metavar="<str>", help="With qwi: a quarter, 2026Q2; may be repeated."),
]
Target = Annotated[
    str | None, typer.Option(help="With umetrics: the error to reach, 'APD 10 % in 90 %'.")
]
Size = Annotated[
    int | None, typer.Option(help="With umetrics: the planned number of people in a cell.")
]
Demo = Annotated[
    bool, typer.Option("--demo", help="With --recipe: make up the data, release and verify.")
]
DemoJobs = Annotated[int, typer.Option(help="With --demo: number of jobs.")]


def init_command(  # noqa: PLR0913 (a parameter for each option)
    context: typer.Context,
    workplaces: Workplaces = None,
    workers: Workers = None,
    jobs: Jobs = None,
    out: Out = Path(),
    *,
    list_codes: ListCodes = False,
    classifications: Classifications = None,
    engine: Engine = None,
    encoding: Encoding = None,
    quotes: Quotes = None,
    account: Account = None,
    period: Period = None,
    as_json: AsJson = False,
    recipe: Recipe = None,
    wages: Wages = None,
    cohorts: Cohorts = None,
    years: Years = None,
    quarter: Quarter = None,
    target: Target = None,
    size: Size = None,
    demo: Demo = False,
    demo_jobs: DemoJobs = 100_000,
) -> None:
    """Write a codebook and a plan from the headers of three tables.

    Only column names and types are read. With --classifications or --list-codes the codes of
    workplace columns that are usually public are read too: to find the list and vintage that they
    are of, or to fill lists that have no standard. Codes of workers are never read.

    With --workers only, each row of one table is a worker with one job; its rows are numbered in a
    private file.

    With --recipe the plans are those of a public product, and its confidential tables are
    prepared from wage records and cohorts; --demo does everything on made-up data.

    Example: leeward init --workplaces w.parquet --workers p.parquet --jobs j.parquet
    """
    _refuse_useless(context, recipe, demo=demo)
    tables = {"workplaces": workplaces, "workers": workers, "jobs": jobs}
    if recipe is not None:
        stated = {"years": years, "quarter": tuple(quarter or ()) or None, "target": target,
                  "size": size, "period": period}  # fmt: skip
        office = {"wages": wages, "cohorts": cohorts, **tables}
        start_recipe(recipe, out, office, stated, demo_jobs if demo else None)
        return
    reading = {"engine": engine, "encoding": encoding, "quotes": quotes}
    headed = HeadedTables(tables, reading, classifications, list_codes)
    answer = headed.write_draft(out, Stated(account, period))
    show(answer.lines(), answer.as_json, as_json=as_json)


@dataclass(frozen=True)
class HeadedTables:
    """The tables whose headers suggest a draft, and how they are read."""

    named: Mapping[str, str | None]
    reading: Mapping[str, str | None]
    classifications: Path | None = None
    list_codes: bool = False

    def __post_init__(self) -> None:
        needed = ("workers",) if self.named["jobs"] is None else (*self.named,)
        given = "Name a file, or a table of a database; or take a --recipe."
        missing = {name: InvalidParameter.missing(f"--{name}", next_step=given)
                   for name, source in self.named.items() if source is None}  # fmt: skip
        raise_all(missing[name] for name in needed if name in missing)
        if self.named["jobs"] is None:
            require_file(self.named["workers"] or "")
        if self.list_codes and "workplaces" in missing:
            raise missing["workplaces"]

    @property
    def sources(self) -> dict[str, str]:
        """The tables that are given: three, or that of employees and perhaps the public list."""
        return {name: source for name, source in self.named.items() if source is not None}

    @property
    def _reading_codes(self) -> bool:
        wanted = self.list_codes or self.classifications is not None
        return wanted and self.named["workplaces"] is not None

    def write_draft(self, out: Path, chosen: Stated) -> DraftAnswer:
        """Write codebook, plan and code lists into a folder, and say what they are."""
        given, resources = self.sources, read_resources(self.reading, Path())
        headers = {*given} - ({"workplaces"} if self._reading_codes else set())
        with (
            frankly(),
            connect(given, Path(), resources, tables=(*given,), headers=headers) as opened,
        ):
            described, employees = opened.describe(), None
            if self.named["jobs"] is None:
                listed = described.get("workplaces")
                employees = Employees(given["workers"], described["workers"], listed)
                described = employees.headers
            library = Library(self.classifications, "--classifications")
            codes = opened.codes if self._reading_codes else None
            draft = FirstDraft(described, library, codes, listing=self.list_codes)
            located = {name: seen_from(source, out) for name, source in given.items()}
            if employees is not None:
                located = {"workplaces": LIST, **located, **FILES}
            located |= {name: value for name, value in self.reading.items() if value is not None}
            folder = self.classifications
            opening = () if employees is None else employees.opening
            official = None if folder is None else seen_from(str(folder), out)
            texts = {
                CODEBOOK: "\n".join(codebook_lines(draft, official)) + "\n",
                PLAN: "\n".join(plan_lines(draft, located, chosen, opening)) + "\n",
                **{each.list_file: list_text(each.listed) for each in draft.active if each.in_file},
            }
        refuse_existing(out, texts if employees is None else (*texts, CONFIDENTIAL))
        if employees is not None:
            employees.number_rows(out, resources)
        write_texts(out, texts)
        return DraftAnswer(out, draft, chosen, employees)


def _refuse_useless(context: typer.Context, recipe: str | None, *, demo: bool) -> None:
    """Reject options that would mean nothing beside --recipe and --demo, or without them."""
    useless: dict[str, tuple[str, ...]] = {"without --recipe": RECIPES_ALONE}
    if recipe is not None:
        way, others = ("with", OFFICE_ALONE) if demo else ("without", DEMO_ALONE)
        useless = {"with --recipe": HEADERS_ALONE, f"{way} --demo": others}
    for way, options in useless.items():
        for option in sorted(given_options(context) & {*options}):
            raise InvalidParameter.meaningless(option, way, value="given")
