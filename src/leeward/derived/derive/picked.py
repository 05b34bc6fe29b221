"""Picked: how often margins hold among cells that are picked by their released values.

A margin holds in 90 % of cells that are picked before their noise is known. The largest released
values are often those with the largest noise, so margins hold less often there. How much less
depends on how large the true numbers are, which nobody but the office knows: it is estimated from
all released values and the public law of the noise (empirical Bayes; Efron 2011), and no proof
bounds it. Nothing is paid for it, and no number is drawn.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from leeward.core.codebook import Flag
from leeward.core.noise.difference import Noisy
from leeward.core.noise.scales import DRAWS
from leeward.core.noise.tabulated import Floats
from leeward.derived.derive.groups import MOST_GROUPS, Codes, read_groups
from leeward.derived.derive.quantities import rank_sets
from leeward.derived.derive.stated_errors import noisy_numbers
from leeward.publishing.bundle import Bundle, CertifiedTable
from leeward.publishing.bundle.blocks import certified, join, read_blocks
from leeward.publishing.bundle.selection import SelectedRow

FEWEST = 100
"""Minimum number of cells of a group whose margins differ by at most a factor of 2."""

LARGEST, SAMPLE = 1000, 2000
"""Cells of a group from which its true sizes are estimated: the largest, which matter most, and
some of the others, evenly spaced in the table, each for as many as it stands for."""

SMALL, GROWTH, MOST_CLASSES = 9, 1.12, 400
"""Classes of equal width, the growth of classes beyond, and the largest number of all."""

ROUNDS = 60
"""Steps of the estimate; few enough that it stays smooth."""

MOST_CELLS = 5_000_000
"""Maximum number of cells of a table that is estimated from."""

MOST_LISTED = 500
"""Rows of a page whose coverage is estimated; of more, some that are evenly spaced."""

MOST_COMPARED, FEWEST_DRAWS = 1 << 22, 199
"""Draws of the errors of all cells behind ranks, about a second; and of each."""


@dataclass(frozen=True)
class Source:
    """A table of a bundle; what is estimated from it is kept under its anchor and name."""

    anchor: tuple[str, int, str]
    name: str
    bundle: Bundle = field(compare=False, repr=False)

    @classmethod
    def of(cls, bundle: Bundle, table: CertifiedTable) -> "Source":
        """The table of a bundle."""
        return cls(bundle.certificate.anchor, table.name, bundle)


def picked_coverage(
    bundle: Bundle, table: CertifiedTable, rows: Sequence[SelectedRow]
) -> float | None:
    """Which share of the intervals of these rows is estimated to include the true number.

    None where the law of the noise of single cells is not stated, or no row has an interval.
    """
    cells, ends = list[SelectedRow](), list[tuple[int, int]]()
    for row in rows[:: -(-len(rows) // MOST_LISTED) or 1]:
        if row.value is not None and row.ends is not None and None not in row.ends:
            cells.append(row)
            ends.append((int(row.ends[0] or 0), int(row.ends[1] or 0)))
    if not cells or not _estimated_from(table):
        return None
    sizes = _sizes(Source.of(bundle, table))
    numbers = [row.value if row.released is None else row.released for row in cells]
    values = np.array(numbers, np.int64)
    low, high = np.array(ends, np.int64).T
    frame = [row.establishments for row in cells]
    known = None if None in frame else np.array(frame, np.int64)
    return float(sizes.held(noisy_numbers(table, values, low, known), low, high).mean())


def _estimated_from(table: CertifiedTable) -> bool:
    """Whether cells have values as released, with one law."""
    return table.noise is not None and not table.of_classes and table.cell_rows <= MOST_CELLS


@lru_cache(maxsize=32)  # a reader turns from page to page
def _sizes(source: Source) -> "TrueSizes":
    table = certified(source.bundle, source.name)
    rows = join(list(read_blocks(source.bundle, table, totals=False)))
    cells = rows.take((rows.status == Flag.OK) & rows.drawn)
    return true_sizes(noisy_numbers(table, cells.noisy, cells.ends[0], cells.establishments))


def rank_intervals(
    bundle: Bundle, table: CertifiedTable, cells: Sequence[Codes], most: int = MOST_GROUPS
) -> tuple[tuple[int, int] | None, ...]:
    """For each cell the set of ranks among all cells; all sets hold together in 90 % of cases.

    As `leeward read --as rank` finds it, with fewer draws in large tables. None for totals, and for
    all cells where they have no common order, are more than `most`, or have tidy values, whose
    errors have no stated law.
    """
    stated = _estimated_from(table) and table.tidied is None
    if not (stated and table.disjoint and cells and table.cell_rows <= most):
        return (None,) * len(cells)
    number = MOST_COMPARED // max(1, table.cell_rows)
    draws = max(FEWEST_DRAWS, min(DRAWS, number))
    groups = read_groups(bundle, table.name, table.identifiers, many=draws)
    places = groups.places()
    listed = [places[codes] for codes in cells if codes in places]
    ranks = dict(zip(listed, rank_sets(groups, listed), strict=True))
    return tuple(ranks[places[codes]] if codes in places else None for codes in cells)


@dataclass(frozen=True, eq=False)
class TrueSizes:
    """Shares of true numbers in classes, for each group of cells with margins of like width.

    Class i is from `edges[i]` to `edges[i + 1]` units of a cell; group g has margins up to
    `tops[g]`.
    """

    edges: Floats
    tops: Floats
    shares: Floats

    def held(self, cells: Noisy, low: Floats, high: Floats) -> Floats:
        """For each cell the chance that its true number is from low to high."""
        held, units = np.zeros(len(cells.values)), _units(cells)
        groups = np.minimum(np.searchsorted(self.tops, cells.below), len(self.tops) - 1)
        for at in range(len(held)):
            ends = np.array([low[at] - 0.5, high[at] + 0.5]) / units[at]
            cut = np.clip(ends, self.edges[0], self.edges[-1])
            edges = np.unique(np.concatenate([self.edges, cut]))
            of = np.searchsorted(self.edges, edges[:-1], side="right") - 1
            chances = self.shares[groups[at]][of] / np.diff(self.edges)[of]
            chances = chances * np.diff(edges) * _likely(cells.take(np.array([at])), edges)[0]
            inside = (edges[:-1] >= cut[0]) & (edges[1:] <= cut[1])
            whole = chances.sum()
            held[at] = chances[inside].sum() / whole if whole > 0 else 0.0
        return held


def true_sizes(cells: Noisy) -> TrueSizes:
    """An estimate from all cells, each group by itself: the likeliest shares (Robbins 1956)."""
    # The largest margin of each group: powers of two, joined where there are few cells.
    largest, seen = list[float](), 0
    powers = np.ceil(np.log2(np.maximum(cells.below, 1)))
    for power, number in zip(*np.unique(powers, return_counts=True), strict=True):
        seen += int(number)
        if seen >= FEWEST:
            largest.append(float(np.exp2(power)))
            seen = 0
    tops = np.array([*largest[: -1 if seen else None], np.inf] if largest else [np.inf])
    of = np.minimum(np.searchsorted(tops, cells.below), len(tops) - 1)
    most = (cells.values + cells.below) / _units(cells)
    # Classes of equal width, then classes that grow.
    small = np.arange(2 * SMALL + 1) / 2 - 0.5
    reach = max(float(most.max(initial=1.0)) / small[-1], 2.0)
    steps = np.clip(np.ceil(np.log(reach) / np.log(GROWTH)), 1, MOST_CLASSES)
    edges = np.concatenate([small, small[-1] * GROWTH ** np.arange(1, steps + 1)])
    groups = (np.flatnonzero(of == group) for group in range(len(tops)))
    shares = [_estimated(cells.take(group), edges) for group in groups]
    return TrueSizes(edges, tops, np.array(shares))


def _units(cells: Noisy) -> Floats:
    """Units of true numbers: the width of the noise, or a job where it follows the number."""
    if cells.noise.relative or cells.by_count:
        return np.ones(len(cells.values))
    return cells.widths(np.zeros(1)) * np.ones(len(cells.values))


def _estimated(cells: Noisy, edges: Floats) -> Floats:
    """Shares of classes by the algorithm of expectation and maximisation."""
    times = np.ones(len(cells.values))
    if len(times) > LARGEST + SAMPLE:
        order = np.argsort(-cells.values, kind="stable")
        others = np.sort(order[LARGEST:])
        some = others[np.arange(SAMPLE) * len(others) // SAMPLE]
        cells = cells.take(np.concatenate([order[:LARGEST], some]))
        times = np.repeat([1.0, len(others) / SAMPLE], (LARGEST, SAMPLE))
    likely = _likely(cells, edges)
    there = likely.sum(axis=1) > 0
    likely, times = likely[there], times[there] / times[there].sum()
    shares = np.full(len(edges) - 1, 1 / (len(edges) - 1))
    for _ in range(ROUNDS if len(likely) else 0):
        each = likely * shares
        shares = times @ (each / each.sum(axis=1, keepdims=True))
    return shares


def _likely(cells: Noisy, edges: Floats) -> Floats:
    """How likely the released number is in each class, up to a factor (cells, classes)."""
    values, noise = cells.values[:, None].astype(np.float64), cells.noise
    if noise.relative:
        shift = noise.share * cells.below[:, None] - np.abs(values)
        quotient = np.maximum(values + shift, 1e-9) / np.maximum(edges + shift, 1e-9)
        above = cells.tails.beyond(np.log(quotient), upper=True)
    elif cells.by_count:
        wide = cells.widths(np.maximum((edges[1:] + edges[:-1]) / 2, 0.0))
        after, before = (values - edges[1:]) / wide, (values - edges[:-1]) / wide
        beyond = cells.tails.beyond(after, upper=True) - cells.tails.beyond(before, upper=True)
        return np.asarray(np.maximum(beyond, 0.0) / np.diff(edges))
    else:
        units = _units(cells)[:, None]
        above = cells.tails.beyond(values / units - edges, upper=True)
    return np.asarray(np.maximum(np.diff(above, axis=1), 0.0) / np.diff(edges))
