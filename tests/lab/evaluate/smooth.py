"""Made-up points: smooth curves that look like an evaluation and say nothing about one."""

from collections.abc import Iterator
from dataclasses import replace
from math import exp, log1p

from leeward.lab.evaluate.point import ALL, ScoredPoint

ALPHAS = (0.01, 0.05, 0.1, 0.2)
EPSILONS = (0.25, 0.5, 0.67, 1.0, 2.0, 4.0)
STRATA = (ALL, "under 100", "100 to 10,000", "10,000 to 100,000", "above 100,000")
WORKLOADS = {"place_sector_ownership": 1, "single_queries": 1, "whole_marginal": 8}
"""Identifier, and worker cells of a workplace."""

OURS = {"slope": 1.0, "vector_pareto": 1.3, "clipped": 1.6}
PAPERS = {"log_laplace": 2.0, "smooth_laplace": 4.0, "smooth_gamma": 9.0}
THETAS = {10: 30.0, 100: 12.0, 1000: 60.0}


def made_up() -> Iterator[ScoredPoint]:
    """Points of every kind: three workloads, four α, up to eight ε, five strata."""
    for workload, cells in WORKLOADS.items():
        epsilons = EPSILONS if cells == 1 else (*EPSILONS, 8.0, 16.0)
        for stratum, harder in zip(STRATA, (1, 9, 3, 0.8, 0.2), strict=True):
            start = ScoredPoint(workload, "infusion", "today", "none", "single", stratum=stratum)
            yield replace(start, l1=10.0, ratio_to_infusion=1.0, spearman=0.985)
            for epsilon in epsilons:
                at = replace(start, epsilon=epsilon, policy="strong")
                for alpha in ALPHAS:
                    yield from _protected(replace(at, alpha=alpha), harder, cells)
                yield from _baselines(at, harder)


def _protected(at: ScoredPoint, harder: float, cells: int) -> Iterator[ScoredPoint]:
    step = log1p(at.alpha or 0)
    for name, cost in OURS.items():
        accounting = "single" if cells == 1 else "sum" if name == "slope" else "joint"
        price = cells if accounting == "sum" else cells**0.5
        made = replace(at, mechanism=name, calibration="tight", accounting=accounting)
        yield measured(made, harder * cost * price * (10 * step + 0.05) / _epsilon(at))
    for name, cost in PAPERS.items():
        for calibration, extra in (("published", 2.5), ("tight", 1.0)):
            made = replace(at, mechanism=name, calibration=calibration, accounting="sum")
            ratio = harder * cost * extra * (10 * step + 0.05) / _epsilon(at)
            if _epsilon(at) > 4 * step:  # below, the papers' conditions do not hold
                yield measured(made, ratio * cells)
                if cells > 1 and calibration == "published":
                    yield measured(replace(made, accounting="parallel"), ratio)


def _baselines(at: ScoredPoint, harder: float) -> Iterator[ScoredPoint]:
    edge = replace(at, mechanism="edge_laplace", policy="worker", calibration="tight")
    yield measured(edge, 0.05 / _epsilon(at))
    for theta, cost in THETAS.items():
        node = replace(edge, mechanism="node_laplace", policy="removal", theta=theta)
        yield measured(node, harder * (cost + theta / 10 / _epsilon(at)))


def measured(point: ScoredPoint, ratio: float) -> ScoredPoint:
    """The point with measures that follow from its ratio."""
    near = exp(-ratio / 20)
    return replace(
        point,
        l1=10 * ratio,
        ratio_to_infusion=None if point.mechanism == "log_laplace" and ratio > 60 else ratio,
        spearman=near,
        spearman_infusion=near * 0.985,
        coverage=0.9 + 0.02 * near if point.mechanism in OURS else None,
    )


def _epsilon(point: ScoredPoint) -> float:
    return point.epsilon or 1.0
