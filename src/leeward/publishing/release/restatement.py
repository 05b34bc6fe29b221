"""Restatement: what a certificate says that follows from its other parts, stated again.

A certificate can be forged with its checksums. What follows from its plan, its tables and its codes
is computed again by the functions that write certificates, and must be the same.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import zip_longest
from math import isclose

from pydantic import BaseModel

from leeward.core.codebook import STATISTICS, Marginal
from leeward.core.codebook.legal_passages import BUILT_IN, NONE, read_law
from leeward.core.codebook.row_rules import NULL_RULES, NUMBER_RULES, ROW_RULES
from leeward.core.errors import LeewardError
from leeward.core.noise.scales import public_seed
from leeward.core.privacy.pay_sentences import PayRead, about_pay
from leeward.publishing.bundle import Certificate, DataStatement, RowsStatement
from leeward.publishing.bundle.promise_statements import (
    PartsStatement,
    curve_statements,
    make_up_promise,
)
from leeward.publishing.bundle.software import wrote_words
from leeward.publishing.ledger.account import covers, owed
from leeward.publishing.plan.planned_table import curve_of
from leeward.publishing.plan.reading import read_jobs, read_rows
from leeward.publishing.plan.request import Request, digest_of
from leeward.publishing.plan.stated_plan import (
    Disagrees,
    StatedTable,
    priced_again,
    stated_charge,
    stated_price,
    stated_request,
    stated_tables,
)
from leeward.publishing.release.certify import (
    about,
    pay_statement,
    promises,
    table_statements,
)
from leeward.publishing.release.charge import KEYED, SMALLEST_PART, budget
from leeward.publishing.release.ledger_check import price_findings, stated_account

ROUNDING = 1e-6
"""How far numbers in double precision may differ between two processors, in proportion."""


def certificate_findings(certificate: Certificate) -> tuple[str, ...]:
    """What does not follow from the rest of a certificate by itself.

    Sums are compared always, words where this version wrote them.
    """
    findings = tuple(_sums(certificate))
    if not findings and wrote_words(certificate):
        findings = tuple(_words(certificate))
    return findings


def _sums(certificate: Certificate) -> Iterator[str]:
    """Tables, guarantee and payment are one loss; names are the same wherever they are."""
    paid_once = {table.joint.name if table.joint else table.name: table.guarantee.as_guarantee()
                 for table in certificate.tables}  # fmt: skip
    try:
        total, stated = stated_price(certificate, paid_once), certificate.guarantee.as_guarantee()
        if certificate.made_from is None and total != stated:
            yield "guarantee is not what its tables cost together"
        if certificate.made_from is not None and not covers(stated, total):
            yield "guarantee is less than what its tables cost together"
        yield from price_findings(certificate)
        account, spent = stated_account(certificate), certificate.budget.spent.as_guarantee()
        losses = (spent.epsilon, spent.delta, spent.rho, spent.epsilon_job)
        # Of longer numbers what is left was rounded.
        if max(loss.denominator for loss in losses) < SMALLEST_PART:
            left = budget(account, owed(stated, account.cap)).left
            yield from _differences(certificate.budget.left, left, "budget.left")
    except Disagrees as problem:
        yield str(problem)
    except LeewardError as refusal:
        yield f"guarantee, budget or what a table costs: {refusal.rule}"
    software = certificate.software
    program = certificate.leeward if software is None else software.leeward
    twice = {
        "plan.account": (certificate.plan.get("account"), certificate.account),
        "plan.period": (certificate.plan.get("period"), certificate.period),
        "software.leeward": (program, certificate.leeward),
    }
    yield from (f"{place} is another one" for place, (own, other) in twice.items() if own != other)


def _words(certificate: Certificate) -> Iterator[str]:
    """Everything that a release would state of this plan, these codes and these rows."""
    try:
        request = stated_request(certificate)
        tables = tuple(stated_tables(certificate, request))
        again = _again(certificate, request, tables)
    except Disagrees as problem:
        yield str(problem)
        return
    except LeewardError as refusal:
        yield f"no release has such a plan: {refusal.rule}"
        return
    if all(table.planned is not None for table in tables):
        planned = [table.planned for table in tables if table.planned is not None]
        again["curve"] = (curve_statements(curve_of(stated_charge(certificate, tables), planned)),)
    for name, choices in again.items():
        differences = [
            [*_differences(getattr(certificate, name), choice, name)] for choice in choices
        ]
        yield from () if [] in differences else differences[0]
    yield from _table_words(certificate, tables)


def _again(
    certificate: Certificate, request: Request, tables: Sequence[StatedTable]
) -> dict[str, tuple[object, ...]]:
    """Each part as it may be: what depends on the codebook's columns has several forms."""
    strict = read_rows(request.rows)
    jobs, charge = read_jobs(request.jobs, strict=strict), stated_charge(certificate, tables)
    planned_tables = [table.planned for table in tables if table.planned is not None]
    marginals = [table.marginal for table in planned_tables]
    by_cell = all(
        planned_table.measurement.by_cell
        for planned_table in planned_tables
        if not planned_table.marginal.counts_every_job
    )
    kinds = certificate.weak_attributes if charge.policy.name == "weak" else None
    rules = [
        (*ROW_RULES, *of_numbers, *of_nulls)
        for of_numbers in ((), NUMBER_RULES)
        for of_nulls in ((), NULL_RULES)
    ]
    law = certificate.law  # a text of the office
    if request.law in (NONE, *BUILT_IN):  # one that comes with the program
        law = read_law(request.law, BUILT_IN["us-title13"].parent)
    once: dict[str, object] = {
        "plan_digest": digest_of(request, certificate.codebook_digest),
        **promises(charge, jobs, strict=strict),
        "parts": PartsStatement.of(priced_again(certificate, tables)),
        "make_up": make_up_promise(charge, kinds, by_cell=by_cell),
        "weak_attributes": kinds,
        "about": about(request),
        "law": law,
        "data": DataStatement(fingerprint=certificate.data.fingerprint, keyed=KEYED),
    }
    return {name: (part,) for name, part in once.items()} | {
        "pay": tuple(
            pay_statement(about_pay(charge, jobs, read)) for read in _pay_read(tables, marginals)
        ),
        "rows": tuple(RowsStatement.of(rule, strict=strict) for rule in rules),
    }


def _pay_read(tables: Sequence[StatedTable], marginals: Sequence[Marginal]) -> Iterator[PayRead]:
    """What the release may have read of pay: the codebook says which attributes are its classes.

    A tidy bundle leaves tables of pay out. Whether those count every job is not in its certificate.
    """
    read = PayRead.of(marginals)
    without = [table.written for table in tables if table.planned is None]
    capped = [name for name, statistic in STATISTICS.items() if statistic.capped]
    paid = any(table.statistic in capped for table in without)
    yield read if not paid else PayRead(read.classes, payroll=True)
    yield PayRead(classes=True, payroll=read.payroll or paid)
    if paid and not read.classes:
        yield PayRead(payroll=True, whole=True)


def _table_words(certificate: Certificate, tables: Sequence[StatedTable]) -> Iterator[str]:
    """What follows from the plan; how many rows are totals follows from the rows."""
    places = {table.name: f"tables[{at}]" for at, table in enumerate(certificate.tables)}
    for table in tables:
        if table.planned is None:
            continue
        seed = public_seed(certificate.plan_digest, table.written.name)
        for number, stated in enumerate(table.certified):
            again, released = table_statements(table.planned, number, seed), stated.as_released
            if again["totals"] is not None and stated.totals is not None:
                of_totals = {"rows": stated.totals.rows}
                again["totals"] = again["totals"].model_copy(update=of_totals)
            for name, part in again.items():
                place = f"{places[stated.name]}.{name}"
                yield from _differences(getattr(released, name), part, place)


def _differences(stated: object, again: object, place: str) -> Iterator[str]:
    """The places at which two statements differ."""
    if isinstance(stated, BaseModel) and isinstance(again, BaseModel):
        stated, again = vars(stated), vars(again)
    if isinstance(stated, Mapping) and isinstance(again, Mapping):
        if [*stated] != [*again]:
            yield f"{place} has other keys than follow from the rest"
            return
        for key, part in stated.items():
            yield from _differences(part, again[key], f"{place}.{key}")
    elif isinstance(stated, list | tuple) and isinstance(again, list | tuple):
        for at, pair in enumerate(zip_longest(stated, again)):
            yield from _differences(*pair, f"{place}[{at}]")
    elif not _same(stated, again, place):
        yield f"{place} does not follow from the rest"


SEARCHED = ("joint.deviation", "budget.left.epsilon")
"""Numbers in text that were found with floats: of a spent ρ, the ε that is left."""


def _same(stated: object, again: object, place: str) -> bool:
    """Equal, or equal up to rounding where no guarantee depends on a number."""
    if place.endswith(SEARCHED) and isinstance(stated, str) and isinstance(again, str):
        stated, again = float(Fraction(stated)), float(Fraction(again))
    if isinstance(stated, float) and isinstance(again, float):
        return isclose(stated, again, rel_tol=ROUNDING)
    return stated == again
