"""`leeward check`: the rows against the codebook, at full size, for the operator's eyes."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from leeward.core.codebook import ROW_RULES, Finding
from leeward.core.codebook.resources import read_memory
from leeward.core.codebook.row_rules import AS_THEY_ARE, IMPOSSIBLE, LIMIT, NUMBER_RULES
from leeward.core.errors import LeewardError, Problems, Undisclosed, raise_all
from leeward.core.show.numbers import counted
from leeward.interface.commands.screen import (
    CONFIDENTIAL,
    EXCEEDED,
    REFUSED,
    note,
    progress,
    say,
    say_json,
)
from leeward.publishing.plan.plan import Plan, read_plan
from leeward.publishing.release.check import Checked, check_rows, open_data
from leeward.publishing.release.losses import MOST, read_most
from leeward.publishing.release.losses import as_json as loss_as_json

Memory = Annotated[
    str | None, typer.Option("--memory", help="What DuckDB may use at most, such as 6GB.")
]
Spill = Annotated[
    Path | None, typer.Option("--spill", help="Folder for what does not fit into memory.")
]
Encoding = Annotated[
    str | None, typer.Option("--encoding", help="Of CSV files: cp1252, latin-1, utf-16, …")
]
Quotes = Annotated[
    str | None, typer.Option("--quotes", help="none: no value of CSV files is in quotes.")
]

RULES = (*ROW_RULES, *NUMBER_RULES, IMPOSSIBLE, LIMIT, AS_THEY_ARE)
SENTENCES = {one.id: one.sentence for one in RULES}


Most = Annotated[
    str,
    typer.Option(
        metavar="SHARE",
        help="How much may be lost, such as 5%; beyond it the exit code is 4.",
    ),
]


def check_command(
    plan: Annotated[Path, typer.Argument(help="The plan file.")],
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
    asked = allowing(read_plan(plan), memory, spill)
    with _frankly(), open_data(asked, frank=True) as engine, progress() as bar:
        checked = check_rows(asked, engine, bar.step)
    warnings = checked.warnings(most)
    if as_json:
        say_json(_as_json(checked, most))
    else:
        for line in (CONFIDENTIAL, *check_lines(checked), *warnings):
            say(line)
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
        problems = [_inside(one) for one in hidden]
    else:
        return
    if tuple(problems) != tuple(hidden):
        note(CONFIDENTIAL)
    raise_all(problems)


def _inside(refusal: LeewardError) -> LeewardError:
    found = refusal.inside if isinstance(refusal, Undisclosed) else None
    return refusal if found is None else found


def _as_json(checked: Checked, most: str) -> dict[str, object]:
    """The whole answer, with its mark."""
    return {
        "confidential": CONFIDENTIAL,
        "findings": [
            {
                "problem": one.problem,
                "table": one.table,
                "column": one.column,
                "rows": one.rows,
                "of": one.of,
                "rule": one.rule or None,
                "refuses": one.refuses,
                "counts_as": one.into,
                "examples": list(one.examples),
                "next_step": one.remedy,
            }
            for one in checked.findings
        ],
        "hints": list(checked.hints),
        "losses": [loss_as_json(one) for one in checked.losses],
        "most": most,
        "warnings": list(checked.warnings(most)),
        "receipt": None if checked.receipt is None else str(checked.receipt),
    }


def check_made_up(asked: Plan) -> tuple[Checked, str | None]:
    """A check of made-up data, and why they are released where its receipt has no place."""
    with open_data(asked) as engine:
        checked = check_rows(asked, engine)
    return checked, None if checked.no_receipt is None else "the data are made up"


def check_lines(checked: Checked, *, receipt: bool = True) -> Iterator[str]:
    """Every finding with its rule and its remedy, the hints, and whether a release is possible.

    With `receipt` also where the receipt is.
    """
    for one in checked.findings:
        yield _found(one)
        yield f"  {SENTENCES[one.rule] if one.rule else 'This refuses a release.'}"
        yield f"  {one.remedy}"
    yield from (f"Hint: {one}" for one in checked.hints)
    if not checked.refused:
        nothing = "Nothing refuses a release." if checked.findings else "No problems."
        place = checked.receipt if receipt else None
        at = "" if place is None else f" The receipt is {quote(str(place))}."
        yield f"{nothing}{at}"


def _found(one: Finding) -> str:
    where = one.table if not one.column else f"{one.table}.{one.column}"
    examples = f" (such as {', '.join(one.examples)})" if one.examples else ""
    rows = f"{one.rows:,} of {counted(one.of, 'row')}" if one.of else counted(one.rows, "row")
    return f"{where}: {one.problem}, {rows}{examples}"
