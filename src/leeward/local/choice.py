"""Choice: the channel that a survey names, or that `auto` finds from domain and ε."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches

from leeward.errors import InvalidParameter, shown
from leeward.exact import Number
from leeward.local.channel import Channel
from leeward.local.subset_selection import SubsetSelection
from leeward.privacy.local import LocalEpsilon

AUTO = "auto"
METHODS: Mapping[str, Callable[[int, Number | LocalEpsilon], Channel]] = {
    one.name: one.of for one in (SubsetSelection,)
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
    """The least error that is quick to compute."""
    return SubsetSelection.of(domain, epsilon)
