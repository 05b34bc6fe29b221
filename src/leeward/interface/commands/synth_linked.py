"""`leeward synth linked`: workplaces, workers and jobs that reproduce the tables of a plan."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from leeward.core.show.numbers import count
from leeward.interface.commands.release import Unchecked
from leeward.interface.commands.screen import progress, say, say_json
from leeward.systems.synth.linking import Synthetic, linked


def linked_command(  # noqa: PLR0913 (a parameter for each option)
    plan: Annotated[Path, typer.Argument(help="The plan file.")],
    out: Annotated[Path, typer.Option("--out", help="The folder to write; it must not exist.")],
    *,
    ledger: Annotated[Path | None, typer.Option(help="The ledger that is charged.")] = None,
    measured: Annotated[
        Path | None,
        typer.Option(help="In place of --ledger, a release of this plan; nothing is charged."),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Release a plan that was charged before, and pay again.")
    ] = False,
    unchecked: Unchecked = None,
    as_json: Annotated[bool, typer.Option("--json", help="The answer as JSON.")] = False,
) -> None:
    """Write synthetic workplaces, workers and jobs that reproduce the tidy tables of a plan.

    The plan is released first, and its account is charged for it. Rows follow from the release and
    the public frame, so they cost nothing more. `leeward verify` counts them again.

    Example: leeward synth linked plan.yaml --out synthetic --ledger ledger.sqlite
    """
    with progress() as bar:
        made = linked(
            *(plan, out, ledger),
            measured=measured,
            again=again,
            unchecked=unchecked,
            progress=bar,
        )
    with suppress(OSError):  # a closed stream does not undo the charge
        _tell(made, charged=measured is None, as_json=as_json)


def _tell(made: Synthetic, *, charged: bool, as_json: bool) -> None:
    held, release = made.statement, made.measured.certificate
    if as_json:
        say_json(
            {
                "folder": str(made.path),
                "entry": release.ledger.entry,
                "charged": charged,
                "paid": release.budget.paid.epsilon,
                **held.model_dump(mode="json", include={"jobs", "workplaces", "reproduced",
                                                        "guides", "says"}),
            }
        )  # fmt: skip
        return
    say(f"{made.path}: {count(held.jobs)} synthetic jobs in {count(held.workplaces)} workplaces.")
    paid = f"entry {release.ledger.entry} of account {release.account}"
    say(f"Charged: {paid}." if charged else f"Nothing was charged: {paid} paid for the release.")
    say(f"Reproduced to the last job: {', '.join(held.reproduced)}.")
    for one in held.guides:
        say(f"  {one.table}: {one.sentence}")
    for line in held.says:
        say(line)
