"""Question: what is asked of a published table: quantities of groups, and what they are against."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from leeward.core.codebook.cells import Integers
from leeward.core.codebook.flow_classes import MEASURE
from leeward.core.errors import InvalidParameter, shown
from leeward.core.noise.tabulated import Floats
from leeward.derived.derive.comparison import AGAINST, release_notes, table_notes
from leeward.derived.derive.groups import Codes, Groups, read_groups
from leeward.derived.derive.stated_errors import Errors
from leeward.publishing.bundle import Bundle
from leeward.publishing.bundle.published_table import PublishedTable

QUANTITIES = ("sum", "mean", "share", "change", "ratio", "rank", "growth")

DIGITS = 6
"""Significant digits of numbers that are not whole."""

DRAWN, SHARE_OF_DRAWS = "draws", "share of draws"
UNBOUNDED, DENOMINATOR = "the noise is too large for a bound", "the denominator may be 0"
MISSING = {
    (True, True): "no ends",
    (True, False): "no lower end",
    (False, True): "no upper end",
    (False, False): "",
}
"""Which ends are infinite, in words."""

Against = Bundle | PublishedTable | Mapping[str, str]
"""What change and ratio are taken against: another release, a table, or one of the groups."""

Number = int | float
Interval = tuple[Number, Number]
Truths = tuple[Floats, Floats]
"""Draws of a true number, for the lower and for the upper end of an interval."""


@dataclass(frozen=True)
class DerivedRow:
    """One derived number with the ends of its interval; None where there is no end, or value."""

    codes: Codes
    quantity: str
    value: Number | None
    low: Number | None
    high: Number | None
    method: str


@dataclass(frozen=True)
class Reference:
    """What the groups of the places `own` are taken against: a value for each, with its errors."""

    own: Integers
    values: Integers
    errors: Errors
    notes: tuple[str, ...]

    def truths(self, at: int) -> Truths:
        """Draws of a true value."""
        return self.errors.truths(self.values, at)


@dataclass(frozen=True)
class DerivedQuestion:
    """Groups, and what is asked of them."""

    groups: Groups
    reference: Reference | None
    of: Sequence[str]
    top: int

    def row(
        self, place: int, quantity: str, value: Number | None, ends: Interval, why: str = UNBOUNDED
    ) -> DerivedRow:
        """A row of a group; an infinite end is left out, and the method says why."""
        low, high = (finite(end) for end in ends)
        missing = MISSING[low is None, high is None]
        biased = self.groups.table.bias is not None
        words = (DRAWN, biased and "bias not corrected", missing and f"{missing}: {why}")
        method = "; ".join(word for word in words if word)
        return DerivedRow(self.groups.codes[place], quantity, finite(value), low, high, method)


def finite(number: Number | None) -> Number | None:
    """Whole numbers as they are, others in short; None where there is no number."""
    if number is None or isinstance(number, int):
        return number
    return float(f"{number:.{DIGITS}g}") if isfinite(number) else None


def quantities_asked(
    quantity: str | Sequence[str], against: Against | None, of: Sequence[str]
) -> tuple[str, ...]:
    """The quantities, each once, with what they need and nothing else."""
    quantities = tuple(dict.fromkeys([quantity] if isinstance(quantity, str) else quantity))
    for name in quantities:
        if name not in QUANTITIES:
            rule = f"must be among {', '.join(QUANTITIES)}"
            raise _refused("quantity", rule, shown(name), "Choose some of these.")
    compared = {"change", "ratio"} & {*quantities}
    if compared and against is None:
        rule = f"is needed for {' and '.join(sorted(compared))}"
        step = "Give another bundle, another table, or the codes of a group such as place=01."
        raise _refused("against", rule, "nothing", step)
    listed = ", ".join(quantities)
    if against is not None and not compared:
        step = "Ask for one of these, or leave it out."
        raise _refused("against", "belongs to change and ratio", listed, step)
    if of and "share" not in quantities:
        raise _refused("of", "belongs to share", listed, "Ask for share, or leave it out.")
    return quantities


def require_following(groups: Groups, quantities: Sequence[str], of: Sequence[str]) -> None:
    """Reject what does not follow from measures, or from nothing else; and shares of no groups."""
    table = groups.table
    if "growth" in quantities and not table.of_classes:
        rule = "growth must be of a table of flows: it is job change over jobs"
        value = f"growth of {table.name}, a table of {table.statistic_words}"
        raise _refused("quantity", rule, value, "Choose a table with statistic: flows.")
    if not table.disjoint:  # measures of flows and gains are numbers of the same jobs
        left = [name for name in table.worker_identifiers if name not in (*groups.by, MEASURE)]
        if left and not table.of_classes:
            rule = "must name the identifiers of workers and jobs of a table of gains: net changes "
            rule += "of an establishment among kinds of workers do not add up to its net change"
            raise _refused("by", rule, ", ".join(groups.by) or "nothing", f"Add {', '.join(left)}.")
        if "rank" in quantities:
            rule = "must not be rank for flows and gains: measures have no common order"
            raise _refused("quantity", rule, "rank", "Rank the places of a table of counts.")
        if "share" in quantities and MEASURE not in of:
            rule = f"must name {MEASURE} for shares of flows and gains: measures are not parts of "
            rule += "a sum"
            raise _refused("of", rule, ", ".join(of) or "nothing", f"Add {MEASURE}.")
    for name in of:
        if name not in groups.by:
            step = "Name identifiers of the groups, or leave it out for shares of the whole."
            raise _refused("of", "must be some of by", shown(name), step)


def _refused(parameter: str, rule: str, value: str, next_step: str) -> InvalidParameter:
    return InvalidParameter(parameter, rule=rule, value=value, next_step=next_step)


def reference_of(bundle: Bundle, groups: Groups, against: Against) -> Reference:
    """Groups of another release or table with the same codes, or one group of these."""
    if isinstance(against, Mapping):
        return _one_group(groups, against)
    other = against.bundle if isinstance(against, PublishedTable) else against
    name = against.name if isinstance(against, PublishedTable) else groups.table.name
    if (other.certificate.anchor, name) == (bundle.certificate.anchor, groups.table.name):
        step = "Choose another release, or another table."
        raise _refused("against", "must be of another noise than the table itself", name, step)
    theirs = read_groups(other, name, groups.by, AGAINST)
    places = theirs.places()
    pairs = [(place, places[codes]) for place, codes in enumerate(groups.codes) if codes in places]
    own, at = np.array(pairs, np.intp).reshape(-1, 2).T
    notes = [f"Change and ratio are of {groups.table.name} against {name} of {other.path.name}."]
    if len(at) < max(len(groups), len(theirs)):
        alone = len(groups) - len(own), len(theirs) - len(at)
        notes.append(f"Groups of one alone are left out: {alone[0]} here, {alone[1]} there.")
    notes += release_notes(other, bundle)
    if theirs.table.identifiers == groups.table.identifiers:
        notes += table_notes(theirs.table, groups.table)
    if theirs.table.bias is not None:
        notes.append(f"What it is taken against may be off on average. {theirs.table.bias}")
    return Reference(own, theirs.values[at], theirs.errors.take(at), tuple(notes))


def _one_group(groups: Groups, codes: Mapping[str, str]) -> Reference:
    """The group that has these codes, and else those of the group that is taken against it."""
    for name, code in codes.items():
        if name not in groups.by or code not in groups.table.codes[name]:
            rule = f"must name codes of {', '.join(groups.by) or 'by, which is empty'}"
            step = "Give such as place=01, of identifiers of the groups."
            raise _refused("against", rule, shown(f"{name}={code}"), step)
    places, pairs = groups.places(), []
    for place, own in enumerate(groups.codes):
        named = zip(groups.by, own, strict=True)
        other = places.get(tuple(codes.get(name, code) for name, code in named))
        if other is not None and other != place:
            pairs.append((place, other))
    own_places, at = np.array(pairs, np.intp).reshape(-1, 2).T
    listed = ", ".join(f"{name}={code}" for name, code in codes.items())
    notes = (f"Change and ratio are against the group {listed}.",)
    return Reference(own_places, groups.values[at], groups.errors.take(at), notes)
