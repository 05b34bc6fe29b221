"""Choice: the mechanism that `auto` takes for a table, and why.

Everything here follows from public information: the table's shape, the budget, a size profile.
"""

from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from math import log

from leeward.core.codebook import Marginal
from leeward.core.codebook.size_profile import ESTABLISHMENTS, SizeProfile
from leeward.core.errors import InvalidParameter, LeewardError, NotCovered
from leeward.core.mechanisms.calibrated import PAY
from leeward.core.mechanisms.measurement import Measurement
from leeward.core.mechanisms.parameters import Share
from leeward.core.mechanisms.registry import REGISTRY, candidates
from leeward.core.mechanisms.table_measurement import LARGE, measurement, named
from leeward.core.mechanisms.uncovered import no_mechanism
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
    """The mechanisms that can be calibrated, and why others cannot; an error if none can."""
    measurements, refused = list[Measurement](), dict[str, LeewardError]()
    for name in names:
        try:
            measurements.append(measurement(name, marginal, guarantee, margins))
        except (InvalidParameter, NotCovered) as refusal:
            refused[name] = refusal
    return measurements or [named(names[0], marginal, guarantee, margins)], refused


def choose_joint(
    marginal: Marginal, asked: Guarantee, margins: Share, profile: SizeProfile
) -> tuple[Measurement, str]:
    """The smallest predicted error of all tables together; and what else the budget would give.

    Margins of a scale that is confidential are paid: where they must be free, the scale is public.
    """
    names = candidates(marginal, asked, margins)
    if margins == 0:
        names = tuple(name for name in names if REGISTRY[name].free_margins)
    measurements, refused = _tried(names, marginal, asked, margins)
    best, *others = sorted(measurements, key=lambda measurement: _error(measurement, profile))
    first = f"smallest predicted error{_most(best, profile)}"
    if not others and not refused:
        budget = "for a budget in rho" if asked.rho > 0 else "with free margins"
        first = f"the one joint mechanism {budget}"
    reasons = [first, *(_times(other, best, profile) for other in others)]
    reasons += [f"{name} needs more {_budget(why, asked)}" for name, why in refused.items()]
    reasons.append(_against_split(best, marginal, asked, margins, profile))
    grouped = () if asked.rho > 0 else (_grouping(best, marginal, asked, margins),)
    return best, "; ".join((*reasons, *grouped))


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


def _grouping(best: Measurement, marginal: Marginal, guarantee: Guarantee, margins: Share) -> str:
    """What two products of tables of like size would give by this mechanism, at half of ε each."""
    parts = sorted(marginal.breakdowns, key=lambda breakdown: breakdown.cells)
    order = [marginal.breakdowns.index(part) for part in parts]
    whole, half = best.expected_errors(LARGE), guarantee.share(Fraction(1, 2))
    least, grouping = 0.0, ""
    for cut in range(1, len(parts)) if whole is not None else ():
        errors = list[float]()
        for group in (parts[:cut], parts[cut:]):
            some = replace(marginal, breakdowns=tuple(group))
            with suppress(LeewardError):
                own = measurement(best.name, some, half, margins).expected_errors(LARGE)
                errors += [] if own is None else own[1:].tolist()
        if len(errors) < len(parts) or whole is None:
            continue
        times = [error / whole[1 + at] for error, at in zip(errors, order, strict=True)]
        gain = sum(map(log, times)) / len(times)
        if gain < least:
            least = gain
            small, rest = sum(times[:cut]) / cut, sum(times[cut:]) / (len(times) - cut)
            first = ", ".join(part.name for part in parts[:cut])
            grouping = f"{first} and the others as two products at half of epsilon each would " \
                f"have {small:.2g} and {rest:.2g} times the error"  # fmt: skip
    return grouping or "no two products of these tables would have smaller errors"


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
    names = ("payroll_slope",) if slope else ("payroll_radial", "payroll_pareto")
    without = list[Measurement]()
    for name in names if best.name not in names else ():
        with suppress(InvalidParameter, NotCovered):
            without.append(measurement(name, marginal, guarantee, margins))
    if not without:
        return ""
    alone = min(without, key=lambda measurement: _error(measurement, profile))
    times = _only_times(alone, best, profile)
    return times.replace(alone.name, f"{alone.name}, which publishes no count,")


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
