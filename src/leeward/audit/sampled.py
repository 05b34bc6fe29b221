"""Sampled: what many releases of two neighbours show of their loss, whatever the code does.

Each workplace cell has noise of its own, so one release of many equal cells is many draws. One
half of the draws finds an event that tells the databases apart; on the other half its two
probabilities are bounded (Clopper and Pearson 1934). The log-ratio of the bounds is a lower bound
of the loss that assumes nothing but independent draws.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import repeat
from math import isqrt, prod

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leeward.audit.definition import fault
from leeward.audit.loss import Loss, worst
from leeward.audit.neighbours import Database, Pair, jobs
from leeward.audit.rehearsal import entries
from leeward.exact import ball, precision
from leeward.mechanisms.additive import Additive
from leeward.mechanisms.clipped import Clipped
from leeward.mechanisms.node_laplace import NodeLaplace
from leeward.mechanisms.vector_pareto import VectorPareto
from leeward.noise.tabulated import Floats
from leeward.privacy import Policy

Events = NDArray[np.int64]
Release = Callable[[Database, int], Floats]
"""A release of so many workplace cells that all hold this database: one row a cell."""

RELEASED_CODE = "released code"
DRAWS, FEWER_DRAWS = 1 << 18, 1 << 14
"""Of each database; discrete Gaussian noise is drawn more slowly."""

FALSE_ALARM = Fraction(1, 10**6)
"""Of one bound. A table has far fewer than a thousand, so all hold together at 99.9 %."""

BINS = {1: 64, 2: 24, 3: 14}
"""Of each released number, by how many there are."""

STEPS = 7
"""Of a bisection, after the first: to a hundredth of eight standard errors and twenty draws."""

CAUTION = 4.75
"""Standard errors that a bound will lie below its estimate."""


@dataclass(frozen=True)
class Experiment:
    """Two databases, and how often each is released."""

    pair: Pair
    draws: int = DRAWS

    def loss(self, release: Release, delta: Fraction) -> Loss:
        """A lower bound in either direction."""
        before, after = (release(database, self.draws) for database in self.pair.databases)
        ways = (lower_bound(before, after, delta), lower_bound(after, before, delta))
        return Loss(*ways, arb("nan"))


def examine_code(mechanism: Additive | Clipped, policy: Policy) -> Loss:
    """The released code compared with its definition, and then sampled."""
    found = fault(mechanism)
    if found:
        return Loss(arb("nan"), arb("nan"), arb("nan"), fault=found)
    return sampled_loss(mechanism, policy)


def sampled_loss(mechanism: Additive | Clipped, policy: Policy) -> Loss:
    """The largest lower bound over pairs and directions."""
    delta = mechanism.parameters.delta  # with Gaussian noise, ε is what ρ implies at this δ
    draws = FEWER_DRAWS if delta and isinstance(mechanism, Clipped) else DRAWS
    experiments = [Experiment(pair, draws) for pair in telling_pairs(mechanism, policy)]
    release = released_numbers(mechanism)
    loss = worst(experiment.loss(release, delta) for experiment in experiments)
    return replace(loss, draws=draws)


def telling_pairs(mechanism: Additive | Clipped, policy: Policy) -> Iterator[Pair]:
    """The empty establishment, sizes at which a mechanism loses most, and a second one."""
    if isinstance(mechanism, NodeLaplace):
        yield Pair((), (0,), (mechanism.theta,))
        return
    alpha, none = mechanism.parameters.alpha, (0,) * (mechanism.parameters.cells - 1)
    yield Pair((), (0, *none), (1, *none))
    if alpha is None or not policy.uses_alpha:
        return
    full, part = 1000 + int(1000 * alpha), 1000 + int(500 * alpha)
    yield Pair((), (1000, *none), (full, *none))
    yield Pair(((part, *none),), (1000, *none), (full, *none))
    if isinstance(mechanism, Clipped | VectorPareto) and policy.name == "strong":
        joined = int(10000 * alpha)
        yield Pair((), (0, *none, 10000), (joined, *none, 10000))  # most are outside the table
        yield Pair((), (joined, *none, 0), (joined, *none, int(alpha * joined)))


def released_numbers(mechanism: Additive | Clipped) -> Release:
    """Everything that a release of a workplace cell shows, by the function that releases call."""

    def by_clipping(made: Clipped, database: Database, draws: int) -> Floats:
        values, theta = made.release_entries(entries([database], made, draws))
        # Counts in units of θ, since their noise follows it.
        return np.column_stack((theta, values / theta[:, None]))

    def by_noise(made: Additive, database: Database, draws: int) -> Floats:
        kinds = [sum(kind) for kind in zip(*database, strict=True)]
        counts = np.tile(kinds[: made.parameters.cells], (draws, 1))
        largest = np.full(draws if counts.shape[1] > 1 else (draws, 1), max(map(jobs, database)))
        values = made.release(counts, largest if made.follows == "largest" else None)
        return values.astype(np.float64)

    if isinstance(mechanism, Clipped):
        return partial(by_clipping, mechanism)
    return partial(by_noise, mechanism)


def lower_bound(ahead: Floats, behind: Floats, delta: Fraction = Fraction(0)) -> arb:
    """What ln((P(event) − δ)/Q(event)) exceeds, for an event found on the first half."""
    half = len(ahead) // 2
    edges = _edges(np.concatenate((ahead[:half], behind[:half])))
    p, q = (_binned(sample, edges) for sample in (ahead, behind))
    inside = _telling(p[:half], q[:half], prod(cuts.size + 1 for cuts in edges))
    seen, other = (int(np.count_nonzero(inside[bins[half:]])) for bins in (p, q))
    rest = len(ahead) - half
    with precision(64):
        least = at_least(seen, rest) - ball(delta)
        greatest = 1 - at_least(rest - other, rest)
        return (least / greatest).log() if least > 0 else arb(0)


def _edges(values: Floats) -> list[Floats]:
    """Quantiles of both databases together, so that no bin is empty in both."""
    shares = np.linspace(0, 1, BINS[values.shape[1]] + 1)[1:-1]
    return [np.unique(np.quantile(column, shares)) for column in values.T]


def _binned(sample: Floats, edges: list[Floats]) -> Events:
    """One number for each draw: the bins of all its released numbers."""
    numbers: Events = np.zeros(len(sample), dtype=np.int64)
    for column, cuts in zip(sample.T, edges, strict=True):
        numbers = numbers * (cuts.size + 1) + np.searchsorted(cuts, column, side="right")
    return numbers


def _telling(p: Events, q: Events, bins: int) -> NDArray[np.bool_]:
    """The bins, most telling first, up to where a cautious guess of the bound is largest."""
    seen, other = (np.bincount(each, minlength=bins) for each in (p, q))
    order = np.argsort(-np.log((seen + 0.5) / (other + 0.5)), kind="stable")
    a, b = (np.cumsum(counts[order]) + 0.5 for counts in (seen, other))
    guess = np.log(a / b) - CAUTION * np.sqrt(1 / a + 1 / b)
    inside = np.zeros(bins, dtype=np.bool_)
    inside[order[: int(np.argmax(guess)) + 1]] = True
    return inside


def at_least(hits: int, draws: int) -> arb:
    """A probability that was exceeded, but for FALSE_ALARM: P(at least `hits`) is no more there.

    P(at least a of n) at p is the regularised incomplete beta function I_p(a, n − a + 1), which
    rises with p; the answer is the lower end of a bisection, so that it errs downwards.
    """
    if hits == 0:
        return arb(0)
    low, high = Fraction(0), Fraction(hits, draws)
    near = high - Fraction(isqrt(64 * hits * (draws - hits) // draws) + 20, draws)
    with precision(64):
        for middle in (near, *repeat(None, STEPS)):
            p = (low + high) / 2 if middle is None else max(middle, low)
            rare = ball(p).beta_lower(hits, draws - hits + 1, regularized=True)
            low, high = (p, high) if rare <= ball(FALSE_ALARM) else (low, p)
    return ball(low)
