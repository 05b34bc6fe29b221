"""`leeward plan`: what a release would promise, cost and err, before anything is read or spent."""

from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from leeward.api import predict
from leeward.core.errors import InvalidParameter
from leeward.core.exact import number_text
from leeward.interface.commands.options import PlanFile
from leeward.interface.commands.screen import show
from leeward.publishing.plan.plan import Plan, read_plan
from leeward.publishing.plan.target import Profiles, read_target, smallest_budget

Ledger = Annotated[Path | None, typer.Option("--ledger", help="The ledger, to see what is left.")]
Target = Annotated[
    str | None,
    typer.Option(help="Find the smallest ε or ρ: 'table: 5 jobs', 'table: 90 % within 10 %'."),
]
Frontier = Annotated[bool, typer.Option("--frontier", help="Accuracy against ε, for several α.")]
Economy = Annotated[
    str | None,
    typer.Option(metavar="JOBS,ESTABLISHMENTS", help="Judge on a made-up economy's cells."),
]
Alphas = Annotated[
    str | None, typer.Option(metavar="A,B,…", help="With --frontier: other α than usual.")
]
Weights = Annotated[
    Path | None, typer.Option(help="With --frontier: what accuracy is worth, and ε's price.")
]
Out = Annotated[
    Path | None, typer.Option("--out", help="With --frontier: folder for page and CSV.")
]
Csv = Annotated[Path | None, typer.Option("--csv", help="With --frontier: a file for its rows.")]
AsJson = Annotated[bool, typer.Option("--json", help="The prediction as JSON.")]


def plan_command(  # noqa: PLR0913 (an option for each thing that may be asked)
    plan: PlanFile,
    *,
    ledger: Ledger = None,
    target: Target = None,
    frontier: Frontier = False,
    economy: Economy = None,
    alphas: Alphas = None,
    weights: Weights = None,
    out: Out = None,
    csv: Csv = None,
    as_json: AsJson = False,
) -> None:
    """Show what a plan promises, costs and errs. Reads no data, spends nothing.

    Errors are predicted for typical sizes of a cell's largest establishment, or for the public
    size profile that the plan names as `sizes`. --frontier shows accuracy against ε.

    Example: leeward plan plan.yaml --target "place_industry: 90 % within 10 %"
    """
    request = read_plan(plan)
    _require_together({"--alphas": alphas, "--weights": weights, "--out": out, "--csv": csv},
                      frontier=frontier, target=target, economy=economy)  # fmt: skip
    profiles = None if economy is None else _economy_profiles(economy)
    if frontier:
        from leeward.interface.commands.plan_frontier import FrontierRequest, answer  # noqa: PLC0415 (loads what draws)

        choices = FrontierRequest(plan=request, profiles=profiles, alphas=alphas, weights=weights,
                                  out=out, csv=csv)  # fmt: skip
        answer(choices, as_json=as_json)
        return
    _predict(request, ledger, target, profiles, as_json=as_json)


def _require_together(
    given: dict[str, object], *, frontier: bool, target: str | None, economy: str | None
) -> None:
    """Options that belong to a frontier need it, and a target is another question."""
    if frontier and target is not None:
        raise InvalidParameter(
            "--target",
            rule="must be asked without --frontier",
            value="both",
            next_step="Ask for one of them at a time.",
        )
    alone = {name: "--frontier" for name, value in given.items() if value is not None}
    if economy is not None and target is None:
        alone["--economy"] = "--frontier or --target"
    for name, needed in () if frontier else alone.items():
        raise InvalidParameter(
            name, rule=f"must come with {needed}", value="none", next_step="Add --frontier."
        )


def _economy_profiles(written: str) -> Profiles:
    from leeward.lab.economy.establishments import EconomyCells, read_extent  # noqa: PLC0415 (as above)

    cells = EconomyCells(read_extent(written))
    return lambda table: cells.profile([attribute.name for attribute in table.marginal.workplace])


def _predict(
    plan: Plan, ledger: Path | None, target: str | None, profiles: Profiles | None, *, as_json: bool
) -> None:
    """The prediction of the plan, or of one with the smallest budget that reaches the target."""
    lines, numbers = list[str](), dict[str, str]()
    if target is not None:
        wanted = read_target(target)
        plan = smallest_budget(plan, wanted, profiles)
        table = next(table for table in plan.tables if table.name == wanted.table)
        profile = plan.profile if profiles is None else profiles(table)
        reached = wanted.goal.reached(table, profile)
        cells = plan.predicted_cells if profiles is None else profile.words
        currency, amount = plan.asked.currency, plan.asked.amount
        lines = [f"Smallest protect.{currency} for {target}: {number_text(amount)}",
                 f"  ({reached} over {cells})\n"]  # fmt: skip
        numbers = {f"smallest_{currency}": str(amount), "reached": reached.replace("\u00a0", " ")}
    prediction = predict(plan, ledger=ledger)
    show(chain(lines, prediction.lines()), lambda: prediction.to_dict() | numbers, as_json=as_json)
