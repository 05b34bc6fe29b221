"""The Veteran Employment Outcomes: pay and employment of people who left the armed forces.

Nine of the thirteen files: those of a group for which cohorts, workers or workplaces have a column,
but for occupation by state and by sector, which have too few people in a cell.
"""

from collections.abc import Iterator
from fractions import Fraction

from leeward.interface.commands.recipes.documents import codebook_text, filled, listed, pay
from leeward.interface.commands.recipes.horizons import (
    CHOICE,
    EMPLOYERS,
    OUR_BUNDLES,
    PEOPLE,
    RELEASES,
    SIZE_PROFILE,
    SIZES,
    Cohort,
    person_attributes,
    person_jobs,
)
from leeward.interface.commands.recipes.recipe import Given, Layout, Recipe, Tables, Years
from leeward.lab.economy.made_up_codes import AFQT, PAY_GRADES, SECTORS, WORKER_CODES
from leeward.publishing.engines.database import Table, ibis

VETERANS = Cohort("veo", "veteran", "veterans", ("occupation", "pay_grade", "afqt"))
EMPLOYER = {"industry": "sector", "place": "place"}
FRAME, ALL = "veterans.csv", "veterans"
"""Veterans as one workplace: this protection knows no employers."""

GROUPS = {
    "veoa": "age",
    "veoe": "education",
    "veogs": "place",
    "veons": "industry",
    "veoo2p": "occupation, pay_grade",
    "veop": "pay_grade",
    "veorh": "race, ethnicity",
    "veos": "sex",
    "veot": "afqt",
}
"""The attributes of the tables of each file."""

BY_WORK = ("veogs", "veons")
"""Files by the place or industry of work: who has no work has neither."""

GROUPS_OF_WORKERS = ("age", "sex", "race", "ethnicity", "education")
PAID, NOT_PAID = Fraction(1, 2), Fraction(1, 6)
"""ε of a table of pay, which counts the employed too, and of one of those without work."""


def _tables() -> Iterator[tuple[str, Fraction]]:
    """Tables of one horizon, each with its ε."""
    for file, group in GROUPS.items():
        cells = f'by: [{group}], where: {{years: "YEAR"'
        quartiles = "statistic: percentiles, of: earnings, bins: pseo"
        yield f"name: yYEAR_earnings_{file}, {cells}}}, {quartiles}", PAID
        if file not in BY_WORK:
            yield f"name: yYEAR_nonemp_{file}, {cells}, attachment: nme}}", NOT_PAID


TABLES = dict(_tables())


def recipe(given: Given) -> Recipe:
    """Tables, plans, accounts and layouts of VEO."""
    years = Years.read(given.years)
    return Recipe(
        tables={
            "veo.parquet": lambda tables: _jobs(tables, years),
            **VETERANS.jobs(years),
        },
        texts={
            PEOPLE: codebook_text(_of_people()),
            EMPLOYERS: codebook_text(_of_employers()),
            SIZES: SIZE_PROFILE,
            FRAME: f"workplace_id\n{ALL}\n",
            "published.yaml": VETERANS.published(given, FRAME, TABLES),
            **dict(VETERANS.ours(given, "pay_grade", len(PAY_GRADES))),
        },
        lists=("occupation", "place"),
        columns={"cohorts": VETERANS.columns, "workplaces": tuple(EMPLOYER.values())},
        accounts=VETERANS.accounts(TABLES),
        releases=RELEASES,
        choice=CHOICE,
        layouts=(
            Layout("veo", ("published",), "veo"),
            Layout("veo", OUR_BUNDLES, "veo-ours"),
        ),
    )


def _jobs(tables: Tables, years: Years) -> Table:
    return person_jobs(tables, VETERANS, EMPLOYER, years).mutate(workplace_id=ibis.literal(ALL))


def _of_people() -> Iterator[str]:
    yield filled("occupation", "jobs")
    yield listed("pay_grade", "jobs", PAY_GRADES)
    yield listed("afqt", "jobs", AFQT)
    yield filled("place", "jobs")
    yield listed("industry", "jobs", {one.code: one.label for one in SECTORS})
    yield from (listed(name, "workers", WORKER_CODES[name]) for name in GROUPS_OF_WORKERS)
    yield from person_attributes()


def _of_employers() -> Iterator[str]:
    yield listed("pay_grade", "jobs", PAY_GRADES)
    yield pay("dollar", "year")
