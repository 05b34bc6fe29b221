"""Plan problems: what keeps a plan from being released although each part of it can be read."""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from leeward.core.codebook import TABLES, PrimaryJob
from leeward.core.errors import InvalidParameter, LeewardError, shown
from leeward.core.privacy.guarantee import JOB_LOSSES
from leeward.core.privacy.job_sentences import most_jobs
from leeward.core.privacy.odds_of_suspicion import odds
from leeward.core.privacy.sentences import worker
from leeward.publishing.bundle.bundle_files import TABLE_NAME
from leeward.publishing.plan.planned_table import Context, PlannedTable, curve_of, parts_of
from leeward.publishing.plan.request import PLACEHOLDERS, TO_TYPE, Request, WrittenTable

if TYPE_CHECKING:
    from leeward.publishing.plan.plan import Plan

MOST_DIGITS = 1500
"""Maximum number of digits of a numerator or denominator; a certificate reads up to 1800."""

MOST_LISTED_BYTES = 1 << 27
"""Maximum size of all codes and labels in bytes; a reader stops at certificates of 2^30 bytes."""

MOST_KIND_CHARACTERS = 10_000
"""Maximum length in characters of the list of attributes that make kinds; a sentence has 20,000."""

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


def require_promise(plan: "Plan") -> None:
    """What cannot be promised to a worker with all jobs is rejected before it is charged."""
    plan.charge.for_jobs(most_jobs(plan.jobs))
    worker(plan.charge, plan.jobs)
    odds(plan.charge)
    curve_of(plan.charge, plan.tables)
    _ = plan.pay


def plan_problems(plan: "Plan") -> Iterator[LeewardError]:
    """What a certificate could not state, and what the protected unit does not allow."""
    charges = (plan.charge, *(table.charge for table in plan.tables))
    named = ("epsilon", "delta", "rho", *JOB_LOSSES)
    losses = [getattr(paid, loss) for paid in charges for loss in named]
    if max(max(loss.numerator, loss.denominator) for loss in losses) >= 10**MOST_DIGITS:
        yield InvalidParameter(
            "tables.share",
            rule=f"must share the budget in fractions of at most {MOST_DIGITS} digits",
            value="a longer fraction",
            next_step="Write shares with fewer digits.",
        )
    yield from _problems_of_units(plan)
    kinds = len(", ".join(plan.weak_attributes or ()))
    if kinds > MOST_KIND_CHARACTERS:
        yield InvalidParameter(
            "protect.policy",
            rule="must not be weak where the names of all attributes of workers and jobs, which a "
            f"sentence lists, have more than {MOST_KIND_CHARACTERS} characters together",
            value=f"{kinds} characters",
            next_step="Leave attributes that no table uses out of the codebook, or shorten names.",
        )
    parts = [part for table in plan.tables for part in table.marginal.published]
    used = [
        dimension.attribute for part in parts for dimension in (*part.dimensions, *part.filters)
    ]
    texts = (text for attribute in used for text in (*attribute.codes, *attribute.labels))
    listed = sum(len(text.encode(errors="replace")) for text in texts)
    if listed > MOST_LISTED_BYTES:
        yield InvalidParameter(
            "plan",
            rule=f"must list at most {MOST_LISTED_BYTES} bytes of codes and labels in its tables",
            value=f"{listed} bytes",
            next_step="Release fewer tables at once, or with coarser attributes.",
        )


def _problems_of_units(plan: "Plan") -> Iterator[LeewardError]:
    """Employers that are not in the data, raises that choose jobs, establishments merged."""
    by_employer = plan.asked.unit == "employer"
    if by_employer and plan.codebook.keys.workplaces.employer is None:
        yield InvalidParameter(
            "protect.unit",
            rule="must be establishment where the codebook does not name the employer's column",
            value="employer",
            next_step="Add the column to the codebook, tables: {workplaces: {employer: …}}, or "
            "leave unit out.",
        )
    if plan.asked.policy.name == "proportional" and isinstance(plan.jobs, PrimaryJob):
        yield InvalidParameter.unwanted(
            "jobs.primary",
            "under the proportional policy: a raise of all, one step of it, may change which job "
            "of each of them counts",
            value=shown(plan.jobs.column),
            next_step="Leave jobs out, write jobs: {max_per_worker: …}, or plan under strong.",
        )
    tables = [table for table in plan.tables if "unit" in table.marginal.statistic.forbids]
    if by_employer and tables:
        value = f"employer, with {shown(tables[0].name)}"
        yield tables[0].marginal.statistic.rejection("unit", value, parameter="protect.unit")


def share_problems(
    context: Context,
    written: Sequence[WrittenTable],
    planned: Sequence[PlannedTable | None],
    shares: Sequence[Fraction],
) -> Iterator[LeewardError]:
    """Shares that add up to too much where some establishment, job or person is in all tables.

    A table whose SQL could not be read has a problem of its own, and filters that are not known.
    """
    if context.asked is None or context.codebook is None:
        return
    pairs = zip(written, planned, strict=True)
    tables = [table if read is None else read.written for table, read in pairs]
    parts = parts_of(context.asked.policy, tables, context.codebook)
    total, part = parts.largest(shares)
    if total > 1 and all(tables[at].sql is None for at in part.tables):
        together = f" over tables that count the same {parts.unit}" if parts.apart else ""
        names = ", ".join(tables[at].name for at in part.tables)
        where = f" for {part.place} ({names})" if parts.apart else ""
        yield InvalidParameter(
            "tables.share",
            rule=f"must add up to at most 1{together}",
            value=f"{shown(total)}{where}",
            next_step="Lower some shares.",
        )


def clashes(tables: Sequence[PlannedTable]) -> Iterator[LeewardError]:
    """Names of tables that a product writes, which are too long or taken."""
    written = [(table.name, part.name) for table in tables for part in table.marginal.published]
    taken = [part.lower() for _, part in written]
    for product, part in written:
        sound = re.fullmatch(TABLE_NAME, part) and taken.count(part.lower()) == 1
        if part != product and not sound:
            yield InvalidParameter(
                "tables.name",
                rule="must give the tables of a product names of at most 63 characters that no "
                "other table has",
                value=f"{shown(product)}, which writes {shown(part)}",
                next_step="Change the name of one of the tables.",
            )


def request_problems(request: Request) -> Iterator[LeewardError]:
    """Tables of which some are missing, and names that cannot be used."""
    missing = [name for name in TABLES if not getattr(request.data, name)]
    if len(missing) < len(TABLES):  # without any, they are given with the release
        yield from (InvalidParameter.missing(f"data.{name}") for name in missing)
    named = {"account": request.account, "period": request.period}
    for parameter, name in named.items():
        if name == PLACEHOLDERS[parameter]:
            yield InvalidParameter(
                parameter,
                rule=f"must name the {parameter}: a draft has this word in its place",
                value=shown(name),
                next_step=TO_TYPE[parameter],
            )
        if not NAME.fullmatch(name):
            yield InvalidParameter(
                parameter,
                rule="must be 1 to 64 letters, digits, dots, _ or -, a letter or digit first",
                value=shown(name),
                next_step="Change the name.",
            )
    for number, table in enumerate(request.tables):
        if not re.fullmatch(TABLE_NAME, table.name):
            yield InvalidParameter(
                f"tables[{number}].name",
                rule="must be 1 to 63 letters, digits, _ or -, and not begin with -",
                value=shown(table.name),
                next_step="Change the name.",
            )
    names = [table.name.lower() for table in request.tables]
    for number, name in enumerate(names):
        if name in names[:number]:
            yield InvalidParameter(
                f"tables[{number}].name",
                rule="must differ from the names of other tables, also without regard to case",
                value=shown(request.tables[number].name),
                next_step="Change the name.",
            )
