"""`leeward init`: a codebook and a plan to start from, made from table headers."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from leeward.core.codebook.classifications import Library
from leeward.core.codebook.resources import Resources, read_resources
from leeward.core.errors import InvalidParameter, raise_all
from leeward.interface.commands.check import Encoding, Quotes
from leeward.interface.commands.draft import Codes, Draft
from leeward.interface.commands.draft_answer import CODEBOOK, PLAN, DraftAnswer
from leeward.interface.commands.draft_documents import Chosen, codebook_lines, plan_lines
from leeward.interface.commands.employees import FILES, LIST, Employees, require_file
from leeward.interface.commands.keys import Headers
from leeward.interface.commands.new_files import (
    CONFIDENTIAL,
    list_text,
    refuse_existing,
    write_texts,
)
from leeward.interface.commands.recipes import start_recipe
from leeward.interface.commands.screen import given_options, say, say_json
from leeward.publishing.engines import connect
from leeward.publishing.engines.address import seen_from
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
    account: Annotated[
        str | None, typer.Option(help="The account that pays, as the plan names it.")
    ] = None,
    period: Annotated[
        str | None, typer.Option(help="What the jobs are of, such as 2026Q2.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="What was written as JSON.")] = False,
    recipe: Annotated[
        str | None, typer.Option(help="Plans of a product: lodes, umetrics, pseo, veo or qwi.")
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

    With --workers only, each row of one table is a worker with one job; its rows are numbered in a
    private file.

    With --recipe the plans are those of a public product, and its confidential tables are
    prepared from wage records and cohorts; --demo does everything on made-up data.

    Example: leeward init --workplaces w.parquet --workers p.parquet --jobs j.parquet
    """
    tables = {"workplaces": workplaces, "workers": workers, "jobs": jobs}
    if recipe is not None:
        told = {"years": years, "quarter": tuple(quarter or ()) or None, "target": target,
                "size": size, "period": period}  # fmt: skip
        _refuse_beside(context, "with --recipe", HEADERS_ALONE)
        way, useless = ("with", OFFICE_ALONE) if demo else ("without", DEMO_ALONE)
        _refuse_beside(context, f"{way} --demo", useless)
        office = {"wages": wages, "cohorts": cohorts, **tables}
        start_recipe(recipe, out, office, told, demo_jobs if demo else None)
        return
    _refuse_beside(context, "without --recipe", RECIPES_ALONE)
    reading = {"engine": engine, "encoding": encoding, "quotes": quotes}
    given = GivenTables(tables, reading, classifications, list_codes)
    answer = given.write_draft(out, Chosen(account, period))
    if as_json:
        say_json(answer.json)
        return
    for line in answer.lines():
        say(line)


@dataclass(frozen=True)
class GivenTables:
    """The tables whose headers suggest a draft, and how they are read."""

    named: Mapping[str, str | None]
    reading: Mapping[str, str | None]
    classifications: Path | None = None
    list_codes: bool = False

    def __post_init__(self) -> None:
        needed = ("workers",) if self.named["jobs"] is None else (*self.named,)
        raise_all(_not_given(name) for name in needed if self.named[name] is None)
        if self.named["jobs"] is None:
            require_file(self.named["workers"] or "")
        if self.list_codes and self.named["workplaces"] is None:
            raise _not_given("workplaces")

    @property
    def sources(self) -> dict[str, str]:
        """The tables that are given: three, or that of employees and perhaps the public list."""
        return {name: one for name, one in self.named.items() if one is not None}

    @property
    def _resources(self) -> Resources:
        return read_resources(self.reading, Path())

    @property
    def _reading_codes(self) -> bool:
        asked = self.list_codes or self.classifications is not None
        return asked and self.named["workplaces"] is not None

    def write_draft(self, out: Path, chosen: Chosen) -> DraftAnswer:
        """Write codebook, plan and code lists into a folder, and say what they are."""
        given = self.sources
        headers = {*given} - ({"workplaces"} if self._reading_codes else set())
        with (
            frankly(),
            connect(given, Path(), self._resources, tables=(*given,), headers=headers) as opened,
        ):
            employees = self._employees(opened.describe())
            described = opened.describe() if employees is None else employees.headers
            draft = self._draft(described, opened.codes if self._reading_codes else None)
            texts = self._texts(draft, out, chosen, employees)
        refuse_existing(out, texts if employees is None else (*texts, CONFIDENTIAL))
        if employees is not None:
            employees.number_rows(out, self._resources)
        write_texts(out, texts)
        return DraftAnswer(out, draft, chosen, employees)

    def _employees(self, described: Headers) -> Employees | None:
        if self.named["jobs"] is not None:
            return None
        listed = None if self.named["workplaces"] is None else described["workplaces"]
        return Employees(self.sources["workers"], described["workers"], listed)

    def _draft(self, described: Headers, codes: Codes | None) -> Draft:
        library = Library(self.classifications, "--classifications")
        return Draft(described, library, codes, listing=self.list_codes)

    def _texts(
        self, draft: Draft, out: Path, chosen: Chosen, employees: Employees | None
    ) -> dict[str, str]:
        """Codebook, plan and code lists by the names of their files."""
        located = {name: seen_from(source, out) for name, source in self.sources.items()}
        if employees is not None:
            located = {"workplaces": LIST, **located, **FILES}
        located |= {name: one for name, one in self.reading.items() if one is not None}
        folder = self.classifications
        opening = () if employees is None else employees.opening
        official = None if folder is None else seen_from(str(folder), out)
        return {
            CODEBOOK: "\n".join(codebook_lines(draft, official)) + "\n",
            PLAN: "\n".join(plan_lines(draft, located, chosen, opening)) + "\n",
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
    """Reject options that would mean nothing."""
    for option in sorted(given_options(context) & {*useless}):
        raise InvalidParameter(
            option, rule=f"has no meaning {way}", value="given", next_step="Leave it out."
        )
