"""Offer: a mechanism calibrated for one table, with its margins and what both cost together."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from leeward.errors import InvalidParameter, LeewardError, NotCovered, shown
from leeward.exact import three_digits_up
from leeward.mechanisms import mechanism
from leeward.mechanisms.claims import claim
from leeward.mechanisms.clipped import Clipped
from leeward.mechanisms.log_laplace import LogLaplace
from leeward.mechanisms.margins import FREE, MarginRule, NoMargins, PublicMargins, spend
from leeward.mechanisms.parameters import MOST_EPSILON
from leeward.mechanisms.registry import REGISTRY, Mechanism
from leeward.model import Marginal
from leeward.model.document import nearest
from leeward.privacy import Guarantee, StrongAlpha, sequential

USABLE = tuple(name for name in REGISTRY if name not in ("scale", "node_laplace"))
"""Mechanisms that a plan may name. `scale` pays for margins; `node_laplace` needs data cut."""

CANDIDATES = {
    ("worker", "workplace"): ("edge_laplace",),
    ("worker", "worker"): ("edge_laplace",),
    ("strong", "workplace"): ("slope", "vector_pareto"),
    ("weak", "workplace"): ("slope", "vector_pareto"),
    ("strong", "worker"): ("vector_pareto", "clipped"),
    ("weak", "worker"): ("vector_pareto", "clipped", "slope"),
}
"""What `auto` compares, by policy and kind of table."""

POOR_MARGINS = ("slope",)
"""On worker tables these would pay for a scale in every cell: `auto` takes them without margins."""


@dataclass(frozen=True)
class Offer:
    """One way to release a table."""

    mechanism: Mechanism
    margins: MarginRule
    charge: Guarantee
    per_cell: bool
    """Whether each worker cell is noised by itself, after its own largest establishment."""

    @property
    def name(self) -> str:
        """The mechanism's name."""
        return self.mechanism.name

    def error(self, largest: int) -> float | None:
        """Predicted mean absolute error of a cell, in jobs; None where there is no mean.

        A mechanism that noises each worker cell by itself is judged as if the workers of the
        largest establishment were spread evenly over the worker cells.
        """
        return _error(self.mechanism, largest, self.per_cell)


@lru_cache(maxsize=1024)  # asked when mechanisms are compared, and again when they are shown
def _error(chosen: Mechanism, largest: int, per_cell: bool) -> float | None:
    cells = chosen.parameters.cells
    size = -(-largest // cells) if per_cell else largest
    if isinstance(chosen, (Clipped, LogLaplace)):
        return _number(chosen.mean_abs_error(size, size))
    if cells > 1 and per_cell:
        return _number(chosen.mean_abs_error([size] * cells))
    return _number(chosen.mean_abs_error(size))


def _number(measure: object) -> float | None:
    if measure is None or isinstance(measure, float):
        return measure
    return float(measure[0])  # type: ignore[index]


def make_offer(name: str, marginal: Marginal, asked: Guarantee, margins: Fraction | None) -> Offer:
    """Calibrate a mechanism for a table's part of the budget; refuses what no proof covers."""
    chosen = REGISTRY[name]
    cells, kind = marginal.worker_cells, marginal.kind
    spends = margins is not None and name not in FREE
    pays = asked.epsilon * (1 - margins) if spends and margins is not None else asked.epsilon
    made = _calibrated(name, asked.alpha, pays, asked.delta, cells)
    promised = made.guarantee(asked.policy, table=kind)
    per_cell = kind == "worker" and StrongAlpha() not in chosen.claims["worker"]
    if not spends:
        free = NoMargins() if margins is None else PublicMargins()
        return Offer(made, free, promised, per_cell)
    if isinstance(made, Clipped) or margins is None:
        raise AssertionError("margins of a public scale are not paid for")
    parts = cells if per_cell else 1
    rule = spend(made, asked.epsilon * margins, parts)
    # A cell's own largest establishment: weak, and adding up over cells (scale.proof.md).
    paid = Guarantee(asked.policy, asked.alpha, rule.epsilon)
    return Offer(made, rule, sequential(promised, paid), per_cell)


@lru_cache(maxsize=256)  # frozen values; a search for an epsilon comes by the same ones
def _calibrated(
    name: str, alpha: Fraction | None, epsilon: Fraction, delta: Fraction, cells: int
) -> Mechanism:
    return mechanism(name, alpha=alpha, epsilon=epsilon, delta=delta, cells=cells)


def named_offer(name: str, marginal: Marginal, asked: Guarantee, margins: Fraction | None) -> Offer:
    """The mechanism that a plan names; an ε too small for it is refused with one that works."""
    if name not in USABLE:
        raise InvalidParameter(
            "mechanism",
            rule=f"must be auto or one of {', '.join(USABLE)}",
            value=shown(name),
            next_step=_nearest_mechanism(name),
        )
    _refuse_uncovered(name, marginal, asked)
    try:
        return make_offer(name, marginal, asked, margins)
    except InvalidParameter as refusal:
        if refusal.parameter == "delta":
            raise _for_table(refusal, marginal) from None
        if refusal.parameter != "epsilon":
            raise
        raise _too_small(refusal, name, marginal, asked, margins) from None


def _nearest_mechanism(name: str) -> str:
    near = nearest(name, USABLE)
    return f"Did you mean {near!r}? Leave it out for auto." if near else "Leave it out for auto."


def _refuse_uncovered(name: str, marginal: Marginal, asked: Guarantee) -> None:
    """Before anything is calibrated: no number mends a proof that is not there."""
    if (asked.policy.name, marginal.kind) not in CANDIDATES:
        raise no_mechanism(asked)
    proved = REGISTRY[name].claims.get(marginal.kind, ())
    if not asked.policy.uses_alpha and all(one.uses_alpha for one in proved):
        raise NotCovered(
            "mechanism",
            rule=f"must do without alpha under the {asked.policy.name} policy",
            value=shown(name),
            next_step="Use edge_laplace, or leave it out for auto.",
        )
    try:
        claim(name, REGISTRY[name].claims, asked, asked.policy, marginal.kind)
    except NotCovered as refusal:
        raise NotCovered(
            "mechanism",
            rule=f"must be proved for the policy of the plan: {refusal.rule}",
            value=refusal.value,
            next_step=refusal.next_step,
        ) from None


def no_mechanism(asked: Guarantee) -> NotCovered:
    """The refusal of a policy under which there is nothing to offer."""
    return NotCovered(
        "policy",
        rule="must be strong, weak or worker: whole establishments are protected by no table "
        "that is of use",
        value=f"'{asked.policy.name}'",
        next_step="Use strong, which hides sizes within a factor 1+alpha.",
    )


def _for_table(refusal: LeewardError, marginal: Marginal) -> InvalidParameter:
    return InvalidParameter(
        refusal.parameter,
        rule=refusal.rule,
        value=f"{refusal.value} for table {marginal.name}",
        next_step=refusal.next_step,
    )


def _too_small(
    refusal: LeewardError, name: str, marginal: Marginal, asked: Guarantee, margins: Fraction | None
) -> InvalidParameter:
    least = smallest_epsilon(name, marginal, asked, margins)
    works = "No epsilon works: take a smaller alpha or fewer worker cells."
    if asked.epsilon > MOST_EPSILON:
        works = "Lower it: useful values lie between 0.01 and 20."
    elif least is not None:
        works = f"This table needs at least {least}: raise protect.epsilon or the table's share."
    return InvalidParameter(
        "epsilon",
        rule=f"{refusal.rule} ({name})",
        value=f"{shown(asked.epsilon)} for table {marginal.name}",
        next_step=works,
    )


def smallest_epsilon(
    name: str, marginal: Marginal, asked: Guarantee, margins: Fraction | None
) -> str | None:
    """The smallest ε of the table, to three digits, at which the mechanism can be calibrated."""

    def works(epsilon: Fraction) -> bool:
        try:
            wanted = Guarantee(asked.policy, asked.alpha, epsilon, asked.delta)
            make_offer(name, marginal, wanted, margins)
        except (InvalidParameter, NotCovered):
            return False
        return True

    low, high = asked.epsilon, 2 * asked.epsilon
    while not works(high):
        low, high = high, 2 * high
        if high > 1000:
            return None
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (low, middle) if works(middle) else (middle, high)
    return f"{three_digits_up(high):f}"
