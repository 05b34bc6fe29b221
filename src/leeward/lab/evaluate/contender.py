"""Contender: a mechanism that enters the comparison, and the promise it is entered for.

The tables of a product have the same workplace cells. Released together or for a share of ε each,
they give values (w, 1 + D): the total, then the published cells of all tables side by side.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Protocol

import numpy as np

from leeward.core.codebook import Cells, Entries, Marginal
from leeward.core.codebook.cells import Floats, Integers
from leeward.core.codebook.size_profile import SizeProfile
from leeward.core.errors import LeewardError
from leeward.core.mechanisms import REGISTRY, UNDER_A_CAP, mechanism
from leeward.core.mechanisms.calibrated import Mechanism
from leeward.core.mechanisms.choice import choose
from leeward.core.mechanisms.error_margins import NoMargins, PublicMargins, spend
from leeward.core.mechanisms.measurement import Expected, Measured, Measurement, PublicLaw
from leeward.core.mechanisms.parameters import Share
from leeward.core.mechanisms.table_measurement import measurement
from leeward.core.privacy import Guarantee, StrongAlpha
from leeward.core.privacy.policy import POLICIES, with_plus
from leeward.lab.baselines.printed import FORMS, PrintedForm
from leeward.lab.evaluate.truth import Truth
from leeward.lab.evaluate.workloads import Grid, Workload

FREE = {name: kind for name, kind in REGISTRY.items() if name not in UNDER_A_CAP}
COMPARED = {name: kind for name, kind in FREE.items() if kind.counted}
"""Mechanisms that release counts, without a cap on what one job costs."""

OURS = tuple(
    name for name, kind in COMPARED.items() if kind.origin == "ours" and "worker" in kind.claims
)
JOINT = tuple(name for name, kind in COMPARED.items() if "joint" in kind.claims)
"""Mechanisms that release all tables of a product together."""

BASELINES = tuple(name for name, kind in COMPARED.items() if kind.origin == "baseline")

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
        mechanism = _calibrated(self, price, self.together(cells))
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
        parts = cells if self.accounting == "sum" else 1
        try:
            mechanism = _calibrated(self, price.less(MARGIN_SHARE), self.together(cells))
            rule = spend(mechanism, price.epsilon * MARGIN_SHARE, parts)
        except LeewardError:
            return None
        return mechanism.measurement(by_cell=self.own_largest, margins=rule)

    def together(self, cells: int) -> int:
        """How many worker cells the price pays for."""
        return cells if self.accounting in ("sum", "joint") else 1


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
    """All lines of a workload's figures: the papers', their tight forms, ours, the baselines.

    Ours are whole blocks under the strong policy where that is proved, else cell by cell.
    """
    whole = {name for name in OURS if StrongAlpha() in REGISTRY[name].claims["worker"]}
    if workload.product is not None:
        return (
            *(Contender(name, "strong", PRODUCT) for name in JOINT),
            *(Contender(name, "strong", SPLIT) for name in OURS if name in whole),
        )
    if workload.finest is not None:
        return tuple(Contender(name, "strong", how) for name in OURS for how in (SPLIT, ADDED))
    if workload.table_kind == "workplace":
        policy, each, block = "strong", "single", "single"
    else:
        policy, each = "weak", "single" if workload.alone else "sum"
        block = "single" if workload.alone else "joint"
    papers = sorted(name for name, kind in COMPARED.items() if kind.origin == "paper")
    lines = [
        Contender(name, policy, each, calibration)
        for name in papers
        for calibration in ("published", "tight")
    ]
    booked = each
    if each == "sum" and workload.worker_cells > 1:
        booked = "parallel"
        lines += [Contender(name, policy, booked, "published") for name in papers]
    if grid.printed:
        lines += [Contender(name, "none", booked, H15) for name in FORMS]
    for name in OURS:
        strong = name in whole
        lines.append(Contender(name, "strong" if strong else policy, block if strong else each))
    for name in BASELINES:  # workers only, or whole establishments up to each θ
        (promise,) = REGISTRY[name].claims["worker"]
        thetas = (None,) if REGISTRY[name].in_plans else grid.thetas
        lines += [Contender(name, promise.name, block, theta=theta) for theta in thetas]
    return tuple(lines)


class ReleasedProduct(Protocol):
    """The tables of a product as a contender releases them."""

    def draw(self) -> Measured:
        """One release."""

    def expected(self, *, total: bool) -> Expected:
        """Closed forms of the total (w, 1), or of the cells (w, D)."""


@dataclass(frozen=True, eq=False, repr=False)
class Together:
    """By one joint measurement; `published` are its columns but those of rests."""

    joint: Measurement
    columns: Cells | Entries
    published: Integers

    def draw(self) -> Measured:
        """Rests are left out afterwards."""
        drawn = self.joint.measure(self.columns)
        margins = {name: margin[:, self.published] for name, margin in drawn.margins.items()}
        return Measured(drawn.values[:, self.published], margins, drawn.law)

    def expected(self, *, total: bool) -> Expected:
        """As the measurement says.

        Its closed form is of noise before it is rounded to whole jobs, so trials that settle are
        better: at ε = 16 by a twentieth, where most noise is below a job.
        """
        known = self.joint.expected(self.columns)
        own = self.published[:1] if total else self.published[1:]
        absolute, bias = (None if errors is None else errors[:, own] for errors in known[:2])
        settled = None if known.steady else absolute
        return known._replace(absolute=settled, bias=bias, square=None)


@dataclass(frozen=True, eq=False, repr=False)
class TablesApart:
    """Each table by a measurement of its own; the total is that of the smallest table."""

    tables: tuple[tuple[Measurement, Cells | Entries], ...]

    def draw(self) -> Measured:
        """No margins: the tables differ in their sums, so there is no one way to read them."""
        values = [measurement.measure(columns).values for measurement, columns in self.tables]
        least = min(values, key=lambda cells: cells.shape[1])
        total = least.sum(axis=1, keepdims=True)
        return Measured(np.concatenate([total, *values], axis=1), {}, PublicLaw(None, False, None))

    def expected(self, *, total: bool) -> Expected:
        """A sum of cells has no closed form."""
        known = [measurement.expected(columns) for measurement, columns in self.tables]

        def beside(parts: list[Floats | None]) -> Floats | None:
            there = [part for part in parts if part is not None]
            complete = len(there) == len(parts) and not total
            return np.concatenate(there, axis=1) if complete else None

        return Expected(
            beside([table.absolute for table in known]),
            beside([table.bias for table in known]),
            all(table.finite for table in known),
            all(table.steady for table in known),
            beside([table.square for table in known]),
        )


def released(
    contender: Contender, price: Price, product: Marginal, truth: Truth, margins: Share = None
) -> ReleasedProduct:
    """Calibrate as a plan does; refused where the conditions fail.

    `price` is that of the product, or of each of its tables.
    """
    guarantee = price.strong
    if contender.accounting != SPLIT:
        joint = measurement(contender.mechanism, product, guarantee, margins)
        published = np.concatenate([[0], 1 + product.published_cells()])
        return Together(joint, (truth.whole or truth).columns(joint), published)
    tables, start = [], 0
    for marginal in product.published[1:]:
        each = measurement(contender.mechanism, marginal, guarantee, None)
        cells = truth.of_cells(np.arange(start, start + marginal.worker_cells))
        tables.append((each, cells.columns(each)))
        start += marginal.worker_cells
    return TablesApart(tuple(tables))
