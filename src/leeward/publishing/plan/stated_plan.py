"""Stated plan: the tables of a plan, made again from what a certificate says of them.

A certificate quotes the plan and lists the codes, so every table can be calibrated again by the
functions that read plans. No codebook and no data are read.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from pydantic import ValidationError

from leeward.core.codebook import (
    COUNT,
    STATISTICS,
    Attribute,
    Breakdown,
    Marginal,
    NumericRange,
    Statistic,
)
from leeward.core.codebook.marginal import TOTAL
from leeward.core.errors import LeewardError
from leeward.core.mechanisms.parameters import AUTO
from leeward.core.mechanisms.registry import IN_PLANS
from leeward.core.mechanisms.table_measurement import measurement
from leeward.core.privacy import Guarantee, sequential
from leeward.core.privacy.guarantee import JOB_LOSSES
from leeward.core.privacy.public_parts import PricedTables, PublicParts
from leeward.publishing.bundle import Certificate, CertifiedTable
from leeward.publishing.bundle.table_statements import StatisticStatement
from leeward.publishing.bundle.total_check import stated_marginal
from leeward.publishing.plan.planned_table import PlannedTable, kept_codes, part_of
from leeward.publishing.plan.reading import read_margins, read_protection, read_shares
from leeward.publishing.plan.request import Request, WrittenTable, as_list, total_names
from leeward.publishing.plan.statistic_reading import of_column


class Disagrees(Exception):
    """A certificate whose parts cannot be of one plan; the message says which."""


@dataclass(frozen=True)
class StatedTable:
    """A table of the plan with the certified tables that were made of it.

    A tidy bundle leaves some tables out: then there are none, and no measurement either.
    """

    written: WrittenTable
    part: Guarantee
    certified: tuple[CertifiedTable, ...]
    planned: PlannedTable | None

    @property
    def charge(self) -> Guarantee:
        """What it costs; one that was left out cost its part of the budget, of δ at most."""
        return self.part if self.planned is None else self.planned.charge


def stated_request(certificate: Certificate) -> Request:
    """The plan that a certificate quotes."""
    try:
        request = Request.model_validate(certificate.plan)
    except (ValidationError, RecursionError):
        raise Disagrees("plan is not a plan") from None
    if request.public() != certificate.plan:
        raise Disagrees("plan is not written as a release writes it")
    return request


def stated_tables(certificate: Certificate, request: Request) -> Iterator[StatedTable]:
    """The tables of the plan in their order, each calibrated again."""
    try:
        guarantee, shares = read_protection(request.protect), read_shares(request.tables)
    except LeewardError as refusal:
        raise Disagrees(f"plan.protect or a share of plan.tables {refusal.rule}") from None
    named = []  # the tables that are written of each table of the plan
    for written in request.tables:
        parts = (TOTAL, *("_".join(as_list(breakdown)) for breakdown in written.breakdowns))
        of_parts = [f"{written.name}_{part}" for part in parts]
        named.append(of_parts if written.breakdowns else [written.name])
    stated = {table.name: table for table in certificate.tables}
    kept = [names for names in named if any(name in stated for name in names)]
    if [name for names in kept for name in names] != [*stated]:
        raise Disagrees("tables are not those of plan.tables")
    for written, names, share in zip(request.tables, named, shares, strict=True):
        certified = tuple(stated[name] for name in names if name in stated)
        if not certified and certificate.made_from is None:
            raise Disagrees(f"tables does not have the table {written.name} of plan.tables")
        yield _made_again(in_part(written, request), certified, guarantee, share)


def stated_parts(certificate: Certificate, tables: Iterable[WrittenTable]) -> PublicParts:
    """The public parts of tables of the plan, by the attributes that the certificate names.

    Without such a statement the prices add up, which is never less.
    """
    names = () if certificate.parts is None else certificate.parts.attributes
    policy = certificate.guarantee.as_guarantee().policy
    return PublicParts.of(policy, [kept_codes(written, names) for written in tables])


def stated_price(certificate: Certificate, paid: Mapping[str, Guarantee]) -> Guarantee:
    """What the certified tables cost together, by the name that each has in the plan."""
    if certificate.parts is None:
        return sequential(*paid.values())
    written = [table for table in stated_request(certificate).tables if table.name in paid]
    if len(written) < len(paid):
        raise Disagrees("tables are not those of plan.tables")
    named = {*certificate.parts.attributes}
    filters = {table.name: kept_codes(table, named) for table in written}
    for table in certificate.tables:
        kept = filters.get(table.name, {})
        if any({*table.kept(name)} != codes for name, codes in kept.items()):
            raise Disagrees(f"tables has other codes of {table.name} than plan.tables keeps")
        restricted = {*(table.where or {}), *table.worker_identifiers}
        inside = table.kind == "worker" and restricted <= named
        if paid[written[0].name].policy.uses_alpha and (
            inside or not named.isdisjoint(table.worker_identifiers)
        ):
            raise Disagrees("parts.attributes has an attribute of workers or jobs")
    charges = [paid[table.name] for table in written]
    return stated_parts(certificate, written).price(charges)


def priced_again(certificate: Certificate, tables: Sequence[StatedTable]) -> PricedTables:
    """The tables of the plan with what they cost together."""
    written = [table.written for table in tables]
    return PricedTables(
        stated_parts(certificate, written),
        tuple(table.name for table in written),
        tuple(table.charge for table in tables),
    )


def stated_charge(certificate: Certificate, tables: Sequence[StatedTable]) -> Guarantee:
    """What the release cost. The δ of a table that a tidy bundle leaves out is all or nothing.

    It is that of its mechanism, which the certificate does not name: any sum is possible between
    that of no such table and that of all. So it is with what one job costs.
    """
    charge = priced_again(certificate, tables).price
    stated = certificate.guarantee.as_guarantee()
    left_out = [table.part for table in tables if table.planned is None]
    for name in ("delta", *JOB_LOSSES) if left_out else ():
        most, said = sum(getattr(part, name) for part in left_out), getattr(stated, name)
        if 0 <= getattr(charge, name) - said <= most:
            charge = replace(charge, **{name: said})
    return charge


def in_part(written: WrittenTable, request: Request) -> WrittenTable:
    """A table with the part of the frame, which all tables of a plan read, as its filter."""
    where = {**written.where, **{name: [code] for name, code in (request.part or {}).items()}}
    return written.model_copy(update={"where": where}) if request.part else written


def _made_again(
    written: WrittenTable, parts: tuple[CertifiedTable, ...], guarantee: Guarantee, share: Fraction
) -> StatedTable:
    rows = parts[0].person_rows if parts else None
    try:
        part = part_of(guarantee, share, rows)
        if not parts:
            return StatedTable(written, part, (), None)
        marginal = _marginal(written, parts)
        names = {table.mechanism for table in parts}
        # The plan names it; where it leaves the choice, it is the one that is stated.
        chosen = names.pop() if written.mechanism == AUTO else written.mechanism
        if names - {chosen} or chosen not in IN_PLANS:
            raise Disagrees(f"tables has other mechanisms for {written.name} than its plan")
        made = measurement(chosen, marginal, part, read_margins(written.margins))
        planned = PlannedTable.priced(marginal, written, (made, ""), part, rows)
    except (LeewardError, ValueError, TypeError, LookupError, ArithmeticError) as problem:
        reason = problem.rule if isinstance(problem, LeewardError) else "it cannot be made again"
        raise Disagrees(f"tables has {written.name}, which no plan gives: {reason}") from None
    return StatedTable(written, part, parts, planned)


def _marginal(written: WrittenTable, parts: Sequence[CertifiedTable]) -> Marginal:
    """The table as the plan asks for it, with the codes that are stated.

    Identifiers and codes must be those of the plan, workplaces first.
    """
    first, *broken = map(stated_marginal, parts)
    last = -1 if STATISTICS[written.statistic].in_classes() else None
    for number, table in enumerate(parts):
        worker = table.worker_identifiers[:last]
        by = as_list(written.breakdowns[number - 1]) if number else written.by
        own = (*(() if number else table.workplace_identifiers), *worker)
        if sorted(own, key=by.index) != by or [*worker] != [name for name in by if name in worker]:
            raise Disagrees(f"tables has other identifiers for {table.name} than plan.tables")
        for name, codes in written.where.items():
            if {*table.kept(name)} != {*as_list(codes)}:
                raise Disagrees(f"tables has other codes of {name} than plan.tables keeps")
        if {*(table.where or {})} - {*written.where}:
            raise Disagrees(f"tables has filters of {table.name} that plan.tables has not")
    statistic = _statistic(written, parts[0])
    return replace(
        first,
        name=written.name,
        worker=(*first.worker[:-1], statistic.classes) if statistic.classes else first.worker,
        complete=written.complete,
        statistic=statistic,
        establishments=written.establishments,
        totals=tuple(name for name in written.by if name in total_names(written)),
        breakdowns=tuple(Breakdown(marginal.worker) for marginal in broken),
    )


def _statistic(written: WrittenTable, table: CertifiedTable) -> Statistic:
    """The statistic of the plan; unit and public bounds of a column are those that are stated.

    Classes of a column of pay end where the next of the stated edges begins.
    """
    kind, name = STATISTICS[written.statistic], str(written.of)
    if "of" not in kind.takes:
        return COUNT
    if kind.requires:
        of = Attribute(name, "jobs", name, kind.requires, kind.requires, False, {})
        return of_column(kind, of, written)
    stated = table.statistic
    if not isinstance(stated, StatisticStatement):
        raise Disagrees(f"tables does not say of which column {table.name} is")
    ends = (stated.edges or (stated.low, stated.cap))[1:]
    texts: Mapping[str, str] = table.codes.get(name, {str(end): str(end) for end in ends})
    bounds = tuple((code, end - 1) for code, end in zip(texts, ends, strict=True))
    known = (table.attributes or {}).get(name)
    of = Attribute(
        name,
        "jobs",
        name,
        tuple(texts),
        tuple(texts.values()),
        public=False,
        recode={code: at for at, code in enumerate(texts)},
        numbers=NumericRange(
            stated.low, stated.cap, stated.unit, stated.period, bounds, stated.cap_from
        ),
        label=None if known is None else known.label,
        note=None if known is None else known.note,
    )
    return of_column(kind, of, written)
