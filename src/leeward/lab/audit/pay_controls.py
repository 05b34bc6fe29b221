"""Known-bad releases of pay: what a slip in a mechanism of pay, or in its account, would cost.

Each claims what the genuine mechanism claims, and must be rejected (mathematics/auditing.md 3).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from leeward.core.exact import ball, dyadic_down, log_growth, precision
from leeward.core.mechanisms.edge_pay import EdgePay
from leeward.core.mechanisms.log_pair import LogPair
from leeward.core.mechanisms.measurement import Measured
from leeward.core.mechanisms.pay import PayMechanism
from leeward.core.mechanisms.pay_centred import PayCentred
from leeward.core.mechanisms.pay_centred_radial import PayCentredRadial
from leeward.core.mechanisms.pay_clipped import PayClipped
from leeward.core.mechanisms.pay_margins import pay_margins
from leeward.core.mechanisms.pay_pareto import PayPareto
from leeward.core.mechanisms.pay_radial import PayRadial
from leeward.core.mechanisms.pay_table import PayTable
from leeward.core.mechanisms.pay_two_scales import PayTwoScales
from leeward.core.mechanisms.payroll_pareto import PayrollPareto
from leeward.core.mechanisms.payroll_radial import PayrollRadial
from leeward.core.mechanisms.payroll_slope import PayrollSlope
from leeward.core.mechanisms.slope import Slope
from leeward.core.noise.radial_law import pareto_radius
from leeward.core.privacy import ProportionalAlpha, StrongAlpha, WorkerOnly
from leeward.core.privacy.policy import Neighbours
from leeward.core.privacy.steps import RaiseAlpha
from leeward.core.privacy.workforces import Database
from leeward.lab.audit.audit_line import ALPHA, CAP, EPSILON, MARGINS, Control
from leeward.lab.audit.exams import scalar
from leeward.lab.audit.independence import BETWEEN_CELLS, Independence
from leeward.lab.audit.loss import DISTINGUISHED, NONE, PrivacyLoss, pure_loss
from leeward.lab.audit.neighbours import DatabasePair, Depth
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
from leeward.lab.audit.pay_twins import (
    CutNoise,
    DrawnApart,
    ExactCount,
    JobSlope,
    NoFloor,
    ObservedCap,
    PaidWeights,
    ReusingPareto,
    TrueScale,
)
from leeward.lab.audit.recording import RecordingNoise, released
from leeward.lab.audit.table_exam import WITH_MARGINS, Part, Recorded
from leeward.lab.audit.twins import sound, twin

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
) -> DatabasePair:
    """One establishment by the pay of its jobs, beside others; certainly a step of the relation."""
    beside = [[other] for other in others]
    pair = DatabasePair(*(Database.capped(cap, *beside, [changed]) for changed in (before, after)))
    if not relation.admits(*pair.databases, ALPHA):
        raise ValueError("no neighbours")
    return pair


def parts_of(mechanism: Any, pair: DatabasePair) -> tuple[Part, Part]:  # noqa: ANN401 (any of pay)
    """What is released of both databases."""
    before, after = released_pay(mechanism, pair.databases)
    return before, after


def edge_parallel(depth: Depth) -> PrivacyLoss:
    """A job at the cap appears, in the count and in the payroll."""
    spoilt = twin(DrawnApart, sound(EdgePay, cap=B))
    return pay_loss(spoilt, Steps(WorkerOnly(), (1,)), depth)


def slope_under_strong(_: Depth) -> PrivacyLoss:
    """Joiners at no pay move A, and not the payroll."""
    spoilt = twin(JobSlope, sound(PayrollSlope, cap=B))
    pair = paid(STRONG, B, [0] * 10**4, [0] * 11 * 10**3)
    return largest([parts_of(spoilt, pair)], EPSILON)


def floor_forgotten(_: Depth) -> PrivacyLoss:
    """A payroll of half a cap gets a job at the cap."""
    spoilt = twin(NoFloor, sound(PayrollSlope, cap=B))
    return largest([parts_of(spoilt, paid(PROPORTIONAL, B, [15], [15, B]))], EPSILON)


def observed_cap(_: Depth) -> PrivacyLoss:
    """Exponential tails of two scales: their ratio has no bound."""
    spoilt = twin(ObservedCap, sound(PayClipped, cap=B))
    return clipped_pair_loss(spoilt, paid(PROPORTIONAL, B, [1], [2]))


def parallel(_: Depth) -> PrivacyLoss:
    """Count and payroll by slope, each at ε, booked once: an establishment grows in both."""
    pair = paid(PROPORTIONAL, B, [B] * 10**4, [B] * 11 * 10**3)
    slope = sound(Slope)
    counts = scalar(
        lambda database: released(slope, database.size, database.largest), [pair], EPSILON
    )
    pay = pure_loss(*parts_of(sound(PayrollSlope, cap=B), pair), EPSILON)
    return counts.plus(pay)


def real_calibration(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """k = ε/λ, not rounded, and t of count and payroll on one scale (mathematics/pay.md 9)."""
    with precision(256):
        growth = log_growth(ALPHA)
        shape = dyadic_down(ball(epsilon) / growth, 64)
        moved = (ball(epsilon) / ball(shape + 2)).expm1()
        grown = ball(1 + ALPHA) * ((ball(epsilon) - 2 * growth) / ball(shape + 2)).expm1()
        return shape, min(dyadic_down(moved, 64), dyadic_down(grown, 64))


def real_loss(genuine: PayCentred | PayTwoScales, pair: DatabasePair) -> PrivacyLoss:
    """The ratios of densities with these k and t in place of the mechanism's own."""
    epsilon = genuine.parameters.epsilon
    shape, step = real_calibration(epsilon)
    blocks = [part for part in parts_of(genuine, pair) if isinstance(part, PairBlock)]
    wider, radius = genuine.step / step, pareto_radius(2, shape)
    before, after = (
        replace(block, scales=(block.scales[0] * wider, block.scales[1] * wider), radius=radius)
        for block in blocks
    )
    return density_loss(before, after, epsilon)


@dataclass(frozen=True)
class OneScale:
    """Two scales with the calibration of one: an establishment's payroll grows by α, while another
    one has most jobs."""

    epsilon: Fraction

    def __call__(self, _: Depth) -> PrivacyLoss:
        """Only the payroll's scale grows."""
        genuine = sound(PayTwoScales, cap=B, epsilon=self.epsilon)
        pair = paid(PROPORTIONAL, B, [10] * 900, [11] * 900, [0] * 2000)
        return real_loss(genuine, pair)


def centred_raise(_: Depth) -> PrivacyLoss:
    """A job at no pay gets the cap: twice the floor in the norm of the centred pair."""
    return real_loss(sound(PayCentred, cap=B), paid(RaiseAlpha(), B, [0], [B]))


def paid_weights(_: Depth) -> PrivacyLoss:
    """A thousand at no pay, and a hundred joiners at the cap."""
    spoilt = twin(PaidWeights, sound(PayClipped, cap=RICH))
    return clipped_pair_loss(spoilt, paid(STRONG, RICH, [0] * 1000, [0] * 1000 + [RICH] * 100))


def unpaid_left_out(_: Depth) -> PrivacyLoss:
    """Jobs at no pay are not counted, and slope follows all jobs: a filter."""
    slope = sound(Slope)

    def view(database: Database) -> Rounded:
        paid_jobs = sum(
            pay > 0
            for establishment in database.establishments
            for pay in (establishment.pay or ((),))[0]
        )
        return released(slope, paid_jobs, database.largest)

    return scalar(view, [paid(STRONG, B, [0] * 10**4, [0] * 11 * 10**3)], EPSILON)


def told_apart(table: PayTable, shown: Callable[[Measured], object]) -> PrivacyLoss:
    """Infinite where something shown never depends on the noise, and differs for neighbours."""
    pair = paid(STRONG, B, [B] * 1000, [B] * 1100)
    requested = Recorded.of(table, pair.before).noise.answered
    seen = []
    for database in pair.databases:
        answers = ([column + shift for column in requested] for shift in (0, 40, 977))
        runs = (Recorded.of(table, database, RecordingNoise(answer)).measured for answer in answers)
        seen.append({shown(run) for run in runs})
    return DISTINGUISHED if len(seen[0]) == 1 == len(seen[1]) and seen[0] != seen[1] else NONE


def exact_count(_: Depth) -> PrivacyLoss:
    """The count beside the noisy payroll."""
    genuine = sound(PayPareto, cap=B, statistic="payroll")
    table = PayTable(twin(ExactCount, genuine), pay_margins(genuine, EPSILON * MARGINS))
    return told_apart(table, lambda run: int(run.margins["count"][0, 0]))


def true_scale(_: Depth) -> PrivacyLoss:
    """The width of the interval."""
    genuine = sound(PayPareto, cap=B, statistic="payroll")
    rule = pay_margins(genuine, EPSILON * MARGINS)
    table = PayTable(genuine, TrueScale(rule.scale, genuine))
    return told_apart(table, lambda run: int((run.margins["high"] - run.margins["low"])[0, 0]))


def two_cells(depth: Depth) -> PrivacyLoss:
    """Joiners at no pay in one worker cell and raises in the other: twice S in the sum of norms."""
    genuine = sound(PayPareto, cap=B, cells=2)
    return pay_loss(genuine, Steps(PROPORTIONAL, (2,)), depth)


@dataclass(frozen=True)
class Cut:
    """A mechanism of pay, examined as the genuine one with a tenth less noise."""

    kind: type[PayMechanism]
    examine: Callable[[Any, Steps, Depth], PrivacyLoss] = pay_loss
    policy: str = "strong"

    def __call__(self, depth: Depth) -> PrivacyLoss:
        """On the neighbours of the genuine one."""
        genuine = sound(self.kind, cap=B)
        steps = replace(steps_of(genuine, self.policy), kinds=(1,), recorder=CutNoise)
        return self.examine(genuine, steps, depth)

    def control(self) -> Control:
        """As a line of the audit."""
        return Control("scale cut by 10 %", self.kind.name, self, self.policy)


def reused_word(depth: Depth) -> PrivacyLoss:
    """The noise of one cell is half of the noise of the next one."""
    genuine = sound(PayPareto, cap=B)
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
    Cut(PayCentredRadial).control(),
    Cut(PayRadial).control(),
    Cut(PayrollRadial).control(),
    Cut(EdgePay, policy="worker").control(),
)
