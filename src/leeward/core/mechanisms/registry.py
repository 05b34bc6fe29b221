"""The mechanisms by name, what measures a statistic, and what `auto` compares: one line each."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from inspect import signature
from typing import Any, cast

from leeward.core.codebook import Flows, Gains, Marginal, Percentiles, Statistic
from leeward.core.errors import InvalidParameter, NotCovered, did_you_mean, shown
from leeward.core.exact import Number
from leeward.core.mechanisms.additive import Additive
from leeward.core.mechanisms.calibrated import COUNTS
from leeward.core.mechanisms.clipped import Clipped
from leeward.core.mechanisms.edge_laplace import EdgeLaplace
from leeward.core.mechanisms.edge_pay import EdgePay
from leeward.core.mechanisms.flows import flows_of_classes
from leeward.core.mechanisms.gains import GainsOfEstablishments
from leeward.core.mechanisms.job_floor import floor_for
from leeward.core.mechanisms.joint_clipped import JointClipped
from leeward.core.mechanisms.joint_pareto import JointPareto
from leeward.core.mechanisms.joint_radial import JointRadial
from leeward.core.mechanisms.log_laplace import LogLaplace
from leeward.core.mechanisms.log_pair import LogPair
from leeward.core.mechanisms.measurement import Measurement
from leeward.core.mechanisms.node_laplace import NodeLaplace
from leeward.core.mechanisms.parameters import Parameters, Share
from leeward.core.mechanisms.pay import PayMechanism
from leeward.core.mechanisms.pay_centred import PayCentred
from leeward.core.mechanisms.pay_centred_radial import PayCentredRadial
from leeward.core.mechanisms.pay_clipped import PayClipped
from leeward.core.mechanisms.pay_pareto import PayPareto
from leeward.core.mechanisms.pay_radial import PayRadial
from leeward.core.mechanisms.pay_two_scales import PayTwoScales
from leeward.core.mechanisms.payroll_pareto import PayrollPareto
from leeward.core.mechanisms.payroll_radial import PayrollRadial
from leeward.core.mechanisms.payroll_slope import PayrollSlope
from leeward.core.mechanisms.percentiles import percentiles_of_classes
from leeward.core.mechanisms.radial_product import RadialProduct
from leeward.core.mechanisms.radial_slope import RadialSlope
from leeward.core.mechanisms.scale import Scale
from leeward.core.mechanisms.slope import Slope
from leeward.core.mechanisms.smooth_gamma import SmoothGamma
from leeward.core.mechanisms.smooth_laplace import SmoothLaplace
from leeward.core.mechanisms.soft_staircase import SoftStaircase
from leeward.core.mechanisms.staircase import Staircase
from leeward.core.mechanisms.uncovered import gaussian_gains, reads_pay
from leeward.core.mechanisms.vector_pareto import VectorPareto
from leeward.core.privacy import Guarantee
from leeward.core.privacy.guarantee import job_loss

Calibrated = Additive | Clipped | RadialProduct | PayMechanism

REGISTRY: Mapping[str, type[Calibrated]] = {
    "slope": Slope,
    "staircase": Staircase,
    "radial_slope": RadialSlope,
    "vector_pareto": VectorPareto,
    "clipped": Clipped,
    "joint_radial": JointRadial,
    "joint_pareto": JointPareto,
    "joint_clipped": JointClipped,
    "soft_staircase": SoftStaircase,
    "smooth_gamma": SmoothGamma,
    "log_laplace": LogLaplace,
    "smooth_laplace": SmoothLaplace,
    "edge_laplace": EdgeLaplace,
    "node_laplace": NodeLaplace,
    "scale": Scale,
    "pay_centred_radial": PayCentredRadial,
    "pay_centred": PayCentred,
    "pay_radial": PayRadial,
    "pay_pareto": PayPareto,
    "pay_two_scales": PayTwoScales,
    "pay_clipped": PayClipped,
    "log_pair": LogPair,
    "payroll_radial": PayrollRadial,
    "payroll_pareto": PayrollPareto,
    "payroll_slope": PayrollSlope,
    "edge_pay": EdgePay,
}

FOLLOWING: Mapping[type[Statistic], Callable[[Measurement, Any], Measurement]] = {
    Percentiles: percentiles_of_classes,
    Flows: flows_of_classes,
    Gains: GainsOfEstablishments,
}
"""What measures a statistic that follows from the counts of classes."""

IN_PLANS = tuple(sorted(name for name, one in REGISTRY.items() if one.in_plans))
"""Mechanisms that a plan may name."""

CANDIDATES = {
    ("worker", "workplace"): ("edge_laplace",),
    ("worker", "worker"): ("edge_laplace",),
    ("worker", "pay"): ("edge_pay",),
    ("worker", "worker_pay"): ("edge_pay",),
    ("strong", "workplace"): (
        "slope",
        "staircase",
        "radial_slope",
        "vector_pareto",
        "soft_staircase",
    ),
    ("weak", "workplace"): (
        "slope",
        "staircase",
        "radial_slope",
        "vector_pareto",
        "soft_staircase",
    ),
    ("strong", "worker"): ("radial_slope", "vector_pareto", "clipped"),
    ("weak", "worker"): (
        "radial_slope",
        "vector_pareto",
        "clipped",
        "slope",
        "staircase",
        "soft_staircase",
    ),
    ("worker", "gains"): ("edge_laplace",),
    ("strong", "gains"): ("radial_slope", "vector_pareto", "clipped"),
    ("weak", "gains"): ("radial_slope", "vector_pareto", "clipped"),
    ("strong", "joint"): ("joint_radial", "joint_pareto", "joint_clipped"),
    ("weak", "joint"): ("joint_radial", "joint_pareto", "joint_clipped"),
    ("strong", "pay"): ("pay_centred_radial", "pay_centred", "pay_clipped"),
    ("strong", "worker_pay"): ("pay_centred_radial", "pay_centred", "pay_clipped"),
    ("proportional", "pay"): ("pay_two_scales", "log_pair", "pay_clipped"),
    ("proportional", "worker_pay"): ("pay_two_scales", "payroll_radial", "payroll_pareto"),
}
CANDIDATES |= {("proportional", kind): CANDIDATES["strong", kind] for kind in COUNTS}
"""What `auto` compares, by policy and kind of table."""

GAUSSIAN = tuple(name for name in IN_PLANS if REGISTRY[name].gaussian)
"""What it compares where the budget is given as ρ; all of them need an α."""

UNDER_A_CAP = ("soft_staircase",)  # compared only where a plan has a cap on one job
POOR_MARGINS = ("slope", "staircase", "soft_staircase")
"""On worker tables these would pay for a scale in every cell: `auto` takes them without margins."""


def of_statistic(made: Measurement, statistic: Statistic) -> Measurement:
    """The measurement of a table; where values follow from classes, that of the classes in it."""
    following = FOLLOWING.get(type(statistic))
    return made if following is None else following(made, statistic)


def mechanism(  # noqa: PLR0913 (one for each number)
    name: str,
    *,
    alpha: Number | None = None,
    epsilon: Number | None = None,
    delta: Number = 0,
    cells: int = 1,
    calibration: str = "tight",
    plus: int = 1,
    rho: Number | None = None,
    epsilon_job: Number | None = None,
    **options: object,
) -> Calibrated:
    """One mechanism by itself, calibrated and frozen. It keeps no ledger: `release` does.

    Parameters
    ----------
    name
        One of the mechanisms of a plan, such as ``"slope"`` or ``"vector_pareto"``.
    alpha
        The protected growth of an establishment, as text, whole number or fraction; None for a
        mechanism of the worker or the establishment policy.
    epsilon, delta
        What all `cells` worker cells of a workplace cell cost together. A mechanism that needs no
        δ spends none, and its guarantee says so.
    cells
        The number of worker cells that are released for each workplace cell.
    calibration
        ``"tight"`` is the least noise that the proof allows, ``"published"`` that of the paper.
    plus
        Δ: establishments of few jobs are hidden within this number of jobs.
    rho
        The price as ρ of zCDP, in place of `epsilon`, for mechanisms with Gaussian noise:
        ``mechanism("clipped", alpha="0.1", rho="0.2", noise="gaussian")``.
    epsilon_job
        What one job more at one establishment may cost, at most ε: small establishments then get
        the noise of a larger Δ, the smallest that is enough.
    **options
        `theta` of node_laplace; `establishments`, `split` and `noise` of clipped; `cap` and
        `statistic` of mechanisms of pay.

    Returns
    -------
    Additive or Clipped
        `release(counts, largest)` adds noise from the system's random bits,
        `guarantee(policy)` is what that costs, `mean_abs_error(largest)` what it errs.

    Raises
    ------
    InvalidParameter
        If there is no such mechanism or option, or a number is out of range.
    NotCovered
        If no proof covers these numbers.

    Examples
    --------
    >>> slope = leeward.mechanism("slope", alpha="0.1", epsilon=1)
    >>> slope.guarantee("strong", table="workplace").epsilon
    Fraction(1, 1)
    >>> round(float(slope.mean_abs_error(largest=200)), 1)
    20.8
    >>> slope.release([1200, 35], largest=[200, 20]).shape
    (2,)
    """
    if name not in [*REGISTRY]:  # a list: what is not text may have no hash
        nearest = did_you_mean(str(name), REGISTRY, "Choose one of these.")
        raise InvalidParameter.unknown("name", name, sorted(REGISTRY), next_step=nearest)
    chosen = REGISTRY[name]
    parameters = Parameters.read(alpha, epsilon, delta, cells, calibration, plus).in_rho(rho)
    if parameters.rho and not chosen.gaussian:
        raise no_gaussian(name)
    free = build(name, parameters, options)
    if epsilon_job is None:
        return free
    cap = job_loss(free.price().policy, "epsilon_job", epsilon_job, parameters.epsilon)
    least = floor_for(lambda delta: free.job_at(delta)[0], parameters.plus, cap, name=name)
    return build(name, replace(parameters, least=least, epsilon_job=cap), options)


def build(name: str, parameters: Parameters, options: Mapping[str, object]) -> Calibrated:
    """A mechanism with checked numbers; rejects an option that it does not have."""
    calibrated: Callable[..., Calibrated] = cast(Any, REGISTRY[name]).calibrated
    known = [key for key in signature(calibrated).parameters if key != "parameters"]
    for option, value in options.items():
        if option not in known:
            raise InvalidParameter(
                option,
                rule=f"is not an option of {name}, which has {', '.join(known) or 'none'}",
                value=shown(value),
                next_step="Leave it out.",
            )
    return calibrated(parameters, **options)


def no_gaussian(name: str) -> NotCovered:
    """The error for a mechanism whose price is ε where ρ is asked for."""
    having = " or ".join(key for key, one in REGISTRY.items() if one.gaussian)
    return NotCovered(
        "mechanism",
        rule="must have Gaussian noise where the price is given as rho",
        value=shown(name),
        next_step=f"Use {having}, or give epsilon in place of rho.",
    )


def candidates(marginal: Marginal, asked: Guarantee, margins: Share) -> tuple[str, ...]:
    """The mechanisms that are compared."""
    if reads_pay(marginal, asked) or gaussian_gains(marginal, asked):
        return ()
    names = CANDIDATES.get((asked.policy.name, marginal.kind), ())
    if asked.rho > 0:
        proved = (name for name in GAUSSIAN if marginal.kind in REGISTRY[name].claims)
        return tuple(proved) if names and asked.policy.uses_alpha else ()
    poor = POOR_MARGINS if marginal.kind == "worker" and margins is not None else ()
    uncalled = () if asked.has_job_losses else UNDER_A_CAP
    return tuple(name for name in names if name not in (*poor, *uncalled))
