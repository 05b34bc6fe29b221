"""`leeward evaluate`: what provable privacy costs, on made-up data or on one's own."""

import json
from pathlib import Path
from typing import Annotated

import typer

from leeward.cli.screen import note, progress, say
from leeward.errors import InvalidParameter
from leeward.evaluate import preset_named, run
from leeward.evaluate.evaluation import INTERNAL
from leeward.evaluate.findings import findings
from leeward.evaluate.output import refuse_taken, write
from leeward.evaluate.quarters import quarters_table
from leeward.pictures import require_pictures
from leeward.publishing.plan import read_plan

Data = Annotated[
    Path | None, typer.Option("--data", help="A plan: its data and tables, CONFIDENTIAL output.")
]
Load = Annotated[
    str | None,
    typer.Option(
        help="all_margins: the eight margins of place, sector, ownership. lodes_six: six "
        "breakdowns of them by workers, released together or one by one."
    ),
]
Alphas = Annotated[
    list[str] | None,
    typer.Option("--alpha", metavar="<str>", help="An alpha of the grid; may be repeated."),
]
Epsilons = Annotated[
    list[str] | None,
    typer.Option("--epsilon", metavar="<str>", help="An epsilon of the grid; may be repeated."),
]
Quarters = Annotated[
    bool,
    typer.Option("--quarters", help="Only print what a count costs that is published T times."),
]
Bounds = Annotated[
    tuple[float, float],
    typer.Option(
        "--infusion", metavar="LEAST MOST", help="Least and most distortion of noise infusion."
    ),
]


def evaluate_command(  # noqa: PLR0913 (a parameter for each option)
    *,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder to write; must not exist.")
    ] = None,
    preset: Annotated[str, typer.Option(help="quick, h17 or h15: workloads and grid.")] = "quick",
    workload: Load = None,
    alpha: Alphas = None,
    epsilon: Epsilons = None,
    data: Data = None,
    trials: Annotated[int | None, typer.Option(help="Draws of each setting.")] = None,
    plus: Annotated[
        int | None, typer.Option(help="The additive factor of every promise with an alpha.")
    ] = None,
    place: Annotated[
        str | None, typer.Option(help="Workplace attribute whose jobs make the strata.")
    ] = None,
    infusion: Bounds = (0.10, 0.25),
    quarters: Quarters = False,
    as_json: Annotated[bool, typer.Option("--json", help="All points as JSON.")] = False,
) -> None:
    """Compare the mechanisms with one another and with today's noise infusion.

    Without --data on a made-up economy. With it, on the data and the tables of a plan: then all
    that is written is a function of the truth. It stays inside, and an epsilon that is chosen by
    it is chosen outside the guarantee.

    Example: leeward evaluate --preset quick --out evaluation
    """
    if quarters:
        for line in quarters_table(alpha or (), epsilon or ()):
            say(line)
        return
    if out is None:
        raise InvalidParameter(
            "--out",
            rule="must be a folder to write",
            value="none",
            next_step="Give for example --out evaluation.",
        )
    refuse_taken(out)
    require_pictures()
    if data is not None:
        _refuse_beside_data({"--workload": workload, "--plus": plus})
    asked = preset_named(preset)
    asked = asked if workload is None else asked.with_workload(workload)
    asked = asked if plus is None else asked.with_plus(plus)
    asked = asked.with_settings(alpha or (), epsilon or ())
    plan = None if data is None else read_plan(data)
    if plan is not None:
        note(INTERNAL)
    with progress() as bar:
        done = run(plan, preset=asked, trials=trials, place=place, infusion=infusion, progress=bar)
        bar.step("drawing the figures")
        paths = write(done, out)
    if as_json:
        say(json.dumps(done.as_json(), indent=1, ensure_ascii=False))
        return
    for line in (*([] if done.study.made_up else [INTERNAL]), *findings(done)):
        say(line)
    say(f"Written: {paths[0]} and what it shows")


def _refuse_beside_data(given: dict[str, object]) -> None:
    """A plan has its own tables, and its own additive factor."""
    for name in (one for one, value in given.items() if value is not None):
        raise InvalidParameter(
            name,
            rule="is for made-up economies: a plan has its own tables and its own plus",
            value=f"{name} with --data",
            next_step="Leave one of them out.",
        )
