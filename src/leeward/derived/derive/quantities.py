"""Quantities: sums, means, shares, changes, ratios, ranks and growth of groups, by draws."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import inf

import numpy as np

from leeward.core.codebook.cells import Integers
from leeward.core.codebook.flow_classes import CHANGE, EMPLOYED
from leeward.core.errors import InvalidParameter
from leeward.core.noise.scales import BOUND, public_seed
from leeward.core.noise.sums import drawn_growths, ranked
from leeward.core.noise.tabulated import Floats
from leeward.derived.derive.groups import Codes, Groups
from leeward.derived.derive.question import (
    DENOMINATOR,
    SHARE_OF_DRAWS,
    DerivedQuestion,
    DerivedRow,
    Interval,
    Truths,
    finite,
)
from leeward.derived.derive.stated_errors import Errors, paid_width

MOST_RANKED = 1000
"""Maximum number of groups that are ranked."""

MOST_SPREAD = 1.0
"""Noise of the logarithm of a width; from here on a width has no mean, and `auto` pays for none."""

FARTHEST = 1e200
"""An error that is larger counts as this, also one without end."""


def _ends(values: Integers, errors: Errors) -> list[Interval]:
    """Ends of whole numbers; one that is not a number of 64 bits is infinite."""
    low, high = errors.interval(values)
    return [
        (-inf if value - a >= BOUND else a, inf if b - value >= BOUND else b)
        for value, a, b in zip(values.tolist(), low.tolist(), high.tolist(), strict=True)
    ]


def sums(question: DerivedQuestion) -> Iterator[DerivedRow]:
    """Sums of groups."""
    values = question.groups.values
    for place, ends in enumerate(_ends(values, question.groups.errors)):
        yield question.row(place, "sum", int(values[place]), ends)


def means(question: DerivedQuestion) -> Iterator[DerivedRow]:
    """Sums over their number of cells, which is public."""
    groups = question.groups
    for place, (low, high) in enumerate(_ends(groups.values, groups.errors)):
        cells = int(groups.cells[place])
        ends = (low / cells, high / cells)
        yield question.row(place, "mean", float(groups.values[place]) / cells, ends)


def shares(question: DerivedQuestion) -> Iterator[DerivedRow]:
    """Of the sum of the groups that have the same codes of `of`."""
    groups, wholes = question.groups, dict[Codes, list[int]]()
    for place, codes in enumerate(groups.codes):
        named = zip(groups.by, codes, strict=True)
        shared = tuple(code for name, code in named if name in question.of)
        wholes.setdefault(shared, []).append(place)
    for places in map(np.array, wholes.values()):
        values, errors = groups.values[places], groups.errors.take(places)
        whole = errors.added().truths(values.sum(keepdims=True), 0)
        for at, place in enumerate(places.tolist()):
            own = errors.truths(values, at)
            # What is left of the whole has errors of its own, which may go the other way.
            most, least = own[0] + (whole[1] - own[1]), own[1] + (whole[0] - own[0])
            ends = _quotient_ends(own, (least, most))
            value = _quotient(values[at], values.sum())
            yield question.row(place, "share", value, ends, DENOMINATOR)


def changes(question: DerivedQuestion) -> Iterator[DerivedRow]:
    """Differences from the reference."""
    groups, reference = question.groups, question.reference
    if reference is not None:
        values = groups.values[reference.own] - reference.values
        ends = _ends(values, groups.errors.take(reference.own).less(reference.errors))
        for at, place in enumerate(reference.own.tolist()):
            yield question.row(place, "change", int(values[at]), ends[at])


def ratios(question: DerivedQuestion) -> Iterator[DerivedRow]:
    """Quotients by the reference."""
    groups, reference = question.groups, question.reference
    if reference is not None:
        for at, place in enumerate(reference.own.tolist()):
            ends = _quotient_ends(groups.truths(place), reference.truths(at))
            value = _quotient(groups.values[place], reference.values[at])
            yield question.row(place, "ratio", value, ends, DENOMINATOR)


def growth(question: DerivedQuestion) -> Iterator[DerivedRow]:
    """Job change over the mean of the jobs at the beginning and at the end of the quarter.

    All three are sums of the same classes, so their draws go together.
    """
    groups, places = question.groups, question.groups.places()
    for place, codes in enumerate(groups.codes):
        if codes[-1] != CHANGE:
            continue
        jobs = [places[*codes[:-1], measure] for measure in EMPLOYED]
        drawn = [groups.truths(at) for at in jobs]
        mean = ((drawn[0][0] + drawn[1][0]) / 2, (drawn[0][1] + drawn[1][1]) / 2)
        ends = _quotient_ends(groups.truths(place), mean)
        value = _quotient(2 * groups.values[place], groups.values[jobs].sum())
        yield question.row(place, "growth", value, ends, DENOMINATOR)


def _quotient(top: np.int64, bottom: np.int64) -> float | None:
    return int(top) / int(bottom) if bottom > 0 else None


def _quotient_ends(top: Truths, bottom: Truths) -> Interval:
    """The set of all ρ for which top − ρ·bottom may be 0 (Fieller 1954), by draws.

    ρ is too small if fewer than 5 % of the draws have top ≤ ρ·bottom, too large if fewer than 5 %
    have top ≥ ρ·bottom. While the bottom is above 0 these are draws of the quotient. A draw whose
    bottom is not never says that ρ is too large, and says that ρ is too small where its top is
    above 0. Many of them leave no upper end, or none at all.
    """
    with np.errstate(all="ignore"):
        divisor = np.where(top[0] >= 0, bottom[1], bottom[0])
        low = np.where(divisor > 0, top[0] / divisor, np.where(top[0] > 0, inf, -inf))
        divisor = np.where(top[1] >= 0, bottom[0], bottom[1])
        high = np.where(divisor > 0, top[1] / divisor, inf)
    low, high = np.where(np.isnan(low), -inf, low), np.where(np.isnan(high), inf, high)
    return -float(ranked(-low, 0.95)), float(ranked(high, 0.95))


def ranks(question: DerivedQuestion) -> Iterator[DerivedRow]:
    """The rank of each group with its set of ranks, and how often it is among the largest."""
    groups = question.groups
    if len(groups) > MOST_RANKED:
        raise InvalidParameter(
            "by",
            rule=f"must make at most {MOST_RANKED:,} groups for ranks",
            value=f"{len(groups):,}",
            next_step="Leave out identifiers.",
        )
    chances = np.ones(len(groups))  # how often a group is among the largest in draws of true sums
    if question.top < len(groups):
        true = groups.values[:, None] + groups.errors.low
        last = np.partition(true, -question.top, axis=0)[-question.top]
        chances = (true >= last).mean(axis=1)
    for place, ends in enumerate(rank_sets(groups, range(len(groups)))):
        rank = 1 + int((groups.values > groups.values[place]).sum())
        yield question.row(place, "rank", rank, ends)
        chance, words = finite(float(chances[place])), SHARE_OF_DRAWS
        yield DerivedRow(groups.codes[place], f"top {question.top}", chance, None, None, words)


def rank_sets(groups: Groups, places: Iterable[int]) -> Iterator[tuple[int, int]]:
    """For some groups the ranks that each may have; the sets of all groups hold together.

    The largest difference of two errors, in units of both widths, keeps to its bound in nine of
    ten draws; a group that is farther away is surely above or below (Mogstad et al. 2024).

    Widths that were paid for have noise of their own, and among many groups some come out far too
    small. There no width counts as smaller than the median of all, and draws have noisy widths too,
    as if the released ones were the true ones (a parametric bootstrap: no proof bounds it,
    `tests/derived/derive/test_noisy_ranks.py` has releases). From MOST_SPREAD on every rank is
    possible.
    """
    if not len(groups):
        return
    low, high = groups.errors.interval(groups.values)
    wide = np.maximum((high - low).astype(np.float64) / 2, 0.5)
    drawn, noisy = wide[:, None], paid_width(groups.table)
    if noisy is not None:
        if noisy.spread >= MOST_SPREAD:
            yield from ((1, len(groups)) for _ in places)
            return
        middle, seed = float(np.median(wide)), public_seed(groups.table.name, "widths")
        growths = drawn_growths(noisy.spread, groups.errors.low.shape, seed)
        wide, drawn = np.maximum(wide, middle), np.maximum(drawn * growths, middle)
    bound = float(ranked(_farthest(groups.errors, drawn), 0.9))
    for place in places:
        apart = (groups.values - groups.values[place]) / (wide + wide[place])
        yield 1 + int((apart > bound).sum()), len(groups) - int((apart < -bound).sum())


def _farthest(errors: Errors, wide: Floats) -> Floats:
    """For each draw the largest (high[j] - low[k]) / (wide[j] + wide[k]) of all pairs.

    Without a look at each pair: a bound that some pair passes gives way to the quotient of the pair
    that passes it most (Dinkelbach 1967). Widths (n, draws), or (n, 1) where all draws have one.
    """
    high, low = (
        np.clip(end.astype(np.float64), -FARTHEST, FARTHEST) for end in (errors.high, errors.low)
    )
    bound, draws = np.zeros(high.shape[1]), np.arange(high.shape[1])
    each = np.broadcast_to(wide, high.shape)
    while True:
        up, down = (high - wide * bound).argmax(axis=0), (low + wide * bound).argmin(axis=0)
        quotient = (high[up, draws] - low[down, draws]) / (each[up, draws] + each[down, draws])
        if not (quotient > bound).any():
            return bound
        bound = np.maximum(bound, quotient)


ROWS: Mapping[str, Callable[[DerivedQuestion], Iterator[DerivedRow]]] = {
    "sum": sums,
    "mean": means,
    "share": shares,
    "change": changes,
    "ratio": ratios,
    "rank": ranks,
    "growth": growth,
}
"""The rows of each quantity."""
