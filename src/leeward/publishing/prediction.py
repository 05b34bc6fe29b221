"""Prediction: what error to expect and what is left, before anything is spent."""

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

import numpy as np

from leeward.errors import InvalidParameter, LeewardError, shown
from leeward.ledger import Account
from leeward.ledger.account import payment
from leeward.mechanisms.choice import IN_PLANS
from leeward.mechanisms.measurement import Measurement
from leeward.model import Codebook
from leeward.model.size_profile import TYPICAL, SizeProfile
from leeward.model.statistic import COUNT
from leeward.privacy import job_sentences, sentences
from leeward.privacy.odds import suspicion
from leeward.privacy.words import joined
from leeward.publishing.plan import Context, Plan, PlannedTable, make_plan
from leeward.publishing.reading import OFFERED, Gathering, read_shares
from leeward.publishing.request import Request, WrittenTable

POLICIES, MECHANISMS = OFFERED, ("auto", *IN_PLANS)
"""What a plan may name."""

CURVE = 49
"""Maximum number of pieces of a curve, one in the middle; one for each number if few."""


@dataclass(frozen=True)
class Expectation:
    """What to expect of a cell whose largest establishment has `largest` jobs."""

    largest: int
    error: float | None
    margin: int | None


@dataclass(frozen=True)
class Noise:
    """What may be published for a cell that is one establishment: `true` is its real number.

    Nine published numbers in ten lie from `low` to `high`. `curve` are numbers with how likely
    they are, for a picture.
    """

    true: int
    low: int
    high: int
    curve: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Outlook:
    """The plan, or where it is refused, why, and each table that can be made by itself."""

    plan: Plan | None
    tables: tuple[PlannedTable | None, ...]
    profile: SizeProfile
    codebook: Codebook | None
    refusals: tuple[LeewardError, ...] = ()


NOTHING = Outlook(None, (), TYPICAL, None)
"""The outlook of what is no request yet."""


def promises(plan: Plan) -> dict[str, str]:
    """The guarantee in plain words: what it means, and for whom."""
    charge, kinds = plan.charge, plan.weak_attributes
    make_up = sentences.make_up(charge, kinds, by_cell=plan.by_cell).text
    told = {
        "meaning": suspicion(charge, plan.jobs).text,
        "workers": sentences.worker(charge, plan.jobs).text,
        "size": sentences.establishment(charge, plan.jobs).text,
        "make-up": make_up if kinds is None else f"{make_up} {sentences.MAKE_UP_SHARE.text}",
        "rows": job_sentences.rows(strict=plan.strict).text,
    }
    reduced = joined(job_sentences.jobs(charge, plan.jobs)[1:])
    return told | ({"jobs": reduced} if reduced else {})


def outlook(request: Request, path: Path) -> Outlook:
    """What a request would give; where it is refused, the tables that can be made anyway."""
    found = Gathering()
    plan = found.attempt(lambda: make_plan(request, path))
    if plan is not None:
        return Outlook(plan, plan.tables, plan.profile, plan.codebook)
    refused, context = tuple(found.problems), Context.read(request, path, Gathering())
    tables = tuple(_alone(table, request.tables, context) for table in request.tables)
    return Outlook(None, tables, context.profile, context.codebook, refused)


def _alone(
    table: WrittenTable, tables: list[WrittenTable], context: Context
) -> PlannedTable | None:
    """One table at the share that it has, whatever becomes of the others."""
    found, none = Gathering(), all(one.share is None for one in tables)
    if none:
        return found.attempt(lambda: context.table(table, Fraction(1, len(tables))))
    if table.share is None:
        return None
    return found.attempt(lambda: context.table(table, read_shares([table])[0]))


def refusal(plan: Plan, account: Account) -> str | None:
    """Why the account would not pay, in the words of the release."""
    try:
        payment(account, plan.charge)
    except LeewardError as error:
        return str(error)
    return None


def expectations(table: PlannedTable, profile: SizeProfile) -> tuple[Expectation, ...]:
    """Mean absolute error and typical margin for the sizes of a profile."""
    made = table.measurement
    numbers = zip(profile.of(made.expected_error), profile.of(made.expected_margin), strict=True)
    return tuple(
        Expectation(size, *both) for size, both in zip(profile.largest, numbers, strict=True)
    )


def mean_error(table: PlannedTable, profile: SizeProfile) -> float | None:
    """The average over the profile, in the table's unit; None where there is no mean."""
    return profile.mean(profile.of(table.measurement.expected_error))


@dataclass(frozen=True)
class PartExpectation:
    """Mean absolute errors of a table of a product, for the sizes of a profile."""

    name: str
    cells: int
    errors: tuple[float | None, ...]


def part_expectations(table: PlannedTable, profile: SizeProfile) -> tuple[PartExpectation, ...]:
    """What to expect of the total and of each table of a product; none of other tables."""
    marginal = table.marginal
    if not marginal.breakdowns:
        return ()
    rows = profile.of(table.measurement.expected_errors)
    return tuple(
        PartExpectation(
            part.name,
            part.worker_cells,
            tuple(None if row is None else float(row[number]) for row in rows),
        )
        for number, part in enumerate(marginal.published)
    )


def margin_cost(table: PlannedTable) -> Fraction:
    """What of the table's ε pays for margins."""
    return table.measurement.margins.epsilon


def noise(table: PlannedTable, size: int) -> Noise:
    """The published number of a cell that is one establishment of this many jobs.

    In a worker table its workers are spread evenly over the worker cells, and one of them is
    looked at. The bias of clipping depends on the data and is left out.
    """
    return _noise(table.measurement, size)


@lru_cache(maxsize=1024)  # frozen values, shown again with every change of something else
def _noise(made: Measurement, size: int) -> Noise:
    at = made.spread(size)
    low, high = at.low - at.true, at.high - at.true
    edges = np.unique(np.linspace(2 * low - 1, 2 * high + 2, CURVE + 1).round()) - 0.5
    mass = np.diff(at.law.float_tails(edges / at.scale)[0]) / np.diff(edges)
    middles = at.true + (edges[1:] + edges[:-1]) / 2
    points = zip(middles.tolist(), mass.tolist(), strict=True)
    return Noise(at.true, at.low, at.high, tuple(points))


WRITTEN = re.compile(
    r"\s*([A-Za-z0-9_.-]+)\s*:\s*([0-9]+(?:\.[0-9]+)?)\s*([^\s0-9%][^0-9%]{0,200})?"
)
LEAST, MOST = {"epsilon": -3 * 900, "rho": -6 * 900}, 3 * 900
"""An ε is looked for from 0.001 to 1000, a ρ from 0.000001 on."""

STRIDE = 300


@dataclass(frozen=True)
class Target:
    """A wanted mean absolute error of a table, in its unit: `unit` is what was written of it."""

    table: str
    error: float
    unit: str | None = None

    def is_in(self, unit: str) -> bool:
        """Whether the unit that was written is this one, with its period or without."""
        known = {unit, unit.partition(" per ")[0], *({"job"} if unit == COUNT.unit else ())}
        return self.unit is None or self.unit in known


def read_target(written: str) -> Target:
    """`place_industry: 5 jobs` as a value."""
    found = WRITTEN.fullmatch(written)
    if found is None or float(found.group(2)) <= 0:
        raise InvalidParameter(
            "--target",
            rule="must be a table and a mean error above 0, such as 'place_industry: 5 jobs'",
            value=shown(written),
            next_step="Write --target 'place_industry: 5 jobs' with a table of the plan.",
        )
    unit = found.group(3)
    return Target(found.group(1), float(found.group(2)), None if unit is None else unit.strip())


def smallest_budget(plan: Plan, target: Target) -> Plan:
    """The same plan with the smallest ε or ρ, to three digits, that reaches the target."""
    names = [table.name for table in plan.tables]
    if target.table not in names:
        raise InvalidParameter(
            "--target",
            rule=f"must name a table of the plan: {', '.join(names)}",
            value=shown(target.table),
            next_step="Choose one of them.",
        )
    unit = plan.tables[names.index(target.table)].marginal.statistic.unit
    if not target.is_in(unit):
        raise InvalidParameter(
            "--target",
            rule=f"must be in {unit}, the unit of {target.table}",
            value=shown(target.unit),
            next_step=f"Write --target '{target.table}: {target.error:g} {unit}', or no unit.",
        )
    alone = _TableAtShare.of(plan, target.table)
    low, high = LEAST[plan.asked.currency] - 1, 0
    while not alone.reaches(target, three_digits(high)):
        if high >= MOST:
            raise _out_of_reach(target, unit, plan.asked.currency)
        low, high = high, high + STRIDE
    while high - low > 1:
        middle = (low + high) // 2
        reached = alone.reaches(target, three_digits(middle))
        low, high = (low, middle) if reached else (middle, high)
    return with_budget(plan, three_digits(high))


@dataclass(frozen=True)
class _TableAtShare:
    """The one table of interest, at the share that it has; the codebook is not read again."""

    plan: Plan
    table: WrittenTable
    share: Fraction

    @classmethod
    def of(cls, plan: Plan, name: str) -> "_TableAtShare":
        """The table of this name."""
        tables = plan.request.tables
        pairs = zip(tables, read_shares(tables), strict=True)
        table, share = next(pair for pair in pairs if pair[0].name == name)
        return cls(plan, table, share)

    def reaches(self, target: Target, amount: Fraction) -> bool:
        """Whether the table's mean error is small enough at this ε or ρ."""
        context = replace(self.plan.context, asked=self.plan.asked.with_amount(amount))
        try:
            made = context.table(self.table, self.share)
        except LeewardError:
            return False
        error = None if made is None else mean_error(made, self.plan.profile)
        return error is not None and error <= target.error


def three_digits(place: int) -> Fraction:
    """The numbers of three significant digits in their order: 0 is 1, 1 is 1.01, 900 is 10."""
    power, above = divmod(place, 900)
    return Fraction(100 + above, 100) * Fraction(10) ** power


def with_budget(plan: Plan, amount: Fraction) -> Plan:
    """The plan with another ε or ρ; mechanisms are chosen anew."""
    protect = plan.request.protect.model_copy(update={plan.asked.currency: str(amount)})
    return make_plan(plan.request.model_copy(update={"protect": protect}), Path(plan.path))


def _out_of_reach(target: Target, unit: str, currency: str) -> InvalidParameter:
    return InvalidParameter(
        "--target",
        rule=f"must be reachable with {currency} of at most 1000",
        value=f"{target.error:g} {unit} for {target.table}",
        next_step="Allow a larger error, a smaller alpha, or fewer worker cells.",
    )
