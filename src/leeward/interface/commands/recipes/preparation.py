"""Preparation: from the tables of an office to the confidential tables that plans read.

The database that holds the tables does the work, and only the rows of the result leave it, for a
file that its owner alone may read.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pyarrow as pa

from leeward.core.codebook.wage_jobs import Quarter, WageColumns, WageJobs
from leeward.core.errors import BadData, raise_all, shown
from leeward.core.show.progress import Silent
from leeward.derived.products.public_product import PreparedRows, Recipe
from leeward.interface.commands.new_files import CONFIDENTIAL
from leeward.interface.commands.recipes.recipe import Years
from leeward.interface.commands.screen import ProgressBar
from leeward.publishing.engines.database import Scratch, Table, ibis
from leeward.publishing.engines.driver_errors import frankly, hiding_errors, hiding_errors_in
from leeward.publishing.engines.opening import connect, open_database
from leeward.publishing.engines.private_file import private_folder, write_private
from leeward.publishing.engines.recoding import as_text, ordered_text, same_id
from leeward.publishing.engines.wage_records import wage_records
from leeward.publishing.engines.wages import write_jobs

USUAL: Mapping[str, tuple[str, ...]] = {
    "wages": ("worker_id", "workplace_id", "quarter", "earnings"),
    "cohorts": ("worker_id", "kind", "year"),
    "workplaces": ("workplace_id",),
}
"""The columns that every recipe for cohorts reads."""

SOURCES = "--wages, --cohorts, --workplaces or --workers"
"""What a database could not read is in one of them."""


def prepare(
    recipe: Recipe, sources: Mapping[str, str], folder: Path, bar: ProgressBar | Silent
) -> None:
    """Write the confidential tables of a recipe into a new folder: all of them or none."""
    columns = {name: (*usual, *recipe.needed.get(name, ())) for name, usual in USUAL.items()}
    with private_folder(folder, CONFIDENTIAL) as inside:
        for name, rows in recipe.prepared.items():
            bar.step(f"preparing {name}")
            if rows.rows == "jobs":
                jobs = WageJobs(Quarter.read(rows.quarter))
                write_jobs(sources["wages"], jobs, inside / name)
            else:
                years = Years.read(recipe.covered)
                _write(rows, years, sources, columns, inside / name)


def headers(sources: Mapping[str, str]) -> Mapping[str, Mapping[str, str]]:
    """The columns of the three tables that a plan reads as they are, with their types."""
    with frankly(), connect(sources, Path(), headers=tuple(sources)) as opened:
        return opened.describe()


def require_columns(recipe: Recipe, sources: Mapping[str, str]) -> None:
    """Reject tables of an office that lack a column of the recipe."""
    raise_all(_missing(headers(sources), recipe.needed))


def _write(
    rows: PreparedRows,
    years: Years,
    sources: Mapping[str, str],
    columns: Mapping[str, tuple[str, ...]],
    path: Path,
) -> None:
    with frankly(), closing(open_database(sources, Path(), tables=tuple(columns))) as database:
        known = {name: table.columns for name, table in database.tables().items()}
        raise_all(_missing(known, columns))
        read = database.tables(columns)
        kept = hiding_errors(
            lambda: Scratch(database, "recipe").keep(prepared_rows(rows, read, years)), SOURCES
        )
        in_order = kept.order_by(kept.columns)  # the same data always make the same file
        schema = pa.schema(  # whole numbers and texts, on every database alike
            (name, pa.int64() if kind.is_numeric() else pa.string())
            for name, kind in kept.schema().items()
        )
        write_private(path, hiding_errors_in(database.stream(in_order), SOURCES), schema)


def _missing(
    known: Mapping[str, Collection[str]], columns: Mapping[str, tuple[str, ...]]
) -> Iterator[BadData]:
    for name, needed in columns.items():
        for column in needed:
            if column not in known[name]:
                yield BadData(
                    f"--{name}",
                    rule=f"must have the column {shown(column)}",
                    value=f"no such column among {len(known[name])}",
                    next_step="Rename the column that holds it.",
                )


FEWEST_QUARTERS = 3
LEAST_PAY = 15_080
"""Dollars a year: 2,080 hours, 52 weeks of 40, at the federal minimum wage of 7.25 an hour."""

EMPLOYED, MARGINAL = "emp", "nme"
"""With the attachment that earnings are published for; not employed, or marginally."""

SCHOOLS, GOVERNMENTS = "61", ("1", "2", "3")
"""The NAICS sector of academia, and the ownership codes of governments."""

Tables = Mapping[str, Table]


def prepared_rows(rows: PreparedRows, tables: Tables, years: Years) -> Table:
    """The rows of a confidential table of a cohort."""
    cohort = outcomes(tables, rows.cohort, tuple(map(int, rows.years)), years)
    if rows.rows == "employed":
        cohort = cohort.filter(cohort["attachment"] == EMPLOYED)
        columns = ("worker_id", *rows.columns)
        return cohort.select(*columns, workplace_id="employer", earnings="dollars")
    prepared = {"members": member_rows, "leavers": leaver_rows}[rows.rows](rows, tables, cohort)
    if rows.workplace:
        prepared = prepared.mutate(workplace_id=ibis.literal(rows.workplace))
    if rows.workplace_column:
        prepared = prepared.rename(workplace_id=rows.workplace_column)
    return prepared


def member_rows(rows: PreparedRows, tables: Tables, cohort: Table) -> Table:
    """A row for each member and year, employed or not; who is not attached has pay 0."""
    cohort = with_employer(cohort, tables["workplaces"], *rows.employer.values())
    employed = cohort["attachment"] == EMPLOYED
    of_employer = {
        name: ibis.cases((employed, cohort[f"of_{column}"]))
        for name, column in rows.employer.items()
    }
    return cohort.select(
        "worker_id",
        *rows.columns,
        "years",
        "attachment",
        **of_employer,
        earnings=ibis.cases((employed, cohort["dollars"]), else_=0),
    )


def leaver_rows(rows: PreparedRows, tables: Tables, cohort: Table) -> Table:
    """A row for each leaver and year with pay; the workplace is the institution that was left."""
    cohort = cohort.filter(cohort["employer"].notnull())
    cohort = with_employer(cohort, tables["workplaces"], *rows.employer.values())
    school = as_text(cohort["of_sector"]) == SCHOOLS
    government = as_text(cohort["of_ownership"]).isin(GOVERNMENTS)
    known = cohort["of_sector"].notnull() & cohort["of_ownership"].notnull()
    return cohort.select(
        "worker_id",
        "title",
        "years",
        workplace_id="institution",
        sector=ibis.cases((school, "A"), (government, "G"), (known, "I")),
        earnings="dollars",
    )


def outcomes(tables: Tables, kind: str, after: tuple[int, ...], years: Years) -> Table:
    """The cohort of a kind, a row for each person, row of the cohort and year after.

    Pay of year t after is that of the four quarters of calendar year (year + t). The job of that
    year is the workplace with the largest pay in it, the first id as text among equals: one row
    for each row of the cohort and year, whether the person has pay or not.
    """
    cohort = tables["cohorts"]
    cohort = cohort.filter(cohort["kind"] == kind)
    cohort = cohort.mutate(year=cohort["year"].try_cast("int64"))
    spread = cohort.mutate(years=ibis.array(list(after)).unnest())
    spread = spread.mutate(calendar=spread["year"] + spread["years"])
    spread = spread.filter(spread["calendar"].between(years.first, years.last))
    records = wage_records(tables["wages"], WageColumns().options)
    members = cohort.select(member="worker_id").distinct()
    records = records.semi_join(members, same_id(records["worker_id"], members["member"]))
    paid = annual_pay(records)
    spread = spread.left_join(
        paid,
        [same_id(spread["worker_id"], paid["person"]), spread["calendar"] == paid["paid_in"]],
    )
    attached = (spread["quarters"] >= FEWEST_QUARTERS) & (spread["dollars"] >= LEAST_PAY)
    return spread.mutate(attachment=ibis.ifelse(attached.fill_null(False), EMPLOYED, MARGINAL))


def annual_pay(records: Table) -> Table:
    """Pay of each person and calendar year: whole dollars, quarters with pay, main workplace.

    As in `leeward jobs`, records of a person, workplace and quarter are added up, corrections
    too, and are a job if that is above 0.
    """
    quarters = records.group_by("worker_id", "workplace_id", "quarter").aggregate(
        cents=records["pay"].sum()
    )
    quarters = quarters.filter(quarters["cents"] > 0).mutate(
        paid_in=quarters["quarter"].substr(0, 4).try_cast("int64")
    )
    quarters = quarters.rename(person="worker_id")
    jobs = quarters.group_by("person", "paid_in", "workplace_id").aggregate(
        cents=quarters["cents"].sum()
    )
    order = [ibis.desc(jobs["cents"]), ibis.asc(ordered_text(jobs["workplace_id"]))]
    turn = ibis.row_number().over(group_by=[jobs["person"], jobs["paid_in"]], order_by=order)
    main = jobs.mutate(turn=turn)
    main = main.filter(main["turn"] == 0).select("person", "paid_in", employer="workplace_id")
    whole = quarters.group_by("person", "paid_in").aggregate(
        dollars=(quarters["cents"].sum() // 100).cast("int64"),
        quarters=quarters["quarter"].nunique(),
    )
    return whole.join(main, ["person", "paid_in"])


def with_employer(rows: Table, workplaces: Table, *columns: str) -> Table:
    """The same rows with attributes of the employing establishment, null without one."""
    named = workplaces.select(employing="workplace_id", **{f"of_{name}": name for name in columns})
    return rows.left_join(named, same_id(rows["employer"], named["employing"]))
