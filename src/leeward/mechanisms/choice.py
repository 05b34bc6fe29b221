"""Choice: the measurement of a table, as a plan names it or as `auto` finds it.

Everything here follows from public information: the table's shape, the budget, a size profile.
"""

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from leeward.errors import InvalidParameter, LeewardError, NotCovered, shown
from leeward.exact import precision, three_digits_up
from leeward.mechanisms.claims import claim
from leeward.mechanisms.margins import NoMargins, free_or_none, from_counts, spend
from leeward.mechanisms.measurement import MarginRule, Measurement, Mechanism
from leeward.mechanisms.parameters import MOST_EPSILON, Parameters
from leeward.mechanisms.registry import REGISTRY, mechanism, no_gaussian
from leeward.model import Marginal
from leeward.model.document import nearest
from leeward.model.size_profile import ESTABLISHMENTS, SizeProfile
from leeward.privacy import Guarantee, StrongAlpha

IN_PLANS = tuple(sorted(name for name, one in REGISTRY.items() if one.in_plans))
"""Mechanisms that a plan may name."""

AUTO: Final = "auto"
Share: TypeAlias = Fraction | Literal["auto"] | None
"""The share of a table's ε that pays for margins; 0: they cost nothing; None: there are none."""

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

CANDIDATES = {
    ("worker", "workplace"): ("edge_laplace",),
    ("worker", "worker"): ("edge_laplace",),
    ("strong", "workplace"): ("slope", "staircase", "vector_pareto"),
    ("weak", "workplace"): ("slope", "staircase", "vector_pareto"),
    ("strong", "worker"): ("vector_pareto", "clipped"),
    ("weak", "worker"): ("vector_pareto", "clipped", "slope", "staircase"),
}
"""What `auto` compares, by policy and kind of table."""

GAUSSIAN = tuple(name for name in IN_PLANS if REGISTRY[name].gaussian)
"""What it compares where the budget is given as ρ; all of them need an α."""

POOR_MARGINS = ("slope", "staircase")
"""On worker tables these would pay for a scale in every cell: `auto` takes them without margins."""


def measurement(name: str, marginal: Marginal, asked: Guarantee, margins: Share) -> Measurement:
    """Calibrate a mechanism for a table's part of the budget; refuses what no proof covers.

    `margins` is the share of ε that may pay for margins; see `Share`. A part in ρ is paid with
    Gaussian noise, whose margins are free.
    """
    chosen = REGISTRY[name]
    if asked.rho > 0 and not chosen.gaussian:
        raise no_gaussian(name)
    cells, kind = marginal.worker_cells, marginal.kind
    by_cell = kind == "worker" and StrongAlpha() not in chosen.claims["worker"]
    if margins == AUTO:
        margins = Fraction(0) if chosen.free_margins else _worth(name, asked, cells, by_cell)
    spent = Fraction(0) if margins is None or chosen.free_margins else margins
    made = _calibrated(name, replace(asked, epsilon=asked.epsilon * (1 - spent)), cells)
    made.guarantee(asked.policy, table=kind)  # refused before margins are looked for
    rule: MarginRule = free_or_none(margins)
    if spent:
        # A cell's own largest establishment: weak, and adding up over cells (scale.proof.md).
        bounded = by_cell or kind == "workplace"
        rule = spend(made, asked.epsilon * spent, cells if by_cell else 1, bounded=bounded)
    elif margins is not None and not chosen.free_margins:
        rule = from_counts(made, kind)
    return made.measurement(by_cell=by_cell, margins=rule)


def _worth(name: str, asked: Guarantee, cells: int, by_cell: bool) -> Fraction:
    """The share whose margins are narrowest at an error that is not much larger; 0 for none.

    The margin is widened by the noise of the scale, whose logarithm has the scale λ/ε_m. From 1 on
    it has no mean: then nothing is spent.
    """
    try:
        made = _calibrated(name, asked, cells)
    except InvalidParameter:
        return MARGIN_SHARES[1]  # refused with the numbers of a table with margins
    worth = Fraction(0)
    needed = _log_growth(made.parameters) * (cells if by_cell else 1)
    for share in MARGIN_SHARES:
        if not _affordable(name, asked, cells, share):
            break
        worth = share
        if share * asked.epsilon >= NARROW * needed:
            break
    return worth if worth * asked.epsilon >= needed else Fraction(0)


def _log_growth(parameters: Parameters) -> float:
    with precision(64):
        return float(parameters.log_growth())


def _affordable(name: str, asked: Guarantee, cells: int, share: Fraction) -> bool:
    """Whether the error stays below DEAREST times that without margins."""
    less = replace(asked, epsilon=asked.epsilon * (1 - share))
    whole = _calibrated(name, asked, cells).measurement(by_cell=False, margins=NoMargins())
    try:
        rest = _calibrated(name, less, cells).measurement(by_cell=False, margins=NoMargins())
    except InvalidParameter:
        return False
    error, least = rest.expected_error(LARGE), whole.expected_error(LARGE)
    return least is None or (error is not None and error <= DEAREST * least)


@lru_cache(maxsize=256)  # frozen values; a search for an epsilon comes by the same ones
def _calibrated(name: str, pays: Guarantee, cells: int) -> Mechanism:
    in_rho = pays.rho > 0
    return mechanism(
        name,
        alpha=pays.alpha,
        epsilon=None if in_rho else pays.epsilon,
        delta=pays.delta,
        cells=cells,
        plus=pays.plus or 1,
        rho=pays.rho if in_rho else None,
        **({"noise": "gaussian"} if in_rho else {}),
    )


def choose(
    marginal: Marginal, asked: Guarantee, margins: Share, profile: SizeProfile
) -> tuple[Measurement, str]:
    """The smallest predicted error among the mechanisms whose proof covers the plan's policy."""
    names = candidates(marginal, asked, margins)
    if not names:
        raise no_mechanism(asked)
    found, refused = [], dict[str, LeewardError]()
    for name in names:
        try:
            found.append(measurement(name, marginal, asked, margins))
        except (InvalidParameter, NotCovered) as refusal:
            refused[name] = refusal
    if not found:
        found = [named(names[0], marginal, asked, margins)]
    ranked = sorted(found, key=lambda one: _error(one, profile))
    return ranked[0], _why(ranked, refused, asked, profile)


def candidates(marginal: Marginal, asked: Guarantee, margins: Share) -> tuple[str, ...]:
    """The mechanisms that are compared."""
    names = CANDIDATES.get((asked.policy.name, marginal.kind), ())
    if asked.rho > 0:
        return GAUSSIAN if names and asked.policy.uses_alpha else ()
    poor = POOR_MARGINS if marginal.kind == "worker" and margins is not None else ()
    return tuple(name for name in names if name not in poor)


def _error(one: Measurement, profile: SizeProfile) -> float:
    """The mean over the profile; a bias counts as much as it can be."""
    mean = profile.mean(profile.of(one.expected_error))
    return float("inf") if mean is None else mean


def _why(
    ranked: list[Measurement],
    refused: dict[str, LeewardError],
    asked: Guarantee,
    profile: SizeProfile,
) -> str:
    best, *others = ranked
    reasons = [_times(one, best, profile) for one in others]
    budget = "rho" if asked.rho > 0 else "epsilon"
    reasons += [f"{name} needs more {budget}{_for(why)}" for name, why in refused.items()]
    if not reasons:
        kind = "this kind with a budget in rho" if asked.rho > 0 else "this kind"
        return f"the one mechanism for a {asked.policy.name}-policy table of {kind}"
    return f"smallest predicted error{_most(best, profile)}; " + ", ".join(reasons)


def _most(one: Measurement, profile: SizeProfile) -> str:
    """What the figure of a biased measurement holds."""
    if not one.words.bias:
        return ""
    number = "all" if profile.establishments else str(ESTABLISHMENTS)
    return f" (noise, and the most that clipping takes from {number} establishments of a cell)"


def _for(refusal: LeewardError) -> str:
    return " for margins" if refusal.parameter == "margins" else ""


def _times(other: Measurement, best: Measurement, profile: SizeProfile) -> str:
    """How much worse the other is; at a large ε errors are too small to be told from zero."""
    theirs, least = _error(other, profile), _error(best, profile)
    if theirs == float("inf"):
        return f"{other.name} has no mean error here"
    times = "many" if not least else f"{theirs / least:.3g}"
    return f"{other.name} would have {times} times the error{_most(other, profile)}"


def named(name: str, marginal: Marginal, asked: Guarantee, margins: Share) -> Measurement:
    """The mechanism that a plan names; an ε too small for it is refused with one that works."""
    if name not in IN_PLANS:
        raise InvalidParameter(
            "mechanism",
            rule=f"must be auto or one of {', '.join(IN_PLANS)}",
            value=shown(name),
            next_step=_nearest_mechanism(name),
        )
    _refuse_uncovered(name, marginal, asked)
    if asked.rho > 0 and name not in GAUSSIAN:
        raise no_gaussian(name)
    try:
        return measurement(name, marginal, asked, margins)
    except InvalidParameter as refusal:
        if refusal.parameter in ("delta", "rho"):
            raise _for_table(refusal, marginal) from None
        if refusal.parameter == "margins" and margins:
            raise _share_that_does(refusal, name, marginal, asked) from None
        if refusal.parameter != "epsilon":
            raise
        raise _too_small(refusal, name, marginal, asked, margins) from None


def _share_that_does(
    refusal: LeewardError, name: str, marginal: Marginal, asked: Guarantee
) -> InvalidParameter:
    """The same refusal with the smallest of some shares that buys margins."""
    does = None
    for share in SHARES:
        try:
            made = measurement(name, marginal, asked, share)
        except (InvalidParameter, NotCovered):
            continue
        if share * asked.epsilon >= _log_growth(made.parameters):
            does = share
            break
    give = "No share does: raise epsilon" if does is None else f"Give margins at least {does}"
    return InvalidParameter(
        refusal.parameter,
        rule=refusal.rule,
        value=refusal.value,
        next_step=f"{give}, or write margins: none.",
    )


def _nearest_mechanism(name: str) -> str:
    near = nearest(name, IN_PLANS)
    return f"Did you mean {near!r}? Leave it out for auto." if near else "Leave it out for auto."


def _refuse_uncovered(name: str, marginal: Marginal, asked: Guarantee) -> None:
    """Before anything is calibrated: no number mends a proof that is not there."""
    if not candidates(marginal, asked, None):
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
    if asked.rho > 0 and not asked.policy.uses_alpha:
        return NotCovered(
            "policy",
            rule="must be strong or weak where the budget is given as rho: no mechanism with "
            "Gaussian noise is proved for another policy",
            value=f"'{asked.policy.name}'",
            next_step="Use strong, or give epsilon in place of rho.",
        )
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
    refusal: LeewardError, name: str, marginal: Marginal, asked: Guarantee, margins: Share
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


def smallest_epsilon(name: str, marginal: Marginal, asked: Guarantee, margins: Share) -> str | None:
    """The smallest ε of the table, to three digits, at which the mechanism can be calibrated."""

    def works(epsilon: Fraction) -> bool:
        try:
            wanted = Guarantee(asked.policy, asked.alpha, epsilon, asked.delta)
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
