"""Choice: the channel that a survey names, or that `auto` finds from domain and ε."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches

from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import Number
from leeward.core.privacy.local_privacy import LocalEpsilon
from leeward.systems.local.channel import Channel, read_domain
from leeward.systems.local.hadamard import Hadamard
from leeward.systems.local.hashing import Hashing
from leeward.systems.local.projective import Projective
from leeward.systems.local.randomised import RandomisedResponse
from leeward.systems.local.sketch import Sketch
from leeward.systems.local.subset_selection import MOST_ANSWERS, SubsetSelection
from leeward.systems.local.unary import Unary

AUTO = "auto"

FEW, MANY = 100, 100_000
"""Up to the first, subsets are short enough to draw; beyond the second, a transform over a
projective space takes too long."""

METHODS: Mapping[str, Callable[[int, Number | LocalEpsilon], Channel]] = {
    RandomisedResponse.name: RandomisedResponse.of,
    SubsetSelection.name: SubsetSelection.of,
    Projective.name: Projective.of,
    Hadamard.name: Hadamard.of,
    Unary.name: Unary.of,
    Hashing.name: Hashing.of,
    Sketch.name: Sketch.of,
}
"""Every mechanism of local privacy, by name."""


def channel(method: str, domain: int, epsilon: Number | LocalEpsilon) -> Channel:
    """The channel of a question with `domain` answers."""
    if method == AUTO:
        return best(domain, epsilon)
    if method in METHODS:
        return METHODS[method](domain, epsilon)
    near = get_close_matches(str(method), METHODS, n=1, cutoff=0.4)
    raise InvalidParameter(
        "method",
        rule=f"must be {AUTO} or one of {', '.join(METHODS)}",
        value=shown(method),
        next_step=f"Did you mean {near[0]!r}?" if near else f"Write {AUTO}.",
    )


def best(domain: int, epsilon: Number | LocalEpsilon) -> Channel:
    """The least error that is quick to compute, by the number of answers and ε."""
    if read_domain(domain) <= FEW:
        return SubsetSelection.of(domain, epsilon)
    large = Projective.of if domain <= MANY else Hadamard.of
    among: list[Channel] = [large(domain, epsilon)]
    among += [SubsetSelection.of(domain, epsilon, 1)] if domain <= MOST_ANSWERS else []
    return min(among, key=lambda channel: channel.variance(1, 0))
