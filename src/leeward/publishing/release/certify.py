"""Certify: the certificate of a release, from its plan and its ledger entry."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from leeward.core.codebook import JobsRule, Marginal
from leeward.core.codebook.marginal import BLOCK, COUNTED
from leeward.core.noise.scales import DRAWS
from leeward.core.privacy import Guarantee
from leeward.core.privacy.words import Sentence
from leeward.core.show.numbers import crossed
from leeward.publishing.bundle import FORMAT, Certificate, CertifiedTable
from leeward.publishing.bundle.bundle_files import table_columns
from leeward.publishing.bundle.noise_statement import NoiseStatement
from leeward.publishing.bundle.promise_statements import (
    JobsStatement,
    PartsStatement,
    PayStatement,
    curve_statements,
    establishment_promise,
    firm_promise,
    make_up_promise,
    odds_statement,
    worker_promise,
)
from leeward.publishing.bundle.software import software
from leeward.publishing.bundle.statements import (
    AboutStatement,
    AttributeStatement,
    ReleaseGuarantee,
    RowsStatement,
    TableGuarantee,
)
from leeward.publishing.bundle.table_statements import (
    FrameStatement,
    JointStatement,
    MarginStatement,
    ParentStatement,
    TotalsStatement,
    statistic_statement,
)
from leeward.publishing.plan.plan import Plan
from leeward.publishing.plan.planned_table import PlannedTable, curve_of
from leeward.publishing.plan.request import ABOUT, Request
from leeward.publishing.release.charge import Payment

Rows = tuple[int, int]
"""The rows of a table, and how many of them are totals."""

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
            "curve": curve_statements(curve_of(plan.charge, plan.tables)),
            "weak_attributes": plan.weak_attributes,
            "rows": RowsStatement.of(plan.codebook.row_rules, strict=plan.strict),
            "pay": pay_statement(plan.pay),
            "parts": PartsStatement.of(plan.priced),
            "about": about(plan.request),
            "law": plan.law,
            "software": software(),
        }
        tables = tuple(
            CertifiedTable(
                **table_statements(table, number, plan.seed(table.name)),
                **_of_codebook(marginal, plan),
                rows=0,
            )
            for table in plan.tables
            for number, marginal in enumerate(table.marginal.published)
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
    tables = []
    for table in draft.tables:
        written, of_totals = rows[table.name]
        totals = table.totals
        if totals is not None:
            totals = totals.model_copy(update={"rows": of_totals})
        tables.append(table.model_copy(update={"rows": written, "totals": totals}))
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
        tables=tuple(tables),
    )


def table_statements(table: PlannedTable, number: int, seed: int) -> dict[str, Any]:
    """What follows from a table and its measurement; the rest is of the codebook and the rows."""
    marginal, measurement = table.marginal.published[number], table.measurement
    margins = measurement.margins
    noise = measurement.cell_noise(number) if marginal.statistic.counts else None
    identifiers = tuple(dimension.name for dimension in marginal.dimensions)
    columns = table.marginal.columns_of(number, measurement.margin_columns)
    coverage = None if margins.coverage is None else str(margins.coverage)
    allowance = None if coverage is None else measurement.words.allowance
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
        "margins": MarginStatement(
            method=margins.method,
            coverage=coverage,
            block_coverage=coverage if any(name.startswith(BLOCK) for name in columns) else None,
            ends="low" in columns,
            epsilon=str(margins.epsilon) if margins.epsilon else None,
            note=margins.note,
        ),
        "bias": " ".join(filter(None, (measurement.words.bias, allowance))) or None,
        "columns": table_columns(identifiers, columns, establishments=marginal.establishments),
        "statistic": statistic_statement(marginal.statistic, count=COUNTED in columns),
        "establishments": FrameStatement() if marginal.establishments else None,
        "totals": _totals(marginal, seed, drawn=coverage is not None),
        "joint": _joint(table, number),
        "noise": None if noise is None else NoiseStatement.of(noise.stated()),
        **_names(table, number),
    }


def about(request: Request) -> AboutStatement | None:
    """What the plan says of its publication; None where it says nothing."""
    words = {key: getattr(request, key) for key in ABOUT}
    return AboutStatement(**words) if any(words.values()) else None


def _names(table: PlannedTable, number: int) -> dict[str, Any]:
    """What a table and its identifiers are called by the plan and the codebook.

    The title of a product's other tables has what they are broken down by.
    """
    marginal, title = table.marginal.published[number], table.written.title
    if title is not None and number > 0:
        labels = (part.attribute.label or part.name for part in marginal.worker)
        title = f"{title}: {crossed(labels)}"[:LONGEST_TITLE]
    attributes = {
        attribute.name: AttributeStatement(label=attribute.label, note=attribute.note)
        for attribute in (dimension.attribute for dimension in marginal.dimensions)
        if (attribute.label, attribute.note) != (None, None)
    }
    return {"title": title, "note": table.written.note, "attributes": attributes or None}


def _of_codebook(marginal: Marginal, plan: Plan) -> dict[str, Any]:
    """What the codebook says of the codes of a table: parents, jobs without one, the impossible.

    Classes of a plan have codes of their own, of which it says nothing. Parents are those in
    coarser attributes of the plan's other tables.
    """
    known = plan.codebook.attributes
    declared = {
        dimension.name: dimension.codes
        for dimension in marginal.dimensions
        if dimension.name in known and dimension.attribute.codes == known[dimension.name].codes
    }
    published = [part for table in plan.tables for part in table.marginal.published]
    names = {dimension.name for part in published for dimension in part.dimensions}
    coarser = names - {dimension.name for dimension in marginal.dimensions}
    parents: dict[str, ParentStatement] = {}
    for identifier, codes in declared.items():
        for name, parent in plan.codebook.parents(identifier).items():
            if name in coarser:
                kept = {code: parent[code] for code in codes}
                parents[name] = ParentStatement(of=identifier, codes=kept)
    partial = marginal.partial(strict=plan.strict)
    impossible = tuple(
        dict(combination)
        for combination in plan.codebook.impossible
        if all(code in declared.get(name, ()) for name, code in combination.items())
    )
    return {
        "parents": parents or None,
        "partial": tuple(dimension.name for dimension in partial) or None,
        "impossible": impossible or None,
    }


def _joint(table: PlannedTable, number: int) -> JointStatement | None:
    """That a table is one of a product, and the public size of its noise; None if it is not."""
    parts = table.marginal.published
    if not table.marginal.breakdowns:
        return None
    noise, unit, deviation = table.measurement.deviations, None, None
    if noise is not None:
        unit, deviation = noise[0], f"{noise[1][number]:.9f}"
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
