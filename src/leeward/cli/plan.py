"""`leeward plan`: what a release would promise, cost and err, before anything is read or spent."""

from pathlib import Path
from typing import Annotated

import typer

from leeward.cli.screen import say, say_json
from leeward.exact import number_text
from leeward.front import predict
from leeward.publishing.plan import read_plan
from leeward.publishing.prediction import read_target, smallest_budget


def plan_command(
    plan: Annotated[Path, typer.Argument(help="The plan file.")],
    ledger: Annotated[
        Path | None, typer.Option("--ledger", help="The ledger, to see what is left.")
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(help="Find the smallest ε or ρ: 'table: 5 jobs' of mean error, in its unit."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The prediction as JSON.")] = False,
) -> None:
    """Show what a plan promises, costs and errs. Reads no data, spends nothing.

    Errors are predicted for typical sizes of a cell's largest establishment, or for the public
    size profile that the plan names as `sizes`.

    Example: leeward plan plan.yaml --target "place_industry: 5 jobs"
    """
    asked = read_plan(plan)
    if target is not None:
        asked = smallest_budget(asked, read_target(target))
    found = predict(asked, ledger=ledger)
    if as_json:
        answer = found.to_dict()
        if target is not None:
            answer[f"smallest_{asked.asked.currency}"] = str(asked.asked.amount)
        say_json(answer)
        return
    if target is not None:
        named = f"protect.{asked.asked.currency} for {target}"
        say(f"Smallest {named}: {number_text(asked.asked.amount)}")
        say(f"  (mean error over {asked.predicted_cells})\n")
    for line in found.lines():
        say(line)
