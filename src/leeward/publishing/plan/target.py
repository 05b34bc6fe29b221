"""Target: a wanted accuracy of a table, and the smallest ε or ρ of its plan that reaches it."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Protocol, TypeAlias

from leeward.core.codebook.size_profile import SizeProfile
from leeward.core.codebook.statistic import COUNT
from leeward.core.errors import InvalidParameter, LeewardError, shown
from leeward.core.exact import number_text
from leeward.core.show import numbers
from leeward.publishing.plan.fitness import Fitness
from leeward.publishing.plan.plan import Plan, make_plan
from leeward.publishing.plan.planned_table import PlannedTable
from leeward.publishing.plan.prediction import mean_error
from leeward.publishing.plan.reading import read_shares
from leeward.publishing.plan.request import WrittenTable

LEAST, MOST = {"epsilon": -3 * 900, "rho": -6 * 900}, 3 * 900
"""An ε is looked for from 0.001 to 1000, a ρ from 0.000001 on."""

STRIDE = 300

FORMS = (
    "5 jobs",
    "10 %",
    "90 % within 10 %",
    "95 % of top 10 % right",
)
"""The mean error, the median relative error, cells within a relative error, and the largest cells
that are told from the others."""

NUMBER = r"([0-9]{1,12}(?:\.[0-9]{1,6})?)"
TABLE = re.compile(r"\s*([A-Za-z0-9_.-]+)\s*:\s*(.*?)\s*", re.DOTALL)
MEAN = re.compile(NUMBER + r"\s*([^\s0-9%][^0-9%]{0,200})?")
MEDIAN = re.compile(NUMBER + r"\s*%")
WITHIN = re.compile(rf"{NUMBER}\s*%\s+within\s+{NUMBER}\s*%")
TOP = re.compile(rf"{NUMBER}\s*%\s+of\s+(?:the\s+)?top\s+{NUMBER}\s*%\s+right")

Profiles: TypeAlias = Callable[[PlannedTable], SizeProfile]
"""The public sizes of a table's cells, for which a target is judged."""


class Goal(Protocol):
    """What a table should reach."""

    def refused(self, table: PlannedTable) -> InvalidParameter | None:
        """Why no table of this kind has such a goal; None where it may."""

    def met(self, table: PlannedTable, profile: SizeProfile) -> bool:
        """Whether the table reaches it."""

    def reached(self, table: PlannedTable, profile: SizeProfile) -> str:
        """What the table reaches, in the words of the goal."""


@dataclass(frozen=True)
class MeanError:
    """A mean absolute error, in the table's unit: `unit` is what was written of it."""

    error: float
    unit: str | None = None

    def is_in(self, unit: str) -> bool:
        """Whether the unit that was written is this one, with its period or without."""
        known = {unit, unit.partition(" per ")[0], *({"job"} if unit == COUNT.unit else ())}
        return self.unit is None or self.unit in known

    def refused(self, table: PlannedTable) -> InvalidParameter | None:
        """A unit that is not the table's."""
        unit = table.marginal.statistic.unit
        if self.is_in(unit):
            return None
        return InvalidParameter(
            "--target",
            rule=f"must be in {unit}, the unit of {table.name}",
            value=shown(self.unit),
            next_step=f"Write --target '{table.name}: {self.error:g} {unit}', or no unit.",
        )

    def met(self, table: PlannedTable, profile: SizeProfile) -> bool:
        """Whether the mean over the profile is small enough."""
        error = mean_error(table, profile)
        return error is not None and error <= self.error

    def reached(self, table: PlannedTable, profile: SizeProfile) -> str:
        """The mean over the profile."""
        unit = table.marginal.statistic.unit
        return f"a mean error of {numbers.error(mean_error(table, profile))} {unit}"


@dataclass(frozen=True)
class _Relative:
    """What goals relative to the count have in common."""

    def refused(self, table: PlannedTable) -> InvalidParameter | None:
        """A table that publishes no counts with noise of their own."""
        if table.measurement.cell_law(1) is not None:
            return None
        unit = table.marginal.statistic.unit
        return InvalidParameter(
            "--target",
            rule=f"must be a mean error for {table.name}, which publishes no plain counts",
            value=shown(table.marginal.statistic.name),
            next_step=f"Write --target '{table.name}: 5 {unit}' with the error that you need.",
        )


@dataclass(frozen=True)
class Within(_Relative):
    """This share of the cells errs by at most a share of the count; half of them: the median."""

    often: Fraction
    within: Fraction

    def met(self, table: PlannedTable, profile: SizeProfile) -> bool:
        """Whether enough cells are within."""
        return _fitness(table, profile).within(self.within) >= self.often

    def reached(self, table: PlannedTable, profile: SizeProfile) -> str:
        """The share of cells within, and the median."""
        fitness = _fitness(table, profile)
        share, median = fitness.within(self.within), fitness.quantile(HALF)
        near = f"{numbers.percent(share)} within {number_text(100 * self.within)}\u00a0%"
        return f"{near}, a median error of {numbers.percent(median)}"


@dataclass(frozen=True)
class TopRight(_Relative):
    """This share of the cells that are published as the top is among the true top."""

    right: Fraction
    top: Fraction

    def met(self, table: PlannedTable, profile: SizeProfile) -> bool:
        """Whether enough of the top is right."""
        return _fitness(table, profile).top(self.top) >= self.right

    def reached(self, table: PlannedTable, profile: SizeProfile) -> str:
        """The share of the top that is right."""
        share = numbers.percent(_fitness(table, profile).top(self.top))
        return f"{share} of top {number_text(100 * self.top)}\u00a0% right"


HALF = Fraction(1, 2)


def _fitness(table: PlannedTable, profile: SizeProfile) -> Fitness:
    fitness = Fitness.of(table.measurement, profile)
    if fitness is None:
        raise TypeError(f"{table.name} publishes no counts with noise of their own")
    return fitness


@dataclass(frozen=True)
class Target:
    """A goal of a table of a plan."""

    table: str
    goal: Goal


def read_target(written: str) -> Target:
    """`place_industry: 90 % within 10 %` as a value."""
    named = TABLE.fullmatch(written)
    goal: Goal | None = None
    words = "" if named is None else named.group(2)
    if mean := MEAN.fullmatch(words):
        error, unit = float(mean.group(1)), mean.group(2)
        goal = MeanError(error, None if unit is None else unit.strip()) if error > 0 else None
    elif median := MEDIAN.fullmatch(words):
        within = Fraction(median.group(1)) / 100
        goal = Within(HALF, within) if within > 0 else None
    elif shares := WITHIN.fullmatch(words) or TOP.fullmatch(words):
        kind = Within if shares.re is WITHIN else TopRight
        first, second = (Fraction(group) / 100 for group in shares.groups())
        if 0 < first < 1 and second > 0 and (kind is Within or second < 1):
            goal = kind(first, second)
    if named is None or goal is None:
        forms = ", ".join(f"'place_industry: {form}'" for form in FORMS)
        raise InvalidParameter(
            "--target",
            rule="must be a table and a mean error above 0, a median relative error, the share of "
            "cells within a relative error, or the share of the top that is right; percentages are "
            "above 0, and shares of cells below 100",
            value=shown(written),
            next_step=f"Write one of {forms}, with a table of the plan.",
        )
    return Target(named.group(1), goal)


def smallest_budget(plan: Plan, target: Target, profiles: Profiles | None = None) -> Plan:
    """The same plan with the smallest ε or ρ, to three digits, that reaches the target.

    The goal is judged on `profiles`, if given; mechanisms are chosen as a release chooses them.
    """
    named = {table.name: table for table in plan.tables}
    if target.table not in named:
        raise InvalidParameter(
            "--target",
            rule=f"must name a table of the plan: {', '.join(named)}",
            value=shown(target.table),
            next_step="Choose one of them.",
        )
    wanted, goal = named[target.table], target.goal
    if refused := goal.refused(wanted):
        raise refused
    profile = plan.profile if profiles is None else profiles(wanted)
    alone = TableAtShare.of(plan, wanted.name)

    def reaches(place: int) -> bool:
        table = alone.at(three_digits(place))
        return table is not None and goal.met(table, profile)

    low, high = LEAST[plan.asked.currency] - 1, 0
    while not reaches(high):
        if high >= MOST:
            table = alone.at(three_digits(MOST))
            best = "no mechanism" if table is None else goal.reached(table, profile)
            raise InvalidParameter(
                "--target",
                rule=f"must be reachable with {plan.asked.currency} of at most 1000, where "
                f"{target.table} has {best}",
                value=shown(target.table),
                next_step="Allow a larger error, a smaller alpha, or fewer worker cells.",
            )
        low, high = high, high + STRIDE
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return with_budget(plan, three_digits(high))


@dataclass(frozen=True)
class TableAtShare:
    """One table at the share that it has, under any guarantee; the codebook is not read again."""

    plan: Plan
    table: WrittenTable
    share: Fraction

    @classmethod
    def of(cls, plan: Plan, name: str) -> "TableAtShare":
        """The table of this name."""
        tables = plan.request.tables
        pairs = zip(tables, read_shares(tables), strict=True)
        table, share = next(pair for pair in pairs if pair[0].name == name)
        return cls(plan, table, share)

    def at(self, amount: Fraction, alpha: Fraction | None = None) -> PlannedTable | None:
        """The table at this ε or ρ of the plan, and this α; None where no mechanism is."""
        guarantee = self.plan.asked if alpha is None else replace(self.plan.asked, alpha=alpha)
        context = replace(self.plan.context, asked=guarantee.with_amount(amount))
        try:
            return context.table(self.table, self.share)
        except LeewardError:
            return None


def three_digits(place: int) -> Fraction:
    """The numbers of three significant digits in their order: 0 is 1, 1 is 1.01, 900 is 10."""
    power, above = divmod(place, 900)
    return Fraction(100 + above, 100) * Fraction(10) ** power


def with_budget(plan: Plan, amount: Fraction) -> Plan:
    """The plan with another ε or ρ; mechanisms are chosen anew."""
    protect = plan.request.protect.model_copy(update={plan.asked.currency: str(amount)})
    return make_plan(plan.request.model_copy(update={"protect": protect}), Path(plan.path))
