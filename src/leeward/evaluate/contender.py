"""Contender: a mechanism that enters the comparison, and the promise it is entered for."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from leeward.errors import LeewardError
from leeward.evaluate.design import Workload
from leeward.evaluate.method import Additively, ByClipping, ByDropping, Method
from leeward.evaluate.strata import Integers
from leeward.evaluate.truth import Truth
from leeward.mechanisms import mechanism
from leeward.mechanisms.additive import Additive
from leeward.mechanisms.clipped import Clipped
from leeward.mechanisms.margins import FREE, MarginRule, NoMargins, PublicMargins, spend
from leeward.mechanisms.node_laplace import NodeLaplace
from leeward.mechanisms.registry import Mechanism

MARGIN_SHARE = Fraction(1, 10)
"""What a plan spends on margins unless it says otherwise."""

PUBLISHED = ("log_laplace", "smooth_gamma", "smooth_laplace")
"""The mechanisms of the papers, which also have a tight form."""

OURS = ("slope", "vector_pareto", "clipped")


@dataclass(frozen=True)
class Contender:
    """One line of a figure."""

    mechanism: str
    policy: str
    accounting: str = "single"
    calibration: str = "tight"
    theta: int | None = None

    @property
    def needs_alpha(self) -> bool:
        """Whether the promise speaks of α."""
        return self.policy in ("strong", "weak")

    @property
    def own_largest(self) -> bool:
        """Whether the noise of a cell follows its own largest establishment."""
        return self.policy == "weak"

    def sizes(self, truth: Truth) -> Integers:
        """What the noise of each cell follows: an establishment, or the count itself."""
        if self.mechanism == "log_laplace":
            return truth.counts
        if self.own_largest:
            return truth.cells.own_largest()
        return np.broadcast_to(truth.cells.largest[:, None], truth.counts.shape)

    @property
    def has_margins(self) -> bool:
        """Whether a plan could release it with margins."""
        return (
            self.calibration == "tight"
            and self.accounting != "parallel"
            and self.mechanism != "node_laplace"
        )

    def method(self, price: "Price", cells: int) -> Method:
        """Calibrate for a table with so many worker cells; refused where conditions fail."""
        made = self._made(price, self._together(cells))
        if isinstance(made, Clipped):
            return ByClipping(made)
        if isinstance(made, NodeLaplace):
            return ByDropping(made)
        free = self.has_margins and self.mechanism in FREE
        return Additively(made, self.own_largest, PublicMargins() if free else NoMargins())

    def with_margins(self, price: "Price", cells: int) -> Method | None:
        """The same for a tenth less, which pays for margins; None where that does not do."""
        if not self.has_margins or self.mechanism in FREE:
            return None
        together = self._together(cells)
        parts = cells if self.accounting == "sum" else 1
        try:
            made = self._made(price.less(MARGIN_SHARE), together)
            if not isinstance(made, Additive):
                return None
            rule: MarginRule = spend(made, price.epsilon * MARGIN_SHARE, parts)
        except LeewardError:
            return None
        return Additively(made, self.own_largest, rule)

    def _together(self, cells: int) -> int:
        """How many worker cells the price pays for."""
        return cells if self.accounting in ("sum", "joint") else 1

    def _made(self, price: "Price", cells: int) -> Mechanism:
        return _calibrated(self, price, cells)


@dataclass(frozen=True)
class Price:
    """α, ε and δ of one point of the grid, exact."""

    alpha: Fraction | None
    epsilon: Fraction
    delta: Fraction

    def less(self, share: Fraction) -> "Price":
        """What is left of ε for the counts."""
        return Price(self.alpha, self.epsilon * (1 - share), self.delta)


@lru_cache(maxsize=512)
def _calibrated(one: Contender, price: Price, cells: int) -> Mechanism:
    options = {} if one.theta is None else {"theta": one.theta}
    return mechanism(
        one.mechanism,
        alpha=price.alpha if one.needs_alpha else None,
        epsilon=price.epsilon,
        delta=price.delta if one.mechanism == "smooth_laplace" else 0,
        cells=cells,
        calibration=one.calibration,
        **options,
    )


def contenders(workload: Workload, thetas: tuple[int, ...]) -> tuple[Contender, ...]:
    """All lines of a workload's figures: the papers', their tight forms, ours, the baselines."""
    if workload.table_kind == "workplace":
        policy, each, block = "strong", "single", "single"
    else:
        policy, each = "weak", "single" if workload.alone else "sum"
        block = "single" if workload.alone else "joint"
    scalar = [
        Contender(name, policy, each, calibration)
        for name in PUBLISHED
        for calibration in ("published", "tight")
    ]
    parallel = [Contender(name, policy, "parallel", "published") for name in PUBLISHED]
    return (
        *scalar,
        *(parallel if each == "sum" and workload.worker_cells > 1 else ()),
        Contender("slope", policy, each),
        Contender("vector_pareto", "strong", block),
        Contender("clipped", "strong", block),
        Contender("edge_laplace", "worker", block),
        *(Contender("node_laplace", "establishment", block, theta=theta) for theta in thetas),
    )
