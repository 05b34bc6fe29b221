"""The UMETRICS employee reports: employment and mean earnings of people who left an institution.

By title, sector of the employer and years since leaving, for each institution. A person has one
row for each year, so all cells of a year cost one ε together, and a person pays for every year:
ε = Σ_t (ε_emp,t + ε_earn,t). `joint.yaml` draws count and pay of a cell together, for one ε_t.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from leeward.core.errors import InvalidParameter
from leeward.core.exact import alpha_text
from leeward.core.mechanisms.apd import ApdTarget
from leeward.interface.commands.recipes.documents import (
    codebook_text,
    filled,
    listed,
    pay,
    plan_text,
)
from leeward.interface.commands.recipes.outcomes import outcomes, with_employer
from leeward.interface.commands.recipes.recipe import (
    CONFIDENTIAL,
    Account,
    Given,
    Layout,
    Recipe,
    Release,
    Tables,
    Years,
)
from leeward.lab.economy.made_up_codes import TITLES
from leeward.publishing.engines.database import Table, ibis
from leeward.publishing.engines.recoding import as_text

SECTORS = {"A": "Academia", "G": "Government", "I": "Industry"}
SCHOOLS, GOVERNMENTS = "61", ("1", "2", "3")
"""The NAICS sector of academia, and the ownership codes of governments."""

AFTER = tuple(range(1, 11))
EMPLOYER = ("sector", "ownership")
JOBS = "umetrics.parquet"
CAP_IN_MEANS = 3
"""The planned cap in mean pays, for a target."""

SIZE = 30
"""The planned number of people in a cell, where none is given."""

CELLS = len(TITLES) * len(SECTORS)
SIZES = "sizes.csv"

DIGITS = 1000
"""A computed ε is rounded up to a thousandth."""

SEPARATE = """\
People who left an institution, in each of the ten years after.
Neighbours differ in one person with the entire history; employers are not protected.
A person has one row for each year, so a table of a year costs its share once, whatever its number
of cells. The charge is the sum over the years of epsilon_emp + epsilon_earn = {emp} + {earn}."""

TOGETHER = """\
The same cells, but count and pay of a cell are drawn together for one epsilon of {each} a year:
the column count of a table of means is the employment. Release this plan or plan.yaml, not both."""

AIMED = """\
The epsilons follow from the target {target!r} in cells of {size} people: of counts exactly, of
means to first order. Means of cells of 10 people reach about 86 % where the target says 90 %, those
of 30 people about 90 % (`python -m benchmarks.earnings targets`)."""


@dataclass(frozen=True)
class Budget:
    """ε of a year's counts, of its means, and of both where they are drawn together."""

    counts: Fraction = Fraction(1, 10)
    means: Fraction = Fraction(3, 10)
    together: Fraction = Fraction(4, 10)

    @classmethod
    def read(cls, given: Given) -> "Budget":
        """The usual one, or about the least that reaches a target in cells of a planned size."""
        if given.target is None:
            return cls()
        target = ApdTarget.read(given.target)
        if given.size is None:
            raise InvalidParameter(
                "--size",
                rule="must be given beside --target: the number of people in a cell that should "
                "reach it, from figures that are published already",
                value="nothing",
                next_step="Write --size 30, never a count of these data.",
            )
        both = _rounded(target.mean_and_count(given.size, CAP_IN_MEANS))
        return cls(_rounded(target.count(given.size)), both, both)


def _rounded(epsilon: Fraction) -> Fraction:
    """Up to a thousandth."""
    return Fraction(-(-epsilon.numerator * DIGITS // epsilon.denominator), DIGITS)


def recipe(given: Given) -> Recipe:
    """Tables, plans and account of the reports."""
    years, budget = Years.read(given.years), Budget.read(given)
    separate = len(AFTER) * (budget.counts + budget.means)
    together = len(AFTER) * budget.together
    return Recipe(
        tables={JOBS: lambda tables: _jobs(tables, years)},
        texts={
            "codebook.yaml": codebook_text(_attributes(), {"workplaces": "id: code"}),
            "plan.yaml": _plan(
                given,
                SEPARATE.format(emp=alpha_text(budget.counts), earn=alpha_text(budget.means)),
                separate,
                _separate(budget),
            ),
            SIZES: f"largest,cells,establishments\n{(given.size or SIZE) * CELLS},1,1\n",
            "joint.yaml": _plan(
                given,
                TOGETHER.format(each=alpha_text(budget.together)),
                together,
                _together(),
            ),
        },
        lists=("institution",),
        columns={"cohorts": ("institution", "title"), "workplaces": EMPLOYER},
        accounts=(Account("umetrics", "person", alpha_text(separate)),),
        releases=(Release("plan.yaml", "bundle"),),
        layouts=(Layout("umetrics", ("bundle",), "reports"),),
        choice="plan.yaml and joint.yaml publish the same numbers: release one of them.",
        compared=("plan.yaml", "joint.yaml"),
    )


def _plan(given: Given, comment: str, epsilon: Fraction, tables: Iterator[str]) -> str:
    head = {
        "workplaces": "codes/institution.csv",
        "workers": given.workers,
        "jobs": f"{CONFIDENTIAL}/{JOBS}",
        "codebook": "codebook.yaml",
        "account": "umetrics",
        "period": str(Years.read(given.years).last),
    }
    if given.target is not None:
        comment += f"\n{AIMED.format(target=given.target, size=given.size)}"
    protect = f"{{policy: person, epsilon: {alpha_text(epsilon)}}}"
    more = f"jobs: {{max_per_worker: 1, per: years}}\nsizes: {SIZES}  # planned: {CELLS} cells of "
    more += f"{given.size or SIZE} people an institution, never counted"
    return plan_text(comment, head, protect, tables, more)


def _attributes() -> Iterator[str]:
    yield filled("institution", "workplaces", "\n    column: code")
    yield listed("title", "jobs", TITLES)
    yield listed("sector", "jobs", SECTORS)
    yield listed("years", "jobs", {str(one): f"Year {one} after leaving" for one in AFTER})
    yield pay("dollar", "year")


def _separate(budget: Budget) -> Iterator[str]:
    """A table of counts and one of means for each year."""
    whole = len(AFTER) * (budget.counts + budget.means)
    for one in AFTER:
        yield f"name: y{one}_emp, {_cells(one)}, share: {budget.counts / whole}"
        yield f"name: y{one}_earnings, {_cells(one)}, {MEAN}, share: {budget.means / whole}"


def _together() -> Iterator[str]:
    """A table of means for each year, with the count beside them."""
    for one in AFTER:
        yield f"name: y{one}_earnings, {_cells(one)}, {MEAN}, share: 1/{len(AFTER)}"


MEAN = "statistic: mean, of: earnings"


def _cells(year: int) -> str:
    return f'by: [institution, title, sector], where: {{years: "{year}"}}'


def _jobs(tables: Tables, years: Years) -> Table:
    """A row for each leaver and year with pay; the workplace is the institution that was left."""
    found = outcomes(tables, "leaver", AFTER, years)
    found = found.filter(found["employer"].notnull())
    found = with_employer(found, tables["workplaces"], *EMPLOYER)
    school = as_text(found["of_sector"]) == SCHOOLS
    government = as_text(found["of_ownership"]).isin(GOVERNMENTS)
    known = found["of_sector"].notnull() & found["of_ownership"].notnull()
    return found.select(
        "worker_id",
        "title",
        "years",
        workplace_id="institution",
        sector=ibis.cases((school, "A"), (government, "G"), (known, "I")),
        earnings="dollars",
    )
