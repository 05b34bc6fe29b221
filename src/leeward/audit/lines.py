"""What is audited: one line a mechanism, each giving rows over policies, α and ε."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

from leeward.audit.clipped import clipped_loss, gaussian
from leeward.audit.loss import Loss, zcdp_loss
from leeward.audit.measure import Depth, block, node_view, pairs, scalar, workplace_view
from leeward.audit.row import Claim, Row
from leeward.audit.sampled import RELEASED_CODE, examine_code
from leeward.errors import InvalidParameter
from leeward.exact import ball, dyadic_up, log_growth, precision
from leeward.mechanisms import Mechanism, mechanism
from leeward.mechanisms.additive import Additive
from leeward.mechanisms.clipped import Clipped
from leeward.mechanisms.node_laplace import NodeLaplace
from leeward.mechanisms.vector_pareto import VectorPareto
from leeward.privacy import policy

Examine = Callable[[Mechanism, str, Depth], Loss]
Grid = tuple[tuple[str, str], ...]

QUICK_GRID: Grid = (("0.01", "0.5"), ("0.05", "2"), ("0.1", "1"), ("1", "4"))
ONE: Grid = (("0.1", "1"),)
FULL_GRID: Grid = tuple(
    (alpha, epsilon)
    for alpha in ("0.01", "0.05", "0.1", "0.3", "1")
    for epsilon in ("0.25", "0.5", "1", "4", "20")
)


@dataclass(frozen=True)
class Line:
    """One mechanism in one calibration, examined in one way under some policies."""

    mechanism: str
    examine: Examine
    policies: tuple[str, ...] = ("strong",)
    calibration: str = "tight"
    options: tuple[tuple[str, object], ...] = ()
    delta: Callable[[Fraction, Fraction], Fraction] | None = None
    at: Grid = ()
    """Where it is examined, if not on the grid."""

    every: int = 1
    """Of the grid, each point or every second one."""

    def rows(self, grid: Grid, depth: Depth) -> Iterator[Row]:
        """One row for every policy, α and ε at which the mechanism exists."""
        for name in self.policies:
            for alpha, epsilon in self.at or grid[:: self.every]:
                made = self._made(alpha, epsilon)
                if made is not None:
                    yield self._row(made, name, depth)

    def _made(self, alpha: str, epsilon: str) -> Mechanism | None:
        """The mechanism, or None where its own conditions refuse these numbers."""
        options = dict(self.options)
        if self.delta is not None:
            options["delta"] = self.delta(Fraction(alpha), Fraction(epsilon))
        numbers = {"alpha": alpha, "epsilon": epsilon, "calibration": self.calibration}
        try:
            return mechanism(self.mechanism, **cast(Any, numbers | options))
        except InvalidParameter:
            return None

    def _row(self, made: Mechanism, name: str, depth: Depth) -> Row:
        promised = made.guarantee(name)
        shown = (key for key in dict(self.options) if key != "delta" or promised.rho)
        told = [f"{key} {dict(self.options)[key]}" for key in shown]
        detail = ", ".join([*told, *[RELEASED_CODE] * (self.examine is examine_released)])
        claim = Claim(
            self.mechanism,
            self.calibration,
            name,
            promised.alpha,
            made.parameters.epsilon,
            made.parameters.delta if promised.rho else promised.delta,
            promised.rho,
            detail=detail,
        )
        return Row(claim, self.examine(made, name, depth))


def examine_scalar(made: Mechanism, name: str, depth: Depth) -> Loss:
    """A workplace table; several worker cells are released alike, each at its share of ε."""
    if not isinstance(made, Additive):
        raise TypeError(made)
    parameters = made.parameters
    neighbours = pairs(policy(name), parameters.alpha, depth)
    return scalar(workplace_view(made), neighbours, parameters.epsilon, copies=parameters.cells)


def examine_node(made: Mechanism, name: str, depth: Depth) -> Loss:
    """Whole establishments, also such as are too large to be kept."""
    if not isinstance(made, NodeLaplace):
        raise TypeError(made)
    return scalar(node_view(made), pairs(policy(name), None, depth), made.parameters.epsilon)


def examine_block(made: Mechanism, name: str, depth: Depth) -> Loss:
    """Joint masses of a block."""
    if not isinstance(made, VectorPareto):
        raise TypeError(made)
    return block(made, policy(name), depth)


def examine_clipped(made: Mechanism, name: str, depth: Depth) -> Loss:
    """Index and sums jointly."""
    if not isinstance(made, Clipped):
        raise TypeError(made)
    return clipped_loss(made, policy(name), depth)


def examine_gaussian(made: Mechanism, name: str, depth: Depth) -> Loss:
    """ρ from Rényi divergences, restated as the ε that it implies at the requested δ."""
    if not isinstance(made, Clipped):
        raise TypeError(made)
    return zcdp_loss(gaussian(made, policy(name), depth), made.parameters.delta)


def examine_released(made: Mechanism, name: str, _: Depth) -> Loss:
    """The code that a release calls, compared with its definition and sampled."""
    if not isinstance(made, Additive | Clipped):
        raise TypeError(made)
    return examine_code(made, policy(name))


def stated_delta(alpha: Fraction, epsilon: Fraction) -> Fraction:
    """The smallest δ for which the papers state Smooth Laplace: e^(−ε/2λ), rounded up."""
    with precision(128):
        halvings = int(float(ball(epsilon) / log_growth(alpha)))
    with precision(256 + halvings):
        return dyadic_up((-ball(epsilon) / (2 * log_growth(alpha))).exp(), 128 + halvings)


# Weak neighbours are some of the strong ones, and two cells at ε are one cell at ε/2, twice: of
# either one point will do. Of published calibrations, which promise more than they use, fewer.
LINES: tuple[Line, ...] = (
    Line("edge_laplace", examine_scalar, ("worker",)),
    Line("node_laplace", examine_node, ("establishment",), options=(("theta", 8),)),
    Line("log_laplace", examine_scalar, ("strong",), "published", every=2),
    Line("log_laplace", examine_scalar, ("strong",)),
    Line("log_laplace", examine_scalar, ("weak",), options=(("cells", 2),), at=ONE),
    Line("smooth_gamma", examine_scalar, ("strong",), "published", every=2),
    Line("smooth_gamma", examine_scalar, ("strong",)),
    Line("smooth_gamma", examine_scalar, ("weak",), options=(("cells", 2),), at=ONE),
    Line("smooth_laplace", examine_scalar, ("strong",), "published", delta=stated_delta),
    Line("smooth_laplace", examine_scalar, ("strong",), options=(("delta", "1/1000"),)),
    Line("smooth_laplace", examine_scalar, ("weak",), options=(("cells", 2), ("delta", "1/100"))),
    Line("slope", examine_scalar, ("strong",)),
    Line("slope", examine_scalar, ("weak",), options=(("cells", 2),), at=ONE),
    Line("vector_pareto", examine_block, ("strong",)),
    Line("vector_pareto", examine_block, ("strong",), options=(("cells", 2),)),
    Line("vector_pareto", examine_block, ("weak",), options=(("cells", 2),), at=ONE),
    Line("vector_pareto", examine_block, options=(("cells", 8),)),
    Line("clipped", examine_clipped, ("strong",)),
    Line("clipped", examine_clipped, ("strong",), options=(("cells", 8),)),
    Line("clipped", examine_clipped, ("weak",), options=(("cells", 8),), at=ONE),
    *(
        Line(
            "clipped",
            examine_gaussian,
            (name,),
            options=(("cells", cells), ("noise", "gaussian"), ("delta", "1e-6")),
            at=at,
            every=2,
        )
        for cells, name, at in (
            (1, "strong", (("0.05", "2"), ("1", "4"))),
            (2, "strong", (("0.05", "2"), ("1", "4"))),
            (8, "strong", ()),
            (8, "weak", ONE),
        )
    ),
    Line("scale", examine_scalar, ("strong",)),
    Line("scale", examine_scalar, ("weak",)),
    Line("edge_laplace", examine_released, ("worker",), at=ONE),
    Line("node_laplace", examine_released, ("establishment",), "tight", (("theta", 8),), at=ONE),
    *(
        Line(name, examine_released, at=ONE)
        for name in ("log_laplace", "smooth_gamma", "slope", "scale", "vector_pareto", "clipped")
    ),
    Line("smooth_laplace", examine_released, options=(("delta", "1/1000"),), at=ONE),
    Line("vector_pareto", examine_released, options=(("cells", 2),), at=(("3", "3"),)),
    Line("clipped", examine_released, options=(("cells", 2),), at=(("1", "4"),)),
    Line(
        "clipped",
        examine_released,
        options=(("noise", "gaussian"), ("delta", "1e-6")),
        at=(("1", "4"),),
    ),
)
