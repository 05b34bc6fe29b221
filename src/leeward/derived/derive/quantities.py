"""Quantities: sums, means, shares, changes, ratios, ranks and growth of groups, by draws."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite

import numpy as np

from leeward.core.codebook.cells import Integers
from leeward.core.codebook.flow_classes import CHANGE, EMPLOYED
from leeward.core.errors import InvalidParameter
from leeward.core.noise.scales import BOUND, public_seed
from leeward.core.noise.sums import drawn_growths, ranked
from leeward.core.noise.tabulated import Floats
from leeward.derived.derive.groups import Codes, Groups
from leeward.derived.derive.stated_errors import Errors, paid_width

MOST_RANKED = 1000
"""Maximum number of groups that are ranked."""

MOST_SPREAD = 1.0
"""Noise of the logarithm of a width; from here on a width has no mean, and `auto` pays for none."""

FARTHEST = 1e200
"""An error that is larger counts as this, also one without end."""

DIGITS = 6
"""Significant digits of numbers that are not whole."""

DRAWN, SHARE_OF_DRAWS = "draws", "share of draws"
UNBOUNDED, DENOMINATOR = "the noise is too large for a bound", "the denominator may be 0"
MISSING = {
    (True, True): "no ends",
    (True, False): "no lower end",
    (False, True): "no upper end",
    (False, False): "",
}
"""Which ends are infinite, in words."""

Number = int | float
Interval = tuple[Number, Number]
Truths = tuple[Floats, Floats]
"""Draws of a true number, for the lower and for the upper end of an interval."""


@dataclass(frozen=True)
class DerivedRow:
    """One derived number with the ends of its interval; None where there is no end, or value."""

    codes: Codes
    quantity: str
    value: Number | None
    low: Number | None
    high: Number | None
    method: str


@dataclass(frozen=True)
class Reference:
    """What the groups of the places `own` are taken against: a value for each, with its errors."""

    own: Integers
    values: Integers
    errors: Errors
    notes: tuple[str, ...]

    def truths(self, at: int) -> Truths:
        """Draws of a true value."""
        return self.errors.truths(self.values, at)


@dataclass(frozen=True)
class Asked:
    """Groups, and what is asked of them."""

    groups: Groups
    reference: Reference | None
    of: Sequence[str]
    top: int

    def row(
        self, place: int, quantity: str, value: Number | None, ends: Interval, why: str = UNBOUNDED
    ) -> DerivedRow:
        """A row of a group; an infinite end is none, and the reason is told."""
        low, high = (_finite(end) for end in ends)
        missing = MISSING[low is None, high is None]
        biased = self.groups.table.bias is not None
        words = (DRAWN, biased and "bias not corrected", missing and f"{missing}: {why}")
        method = "; ".join(word for word in words if word)
        return DerivedRow(self.groups.codes[place], quantity, _finite(value), low, high, method)


def _finite(number: Number | None) -> Number | None:
    """Whole numbers as they are, others in short; None where there is no number."""
    if number is None or isinstance(number, int):
        return number
    return float(f"{number:.{DIGITS}g}") if isfinite(number) else None


def _ends(values: Integers, errors: Errors) -> list[Interval]:
    """Ends of whole numbers; one that is not a number of 64 bits is infinite."""
    low, high = errors.interval(values)
    return [
        (-inf if value - a >= BOUND else a, inf if b - value >= BOUND else b)
        for value, a, b in zip(values.tolist(), low.tolist(), high.tolist(), strict=True)
    ]


def _sums(asked: Asked) -> Iterator[DerivedRow]:
    values = asked.groups.values
    for place, ends in enumerate(_ends(values, asked.groups.errors)):
        yield asked.row(place, "sum", int(values[place]), ends)


def _means(asked: Asked) -> Iterator[DerivedRow]:
    """Sums over their number of cells, which is public."""
    groups = asked.groups
    for place, (low, high) in enumerate(_ends(groups.values, groups.errors)):
        cells = int(groups.cells[place])
        ends = (low / cells, high / cells)
        yield asked.row(place, "mean", float(groups.values[place]) / cells, ends)


def _shares(asked: Asked) -> Iterator[DerivedRow]:
    """Of the sum of the groups that have the same codes of `of`."""
    for places in _wholes(asked.groups, asked.of):
        values, errors = asked.groups.values[places], asked.groups.errors.take(places)
        whole = errors.added().truths(values.sum(keepdims=True), 0)
        for at, place in enumerate(places.tolist()):
            own = errors.truths(values, at)
            # What is left of the whole has errors of its own, which may go the other way.
            most, least = own[0] + (whole[1] - own[1]), own[1] + (whole[0] - own[0])
            ends = _quotient_ends(own, (least, most))
            value = _quotient(values[at], values.sum())
            yield asked.row(place, "share", value, ends, DENOMINATOR)


def _wholes(groups: Groups, of: Sequence[str]) -> list[Integers]:
    """The places of the groups that make up each whole."""
    found: dict[Codes, list[int]] = {}
    for place, codes in enumerate(groups.codes):
        named = zip(groups.by, codes, strict=True)
        found.setdefault(tuple(code for name, code in named if name in of), []).append(place)
    return [np.array(places) for places in found.values()]


def _changes(asked: Asked) -> Iterator[DerivedRow]:
    groups, reference = asked.groups, asked.reference
    if reference is not None:
        values = groups.values[reference.own] - reference.values
        ends = _ends(values, groups.errors.take(reference.own).less(reference.errors))
        for at, place in enumerate(reference.own.tolist()):
            yield asked.row(place, "change", int(values[at]), ends[at])


def _ratios(asked: Asked) -> Iterator[DerivedRow]:
    groups, reference = asked.groups, asked.reference
    if reference is not None:
        for at, place in enumerate(reference.own.tolist()):
            ends = _quotient_ends(groups.truths(place), reference.truths(at))
            value = _quotient(groups.values[place], reference.values[at])
            yield asked.row(place, "ratio", value, ends, DENOMINATOR)


def _growth(asked: Asked) -> Iterator[DerivedRow]:
    """Job change over the mean of the jobs at the beginning and at the end of the quarter.

    All three are sums of the same classes, so their draws go together.
    """
    groups, places = asked.groups, asked.groups.places()
    for place, codes in enumerate(groups.codes):
        if codes[-1] != CHANGE:
            continue
        jobs = [places[*codes[:-1], one] for one in EMPLOYED]
        drawn = [groups.truths(one) for one in jobs]
        mean = ((drawn[0][0] + drawn[1][0]) / 2, (drawn[0][1] + drawn[1][1]) / 2)
        ends = _quotient_ends(groups.truths(place), mean)
        value = _quotient(2 * groups.values[place], groups.values[jobs].sum())
        yield asked.row(place, "growth", value, ends, DENOMINATOR)


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


def _ranks(asked: Asked) -> Iterator[DerivedRow]:
    """The rank of each group with its set of ranks, and how often it is among the largest."""
    groups = asked.groups
    if len(groups) > MOST_RANKED:
        raise InvalidParameter(
            "by",
            rule=f"must make at most {MOST_RANKED:,} groups for ranks",
            value=f"{len(groups):,}",
            next_step="Leave out identifiers.",
        )
    chances = _chances(groups, asked.top)
    for place, ends in enumerate(rank_sets(groups, range(len(groups)))):
        rank = 1 + int((groups.values > groups.values[place]).sum())
        yield asked.row(place, "rank", rank, ends)
        chance, words = _finite(chances[place]), SHARE_OF_DRAWS
        yield DerivedRow(groups.codes[place], f"top {asked.top}", chance, None, None, words)


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
        np.clip(one.astype(np.float64), -FARTHEST, FARTHEST) for one in (errors.high, errors.low)
    )
    bound, draws = np.zeros(high.shape[1]), np.arange(high.shape[1])
    each = np.broadcast_to(wide, high.shape)
    while True:
        up, down = (high - wide * bound).argmax(axis=0), (low + wide * bound).argmin(axis=0)
        found = (high[up, draws] - low[down, draws]) / (each[up, draws] + each[down, draws])
        if not (found > bound).any():
            return bound
        bound = np.maximum(bound, found)


def _chances(groups: Groups, top: int) -> list[float]:
    """The share of draws of the true sums in which a group is among the largest."""
    if top >= len(groups):
        return [1.0] * len(groups)
    true = groups.values[:, None] + groups.errors.low
    last = np.partition(true, len(groups) - top, axis=0)[len(groups) - top]
    found: list[float] = (true >= last).mean(axis=1).tolist()
    return found


ROWS: Mapping[str, Callable[[Asked], Iterator[DerivedRow]]] = {
    "sum": _sums,
    "mean": _means,
    "share": _shares,
    "change": _changes,
    "ratio": _ratios,
    "rank": _ranks,
    "growth": _growth,
}
"""The rows of each quantity."""
