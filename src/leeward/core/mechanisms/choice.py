"""Choice: the measurement of a table, as a plan names it or as `auto` finds it.

Everything here follows from public information: the table's shape, the budget, a size profile.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import log
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from leeward.core.codebook import Marginal
from leeward.core.codebook.size_profile import ESTABLISHMENTS, SizeProfile
from leeward.core.errors import InvalidParameter, LeewardError, NotCovered, nearest, shown
from leeward.core.exact import precision, three_digits_up
from leeward.core.mechanisms.calibrated import COUNTS, PAY, MarginRule, Mechanism, claim
from leeward.core.mechanisms.count_margins import from_counts
from leeward.core.mechanisms.error_margins import NarrowedMargins, NoMargins, free_or_none, spend
from leeward.core.mechanisms.joint_pareto import JointPareto, paid_margins
from leeward.core.mechanisms.measurement import Measurement
from leeward.core.mechanisms.parameters import MOST_EPSILON, Parameters
from leeward.core.mechanisms.pay import PayMechanism
from leeward.core.mechanisms.pay_margins import pay_margins, unpaid_margins
from leeward.core.mechanisms.registry import REGISTRY, mechanism, no_gaussian, of_statistic
from leeward.core.noise.design import Design
from leeward.core.privacy import Guarantee, StrongAlpha

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
    ("worker", "pay"): ("edge_pay",),
    ("worker", "worker_pay"): ("edge_pay",),
    ("strong", "workplace"): ("slope", "staircase", "vector_pareto"),
    ("weak", "workplace"): ("slope", "staircase", "vector_pareto"),
    ("strong", "worker"): ("vector_pareto", "clipped"),
    ("weak", "worker"): ("vector_pareto", "clipped", "slope", "staircase"),
    ("worker", "gains"): ("edge_laplace",),
    ("strong", "gains"): ("vector_pareto", "clipped"),
    ("weak", "gains"): ("vector_pareto", "clipped"),
    ("strong", "joint"): ("joint_pareto", "joint_clipped"),
    ("weak", "joint"): ("joint_pareto", "joint_clipped"),
    ("strong", "pay"): ("pay_centred", "pay_clipped"),
    ("strong", "worker_pay"): ("pay_centred", "pay_clipped"),
    ("proportional", "pay"): ("pay_two_scales", "log_pair", "pay_clipped"),
    ("proportional", "worker_pay"): ("pay_two_scales", "payroll_pareto"),
}
CANDIDATES |= {("proportional", kind): CANDIDATES["strong", kind] for kind in COUNTS}
"""What `auto` compares, by policy and kind of table."""

GAUSSIAN = tuple(name for name in IN_PLANS if REGISTRY[name].gaussian)
"""What it compares where the budget is given as ρ; all of them need an α."""

NARROWED = ("joint_clipped",)
"""Of these a share for margins makes intervals of totals narrower and noise larger, at one ε."""

POOR_MARGINS = ("slope", "staircase")
"""On worker tables these would pay for a scale in every cell: `auto` takes them without margins."""


def measurement(name: str, marginal: Marginal, asked: Guarantee, margins: Share) -> Measurement:
    """Calibrate a mechanism for a table's part of the budget; refuses what no proof covers.

    `margins` is the share of ε that may pay for margins; see `Share`. A part in ρ is paid with
    Gaussian noise, whose margins are free.
    """
    if _reads_pay(marginal, asked):
        raise no_mechanism(asked, marginal)
    chosen = REGISTRY[name]
    if asked.rho > 0 and not chosen.gaussian:
        raise no_gaussian(name)
    shape, kind = Shape.of(marginal), marginal.kind
    by_cell = kind == "worker" and StrongAlpha() not in chosen.claims.get(kind, ())
    if margins == AUTO:
        least = MARGIN_SHARES[0] if name in NARROWED else Fraction(0)
        margins = (
            least
            if chosen.free_margins
            else _worth(name, asked, shape, by_cell=by_cell, must=kind != "workplace")
        )
    spent = Fraction(0) if margins is None or chosen.free_margins else margins
    paid = replace(asked, epsilon=asked.epsilon * (1 - spent))
    narrowed = margins if name in NARROWED and margins is not None else Fraction(0)
    mechanism = _calibrated(name, paid, shape, narrowed)
    mechanism.guarantee(asked.policy, table=kind)  # refused before margins are looked for
    rule: MarginRule = NarrowedMargins() if narrowed else free_or_none(margins)
    if spent and isinstance(mechanism, JointPareto):
        rule = paid_margins(mechanism, asked.epsilon * spent)
    elif spent and isinstance(mechanism, PayMechanism):
        rule = pay_margins(mechanism, asked.epsilon * spent)
    elif spent:
        # A cell's own largest establishment: weak, and adding up over cells (scale.proof.md).
        bounded = by_cell or kind == "workplace"
        rule = spend(
            mechanism, asked.epsilon * spent, shape.cells if by_cell else 1, bounded=bounded
        )
    elif margins is not None and isinstance(mechanism, PayMechanism) and not chosen.free_margins:
        raise unpaid_margins(mechanism)
    elif margins is not None and not chosen.free_margins:
        rule = from_counts(mechanism, kind)
    return of_statistic(mechanism.measurement(by_cell=by_cell, margins=rule), marginal.statistic)


class Shape(NamedTuple):
    """The worker cells of a table; of a product those of each of its tables; of pay its options."""

    cells: int
    tables: tuple[int, ...] = ()
    pay: tuple[tuple[str, int | str], ...] = ()

    @classmethod
    def of(cls, marginal: Marginal) -> "Shape":
        """What a mechanism is calibrated for."""
        return cls(marginal.worker_cells, tables_of(marginal), marginal.statistic.options)


def tables_of(marginal: Marginal) -> tuple[int, ...]:
    """The cells of each table of a product; none where it is one table."""
    return tuple(breakdown.cells for breakdown in marginal.breakdowns)


def _worth(name: str, guarantee: Guarantee, shape: Shape, *, by_cell: bool, must: bool) -> Fraction:
    """The share whose margins are narrowest at an error that is not much larger; 0 for none.

    The margin is widened by the noise of the scale, whose logarithm has the scale λ/ε_m. From 1 on
    it has no mean: then nothing is spent. Of a large ε a smaller share is enough. Where margins
    must be paid and all these make the error much larger, it is the share that just is enough.
    """
    try:
        mechanism = _calibrated(name, guarantee, shape)
    except InvalidParameter:
        return MARGIN_SHARES[1]  # refused with the numbers of a table with margins
    worth = Fraction(0)
    needed = _log_growth(mechanism.parameters) * (shape.cells if by_cell else 1)
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


def _log_growth(parameters: Parameters) -> float:
    with precision(64):
        return float(parameters.log_growth())


def _affordable(name: str, guarantee: Guarantee, shape: Shape, share: Fraction) -> bool:
    """Whether the error stays below DEAREST times that without margins."""
    less = replace(guarantee, epsilon=guarantee.epsilon * (1 - share))
    whole = _calibrated(name, guarantee, shape).measurement(by_cell=False, margins=NoMargins())
    try:
        rest = _calibrated(name, less, shape).measurement(by_cell=False, margins=NoMargins())
    except InvalidParameter:
        return False
    error, least = rest.expected_error(LARGE), whole.expected_error(LARGE)
    return least is None or (error is not None and error <= DEAREST * least)


@lru_cache(maxsize=256)  # frozen values; a search for an epsilon comes by the same ones
def _calibrated(
    name: str, pays: Guarantee, shape: Shape, narrowed: Fraction = Fraction(0)
) -> Mechanism:
    claims = REGISTRY[name].claims
    options: dict[str, Any] = {"tables": shape.tables} if "joint" in claims else {}
    if "pay" in claims:
        options |= dict(shape.pay)
    if name == "payroll_pareto" and pays.policy.name == PROPORTIONAL:
        options["by_payroll"] = True  # the narrower scale, which this policy alone allows
    if narrowed:
        options["margins"] = narrowed
    if pays.rho > 0:
        options |= {"rho": pays.rho, "noise": "gaussian"}
    return mechanism(
        name,
        alpha=pays.alpha,
        epsilon=None if pays.rho > 0 else pays.epsilon,
        delta=pays.delta,
        cells=shape.cells,
        plus=pays.plus or 1,
        **options,
    )


def choose(
    marginal: Marginal, asked: Guarantee, margins: Share, profile: SizeProfile
) -> tuple[Measurement, str]:
    """The smallest predicted error among the mechanisms whose proof covers the plan's policy."""
    names = candidates(marginal, asked, margins)
    if not names:
        raise no_mechanism(asked, marginal)
    if marginal.kind == "joint":
        return choose_joint(marginal, asked, margins, profile)
    if marginal.kind in PAY:
        return choose_pay(marginal, asked, margins, profile)
    measurements, refused = _tried(names, marginal, asked, margins)
    ranked = sorted(measurements, key=lambda measurement: _error(measurement, profile))
    return ranked[0], _why(ranked, refused, asked, profile)


def _tried(
    names: tuple[str, ...], marginal: Marginal, guarantee: Guarantee, margins: Share
) -> tuple[list[Measurement], dict[str, LeewardError]]:
    """The mechanisms that can be calibrated, and why others cannot; refuses where none can."""
    measurements, refused = list[Measurement](), dict[str, LeewardError]()
    for name in names:
        try:
            measurements.append(measurement(name, marginal, guarantee, margins))
        except (InvalidParameter, NotCovered) as refusal:
            refused[name] = refusal
    return measurements or [named(names[0], marginal, guarantee, margins)], refused


POWER = Fraction(2, 5)
"""Up to this part of ε for the dimension, power tails are better than noise of public scale."""


def choose_joint(
    marginal: Marginal, asked: Guarantee, margins: Share, profile: SizeProfile
) -> tuple[Measurement, str]:
    """joint_pareto where p·ln(1+α) is at most 2/5 of ε, else joint_clipped; and what else gives.

    Margins of joint_pareto are paid: where they must be free, it is joint_clipped.
    """
    pareto, clipped = CANDIDATES[asked.policy.name, "joint"]
    measurements = [named(clipped, marginal, asked, margins)]
    price = _log_growth(measurements[0].parameters) * Design(tables_of(marginal)).dimension
    limit = float(POWER * asked.epsilon)
    if price <= limit and margins != 0:
        measurements = [named(pareto, marginal, asked, margins), *measurements]
    best, *others = measurements
    words = "at most" if price <= limit else "above"
    rule = f"p·ln(1+alpha) is {price:.3g}, {words} {limit:.3g} (2/5 epsilon)"
    rule += ", but its margins must be free" if price <= limit and margins == 0 else ""
    told = [rule if asked.rho == 0 else "the one joint mechanism for a budget in rho"]
    told += [_times(other, best, profile) for other in others]
    told.append(_against_split(best, marginal, asked, margins, profile))
    return best, "; ".join((*told, *(() if asked.rho else (_grouping(marginal),))))


def _against_split(
    best: Measurement,
    marginal: Marginal,
    guarantee: Guarantee,
    margins: Share,
    profile: SizeProfile,
) -> str:
    """How much worse it would be to give each table its part of ε."""
    parts = marginal.published[1:]
    less = guarantee.share(Fraction(1, len(parts)))
    words = f"{len(parts)} tables with a part of {guarantee.currency} each"
    try:
        errors = [_error(choose(part, less, margins, profile)[0], profile) for part in parts]
    except LeewardError:
        return f"{words} are not possible"
    weights = [part.worker_cells for part in parts]
    mean = sum(e * w for e, w in zip(errors, weights, strict=True)) / sum(weights)
    return f"{words} would have {mean / _error(best, profile):.3g} times the error"


def _grouping(marginal: Marginal) -> str:
    """What two products of tables of like size would give, at half of ε each."""
    parts = sorted(marginal.breakdowns, key=lambda breakdown: breakdown.cells)
    whole = Design(tuple(part.cells for part in parts), "side").absolute
    best, found = 0.0, ""
    for cut in range(1, len(parts)):
        both = parts[:cut], parts[cut:]
        errors = [2 * e for group in both for e in Design(tuple(o.cells for o in group),
                                                          "side").absolute]  # fmt: skip
        times = [a / b for a, b in zip(errors, whole, strict=True)]
        gain = sum(map(log, times)) / len(times)
        if gain < best:
            best = gain
            small, rest = sum(times[:cut]) / cut, sum(times[cut:]) / (len(times) - cut)
            first = ", ".join(breakdown.name for breakdown in both[0])
            found = f"{first} and the others as two products at half of epsilon each would have " \
                f"{small:.2g} and {rest:.2g} times the error"  # fmt: skip
    return found or "no two products of these tables would have smaller errors"


PROPORTIONAL = "proportional"


def choose_pay(
    marginal: Marginal, asked: Guarantee, margins: Share, profile: SizeProfile
) -> tuple[Measurement, str]:
    """The smallest predicted error of what the proofs allow; payroll with count.

    Proportional: the log pair wherever each cell is one establishment. Worker: edge_pay, the one
    that there is.
    """
    names = candidates(marginal, asked, margins)
    alone = bool(profile.establishments) and max(profile.establishments) == 1
    if alone and "log_pair" in names:
        names = ("log_pair", *(name for name in names if name != "log_pair"))
    measurements, refused = _tried(names, marginal, asked, margins)
    if not (alone and measurements[0].name == "log_pair"):
        measurements.sort(key=lambda measurement: _error(measurement, profile))
    best, *others = measurements
    told = [_first(names[0], best, refused, asked)]
    told += [_only_times(other, best, profile) for other in others]
    told += [_alone(name, best, marginal, asked, margins, profile)
             for name in _payroll(marginal, asked) if name != best.name]  # fmt: skip
    return best, "; ".join(one for one in told if one)


def _first(
    name: str, best: Measurement, refused: Mapping[str, LeewardError], guarantee: Guarantee
) -> str:
    """Why the first candidate was taken, or was not."""
    if name in refused:
        if isinstance(refused[name], NotCovered):
            return f"{name} is not proved for this table"
        return f"{name} needs more epsilon{_for(refused[name])}"
    if name == "log_pair":
        return "each cell is one establishment"
    if best.name != name:
        return "smallest predicted error"
    return f"first choice under the {guarantee.policy.name} policy"


def _payroll(marginal: Marginal, guarantee: Guarantee) -> tuple[str, ...]:
    """Mechanisms of payroll alone that the proofs cover."""
    if marginal.statistic.name != "payroll" or not guarantee.policy.uses_alpha:
        return ()
    slope = guarantee.policy.name == PROPORTIONAL and marginal.kind == "pay"
    return ("payroll_slope",) if slope else ("payroll_pareto",)


def _alone(
    name: str,
    best: Measurement,
    marginal: Marginal,
    guarantee: Guarantee,
    margins: Share,
    profile: SizeProfile,
) -> str:
    """How much smaller the error of a payroll would be without a count beside it."""
    try:
        one = measurement(name, marginal, guarantee, margins)
    except (InvalidParameter, NotCovered):
        return ""
    times = _only_times(one, best, profile)
    return times.replace(name, f"{name}, which publishes no count,")


def candidates(marginal: Marginal, asked: Guarantee, margins: Share) -> tuple[str, ...]:
    """The mechanisms that are compared."""
    if _reads_pay(marginal, asked) or _gaussian_gains(marginal, asked):
        return ()
    names = CANDIDATES.get((asked.policy.name, marginal.kind), ())
    if asked.rho > 0:
        proved = (name for name in GAUSSIAN if marginal.kind in REGISTRY[name].claims)
        return tuple(proved) if names and asked.policy.uses_alpha else ()
    poor = POOR_MARGINS if marginal.kind == "worker" and margins is not None else ()
    return tuple(name for name in names if name not in poor)


def _reads_pay(marginal: Marginal, guarantee: Guarantee) -> bool:
    """Whether a proportional step may move all jobs at once: a raise of all, into other classes."""
    return guarantee.policy.name == "proportional" and marginal.by_numbers


def _gaussian_gains(marginal: Marginal, guarantee: Guarantee) -> bool:
    """Whether gains are to be paid in ρ, for which nothing is proved (gains.proof.md, 3)."""
    return marginal.kind == "gains" and guarantee.rho > 0


def _error(measurement: Measurement, profile: SizeProfile) -> float:
    """The mean over the profile; a bias counts as much as it can be."""
    mean = profile.mean(profile.of(measurement.expected_error))
    return float("inf") if mean is None else mean


def _why(
    ranked: list[Measurement],
    refused: dict[str, LeewardError],
    guarantee: Guarantee,
    profile: SizeProfile,
) -> str:
    best, *others = ranked
    reasons = [_times(other, best, profile) for other in others]
    budget = "rho" if guarantee.rho > 0 else "epsilon"
    reasons += [f"{name} needs more {budget}{_for(why)}" for name, why in refused.items()]
    if not reasons:
        kind = "this kind with a budget in rho" if guarantee.rho > 0 else "this kind"
        return f"the one mechanism for a {guarantee.policy.name}-policy table of {kind}"
    return f"smallest predicted error{_most(best, profile)}; " + ", ".join(reasons)


def _most(measurement: Measurement, profile: SizeProfile) -> str:
    """What the figure of a biased measurement holds."""
    if not measurement.words.bias:
        return ""
    number = "all" if profile.establishments else str(ESTABLISHMENTS)
    return f" (noise, and the most that clipping takes from {number} establishments of a cell)"


def _for(refusal: LeewardError) -> str:
    return " for margins" if refusal.parameter == "margins" else ""


def _times(other: Measurement, best: Measurement, profile: SizeProfile) -> str:
    """How much worse the other is; at a large ε errors are too small to be told from zero."""
    return _only_times(other, best, profile) + _most(other, profile)


def _only_times(other: Measurement, best: Measurement, profile: SizeProfile) -> str:
    theirs, least = _error(other, profile), _error(best, profile)
    if theirs == float("inf"):
        return f"{other.name} has no mean error here"
    times = "many" if not least else f"{theirs / least:.3g}"
    return f"{other.name} would have {times} times the error"


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
    does = None
    for share in SHARES:
        try:
            made = measurement(name, marginal, guarantee, share)
        except (InvalidParameter, NotCovered):
            continue
        if share * guarantee.epsilon >= _log_growth(made.parameters):
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


def no_mechanism(asked: Guarantee, marginal: Marginal) -> NotCovered:
    """The refusal of a policy under which there is nothing to offer."""
    if _reads_pay(marginal, asked):
        return NotCovered(
            "policy",
            rule="proportional is for payroll, means, and counts that read no pay: one step of it "
            "may raise the pay of all, and move every job into another class",
            value=f"{shown(marginal.name)}, which reads a number of each job",
            next_step="Write a plan of its own under strong for this table.",
        )
    if _gaussian_gains(marginal, asked):
        return NotCovered(
            "rho",
            rule="must be epsilon for gains: nothing is proved about them with Gaussian noise",
            value=f"rho for table {marginal.name}",
            next_step="Give epsilon in place of rho, or leave the table out.",
        )
    if marginal.kind in PAY:
        return NotCovered(
            "policy",
            rule="must be strong, proportional, worker or person, with epsilon, for payrolls and "
            "means: nothing is proved for another",
            value=f"'{asked.policy.name}'" + (" with rho" if asked.rho > 0 else ""),
            next_step="Use strong. Under proportional the error is smaller, and less is promised "
            "about who joins.",
        )
    if marginal.kind == "joint" and asked.policy.name == "worker":
        return NotCovered(
            "breakdowns",
            rule="must be tables of their own under the worker and person policies: no joint "
            "mechanism is proved for them",
            value=shown(marginal.name),
            next_step="Write a table for each breakdown, or use a policy with an alpha.",
        )
    if asked.rho > 0 and not asked.policy.uses_alpha:
        return NotCovered(
            "policy",
            rule="must have an alpha where the budget is given as rho: no mechanism with "
            "Gaussian noise is proved for another policy",
            value=f"'{asked.policy.name}'",
            next_step="Use strong, or give epsilon in place of rho.",
        )
    return NotCovered(
        "policy",
        rule="must be strong, weak, proportional, worker or person: whole establishments are "
        "protected by no table that is of use",
        value=f"'{asked.policy.name}'",
        next_step="Use strong, which hides sizes within a factor 1+alpha.",
    )


def _too_small(
    refusal: LeewardError, name: str, marginal: Marginal, guarantee: Guarantee, margins: Share
) -> InvalidParameter:
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
