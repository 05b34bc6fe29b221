"""Table measurement: a named mechanism calibrated for a table's part of the budget.

Everything here follows from public information: the table's shape and the budget.
"""

from fractions import Fraction

from leeward.core.codebook import Marginal
from leeward.core.errors import InvalidParameter, LeewardError, NotCovered, nearest, shown
from leeward.core.exact import precision, three_digits_up
from leeward.core.mechanisms.calibrated import PAY, MarginRule, claim
from leeward.core.mechanisms.error_margins import (
    NarrowedMargins,
    NoMargins,
    PublicMargins,
    from_counts,
    spend,
)
from leeward.core.mechanisms.measurement import Measurement
from leeward.core.mechanisms.parameters import AUTO, MOST_EPSILON, Parameters, Share
from leeward.core.mechanisms.pay import PayMechanism
from leeward.core.mechanisms.pay_margins import pay_margins, unpaid_margins
from leeward.core.mechanisms.radial_product import RadialProduct, paid_margins
from leeward.core.mechanisms.registry import (
    GAUSSIAN,
    IN_PLANS,
    REGISTRY,
    candidates,
    no_gaussian,
    of_statistic,
)
from leeward.core.mechanisms.table_calibration import Shape, calibrated, within_cap
from leeward.core.mechanisms.uncovered import no_mechanism, reads_pay
from leeward.core.privacy import Guarantee, StrongAlpha

MARGIN_SHARES = (Fraction(1, 20), Fraction(1, 10), Fraction(3, 20))
"""Shares of which `auto` takes one."""

NARROW = 4
"""A share that gives the scale NARROW·ln(1+α) is enough: a larger one makes no margin narrower."""

DEAREST = 1.25
"""Margins may make the error so much larger at most."""

LARGE = 10**6
"""A size in jobs at which errors are in proportion to it."""

SHARES = tuple(Fraction(1, n) for n in (1000, 500, 200, 100, 50, 20, 10, 5, 4, 3, 2))
"""Shares that are tried where the one of a plan buys no margins, or none worth having."""

NARROWED = ("joint_clipped",)
"""Of these a share for margins makes intervals of totals narrower and noise larger, at one ε."""


def measurement(name: str, marginal: Marginal, asked: Guarantee, margins: Share) -> Measurement:
    """Calibrate a mechanism for a table's part of the budget; refuses what no proof covers.

    `margins` is the share of ε that may pay for margins; see `Share`. A part in ρ is paid with
    Gaussian noise, whose margins are free.
    """
    if reads_pay(marginal, asked):
        raise no_mechanism(asked, marginal)
    chosen = REGISTRY[name]
    if asked.rho > 0 and not chosen.gaussian:
        raise no_gaussian(name)
    shape, kind = Shape.of(marginal), marginal.kind
    by_cell = kind == "worker" and StrongAlpha() not in chosen.claims.get(kind, ())
    if margins == AUTO and chosen.free_margins:
        margins = MARGIN_SHARES[0] if name in NARROWED else Fraction(0)
    elif margins == AUTO:
        margins = _worth(name, asked, shape, by_cell=by_cell, must=kind != "workplace")
    spent = Fraction(0) if margins is None or chosen.free_margins else margins
    bought = asked.epsilon * spent
    narrowed = margins if name in NARROWED and margins is not None else Fraction(0)
    mechanism = calibrated(name, asked.with_epsilon(asked.epsilon - bought), shape, narrowed)
    mechanism.guarantee(asked.policy, table=kind)  # refused before margins are looked for
    # A cell's own largest establishment: weak, and adding up over cells (scale.proof.md).
    parts = shape.cells if by_cell else 1
    mechanism = within_cap(mechanism, marginal, asked, narrowed, bought / parts)
    rule: MarginRule = NoMargins() if margins is None else PublicMargins()
    if narrowed:
        rule = NarrowedMargins()
    elif spent and isinstance(mechanism, RadialProduct):
        rule = paid_margins(mechanism, bought)
    elif spent and isinstance(mechanism, PayMechanism):
        rule = pay_margins(mechanism, bought)
    elif spent:
        rule = spend(mechanism, bought, parts, bounded=by_cell or kind == "workplace")
    elif margins is not None and isinstance(mechanism, PayMechanism) and not chosen.free_margins:
        raise unpaid_margins(mechanism)
    elif margins is not None and not chosen.free_margins:
        rule = from_counts(mechanism, kind)
    return of_statistic(mechanism.measurement(by_cell=by_cell, margins=rule), marginal.statistic)


def _worth(name: str, guarantee: Guarantee, shape: Shape, *, by_cell: bool, must: bool) -> Fraction:
    """The share whose margins are narrowest at an error that is not much larger; 0 for none.

    The margin is widened by the noise of the scale, whose logarithm has the scale λ/ε_m. From 1 on
    it has no mean: then nothing is spent. Of a large ε a smaller share is enough. Where margins
    must be paid and all these make the error much larger, it is the share that just is enough.
    """
    try:
        mechanism = calibrated(name, guarantee, shape)
    except InvalidParameter:
        return MARGIN_SHARES[1]  # refused with the numbers of a table with margins
    worth = Fraction(0)
    needed = log_growth_of(mechanism.parameters) * (shape.cells if by_cell else 1)
    for share in MARGIN_SHARES:
        if not _affordable(name, guarantee, shape, share):
            break
        worth = share
        if share * guarantee.epsilon >= NARROW * needed:
            break
    if worth * guarantee.epsilon >= needed:
        return worth
    least = Fraction(three_digits_up(Fraction(needed) / guarantee.epsilon))
    if least > MARGIN_SHARES[-1]:
        return Fraction(0)
    others = (*(one for one in reversed(SHARES) if least < one < MARGIN_SHARES[-1]), least)
    fitting = (other for other in others if _affordable(name, guarantee, shape, other))
    return next(fitting, least if must else Fraction(0))


def log_growth_of(parameters: Parameters) -> float:
    """ln(1+α) in float64."""
    with precision(64):
        return float(parameters.log_growth())


def _affordable(name: str, guarantee: Guarantee, shape: Shape, share: Fraction) -> bool:
    """Whether the error stays below DEAREST times that without margins."""
    less = guarantee.with_epsilon(guarantee.epsilon * (1 - share))
    whole = calibrated(name, guarantee, shape).measurement(by_cell=False, margins=NoMargins())
    try:
        rest = calibrated(name, less, shape).measurement(by_cell=False, margins=NoMargins())
    except InvalidParameter:
        return False
    error, least = rest.expected_error(LARGE), whole.expected_error(LARGE)
    return least is None or (error is not None and error <= DEAREST * least)


def named(name: str, marginal: Marginal, asked: Guarantee, margins: Share) -> Measurement:
    """The mechanism that a plan names; an ε too small for it is refused with one that works."""
    if name not in IN_PLANS:
        near = nearest(name, IN_PLANS)
        meant = f"Did you mean {near!r}? " if near else ""
        raise InvalidParameter(
            "mechanism",
            rule=f"must be auto or one of {', '.join(IN_PLANS)}",
            value=shown(name),
            next_step=f"{meant}Leave it out for auto.",
        )
    _refuse_uncovered(name, marginal, asked)
    if asked.rho > 0 and name not in GAUSSIAN:
        raise no_gaussian(name)
    try:
        return measurement(name, marginal, asked, margins)
    except InvalidParameter as refusal:
        if refusal.parameter in ("delta", "rho"):
            raise InvalidParameter(
                refusal.parameter,
                rule=refusal.rule,
                value=f"{refusal.value} for table {marginal.name}",
                next_step=refusal.next_step,
            ) from None
        if refusal.parameter == "margins" and margins:
            raise _share_that_does(refusal, name, marginal, asked) from None
        if refusal.parameter != "epsilon":
            raise
        raise _too_small(refusal, name, marginal, asked, margins) from None


def _share_that_does(
    refusal: LeewardError, name: str, marginal: Marginal, guarantee: Guarantee
) -> InvalidParameter:
    """The same refusal with the smallest of some shares that buys margins."""
    give = "No share does: raise epsilon"
    for share in SHARES:
        try:
            made = measurement(name, marginal, guarantee, share)
        except (InvalidParameter, NotCovered):
            continue
        if share * guarantee.epsilon >= log_growth_of(made.parameters):
            give = f"Give margins at least {share}"
            break
    return InvalidParameter(
        refusal.parameter,
        rule=refusal.rule,
        value=refusal.value,
        next_step=f"{give}, or write margins: none.",
    )


def _refuse_uncovered(name: str, marginal: Marginal, guarantee: Guarantee) -> None:
    """Before anything is calibrated: no number mends a proof that is not there."""
    if not candidates(marginal, guarantee, None):
        raise no_mechanism(guarantee, marginal)
    proved = REGISTRY[name].claims.get(marginal.kind, ())
    one_job = "edge_pay" if marginal.kind in PAY else "edge_laplace"
    if not guarantee.policy.uses_alpha and all(one.uses_alpha for one in proved):
        raise NotCovered(
            "mechanism",
            rule=f"must do without alpha under the {guarantee.policy.name} policy",
            value=shown(name),
            next_step=f"Use {one_job}, or leave it out for auto.",
        )
    try:
        claim(name, REGISTRY[name].claims, guarantee, guarantee.policy, marginal.kind)
    except NotCovered as refusal:
        raise NotCovered(
            "mechanism",
            rule=f"must be proved for the policy of the plan: {refusal.rule}",
            value=refusal.value,
            next_step=refusal.next_step,
        ) from None


def _too_small(
    refusal: LeewardError, name: str, marginal: Marginal, guarantee: Guarantee, margins: Share
) -> InvalidParameter:
    """The same refusal with the smallest ε that works."""
    least = smallest_epsilon(name, marginal, guarantee, margins)
    works = "No epsilon works: take a smaller alpha or fewer worker cells."
    if guarantee.epsilon > MOST_EPSILON:
        works = "Lower it: useful values lie between 0.01 and 20."
    elif least is not None:
        works = f"This table needs at least {least}: raise protect.epsilon or the table's share."
    return InvalidParameter(
        "epsilon",
        rule=f"{refusal.rule} ({name})",
        value=f"{shown(guarantee.epsilon)} for table {marginal.name}",
        next_step=works,
    )


def smallest_epsilon(name: str, marginal: Marginal, asked: Guarantee, margins: Share) -> str | None:
    """The smallest ε of the table, to three digits, at which the mechanism can be calibrated."""

    def works(epsilon: Fraction) -> bool:
        try:
            wanted = asked.with_epsilon(epsilon)
            measurement(name, marginal, wanted, margins)
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
