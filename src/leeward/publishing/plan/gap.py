"""Gap: which tables of a plan count some jobs in no cell, why, and what to write instead.

It is what certificates state of a table as `partial`, said to the operator before the charge.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from leeward.core.codebook import LEFT_OUT, Attribute, Codebook, Dimension, Marginal
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
            sums = _sums(plan, marginal, dimension.name)
            if sums is not None:
                yield from _causes(plan, part.name, dimension, sums)
    yield from _filtered(plan, marginal)


def _sums(plan: Plan, marginal: Marginal, attribute: str) -> str | None:
    """What the rows would add up to; None where nothing else counts these jobs."""
    if marginal.breakdowns:
        return marginal.published[0].name
    if attribute in marginal.totals:
        return "all jobs, in the rows of totals too"
    return "all jobs, unlike those of other tables" if len(plan.tables) > 1 else None


def _causes(plan: Plan, table: str, dimension: Dimension, sums: str) -> Iterator[Gap]:
    """Every reason why jobs count in no cell of an attribute."""
    attribute, name = dimension.attribute, dimension.name
    counted = f"count in no cell of {table}, so its rows add up to at most {sums}."
    if not dimension.whole:
        kept = f"`where` keeps {dimension.size} of {len(attribute.codes)} codes of {name}"
        step = f"Leave {name} out of `where`, if the rows should add up."
        yield Gap(table, name, "where", f"{kept}: jobs with another code {counted}", step)
    if LEFT_OUT in attribute.recode.values():
        yield _left_out(plan.codebook, table, attribute, counted)
    if not plan.strict and not attribute.of_workplaces:
        yield from _without_code(plan.codebook, table, attribute, counted)


def _left_out(codebook: Codebook, table: str, attribute: Attribute, counted: str) -> Gap:
    """Codes that the codebook omits, or numbers below the first class of a plan."""
    if attribute.numbers is not None:
        what = f"The classes of {attribute.name} begin at {attribute.edges[1]}: jobs below"
        return Gap(
            table, attribute.name, "classes", f"{what} {counted}", "Let the classes begin lower."
        )
    root = _root(codebook, attribute)
    omitted = ", ".join(code for code, at in attribute.recode.items() if at == LEFT_OUT)
    what = f"The codebook omits codes of {root} ({omitted}): jobs with them"
    step = "List these codes, if the rows should add up; that they do not may be meant."
    return Gap(table, attribute.name, "omit", f"{what} {counted}", step)


def _without_code(
    codebook: Codebook, table: str, attribute: Attribute, counted: str
) -> Iterator[Gap]:
    """An attribute for which the codebook does not say what unlisted or missing codes count as."""
    root = _root(codebook, attribute)
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


def _root(codebook: Codebook, attribute: Attribute) -> str:
    """The attribute beside which `other`, `null_as` and `omit` are written."""
    while attribute.origin is not None and attribute.origin in codebook.attributes:
        attribute = codebook.attributes[attribute.origin]
    return attribute.name


def _filtered(plan: Plan, marginal: Marginal) -> Iterator[Gap]:
    """Filters on workers and jobs that other tables of the plan do not have."""
    others = [table.marginal.filters for table in plan.tables if table.marginal is not marginal]
    for dimension in marginal.filters:
        if not dimension.attribute.of_workplaces and any(
            dimension not in filters for filters in others
        ):
            name, codes = dimension.name, len(dimension.attribute.codes)
            what = f"`where` keeps {dimension.size} of {codes} codes of {name}"
            yield Gap(
                marginal.name,
                name,
                "where",
                f"{what}: {marginal.name} counts no other jobs, so its rows add up to at most all "
                "jobs, unlike those of other tables.",
                f"Leave {name} out of `where`, if the tables should add up to the same jobs.",
            )
