"""Prediction: what error to expect and what is left, before anything is spent."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from leeward.bundle.promises import (
    NOT_PROTECTED,
    establishment_promise,
    shape_sentence,
    worker_promise,
)
from leeward.errors import LeewardError
from leeward.ledger import Account
from leeward.ledger.budget import payment
from leeward.mechanisms.clipped import Clipped
from leeward.mechanisms.log_laplace import LogLaplace
from leeward.mechanisms.margins import (
    COVERAGE,
    NoMargins,
    PublicMargins,
    log_laplace_margins,
)
from leeward.privacy import Guarantee
from leeward.release.offer import Offer
from leeward.release.plan import Plan, PlannedTable
from leeward.release.profile import SizeProfile


@dataclass(frozen=True)
class Expectation:
    """What to expect of a cell whose largest establishment has so many jobs."""

    largest: int
    error: float | None
    margin: int | None


def promises(plan: Plan) -> dict[str, str]:
    """The guarantee in plain words: for workers, for the size and the shape of establishments."""
    charge = plan.charge
    size = establishment_promise(charge)
    return {
        "workers": worker_promise(charge, plan.jobs).sentence,
        "size": NOT_PROTECTED if size is None else size.sentence,
        "shape": shape_sentence(charge, plan.weak_attributes),
    }


def refusal(plan: Plan, account: Account) -> str | None:
    """Why the account would not pay, in the words of the release."""
    try:
        payment(account, plan.charge)
    except LeewardError as error:
        return str(error)
    return None


def expectations(table: PlannedTable, profile: SizeProfile) -> tuple[Expectation, ...]:
    """Mean absolute error and typical margin for the sizes of a profile."""
    offer = table.offer
    return tuple(
        Expectation(size, offer.error(size), _margin(offer, size)) for size in profile.largest
    )


def mean_error(table: PlannedTable, profile: SizeProfile) -> float | None:
    """The average over the profile, in jobs; None where there is no mean."""
    return profile.mean(tuple(table.offer.error(size) for size in profile.largest))


def _margin(offer: Offer, size: int) -> int | None:
    """The margin that a cell would get if the noise of its scale were zero."""
    rule, made = offer.margins, offer.mechanism
    if isinstance(rule, NoMargins):
        return None
    if offer.per_cell:
        size = -(-size // made.parameters.cells)
    if not isinstance(rule, PublicMargins):
        return int(rule.margins(rule.scale.grid.index(np.array([size])))[0])
    if isinstance(made, Clipped):
        theta = made.clipping.theta(made.clipping.grid.index(np.array([size])))
        return int(made.margin(theta, COVERAGE)[0])
    if isinstance(made, LogLaplace):
        return int(log_laplace_margins(made, np.array([size]))[0])
    return int(np.asarray(made.quantile(Fraction(19, 20), None, 0)))


def as_json(plan: Plan, remaining: object) -> dict[str, object]:
    """The prediction for programs."""
    return {
        "guarantee": guarantee_json(plan.charge),
        "tables": [table_json(table, plan.profile) for table in plan.tables],
        "remaining": remaining,
    }


def guarantee_json(guarantee: Guarantee) -> dict[str, object]:
    """A guarantee with exact numbers as text."""
    alpha = None if guarantee.alpha is None else str(guarantee.alpha)
    return {
        "policy": guarantee.policy.name,
        "alpha": alpha,
        "epsilon": str(guarantee.epsilon),
        "delta": str(guarantee.delta),
        "rho": str(guarantee.rho),
        "sentence": guarantee.sentence(),
    }


def table_json(table: PlannedTable, profile: SizeProfile) -> dict[str, object]:
    """One table of the prediction."""
    marginal = table.marginal
    return {
        "name": table.name,
        "kind": marginal.kind,
        "mechanism": table.offer.name,
        "why": table.why,
        "epsilon": str(table.offer.charge.epsilon),
        "delta": str(table.offer.charge.delta),
        "margins": table.offer.margins.method,
        "cells": marginal.workplace_cells * marginal.worker_cells,
        "worker_cells": marginal.worker_cells,
        "predicted_error": {
            "mean": mean_error(table, profile),
            "by_largest": [vars(one) for one in expectations(table, profile)],
        },
    }
