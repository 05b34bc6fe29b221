"""`leeward plan`: what a release would promise, cost and err, before anything is read or spent."""

from pathlib import Path
from typing import Annotated

import typer

from leeward.api import predict
from leeward.core.errors import InvalidParameter
from leeward.core.exact import number_text
from leeward.interface.commands.screen import say, say_json
from leeward.publishing.plan.plan import Plan, read_plan
from leeward.publishing.plan.target import Profiles, read_target, smallest_budget


def plan_command(  # noqa: PLR0913 (an option for each thing that may be asked)
    plan: Annotated[Path, typer.Argument(help="The plan file.")],
    *,
    ledger: Annotated[
        Path | None, typer.Option("--ledger", help="The ledger, to see what is left.")
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(help="Find the smallest ε or ρ: 'table: 5 jobs', 'table: 90 % within 10 %'."),
    ] = None,
    frontier: Annotated[
        bool, typer.Option("--frontier", help="Accuracy against ε, for several α.")
    ] = False,
    economy: Annotated[
        str | None,
        typer.Option(metavar="JOBS,ESTABLISHMENTS", help="Judge on a made-up economy's cells."),
    ] = None,
    alphas: Annotated[
        str | None, typer.Option(metavar="A,B,…", help="With --frontier: other α than usual.")
    ] = None,
    weights: Annotated[
        Path | None, typer.Option(help="With --frontier: what accuracy is worth, and ε's price.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="With --frontier: folder for page and CSV.")
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="With --frontier: a file for its rows.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The prediction as JSON.")] = False,
) -> None:
    """Show what a plan promises, costs and errs. Reads no data, spends nothing.

    Errors are predicted for typical sizes of a cell's largest establishment, or for the public
    size profile that the plan names as `sizes`. --frontier shows accuracy against ε.

    Example: leeward plan plan.yaml --target "place_industry: 90 % within 10 %"
    """
    asked = read_plan(plan)
    _require_together({"--alphas": alphas, "--weights": weights, "--out": out, "--csv": csv},
                      frontier=frontier, target=target, economy=economy)  # fmt: skip
    profiles = None if economy is None else _economy_profiles(economy)
    if frontier:
        from leeward.interface.commands.plan_frontier import Asked, answer  # noqa: PLC0415 (loads what draws)

        answer(Asked(asked, profiles, alphas, weights, out, csv), as_json=as_json)
        return
    _predict(asked, ledger, target, profiles, as_json=as_json)


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
    from leeward.lab.economy.profile import EconomyCells, read_extent  # noqa: PLC0415 (as above)

    cells = EconomyCells(read_extent(written))
    return lambda table: cells.profile([one.name for one in table.marginal.workplace])


def _predict(
    asked: Plan,
    ledger: Path | None,
    target: str | None,
    profiles: Profiles | None,
    *,
    as_json: bool,
) -> None:
    told, reached = "", ""
    if target is not None:
        wanted = read_target(target)
        asked = smallest_budget(asked, wanted, profiles)
        table = next(one for one in asked.tables if one.name == wanted.table)
        profile = asked.profile if profiles is None else profiles(table)
        reached = wanted.goal.reached(table, profile)
        told = asked.predicted_cells if profiles is None else profile.words
    found = predict(asked, ledger=ledger)
    if as_json:
        answer = found.to_dict()
        if target is not None:
            answer[f"smallest_{asked.asked.currency}"] = str(asked.asked.amount)
            answer["reached"] = reached.replace("\u00a0", " ")
        say_json(answer)
        return
    if target is not None:
        named = f"protect.{asked.asked.currency} for {target}"
        say(f"Smallest {named}: {number_text(asked.asked.amount)}")
        say(f"  ({reached} over {told})\n")
    for line in found.lines():
        say(line)
