"""Contender: a mechanism that enters the comparison, and the promise it is entered for."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from leeward.core.codebook import Marginal
from leeward.core.codebook.size_profile import SizeProfile
from leeward.core.errors import LeewardError
from leeward.core.mechanisms import REGISTRY, mechanism
from leeward.core.mechanisms.calibrated import Mechanism
from leeward.core.mechanisms.choice import choose
from leeward.core.mechanisms.error_margins import NoMargins, PublicMargins, spend
from leeward.core.mechanisms.measurement import Measurement
from leeward.core.privacy import Guarantee, StrongAlpha
from leeward.core.privacy.policy import POLICIES, with_plus
from leeward.lab.baselines.printed import FORMS, PrintedForm
from leeward.lab.evaluate.strata import Integers
from leeward.lab.evaluate.truth import Truth
from leeward.lab.evaluate.workloads import Grid, Workload

COMPARED = {name: one for name, one in REGISTRY.items() if one.counted}
"""Mechanisms that release counts."""

OURS = tuple(
    name for name, one in COMPARED.items() if one.origin == "ours" and "worker" in one.claims
)

JOINT = tuple(name for name, one in COMPARED.items() if "joint" in one.claims)
"""Mechanisms that release all tables of a product together."""

BASELINES = tuple(name for name, one in COMPARED.items() if one.origin == "baseline")


H15 = "h15"
"""The calibration of the forms of 2015."""

MARGIN_SHARE = Fraction(1, 10)
"""The share of ε that pays for margins where mechanisms are compared."""


@dataclass(frozen=True)
class Contender:
    """One line of a figure."""

    mechanism: str
    policy: str
    accounting: str = "single"
    calibration: str = "tight"
    theta: int | None = None

    @property
    def kind(self) -> type[Mechanism]:
        """The mechanism before it is calibrated."""
        return REGISTRY[self.mechanism]

    @property
    def needs_alpha(self) -> bool:
        """Whether the promise speaks of α."""
        return self.policy in ("strong", "weak") or self.printed

    @property
    def printed(self) -> bool:
        """Whether it is a form of 2015, which keeps no promise."""
        return self.calibration == H15

    @property
    def own_largest(self) -> bool:
        """Whether the noise of a cell follows its own largest establishment."""
        return self.policy == "weak" or self.printed

    def sizes(self, truth: Truth) -> Integers:
        """What the noise of each cell follows: an establishment, or the count itself."""
        if self.kind.follows_counts:
            return truth.counts
        if self.own_largest:
            return truth.cells.own_largest()
        return np.broadcast_to(truth.cells.largest[:, None], truth.counts.shape)

    @property
    def has_margins(self) -> bool:
        """Whether a plan could release it with margins."""
        return self.calibration == "tight" and self.accounting != "parallel" and self.kind.in_plans

    def measurement(self, price: "Price", cells: int) -> Measurement:
        """Calibrate for a table with this many worker cells; refused where conditions fail."""
        mechanism = self._made(price, self.together(cells))
        free = self.has_margins and self.kind.free_margins
        rule = PublicMargins() if free else NoMargins()
        return mechanism.measurement(by_cell=self.own_largest, margins=rule)

    def form(self, price: "Price") -> PrintedForm:
        """The form of 2015 at this price, which each worker cell gets; refused as above."""
        if price.alpha is None:
            raise TypeError("a form of 2015 has an α")
        return PrintedForm(self.mechanism, price.alpha, price.epsilon)

    def with_margins(self, price: "Price", cells: int) -> Measurement | None:
        """The same for a tenth less, which pays for margins; None where that does not do."""
        if not self.has_margins or self.kind.free_margins:
            return None
        together = self.together(cells)
        parts = cells if self.accounting == "sum" else 1
        try:
            mechanism = self._made(price.less(MARGIN_SHARE), together)
            rule = spend(mechanism, price.epsilon * MARGIN_SHARE, parts)
        except LeewardError:
            return None
        return mechanism.measurement(by_cell=self.own_largest, margins=rule)

    def together(self, cells: int) -> int:
        """How many worker cells the price pays for."""
        return cells if self.accounting in ("sum", "joint") else 1

    def _made(self, price: "Price", cells: int) -> Mechanism:
        return _calibrated(self, price, cells)


@dataclass(frozen=True)
class Price:
    """α, Δ, ε and δ of one point of the grid, exact."""

    alpha: Fraction | None
    epsilon: Fraction
    delta: Fraction
    plus: int = 1

    def less(self, share: Fraction) -> "Price":
        """What is left of ε for the counts."""
        return replace(self, epsilon=self.epsilon * (1 - share))

    @property
    def strong(self) -> Guarantee:
        """What a plan would ask for."""
        return Guarantee(with_plus(StrongAlpha(), self.plus), self.alpha, self.epsilon)


@lru_cache(maxsize=512)
def _calibrated(contender: Contender, price: Price, cells: int) -> Mechanism:
    options = {} if contender.theta is None else {"theta": contender.theta}
    return mechanism(
        contender.mechanism,
        alpha=price.alpha if contender.needs_alpha else None,
        epsilon=price.epsilon,
        delta=price.delta if contender.kind.spends_delta else 0,
        cells=cells,
        calibration=contender.calibration,
        plus=price.plus if contender.needs_alpha else 1,
        **options,
    )


@lru_cache(maxsize=512)
def taken(marginal: Marginal, policy: str, price: Price) -> str | None:
    """What `auto` takes for this table of a plan, without margins; None where nothing does."""
    guarantee = replace(price.strong, policy=with_plus(POLICIES[policy], price.plus))
    try:
        return choose(marginal, guarantee, None, SizeProfile())[0].name
    except LeewardError:
        return None


SPLIT, ADDED = "split", "added"
"""How a margin is made: released for its share of ε, or added up from the finest table."""

PRODUCT = "product"
"""All tables of a product are released together."""


def contenders(workload: Workload, grid: Grid) -> tuple[Contender, ...]:
    """All lines of a workload's figures: the papers', their tight forms, ours, the baselines."""
    if workload.product is not None:
        whole = [name for name in OURS if StrongAlpha() in REGISTRY[name].claims["worker"]]
        return (
            *(Contender(name, "strong", PRODUCT) for name in JOINT),
            *(Contender(name, "strong", SPLIT) for name in whole),
        )
    if workload.finest is not None:
        return tuple(Contender(name, "strong", how) for name in OURS for how in (SPLIT, ADDED))
    if workload.table_kind == "workplace":
        policy, each, block = "strong", "single", "single"
    else:
        policy, each = "weak", "single" if workload.alone else "sum"
        block = "single" if workload.alone else "joint"
    papers = sorted(name for name, one in COMPARED.items() if one.origin == "paper")
    scalar = [
        Contender(name, policy, each, calibration)
        for name in papers
        for calibration in ("published", "tight")
    ]
    several = each == "sum" and workload.worker_cells > 1
    parallel = [Contender(name, policy, "parallel", "published") for name in papers]
    booked = "parallel" if several else each
    return (
        *scalar,
        *(parallel if several else ()),
        *(Contender(name, "none", booked, H15) for name in (FORMS if grid.printed else ())),
        *(_ours(name, policy, each, block) for name in OURS),
        *(baseline for name in BASELINES for baseline in _baselines(name, block, grid.thetas)),
    )


def _ours(name: str, policy: str, each: str, block: str) -> Contender:
    """Whole blocks under the strong policy where that is proved, else cell by cell."""
    strong = StrongAlpha() in REGISTRY[name].claims["worker"]
    return Contender(name, "strong", block) if strong else Contender(name, policy, each)


def _baselines(name: str, block: str, thetas: tuple[int, ...]) -> tuple[Contender, ...]:
    """What protects workers alone, or whole establishments up to each θ."""
    (promise,) = REGISTRY[name].claims["worker"]
    if REGISTRY[name].in_plans:
        return (Contender(name, promise.name, block),)
    return tuple(Contender(name, promise.name, block, theta=theta) for theta in thetas)
