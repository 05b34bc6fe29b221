"""Prediction: what error to expect and what is left, before anything is spent."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

import numpy as np

from leeward.errors import LeewardError
from leeward.ledger import Account
from leeward.ledger.budget import payment
from leeward.mechanisms.choice import IN_PLANS
from leeward.mechanisms.measurement import Measurement
from leeward.model import Codebook
from leeward.model.codebook import read_codebook
from leeward.model.size_profile import TYPICAL, SizeProfile, read_profile
from leeward.privacy import sentences
from leeward.privacy.odds import odds
from leeward.publishing.gathering import Gathering
from leeward.publishing.plan import Context, Plan, PlannedTable, make_plan
from leeward.publishing.reading import OFFERED, read_protection, read_shares
from leeward.publishing.request import Request, WrittenTable

POLICIES, MECHANISMS = OFFERED, ("auto", *IN_PLANS)
"""What a plan may name."""

CURVE = 49
"""At most so many pieces of a curve, one of them in the middle; one for each number if few."""


@dataclass(frozen=True)
class Expectation:
    """What to expect of a cell whose largest establishment has so many jobs."""

    largest: int
    error: float | None
    margin: int | None


@dataclass(frozen=True)
class Noise:
    """What may be published for a cell that is one establishment: `true` is its real number.

    Nine published numbers in ten lie from `low` to `high`. `curve` are numbers with how likely
    they are, for a picture.
    """

    true: int
    low: int
    high: int
    curve: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Outlook:
    """The plan, or where it is refused, why, and each table that can be made by itself."""

    plan: Plan | None
    tables: tuple[PlannedTable | None, ...]
    profile: SizeProfile
    codebook: Codebook | None
    refusals: tuple[LeewardError, ...] = ()


NOTHING = Outlook(None, (), TYPICAL, None)
"""The outlook of what is no request yet."""


def promises(plan: Plan) -> dict[str, str]:
    """The guarantee in plain words: what it means, and for whom."""
    charge, kinds = plan.charge, plan.weak_attributes
    make_up = sentences.make_up(charge, kinds, by_cell=plan.by_cell).text
    told = {
        "meaning": sentences.suspicion(charge, plan.jobs).text,
        "workers": sentences.worker(charge, plan.jobs).text,
        "size": sentences.establishment(charge, plan.jobs).text,
        "make-up": make_up if kinds is None else f"{make_up} {sentences.MAKE_UP_SHARE.text}",
        "rows": sentences.rows(strict=plan.strict).text,
    }
    reduced = sentences.joined(sentences.jobs(charge, plan.jobs)[1:])
    return told | ({"jobs": reduced} if reduced else {})


def outlook(request: Request, path: Path) -> Outlook:
    """What a request would give; where it is refused, the tables that can be made anyway."""
    found = Gathering()
    plan = found.attempt(lambda: make_plan(request, path))
    if plan is not None:
        return Outlook(plan, plan.tables, plan.profile, plan.codebook)
    refused, context = tuple(found.problems), _context(request, path)
    tables = tuple(_alone(table, request.tables, context) for table in request.tables)
    return Outlook(None, tables, context.profile, context.codebook, refused)


def _context(request: Request, path: Path) -> Context:
    """What can be read of what the tables have in common."""
    found = Gathering()
    asked = found.attempt(lambda: read_protection(request.protect))
    codebook = found.attempt(lambda: read_codebook(path.parent / request.codebook))
    sizes = None if request.sizes is None else path.parent / request.sizes
    profile = None if sizes is None else found.attempt(lambda: read_profile(sizes))
    return Context(codebook, asked, profile or TYPICAL)


def _alone(
    table: WrittenTable, tables: list[WrittenTable], context: Context
) -> PlannedTable | None:
    """One table at the share that it has, whatever becomes of the others."""
    found, none = Gathering(), all(one.share is None for one in tables)
    if none:
        return found.attempt(lambda: context.table(table, Fraction(1, len(tables))))
    if table.share is None:
        return None
    return found.attempt(lambda: context.table(table, read_shares([table])[0]))


def refusal(plan: Plan, account: Account) -> str | None:
    """Why the account would not pay, in the words of the release."""
    try:
        payment(account, plan.charge)
    except LeewardError as error:
        return str(error)
    return None


def expectations(table: PlannedTable, profile: SizeProfile) -> tuple[Expectation, ...]:
    """Mean absolute error and typical margin for the sizes of a profile."""
    made = table.measurement
    return tuple(
        Expectation(size, made.expected_error(size), made.expected_margin(size))
        for size in profile.largest
    )


def mean_error(table: PlannedTable, profile: SizeProfile) -> float | None:
    """The average over the profile, in jobs; None where there is no mean."""
    return profile.mean(tuple(table.measurement.expected_error(size) for size in profile.largest))


def margin_cost(table: PlannedTable) -> Fraction:
    """What of the table's ε pays for margins."""
    return table.measurement.margins.epsilon


def noise(table: PlannedTable, size: int) -> Noise:
    """The published number of a cell that is one establishment of this many jobs.

    In a worker table its workers are spread evenly over the worker cells, and one of them is
    looked at. The bias of clipping depends on the data and is left out.
    """
    return _noise(table.measurement, size)


@lru_cache(maxsize=1024)  # frozen values, shown again with every change of something else
def _noise(made: Measurement, size: int) -> Noise:
    at = made.spread(size)
    low, high = at.low - at.true, at.high - at.true
    edges = np.unique(np.linspace(2 * low - 1, 2 * high + 2, CURVE + 1).round()) - 0.5
    mass = np.diff(at.law.float_tails(edges / at.scale)[0]) / np.diff(edges)
    middles = at.true + (edges[1:] + edges[:-1]) / 2
    points = zip(middles.tolist(), mass.tolist(), strict=True)
    return Noise(at.true, at.low, at.high, tuple(points))


def as_json(plan: Plan, remaining: object) -> dict[str, object]:
    """The prediction for programs."""
    return {
        "guarantee": _guarantee_json(plan),
        "odds": None if (found := odds(plan.charge)) is None else found.as_json(),
        "tables": [table_json(table, plan.profile) for table in plan.tables],
        "remaining": remaining,
    }


def _guarantee_json(plan: Plan) -> dict[str, object]:
    """The guarantee of a plan with exact numbers as text."""
    guarantee = plan.charge
    alpha = None if guarantee.alpha is None else str(guarantee.alpha)
    return {
        "policy": guarantee.policy.name,
        "alpha": alpha,
        "epsilon": str(guarantee.epsilon),
        "delta": str(guarantee.delta),
        "rho": str(guarantee.rho),
        "sentence": guarantee.sentence(plan.jobs),
    }


def table_json(table: PlannedTable, profile: SizeProfile) -> dict[str, object]:
    """One table of the prediction."""
    marginal = table.marginal
    return {
        "name": table.name,
        "kind": marginal.kind,
        "mechanism": table.measurement.name,
        "why": table.why,
        "epsilon": str(table.charge.epsilon),
        "delta": str(table.charge.delta),
        "margins": table.measurement.margins.method,
        "cells": marginal.workplace_cells * marginal.worker_cells,
        "worker_cells": marginal.worker_cells,
        "predicted_error": {
            "mean": mean_error(table, profile),
            "by_largest": [vars(one) for one in expectations(table, profile)],
        },
    }
