"""Certify: the certificate of a release, from its plan and its ledger entry."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from importlib.metadata import version
from math import ceil, floor
from typing import Any

from leeward.core.codebook import Dimension, JobsRule, Marginal
from leeward.core.codebook.marginal import BLOCK, COUNTED
from leeward.core.mechanisms.measurement import Measurement
from leeward.core.noise.scales import DRAWS
from leeward.core.privacy import Guarantee
from leeward.core.privacy.words import Sentence
from leeward.core.show.numbers import crossed
from leeward.publishing.bundle import FORMAT, Certificate, CertifiedTable
from leeward.publishing.bundle.bundle_files import table_columns
from leeward.publishing.bundle.software import software
from leeward.publishing.bundle.statements import (
    AboutStatement,
    AttributeStatement,
    BudgetStatement,
    DataStatement,
    FrameStatement,
    JobsStatement,
    JointStatement,
    LedgerStatement,
    LeftStatement,
    MarginStatement,
    NoiseStatement,
    ParentStatement,
    ReleaseGuarantee,
    RowsStatement,
    TableGuarantee,
    TotalsStatement,
    establishment_promise,
    firm_promise,
    make_up_promise,
    odds_statement,
    worker_promise,
)
from leeward.publishing.bundle.statistic_statements import PayStatement, statistic_statement
from leeward.publishing.ledger import Account, Anchor
from leeward.publishing.plan.plan import Plan
from leeward.publishing.plan.planned_table import PlannedTable
from leeward.publishing.plan.request import ABOUT, Request

Rows = tuple[int, int]
"""The rows of a table, and how many of them are totals."""

KEYED = (
    "HMAC-SHA256 of a digest of the data, the number of the ledger's entry and 128 random bits "
    "that the entry keeps, keyed with a secret of the ledger. Whoever holds the ledger can check "
    "it. To everyone else it is a random number, and it differs between releases whether or not "
    "their data do, also if an old copy of the ledger was put back in between."
)
ADDED = (
    "A row with a total code is the sum of the published values of its rows, to the last job, and "
    "costs nothing. An attribute that leaves jobs out leaves them out of its totals. "
)
DRAWN = (
    "The margin of a total covers 90 % of the draws of its error, by the public law of the noise "
    "of its rows. The seed of the draws is public."
)
LONGEST_TITLE = 200
"""Maximum length of a title in characters, as of every short line of a certificate."""

SMALLEST_PART = 10**100
"""Largest denominator of a budget's exact numbers; longer ones are rounded towards less left."""


@dataclass(frozen=True)
class Payment:
    """The ledger's part of a certificate."""

    anchor: Anchor
    fingerprint: str
    budget: BudgetStatement
    corrects: int | None = None

    @property
    def data(self) -> DataStatement:
        """The keyed fingerprint of the data."""
        return DataStatement(fingerprint=self.fingerprint, keyed=KEYED)

    def ledger(self, account: str) -> LedgerStatement:
        """The entry of the charge."""
        at = self.anchor
        return LedgerStatement(id=at.ledger, account=account, entry=at.number, head=at.hash)


def budget(account: Account, paid: Guarantee) -> BudgetStatement:
    """The account with a charge in it, in numbers that a certificate can say."""
    spent = paid if account.spent is None else account.spent
    rest = account.left
    return BudgetStatement(
        cap=TableGuarantee.of(account.cap),
        paid=sayable(paid),
        spent=sayable(spent),
        left=LeftStatement(
            epsilon=str(_short(rest.epsilon, floor)),
            delta=str(_short(rest.delta, floor)),
            rho=str(_short(rest.rho, floor)) if account.cap.rho > 0 or account.box else None,
        ),
    )


def sayable(guarantee: Guarantee) -> TableGuarantee:
    """A guarantee in numbers that a certificate can say, never less than it is."""
    rounded = replace(
        guarantee,
        epsilon=_short(guarantee.epsilon, ceil),
        delta=_short(guarantee.delta, ceil),
        rho=_short(guarantee.rho, ceil),
    )
    return TableGuarantee.of(rounded)


def _short(number: Fraction, rounded: Callable[[Fraction], int]) -> Fraction:
    """The number itself, unless sums of odd fractions made it longer than anyone reads."""
    if number.denominator < SMALLEST_PART:
        return number
    return Fraction(rounded(number * SMALLEST_PART), SMALLEST_PART)


@dataclass(frozen=True)
class Draft:
    """What a certificate says of its plan, made before the charge.

    What cannot be stated is thus not paid for. `tables` have no rows yet.
    """

    account: str
    statements: Mapping[str, Any]
    tables: tuple[CertifiedTable, ...]

    @classmethod
    def of(cls, plan: Plan) -> "Draft":
        """Statements and tables of a plan."""
        statements = {
            "period": plan.request.period,
            "plan": plan.request.public(),
            "plan_digest": plan.digest,
            "codebook_digest": plan.codebook_digest,
            **promises(plan.charge, plan.jobs, strict=plan.strict),
            "make_up": make_up_promise(plan.charge, plan.weak_attributes, by_cell=plan.by_cell),
            "weak_attributes": plan.weak_attributes,
            "rows": RowsStatement.of(plan.codebook.row_rules, strict=plan.strict),
            "pay": pay_statement(plan.pay),
            "about": about(plan.request),
            "law": plan.law,
            "software": software(),
        }
        tables = tuple(
            _table(table, number, plan)
            for table in plan.tables
            for number in range(len(table.marginal.published))
        )
        return cls(plan.request.account, statements, tables)


def promises(charge: Guarantee, jobs: JobsRule, *, strict: bool) -> dict[str, Any]:
    """What follows from the price of a release and its rule for jobs, whatever its tables are."""
    return {
        "guarantee": ReleaseGuarantee.of(charge, jobs, strict=strict),
        "worker": worker_promise(charge, jobs),
        "establishment": establishment_promise(charge, jobs),
        "firm": firm_promise(charge),
        "odds": odds_statement(charge, jobs),
        "jobs": JobsStatement.of(charge, jobs),
    }


def pay_statement(said: tuple[Sentence, ...]) -> PayStatement | None:
    """What is said of pay; None where nothing is."""
    return PayStatement.of(said) if said else None


def certificate(draft: Draft, name: str, paid: Payment, rows: Mapping[str, Rows]) -> Certificate:
    """What the bundle says about itself; `rows` is the number of rows of each table."""
    return Certificate(
        format=FORMAT,
        name=name,
        leeward=version("leeward"),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        account=draft.account,
        **draft.statements,
        data=paid.data,
        ledger=paid.ledger(draft.account),
        budget=paid.budget,
        corrects=paid.corrects,
        tables=tuple(_with_rows(table, *rows[table.name]) for table in draft.tables),
    )


def _with_rows(table: CertifiedTable, rows: int, of_totals: int) -> CertifiedTable:
    totals = None if table.totals is None else table.totals.model_copy(update={"rows": of_totals})
    return table.model_copy(update={"rows": rows, "totals": totals})


def _table(table: PlannedTable, number: int, plan: Plan) -> CertifiedTable:
    """A table of the bundle: the one of a plan's table, or one of its product."""
    marginal = table.marginal.published[number]
    return CertifiedTable(
        **table_statements(table, number, plan.seed(table.name)),
        rows=0,
        parents=_parents(marginal, plan) or None,
        partial=tuple(dimension.name for dimension in marginal.partial(strict=plan.strict)) or None,
        impossible=_impossible(marginal, plan) or None,
    )


def table_statements(table: PlannedTable, number: int, seed: int) -> dict[str, Any]:
    """What follows from a table and its measurement; the rest is of the codebook and the rows."""
    marginal, measurement = table.marginal.published[number], table.measurement
    noise = measurement.cell_noise(number) if marginal.statistic.counts else None
    identifiers = tuple(dimension.name for dimension in marginal.dimensions)
    columns = table.marginal.columns_of(number, measurement.margin_columns)
    allowance = None if measurement.margins.coverage is None else measurement.words.allowance
    return {
        "name": marginal.name,
        "kind": "workplace" if marginal.counts_every_job else "worker",
        "identifiers": identifiers,
        "worker_identifiers": tuple(dimension.name for dimension in marginal.worker),
        "codes": {dimension.name: dimension.labels for dimension in marginal.dimensions},
        "where": {dimension.name: list(dimension.codes) for dimension in marginal.filters} or None,
        "complete": marginal.complete,
        "mechanism": measurement.name,
        "parameters": measurement.constants(),
        "guarantee": TableGuarantee.of(table.charge),
        "person_rows": table.person_rows,
        "margins": _margins(measurement, columns),
        "bias": " ".join(filter(None, (measurement.words.bias, allowance))) or None,
        "columns": table_columns(identifiers, columns, establishments=marginal.establishments),
        "statistic": statistic_statement(marginal.statistic, count=COUNTED in columns),
        "establishments": FrameStatement() if marginal.establishments else None,
        "totals": _totals(marginal, seed, drawn=measurement.margins.coverage is not None),
        "joint": _joint(table, number),
        "noise": None if noise is None else NoiseStatement.of(noise.stated()),
        "title": _title(table, number),
        "note": table.written.note,
        "attributes": _attributes(marginal) or None,
    }


def about(request: Request) -> AboutStatement | None:
    """What the plan says of its publication; None where it says nothing."""
    told = {key: getattr(request, key) for key in ABOUT}
    return AboutStatement(**told) if any(told.values()) else None


def _title(table: PlannedTable, number: int) -> str | None:
    """The title of a table; of a product's other tables with what they are broken down by."""
    title = table.written.title
    if title is None or number == 0:
        return title
    worker = table.marginal.published[number].worker
    return (
        f"{title}: {crossed(dimension.attribute.label or dimension.name for dimension in worker)}"[
            :LONGEST_TITLE
        ]
    )


def _attributes(marginal: Marginal) -> dict[str, AttributeStatement]:
    """What the codebook calls the table's identifiers."""
    return {
        dimension.name: AttributeStatement(
            label=dimension.attribute.label, note=dimension.attribute.note
        )
        for dimension in marginal.dimensions
        if dimension.attribute.label is not None or dimension.attribute.note is not None
    }


def _declared(marginal: Marginal, plan: Plan) -> tuple[Dimension, ...]:
    """The dimensions whose codes are those of the codebook; classes of a plan have their own."""
    known = plan.codebook.attributes
    found = (dimension for dimension in marginal.dimensions if dimension.name in known)
    return tuple(
        dimension for dimension in found if dimension.attribute.codes == known[dimension.name].codes
    )


def _impossible(marginal: Marginal, plan: Plan) -> tuple[dict[str, str], ...]:
    """What the codebook calls impossible, of the table's attributes and codes."""
    listed = {dimension.name: dimension.codes for dimension in _declared(marginal, plan)}
    return tuple(
        dict(one)
        for one in plan.codebook.impossible
        if all(code in listed.get(name, ()) for name, code in one.items())
    )


def _parents(marginal: Marginal, plan: Plan) -> dict[str, ParentStatement]:
    """For coarser attributes of the plan's tables, the parents of the codes of this one."""
    asked = {
        dimension.name
        for table in plan.tables
        for part in table.marginal.published
        for dimension in part.dimensions
    } - {dimension.name for dimension in marginal.dimensions}
    found: dict[str, ParentStatement] = {}
    for dimension in _declared(marginal, plan):
        for name, parents in plan.codebook.parents(dimension.name).items():
            if name in asked:
                kept = {code: parents[code] for code in dimension.codes}
                found[name] = ParentStatement(of=dimension.name, codes=kept)
    return found


def _joint(table: PlannedTable, number: int) -> JointStatement | None:
    """That a table is one of a product, and the public size of its noise; None if it is not."""
    parts = table.marginal.published
    if not table.marginal.breakdowns:
        return None
    found = table.measurement.deviations
    unit, deviation = (None, None) if found is None else (found[0], f"{found[1][number]:.9f}")
    rest = number > 0 and table.marginal.breakdowns[number - 1].rest
    others = ", ".join(part.name for part in parts if part is not parts[number])
    said = f"Drawn together with {others}: the guarantee is that of all of them, paid once. "
    adds = f"In each workplace combination its rows add up to {parts[0].name}."
    leaves = f"Its rows may leave jobs out, so they need not add up to {parts[0].name}."
    if number == 0:
        adds = "It is what the rows of each of them that leave no jobs out add up to."
    return JointStatement.model_validate(
        {
            "name": table.name,
            "covers": not rest,
            "unit": unit,
            "deviation": deviation,
            "sentence": said + (leaves if rest else adds),
        }
    )


def _margins(measurement: Measurement, columns: tuple[str, ...]) -> MarginStatement:
    rule = measurement.margins
    coverage = None if rule.coverage is None else str(rule.coverage)
    return MarginStatement(
        method=rule.method,
        coverage=coverage,
        block_coverage=coverage if any(column.startswith(BLOCK) for column in columns) else None,
        ends="low" in columns,
        epsilon=str(rule.epsilon) if rule.epsilon else None,
        note=rule.note,
    )


def _totals(marginal: Marginal, seed: int, *, drawn: bool) -> TotalsStatement | None:
    """What there is to say of totals before there are rows; None without totals."""
    if not marginal.totals:
        return None
    named = [dimension for dimension in marginal.dimensions if dimension.name in marginal.totals]
    return TotalsStatement(
        codes={dimension.name: dimension.attribute.total or "" for dimension in named},
        rows=0,
        draws=DRAWS if drawn else None,
        seed=seed if drawn else None,
        sentence=ADDED + (DRAWN if drawn else ""),
    )
