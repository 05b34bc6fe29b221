"""Known-bad releases of pay: what a slip in a mechanism of pay, or in its account, would cost.

Each claims what the genuine mechanism claims, and must be rejected (mathematics/auditing.md 3).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, cast

import numpy as np

from leeward.core.codebook import Cells, Entries
from leeward.core.exact import ball, dyadic_down, log_growth, precision
from leeward.core.mechanisms.clipping import scaled
from leeward.core.mechanisms.edge_pay import EdgePay
from leeward.core.mechanisms.log_pair import LogPair
from leeward.core.mechanisms.measurement import Measured
from leeward.core.mechanisms.pay import PayMechanism, PowerPair
from leeward.core.mechanisms.pay_centred import PayCentred
from leeward.core.mechanisms.pay_clipped import PayClipped
from leeward.core.mechanisms.pay_margins import PayMargins, pay_margins
from leeward.core.mechanisms.pay_pareto import PayPareto
from leeward.core.mechanisms.pay_table import PayTable
from leeward.core.mechanisms.pay_two_scales import PayTwoScales
from leeward.core.mechanisms.payroll_pareto import PayrollPareto
from leeward.core.mechanisms.payroll_slope import PayrollSlope
from leeward.core.mechanisms.slope import Slope
from leeward.core.noise.body import Body
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.pairs import PairBits, decide_pairs
from leeward.core.noise.scales import Integers, Laws, Scales, TwoScales
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import ProportionalAlpha, StrongAlpha, WorkerOnly
from leeward.core.privacy.policy import Neighbours
from leeward.core.privacy.raises import RaiseAlpha
from leeward.core.privacy.workforces import Database
from leeward.lab.audit.clipped_exam import DISTINGUISHED
from leeward.lab.audit.exams import scalar
from leeward.lab.audit.fixed_words import FixedWords
from leeward.lab.audit.independence import BETWEEN_CELLS, Independence
from leeward.lab.audit.lines import ALPHA, CAP, EPSILON, MARGINS, Control
from leeward.lab.audit.loss import NONE, Loss, pure_loss
from leeward.lab.audit.neighbours import Depth, Pair
from leeward.lab.audit.outputs import Rounded
from leeward.lab.audit.pair_block import PairBlock, density_loss
from leeward.lab.audit.pay_code import PAY_CODE
from leeward.lab.audit.pay_exam import (
    Steps,
    clipped_pair_loss,
    largest,
    pay_clipped_loss,
    pay_loss,
    released_pay,
    steps_of,
)
from leeward.lab.audit.planted import CUT, made, twin
from leeward.lab.audit.recording import RecordingNoise, released
from leeward.lab.audit.table_exam import WITH_MARGINS, Part, Recorded

STRONG, PROPORTIONAL = StrongAlpha(), ProportionalAlpha()
B = CAP[1]
RICH = 10**6
"""A cap so fine that flooring to whole units of pay does not show."""


def paid(
    relation: Neighbours,
    cap: int,
    before: Sequence[int],
    after: Sequence[int],
    *others: Sequence[int],
) -> Pair:
    """One establishment by the pay of its jobs, beside others; certainly a step of the relation."""
    beside = [[pay] for pay in others]
    pair = Pair(*(Database.capped(cap, *beside, [pay]) for pay in (before, after)))
    if not relation.admits(*pair.databases, ALPHA):
        raise ValueError("no neighbours")
    return pair


def parts_of(mechanism: Any, pair: Pair) -> tuple[Part, Part]:  # noqa: ANN401 (any of pay)
    """What is released of both databases."""
    before, after = released_pay(mechanism, pair.databases)
    return before, after


class Apart(EdgePay):
    """A Laplace draw each for count and payroll, both at ε."""

    body = Body("apart", ((1, 0), (0, 1), (-1, 0), (0, -1)))


def edge_parallel(depth: Depth) -> Loss:
    """A job at the cap appears, in the count and in the payroll."""
    spoilt = twin(Apart, made(EdgePay, "edge_pay", cap=B))
    return pay_loss(spoilt, Steps(WorkerOnly(), (1,)), depth)


class JobSlope(PayrollSlope):
    """A = B·max(X, Δ/α): right in what one step moves, and wrong in that A moves without it."""

    by_payroll = False


def slope_under_strong(_: Depth) -> Loss:
    """Joiners at no pay move A, and not the payroll."""
    spoilt = twin(JobSlope, made(PayrollSlope, "payroll_slope", cap=B))
    pair = paid(STRONG, B, [0] * 10**4, [0] * 11 * 10**3)
    return largest([parts_of(spoilt, pair)], EPSILON)


class NoFloor(PayrollSlope):
    """A follows the largest payroll, however small."""

    def scales(self, cells: Cells) -> Scales:
        return replace(super().scales(cells), floor=Fraction(1))


def floor_forgotten(_: Depth) -> Loss:
    """A payroll of half a cap gets a job at the cap."""
    spoilt = twin(NoFloor, made(PayrollSlope, "payroll_slope", cap=B))
    return largest([parts_of(spoilt, paid(PROPORTIONAL, B, [15], [15, B]))], EPSILON)


class ObservedCap(PayClipped):
    """The cap is the largest pay in the data."""

    def _release(self, entries: Entries, noise: Noise) -> tuple[Integers, Integers]:
        payroll = np.zeros(1) if entries.payroll is None else entries.payroll / entries.counts
        seen = replace(self, cap=max(1, int(payroll.max(initial=1))))
        return PayClipped._release(seen, entries, noise)


def observed_cap(_: Depth) -> Loss:
    """Exponential tails of two scales: their ratio has no bound."""
    spoilt = twin(ObservedCap, made(PayClipped, "pay_clipped", cap=B))
    return clipped_pair_loss(spoilt, paid(PROPORTIONAL, B, [1], [2]))


def parallel(_: Depth) -> Loss:
    """Count and payroll by slope, each at ε, booked once: an establishment grows in both."""
    pair = paid(PROPORTIONAL, B, [B] * 10**4, [B] * 11 * 10**3)
    slope = made(Slope, "slope")
    counts = scalar(
        lambda database: released(slope, database.size, database.largest), [pair], EPSILON
    )
    pay = pure_loss(*parts_of(made(PayrollSlope, "payroll_slope", cap=B), pair), EPSILON)
    return counts.plus(pay)


def real_calibration(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """k = ε/λ, not rounded, and t of count and payroll on one scale (mathematics/pay.md 9)."""
    with precision(256):
        growth = log_growth(ALPHA)
        shape = dyadic_down(ball(epsilon) / growth, 64)
        moved = (ball(epsilon) / ball(shape + 2)).expm1()
        grown = ball(1 + ALPHA) * ((ball(epsilon) - 2 * growth) / ball(shape + 2)).expm1()
        return shape, min(dyadic_down(moved, 64), dyadic_down(grown, 64))


def real_loss(genuine: PowerPair, pair: Pair) -> Loss:
    """The ratios of densities with these k and t in place of the mechanism's own."""
    epsilon = genuine.parameters.epsilon
    shape, step = real_calibration(epsilon)
    blocks = [part for part in parts_of(genuine, pair) if isinstance(part, PairBlock)]
    wider = genuine.step / step
    before, after = (
        replace(block, scales=(block.scales[0] * wider, block.scales[1] * wider), shape=shape)
        for block in blocks
    )
    return density_loss(before, after, epsilon)


@dataclass(frozen=True)
class OneScale:
    """Two scales with the calibration of one: an establishment's payroll grows by α, while another
    one has most jobs."""

    epsilon: Fraction

    def __call__(self, _: Depth) -> Loss:
        """Only the payroll's scale grows."""
        genuine = made(PayTwoScales, "pay_two_scales", cap=B, epsilon=self.epsilon)
        pair = paid(PROPORTIONAL, B, [10] * 900, [11] * 900, [0] * 2000)
        return real_loss(genuine, pair)


def centred_raise(_: Depth) -> Loss:
    """A job at no pay gets the cap: twice the floor in the norm of the centred pair."""
    return real_loss(made(PayCentred, "pay_centred", cap=B), paid(RaiseAlpha(), B, [0], [B]))


class PaidWeights(PayClipped):
    """Establishments are scaled by min(1, θB/P): joiners at the cap shrink all who stay."""

    def sums(self, entries: Entries, theta: Integers) -> Integers:
        if entries.payroll is None or entries.payrolls is None:
            raise TypeError("the entries were tabulated without payroll")
        lattice = self.bounds.clipping.lattice
        bound = theta[entries.workplace[entries.row]] * self.cap
        whole = np.maximum(entries.payrolls[entries.row] * lattice, bound)
        sums = np.zeros((*entries.shape, 2), dtype=np.int64)
        at = entries.workplace[entries.row], entries.cell
        for number, column in enumerate((entries.counts * lattice, entries.payroll)):
            np.add.at(sums[:, :, number], at, scaled(column, bound, whole)[0])
        return sums


def paid_weights(_: Depth) -> Loss:
    """A thousand at no pay, and a hundred joiners at the cap."""
    spoilt = twin(PaidWeights, made(PayClipped, "pay_clipped", cap=RICH))
    return clipped_pair_loss(spoilt, paid(STRONG, RICH, [0] * 1000, [0] * 1000 + [RICH] * 100))


def unpaid_left_out(_: Depth) -> Loss:
    """Jobs at no pay are not counted, and slope follows all jobs: a filter."""
    slope = made(Slope, "slope")

    def view(database: Database) -> Rounded:
        paid_jobs = sum(
            pay > 0 for force in database.establishments for pay in (force.pay or ((),))[0]
        )
        return released(slope, paid_jobs, database.largest)

    return scalar(view, [paid(STRONG, B, [0] * 10**4, [0] * 11 * 10**3)], EPSILON)


class ExactCount(PayPareto):
    """The payroll has noise, the count has none."""

    def _release(self, cells: Cells, noise: Noise) -> Integers:
        drawn = super()._release(cells, noise)
        drawn[:, :, 0] = cells.counts
        return drawn


@dataclass(frozen=True)
class TrueScale(PayMargins):
    """Intervals of the true scale; a noisy one is drawn, and not used."""

    def smooth(self, cells: Cells, noise: Noise) -> tuple[Floats, Floats]:
        super().smooth(cells, noise)
        scale = np.maximum(float(ALPHA) * cells.largest, 1.0)
        return scale, scale * self.mechanism.cap


def told_apart(table: PayTable, shown: Callable[[Measured], object]) -> Loss:
    """Infinite where something shown never depends on the noise, and differs for neighbours."""
    pair = paid(STRONG, B, [B] * 1000, [B] * 1100)
    answered = Recorded.of(table, pair.before).noise.answered
    seen = []
    for database in pair.databases:
        answers = ([answer + shift for answer in answered] for shift in (0, 40, 977))
        runs = (Recorded.of(table, database, RecordingNoise(answer)).measured for answer in answers)
        seen.append({shown(run) for run in runs})
    return DISTINGUISHED if len(seen[0]) == 1 == len(seen[1]) and seen[0] != seen[1] else NONE


def exact_count(_: Depth) -> Loss:
    """The count beside the noisy payroll."""
    genuine = made(PayPareto, "pay_pareto", cap=B, statistic="payroll")
    table = PayTable(twin(ExactCount, genuine), pay_margins(genuine, EPSILON * MARGINS))
    return told_apart(table, lambda run: int(run.margins["count"][0, 0]))


def true_scale(_: Depth) -> Loss:
    """The width of the interval."""
    genuine = made(PayPareto, "pay_pareto", cap=B, statistic="payroll")
    rule = pay_margins(genuine, EPSILON * MARGINS)
    table = PayTable(genuine, TrueScale(rule.scale, genuine))
    return told_apart(table, lambda run: int((run.margins["high"] - run.margins["low"])[0, 0]))


def two_cells(depth: Depth) -> Loss:
    """Joiners at no pay in one worker cell and raises in the other: twice S in the sum of norms."""
    genuine = made(PayPareto, "pay_pareto", cap=B, cells=2)
    return pay_loss(genuine, Steps(PROPORTIONAL, (2,)), depth)


@dataclass
class CutNoise(RecordingNoise):
    """Notes a tenth less than what was asked for."""

    def rounded(self, true: Integers, law: Laws, scales: Scales) -> Integers:
        return super().rounded(true, law, _cut(scales))

    def block(self, true: Integers, scales: Scales, shape: int) -> Integers:
        return super().block(true, _cut(scales), shape)

    def pairs(self, true: Integers, scales: TwoScales, body: Body, shape: int) -> Integers:
        return super().pairs(true, (_cut(scales[0]), _cut(scales[1])), body, shape)


def _cut(scales: Scales) -> Scales:
    return replace(scales, factor=scales.factor * CUT)


@dataclass(frozen=True)
class Cut:
    """A mechanism of pay, examined as the genuine one with a tenth less noise."""

    kind: type[PayMechanism]
    examine: Callable[[Any, Steps, Depth], Loss] = pay_loss
    policy: str = "strong"

    def __call__(self, depth: Depth) -> Loss:
        """On the neighbours of the genuine one."""
        genuine = made(self.kind, self.kind.name, cap=B)
        steps = replace(steps_of(genuine, self.policy), kinds=(1,), recorder=CutNoise)
        return self.examine(genuine, steps, depth)

    def control(self) -> Control:
        """As a line of the audit."""
        return Control("scale cut by 10 %", self.kind.name, self, self.policy)


class ReusedWord(RecordingNoise):
    """Draws pairs whose E₂ is made of the word that made E₁ of the workplace cell before."""

    def pairs(self, true: Integers, scales: TwoScales, body: Body, shape: int) -> Integers:
        bits = cast(Any, FixedWords())
        words = PairBits.read(len(true), true.shape[1], body, shape, bits)
        words.pairs[1:, :, 1] = words.pairs[:-1, :, 0]
        return true + decide_pairs(scales, words, body, bits)


class ReusingPareto(PayPareto):
    """Asks for the right noise, and is given noise of words that are used twice."""

    def _release(self, cells: Cells, noise: Noise) -> Integers:
        return super()._release(cells, ReusedWord())


def reused_word(depth: Depth) -> Loss:
    """The noise of one cell is half of the noise of the next one."""
    genuine = made(PayPareto, "pay_pareto", cap=B)
    return Independence(PAY_CODE)(twin(ReusingPareto, genuine), STRONG.name, depth)


P = "proportional"
PAY_CONTROLS: tuple[Control, ...] = (
    Control("slope on payroll under strong", "payroll_slope", slope_under_strong),
    Control("the floor B forgotten", "payroll_slope", floor_forgotten, P),
    Control("the cap is the largest pay observed", "pay_clipped", observed_cap, P),
    Control("count and payroll booked in parallel", "payroll_slope", parallel, P),
    Control("count and payroll booked in parallel", "edge_pay", edge_parallel, "worker"),
    *(
        Control("calibrated for one scale", "pay_two_scales", OneScale(epsilon), P, epsilon=epsilon)
        for epsilon in (EPSILON / 2, EPSILON, 2 * EPSILON)
    ),
    Control("a pay change booked as one step", "pay_centred", centred_raise, detail="raises"),
    Control("weights min(1, θB/P)", "pay_clipped", paid_weights),
    Control("jobs at no pay left out", "slope", unpaid_left_out),
    Control("an exact count beside noisy payroll", "pay_pareto", exact_count),
    Control("margins of the true scale", "pay_pareto", true_scale, detail=WITH_MARGINS),
    Control("two worker cells under proportional", "pay_pareto", two_cells, P, detail="cells 2"),
    Control("a word used in two cells", "pay_pareto", reused_word, detail=BETWEEN_CELLS),
    Cut(PayCentred).control(),
    Cut(PayPareto).control(),
    Cut(PayTwoScales, policy=P).control(),
    Cut(PayClipped, pay_clipped_loss).control(),
    Cut(LogPair, policy=P).control(),
    Cut(PayrollPareto).control(),
    Cut(PayrollSlope, policy=P).control(),
    Cut(EdgePay, policy="worker").control(),
)
