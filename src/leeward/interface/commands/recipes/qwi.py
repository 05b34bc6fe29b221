"""The Quarterly Workforce Indicators: employment, flows and earnings of quarters.

The jobs of a quarter are those that `leeward jobs` makes of wage records, with their flow. Each
quarter has a plan of its own and is paid for by one account.
"""

from collections.abc import Iterator

from leeward.core.codebook.flow_classes import FLOW_LABELS
from leeward.core.codebook.wage_jobs import Quarter, WageJobs
from leeward.core.errors import InvalidParameter
from leeward.interface.commands.recipes.documents import (
    CAP,
    codebook_text,
    filled,
    listed,
    pay,
    plan_text,
)
from leeward.interface.commands.recipes.recipe import (
    CONFIDENTIAL,
    Account,
    Given,
    Layout,
    Recipe,
    Release,
)
from leeward.lab.economy.made_up_codes import SECTORS

EPSILON, ALPHA = 8, "0.1"
CELLS = "by: [place, sector]"
TABLES = (
    f"name: flows, {CELLS}, statistic: flows, of: flow, share: 1/4",
    "name: gains, by: [sector], statistic: gains, of: flow, share: 1/8",
    f'name: earn_s, {CELLS}, where: {{flow: "11"}}, statistic: mean, of: earnings, share: 1/4',
    f'name: earn_beg, {CELLS}, where: {{flow: ["11", "10"]}}, statistic: mean, of: earnings, '
    "share: 1/8",
    f"name: payroll, {CELLS}, statistic: payroll, of: earnings, share: 1/4",
)
COMMENT = """\
Employment, flows and earnings of {quarter}, with employers protected.
flows: one table of four classes of jobs, from which seven numbers follow at no further cost.
gains: growth and decline added up over establishments. One establishment's net change below alpha
is meant to be hidden, so these are published for cells that were chosen beforehand: whole sectors.
The cap is a public number: a quarter of the {cap:,} dollars a year up to which Social Security
takes contributions (2025)."""


def recipe(given: Given) -> Recipe:
    """Tables, plans and account of one or several quarters."""
    quarters = [Quarter.read(one) for one in given.quarter]
    if not quarters:
        raise InvalidParameter(
            "--quarter",
            rule="must be given for the recipe qwi",
            value="nothing",
            next_step="Write --quarter 2026Q2; several quarters are several such options.",
        )
    plans = {f"plan-{one}.yaml": _plan(given, one) for one in quarters}
    releases = tuple(Release(f"plan-{one}.yaml", f"bundle-{one}") for one in quarters)
    total = EPSILON * len(quarters)
    return Recipe(
        tables={f"jobs-{one}.parquet": WageJobs(one) for one in quarters},
        texts={"codebook.yaml": codebook_text(_attributes()), **plans},
        lists=("place",),
        columns={},
        accounts=(Account("qwi", "strong", str(total), ALPHA),),
        releases=releases,
        layouts=(Layout("qwi", tuple(one.bundle for one in releases), "qwi"),),
    )


def _plan(given: Given, quarter: Quarter) -> str:
    head = {
        "workplaces": given.workplaces,
        "workers": given.workers,
        "jobs": f"{CONFIDENTIAL}/jobs-{quarter}.parquet",
        "codebook": "codebook.yaml",
        "account": "qwi",
        "period": str(quarter),
    }
    protect = f"{{policy: strong, alpha: {ALPHA}, epsilon: {EPSILON}}}"
    return plan_text(COMMENT.format(quarter=quarter, cap=CAP), head, protect, TABLES)


def _attributes() -> Iterator[str]:
    yield filled("place", "workplaces")
    yield listed("sector", "workplaces", {one.code: one.label for one in SECTORS})
    yield listed("flow", "jobs", FLOW_LABELS)
    yield pay("cent", "quarter", 25)
