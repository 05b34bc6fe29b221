"""`leeward check`: the rows against the codebook, at full size, for the operator's eyes."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from leeward.core.codebook import ROW_RULES
from leeward.core.codebook.resources import read_memory
from leeward.core.codebook.row_rules import AS_THEY_ARE, IMPOSSIBLE, LIMIT, NUMBER_RULES
from leeward.core.errors import LeewardError, Problems, Undisclosed, raise_all
from leeward.core.show.numbers import counted
from leeward.interface.commands.options import Memory, Most, PlanFile, Spill
from leeward.interface.commands.screen import (
    CONFIDENTIAL,
    EXCEEDED,
    REFUSED,
    note,
    progress,
    show,
)
from leeward.publishing.plan.plan import Plan, read_plan
from leeward.publishing.release.check import Checked, check_rows, open_data
from leeward.publishing.release.losses import MOST, read_most
from leeward.publishing.release.losses import as_json as loss_as_json

RULES = (*ROW_RULES, *NUMBER_RULES, IMPOSSIBLE, LIMIT, AS_THEY_ARE)
SENTENCES = {rule.id: rule.sentence for rule in RULES}


def check_command(
    plan: PlanFile,
    as_json: Annotated[bool, typer.Option("--json", help="Findings as JSON.")] = False,
    most: Most = MOST,
    memory: Memory = None,
    spill: Spill = None,
) -> None:
    """Check plan, codebook and every row of the data. CONFIDENTIAL output.

    Lists what rejects a release, how many rows each rule touches, and the jobs that tables lose. It
    names codes and counts, so it stays inside. Its end leaves a receipt, which a release needs.

    Example: leeward check plan.yaml
    """
    read_most(most, "--most")
    request = allowing(read_plan(plan), memory, spill)
    with _frankly(), open_data(request, frank=True) as engine, progress() as bar:
        checked = check_rows(request, engine, bar.step)
    warnings = checked.warnings(most)
    lines = (CONFIDENTIAL, *check_lines(checked), *warnings)
    show(lines, lambda: _as_json(checked, most), as_json=as_json)
    if checked.no_receipt is not None:
        note(f"No receipt. {checked.no_receipt}")
    if checked.refused or warnings:
        raise typer.Exit(REFUSED if checked.refused else EXCEEDED)


def allowing(plan: Plan, memory: str | None, spill: Path | None) -> Plan:
    """The plan with the memory and the spill folder of the command line, if they are given."""
    given = {"memory": read_memory(memory, "--memory"), "spill": spill}
    chosen = {name: value for name, value in given.items() if value is not None}
    return replace(plan, resources=replace(plan.resources, **chosen)) if chosen else plan  # type: ignore[arg-type]


@contextmanager
def _frankly() -> Iterator[None]:
    """Show the details that a release hides; the mark goes to the same stream as they do."""
    try:
        yield
    except LeewardError as refusal:
        hidden = refusal.problems if isinstance(refusal, Problems) else (refusal,)
        problems = [
            (problem.inside or problem) if isinstance(problem, Undisclosed) else problem
            for problem in hidden
        ]
    else:
        return
    if tuple(problems) != tuple(hidden):
        note(CONFIDENTIAL)
    raise_all(problems)


def _as_json(checked: Checked, most: str) -> dict[str, object]:
    """The whole answer, with its mark."""
    return {
        "confidential": CONFIDENTIAL,
        "findings": [
            {
                "problem": finding.problem,
                "table": finding.table,
                "column": finding.column,
                "rows": finding.rows,
                "of": finding.of,
                "rule": finding.rule or None,
                "refuses": finding.refuses,
                "counts_as": finding.into,
                "examples": list(finding.examples),
                "next_step": finding.remedy,
            }
            for finding in checked.findings
        ],
        "hints": list(checked.hints),
        "losses": [loss_as_json(loss) for loss in checked.losses],
        "most": most,
        "warnings": list(checked.warnings(most)),
        "receipt": None if checked.receipt is None else str(checked.receipt),
    }


def check_made_up(plan: Plan) -> tuple[Checked, str | None]:
    """A check of made-up data, and why they are released where its receipt has no place."""
    with open_data(plan) as engine:
        checked = check_rows(plan, engine)
    return checked, None if checked.no_receipt is None else "the data are made up"


def check_lines(checked: Checked, *, receipt: bool = True) -> Iterator[str]:
    """Every finding with its rule and its remedy, the hints, and whether a release is possible.

    With `receipt` also where the receipt is.
    """
    for finding in checked.findings:
        where = f"{finding.table}.{finding.column}" if finding.column else finding.table
        examples = f" (such as {', '.join(finding.examples)})" if finding.examples else ""
        rows = counted(finding.rows, "row")
        rows = f"{finding.rows:,} of {counted(finding.of, 'row')}" if finding.of else rows
        yield f"{where}: {finding.problem}, {rows}{examples}"
        yield f"  {SENTENCES[finding.rule] if finding.rule else 'This refuses a release.'}"
        yield f"  {finding.remedy}"
    yield from (f"Hint: {hint}" for hint in checked.hints)
    if not checked.refused:
        nothing = "Nothing refuses a release." if checked.findings else "No problems."
        place = checked.receipt if receipt else None
        at = "" if place is None else f" The receipt is {quote(str(place))}."
        yield f"{nothing}{at}"
