"""Horizons: pay and employment one, five and ten years after, as PSEO and VEO publish them.

Two protections stand side by side. That of the public products hides a person, by two-sided
geometric noise in PSEO's 21 classes of pay, and no employer. Ours hides employers too: each horizon
then has a table of jobs of its own, so that the size of an establishment is the number of members
of the cohort whom it employs at that horizon.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from leeward.core.exact import alpha_text
from leeward.interface.commands.recipes.documents import listed, pay, plan_text
from leeward.interface.commands.recipes.outcomes import (
    EMPLOYED,
    LEAST_PAY,
    MARGINAL,
    outcomes,
    with_employer,
)
from leeward.interface.commands.recipes.recipe import (
    CONFIDENTIAL,
    Account,
    Given,
    Prepared,
    Release,
    Tables,
    Years,
)
from leeward.publishing.engines.database import Table, ibis
from leeward.publishing.plan.bins import pseo_edges

AFTER = (1, 5, 10)
ATTACHMENT = {
    EMPLOYED: "Paid in three quarters, and a year's pay of full work at the minimum wage",
    MARGINAL: "Not employed, or marginally",
}
CLASSES = 10
EDGES = ", ".join(map(str, pseo_edges()[::2]))
"""Eleven of PSEO's edges: ten classes."""

SIZES = "sizes.csv"
SIZE_PROFILE = "largest,cells,establishments\n100,1,2000\n"
"""Planned: the largest establishment employs 100 of a cohort, and 2,000 employ somebody of it."""

ALPHA, EPSILON = "0.1", 4
PEOPLE, EMPLOYERS = "codebook.yaml", "employers.yaml"
"""The codebooks of the two protections."""

PUBLISHED = f"""\
As the public product is protected: two-sided geometric noise in 21 public classes of pay.
Neighbours differ in one person with the entire history; employers are not protected.
Who has pay in fewer than three quarters, or less than {LEAST_PAY:,} dollars in the year (full work
at the federal minimum wage), is not employed or marginally, and in no percentile."""

OURS = """\
With employers protected, by the number of {whom} whom an establishment employs {after}
after; `leeward plan` prints the promise. Noise follows the largest of them, and grows with the
number d of combinations: vector_pareto needs epsilon > d ln(1 + alpha), and clipped adds its
noise to each of d cells, in which there are fewer jobs the more of them there are. So there are
ten classes in place of 21 and one attribute, {group}: d = {cells}. `leeward plan` predicts what
more of them would cost. {sizes} has planning sizes: put public figures in their place."""


@dataclass(frozen=True)
class Cohort:
    """A kind of people that a product follows."""

    product: str
    kind: str
    """The kind of its rows in the table of cohorts."""
    whom: str
    columns: tuple[str, ...]
    """Columns of cohorts that are attributes of jobs."""

    def jobs(self, years: Years) -> dict[str, Prepared]:
        """The confidential tables of our protection: one for each horizon."""
        return {
            f"{self.product}-y{after}.parquet": partial(
                employer_jobs, cohort=self, after=after, years=years
            )
            for after in AFTER
        }

    def published(self, given: Given, frame: str, tables: Mapping[str, Fraction]) -> str:
        """The plan of the public product: tables of one horizon, each with its ε."""
        whole = len(AFTER) * sum(tables.values())
        head = {
            "workplaces": frame,
            "workers": given.workers,
            "jobs": f"{CONFIDENTIAL}/{self.product}.parquet",
            "codebook": PEOPLE,
            "account": self.product,
            "period": str(Years.read(given.years).last),
        }
        protect = f"{{policy: person, epsilon: {alpha_text(Fraction(whole))}}}"
        each = (
            f"{one.replace('YEAR', str(after))}, share: {epsilon / whole}"
            for after in AFTER
            for one, epsilon in tables.items()
        )
        return plan_text(PUBLISHED, head, protect, each, "jobs: {max_per_worker: 1, per: years}")

    def ours(self, given: Given, group: str, codes: int) -> Iterator[tuple[str, str]]:
        """The plans of our protection: one for each horizon."""
        protect = f"{{policy: strong, alpha: {ALPHA}, epsilon: {EPSILON}}}"
        for after in AFTER:
            head = {
                "workplaces": given.workplaces,
                "workers": given.workers,
                "jobs": f"{CONFIDENTIAL}/{self.product}-y{after}.parquet",
                "codebook": EMPLOYERS,
                "account": f"{self.product}-ours",
                "period": f"{Years.read(given.years).last}-y{after}",
            }
            table = (
                f"name: y{after}_earnings, by: [{group}], statistic: percentiles, of: earnings,\n"
                f"     bins: [{EDGES}]"
            )
            comment = OURS.format(
                whom=self.whom,
                after="one year" if after == 1 else f"{after} years",
                group=group,
                cells=CLASSES * codes,
                sizes=SIZES,
            )
            more = f"jobs: {{max_per_worker: 1}}\nsizes: {SIZES}"
            yield f"ours-y{after}.yaml", plan_text(comment, head, protect, [table], more)

    def accounts(self, tables: Mapping[str, Fraction]) -> tuple[Account, Account]:
        """Those of both protections."""
        whole = alpha_text(Fraction(len(AFTER) * sum(tables.values())))
        ours = str(EPSILON * len(AFTER))
        return (
            Account(self.product, "person", whole),
            Account(f"{self.product}-ours", "strong", ours, ALPHA),
        )


CHOICE = "published.yaml and ours-*.yaml are about the same people: who releases both pays twice."
RELEASES = (
    Release("published.yaml", "published"),
    *(Release(f"ours-y{after}.yaml", f"ours-y{after}") for after in AFTER),
)
OUR_BUNDLES = tuple(f"ours-y{after}" for after in AFTER)


def person_attributes() -> Iterable[str]:
    """What the codebook of the public product says of horizon, attachment and employer."""
    yield listed("years", "jobs", {str(one): f"Year {one} after" for one in AFTER})
    yield listed("attachment", "jobs", ATTACHMENT)
    yield pay("dollar", "year")


def person_jobs(tables: Tables, cohort: Cohort, employer: Mapping[str, str], years: Years) -> Table:
    """A row for each member and horizon, employed or not; who is not attached has pay 0.

    `employer` are attributes with the columns of workplaces that they come from.
    """
    found = outcomes(tables, cohort.kind, AFTER, years)
    found = with_employer(found, tables["workplaces"], *employer.values())
    employed = found["attachment"] == EMPLOYED
    return found.select(
        "worker_id",
        *cohort.columns,
        "years",
        "attachment",
        **{name: ibis.cases((employed, found[f"of_{one}"])) for name, one in employer.items()},
        earnings=ibis.cases((employed, found["dollars"]), else_=0),
    )


def employer_jobs(tables: Tables, cohort: Cohort, after: int, years: Years) -> Table:
    """A row for each attached member at one horizon; the workplace is the employer's."""
    found = outcomes(tables, cohort.kind, (after,), years)
    found = found.filter(found["attachment"] == EMPLOYED)
    return found.select("worker_id", *cohort.columns, workplace_id="employer", earnings="dollars")
