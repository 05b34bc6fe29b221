"""Prediction: what error to expect and what is left, before anything is spent."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from math import ceil
from pathlib import Path

import numpy as np

from leeward.core.codebook import Codebook
from leeward.core.codebook.size_profile import TYPICAL, SizeProfile
from leeward.core.errors import LeewardError
from leeward.core.mechanisms.measurement import Measurement
from leeward.core.mechanisms.registry import IN_PLANS
from leeward.core.privacy import job_sentences, sentences
from leeward.core.privacy.odds_of_suspicion import suspicion
from leeward.core.privacy.words import joined
from leeward.publishing.ledger import Account
from leeward.publishing.ledger.account import payment
from leeward.publishing.ledger.part_sums import in_part
from leeward.publishing.plan.plan import Plan, make_plan, read_context
from leeward.publishing.plan.planned_table import PlannedTable
from leeward.publishing.plan.reading import OFFERED, Gathering, read_shares
from leeward.publishing.plan.request import Request

POLICIES, MECHANISMS = OFFERED, ("auto", *IN_PLANS)
"""What a plan may name."""

CURVE = 49
"""Maximum number of pieces of a curve, one in the middle; one for each number if few."""


@dataclass(frozen=True)
class Expectation:
    """What to expect of a cell whose largest establishment has `largest` jobs.

    `margin` is that of the noise; `allowance` is how much farther up an interval reaches because of
    clipping, 0 where nothing is clipped.
    """

    largest: int
    error: float | None
    margin: int | None
    allowance: int | None


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


HEADINGS: Mapping[str, str] = {
    "meaning": "What ε means",
    "workers": "Workers",
    "size": "Size of establishments",
    "make-up": "Make-up of establishments",
    "rows": "Rows",
    "pay": "Pay",
    "jobs": "Workers with several jobs",
    "curve": "Between two sizes",
}
"""Headings of the sentences about the guarantee, by their short names on a terminal."""


def promises(plan: Plan) -> dict[str, str]:
    """The guarantee in plain words by short name: what it means, and for whom."""
    charge, kinds = plan.charge, plan.weak_attributes
    make_up = sentences.make_up(charge, kinds, by_cell=plan.by_cell).text
    sentence = {
        "meaning": suspicion(charge, plan.jobs).text,
        "workers": sentences.worker(charge, plan.jobs).text,
        "size": sentences.establishment(charge, plan.jobs).text,
        "make-up": make_up if kinds is None else f"{make_up} {sentences.MAKE_UP_SHARE.text}",
        "rows": job_sentences.rows(strict=plan.strict).text,
        "pay": joined(plan.pay),
        "jobs": joined(job_sentences.jobs(charge, plan.jobs)[1:]),
    }
    return {name: sentence[name] for name in HEADINGS if sentence.get(name)}


def outlook(request: Request, path: Path) -> Outlook:
    """What a request would give; where it is refused, the tables that can be made anyway."""
    gathering = Gathering()
    plan = gathering.attempt(lambda: make_plan(request, path))
    if plan is not None:
        return Outlook(plan, plan.tables, plan.profile, plan.codebook)
    refused, context = tuple(gathering.problems), read_context(request, path, Gathering())
    equal = all(table.share is None for table in request.tables)
    tables, gathering = list[PlannedTable | None](), Gathering()
    for written in request.tables:  # at the share that it has, whatever becomes of the others
        shares, table = None, None
        if equal or written.share is not None:
            known = request.tables if equal else [written]
            shares = gathering.attempt(partial(read_shares, known))
        if shares is not None:
            table = gathering.attempt(partial(context.table, written, shares[0]))
        tables.append(table)
    return Outlook(None, tuple(tables), context.profile, context.codebook, refused)


def refusal(plan: Plan, account: Account) -> str | None:
    """Why the account would not pay, in the words of the release."""
    try:
        payment(in_part(account, plan.request.named_part), plan.charge)
    except LeewardError as error:
        return str(error)
    return None


def expectations(table: PlannedTable, profile: SizeProfile) -> tuple[Expectation, ...]:
    """Mean absolute error and typical margin for the sizes of a profile."""
    measurement = table.measurement
    weights = [breakdown.cells for breakdown in table.marginal.breakdowns]

    def allowance(size: int, establishments: int) -> int | None:
        intervals = measurement.expected_intervals(size, establishments)
        if intervals is None:
            return None
        whole = intervals.shape[1] == 1  # one kind of cell; else a total and the tables below it
        return ceil(intervals[1, 0] if whole else np.average(intervals[1, 1:], weights=weights))

    measures = (measurement.expected_error, measurement.expected_margin, allowance)
    numbers = zip(profile.largest, *(profile.of(measure) for measure in measures), strict=True)
    return tuple(Expectation(*number) for number in numbers)


def mean_error(table: PlannedTable, profile: SizeProfile) -> float | None:
    """The average over the profile, in the table's unit; None where there is no mean."""
    return profile.mean(profile.of(table.measurement.expected_error))


@dataclass(frozen=True)
class PartExpectation:
    """Mean absolute errors of a table of a product, for the sizes of a profile.

    `margins` and `allowances` are as in `Expectation`; empty where they are not known by table.
    """

    name: str
    cells: int
    errors: tuple[float | None, ...]
    margins: tuple[int, ...] = ()
    allowances: tuple[int, ...] = ()


def part_expectations(table: PlannedTable, profile: SizeProfile) -> tuple[PartExpectation, ...]:
    """What to expect of the total and of each table of a product; none of other tables."""
    marginal = table.marginal
    if not marginal.breakdowns:
        return ()
    rows = profile.of(table.measurement.expected_errors)
    ends = [one for one in profile.of(table.measurement.expected_intervals) if one is not None]
    known = all(end.shape[1] == len(marginal.published) for end in ends)
    return tuple(
        PartExpectation(
            part.name,
            part.worker_cells,
            tuple(None if row is None else float(row[number]) for row in rows),
            *(tuple(int(one[at, number]) for one in ends if known) for at in (0, 1)),
        )
        for number, part in enumerate(marginal.published)
    )


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
def _noise(measurement: Measurement, size: int) -> Noise:
    at = measurement.spread(size)
    low, high = at.low - at.true, at.high - at.true
    edges = np.unique(np.linspace(2 * low - 1, 2 * high + 2, CURVE + 1).round()) - 0.5
    mass = np.diff(at.law.float_tails(edges / at.scale)[0]) / np.diff(edges)
    middles = at.true + (edges[1:] + edges[:-1]) / 2
    points = zip(middles.tolist(), mass.tolist(), strict=True)
    return Noise(at.true, at.low, at.high, tuple(points))
