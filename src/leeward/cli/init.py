"""`leeward init`: a codebook and a plan to start from, made from table headers."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from leeward.cli.check import Encoding
from leeward.cli.recipes import start_recipe
from leeward.cli.screen import given_options, say, say_json
from leeward.economy.classifications import OWNERSHIP, SECTORS, WORKER_CODES
from leeward.engines import connect
from leeward.engines.address import seen_from
from leeward.engines.driver_errors import frankly
from leeward.errors import BadFile, InvalidParameter, raise_all
from leeward.model.resources import read_resources

CODEBOOK, PLAN = "codebook.yaml", "plan.yaml"
Headers = Mapping[str, Mapping[str, str]]

STANDARD: Mapping[str, Mapping[str, str]] = {
    **WORKER_CODES,
    "sector": {one.code: one.label for one in SECTORS},
    "ownership": OWNERSHIP,
}
"""Code lists of the LEHD public-use schema and of NAICS, by column name."""

USUALLY_PUBLIC = (
    *("place", "county", "cnty", "state", "region", "geography", "block", "tract", "municipality"),
    *("sector", "industry", "naics", "nace", "ownership", "own"),
)
DIGITS = "_0123456789"
READ = "read from the data: somebody must confirm that these values are public"
NOT_CODES = ("float", "decimal", "date", "time", "array", "struct", "map", "binary", "json")
NUMBERS = re.compile(r"!?(u?int[0-9]|float|decimal)")
"""How the types of columns begin that hold numbers."""


HEADERS_ALONE = ("--jobs", "--list-codes", "--engine", "--encoding", "--json")
OFFICE_ALONE = ("--wages", "--cohorts", "--workplaces", "--workers", "--years", "--quarter")
DEMO_ALONE = ("--demo-jobs",)
RECIPES_ALONE = (*OFFICE_ALONE[:2], *OFFICE_ALONE[4:], "--target", "--size", "--demo", *DEMO_ALONE)
"""Options for headers, for the tables of an office, for made-up ones, and for recipes."""


@dataclass(frozen=True)
class Column:
    """A column that may become an attribute."""

    table: str
    name: str
    public: bool

    @property
    def has_standard(self) -> bool:
        """Whether its name has a standard code list."""
        return self.name in STANDARD

    @property
    def list_file(self) -> str:
        """The file of its code list, relative to the codebook."""
        return f"codes/{self.name}.csv"


@dataclass(frozen=True)
class Suggestion:
    """Identifiers and attributes that the headers of three tables suggest."""

    headers: Headers

    @property
    def workplace_id(self) -> str:
        """The column that identifies workplaces."""
        return self._key("workplaces", "workplace_id")

    @property
    def worker_id(self) -> str:
        """The column that identifies workers."""
        return self._key("workers", "worker_id")

    def _key(self, table: str, usual: str) -> str:
        """The usual name; else a column that the jobs have too; else the first one."""
        columns = list(self.headers[table])
        shared = [one for one in columns if one in self.headers["jobs"]]
        return usual if usual in columns else (shared or columns)[0]

    @property
    def employer(self) -> str | None:
        """The column of employers, if there is one with the usual name."""
        return "employer_id" if "employer_id" in self.headers["workplaces"] else None

    @property
    def columns(self) -> tuple[Column, ...]:
        """Columns of workplaces and workers that can hold codes."""
        keys = {self.workplace_id, self.worker_id, self.employer}
        return tuple(
            Column(table, name, table == "workplaces" and name.rstrip(DIGITS) in USUALLY_PUBLIC)
            for table in ("workplaces", "workers")
            for name, kind in self.headers[table].items()
            if name not in keys and not any(word in kind.lower() for word in NOT_CODES)
        )

    @property
    def numeric(self) -> tuple[str, ...]:
        """Columns of jobs that hold numbers, such as pay."""
        keys = {self.workplace_id, self.worker_id}
        return tuple(
            name
            for name, kind in self.headers["jobs"].items()
            if name not in keys and NUMBERS.match(kind)
        )

    @property
    def to_fill(self) -> tuple[Column, ...]:
        """Columns whose code lists a person must write."""
        return tuple(one for one in self.columns if not one.has_standard)


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
    engine: Annotated[
        str | None, typer.Option(help="What reads the tables: duckdb or spark.")
    ] = None,
    encoding: Encoding = None,
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

    Only column names and types are read. Lists that have no standard are left for you to fill;
    --list-codes fills those of workplace columns that are usually public. Lists of workers'
    codes are never taken from the data.

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
    reading = {"engine": engine, "encoding": encoding}
    with frankly(), connect(sources, Path(), read_resources(reading, Path())) as opened:
        suggested = Suggestion(opened.describe())
        lists = {
            one.list_file: opened.codes(one.name) if list_codes and one.public else ()
            for one in suggested.to_fill
        }
    located = {name: seen_from(source, out) for name, source in sources.items()}
    located |= {name: told for name, told in reading.items() if told is not None}
    read = [file for file, codes in lists.items() if codes]
    texts = {
        CODEBOOK: "\n".join(codebook_lines(suggested, read)) + "\n",
        PLAN: "\n".join(plan_lines(suggested, located)) + "\n",
        **{file: list_text({code: code for code in codes}) for file, codes in lists.items()},
    }
    refuse_existing(out, texts)
    write_texts(out, texts)
    empty = [file for file in lists if file not in read]
    if as_json:
        say_json(_as_json(out, read, empty))
        return
    for line in _next_steps(out, read, empty):
        say(line)


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
    quoted = ([one.replace('"', '""') for one in row] for row in codes.items())
    return "code,label\n" + "".join(f'"{code}","{label}"\n' for code, label in quoted)


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
        if (folder / name).exists()
    )


def write_texts(folder: Path, texts: Mapping[str, str]) -> None:
    """Write texts into a folder by the names of their files."""
    for name, text in texts.items():
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise BadFile(
                "--out",
                rule=f"must be a folder that can be written ({error.strerror})",
                value=repr(str(path)),
                next_step="Choose another folder.",
            ) from None


def _as_json(out: Path, read: list[str], empty: list[str]) -> dict[str, object]:
    """The files that were written: paths, never codes."""
    return {
        "codebook": str(out / CODEBOOK),
        "plan": str(out / PLAN),
        "lists_to_confirm": [str(out / file) for file in read],
        "lists_to_fill": [str(out / file) for file in empty],
    }


def _next_steps(out: Path, read: list[str], empty: list[str]) -> Iterator[str]:
    yield f"Wrote {out / CODEBOOK} and {out / PLAN}."
    if read:
        yield "These code lists were read from the data, from workplace columns that are usually"
        yield "public. Somebody must confirm that their values are public:"
        yield from (f"  {out / file}" for file in read)
    if empty:
        yield "Fill these code lists (header code,label; one row for each code), or delete their"
        yield "attributes:"
        yield from (f"  {out / file}" for file in empty)
    yield "Then: decide which workplace attributes are public, choose tables and epsilon, and run"
    yield f"  leeward plan {quote(str(out / PLAN))}"


def codebook_lines(suggested: Suggestion, listed: Collection[str] = ()) -> Iterator[str]:
    """The codebook, with a comment wherever a decision is needed.

    `listed` are the files of lists that were read from the data.
    """
    yield "# What the columns mean. Every code that may be tabulated stands in a closed list."
    yield "tables:"
    employer = "" if suggested.employer is None else f", employer: {suggested.employer}"
    yield f"  workplaces: {{id: {suggested.workplace_id}{employer}}}"
    yield f"  workers: {{id: {suggested.worker_id}}}"
    yield f"  jobs: {{worker: {suggested.worker_id}, workplace: {suggested.workplace_id}}}"
    yield "attributes:"
    for one in suggested.columns:
        yield f"  {one.name}:"
        yield f"    table: {one.table}"
        if one.table == "workplaces":
            yield f"    public: {str(one.public).lower()}  # true only if everyone may know it"
        yield from _codes(one, listed)
    for name in suggested.numeric:
        yield from (f"  # {line}" for line in _numeric(name))


def _numeric(name: str) -> Iterator[str]:
    """A numeric column of jobs, to be declared by a person: its cap is a decision."""
    yield f"{name}:  # a column of numbers: correct all of this and uncomment it, or delete it"
    yield "  table: jobs"
    yield "  type: integer"
    yield "  unit: cent  # what a number counts"
    yield "  period: month  # the time that a number is for"
    yield "  cap: 1500000  # public: decided before the data are seen, never computed from them"
    yield "  cap_from: who decided the cap, and by what  # for tables of pay"
    yield "  classes: {low: 300000, high: 1500000}  # the last bound is the cap"


def _codes(column: Column, listed: Collection[str]) -> Iterator[str]:
    if not column.has_standard:
        read = column.list_file in listed
        decide = READ if read else "fill the list (header code,label), or delete the attribute"
        yield f"    codes: {column.list_file}  # {decide}"
        return
    yield "    codes:"
    for code, label in STANDARD[column.name].items():
        yield f'      "{code}": "{label}"'


def plan_lines(suggested: Suggestion, sources: Mapping[str, str]) -> Iterator[str]:
    """The plan, with tables that the headers suggest."""
    public = [one.name for one in suggested.columns if one.public][:3]
    workers = [one.name for one in suggested.columns if one.table == "workers"][:2]
    yield "data:"
    yield from (f'  {name}: "{source}"' for name, source in sources.items())
    yield "codebook: codebook.yaml"
    yield "account: my-account  # opened once with `leeward ledger create`"
    yield "period: 2026Q1"
    yield "protect: {policy: strong, alpha: 0.1, epsilon: 4}"
    yield "tables:"
    share = "1/2" if workers else "1"
    yield f"  - {{name: by_workplace, by: [{', '.join(public)}], share: {share}}}"
    if workers:
        yield f"  - {{name: by_worker, by: [{', '.join([*public[:1], *workers])}], share: 1/2}}"
