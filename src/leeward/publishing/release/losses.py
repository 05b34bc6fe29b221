"""Losses: what a check says of jobs that no table counts, and when that is too much.

CONFIDENTIAL: for the operator. A release says nothing of it, whatever the rows are.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from leeward.core.codebook import COUNT, Attribute, Finding, Loss, Marginal, Steps
from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import Number, rational
from leeward.core.show.numbers import counted, share
from leeward.publishing.engines.engine import Engine
from leeward.publishing.plan.plan import Plan

MOST = "5%"
"""The share of jobs that may be lost to a table before a check ends with exit code 4."""

LISTED = 6
"""Maximum number of tables that are named one by one."""

HALF = Fraction(1, 2)
"""The share of rows that may count as unknown."""

EVERY_TABLE = "every table"
NOISE = "a release would publish noise around 0"


def read_most(written: Number, parameter: str) -> Fraction:
    """A share such as 5%, 0.05 or 1/20."""
    text = written.strip() if isinstance(written, str) else written
    try:
        if isinstance(text, str) and text.endswith("%"):
            most = rational(text[:-1].strip(), parameter) / 100
        else:
            most = rational(text, parameter)
    except InvalidParameter:
        most = Fraction(-1)
    if not 0 <= most <= 1:
        raise InvalidParameter(
            parameter,
            rule="must be a share from 0% to 100%",
            value=shown(written),
            next_step="Write a share such as 5%.",
        )
    return most


UNCODED = frozenset({"missing_code", "unlisted_code", "missing_number"})
"""Rules of findings by which a job may have no code."""


def find_losses(
    plan: Plan, engine: Engine, findings: Iterable[Finding], steps: Steps
) -> tuple[Loss, ...]:
    """The jobs that every table, each table of a plan, and tables by each attribute lose.

    Another plan with the same codebook needs no further check, so all its attributes are asked.
    Only columns in which something was found are looked at again.
    """
    suspects = {(finding.table, finding.column) for finding in findings if finding.rule in UNCODED}
    wanted = {EVERY_TABLE: frozenset[Attribute]()}
    for name, attribute in plan.codebook.attributes.items():
        if not attribute.of_workplaces:
            wanted[f"tables by {name}"] = frozenset({attribute})
    for table in plan.tables:
        for part in table.marginal.published:
            wanted[f"table {part.name}"] = needed_attributes(part)
    sets = [
        frozenset(part for part in needed if (part.table, part.column) in suspects)
        for needed in wanted.values()
    ]
    rests = [
        rest
        for attribute in plan.codebook.attributes.values()
        if (attribute.table, attribute.column) in suspects
        for rest in _rests(attribute)
    ]
    wanted_sets = [*sets, *(frozenset({without}) for without, _ in rests)]
    lost, jobs = engine.count_lost(plan.codebook, plan.jobs, steps, wanted_sets)
    every = lost[0]  # jobs that no table counts count as no code either
    return (
        *(Loss(what, rows, jobs) for what, rows in zip(wanted, lost, strict=False)),
        *(
            replace(rest, lost=rows - every, of=jobs)
            for (_, rest), rows in zip(rests, lost[len(sets) :], strict=True)
        ),
    )


def _rests(attribute: Attribute) -> Iterator[tuple[Attribute, Loss]]:
    """An attribute of workplaces without the code for all other texts, and without that for nulls.

    Few establishments may have many of the jobs.
    """
    if not attribute.of_workplaces or attribute.origin is not None:
        return
    for position, without, what in (
        (attribute.unlisted, replace(attribute, unlisted=None), "an unlisted"),
        (attribute.missing, replace(attribute, missing=None), "no"),
    ):
        if position is None:
            continue
        code = attribute.codes[position]
        most = HALF if what == "no" and code == attribute.unknown else Fraction(0)
        yield without, Loss(f"workplaces with {what} {attribute.name}", 0, 0, code, most)


def needed_attributes(marginal: Marginal) -> frozenset[Attribute]:
    """The attributes of workers and jobs of which a job needs a code to count in a table.

    What is no number counts as 0 in statistics of pay: there it is lost too.
    """
    statistic = marginal.statistic
    attributes = {dimension.attribute for dimension in (*marginal.dimensions, *marginal.filters)}
    needed = {*attributes, *statistic.needs}
    return frozenset(
        attribute.unfolded
        if attribute.numbers is not None and statistic is not COUNT
        else attribute
        for attribute in needed
        if not attribute.of_workplaces
    )


def judgement(losses: Sequence[Loss], findings: Sequence[Finding], most: Fraction) -> list[str]:
    """What is lost beyond `most`, in words; nothing if no table loses more."""
    # Codes for all others, and for none, under which many jobs count.
    into = [
        f"{_part(loss)} are of {loss.what}, and count as {loss.into}."
        for loss in losses
        if loss.into is not None and beyond(loss.lost, loss.of, max(most, loss.most)) and loss.of
    ]
    return [*_of_tables(losses, most), *_of_rows(findings, most), *_of_rests(findings, most), *into]


def beyond(lost: int, of: int, most: Fraction) -> bool:
    """Whether more than this share is lost, exactly; of nothing all is lost."""
    return lost > most * of or of == 0


def _of_tables(losses: Sequence[Loss], most: Fraction) -> Iterator[str]:
    if not losses:
        return
    every, *tables = (loss for loss in losses if loss.into is None)
    if every.of == 0:
        yield f"There is no job: {NOISE}."
        return
    if every.lost == every.of:
        yield f"Every job is lost: {NOISE}."
        return
    if beyond(every.lost, every.of, most):
        yield f"Every table loses {_part(every)}."
    worse = [
        table for table in tables if beyond(table.lost, table.of, most) and table.lost > every.lost
    ]
    for loss in worse[:LISTED]:
        name = f"{loss.what[0].upper()}{loss.what[1:]}"
        loses = "loses" if loss.what.startswith("table ") else "lose"
        everything = f"{loses} every job: {NOISE} there"
        yield f"{name} {everything if loss.lost == loss.of else f'{loses} {_part(loss)}'}."
    if worse[LISTED:]:
        yield f"So do {len(worse[LISTED:])} more, which --json lists."


def _part(loss: Loss) -> str:
    return f"{share(loss.lost, loss.of)} of the jobs ({loss.lost:,} of {counted(loss.of, 'job')})"


FRACTION = "number with a fraction"
ABOVE_LIMIT = "job above the limit"
UNSOUND: Mapping[str, str] = {
    "duplicate job": "repeat another row and do not count. Do both keys say what they should?",
    "worker and workplace once more": "repeat worker and workplace, and count once more. Do the "
    "rows have several periods?",
    ABOVE_LIMIT: "do not count, since other jobs of the same worker do. Is this the right key?",
    "duplicate id": "repeat the id of another row and do not count. Is this the right key?",
    "missing rank": "have no number by which the primary job is chosen.",
    "number below low": "have a number below low, and count as low. Are low and unit right?",
    FRACTION: "have a point, after which no digit counts. Is the unit right, or does it separate "
    "thousands?",
    "number above cap": "have a number above the cap, and count as the cap. Is the unit right?",
}
"""Problems that lose no job by themselves, and what they mean where very many rows have them."""


def _of_rows(findings: Iterable[Finding], most: Fraction) -> Iterator[str]:
    """Rows that do not count as they are, where nobody can have meant so many."""
    for finding in findings:
        unsound = finding.problem in UNSOUND and (finding.doubtful or finding.problem != FRACTION)
        # A limit is there to leave jobs out.
        allowed = max(most, HALF) if finding.problem == ABOVE_LIMIT else most
        if unsound and not finding.refuses and beyond(finding.rows, finding.of, allowed):
            rows = _rows(finding.table, finding.column, finding.rows, finding.of)
            yield f"{rows} {UNSOUND[finding.problem]}"


def _rows(table: str, column: str, rows: int, of: int) -> str:
    return f"{table}.{column}: {share(rows, of)} of the rows ({rows:,} of {of:,})"


def _of_rests(findings: Iterable[Finding], most: Fraction) -> Iterator[str]:
    """Codes that too many rows count as which have another text or none.

    A code for unknown may stand for half of the rows, but not for texts that are no code: of two
    codes a wrong spelling of one is less than half of the rows.
    """
    rests: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in findings:
        if finding.into is not None:
            rests.setdefault((finding.table, finding.column, finding.into), []).append(finding)
    for (table, column, code), folded in rests.items():
        rows, of = sum(finding.rows for finding in folded), folded[0].of
        doubtful = sum(finding.rows for finding in folded if finding.doubtful)
        if doubtful > most * of or rows > HALF * of:
            yield f"{_rows(table, column, rows, of)} count as {code}, the code for all others."


def as_json(loss: Loss) -> Mapping[str, object]:
    """A loss as an object."""
    part = float(Fraction(loss.lost, loss.of)) if loss.of else None
    rest = {} if loss.into is None else {"counts_as": loss.into}
    return {"what": loss.what, "lost": loss.lost, "of": loss.of, "share": part, **rest}
