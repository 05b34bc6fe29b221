"""Plan result: the promises, the cost and the errors of a draft, as the page shows them."""

import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from leeward.core.codebook.statistic import COUNT
from leeward.core.errors import LeewardError
from leeward.core.privacy import Guarantee
from leeward.core.privacy.delta import delta_rule
from leeward.core.privacy.words import joined
from leeward.core.show.point_charts import Band, Curves, curves
from leeward.publishing.ledger import Account, Ledger
from leeward.publishing.ledger.account import payment
from leeward.publishing.ledger.part_sums import in_part
from leeward.publishing.ledger.repeat import Earlier
from leeward.publishing.plan.gap import Gap, table_gaps
from leeward.publishing.plan.plan import Plan
from leeward.publishing.plan.planned_table import PlannedTable, curve_of
from leeward.publishing.plan.predicted import as_json, dearer, table_json
from leeward.publishing.plan.prediction import Outlook, margin_cost, noise, promises, refusal

SIZES = {"small": 10, "medium": 100, "large": 1000}
"""Jobs of typical establishments, for the chart of the noise."""

TITLE = "What may be published for one establishment"


@dataclass(frozen=True)
class PlanBudget:
    """The account of the plan, and what it would pay or why it would not pay."""

    account: Account | None
    paid: Guarantee | None
    refused: str | None
    earlier: Earlier | None = None

    @property
    def letter(self) -> str:
        """What the account counts in."""
        return "ρ" if self.account is not None and self.account.cap.rho > 0 else "ε"

    @property
    def after(self) -> Fraction | None:
        """What would be left."""
        if self.account is None or self.paid is None:
            return None
        return self.account.after(self.paid).remaining


@dataclass(frozen=True)
class ShownTable:
    """One table with its prediction and the chart of its noise."""

    table: PlannedTable
    numbers: dict[str, object]
    margins: Fraction
    chart: Curves | None
    """None of a table of pay: what is published for one establishment depends on its pay too."""

    gaps: tuple[Gap, ...] = ()
    """Why its rows do not add up, where the whole plan is known."""

    @property
    def unit(self) -> str:
        """The unit of its errors."""
        return self.table.marginal.statistic.unit

    @property
    def prediction(self) -> str:
        """The numbers of `leeward plan --json`."""
        return json.dumps(self.numbers)


@dataclass(frozen=True)
class PlanResult:
    """The predictions of a draft, for all tables and for the whole plan."""

    outlook: Outlook
    tables: tuple[ShownTable | None, ...]
    budget: PlanBudget | None = None
    promises: dict[str, str] | None = None
    prediction: str = ""

    @property
    def plan(self) -> Plan | None:
        """The plan, where nothing is refused."""
        return self.outlook.plan

    @property
    def unit(self) -> str | None:
        """The unit of the errors of all tables; None where they differ."""
        units = {table.unit for table in self.tables if table is not None} or {COUNT.unit}
        return units.pop() if len(units) == 1 else None

    @property
    def dearer(self) -> str:
        """Why the account pays another number than the plan costs, if it does."""
        if self.plan is None or self.budget is None or self.budget.paid is None:
            return ""
        return dearer(self.plan.charge, self.budget.paid)

    @property
    def delta_rule(self) -> str | None:
        """The frames for which the δ of the plan is small enough, if it has a δ."""
        delta = Fraction(0) if self.plan is None else self.plan.asked.delta
        return delta_rule(delta) if delta else None


def make_result(outlook: Outlook, ledger: Path | None) -> PlanResult:
    """The predictions that `leeward plan` makes of the same plan."""
    plan = outlook.plan
    tables = tuple(None if table is None else _shown(table, outlook) for table in outlook.tables)
    if plan is None:
        return PlanResult(outlook, tables)
    budget = make_budget(plan, ledger)
    account = None if budget is None else budget.account
    numbers = as_json(plan, None if account is None else str(account.remaining))
    if budget is not None and account is not None:
        numbers["refused"] = budget.refused
    said = promises(plan)
    if curve := curve_of(plan.charge, plan.tables):
        said["curve"] = joined(point.sentence for point in curve)
    return PlanResult(outlook, tables, budget, said, json.dumps(numbers))


def make_budget(plan: Plan, ledger: Path | None) -> PlanBudget | None:
    """The budget of a plan's account; None if the page has no ledger."""
    if ledger is None:
        return None
    try:
        with Ledger.open(ledger) as book:
            account = book.account(plan.request.account)
            earlier = book.earlier(account.name, plan.digest, plan.request.period)
        refused = refusal(plan, account)
        account = account if refused else in_part(account, plan.request.named_part)
        paid = None if refused else payment(account, plan.charge)
        return PlanBudget(account, paid, refused, earlier)
    except LeewardError as error:
        return PlanBudget(None, None, str(error))


def _shown(table: PlannedTable, outlook: Outlook) -> ShownTable:
    chart, plan = None, outlook.plan
    if table.marginal.statistic.counts:
        cells, bands = table.marginal.worker_cells, []
        part = f", one of {cells:,} worker cells" if cells > 1 else ""
        for kind, size in SIZES.items():
            law, label = noise(table, size), f"{kind.capitalize()}: {size:,} jobs{part}"
            bands.append(Band(label, law.true, law.low, law.high, law.curve))
        chart = curves(tuple(bands), title=TITLE)
    gaps = () if plan is None else tuple(table_gaps(plan, table))
    return ShownTable(table, table_json(table, outlook.profile), margin_cost(table), chart, gaps)
