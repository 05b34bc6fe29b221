"""The mechanisms by name: one line each."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from inspect import signature
from typing import Any, cast

from leeward.errors import InvalidParameter, shown
from leeward.exact import Number
from leeward.mechanisms.additive import Additive
from leeward.mechanisms.clipped import Clipped
from leeward.mechanisms.edge_laplace import EdgeLaplace
from leeward.mechanisms.log_laplace import LogLaplace
from leeward.mechanisms.node_laplace import NodeLaplace
from leeward.mechanisms.parameters import Parameters
from leeward.mechanisms.scale import Scale
from leeward.mechanisms.slope import Slope
from leeward.mechanisms.smooth_gamma import SmoothGamma
from leeward.mechanisms.smooth_laplace import SmoothLaplace
from leeward.mechanisms.vector_pareto import VectorPareto

Calibrated = Additive | Clipped

REGISTRY: Mapping[str, type[Calibrated]] = {
    "slope": Slope,
    "vector_pareto": VectorPareto,
    "clipped": Clipped,
    "smooth_gamma": SmoothGamma,
    "log_laplace": LogLaplace,
    "smooth_laplace": SmoothLaplace,
    "edge_laplace": EdgeLaplace,
    "node_laplace": NodeLaplace,
    "scale": Scale,
}


def mechanism(  # noqa: PLR0913 (one for each number)
    name: str,
    *,
    alpha: Number | None = None,
    epsilon: Number,
    delta: Number = 0,
    cells: int = 1,
    calibration: str = "tight",
    plus: int = 1,
    **options: object,
) -> Calibrated:
    """A calibrated mechanism, frozen: α, ε and δ as text, int or Fraction.

    `epsilon` and `delta` pay for all `cells` worker cells of a workplace cell together. A
    mechanism that needs no δ spends none, and its guarantee says so. `plus` is Δ: establishments
    of few jobs are hidden within this number of jobs.
    Options: `theta` of node_laplace; `split` and `noise` of clipped.
    """
    chosen = _chosen(name)
    parameters = Parameters.read(alpha, epsilon, delta, cells, calibration, plus)
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


def _chosen(name: object) -> type[Calibrated]:
    if isinstance(name, str) and name in REGISTRY:
        return REGISTRY[name]
    near = get_close_matches(str(name), REGISTRY, n=1)
    raise InvalidParameter(
        "name",
        rule=f"must be one of {', '.join(sorted(REGISTRY))}",
        value=shown(name),
        next_step=f"Did you mean {near[0]!r}?" if near else "Choose one of these.",
    )
