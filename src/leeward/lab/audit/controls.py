"""Known-bad releases: each claims a guarantee that it does not have. All must be rejected.

Some are mechanisms applied where their proof does not reach, some are mechanisms with less noise,
and some are other releases, given by their mass functions.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from flint import arb

from leeward.core.codebook import Cells, Entries
from leeward.core.codebook.cells import Margins
from leeward.core.mechanisms.calibrated import PublicScale
from leeward.core.mechanisms.clipped import Clipped
from leeward.core.mechanisms.clipping import Clipping
from leeward.core.mechanisms.counts_with_noise import CountsWithNoise
from leeward.core.mechanisms.edge_laplace import EdgeLaplace
from leeward.core.mechanisms.error_margins import NoMargins, SpentMargins, for_each_cell, spend
from leeward.core.mechanisms.gains import GainsOfEstablishments
from leeward.core.mechanisms.log_laplace import LogLaplace
from leeward.core.mechanisms.scale import Scale
from leeward.core.mechanisms.slope import Slope
from leeward.core.mechanisms.smooth_gamma import SmoothGamma
from leeward.core.mechanisms.vector_pareto import VectorPareto
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import Integers
from leeward.core.privacy import StrongAlpha, policy
from leeward.core.privacy.workforces import Database
from leeward.lab.audit.audit_line import ALPHA, EPSILON, GAINS, MARGINS, UNIT_EMPLOYER, Control
from leeward.lab.audit.clipped_exam import clipped_loss, pair_loss
from leeward.lab.audit.exams import scalar, workplace_view
from leeward.lab.audit.history_exam import HISTORY_FAULTS, HISTORY_LINES
from leeward.lab.audit.homes_exam import HOMES_CONTROLS
from leeward.lab.audit.job_lines import JOB_CONTROLS
from leeward.lab.audit.lines import OF_GAINS
from leeward.lab.audit.local_exam import LOCAL_CONTROLS
from leeward.lab.audit.loss import PrivacyLoss
from leeward.lab.audit.neighbours import DatabasePair, Depth, pairs
from leeward.lab.audit.other_releases import (
    STAIRS,
    cut_discrete,
    cut_log_laplace,
    cut_pareto,
    cut_slope,
    derived_frame,
    float_laplace,
    infusion,
    printed_delta,
)
from leeward.lab.audit.outputs import Rounded
from leeward.lab.audit.parts_exam import PARTS_FAULTS
from leeward.lab.audit.pay_controls import PAY_CONTROLS
from leeward.lab.audit.planted import PLANTED
from leeward.lab.audit.radial_controls import RADIAL_CONTROLS
from leeward.lab.audit.recording import released
from leeward.lab.audit.regression_exam import REGRESSION_CONTROLS
from leeward.lab.audit.row_exam import ROW_CONTROLS
from leeward.lab.audit.soft_exam import SOFT_CONTROLS
from leeward.lab.audit.table_exam import (
    WITH_MARGINS,
    ClippedTable,
    Recorded,
    examine_table,
    part_loss,
)
from leeward.lab.audit.twins import STRONG, clipped_twin, sound, strong
from leeward.lab.baselines.printed import stated_delta


def sensitivity_one(_: Depth) -> PrivacyLoss:
    """Noise for one job while an establishment may grow by α."""
    view = workplace_view(sound(EdgeLaplace))
    return scalar(view, strong(DatabasePair.of((1000,), (1100,))), EPSILON)


def no_floor(depth: Depth) -> PrivacyLoss:
    """Smooth noise of scale α·x instead of max(α·x, 1)."""
    gamma = sound(SmoothGamma)

    def view(database: Database) -> Rounded:
        return Rounded(database.size, gamma.law, ALPHA * database.largest * gamma.multiple)

    neighbours = (pair for pair in pairs(STRONG, ALPHA, depth) if pair.before.sizes[-1] > 0)
    return scalar(view, neighbours, EPSILON)


def slope_on_cell(_: Depth) -> PrivacyLoss:
    """A from the worker cell itself: one step can multiply the cell."""
    slope = sound(Slope)

    def view(database: Database) -> Rounded:
        first = [force.jobs[0] for force in database.establishments]
        return released(slope, sum(first), max(first))

    return scalar(view, strong(DatabasePair.of((1, 10**6 - 1), (1 + 10**5, 10**6 - 1))), EPSILON)


def slope_on_filter(_: Depth) -> PrivacyLoss:
    """A from all jobs while a filter counts only some: joiners move A and not n."""
    slope = sound(Slope)

    def view(database: Database) -> Rounded:
        return released(slope, database.by_kind[0], database.largest)

    return scalar(view, strong(DatabasePair.of((0, 10**6), (0, 11 * 10**5))), EPSILON)


def parallel_cells(_: Depth) -> PrivacyLoss:
    """Eight worker cells of 100, each released at ε, booked as ε (composition.proof.md)."""
    published = sound(LogLaplace, calibration="published")
    strong(DatabasePair.of((100,) * 8, (110,) * 8))
    cell = DatabasePair.of((100,), (110,))
    together = scalar(workplace_view(published), [cell], EPSILON).times(8)
    return replace(together, delta=arb("nan"))


def floor_of_one_job(depth: Depth) -> PrivacyLoss:
    """Slope calibrated for Δ = 1, where five may join a small establishment in one step."""
    view = workplace_view(sound(Slope))
    return scalar(view, pairs(StrongAlpha(5), ALPHA, depth), EPSILON)


def largest_establishment(depth: Depth) -> PrivacyLoss:
    """A from the largest establishment, where an employer has two in the cell and both grow."""
    chained = (pair.chained() for pair in pairs(STRONG, ALPHA, depth))
    return scalar(workplace_view(sound(Slope)), chained, EPSILON)


def clipped_establishments(depth: Depth) -> PrivacyLoss:
    """Establishments are clipped one by one, where an employer has two in the cell."""
    return clipped_loss(sound(Clipped, cells=2), STRONG, depth, DatabasePair.chained)


def low_theta(depth: Depth) -> PrivacyLoss:
    """Clipped with a θ that may fall to 1/α + 1, while Δ = 5 is promised."""
    return clipped_loss(sound(Clipped), StrongAlpha(5), depth)


@dataclass(frozen=True)
class TrueScaleMargins(SpentMargins):
    """Margins of the largest establishment itself, without noise."""

    def released(
        self, mechanism: PublicScale, values: Integers, largest: Integers, noise: Noise
    ) -> Margins:
        """A noisy index is drawn, and not used."""
        super().released(mechanism, values, largest, noise)
        return {"margin": for_each_cell(self.margins(self.scale.grid.index(largest)), values)}


def true_margins(depth: Depth) -> PrivacyLoss:
    """Margins that follow the true scale."""
    slope = sound(Slope, epsilon=EPSILON * (1 - MARGINS))
    spent = spend(slope, EPSILON * MARGINS)
    rule = TrueScaleMargins(spent.scale, slope, 1)
    return examine_table(CountsWithNoise(slope, rule, by_cell=False), STRONG, depth, EPSILON)


def one_scale_paid(depth: Depth) -> PrivacyLoss:
    """Both cells have a noisy scale of their own, and one is booked."""
    slope = sound(Slope, epsilon=EPSILON * (1 - MARGINS), cells=2)
    rule = spend(slope, EPSILON * MARGINS)
    return examine_table(CountsWithNoise(slope, rule, by_cell=True), policy("weak"), depth, EPSILON)


class ChangingJobs(GainsOfEstablishments):
    """An establishment is as large as its jobs that began or ended; those that stayed are not."""

    def _changed(self, columns: Cells | Entries) -> Entries:
        changed = super()._changed(columns)
        jobs = np.zeros_like(changed.sizes)
        np.add.at(jobs, changed.row, changed.counts)
        return replace(changed, sizes=jobs)


def changing_jobs(_: Depth) -> PrivacyLoss:
    """Gains and losses with the noise of what changed, where the whole establishment may grow."""
    pareto = sound(VectorPareto, cells=2)
    twin = ChangingJobs(pareto.measurement(by_cell=False, margins=NoMargins()), GAINS)
    (pair,) = strong(DatabasePair.of((0, 0, 1000), (100, 0, 1000)))
    before, after = (Recorded.of(twin, database).parts for database in pair.databases)
    return part_loss(before[0], after[0], EPSILON)


class OneWay(Clipping):
    """Noise for what a job adds, as if it could not turn a gain around."""

    @property
    def moved_share(self) -> Fraction:
        return self.alpha / (1 + self.alpha)


def one_way_gains(_: Depth) -> PrivacyLoss:
    """Noise for αθ/(1+α): joiners that end turn the mean of a growing establishment around."""
    twin = clipped_twin(sound(Clipped, cells=2), OneWay)
    gains = GainsOfEstablishments(twin.measurement(by_cell=False, margins=NoMargins()), GAINS)
    (pair,) = strong(DatabasePair.of((1000, 0), (1000, 100)))
    return pair_loss(ClippedTable(gains, 1), pair.databases)


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
    *RADIAL_CONTROLS,
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
    *SOFT_CONTROLS,
    Control("margins of the true scale", "slope", true_margins, detail=WITH_MARGINS),
    Control("x of jobs that began or ended", "vector_pareto", changing_jobs, detail=OF_GAINS),
    Control("a net change that never turns", "clipped", one_way_gains, detail=OF_GAINS),
    *REGRESSION_CONTROLS,
    *LOCAL_CONTROLS,
    *HOMES_CONTROLS,
    *ROW_CONTROLS,
    Control("two scales, one booked", "slope", one_scale_paid, "weak", detail=WITH_MARGINS),
    *PAY_CONTROLS,
    *JOB_CONTROLS,
    *(
        Control(defect, HISTORY_LINES[0].mechanism, exam, "person")
        for defect, exam in HISTORY_FAULTS.items()
    ),
    *(
        Control(defect, line.mechanism, exam, line.policy, price)
        for defect, (line, price, exam) in PARTS_FAULTS.items()
    ),
)
