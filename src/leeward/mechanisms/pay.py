"""Pay: what the mechanisms of count and payroll share, and what follows from a noisy pair.

A pair (count, payroll) is published as a payroll, or as a mean with the interval of Fieller; the
released count stands beside both. Proof of the intervals in pay.proof.md.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from leeward.errors import InvalidParameter, NotCovered, shown
from leeward.exact import precision
from leeward.mechanisms.claims import claim
from leeward.mechanisms.measurement import (
    COVERAGE,
    Claims,
    Expected,
    MarginMethod,
    MarginRule,
    Measured,
    Measurement,
    Needs,
    Origin,
    PublicLaw,
    Spread,
    Words,
)
from leeward.mechanisms.parameters import LEAST_EPSILON, Parameters
from leeward.mechanisms.scale import Scale, smallest
from leeward.mechanisms.size_grid import STEPS, SizeGrid
from leeward.model import Cells, Entries
from leeward.model.size_profile import ESTABLISHMENTS
from leeward.model.values import EMPTY, Margins
from leeward.noise.body import HEXAGON, Body
from leeward.noise.integers import whole_number, whole_numbers
from leeward.noise.law import laplace
from leeward.noise.scales import BOUND, CellNoise, Integers, Noise, Scales, TwoScales, secret
from leeward.noise.tabulated import Floats
from leeward.privacy import Guarantee, Policy, StrongAlpha, sequential

PublishedPay: TypeAlias = Literal["payroll", "mean"]
PAY_COLUMNS = ("low", "high")
COUNT_COLUMN = "count"

USUAL_SHARE = 0.25
"""Predictions assume a mean pay of this share of the cap."""

MOST_CAP = 10**15
RATIOS = np.linspace(0, 1, 33)
"""Ratios of mean pay to the cap at which the noise of a contrast is looked at."""


class Pairs(NamedTuple):
    """Released counts and payrolls, (w, d) each."""

    jobs: Integers
    payroll: Integers


def read_cap(cap: object, statistic: object) -> tuple[int, PublishedPay]:
    """The public cap of pay and what is published; refuses a mechanism without a cap."""
    if not whole_number(cap) or not 1 <= int(str(cap)) <= MOST_CAP:
        raise InvalidParameter(
            "cap",
            rule=f"must be the most pay of a job that counts, a whole number from 1 to {MOST_CAP}",
            value="nothing" if cap is None else shown(cap),
            next_step="Give a public number, such as cap=1500000 for cents. A cap that was "
            "computed from the data is not public.",
        )
    for known in ("payroll", "mean"):
        if statistic == known:
            return int(str(cap)), known
    raise InvalidParameter(
        "statistic",
        rule="must be 'payroll' or 'mean'",
        value=shown(statistic),
        next_step="Say which of them is published beside the count.",
    )


def pay_cells(
    counts: ArrayLike, payroll: ArrayLike, largest: ArrayLike, largest_payroll: ArrayLike | None
) -> Cells:
    """Columns as people give them: (workplaces,) or (workplaces, cells)."""
    n, p = whole_numbers(counts, "counts"), whole_numbers(payroll, "payroll")
    x = whole_numbers(largest, "largest")
    most = None if largest_payroll is None else whole_numbers(largest_payroll, "largest_payroll")
    if n.shape != p.shape or n.shape[:1] != x.shape or n.ndim not in (1, 2):
        raise InvalidParameter(
            "payroll",
            rule="must have one number for each count, and largest one for each workplace cell",
            value=f"shapes {n.shape}, {p.shape} and {x.shape}",
            next_step="Give counts and payroll as (workplaces, cells), largest as (workplaces,).",
        )
    wide = (len(x), -1)
    return Cells(n.reshape(wide), x, payroll=p.reshape(wide), largest_payroll=most)


def payroll_of(cells: Cells, cap: int) -> Integers:
    """The payroll of each cell; refuses one that its jobs cannot have, a fault of the program."""
    if cells.payroll is None:
        raise TypeError("the cells were tabulated without payroll")
    jobs = cells.counts.astype(np.float64)
    if (cells.payroll < 0).any() or (cells.payroll > jobs * cap * (1 + 1e-12)).any():
        raise ArithmeticError("payroll and counts do not belong together")
    if ((cells.counts.sum(axis=1) > 0) & (cells.largest <= 0)).any():
        raise ArithmeticError("counts and largest establishments do not belong together")
    return cells.payroll


Ends: TypeAlias = tuple[Floats, Floats]
"""The two ends of intervals, (w, d) each; infinite where there is none."""


class PayMechanism(ABC):
    """A mechanism of payroll, with the count or alone; fields and calibration are its own."""

    name: ClassVar[str]
    words: ClassVar[Words]
    claims: ClassVar[Claims]
    origin: ClassVar[Origin] = "ours"
    counted: ClassVar[bool] = False
    in_plans: ClassVar[bool] = True
    free_margins: ClassVar[bool] = False
    spends_delta: ClassVar[bool] = False
    gaussian: ClassVar[bool] = False
    follows_counts: ClassVar[bool] = False
    with_count: ClassVar[bool] = True
    """Whether it releases the count too."""

    needs: ClassVar[Needs] = Needs.CELLS
    by_payroll: bool = False
    """Whether the noise of payroll follows the largest payroll, not the largest number of jobs."""

    parameters: Parameters
    cap: int
    statistic: PublishedPay

    @abstractmethod
    def _measured(self, columns: Cells | Entries, noise: Noise) -> tuple[Pairs, Ends | None]:
        """What is released, and intervals where they follow from it at no further cost."""

    @abstractmethod
    def error(self, cells: Cells, count: float, payroll: float) -> Floats | None:
        """E|count·δn + payroll·δP| of the noise of each workplace cell; None without a mean."""

    @property
    @abstractmethod
    def steady(self) -> bool:
        """Whether the noise has a variance."""

    @abstractmethod
    def beyond(self, ratio: float, reach: Floats) -> Floats:
        """P(|δP − ratio·B·δn| > reach·S_P), S_P the scale that margins pay for."""

    def guarantee(self, policy: Policy | str, *, table: str | None = None) -> Guarantee:
        """ε of all that is released of all worker cells together."""
        p = self.parameters
        price = Guarantee(p.policy, p.growth, p.epsilon)
        kind = ("pay" if p.cells == 1 else "worker_pay") if table is None else table
        return claim(self.name, self._proved(), price, policy, kind)

    def _proved(self) -> Claims:
        """What the proof covers with these numbers."""
        return self.claims

    def measurement(self, *, by_cell: bool, margins: MarginRule) -> Measurement:
        """This mechanism on a table of pay."""
        return PayTable(self, margins)

    def typical_ends(self, cells: Cells, establishments: int) -> Ends | None:
        """The intervals of such cells where they cost nothing, if nothing had noise."""
        return None


class PowerPair(PayMechanism):
    """What the power-tailed mechanisms of pairs share."""

    body: ClassVar[Body]

    shape: Fraction
    step: Fraction

    def _proved(self) -> Claims:
        """Under proportional the joiners of one worker cell and the raises of another add up."""
        if self.parameters.cells == 1:
            return self.claims
        kept = (StrongAlpha(),) if StrongAlpha() in self.claims.get("worker_pay", ()) else ()
        return {**self.claims, "worker_pay": kept}

    def release(
        self,
        counts: ArrayLike,
        payroll: ArrayLike,
        largest: ArrayLike,
        largest_payroll: ArrayLike | None = None,
    ) -> Integers:
        """Noisy counts and payrolls, (workplaces, cells, 2)."""
        return self._release(pay_cells(counts, payroll, largest, largest_payroll), secret())

    def _release(self, cells: Cells, noise: Noise) -> Integers:
        """What is released, with this noise; the auditor runs it with its own."""
        true = np.stack([cells.counts, payroll_of(cells, self.cap)], axis=-1)
        return noise.pairs(true, self.scales(cells), self.body, int(self.shape))

    def _measured(self, columns: Cells | Entries, noise: Noise) -> tuple[Pairs, None]:
        drawn = self._release(as_cells(columns), noise)
        return Pairs(drawn[:, :, 0], drawn[:, :, 1]), None

    def scales(self, cells: Cells) -> TwoScales:
        """S/t of counts, with S = max(αX, Δ), and S_P/t of payrolls."""
        p = self.parameters
        jobs = Scales(cells.largest, floor=p.floor, factor=p.growth / self.step)
        return jobs, payroll_scales(self, cells, p.growth / self.step)

    def error(self, cells: Cells, count: float, payroll: float) -> Floats:
        """By the closed form of the body; rounding is left out."""
        jobs, pay = (one.floats for one in self.scales(cells))
        both, at = np.unique(np.stack([jobs, pay], axis=-1), axis=0, return_inverse=True)
        found = [self.body.absolute(count * a, payroll * b) for a, b in both]
        return np.array(found)[at.ravel()] / float(self.shape - 1)

    @property
    def steady(self) -> bool:
        """A variance needs k > 2."""
        return self.shape > 2

    def beyond(self, ratio: float, reach: Floats) -> Floats:
        """In closed form."""
        return self.body.beyond(-ratio, 1.0, reach * float(self.step), int(self.shape))


def as_cells(columns: Cells | Entries) -> Cells:
    """Cells as they are, entries added up."""
    return columns.as_cells() if isinstance(columns, Entries) else columns


def payroll_scales(made: PayMechanism, cells: Cells, factor: Fraction) -> Scales:
    """factor·max(P_max, ΔB/α) by the largest payroll, else factor·B·max(X, Δ/α)."""
    floor = made.parameters.floor
    if not made.by_payroll:
        return Scales(cells.largest, floor=floor, factor=made.cap * factor)
    return Scales(largest_payroll(cells), floor=made.cap * floor, factor=factor)


def largest_payroll(cells: Cells) -> Integers:
    """That of each workplace cell; there must have been asked for it."""
    if cells.largest_payroll is None:
        raise TypeError("the cells were tabulated without the largest payroll")
    return cells.largest_payroll


@dataclass(frozen=True)
class ScalePair:
    """Grid indices of the largest establishment and of the largest payroll, as one noisy pair.

    Neighbours move each of them by 0 to STEPS in the same direction, so the pair by STEPS·K.
    """

    parameters: Parameters
    cap: int

    @property
    def spread(self) -> Fraction:
        """The scale of the noise in grid steps."""
        return STEPS / self.parameters.aimed

    @property
    def grids(self) -> tuple[SizeGrid, SizeGrid]:
        """Of jobs and of pay."""
        p = self.parameters
        return SizeGrid(p.growth, p.plus), SizeGrid(p.growth, p.plus * self.cap)

    def _release(self, cells: Cells, noise: Noise) -> Integers:
        """Noisy indices (w, 1, 2)."""
        jobs, pay = self.grids
        index = [jobs.index(cells.largest), pay.index(largest_payroll(cells))]
        return noisy_indices(np.stack(index, axis=-1)[:, None, :], self.spread, noise)

    def smooth(self, index: Integers) -> tuple[Floats, Floats]:
        """S̃ and S̃_P of released indices."""
        alpha = float(self.parameters.growth)
        with np.errstate(over="ignore"):
            found = [grid.sizes(index[:, 0, at]) * alpha for at, grid in enumerate(self.grids)]
        return found[0], found[1]


def noisy_indices(index: Integers, spread: Fraction, noise: Noise) -> Integers:
    """Pairs of grid indices (w, 1, 2) with hexagonal noise of this scale."""
    one = Scales(np.ones(len(index), dtype=np.int64), factor=spread)
    return noise.pairs(index, (one, one), HEXAGON, 0)


def low_noise(spread: float, *, both: bool) -> tuple[Floats, Floats]:
    """The noise of one index of a pair, or of the lower of the two, and its probabilities.

    Each bin counts as its lower end, less one for rounding: against the reader.
    """
    x = np.linspace(-40 * spread, 40 * spread, 8001)
    far = np.abs(x) / spread
    tail, double = np.exp(-far), (1 + far) * np.exp(-far)
    if both:  # cones in which the lower one is −E, −(E₁+E₂), and those in which it is E
        below = np.where(x < 0, (2 * tail + 2 * double) / 6, 1 - tail / 3)
    else:
        one_sided = (2 * tail + double) / 6
        below = np.where(x < 0, one_sided, 1 - one_sided)
    chance = np.diff(below, prepend=0.0)
    return np.concatenate([x[:1], x[:-1]]) - 1, chance


@dataclass(frozen=True)
class PayMargins:
    """Part of the budget pays for noisy scales, from which the intervals follow."""

    scale: Scale | ScalePair
    mechanism: PayMechanism
    method: ClassVar[MarginMethod] = "spent"
    note: ClassVar[str] = (
        "Part of the table's budget pays for a noisy scale, from which the intervals follow. They "
        "are about pay up to the cap: what the cap takes away is not covered."
    )
    coverage: ClassVar[Fraction] = COVERAGE
    ends: ClassVar[bool] = True

    @property
    def epsilon(self) -> Fraction:
        """What the scales cost."""
        return self.scale.parameters.epsilon

    def smooth(self, cells: Cells, noise: Noise) -> tuple[Floats, Floats]:
        """S̃ and S̃_P of each workplace cell, never below their least values Δ and ΔB."""
        made, cap, least = self.mechanism, self.mechanism.cap, self.mechanism.parameters.plus
        if isinstance(self.scale, ScalePair):
            jobs, pay = self.scale.smooth(self.scale._release(cells, noise))
        elif made.by_payroll:
            pay = self.scale.smooth(self.scale._release(None, largest_payroll(cells), noise))
            jobs = np.zeros_like(pay)
        else:
            jobs = self.scale.smooth(self.scale._release(None, cells.largest, noise))
            pay = jobs * cap
        return np.maximum(jobs, least), np.maximum(pay, least * cap)

    def interval(self, found: Pairs, smooth: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
        """Ends (w, d) of what is published; infinite and crossing ones are no margin."""
        q = self.factor()
        jobs, pay = (q * one[:, None] for one in smooth)
        if self.mechanism.statistic == "payroll":
            return found.payroll - pay - 0.5, found.payroll + pay + 0.5
        # On one scale m·S is at most B·S, as no mean is above the cap.
        return mean_interval(found, jobs if self.mechanism.by_payroll else 0 * jobs, pay)

    def factor(self) -> float:
        """q: the noise stays within q times the noisy scale, allowing for the noise of that."""
        return _factor(self.scale, self.mechanism)

    def released(
        self, mechanism: object, values: Integers, largest: Integers, noise: Noise
    ) -> Margins:
        """Tables of pay ask for `smooth` and `interval`."""
        raise TypeError("intervals of pay follow from pairs")

    def typical(self, mechanism: object, size: int) -> int | None:
        """Tables of pay compute it."""
        return None

    def noise(self, mechanism: object) -> CellNoise | None:
        """Tables of pay have no totals."""
        return None


def mean_interval(found: Pairs, jobs: Floats, pay: Floats) -> tuple[Floats, Floats]:
    """{m : |P̃ − mñ| ≤ max(pay, m·jobs) + ½(1+m)}, which has an end for ñ above ½ + jobs.

    `pay` and `jobs` bound the noise of payroll and count (pay.proof.md).
    """
    n, p = found.jobs.astype(np.float64), found.payroll.astype(np.float64)
    with np.errstate(all="ignore"):
        low = np.minimum((p - 0.5 - pay) / (n + 0.5), (p - 0.5) / (n + 0.5 + jobs))
        high = np.maximum((p + 0.5 + pay) / (n - 0.5), (p + 0.5) / (n - 0.5 - jobs))
    some = n - 0.5 > jobs
    return np.where(some, low, -np.inf), np.where(some, high, np.inf)


@lru_cache(maxsize=64)
def _factor(scale: Scale | ScalePair, made: PayMechanism) -> float:
    """The largest over all ratios of mean pay to the cap; for a payroll the ratio is 0."""
    if isinstance(scale, Scale):
        weights, shrink = scale._shrinkage()
    else:
        with precision(128):
            step = float(scale.parameters.log_growth()) / STEPS
        mean = made.statistic == "mean"
        noise, weights = low_noise(float(scale.spread), both=mean)
        shrink = np.exp(np.clip(noise * step, -300, 300))
    ratios = RATIOS if made.statistic == "mean" else RATIOS[:1]

    def covered(ratio: float) -> Callable[[float], float]:
        def share(q: float) -> float:
            return float(weights @ (1 - made.beyond(ratio, q * shrink)))

        return share

    if min(covered(ratio)(float(BOUND)) for ratio in ratios) < float(COVERAGE):
        return float(BOUND)
    return max(smallest(covered(float(ratio)), COVERAGE) for ratio in ratios)


WIDEST = 10.0**6
"""A factor above this is no margin worth paying for."""


def pay_margins(made: PayMechanism, epsilon: Fraction) -> PayMargins:
    """Intervals for ε; refuses one that buys nothing."""
    p = made.parameters
    if epsilon >= LEAST_EPSILON:
        priced = Parameters.read(p.alpha, epsilon, 0, 1, "tight", p.plus)
        rule = PayMargins(_scale(priced, made), made)
        if rule.factor() < WIDEST:
            return rule
    raise InvalidParameter(
        "margins",
        rule="must be paid with enough epsilon for an interval that says something",
        value=f"epsilon {shown(epsilon)} for margins of {made.name}",
        next_step="Give margins a larger share, use pay_clipped, or write margins: none.",
    )


def _scale(priced: Parameters, made: PayMechanism) -> Scale | ScalePair:
    """The scales that the noise follows: of jobs, of payroll, or of both."""
    if made.by_payroll and made.with_count:
        return ScalePair(priced, made.cap)
    jobs = Scale.calibrated(priced)
    if not made.by_payroll:
        return jobs
    # ln max(P_max, ΔB/α) moves by at most ln(1+α), as the logarithm of the size does.
    return replace(jobs, grid=SizeGrid(priced.growth, priced.plus * made.cap))


@dataclass(frozen=True)
class PayTable:
    """The measurement of a table of pay: a payroll or a mean, its interval, and the count."""

    mechanism: PayMechanism
    margins: MarginRule
    by_cell: ClassVar[bool] = False
    deviations: ClassVar[None] = None

    @property
    def name(self) -> str:
        """The mechanism's name."""
        return self.mechanism.name

    @property
    def words(self) -> Words:
        """How the mechanism is named and explained."""
        return self.mechanism.words

    @property
    def needs(self) -> Needs:
        """Cells, or entries of establishments where these are clipped."""
        return self.mechanism.needs

    @property
    def parameters(self) -> Parameters:
        """What the mechanism was calibrated for."""
        return self.mechanism.parameters

    def constants(self) -> dict[str, str]:
        """The exact constants of the mechanism as text."""
        return self.parameters.constants(self.mechanism)

    def guarantee(self, policy: Policy | str, *, table: str) -> Guarantee:
        """The pairs, and the noisy scales that intervals follow from."""
        pairs = self.mechanism.guarantee(policy, table=table)
        if not self.margins.epsilon:
            return pairs
        return sequential(pairs, Guarantee(pairs.policy, pairs.alpha, self.margins.epsilon))

    @property
    def margin_columns(self) -> tuple[str, ...]:
        """The ends where there are margins, and the count."""
        ends = PAY_COLUMNS if self.margins.coverage is not None else ()
        return (*ends, COUNT_COLUMN) if self.mechanism.with_count else ends

    def measure(self, columns: Cells | Entries) -> Measured:
        """Payrolls or means with noise, their intervals, and the counts."""
        return self._measure(columns, secret())

    def _measure(self, columns: Cells | Entries, noise: Noise) -> Measured:
        """The same with this noise; the auditor runs it with its own."""
        found, ends = self.mechanism._measured(columns, noise)
        rule = self.margins
        if isinstance(rule, PayMargins):
            ends = rule.interval(found, rule.smooth(as_cells(columns), noise))
        elif rule.coverage is None:
            ends = None
        values, margins = published_pay(found, ends, self.mechanism.statistic, self.mechanism.cap)
        kept = {name: margins[name] for name in self.margin_columns}
        return Measured(values, kept, PublicLaw(None, True, None))

    def expected(self, columns: Cells | Entries) -> Expected:
        """Of payrolls by closed form; of means to first order, at the true count and mean."""
        cells, made = as_cells(columns), self.mechanism
        if made.statistic == "payroll":
            error = made.error(cells, 0.0, 1.0)
            wide = None if error is None else np.broadcast_to(error[:, None], cells.shape)
        else:
            wide = mean_errors(made, cells)
        return Expected(wide, None, finite=wide is not None, steady=made.steady)

    def expected_error(self, size: int, establishments: int = ESTABLISHMENTS) -> float | None:
        """Of a cell whose jobs are all at the largest establishment, at the usual mean pay."""
        found = self.expected(usual_cells(size, self.mechanism.cap, self.parameters.cells)).absolute
        return None if found is None else float(found[0, 0])

    def expected_errors(self, size: int, establishments: int = ESTABLISHMENTS) -> Floats | None:
        """Of the one cell."""
        error = self.expected_error(size, establishments)
        return None if error is None else np.array([error])

    def expected_margin(self, size: int, establishments: int = ESTABLISHMENTS) -> int | None:
        """Half of the interval of such a cell if nothing had noise."""
        rule, made = self.margins, self.mechanism
        cells = usual_cells(size, made.cap, self.parameters.cells)
        found = Pairs(cells.counts, payroll_of(cells, made.cap))
        if not isinstance(rule, PayMargins):
            ends = None if rule.coverage is None else made.typical_ends(cells, establishments)
        else:
            alpha, plus = float(self.parameters.growth), self.parameters.plus
            jobs = np.maximum(alpha * cells.largest, plus)
            most = np.maximum(alpha * largest_payroll(cells), plus * made.cap)
            ends = rule.interval(found, (jobs, most if made.by_payroll else jobs * made.cap))
        if ends is None:
            return None
        bottom, top = _range(made)
        return int(np.ceil((min(ends[1][0, 0], top) - max(ends[0][0, 0], bottom)) / 2))

    def cell_noise(self, table: int = 0) -> CellNoise | None:
        """Tables of pay are not added up."""
        return None

    def spread(self, size: int) -> Spread:
        """The noise of the payroll of one establishment, of which nine in ten are between."""
        made = self.mechanism
        cells = usual_cells(size, made.cap, 1)
        true, mean = int(payroll_of(cells, made.cap)[0, 0]), made.error(cells, 0.0, 1.0)
        scale = float(BOUND) if mean is None else float(mean[0])
        half = self.expected_margin(size) if made.statistic == "payroll" else None
        reach = int(min(3 * scale, float(BOUND))) if half is None else half
        return Spread(true, true - reach, true + reach, laplace(), scale)


def _range(made: PayMechanism) -> tuple[float, float]:
    """What is published lies between these."""
    return (0.0, float(made.cap)) if made.statistic == "mean" else (-float(BOUND), float(BOUND))


def usual_cells(size: int, cap: int, cells: int) -> Cells:
    """One establishment of this size, its jobs spread evenly, at the usual mean pay."""
    each = -(-size // cells)
    pay = int(each * cap * USUAL_SHARE)
    counts = np.full((1, cells), each, dtype=np.int64)
    whole = np.array([max(size, each)], dtype=np.int64)
    return Cells(
        counts,
        whole,
        payroll=np.full_like(counts, pay),
        largest_payroll=(whole * int(cap * USUAL_SHARE)).astype(np.int64),
    )


def mean_errors(made: PayMechanism, cells: Cells) -> Floats | None:
    """E|δP − m·δn|/n of each cell, at most the cap: that of a cell without jobs."""
    jobs, pay = cells.counts.astype(np.float64), payroll_of(cells, made.cap).astype(np.float64)
    with np.errstate(all="ignore"):
        mean = np.where(jobs > 0, pay / jobs, 0.0)
    found = np.full(cells.shape, float(made.cap))
    for row, cell in zip(*np.nonzero(jobs > 0), strict=True):
        one = Cells(
            cells.counts[row : row + 1],
            cells.largest[row : row + 1],
            payroll=None if cells.payroll is None else cells.payroll[row : row + 1],
            largest_payroll=None
            if cells.largest_payroll is None
            else cells.largest_payroll[row : row + 1],
        )
        error = made.error(one, -mean[row, cell], 1.0)
        if error is None:
            return None
        found[row, cell] = min(float(error[0]) / jobs[row, cell], made.cap)
    return found


def published_pay(
    found: Pairs, ends: tuple[Floats, Floats] | None, statistic: PublishedPay, cap: int
) -> tuple[Integers, Margins]:
    """What a table of pay shows: value, the ends of its interval where there are some, count."""
    values = found.payroll if statistic == "payroll" else means(found, cap)
    margins: dict[str, Integers] = {}
    if ends is not None:
        bottom, top = (-BOUND, BOUND) if statistic == "payroll" else (0, cap)
        low, high = (np.clip(one, bottom, top) for one in ends)
        known = (ends[0] <= ends[1]) & np.isfinite(ends[0]) & np.isfinite(ends[1])
        known &= values != EMPTY
        floor, ceiling = np.floor(low).astype(np.int64), np.ceil(high).astype(np.int64)
        margins["low"] = np.where(known, np.minimum(floor, values), EMPTY)
        margins["high"] = np.where(known, np.maximum(ceiling, values), EMPTY)
    margins[COUNT_COLUMN] = found.jobs
    return values, margins


def means(found: Pairs, cap: int) -> Integers:
    """P̃/ñ to the nearest whole number, from 0 to the cap; EMPTY where ñ is below one half."""
    some = found.jobs > 0  # whole numbers: from ½ on is from 1 on
    count = np.where(some, found.jobs, 1)
    payroll = np.clip(found.payroll, 0, None)
    nearest = (2 * (payroll % count) >= count) + payroll // count
    return np.where(some, np.minimum(nearest, cap), EMPTY)


def refuse_worker_cells(name: str, parameters: Parameters) -> None:
    """Refuse several worker cells where the proof is about one pair a workplace cell."""
    if parameters.cells > 1:
        raise NotCovered(
            "mechanism",
            rule=f"must be proved for worker cells: {name} is for one pair a workplace cell",
            value=f"{parameters.cells} worker cells",
            next_step="Use pay_pareto, or leave mechanism out for auto.",
        )
