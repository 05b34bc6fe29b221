"""The mechanisms by name, and what measures a statistic: one line each."""

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, cast

from leeward.core.codebook import Flows, Gains, Percentiles, Statistic
from leeward.core.errors import InvalidParameter, NotCovered, did_you_mean, shown
from leeward.core.exact import Number
from leeward.core.mechanisms.additive import Additive
from leeward.core.mechanisms.clipped import Clipped
from leeward.core.mechanisms.edge_laplace import EdgeLaplace
from leeward.core.mechanisms.edge_pay import EdgePay
from leeward.core.mechanisms.flows import flows_of_classes
from leeward.core.mechanisms.gains import GainsOfEstablishments
from leeward.core.mechanisms.joint_clipped import JointClipped
from leeward.core.mechanisms.joint_pareto import JointPareto
from leeward.core.mechanisms.log_laplace import LogLaplace
from leeward.core.mechanisms.log_pair import LogPair
from leeward.core.mechanisms.measurement import Measurement
from leeward.core.mechanisms.node_laplace import NodeLaplace
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.pay import PayMechanism
from leeward.core.mechanisms.pay_centred import PayCentred
from leeward.core.mechanisms.pay_clipped import PayClipped
from leeward.core.mechanisms.pay_pareto import PayPareto
from leeward.core.mechanisms.pay_two_scales import PayTwoScales
from leeward.core.mechanisms.payroll_pareto import PayrollPareto
from leeward.core.mechanisms.payroll_slope import PayrollSlope
from leeward.core.mechanisms.percentiles import percentiles_of_classes
from leeward.core.mechanisms.scale import Scale
from leeward.core.mechanisms.slope import Slope
from leeward.core.mechanisms.smooth_gamma import SmoothGamma
from leeward.core.mechanisms.smooth_laplace import SmoothLaplace
from leeward.core.mechanisms.staircase import Staircase
from leeward.core.mechanisms.vector_pareto import VectorPareto

Calibrated = Additive | Clipped | JointPareto | PayMechanism

REGISTRY: Mapping[str, type[Calibrated]] = {
    "slope": Slope,
    "staircase": Staircase,
    "vector_pareto": VectorPareto,
    "clipped": Clipped,
    "joint_pareto": JointPareto,
    "joint_clipped": JointClipped,
    "smooth_gamma": SmoothGamma,
    "log_laplace": LogLaplace,
    "smooth_laplace": SmoothLaplace,
    "edge_laplace": EdgeLaplace,
    "node_laplace": NodeLaplace,
    "scale": Scale,
    "pay_centred": PayCentred,
    "pay_pareto": PayPareto,
    "pay_two_scales": PayTwoScales,
    "pay_clipped": PayClipped,
    "log_pair": LogPair,
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
    chosen = _chosen(name)
    parameters = Parameters.read(alpha, epsilon, delta, cells, calibration, plus).in_rho(rho)
    if parameters.rho and not chosen.gaussian:
        raise no_gaussian(name)
    build: Callable[..., Calibrated] = cast(Any, chosen).calibrated
    known = [key for key in signature(build).parameters if key != "parameters"]
    for option, value in options.items():
        if option not in known:
            raise InvalidParameter(
                option,
                rule=f"is not an option of {name}, which has {', '.join(known) or 'none'}",
                value=shown(value),
                next_step="Leave it out.",
            )
    return build(parameters, **options)


def no_gaussian(name: str) -> NotCovered:
    """The refusal of a mechanism whose price is ε where ρ is asked for."""
    having = " or ".join(key for key, one in REGISTRY.items() if one.gaussian)
    return NotCovered(
        "mechanism",
        rule="must have Gaussian noise where the price is given as rho",
        value=shown(name),
        next_step=f"Use {having}, or give epsilon in place of rho.",
    )


def _chosen(name: object) -> type[Calibrated]:
    if isinstance(name, str) and name in REGISTRY:
        return REGISTRY[name]
    raise InvalidParameter.unknown(
        "name",
        name,
        sorted(REGISTRY),
        next_step=did_you_mean(str(name), REGISTRY, "Choose one of these."),
    )
