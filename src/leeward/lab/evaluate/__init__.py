"""The published experiments on any data: what provable privacy costs, and against what.

Everything computed here is a function of the truth. On data that are not made up it stays inside.
"""

from typing import TYPE_CHECKING

from leeward.core.codebook import EveryJob
from leeward.core.errors import InvalidParameter, did_you_mean, shown
from leeward.core.privacy import Guarantee
from leeward.core.show.progress import Silent
from leeward.lab.baselines.noise_infusion import Infusion
from leeward.lab.evaluate.evaluation import Evaluation, Progress, Study, evaluate, marginals
from leeward.lab.evaluate.presets import PRESETS, Preset, economy_words, open_economy
from leeward.lab.evaluate.regressions import MOSE
from leeward.lab.evaluate.truth import PLACE, read_truths
from leeward.lab.evaluate.workloads import Workload, workloads_of

if TYPE_CHECKING:
    from leeward.publishing.plan.plan import Plan

__all__ = ["PRESETS", "Evaluation", "run"]


def run(
    plan: "Plan | None" = None,
    *,
    preset: str | Preset = "quick",
    trials: int | None = None,
    place: str | None = None,
    infusion: tuple[float, float] = (0.10, 0.25),
    progress: Progress | None = None,
) -> Evaluation:
    """Compare the mechanisms with one another and with today's noise infusion.

    Without a plan on a made-up economy. With one, on its data and its tables: then the result is
    a function of the truth, is CONFIDENTIAL, and an ε that is chosen by it is chosen outside the
    guarantee.

    Parameters
    ----------
    plan
        The plan whose data and tables are evaluated.
    preset
        The workloads and the grid of α, ε and θ: ``quick``, ``h17`` or ``h15``; or one of
        `PRESETS`, changed: ``PRESETS["quick"].with_workload("all_margins")``, ``.with_plus(5)``.
    trials
        How often each setting is drawn, if not as often as in the preset.
    place
        The workplace attribute whose numbers of jobs make the strata.
    infusion
        Least and most distortion of noise infusion.
    progress
        A callback with `step(words)` and `part(words, done, of)`.

    Returns
    -------
    Evaluation
        `points`, one for each setting and stratum; `refused`, the settings that no proof covers;
        `tables`; `as_json()` is what ``leeward evaluate --json`` prints.

    Raises
    ------
    InvalidParameter
        If there is no such preset or place, or `trials` or `infusion` are out of range.
    BadFile, BadData
        If a table of the plan cannot be read, or has rows that refuse a release.

    Examples
    --------
    >>> import leeward.lab.evaluate
    >>> found = leeward.lab.evaluate.run(preset="quick", trials=2)
    >>> sorted({point.mechanism for point in found.points})[:3]
    ['clipped', 'edge_laplace', 'infusion']
    """
    chosen = preset if isinstance(preset, Preset) else preset_named(preset)
    chosen = chosen if trials is None else chosen.with_trials(trials)
    noise = Infusion(*infusion)
    if plan is None:
        return _made_up(chosen, noise, place, progress or Silent())
    return _on_plan(plan, chosen, noise, place, progress or Silent())


def preset_named(name: str) -> Preset:
    """The preset of this name; another one is refused, and that of regressions, which has cells."""
    if name == MOSE:
        raise InvalidParameter(
            "preset",
            rule="must be one of tables and mechanisms here",
            value=shown(name),
            next_step="Call leeward.lab.evaluate.regressions.compare() for regressions.",
        )
    if name not in PRESETS:
        known = (*PRESETS, MOSE)
        step = did_you_mean(name, known, "Choose one of these.")
        raise InvalidParameter.unknown("--preset", name, known, next_step=step)
    return PRESETS[name]


def _made_up(preset: Preset, noise: Infusion, place: str | None, progress: Progress) -> Evaluation:
    """The preset's own economy: public by construction."""
    with open_economy(preset.economy, lambda done, of: progress.part("jobs", done, of)) as (
        engine,
        book,
    ):
        loads = preset.workloads(book)
        _refuse_no_place(loads, place)
        progress.step("tabulating")
        truths = read_truths(engine, book, EveryJob(), marginals(loads), place or PLACE)
    words = economy_words(preset.economy)
    study = Study(
        preset.name, words, True, loads, preset.grid, noise, place or PLACE, preset.classical
    )
    return evaluate(study, truths, progress)


def _on_plan(
    plan: "Plan", preset: Preset, noise: Infusion, place: str | None, progress: Progress
) -> Evaluation:
    """The tables of a plan on its data, with its Δ, and its α beside those of the preset."""
    from leeward.publishing.release.check import open_data, require_rows  # noqa: PLC0415 (loads a database)
    from leeward.publishing.release.receipt import Receipts  # noqa: PLC0415 (as above)

    for table in plan.tables:
        statistic = table.marginal.statistic
        if not statistic.disjoint:  # nothing else has a true count beside it
            raise InvalidParameter(
                f"tables.{table.name}.statistic",
                rule="must be count or classes in an evaluation, which scores counts",
                value=statistic.name,
                next_step="Evaluate a copy of the plan without this table; `leeward plan` predicts "
                "its errors.",
            )
    loads = workloads_of(table.marginal for table in plan.tables)
    _refuse_no_place(loads, place)
    _refuse_guarantee(plan.asked)
    with open_data(plan) as engine:
        progress.step("checking the rows")
        require_rows(plan, engine, Receipts.of(plan).found(engine.digest()))
        progress.step("tabulating")
        truths = read_truths(engine, plan.codebook, plan.jobs, marginals(loads), place or PLACE)
    grid = preset.grid.with_promise(plan.asked)
    words = f"the data of {plan.path}"
    study = Study(preset.name, words, False, loads, grid, noise, place or PLACE, preset.classical)
    return evaluate(study, truths, progress)


def _refuse_guarantee(asked: Guarantee) -> None:
    """Mechanisms are compared at one ε, by establishment, and at what one job costs."""
    if asked.unit == "employer":  # errors by establishment would be too small
        raise InvalidParameter(
            "protect.unit",
            rule="must be establishment in an evaluation, which counts each by itself",
            value="employer",
            next_step="Evaluate a copy of the plan without unit; `leeward plan` predicts errors "
            "by the size of the largest employer.",
        )
    if asked.rho > 0:
        raise InvalidParameter.unwanted(
            "protect.rho",
            "in an evaluation, which compares mechanisms at one epsilon",
            value=shown(asked.rho),
            next_step="Evaluate a copy of the plan with epsilon; `leeward plan` predicts the "
            "errors of a plan with rho.",
        )
    if asked.policy.name == "person":
        raise InvalidParameter(
            "protect.policy",
            rule="must not be person in an evaluation, which compares what hides single jobs",
            value="person",
            next_step="`leeward plan` predicts the errors of this plan.",
        )


def _refuse_no_place(loads: tuple[Workload, ...], place: str | None) -> None:
    names = {dimension.name for load in loads for dimension in load.marginal.workplace}
    if place is not None and place not in names:
        raise InvalidParameter(
            "--place",
            rule="must be a workplace attribute of a table that is evaluated",
            value=shown(place),
            next_step=did_you_mean(place, names, "Leave it out."),
        )
