"""Exams of synthetic tables: noisy counts of rows, and choices by distances, one row more.

The code that is released is run on both neighbours with noise, or selection, of the auditor's own.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from itertools import permutations

import numpy as np
from flint import arb

from leeward.core.exact import ball, precision
from leeward.core.mechanisms.row_choice import RowChoice, distance
from leeward.core.mechanisms.row_counts import RowCounts
from leeward.core.noise.exact_selection import weights
from leeward.core.noise.scales import Integers
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import Guarantee
from leeward.lab.audit.audit_line import EPSILON, Control
from leeward.lab.audit.clipped_exam import ORDERS, moves, rho_of, sums_loss
from leeward.lab.audit.loss import INFINITE, UNKNOWN, PrivacyLoss, over, worst, zcdp_loss
from leeward.lab.audit.neighbours import Depth
from leeward.lab.audit.recording import NoiseRequest, RecordingNoise
from leeward.lab.audit.regression_exam import RecordingSelection
from leeward.lab.audit.row import Claim, Grid, PolicyLine, Row

PEOPLE = np.array([[0, 0], [0, 2], [1, 2]])
"""Rows of two columns, of two and three codes."""

JOINERS = ((0, 0), (1, 1), (1, 2))
SETS: tuple[tuple[int, ...], ...] = ((0,), (1,), (0, 1))
SIZES = (2, 3)

NEAR_ONE = (Fraction(65, 64), Fraction(5, 4), *ORDERS)
"""Orders of Rényi divergences: of a choice they are largest relative to the order near one."""


def counts_of(rows: Integers) -> list[Integers]:
    """The counts of every set of columns."""
    tables = []
    for columns in SETS:
        counts = np.zeros([SIZES[at] for at in columns], dtype=np.int64)
        np.add.at(counts, tuple(rows[:, at] for at in columns), 1)
        tables.append(counts)
    return tables


def examine_counts(mechanism: RowCounts, _: Depth) -> PrivacyLoss:
    """One row more, in an empty cell or not: the losses of all sets add up."""
    before, price = _requests(mechanism, PEOPLE), mechanism.price
    after = [_requests(mechanism, np.vstack([PEOPLE, joiner])) for joiner in JOINERS]
    pairs = [list(zip(before, requests, strict=True)) for requests in after]
    if price.measure == "pure":
        losses = (reduce(PrivacyLoss.plus, (sums_loss(*both) for both in pair)) for pair in pairs)
        return worst(replace(loss, delta=UNKNOWN) for loss in losses)
    if any(not left.gaussian for pair in pairs for left, _ in pair):
        return zcdp_loss(INFINITE, price.reading)
    rho = (rho_of(step for both in pair for step in moves(*both)) for pair in pairs)
    return zcdp_loss(reduce(arb.max, rho), price.reading)


def _requests(mechanism: RowCounts, rows: Integers) -> list[NoiseRequest]:
    noise = RecordingNoise()
    mechanism.release(counts_of(rows), noise)
    return noise.requests


Candidate = tuple[Integers, Floats]
"""The counts of a candidate, and what is expected of them."""

Scores = Callable[[Integers, Floats], int]


def chances(mechanism: RowChoice, candidates: Sequence[Candidate], score: Scores) -> list[arb]:
    """The exact probability that each candidate is chosen."""
    selection = RecordingSelection()
    mechanism.release([score(*candidate) for candidate in candidates], selection)
    ((ranks, rate),) = (*selection.asked, *selection.coins)
    with precision(128):
        if selection.coins:
            return _by_coins(ranks.tolist(), rate)
        parts = weights(ranks.tolist(), [1] * len(ranks), rate)
        return [part / sum(parts, arb(0)) for part in parts]


def _by_coins(ranks: list[int], rate: Fraction) -> list[arb]:
    """Permute-and-flip, over all orders."""
    coins = [ball(-rate * (rank - min(ranks))).exp() for rank in ranks]
    probabilities = [arb(0) for _ in coins]
    orders = list(permutations(range(len(coins))))
    for order in orders:
        reached = arb(1) / len(orders)
        for place in order:
            probabilities[place] += reached * coins[place]
            reached *= 1 - coins[place]
    return probabilities


STARTS = ((0,), (1,), (2,), (0, 0), (1, 1))
"""How far candidates are away from what is expected without the row that joins."""


def examine_choice(mechanism: RowChoice, _: Depth, score: Scores = distance) -> PrivacyLoss:
    """One row more: the last candidate expects it and comes nearer, the others move away."""
    nothing, row = np.zeros(2, np.int64), np.array([1, 0])
    pairs = []
    for start in STARTS:
        expected = [*(np.array([0.0, float(far)]) for far in start), np.array([1.0, 0.0])]
        pairs.append(([(nothing, m) for m in expected], [(row, m) for m in expected]))
    return _over_pairs(mechanism, pairs, score)


def _over_pairs(
    mechanism: RowChoice, pairs: Iterable[tuple[list[Candidate], list[Candidate]]], score: Scores
) -> PrivacyLoss:
    both = [
        (chances(mechanism, left, score), chances(mechanism, other, score)) for left, other in pairs
    ]
    if mechanism.price.measure == "pure":
        return worst(_pure(p, q, mechanism.price.epsilon).times(mechanism.times) for p, q in both)
    most = arb(0)
    with precision(128):
        for p, q in (*both, *((q, p) for p, q in both)):
            for order in NEAR_ONE:
                power, other = ball(order), ball(1 - order)
                total = sum((a**power * b**other for a, b in zip(p, q, strict=True)), arb(0))
                divergence = total.log() / ball(order - 1)
                most = most.max(divergence / power)
    return zcdp_loss(most * mechanism.times, mechanism.price.reading)


def _pure(left: list[arb], right: list[arb], claimed: Fraction) -> PrivacyLoss:
    places = [(place,) for place in range(len(left))]
    return over(places, lambda o: left[o[0]], lambda o: right[o[0]], claimed)


MANY = 50


def own_margins(mechanism: RowChoice) -> PrivacyLoss:
    """Expected counts from the data's own margins: a new row in a new corner moves them by 4."""
    before = np.array([[MANY, 0], [0, 0]])
    after = before + np.array([[0, 0], [0, 1]])
    expecting: Candidate = (np.array([0]), np.array([1.0]))
    pairs = [([_own(before), expecting], [_own(after), (np.array([1]), np.array([1.0]))])]
    return _over_pairs(mechanism, pairs, distance)


def _own(counts: Integers) -> Candidate:
    return counts, np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()


@dataclass(frozen=True)
class RowLine(PolicyLine):
    """A mechanism of synthetic tables at some prices, all ε or all ρ."""

    mechanism: str
    made: Callable[[Guarantee], object]
    examine: Callable[..., PrivacyLoss]
    prices: tuple[Guarantee, ...]
    policy: str = "worker"

    def rows(self, _: Grid, depth: Depth) -> Iterator[Row]:
        """One row for every price."""
        for price in self.prices:
            epsilon, budget = price.restated.epsilon, "budget in rho" if price.rho else ""
            delta = price.reading if price.rho else Fraction(0)
            claim = Claim(
                self.mechanism, "tight", "worker", None, epsilon, delta, price.rho, detail=budget
            )
            yield Row(claim, self.examine(self.made(price), depth))


def counts_at(price: Guarantee) -> RowCounts:
    """The three sets at this price."""
    return RowCounts.calibrated(price, [counts.size for counts in counts_of(PEOPLE)])


def choice_at(price: Guarantee) -> RowChoice:
    """Two choices at this price."""
    return RowChoice(price, 2)


PRICES = (
    tuple(Guarantee("worker", None, epsilon) for epsilon in ("1", "4")),
    (Guarantee("worker", None, 0, 0, "1/50"),),
)

ROW_LINES = tuple(
    RowLine(name, calibrated, examine, prices)
    for name, calibrated, examine in (
        ("row_counts", counts_at, examine_counts),
        ("row_choice", choice_at, examine_choice),
    )
    for prices in PRICES
)


def half_the_sets(depth: Depth) -> PrivacyLoss:
    """Noise for half of the sets of columns that are counted."""
    counts = counts_at(Guarantee("worker", None, EPSILON))
    return examine_counts(replace(counts, parts=tuple(2 * part for part in counts.parts)), depth)


ROW_CONTROLS = (
    Control("noise for half of the sets", "row_counts", half_the_sets, "worker"),
    Control(
        "the data's own margins in the score",
        "row_choice",
        lambda _: own_margins(RowChoice(Guarantee("worker", None, EPSILON))),
        "worker",
    ),
)
