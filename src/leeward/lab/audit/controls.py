"""Known-bad releases: each claims a guarantee that it does not have. All must be rejected.

Some are mechanisms applied where their proof does not reach, some are mechanisms with less noise,
and some are other releases, given by their mass functions.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp, log

import numpy as np
from flint import arb

from leeward.core.codebook import Cells, Entries
from leeward.core.codebook.values import Margins
from leeward.core.exact import ball
from leeward.core.mechanisms.calibrated import PublicScale
from leeward.core.mechanisms.clipped import Clipped
from leeward.core.mechanisms.clipping import Clipping
from leeward.core.mechanisms.counts_with_noise import CountsWithNoise
from leeward.core.mechanisms.edge_laplace import EdgeLaplace
from leeward.core.mechanisms.error_margins import NoMargins, SpentMargins, spend
from leeward.core.mechanisms.gains import GainsOfEstablishments
from leeward.core.mechanisms.log_laplace import LogLaplace, log_laplace_law
from leeward.core.mechanisms.moments import RADIUS, UNIT, EmployerMoments, Establishments, Moments
from leeward.core.mechanisms.row_choice import RowChoice
from leeward.core.mechanisms.scale import Scale
from leeward.core.mechanisms.slope import Slope
from leeward.core.mechanisms.smooth_gamma import SmoothGamma
from leeward.core.mechanisms.staircase import Staircase
from leeward.core.mechanisms.stairs import Stairs
from leeward.core.mechanisms.theil_sen import TheilSen
from leeward.core.mechanisms.vector_pareto import VectorPareto
from leeward.core.noise.integers import for_each_cell
from leeward.core.noise.law import discrete_laplace, laplace
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import Integers
from leeward.core.privacy import Guarantee, StrongAlpha, policy
from leeward.core.privacy.local_privacy import Local
from leeward.core.privacy.workforces import Database
from leeward.lab.audit.clipped_exam import clipped_loss, pair_loss
from leeward.lab.audit.exams import View, block, scalar, workplace_view
from leeward.lab.audit.history_exam import HISTORY_FAULTS, HISTORY_LINES
from leeward.lab.audit.homes_exam import as_many_as_workers, half_the_prior
from leeward.lab.audit.lines import ALPHA, EPSILON, GAINS, MARGINS, OF_GAINS, UNIT_EMPLOYER, Control
from leeward.lab.audit.local_exam import LOCAL_LINES, rounded_up
from leeward.lab.audit.loss import INFINITE, NONE, Loss, laplace_loss, pure_loss
from leeward.lab.audit.neighbours import Depth, Pair, most, pairs
from leeward.lab.audit.outputs import HALF, Rounded
from leeward.lab.audit.pay_controls import PAY_CONTROLS
from leeward.lab.audit.planted import CUT, PLANTED, STRONG, clipped_twin, made
from leeward.lab.audit.recording import released
from leeward.lab.audit.regression_exam import (
    REPLACEMENT,
    examine_employers,
    examine_medians,
    examine_moments,
)
from leeward.lab.audit.report_exam import MANY_NUMBERS, kept_words
from leeward.lab.audit.row_exam import counts_at, examine_counts, own_margins
from leeward.lab.audit.table_exam import (
    WITH_MARGINS,
    ClippedTable,
    Recorded,
    examine_table,
    part_loss,
)
from leeward.lab.baselines.dirichlet import NOTICE
from leeward.lab.baselines.printed import stated_delta


def strong(pair: Pair) -> list[Pair]:
    """A pair that is certainly a strong step."""
    if not STRONG.admits(pair.before, pair.after, ALPHA):
        raise ValueError(pair)
    return [pair]


@dataclass(frozen=True)
class Infused:
    """Input noise infusion of one establishment: size·f, ramp density of Abowd et al. 2012."""

    size: int
    low: Fraction = Fraction(11, 10)
    high: Fraction = Fraction(5, 4)

    def mass(self, output: tuple[int, ...]) -> arb:
        """P(⌊size·f + ½⌋ = output): a difference of the exact rational distribution function."""
        if self.size == 0:
            return arb(output[0] == 0)
        below, above = ((output[0] + half) / self.size for half in (-HALF, HALF))
        return ball(self._distribution(above) - self._distribution(below))

    def _distribution(self, f: Fraction) -> Fraction:
        """Half the mass on [2−b, 2−a] rising, half on [a, b] falling."""
        a, b = self.low, self.high
        width = (b - a) ** 2
        left = min(max(f, 2 - b), 2 - a) - (2 - b)
        right = b - min(max(f, a), b)
        return left**2 / (2 * width) + HALF - right**2 / (2 * width)

    def landmarks(self) -> Iterable[tuple[int, ...]]:
        """Every output from nothing to the largest."""
        return ((output,) for output in range(int(self.size * self.high) + 2))


@dataclass(frozen=True)
class DerivedFrame:
    """A cell that is published only where it has a worker: the empty tuple is its absence."""

    released: Rounded

    def mass(self, output: tuple[int, ...]) -> arb:
        """All mass on absence for an empty cell, none for the others."""
        if self.released.true == 0:
            return arb(output == ())
        return self.released.mass(output) if output else arb(0)

    def landmarks(self) -> Iterator[tuple[int, ...]]:
        """Absence, and what a present cell may show."""
        yield ()
        yield from self.released.landmarks()


def float_laplace(scale: float, steps: int = 1 << 53) -> Loss:
    """A count plus float64 Laplace noise: an output of count 0 that count 1 can never give.

    The noise is −scale·ln(k/2^53) for whole k. Far from zero these values are sparser than the
    floats around them, so adding one to another of them need not meet the same float.
    """
    start = int(steps * exp(-5))
    for k in range(start, start + 1000):
        output = 0.0 + _noise(k, scale, steps)
        if not reachable(output, 1.0, scale, steps):
            return Loss(INFINITE, INFINITE, arb("nan"))
    return NONE


def reachable(output: float, count: float, scale: float, steps: int) -> bool:
    """Whether any k gives this output; noise falls with k, so only neighbours can."""
    middle = int(steps * exp(-(output - count) / scale))
    return any(
        count + _noise(k, scale, steps) == output for k in range(middle - 5000, middle + 5001)
    )


def _noise(k: int, scale: float, steps: int) -> float:
    return -scale * log(k / steps)


def sensitivity_one(_: Depth) -> Loss:
    """Noise for one job while an establishment may grow by α."""
    view = workplace_view(made(EdgeLaplace, "edge_laplace"))
    return scalar(view, strong(Pair.of((1000,), (1100,))), EPSILON)


def no_floor(depth: Depth) -> Loss:
    """Smooth noise of scale α·x instead of max(α·x, 1)."""
    gamma = made(SmoothGamma, "smooth_gamma")

    def view(database: Database) -> Rounded:
        return Rounded(database.size, gamma.law, ALPHA * database.largest * gamma.multiple)

    neighbours = (p for p in pairs(STRONG, ALPHA, depth) if p.before.sizes[-1] > 0)
    return scalar(view, neighbours, EPSILON)


def slope_on_cell(_: Depth) -> Loss:
    """A from the worker cell itself: one step can multiply the cell."""
    slope = made(Slope, "slope")

    def view(database: Database) -> Rounded:
        first = [force.jobs[0] for force in database.establishments]
        return released(slope, sum(first), max(first))

    return scalar(view, strong(Pair.of((1, 10**6 - 1), (1 + 10**5, 10**6 - 1))), EPSILON)


def slope_on_filter(_: Depth) -> Loss:
    """A from all jobs while a filter counts only some: joiners move A and not n."""
    slope = made(Slope, "slope")

    def view(database: Database) -> Rounded:
        return released(slope, database.by_kind[0], database.largest)

    return scalar(view, strong(Pair.of((0, 10**6), (0, 11 * 10**5))), EPSILON)


def parallel_cells(_: Depth) -> Loss:
    """Eight worker cells of 100, each released at ε, booked as ε (composition.proof.md)."""
    published = made(LogLaplace, "log_laplace", calibration="published")
    strong(Pair.of((100,) * 8, (110,) * 8))
    cell = Pair.of((100,), (110,))
    together = scalar(workplace_view(published), [cell], EPSILON).times(8)
    return replace(together, delta=arb("nan"))


def cut_slope(depth: Depth) -> Loss:
    """A tenth less noise."""
    slope = made(Slope, "slope")
    return scalar(_narrowed(slope), pairs(STRONG, ALPHA, depth), EPSILON)


def _narrowed(slope: Slope) -> View:
    def view(database: Database) -> Rounded:
        genuine = workplace_view(slope)(database)
        return Rounded(genuine.true, genuine.law, genuine.scale * CUT)

    return view


@dataclass(frozen=True)
class SpoiltStairs:
    """A staircase with other constants than its own, where one establishment grows by a step."""

    size: int
    alpha: Fraction
    epsilon: Fraction
    spoil: Callable[[Stairs], Stairs]

    def __call__(self, _: Depth) -> Loss:
        """On one pair that shows it."""
        genuine = made(Staircase, "staircase", alpha=self.alpha, epsilon=self.epsilon)
        stairs = self.spoil(genuine.stairs)
        twin = replace(genuine, stairs=stairs, law=stairs.law(stairs.large))
        pair = Pair.of((self.size,), (most(self.alpha, self.size),))
        return scalar(workplace_view(twin), [pair], self.epsilon)

    def control(self, defect: str) -> Control:
        """As a line of the audit."""
        return Control(defect, "staircase", self, alpha=self.alpha, epsilon=self.epsilon)


def higher_steps(stairs: Stairs) -> Stairs:
    """Every step a tenth higher."""
    more = Fraction(11, 10)
    return replace(stairs, epsilon=stairs.epsilon * more, drop=stairs.drop * more)


def dilation_unpaid(stairs: Stairs) -> Stairs:
    """D' = ε: left steps that leave nothing for the change of A."""
    return replace(stairs, drop=stairs.epsilon)


def steep_at_once(stairs: Stairs) -> Stairs:
    """A first left step of ε where condition (*) does not hold."""
    return replace(stairs, steep=True)


def one_long_step(stairs: Stairs) -> Stairs:
    """The same where (*) would hold if γ were 1/(1 − e^−D'): its last level is longer than S."""
    edge = Fraction(45, 100)
    return replace(stairs, down=1, left=edge, right=edge, steep=True)


TWO = Fraction(2)
STAIRS: tuple[Control, ...] = (
    SpoiltStairs(9, ALPHA, TWO, higher_steps).control("steps higher by a tenth"),
    SpoiltStairs(1000, ALPHA, TWO, dilation_unpaid).control("left steps of ε"),
    SpoiltStairs(100, ALPHA / 10, EPSILON / 2, steep_at_once).control("first left step of ε"),
    SpoiltStairs(10, ALPHA, Fraction("1.06"), one_long_step).control("γ of endless steps"),
)


def cut_log_laplace(depth: Depth) -> Loss:
    """A tenth less noise on the logarithm."""
    genuine = made(LogLaplace, "log_laplace")
    rate = genuine.law.pieces[0].rate + 1
    spoilt = LogLaplace(genuine.parameters, log_laplace_law(rate / CUT, Fraction(1)))
    return scalar(workplace_view(spoilt), pairs(STRONG, ALPHA, depth), EPSILON)


def cut_discrete(kind: type[EdgeLaplace | Scale], name: str) -> Callable[[Depth], Loss]:
    """A tenth less discrete Laplace noise."""

    def examine(depth: Depth) -> Loss:
        genuine = made(kind, kind.name)
        law = discrete_laplace(-CUT / genuine.law.pieces[-1].rate)

        def view(database: Database) -> Rounded:
            return Rounded(workplace_view(genuine)(database).true, law, Fraction(1))

        return scalar(view, pairs(policy(name), ALPHA, depth), EPSILON)

    return examine


def cut_pareto(depth: Depth) -> Loss:
    """A tenth less noise on a block."""
    pareto = made(VectorPareto, "vector_pareto", epsilon=Fraction(4), cells=8)
    return block(replace(pareto, step=pareto.step / CUT), STRONG, depth)


def infusion(_: Depth) -> Loss:
    """Multiplicative noise of bounded support."""
    before, after = strong(Pair.of((100,), (110,)))[0].databases
    return pure_loss(Infused(before.size), Infused(after.size), EPSILON, complete=True)


def printed_delta(_: Depth) -> Loss:
    """Published Smooth Laplace at α = 1, ε = 30, where its printed condition is not enough."""
    sizes, epsilon = (10**6, 2 * 10**6), Fraction(30)
    before, after = (Rounded(size, laplace(), 2 * size / epsilon) for size in sizes)
    return laplace_loss(before, after, epsilon)


def derived_frame(_: Depth) -> Loss:
    """A frame made of the jobs: a cell appears with its first worker."""
    view = workplace_view(made(Slope, "slope"))
    before, after = (DerivedFrame(view(db)) for db in strong(Pair.of((0,), (1,)))[0].databases)
    return pure_loss(before, after, EPSILON, complete=True)


def floor_of_one_job(depth: Depth) -> Loss:
    """Slope calibrated for Δ = 1, where five may join a small establishment in one step."""
    view = workplace_view(made(Slope, "slope"))
    return scalar(view, pairs(StrongAlpha(5), ALPHA, depth), EPSILON)


def largest_establishment(depth: Depth) -> Loss:
    """A from the largest establishment, where an employer has two in the cell and both grow."""
    chained = (pair.chained() for pair in pairs(STRONG, ALPHA, depth))
    return scalar(workplace_view(made(Slope, "slope")), chained, EPSILON)


def clipped_establishments(depth: Depth) -> Loss:
    """Establishments are clipped one by one, where an employer has two in the cell."""
    return clipped_loss(made(Clipped, "clipped", cells=2), STRONG, depth, chained=True)


def low_theta(depth: Depth) -> Loss:
    """Clipped with a θ that may fall to 1/α + 1, while Δ = 5 is promised."""
    return clipped_loss(made(Clipped, "clipped"), StrongAlpha(5), depth)


@dataclass(frozen=True)
class TrueScaleMargins(SpentMargins):
    """Margins of the largest establishment itself, without noise."""

    def released(
        self, mechanism: PublicScale, values: Integers, largest: Integers, noise: Noise
    ) -> Margins:
        """A noisy index is drawn, and not used."""
        super().released(mechanism, values, largest, noise)
        return {"margin": for_each_cell(self.margins(self.scale.grid.index(largest)), values)}


def true_margins(depth: Depth) -> Loss:
    """Margins that follow the true scale."""
    slope = made(Slope, "slope", epsilon=EPSILON * (1 - MARGINS))
    spent = spend(slope, EPSILON * MARGINS)
    rule = TrueScaleMargins(spent.scale, slope, 1)
    return examine_table(CountsWithNoise(slope, rule, by_cell=False), STRONG, depth, EPSILON)


def one_scale_paid(depth: Depth) -> Loss:
    """Both cells have a noisy scale of their own, and one is booked."""
    slope = made(Slope, "slope", epsilon=EPSILON * (1 - MARGINS), cells=2)
    rule = spend(slope, EPSILON * MARGINS)
    return examine_table(CountsWithNoise(slope, rule, by_cell=True), policy("weak"), depth, EPSILON)


class ChangingJobs(GainsOfEstablishments):
    """An establishment is as large as its jobs that began or ended; those that stayed are not."""

    def _changed(self, columns: Cells | Entries) -> Entries:
        changed = super()._changed(columns)
        jobs = np.zeros_like(changed.sizes)
        np.add.at(jobs, changed.row, changed.counts)
        return replace(changed, sizes=jobs)


def changing_jobs(_: Depth) -> Loss:
    """Gains and losses with the noise of what changed, where the whole establishment may grow."""
    pareto = made(VectorPareto, "vector_pareto", cells=2)
    twin = ChangingJobs(pareto.measurement(by_cell=False, margins=NoMargins()), GAINS)
    (pair,) = strong(Pair.of((0, 0, 1000), (100, 0, 1000)))
    before, after = (Recorded.of(twin, database).parts for database in pair.databases)
    return part_loss(before[0], after[0], EPSILON)


class OneWay(Clipping):
    """Noise for what a job adds, as if it could not turn a gain around."""

    @property
    def _share(self) -> Fraction:
        return self.alpha / (1 + self.alpha)


def one_way_gains(_: Depth) -> Loss:
    """Noise for αθ/(1+α): joiners that end turn the mean of a growing establishment around."""
    twin = clipped_twin(made(Clipped, "clipped", cells=2), OneWay)
    gains = GainsOfEstablishments(twin.measurement(by_cell=False, margins=NoMargins()), GAINS)
    (pair,) = strong(Pair.of((1000, 0), (1000, 100)))
    return pair_loss(ClippedTable(gains, 1), pair.databases)


def short_rows(depth: Depth) -> Loss:
    """Laplace noise for rows of L1 norm 4; one at a corner has 4.5."""
    return examine_moments(replace(Moments.calibrated("1"), radius=Fraction(4)), depth)


def near_rows(depth: Depth) -> Loss:
    """Clipped sums with the norm of a row in place of the distance of two."""
    employers = EmployerMoments.calibrated("0.1", "1")
    return examine_employers(replace(employers, diameter=RADIUS), depth)


class CountedSizes(EmployerMoments):
    """Establishments are as large as their rows in the sums; those left out are forgotten."""

    def _release(self, establishments: Establishments, noise: Noise) -> tuple[Integers, Integers]:
        return super()._release(
            replace(establishments, sizes=establishments.sums[:, 0] // UNIT), noise
        )


def counted_sizes(depth: Depth) -> Loss:
    """Rows left out do not make an establishment larger."""
    employers = EmployerMoments.calibrated("0.1", "1")
    return examine_employers(CountedSizes(**vars(employers)), depth)


def hasty_medians(depth: Depth) -> Loss:
    """Medians with weights e^(−rank·ε/2)."""
    moments = TheilSen.calibrated("1")
    return examine_medians(replace(moments, rate=2 * moments.rate), depth)


def half_the_sets(depth: Depth) -> Loss:
    """Noise for half of the sets of columns that are counted."""
    counts = counts_at(Guarantee("worker", None, EPSILON))
    return examine_counts(replace(counts, parts=tuple(2 * part for part in counts.parts)), depth)


SYNTHETIC = (
    Control("noise for half of the sets", "row_counts", half_the_sets, "worker"),
    Control(
        "the data's own margins in the score",
        "row_choice",
        lambda _: own_margins(RowChoice(Guarantee("worker", None, EPSILON))),
        "worker",
    ),
)

REGRESSIONS = (
    Control("rows taken for 4 long", "moments", short_rows, "worker"),
    Control("rows taken for 4.5 apart", "employer_moments", near_rows),
    Control("sizes without the rows left out", "employer_moments", counted_sizes),
    Control("a rank for ε/2", "theil_sen", hasty_medians, "worker"),
)

HOMES = (
    Control("half the prior", "dirichlet", half_the_prior, REPLACEMENT, detail=NOTICE),
    Control(
        "as many synthetic homes as workers",
        "dirichlet",
        as_many_as_workers,
        "worker",
        detail=NOTICE,
    ),
)

LOCAL = (
    *(
        Control(
            "p rounded up", line.mechanism, rounded_up(line.make), Local.name, detail=line.detail
        )
        for line in {local.mechanism: local for local in LOCAL_LINES}.values()
    ),
    *(
        Control(
            "numbers of 16 bits, none rejected",
            line.mechanism,
            line.from_few_bits,
            Local.name,
            detail=line.detail,
        )
        for line in MANY_NUMBERS
    ),
    Control("whole numbers without rejection", "subset_selection", kept_words, Local.name),
)

CONTROLS: tuple[Control, ...] = (
    Control("noise for one job only", "edge_laplace", sensitivity_one),
    Control("scale αx without its floor at 1", "smooth_gamma", no_floor),
    Control("slope on a worker cell, A from the cell", "slope", slope_on_cell),
    Control("slope on a filtered count, A from all jobs", "slope", slope_on_filter),
    Control(
        "eight worker cells booked in parallel",
        "log_laplace",
        parallel_cells,
        calibration="published",
    ),
    *PLANTED,
    Control("input noise infusion", "infusion", infusion),
    Control("scale cut by 10 %", "slope", cut_slope),
    Control("scale cut by 10 %", "log_laplace", cut_log_laplace),
    Control("scale cut by 10 %", "vector_pareto", cut_pareto, epsilon=Fraction(4)),
    Control("scale cut by 10 %", "scale", cut_discrete(Scale, "strong")),
    Control("scale cut by 10 %", "edge_laplace", cut_discrete(EdgeLaplace, "worker"), "worker"),
    Control(
        "Laplace noise in floating point", "float_laplace", lambda _: float_laplace(1.0), "worker"
    ),
    Control(
        "printed δ at large ε",
        "smooth_laplace",
        printed_delta,
        epsilon=Fraction(30),
        calibration="published",
        alpha=Fraction(1),
        delta=stated_delta(Fraction(1), Fraction(30)),
    ),
    Control("a frame derived from the jobs", "slope", derived_frame),
    Control("floor 1 while Δ = 5 is promised", "slope", floor_of_one_job, detail="plus 5"),
    Control("floor 1 while Δ = 5 is promised", "clipped", low_theta, detail="plus 5"),
    Control(
        "x of the largest establishment while the unit is the employer",
        "slope",
        largest_establishment,
        detail=UNIT_EMPLOYER,
    ),
    Control(
        "establishments clipped one by one while the unit is the employer",
        "clipped",
        clipped_establishments,
        detail=f"cells 2, {UNIT_EMPLOYER}",
    ),
    *STAIRS,
    Control("margins of the true scale", "slope", true_margins, detail=WITH_MARGINS),
    Control("x of jobs that began or ended", "vector_pareto", changing_jobs, detail=OF_GAINS),
    Control("a net change that never turns", "clipped", one_way_gains, detail=OF_GAINS),
    *REGRESSIONS,
    *LOCAL,
    *HOMES,
    *SYNTHETIC,
    Control("two scales, one booked", "slope", one_scale_paid, "weak", detail=WITH_MARGINS),
    *PAY_CONTROLS,
    *(
        Control(one, HISTORY_LINES[0].mechanism, exam, "person")
        for one, exam in HISTORY_FAULTS.items()
    ),
)
