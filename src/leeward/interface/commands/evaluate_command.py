"""`leeward evaluate`: what provable privacy costs, on made-up data or on one's own."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from leeward.core.errors import InvalidParameter
from leeward.core.exact import positive
from leeward.core.show.notebook import INTERNAL
from leeward.interface.commands.screen import note, progress, say_lines, show
from leeward.lab.evaluate import preset_named, run
from leeward.lab.evaluate.evaluation_folder import (
    refuse_taken,
    require_png,
    write,
    write_regressions,
)
from leeward.lab.evaluate.findings import caution, finding_lines, findings
from leeward.lab.evaluate.job_prices import ALPHA, job_prices, price_lines, price_picture
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
OneJob = Annotated[
    bool,
    typer.Option(
        "--one-job",
        help="Only print what a cap on one job costs in error; with --out also a figure.",
    ),
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
ALL_BUT_MOSE = ("data", "workload", "alpha", "plus", "place", "infusion", "classical")
"""Options that evaluate tables; --preset mose compares regressions."""

Out = Annotated[Path | None, typer.Option("--out", help="Folder to write; must not exist.")]
Preset = Annotated[
    str, typer.Option(help="quick, h17 or h15: workloads and grid; mose: regressions.")
]
Trials = Annotated[int | None, typer.Option(help="Draws of each setting.")]
Plus = Annotated[
    int | None, typer.Option(help="The additive factor of every promise with an alpha.")
]
Place = Annotated[str | None, typer.Option(help="Workplace attribute whose jobs make the strata.")]
AsJson = Annotated[bool, typer.Option("--json", help="All points as JSON.")]


def evaluate_command(  # noqa: PLR0913 (a parameter for each option)
    context: typer.Context,
    *,
    out: Out = None,
    preset: Preset = "quick",
    workload: Load = None,
    alpha: Alphas = None,
    epsilon: Epsilons = None,
    data: Data = None,
    cells: CellsFile = None,
    trials: Trials = None,
    plus: Plus = None,
    place: Place = None,
    infusion: Bounds = BOUNDS,
    classical: ClassicalToo = False,
    quarters: Quarters = False,
    one_job: OneJob = False,
    as_json: AsJson = False,
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
        say_lines(quarters_table(alpha or (), epsilon or ()))
        return
    if one_job:
        _price_jobs(out, alpha or ())
        return
    folder = _folder(out)
    if preset == MOSE:
        rule = "is for tables; --preset mose compares regressions"
        _refuse_given(context, ALL_BUT_MOSE, rule)
        _compare_regressions(folder, cells, epsilon or (), trials, as_json=as_json)
        return
    _refuse_given(context, ("cells",), "is for --preset mose: other presets evaluate tables")
    if data is not None:
        rule = "is for made-up economies: a plan has its own tables and its own plus"
        _refuse_given(context, ("workload", "plus"), rule, beside="--data")
    chosen = preset_named(preset)
    chosen = chosen if workload is None else chosen.with_workload(workload)
    chosen = chosen if plus is None else chosen.with_plus(plus)
    chosen = chosen.with_settings(alpha or (), epsilon or ())
    chosen = chosen.with_classical() if classical else chosen
    plan = None if data is None else read_plan(data)
    if plan is not None:
        note(INTERNAL)
    with progress() as bar:
        evaluation = run(plan, preset=chosen, trials=trials, place=place, infusion=infusion,
                         progress=bar)  # fmt: skip
        bar.step("drawing the figures")
        paths = write(evaluation, folder)
    sentences = (*finding_lines(findings(evaluation)), *caution(evaluation.study))
    lines = _lines(evaluation.study.mark, sentences, paths[0])
    show(lines, evaluation.as_json, as_json=as_json)


def _folder(out: Path | None) -> Path:
    """The folder to write; refused before anything is drawn, as is a lack of what draws figures."""
    if out is None:
        raise InvalidParameter(
            "--out",
            rule="must be a folder to write",
            value="none",
            next_step="Give for example --out evaluation.",
        )
    refuse_taken(out)
    require_png()
    return out


def _price_jobs(out: Path | None, alphas: Sequence[str]) -> None:
    """The table, and the figure in a new folder."""
    growth = positive(alphas[0], "--alpha") if alphas else ALPHA
    if out is not None:
        refuse_taken(out)
    with progress() as bar:
        prices = job_prices(growth, progress=lambda done, of: bar.part("jobs", done, of))
    say_lines(price_lines(prices, growth))
    if out is not None:
        out.mkdir(parents=True)
        path = out / "one-job.svg"
        path.write_text(price_picture(prices, growth).svg + "\n", encoding="utf-8")
        say_lines([f"Written: {path}"])


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
    sentences = (*finding_lines(regression_findings(done)), *regression_caution(done))
    lines = _lines(done.mark, sentences, paths[0])
    show(lines, done.as_json, as_json=as_json)


def _lines(mark: str | None, sentences: Sequence[str], page: Path) -> Iterator[str]:
    """The findings and where to look."""
    yield from () if mark is None else (mark,)
    yield from sentences
    yield f"Written: {page} and what it shows"


def _refuse_given(
    context: typer.Context, names: Sequence[str], rule: str, beside: str = ""
) -> None:
    """Options that do not go with what is evaluated."""
    for name in names:
        value = context.params[name]
        if value is not False and value not in (None, (), BOUNDS):
            raise InvalidParameter(
                f"--{name}",
                rule=rule,
                value=f"--{name} with {beside}" if beside else f"--{name}",
                next_step="Leave one of them out." if beside else "Leave it out.",
            )
