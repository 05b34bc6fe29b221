"""A small run, written by hand: every number is known, so that sentences can be held to it."""

from dataclasses import replace
from typing import Any

from leeward.lab.baselines.noise_infusion import Infusion
from leeward.lab.evaluate.evaluation import EvaluatedTable, Evaluation, Study
from leeward.lab.evaluate.point import RefusedSetting, ScoredPoint
from leeward.lab.evaluate.workloads import Grid

TODAY = ScoredPoint(
    "one", "infusion", "published", "none", "single", trials=7, l1=10.0, spearman=0.9876
)
ONE = EvaluatedTable("one", "county × trade", 321, 1, 0.125, 0.25)
WHOLE = EvaluatedTable("whole", "county × trade × sex", 321, 2, 0.5, 0.0625)


def at(mechanism: str, l1: float | None, **more: Any) -> ScoredPoint:  # noqa: ANN401 (any field)
    """A point of the first table with this error; its ratio to infusion follows."""
    start = ScoredPoint("one", mechanism, "tight", "strong", "single", alpha=0.1, epsilon=1.0)
    given = replace(start, l1=l1, **more)
    true = given.epsilon if given.epsilon_summed is None else given.epsilon_summed
    return replace(
        given,
        epsilon_summed=true,
        ratio_to_infusion=None if l1 is None else l1 / 10,
    )


def printed(mechanism: str, l1: float | None, **more: Any) -> ScoredPoint:  # noqa: ANN401 (as above)
    """The same in the form of the papers."""
    return at(mechanism, l1, calibration="published", **more)


def refused(mechanism: str, reason: str, **more: Any) -> RefusedSetting:  # noqa: ANN401 (as above)
    """A gap of the first table."""
    start = RefusedSetting("one", mechanism, "tight", "strong", "single", alpha=0.1, epsilon=1.0)
    return replace(start, reason=reason, **more)


def run(
    *points: ScoredPoint,
    gaps: tuple[RefusedSetting, ...] = (),
    tables: tuple[EvaluatedTable, ...] = (ONE,),
    made_up: bool = True,
) -> Evaluation:
    """An evaluation of these points."""
    noise = Infusion(0.08, 0.31, 0.17)
    study = Study("quick", "the data of a test", made_up, (), Grid(trials=7), noise)
    return Evaluation(study, tables, points, gaps)


FULL = run(
    TODAY,
    at("slope", 4.0, spearman=0.9512, negative=0.0321, coverage=0.934),
    at("slope", 16.0, epsilon=0.25, coverage=0.911),
    replace(at("slope", 2.0), stratum="under 100", cells=12, ratio_to_infusion=3.21),
    replace(at("slope", 8.0), stratum="above 100,000", cells=309, ratio_to_infusion=0.123),
    at("vector_pareto", 5.0, coverage=0.95),
    at("clipped", 7.0, coverage=0.61, coverage_error=0.001, trials=7),
    printed("log_laplace", 26.0, spearman=0.8123),
    printed("log_laplace", 52.0, epsilon=0.25),
    at("log_laplace", 13.0),
    printed("smooth_laplace", 12.0, delta=0.02),
    at("smooth_laplace", 3.0, delta=0.02),
    at("edge_laplace", 0.77, policy="worker", alpha=None),
    at("node_laplace", 123.0, policy="establishment", alpha=None, theta=10),
    at("node_laplace", 456.0, policy="establishment", alpha=None, theta=100),
    replace(TODAY, workload="whole", l1=1.5),
    at("vector_pareto", 2.25, workload="whole", epsilon=4.0, accounting="joint"),
    printed(
        "log_laplace",
        0.61,
        workload="whole",
        policy="weak",
        epsilon=4.0,
        epsilon_summed=8.0,
        accounting="parallel",
    ),
    gaps=(
        refused(
            "vector_pareto",
            "epsilon: must be above cells·ln(1+alpha); got 1/4. Take a smaller alpha.",
            workload="whole",
            accounting="joint",
            epsilon=0.25,
        ),
    ),
    tables=(ONE, WHOLE),
)
"""One table with everything, and a whole table of worker cells."""
