"""Choice: the mechanism that `auto` takes for a table, and why.

Everything here follows from public information: the table's shape, the budget, a size profile.
"""

from fractions import Fraction
from math import log

from leeward.core.codebook import Marginal
from leeward.core.codebook.size_profile import ESTABLISHMENTS, SizeProfile
from leeward.core.errors import InvalidParameter, LeewardError, NotCovered
from leeward.core.mechanisms.calibrated import PAY
from leeward.core.mechanisms.measurement import Measurement
from leeward.core.mechanisms.parameters import Share
from leeward.core.mechanisms.registry import (
    CANDIDATES,
    candidates,
    no_mechanism,
)
from leeward.core.mechanisms.table_calibration import Shape
from leeward.core.mechanisms.table_measurement import log_growth_of, measurement, named
from leeward.core.noise.design import Design
from leeward.core.privacy import Guarantee


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
    best, *others = ranked
    reasons = [_times(other, best, profile) for other in others]
    reasons += [f"{name} needs more {_budget(why, asked)}" for name, why in refused.items()]
    if not reasons:
        kind = "this kind with a budget in rho" if asked.rho > 0 else "this kind"
        return best, f"the one mechanism for a {asked.policy.name}-policy table of {kind}"
    return best, f"smallest predicted error{_most(best, profile)}; " + ", ".join(reasons)


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
    price = log_growth_of(measurements[0].parameters) * Design(Shape.of(marginal).tables).dimension
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
    first = names[0]
    if first in refused and isinstance(refused[first], NotCovered):
        reasons = [f"{first} is not proved for this table"]
    elif first in refused:
        reasons = [f"{first} needs more {_budget(refused[first], asked)}"]
    elif first == "log_pair":
        reasons = ["each cell is one establishment"]
    elif best.name != first:
        reasons = ["smallest predicted error"]
    else:
        reasons = [f"first choice under the {asked.policy.name} policy"]
    reasons += [_only_times(other, best, profile) for other in others]
    reasons.append(_without_count(best, marginal, asked, margins, profile))
    return best, "; ".join(reason for reason in reasons if reason)


def _without_count(
    best: Measurement,
    marginal: Marginal,
    guarantee: Guarantee,
    margins: Share,
    profile: SizeProfile,
) -> str:
    """How much smaller the error of a payroll would be without a count beside it."""
    if marginal.statistic.name != "payroll" or not guarantee.policy.uses_alpha:
        return ""
    slope = guarantee.policy.name == "proportional" and marginal.kind == "pay"
    name = "payroll_slope" if slope else "payroll_pareto"
    if name == best.name:
        return ""
    try:
        without = measurement(name, marginal, guarantee, margins)
    except (InvalidParameter, NotCovered):
        return ""
    times = _only_times(without, best, profile)
    return times.replace(name, f"{name}, which publishes no count,")


def _error(measurement: Measurement, profile: SizeProfile) -> float:
    """The mean over the profile; a bias counts as much as it can be."""
    mean = profile.mean(profile.of(measurement.expected_error))
    return float("inf") if mean is None else mean


def _most(measurement: Measurement, profile: SizeProfile) -> str:
    """What the figure of a biased measurement holds."""
    if not measurement.words.bias:
        return ""
    number = "all" if profile.establishments else str(ESTABLISHMENTS)
    return f" (noise, and the most that clipping takes from {number} establishments of a cell)"


def _budget(refusal: LeewardError, given: Guarantee) -> str:
    """What a mechanism that was rejected would need more of."""
    if refusal.parameter == "epsilon_job":
        return "for one job"
    return given.currency + (" for margins" if refusal.parameter == "margins" else "")


def _times(other: Measurement, best: Measurement, profile: SizeProfile) -> str:
    """How much worse the other is; at a large ε errors are too small to be told from zero."""
    return _only_times(other, best, profile) + _most(other, profile)


def _only_times(other: Measurement, best: Measurement, profile: SizeProfile) -> str:
    theirs, least = _error(other, profile), _error(best, profile)
    if theirs == float("inf"):
        return f"{other.name} has no mean error here"
    times = "many" if not least else f"{theirs / least:.3g}"
    return f"{other.name} would have {times} times the error"
