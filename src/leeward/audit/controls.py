"""Known-bad twins: releases that claim a guarantee they do not have. All must be rejected."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar

from flint import arb

from leeward.audit.clipped import ClippedExam
from leeward.audit.defects import DerivedFrame, Infused, float_laplace
from leeward.audit.lines import stated_delta
from leeward.audit.loss import Loss, laplace_loss, pure_loss
from leeward.audit.measure import (
    Database,
    Depth,
    View,
    block,
    jobs,
    pairs,
    released,
    scalar,
    workplace_view,
)
from leeward.audit.neighbours import Pair, Workforce
from leeward.audit.outputs import Rounded
from leeward.audit.row import Claim, Row
from leeward.mechanisms import mechanism
from leeward.mechanisms.clipped import Clipped
from leeward.mechanisms.edge_laplace import EdgeLaplace
from leeward.mechanisms.law import discrete_laplace, laplace
from leeward.mechanisms.log_laplace import LogLaplace, log_laplace_law
from leeward.mechanisms.scale import Scale
from leeward.mechanisms.slope import Slope
from leeward.mechanisms.smooth_gamma import SmoothGamma
from leeward.mechanisms.vector_pareto import VectorPareto
from leeward.privacy import StrongAlpha, policy

M = TypeVar("M")
ALPHA, EPSILON = Fraction(1, 10), Fraction(1)
CUT = Fraction(9, 10)
STRONG = StrongAlpha()


@dataclass(frozen=True)
class Control:
    """One defect: what it pretends to be, and how its loss is computed."""

    defect: str
    mechanism: str
    examine: Callable[[Depth], Loss]
    policy: str = "strong"
    epsilon: Fraction = EPSILON
    calibration: str = "tight"
    alpha: Fraction = ALPHA
    delta: Fraction = Fraction(0)

    def row(self, depth: Depth) -> Row:
        """The control as a row of the audit."""
        claim = Claim(
            self.mechanism,
            self.calibration,
            self.policy,
            self.alpha if policy(self.policy).uses_alpha else None,
            self.epsilon,
            self.delta,
            control=self.defect,
        )
        return Row(claim, self.examine(depth))


def made(kind: type[M], name: str, **options: object) -> M:
    """A genuine mechanism, to be spoilt."""
    built = mechanism(name, alpha=ALPHA, **{"epsilon": EPSILON, **options})  # type: ignore[arg-type]
    if not isinstance(built, kind):
        raise TypeError(name)
    return built


def sensitivity_one(_: Depth) -> Loss:
    """Noise for one job while an establishment may grow by α."""
    view = workplace_view(made(EdgeLaplace, "edge_laplace"))
    return scalar(view, strong(Pair((), (1000,), (1100,))), EPSILON)


def no_floor(depth: Depth) -> Loss:
    """Smooth noise of scale α·x instead of max(α·x, 1)."""
    gamma = made(SmoothGamma, "smooth_gamma")

    def view(database: Database) -> Rounded:
        sizes = [jobs(force) for force in database]
        return Rounded(sum(sizes), gamma.law, ALPHA * max(sizes) * gamma.multiple)

    neighbours = (p for p in pairs(STRONG, ALPHA, depth) if jobs(p.before) > 0)
    return scalar(view, neighbours, EPSILON)


def slope_on_cell(_: Depth) -> Loss:
    """A from the worker cell itself: one step can multiply the cell."""
    slope = made(Slope, "slope")

    def view(database: Database) -> Rounded:
        return released(slope, sum(f[0] for f in database), max(f[0] for f in database))

    return scalar(view, strong(Pair((), (1, 10**6 - 1), (1 + 10**5, 10**6 - 1))), EPSILON)


def slope_on_filter(_: Depth) -> Loss:
    """A from all jobs while a filter counts only some: joiners move A and not n."""
    slope = made(Slope, "slope")

    def view(database: Database) -> Rounded:
        return released(slope, sum(f[0] for f in database), max(jobs(f) for f in database))

    return scalar(view, strong(Pair((), (0, 10**6), (0, 11 * 10**5))), EPSILON)


def parallel_cells(_: Depth) -> Loss:
    """Eight worker cells of 100, each released at ε, booked as ε (composition.proof.md)."""
    published = made(LogLaplace, "log_laplace", calibration="published")
    whole = strong(Pair((), (100,) * 8, (110,) * 8))[0]
    cell = Pair((), whole.before[:1], whole.after[:1])
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
    return block(pareto, STRONG, depth, CUT)


def spoilt_clipped(**defect: object) -> Callable[[Depth], Loss]:
    """The clipped mechanism with one part changed."""

    def examine(depth: Depth) -> Loss:
        genuine = made(Clipped, "clipped", cells=8)
        return ClippedExam(genuine, **defect).worst(STRONG, depth)  # type: ignore[arg-type]

    return examine


def covered_norm(force: Workforce, covered: int) -> int:
    """The jobs in the table instead of all jobs."""
    return jobs(force[:covered])


def infusion(_: Depth) -> Loss:
    """Multiplicative noise of bounded support."""
    pair = strong(Pair((), (100,), (110,)))[0]
    return pure_loss(Infused(jobs(pair.before)), Infused(jobs(pair.after)), EPSILON, complete=True)


def printed_delta(_: Depth) -> Loss:
    """Published Smooth Laplace at α = 1, ε = 30, where its printed condition is not enough."""
    sizes, epsilon = (10**6, 2 * 10**6), Fraction(30)
    before, after = (Rounded(size, laplace(), 2 * size / epsilon) for size in sizes)
    return laplace_loss(before, after, epsilon)


def derived_frame(_: Depth) -> Loss:
    """A frame made of the jobs: a cell appears with its first worker."""
    view = workplace_view(made(Slope, "slope"))
    before, after = (DerivedFrame(view(db)) for db in strong(Pair((), (0,), (1,)))[0].databases)
    return pure_loss(before, after, EPSILON, complete=True)


def strong(pair: Pair) -> list[Pair]:
    """A pair that is certainly a strong step."""
    if not STRONG.admits(pair.before, pair.after, ALPHA):
        raise ValueError(pair)
    return [pair]


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
    Control("clipped by the covered jobs", "clipped", spoilt_clipped(norm=covered_norm)),
    Control(
        "lattice rounding without its allowance",
        "clipped",
        spoilt_clipped(lattice=1, allowance=False),
    ),
    Control("input noise infusion", "infusion", infusion),
    Control("scale cut by 10 %", "slope", cut_slope),
    Control("scale cut by 10 %", "log_laplace", cut_log_laplace),
    Control("scale cut by 10 %", "vector_pareto", cut_pareto, epsilon=Fraction(4)),
    Control("scale cut by 10 %", "clipped", spoilt_clipped(cut=CUT)),
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
)
