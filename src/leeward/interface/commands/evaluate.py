"""`leeward evaluate`: what provable privacy costs, on made-up data or on one's own."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from leeward.core.errors import InvalidParameter
from leeward.core.show.page import INTERNAL
from leeward.interface.commands.screen import note, progress, say
from leeward.lab.evaluate import preset_named, run
from leeward.lab.evaluate.evaluation_folder import (
    refuse_taken,
    require_png,
    write,
    write_regressions,
)
from leeward.lab.evaluate.finding_table import caution, finding_lines, findings
from leeward.lab.evaluate.quarters import quarters_table
from leeward.lab.evaluate.regression_cells import read_cells
from leeward.lab.evaluate.regression_page import regression_caution, regression_findings
from leeward.lab.evaluate.regressions import MOSE, compare
from leeward.publishing.plan.plan import read_plan

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
CellsFile = Annotated[
    Path | None,
    typer.Option(
        "--cells",
        help="With --preset mose: a file with columns x, y and cell, CONFIDENTIAL output.",
    ),
]
ClassicalToo = Annotated[
    bool, typer.Option("--classical", help="Withholding and rounding too, by intervals.")
]
Bounds = Annotated[
    tuple[float, float],
    typer.Option(
        "--infusion", metavar="LEAST MOST", help="Least and most distortion of noise infusion."
    ),
]


BOUNDS = (0.10, 0.25)


def evaluate_command(  # noqa: PLR0913 (a parameter for each option)
    *,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder to write; must not exist.")
    ] = None,
    preset: Annotated[
        str, typer.Option(help="quick, h17 or h15: workloads and grid; mose: regressions.")
    ] = "quick",
    workload: Load = None,
    alpha: Alphas = None,
    epsilon: Epsilons = None,
    data: Data = None,
    cells: CellsFile = None,
    trials: Annotated[int | None, typer.Option(help="Draws of each setting.")] = None,
    plus: Annotated[
        int | None, typer.Option(help="The additive factor of every promise with an alpha.")
    ] = None,
    place: Annotated[
        str | None, typer.Option(help="Workplace attribute whose jobs make the strata.")
    ] = None,
    infusion: Bounds = BOUNDS,
    classical: ClassicalToo = False,
    quarters: Quarters = False,
    as_json: Annotated[bool, typer.Option("--json", help="All points as JSON.")] = False,
) -> None:
    """Compare the mechanisms with one another and with today's noise infusion.

    Without --data on a made-up economy. With it, on the data and the tables of a plan: then all
    that is written is a function of the truth. It stays inside, and an epsilon that is chosen by
    it is chosen outside the guarantee.

    --preset mose compares regressions by cell in place of tables: MOSE and other methods without a
    guarantee with private ones, on made-up cells or on those of --cells.

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
    require_png()
    if preset == MOSE:
        _refuse_other(
            {
                "--data": data,
                "--workload": workload,
                "--alpha": alpha,
                "--plus": plus,
                "--place": place,
                "--infusion": None if infusion == BOUNDS else infusion,
                "--classical": classical or None,
            },
            "is for tables; --preset mose compares regressions",
        )
        _compare_regressions(out, cells, epsilon or (), trials, as_json=as_json)
        return
    _refuse_other({"--cells": cells}, "is for --preset mose: other presets evaluate tables")
    if data is not None:
        own = "is for made-up economies: a plan has its own tables and its own plus"
        _refuse_other({"--workload": workload, "--plus": plus}, own, beside="--data")
    asked = preset_named(preset)
    asked = asked if workload is None else asked.with_workload(workload)
    asked = asked if plus is None else asked.with_plus(plus)
    asked = asked.with_settings(alpha or (), epsilon or ())
    asked = asked.with_classical() if classical else asked
    plan = None if data is None else read_plan(data)
    if plan is not None:
        note(INTERNAL)
    with progress() as bar:
        done = run(plan, preset=asked, trials=trials, place=place, infusion=infusion, progress=bar)
        bar.step("drawing the figures")
        paths = write(done, out)
    said = (
        *([] if done.study.made_up else [INTERNAL]),
        *finding_lines(findings(done)),
        *caution(done.study),
    )
    _tell(done.as_json(), said, paths, as_json=as_json)


def _compare_regressions(
    out: Path, file: Path | None, epsilons: Sequence[str], trials: int | None, *, as_json: bool
) -> None:
    """The comparison on the cells of a file, or on made-up ones."""
    if file is not None:
        note(INTERNAL)
    with progress() as bar:
        cells, words = (None, "") if file is None else (read_cells(file), f"the cells of {file}")
        done = compare(cells, data=words, epsilons=epsilons, trials=trials, progress=bar)
        bar.step("drawing the figures")
        paths = write_regressions(done, out)
    said = (
        *([] if done.made_up else [INTERNAL]),
        *finding_lines(regression_findings(done)),
        *regression_caution(done),
    )
    _tell(done.as_json(), said, paths, as_json=as_json)


def _tell(
    told: dict[str, Any], said: Sequence[str], paths: Sequence[Path], *, as_json: bool
) -> None:
    """Everything as JSON, or the findings and where to look."""
    if as_json:
        say(json.dumps(told, indent=1, ensure_ascii=False))
        return
    for line in said:
        say(line)
    say(f"Written: {paths[0]} and what it shows")


def _refuse_other(given: Mapping[str, object], rule: str, beside: str = "") -> None:
    """Options that do not go with what is evaluated."""
    for name in (one for one, value in given.items() if value not in (None, [])):
        raise InvalidParameter(
            name,
            rule=rule,
            value=f"{name} with {beside}" if beside else name,
            next_step="Leave one of them out." if beside else "Leave it out.",
        )
