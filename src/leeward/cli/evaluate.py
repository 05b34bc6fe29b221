"""`leeward evaluate`: what provable privacy costs, on made-up data or on one's own."""

import json
from pathlib import Path
from typing import Annotated

import typer

from leeward.baselines.infusion import Infusion
from leeward.cli.screen import Bar, Quiet, note, progress, say
from leeward.errors import InvalidParameter, shown
from leeward.evaluate.design import (
    PRESETS,
    Preset,
    Workload,
    economy_words,
    open_economy,
    workloads_of,
)
from leeward.evaluate.evaluation import INTERNAL, Evaluation, Study, evaluate, marginals
from leeward.evaluate.findings import findings
from leeward.evaluate.output import refuse_taken, write
from leeward.evaluate.truth import PLACE, read_truths
from leeward.model import EveryJob
from leeward.model.document import nearest
from leeward.pictures import require_pictures
from leeward.publishing.check import open_data, require_rows
from leeward.publishing.plan import Plan, read_plan
from leeward.publishing.receipt import Receipt

Data = Annotated[
    Path | None, typer.Option("--data", help="A plan: its data and tables, CONFIDENTIAL output.")
]
Bounds = Annotated[
    tuple[float, float],
    typer.Option("--infusion", help="Least and most distortion of noise infusion."),
]


def evaluate_command(  # noqa: PLR0913 (a parameter for each option)
    out: Annotated[Path, typer.Option("--out", help="Folder to write; must not exist.")],
    *,
    preset: Annotated[str, typer.Option(help="quick, h17 or h15: workloads and grid.")] = "quick",
    data: Data = None,
    trials: Annotated[int | None, typer.Option(help="Draws of each setting.")] = None,
    place: Annotated[
        str | None, typer.Option(help="Workplace attribute whose jobs make the strata.")
    ] = None,
    infusion: Bounds = (0.10, 0.25),
    as_json: Annotated[bool, typer.Option("--json", help="All points as JSON.")] = False,
) -> None:
    """Compare the mechanisms with one another and with today's noise infusion.

    Without --data on a made-up economy. With it, on the data and the tables of a plan: then all
    that is written is a function of the truth. It stays inside, and an epsilon that is chosen by
    it is chosen outside the guarantee.

    Example: leeward evaluate --preset quick --out evaluation
    """
    chosen = _preset(preset, trials)
    noise = Infusion(*infusion)
    refuse_taken(out)
    require_pictures()
    with progress() as bar:
        done = (
            _made_up(chosen, noise, place, bar)
            if data is None
            else _on_plan(read_plan(data), chosen, noise, place, bar)
        )
        bar.step("drawing the figures")
        paths = write(done, out)
    if as_json:
        say(json.dumps(done.as_json(), indent=1, ensure_ascii=False))
        return
    for line in (*([] if done.study.made_up else [INTERNAL]), *findings(done)):
        say(line)
    say(f"Written: {paths[0]} and what it shows")


def _preset(name: str, trials: int | None) -> Preset:
    if name not in PRESETS:
        near = nearest(name, PRESETS)
        raise InvalidParameter(
            "--preset",
            rule=f"must be one of {', '.join(PRESETS)}",
            value=shown(name),
            next_step=f"Did you mean {near!r}?" if near else "Choose one of these.",
        )
    return PRESETS[name] if trials is None else PRESETS[name].with_trials(trials)


def _made_up(preset: Preset, noise: Infusion, place: str | None, bar: Bar | Quiet) -> Evaluation:
    """The preset's own economy: public by construction."""
    with open_economy(preset.economy, lambda done, of: bar.part("jobs", done, of)) as (
        engine,
        book,
    ):
        loads = preset.workloads(book)
        _refuse_no_place(loads, place)
        bar.step("tabulating")
        truths = read_truths(engine, book, EveryJob(), marginals(loads), place or PLACE)
    words = economy_words(preset.economy)
    study = Study(preset.name, words, True, loads, preset.grid, noise, place or PLACE)
    return evaluate(study, truths, bar)


def _on_plan(
    plan: Plan, preset: Preset, noise: Infusion, place: str | None, bar: Bar | Quiet
) -> Evaluation:
    """The tables of a plan on its data, with its α beside those of the preset."""
    loads = workloads_of(table.marginal for table in plan.tables)
    _refuse_no_place(loads, place)
    note(INTERNAL)
    with open_data(plan) as engine:
        bar.step("checking the rows")
        require_rows(plan, engine, Receipt.of(plan).steps(plan, engine.digest()))
        bar.step("tabulating")
        truths = read_truths(engine, plan.codebook, plan.jobs, marginals(loads), place or PLACE)
    grid = preset.grid.with_alpha(plan.asked.alpha)
    words = f"the data of {plan.path}"
    study = Study(preset.name, words, False, loads, grid, noise, place or PLACE)
    return evaluate(study, truths, bar)


def _refuse_no_place(loads: tuple[Workload, ...], place: str | None) -> None:
    names = {one.name for load in loads for one in load.marginal.workplace}
    if place is not None and place not in names:
        near = nearest(place, names)
        raise InvalidParameter(
            "--place",
            rule="must be a workplace attribute of a table that is evaluated",
            value=shown(place),
            next_step=f"Did you mean {near!r}?" if near else "Leave it out.",
        )
