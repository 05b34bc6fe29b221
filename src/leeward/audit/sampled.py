"""Sampled: what many releases of two neighbours show of their loss, whatever the code does.

Each workplace cell has noise of its own, so one release of many equal cells is many draws. One
half of the draws finds an event that tells the databases apart; on the other half its two
probabilities are bounded (Clopper and Pearson 1934). The log-ratio of the bounds is a lower bound
of the loss that assumes nothing but independent draws.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leeward.audit.loss import Loss, worst
from leeward.audit.neighbours import Database, Pair, jobs, most
from leeward.audit.rehearsal import entries
from leeward.exact import ball, precision
from leeward.mechanisms.additive import Additive
from leeward.mechanisms.clipped import Clipped
from leeward.mechanisms.node_laplace import NodeLaplace
from leeward.mechanisms.table import Floats
from leeward.mechanisms.vector_pareto import VectorPareto

Events = NDArray[np.int64]
Release = Callable[[Database, int], Floats]
"""A release of so many workplace cells that all hold this database: one row a cell."""

DRAWS = 1 << 18
FALSE_ALARM = Fraction(1, 10**6)
"""Of one bound. A table has far fewer than a thousand, so all hold together at 99.9 %."""

BINS = {1: 64, 2: 24, 3: 14}
"""Of each released number, by how many there are."""

CAUTION = 4.75
"""Standard errors that a bound will lie below its estimate."""


def sampled_loss(release: Release, pairs: list[Pair], delta: Fraction, draws: int = DRAWS) -> Loss:
    """The largest lower bound over pairs and directions."""
    losses = []
    for pair in pairs:
        before, after = (release(database, draws) for database in pair.databases)
        forward, backward = lower_bound(before, after, delta), lower_bound(after, before, delta)
        losses.append(Loss(forward, backward, arb("nan")))
    return worst(losses)


def lower_bound(ahead: Floats, behind: Floats, delta: Fraction = Fraction(0)) -> arb:
    """A number that ln((P(event) − δ)/Q(event)) exceeds, of an event found on the first half."""
    half = len(ahead) // 2
    edges = [_edges(np.concatenate((p, q))) for p, q in zip(ahead.T[:, :half], behind.T[:, :half], strict=True)]
    p, q = (_binned(sample, edges) for sample in (ahead, behind))
    inside = likely(p[:half], q[:half])
    hits = [int(inside[bins[half:]].sum()) for bins in (p, q)]
    least, greatest = at_least(hits[0], len(p) - half), 1 - at_least(len(q) - half - hits[1], len(q) - half)
    with precision(128):
        rest = least - ball(delta)
        return (rest / greatest).log() if rest > 0 else arb(0)


def _edges(values: Floats) -> Floats:
    """Quantiles of both databases together, so that no bin is all but empty."""
    bins = 64
    return np.unique(np.quantile(values, np.linspace(0, 1, bins + 1)[1:-1]))


def _binned(sample: Floats, edges: list[Floats]) -> Events:
    """One number for each draw: the bins of all its released numbers."""
    numbers: Events = np.zeros(len(sample), dtype=np.int64)
    for column, cuts in zip(sample.T, edges, strict=True):
        numbers = numbers * (cuts.size + 1) + np.searchsorted(cuts, column, side="right")
    return numbers


def likely(p: Events, q: Events) -> NDArray[np.bool_]:
    """The bins, most telling first, up to where a cautious guess of the bound is largest."""
    size = int(max(p.max(), q.max())) + 1
    seen, other = (np.bincount(bins, minlength=size) for bins in (p, q))
    order = np.argsort(-np.log((seen + 0.5) / (other + 0.5)), kind="stable")
    a, b = (np.cumsum(counts[order]) + 0.5 for counts in (seen, other))
    guess = np.log(a / b) - CAUTION * np.sqrt(1 / a + 1 / b)
    inside = np.zeros(size, dtype=np.bool_)
    inside[order[: int(np.argmax(guess)) + 1]] = True
    return inside
