"""Gap: which tables of a plan count some jobs in no cell, why, and what to write instead.

It is what certificates state of a table as `partial`, said to the operator before the charge.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from leeward.core.codebook import LEFT_OUT, Attribute, Dimension
from leeward.publishing.plan.plan import Plan
from leeward.publishing.plan.planned_table import PlannedTable


@dataclass(frozen=True)
class Gap:
    """An attribute whose cells in a table leave jobs out."""

    table: str
    attribute: str
    cause: str
    """The key that is missing or that leaves them out: other, null_as, omit, where or classes."""

    sentence: str
    next_step: str

    @property
    def words(self) -> str:
        """What does not add up and what to write."""
        return f"{self.sentence} {self.next_step}"

    def as_json(self) -> dict[str, str]:
        """For programs."""
        return {**vars(self)}


def gaps(plan: Plan) -> tuple[Gap, ...]:
    """Where rows of the plan's tables add up to less than all jobs that another number counts."""
    return tuple(table_gap for table in plan.tables for table_gap in table_gaps(plan, table))


def table_gaps(plan: Plan, table: PlannedTable) -> Iterator[Gap]:
    """The same of one table of the plan: of each part of a product."""
    marginal = table.marginal
    if not marginal.statistic.disjoint:
        return
    for part in marginal.published:
        for dimension in part.partial(strict=plan.strict):
            if marginal.breakdowns:
                sums = marginal.published[0].name
            elif dimension.name in marginal.totals:
                sums = "all jobs, in the rows of totals too"
            elif len(plan.tables) > 1:
                sums = "all jobs, unlike those of other tables"
            else:
                continue  # nothing else counts these jobs
            yield from _causes(plan, part.name, dimension, sums)
    # Filters on workers and jobs that other tables of the plan do not have.
    others = [other.marginal.filters for other in plan.tables if other.marginal is not marginal]
    for dimension in marginal.filters:
        everywhere = all(dimension in filters for filters in others)
        if not dimension.attribute.of_workplaces and not everywhere:
            name, kept = dimension.name, _kept(dimension)
            sums = "so its rows add up to at most all jobs, unlike those of other tables."
            sentence = f"{kept}: {marginal.name} counts no other jobs, {sums}"
            step = f"Leave {name} out of `where`, if the tables should add up to the same jobs."
            yield Gap(marginal.name, name, "where", sentence, step)


def _kept(dimension: Dimension) -> str:
    codes = len(dimension.attribute.codes)
    return f"`where` keeps {dimension.size} of {codes} codes of {dimension.name}"


def _causes(plan: Plan, table: str, dimension: Dimension, sums: str) -> Iterator[Gap]:
    """Every reason why jobs count in no cell of an attribute."""
    attribute, name = dimension.attribute, dimension.name
    counted = f"count in no cell of {table}, so its rows add up to at most {sums}."
    if not dimension.whole and name not in (plan.request.part or {}):
        step = f"Leave {name} out of `where`, if the rows should add up."
        sentence = f"{_kept(dimension)}: jobs with another code {counted}"
        yield Gap(table, name, "where", sentence, step)
    origin = attribute  # beside which the codebook has `other`, `null_as` and `omit`
    while origin.origin is not None and origin.origin in plan.codebook.attributes:
        origin = plan.codebook.attributes[origin.origin]
    root = origin.name
    if LEFT_OUT in attribute.recode.values():
        if attribute.numbers is not None:
            cause, step = "classes", "Let the classes begin lower."
            what = f"The classes of {name} begin at {attribute.edges[1]}: jobs below"
        else:
            codes = ", ".join(code for code, at in attribute.recode.items() if at == LEFT_OUT)
            what = f"The codebook omits codes of {root} ({codes}): jobs with them"
            step = "List these codes, if the rows should add up; that they do not may be meant."
            cause = "omit"
        yield Gap(table, name, cause, f"{what} {counted}", step)
    if not plan.strict and not attribute.of_workplaces:
        yield from _without_code(table, attribute, root, counted)


def _without_code(table: str, attribute: Attribute, root: str, counted: str) -> Iterator[Gap]:
    """An attribute for which the codebook does not say what unlisted or missing codes count as."""
    if attribute.numbers is not None:
        if attribute.missing is None:
            what = f"{root} has no `null_as`: jobs without a number of {root}"
            step = f"Write `null_as` with one of its classes beside {root} in the codebook."
            yield Gap(table, attribute.name, "null_as", f"{what} {counted}", step)
        return
    lacking = {
        "other": (attribute.unlisted, f"with an unlisted {root}"),
        "null_as": (attribute.missing, f"with a missing {root}"),
    }
    absent = [key for key, (at, _) in lacking.items() if at is None]
    if not absent:
        return
    which = f"without a listed {root}" if len(absent) > 1 else lacking[absent[0]][1]
    keys = " and ".join(f"no `{key}`" for key in absent)
    written = " and ".join(f"`{key}`" for key in absent)
    step = f"Write {written} beside {root} in the codebook, or `unknown` with a code for unknown."
    cause = " and ".join(absent)
    yield Gap(table, attribute.name, cause, f"{root} has {keys}: jobs {which} {counted}", step)
