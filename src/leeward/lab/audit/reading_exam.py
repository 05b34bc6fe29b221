"""Reading exam: the sentences that say how to read numbers with noise, beside exact probabilities.

A cell of n jobs, the largest establishment of which has x, is released by the mechanism; masses of
its noise, and of the noise of a paid margin, give how often a sentence misses. Clipped tables and
products are examined by releases, in the tests.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import log1p

import numpy as np
from flint import arb

from leeward.core.mechanisms import mechanism
from leeward.core.mechanisms.additive import Additive
from leeward.core.mechanisms.error_margins import CountMargins, PublicMargins, SpentMargins, spend
from leeward.core.mechanisms.scale import STEPS
from leeward.core.noise.difference import Noisy, p_values, smallest_level
from leeward.core.noise.scales import Integers, law_at
from leeward.core.noise.tabulated import Floats
from leeward.core.noise.tail_table import NoisyWidth
from leeward.core.show.interpretation import FALSE_DISCOVERIES, LEVEL, MISSED, NOT_DISTINGUISHABLE
from leeward.lab.audit.promises import Promise

READING = ("zero", "different")
"""Ids of the sentences."""

EQUAL = (100, 100)
"""Jobs of a cell that two releases have, and of its largest establishment."""

CELLS = ((0, 0), (3, 3), (30, 30), (100, 100), (100, 10))
"""Jobs of a cell, and of its largest establishment."""

FEW = 10
"""What `few` means, generously."""

TESTED = ((20, 20), (20, 1), (1000, 1))
"""Numbers of cells that are tested together, and of those that pass."""

STATES, LOWEST, HIGHEST = 32, -12.0, 6.0
"""How many noisy margins are distinguished, and how many scales of their noise they cover."""

SELDOM = 1e-11
"""Noise that is larger with at most this probability counts as without end."""

ROUNDED = 1e-9
"""What float64 may err."""

NEAR, STEP = 200, 1.01
"""Errors up to here are distinguished; beyond, all in a part count as the one nearest 0."""


@dataclass(frozen=True)
class CellRelease:
    """One table's mechanism and margins, on a cell of n jobs whose largest establishment has x."""

    made: Additive
    rule: CountMargins | PublicMargins | SpentMargins
    jobs: int
    largest: int

    @cached_property
    def scale(self) -> Fraction:
        """Of the noise."""
        return self.made.scale(self.jobs, self.largest)

    def at_most(self, noise: Floats) -> Floats:
        """P(J ≤ j), exactly rounded."""
        law = law_at(self.made.laws, self.scale)
        return np.asarray(1 - law.float_tails((noise + 0.5) / float(self.scale))[1])

    def at_least(self, noise: Floats) -> Floats:
        """P(J ≥ j)."""
        law = law_at(self.made.laws, self.scale)
        return np.asarray(law.float_tails((noise - 0.5) / float(self.scale))[1])

    @cached_property
    def states(self) -> tuple[Integers, Floats]:
        """Margins in order and their chances: each stands for those up to the next."""
        rule = self.rule
        if not isinstance(rule, SpentMargins):
            return np.zeros(1, np.int64), np.ones(1)
        rate = float(rule.scale.parameters.epsilon) / STEPS
        ends = np.unique(np.rint(np.linspace(LOWEST, HIGHEST, STATES) / rate).astype(np.int64))
        weight = 2 / (1 + np.exp(-rate))  # P(k ≥ j) = e^(−rate·j)/(1 + e^−rate) of j ≥ 0
        above = np.where(ends > 0, np.exp(-rate * np.abs(ends)) * weight / 2, 0.0)
        below = np.exp(-rate * (1 - np.minimum(ends, 0))) * weight / 2
        tails = np.where(ends > 0, above, 1 - below)
        tails[0] = 1.0
        index = rule.scale.grid.index(np.array([self.largest]))
        return rule.margins(index + ends), -np.diff(np.append(tails, 0.0))

    def ends(self, values: Integers, margin: int) -> tuple[Integers, Integers]:
        """The interval of released values."""
        if isinstance(self.rule, CountMargins):
            return self.rule.interval(values)
        if isinstance(self.rule, PublicMargins):
            wide = self.made.public_margins(values, 1 - MISSED)
            return values - wide, values + wide
        return values - margin, values + margin

    def noisy(self, values: Integers, margin: int, *, exact: bool = False) -> Noisy:
        """Released values as a comparison reads them; `exact`: as if a width had no noise."""
        noise = self.rule.noise(self.made)
        low, _ = self.ends(values, margin)
        paid = isinstance(self.rule, SpentMargins) and not exact
        return Noisy(noise, values, values - low, None, self.width if paid else None)

    @property
    def width(self) -> NoisyWidth:
        """As a certificate gives it: by ε of the margins and α."""
        growth = log1p(float(self.made.parameters.growth))
        return NoisyWidth(growth / float(self.rule.epsilon), growth / STEPS)


Release = Callable[[int, int], CellRelease]


def releases() -> Iterator[Release]:
    """Public, free and paid margins of the noise that releases draw."""
    for epsilon in ("1/4", "2"):
        yield _public("edge_laplace", epsilon)
    yield _public("log_laplace", "2")
    free = _made("slope", "2")
    yield lambda jobs, largest: CellRelease(free, CountMargins.of(free), jobs, largest)
    yield paid("slope", "1/4")
    yield paid("vector_pareto", "2")


def _public(name: str, epsilon: str) -> Release:
    noisy = _made(name, epsilon)
    return lambda jobs, largest: CellRelease(noisy, PublicMargins(), jobs, largest)


def paid(name: str, epsilon: str) -> Release:
    """Margins for a tenth of ε."""
    noisy = _made(name, epsilon)
    rule = spend(noisy, Fraction(epsilon) / 10)
    return lambda jobs, largest: CellRelease(noisy, rule, jobs, largest)


def _made(name: str, epsilon: str) -> Additive:
    alpha = None if name == "edge_laplace" else "0.1"
    noisy = mechanism(name, alpha=alpha, epsilon=epsilon)
    if not isinstance(noisy, Additive):
        raise AssertionError("a cell has noise that is added")
    return noisy


def missed_zero(cell: CellRelease) -> float:
    """How often the interval reaches zero and the true number is above value + margin."""
    return _where_zero(cell, lambda high: bool((high < cell.jobs).all()))


def reached_zero(cell: CellRelease) -> float:
    """How often the interval reaches zero."""
    return _where_zero(cell, lambda _: True)


def _where_zero(cell: CellRelease, wrong: Callable[[Integers], bool]) -> float:
    """The chance of released values whose low is at most 0 and whose high is wrong."""
    margins, chances = cell.states
    total = 0.0
    for margin, chance in zip(margins.tolist(), chances, strict=True):
        low, high = -(2**40), 2**40
        while high - low > 1:  # both ends grow with the value
            middle = np.array([(low + high) // 2])
            ends = cell.ends(middle, margin)
            there = bool((ends[0] <= 0).all()) and wrong(ends[1])
            low, high = (int(middle[0]), high) if there else (low, int(middle[0]))
        total += chance * float(cell.at_most(np.array([float(low - cell.jobs)]))[0])
    return total


def false_discoveries(cell: CellRelease, *, exact: bool = False) -> float:
    """The largest share of noise that the test allows, in cells whose true numbers are equal.

    By Benjamini and Hochberg (1995) at most (m/k)·P(p ≤ kq/m) over the numbers k of m that pass.
    """
    largest = 0.0
    for cells, passing in TESTED:
        least = smallest_level(cells, float(LEVEL), independent=True)
        chance = rejected(cell, least * passing, least, exact=exact)
        largest = max(largest, chance * cells / passing)
    return largest


def rejected(cell: CellRelease, level: float, least: float, *, exact: bool = False) -> float:
    """P(p ≤ level) of the difference of two releases of one cell."""
    margins, chances = cell.states
    firsts, often = _values(cell)
    by_value = not isinstance(cell.rule, SpentMargins)
    if not by_value:  # p depends on the difference and both margins
        firsts, often = np.array([cell.jobs]), np.ones(1)
    first, second, value = (
        axis.ravel() for axis in np.meshgrid(margins, margins, firsts, indexing="ij")
    )
    weight = np.multiply.outer(np.multiply.outer(chances, chances), often).ravel()
    reached = _critical(cell, (first, second), value, (level, least), exact=exact)
    if by_value:
        return float(2 * weight @ cell.at_least(reached + value - cell.jobs))
    apart, place = np.unique(reached, return_inverse=True)
    values, often = _values(cell)
    # P(J − J' ≥ least)
    at_least = (cell.at_least(least_apart + values - cell.jobs) for least_apart in apart)
    tails = np.array([float((often * chance).sum()) for chance in at_least])
    return float(2 * weight @ tails[place] + 2 * np.exp(LOWEST))


def _critical(
    cell: CellRelease,
    margins: tuple[Integers, Integers],
    value: Integers,
    levels: tuple[float, float],
    *,
    exact: bool,
) -> Floats:
    """The smallest differences that pass, by bisection to a small part, rounded down."""
    part = 100 if isinstance(cell.rule, SpentMargins) else 1000
    most = 4 * (int(max(map(np.max, margins))) + int(_errors(cell)[-1]) + cell.jobs + 1)
    low, high = np.zeros(len(value), np.int64), np.full(len(value), most)
    while (high - low > 1).any():
        middle = (low + high + 1) // 2
        pair = (
            _noisies(cell, value, margins[0], exact=exact),
            _noisies(cell, value + middle, margins[1], exact=exact),
        )
        passes = p_values(*pair, levels[1]) <= levels[0]
        low, high = np.where(passes, low, middle), np.where(passes, middle, high)
        low = np.where(high - low <= low // part, high - 1, low)
    return np.asarray(np.where(high == most, np.inf, high - high // part), np.float64)


def _noisies(cell: CellRelease, values: Integers, margin: Integers, *, exact: bool) -> Noisy:
    noisy = cell.noisy(values, 0, exact=exact)
    return replace(noisy, below=margin) if isinstance(cell.rule, SpentMargins) else noisy


def _errors(cell: CellRelease) -> Integers:
    """Errors in order: one by one near 0, and parts that grow."""
    far = 1
    while cell.at_least(np.array([float(far)]))[0] > SELDOM and far < 2**40:
        far *= 2
    parts = np.geomspace(NEAR, max(far, NEAR), 1 + int(np.log(max(far / NEAR, 1)) / np.log(STEP)))
    up = np.unique(np.concatenate([np.arange(NEAR), np.rint(parts).astype(np.int64)]))
    return np.unique(np.concatenate([-up, up]))


def _values(cell: CellRelease) -> tuple[Integers, Floats]:
    """Released values and their chances; each stands for those from it to the next."""
    ends = _errors(cell)
    tails = np.append(cell.at_least(ends.astype(float)), 0.0)
    tails[0] = 1.0
    return cell.jobs + ends, -np.diff(tails)


def readings() -> Iterator[Promise]:
    """Both sentences for every kind of noise and margin."""
    for release in releases():
        cells = [release(*cell) for cell in CELLS]
        missed = max(map(missed_zero, cells))
        yield _promise(READING[0], cells[0], float(MISSED), missed, NOT_DISTINGUISHABLE)
        noise = false_discoveries(release(*EQUAL))
        yield _promise(READING[1], cells[0], float(LEVEL), noise, FALSE_DISCOVERIES)


def false_readings() -> Iterator[Promise]:
    """Sentences that were printed, and a test that takes a noisy width as exact."""
    wide, edge = paid("slope", "1/4"), _public("edge_laplace", "1/4")
    few = max(reached_zero(wide(*cell)) for cell in CELLS if cell[0] > FEW)
    text = "Where a margin reaches zero, read the value as “few or none”."
    yield _false("few-or-none", wide(*EQUAL), float(MISSED), few, text)
    cell, cells = edge(*EQUAL), TESTED[0][0]
    apart = rejected(cell, float(MISSED), float(MISSED))
    text = "A cell is clearly different where 0 is outside the 90 % interval of the difference."
    yield _false("clearly-different", cell, float(LEVEL), 1 - (1 - apart) ** cells, text)
    text = "Of the cells that differ, at most 10 % are noise, by margins taken as exact."
    noise = false_discoveries(wide(*EQUAL), exact=True)
    yield _false("width-without-noise", wide(*EQUAL), float(LEVEL), noise, text)


def _false(name: str, cell: CellRelease, promised: float, computed: float, text: str) -> Promise:
    return replace(_promise(name, cell, promised, computed, text), control=True)


def _promise(name: str, cell: CellRelease, promised: float, computed: float, text: str) -> Promise:
    parameters = cell.made.parameters
    alpha = None if cell.made.name == "edge_laplace" else parameters.alpha
    policy = "worker" if alpha is None else "strong"
    numbers = arb(promised), arb(computed, ROUNDED)
    return Promise(name, policy, cell.made.name, alpha, parameters.epsilon, *numbers, text)
