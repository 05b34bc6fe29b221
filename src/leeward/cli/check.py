"""`leeward check`: the rows against the codebook, at full size, for the operator's eyes."""

import json
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from leeward.cli.allowance import Memory, Spill, allowing
from leeward.cli.screen import CONFIDENTIAL, REFUSED, counted, note, progress, say
from leeward.engines import Finding
from leeward.release.check import Checked, check_rows, open_data
from leeward.release.plan import read_plan
from leeward.release.receipt import receipt_path


def check_command(
    plan: Annotated[Path, typer.Argument(help="The plan file.")],
    as_json: Annotated[bool, typer.Option("--json", help="Findings as JSON.")] = False,
    memory: Memory = None,
    spill: Spill = None,
) -> None:
    """Check plan, codebook and every row of the data. CONFIDENTIAL output.

    Lists every problem in one table: it names codes and counts, so it stays inside. When there
    is none, a receipt beside the plan spares the release the same work.

    Example: leeward check plan.yaml
    """
    asked = allowing(read_plan(plan), memory, spill)
    note(CONFIDENTIAL)
    with open_data(asked) as engine, progress() as bar:
        checked = check_rows(asked, engine, bar.step)
    findings = checked.findings
    if as_json:
        say(json.dumps([asdict(one) for one in findings], indent=1, ensure_ascii=False))
    else:
        for line in table(findings):
            say(line)
        if not findings:
            say(_passed(checked, receipt_path(asked)))
    if checked.no_receipt is not None:
        note(f"No receipt. {checked.no_receipt}")
    if findings:
        raise typer.Exit(REFUSED)


def _passed(checked: Checked, receipt: Path) -> str:
    told = "" if checked.no_receipt is not None else f" The receipt is {quote(str(receipt))}."
    return f"No problems.{told}"


def table(findings: tuple[Finding, ...]) -> list[str]:
    """Every problem with its remedy."""
    lines = []
    for one in findings:
        where = one.table if not one.column else f"{one.table}.{one.column}"
        examples = f" (such as {', '.join(one.examples)})" if one.examples else ""
        lines += [
            f"{where}: {one.problem}, {counted(one.rows, 'row')}{examples}",
            f"  {one.remedy}",
        ]
    return lines
