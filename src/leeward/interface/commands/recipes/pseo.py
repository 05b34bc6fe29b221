"""The Post-Secondary Employment Outcomes: pay and employment of graduates.

By institution, degree and field (CIP family) as published; by degree with employers protected.
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
from leeward.lab.economy.made_up_codes import DEGREES, SECTORS
from leeward.publishing.engines.database import Table

GRADUATES = Cohort("pseo", "graduate", "graduates", ("institution", "degree", "cip"))
EMPLOYER = {"industry": "sector"}
QUARTILES = "statistic: percentiles, of: earnings, bins: pseo"
TABLES = {
    "name: yYEAR_earnings, by: [institution, degree, cip], "
    f'where: {{years: "YEAR"}}, {QUARTILES}': Fraction(1),
    f'name: yYEAR_earnings_by_degree, by: [institution, degree], where: {{years: "YEAR"}}, '
    f"{QUARTILES}": Fraction(1, 2),
    "name: yYEAR_flows, by: [institution, degree, industry], "
    'where: {years: "YEAR", attachment: emp}': Fraction(1, 4),
    'name: yYEAR_nme, by: [institution, degree], where: {years: "YEAR", attachment: nme}': Fraction(
        1, 4
    ),
}
"""Tables of a horizon as the public product has them, each with its ε."""


def recipe(given: Given) -> Recipe:
    """Tables, plans, accounts and layouts of PSEO."""
    years = Years.read(given.years)
    return Recipe(
        tables={
            "pseo.parquet": lambda tables: _jobs(tables, years),
            **GRADUATES.jobs(years),
        },
        texts={
            PEOPLE: codebook_text(_of_people(), {"workplaces": "id: code"}),
            EMPLOYERS: codebook_text(_of_employers()),
            SIZES: SIZE_PROFILE,
            "published.yaml": GRADUATES.published(given, "codes/institution.csv", TABLES),
            **dict(GRADUATES.ours(given, "degree", len(DEGREES))),
        },
        lists=("institution", "cip"),
        columns={"cohorts": GRADUATES.columns, "workplaces": tuple(EMPLOYER.values())},
        accounts=GRADUATES.accounts(TABLES),
        releases=RELEASES,
        choice=CHOICE,
        layouts=(
            Layout("pseoe", ("published",), "pseoe"),
            Layout("pseof", ("published",), "pseof"),
            Layout("pseoe", OUR_BUNDLES, "pseoe-ours"),
        ),
    )


def _jobs(tables: Tables, years: Years) -> Table:
    """The workplace is the institution, which is public."""
    return person_jobs(tables, GRADUATES, EMPLOYER, years).rename(workplace_id="institution")


def _of_people() -> Iterator[str]:
    yield filled("institution", "workplaces", "\n    column: code")
    yield listed("degree", "jobs", DEGREES)
    yield filled("cip", "jobs")
    yield listed("industry", "jobs", {one.code: one.label for one in SECTORS})
    yield from person_attributes()


def _of_employers() -> Iterator[str]:
    yield filled("institution", "jobs")
    yield listed("degree", "jobs", DEGREES)
    yield filled("cip", "jobs")
    yield pay("dollar", "year")
