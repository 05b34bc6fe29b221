"""Choice: which mechanism `auto` takes for a table, from public information alone."""

from fractions import Fraction

from leeward.errors import InvalidParameter, LeewardError, NotCovered
from leeward.model import Marginal
from leeward.privacy import Guarantee
from leeward.publishing.offer import (
    CANDIDATES,
    POOR_MARGINS,
    Offer,
    make_offer,
    named_offer,
    no_mechanism,
)
from leeward.publishing.profile import SizeProfile

CLIPPING_HANDICAP = 2
"""Predictions leave out the bias of clipping, which depends on the data: it must win by this."""


def choose(
    marginal: Marginal, asked: Guarantee, margins: Fraction | None, profile: SizeProfile
) -> tuple[Offer, str]:
    """The smallest predicted error among the mechanisms whose proof covers the plan's policy."""
    names = candidates(marginal, asked, margins)
    if not names:
        raise no_mechanism(asked)
    offers, refused = [], dict[str, LeewardError]()
    for name in names:
        try:
            offers.append(make_offer(name, marginal, asked, margins))
        except (InvalidParameter, NotCovered) as refusal:
            refused[name] = refusal
    if not offers:
        offers = [named_offer(names[0], marginal, asked, margins)]
    ranked = sorted(offers, key=lambda offer: _badness(offer, profile))
    return ranked[0], _why(ranked, refused, profile)


def candidates(marginal: Marginal, asked: Guarantee, margins: Fraction | None) -> tuple[str, ...]:
    """The mechanisms that are compared."""
    names = CANDIDATES.get((asked.policy.name, marginal.kind), ())
    poor = POOR_MARGINS if marginal.kind == "worker" and margins is not None else ()
    return tuple(name for name in names if name not in poor)


def _badness(offer: Offer, profile: SizeProfile) -> float:
    handicap = CLIPPING_HANDICAP if offer.name == "clipped" else 1
    return _error(offer, profile) * handicap


def _error(offer: Offer, profile: SizeProfile) -> float:
    mean = profile.mean(tuple(offer.error(size) for size in profile.largest))
    return float("inf") if mean is None else mean


def _why(ranked: list[Offer], refused: dict[str, LeewardError], profile: SizeProfile) -> str:
    best, *others = ranked
    reasons = [_times(one, best, profile) for one in others]
    reasons += [f"{name} needs more epsilon{_for(why)}" for name, why in refused.items()]
    if not reasons:
        return f"the one mechanism for a {best.charge.policy.name}-policy table of this kind"
    return "smallest predicted error; " + ", ".join(reasons)


def _for(refusal: LeewardError) -> str:
    return " for margins" if refusal.parameter == "margins" else ""


def _times(other: Offer, best: Offer, profile: SizeProfile) -> str:
    """How much worse the other is; at a large ε errors are too small to be told from zero."""
    theirs, least = _error(other, profile), _error(best, profile)
    if theirs == float("inf"):
        return f"{other.name} has no mean error here"
    times = "many" if not least else f"{theirs / least:.3g}"
    bias = ", its clipping not counted" if other.name == "clipped" else ""
    return f"{other.name} would have {times} times the error{bias}"
