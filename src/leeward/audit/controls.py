"""Known-bad twins: releases that claim a guarantee they do not have. All must be rejected."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from flint import arb

from leeward.audit.control import ALPHA, EPSILON, STRONG, Control, made, strong
from leeward.audit.defects import DerivedFrame, Infused, float_laplace
from leeward.audit.lines import stated_delta
from leeward.audit.loss import Loss, laplace_loss, pure_loss
from leeward.audit.measure import Depth, View, block, pairs, scalar, workplace_view
from leeward.audit.neighbours import Database, Pair, jobs
from leeward.audit.outputs import Rounded
from leeward.audit.planted import CUT, PLANTED
from leeward.audit.rehearsal import released
from leeward.mechanisms.edge_laplace import EdgeLaplace
from leeward.mechanisms.log_laplace import LogLaplace, log_laplace_law
from leeward.mechanisms.scale import Scale
from leeward.mechanisms.slope import Slope
from leeward.mechanisms.smooth_gamma import SmoothGamma
from leeward.mechanisms.vector_pareto import VectorPareto
from leeward.noise.law import discrete_laplace, laplace
from leeward.privacy import policy


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
    return block(replace(pareto, step=pareto.step / CUT), STRONG, depth)


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
)
