"""Derived: sums, shares, changes, ratios, ranks and growth of published numbers, with intervals.

Everything follows from sealed bundles by draws of the public law of the noise, so it costs nothing
and whoever has the bundle gets the same numbers. Biases are named, never corrected.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from leeward.core.codebook.flow_classes import MEASURE
from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import whole_number
from leeward.core.noise.scales import DRAWS
from leeward.core.show.interpretation import MISSED, RANKS_OF_GROUPS
from leeward.core.show.notebook import MOST_ROWS, html_table
from leeward.core.show.numbers import counted, crossed, percent
from leeward.derived.derive.comparison import AGAINST, release_notes, table_notes
from leeward.derived.derive.groups import Groups, read_groups
from leeward.derived.derive.quantities import ROWS, Asked, DerivedRow, Reference
from leeward.publishing.bundle import Bundle, read_bundle
from leeward.publishing.bundle.published_table import PublishedTable

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped] # ships no types

MEASURES = ("quantity", "value", "low", "high", "method")
COUNTED_ONCE = "A low of jobs below 0 means 0."
MEASURED = (
    "Each measure has a row of its own, since all are of the same jobs. A low below 0 means 0, but "
    "of job change and growth."
)
TIDY = (
    "Values are tidy, and how often low and high include the true number is not known. For "
    "intervals of 90 % read the release that the bundle is made from."
)
TOP = 10
"""How many of the largest groups count for ranks, unless stated."""

Against = Bundle | PublishedTable | Mapping[str, str]
"""What change and ratio are taken against: another release, a table, or one of the groups."""


@dataclass(frozen=True, repr=False)
class Derived:
    """Derived numbers: a row for each group and quantity; made by `derive`.

    Attributes
    ----------
    table
        The name of the table.
    by
        The identifiers of the groups.
    rows
        Codes, quantity, value, low, high and method.
    notes
        What a reader should know of all rows.
    labels
        For each identifier its codes with their labels.

    Examples
    --------
    >>> found = leeward.derive(bundle, "by_place", quantity="sum")
    >>> [row.quantity for row in found.rows]
    ['sum']
    """

    table: str
    by: tuple[str, ...]
    rows: tuple[DerivedRow, ...]
    notes: tuple[str, ...]
    labels: Mapping[str, Mapping[str, str]]

    def columns(self, *, labels: bool = False) -> tuple[str, ...]:
        """Names of the columns: identifiers, quantity, value, low, high and method."""
        named = [(name, f"{name}_label") if labels else (name,) for name in self.by]
        return (*(name for one in named for name in one), *MEASURES)

    def lines(self, *, labels: bool = False) -> Iterator[tuple[Any, ...]]:
        """The rows in the order of the columns."""
        for row in self.rows:
            codes: list[str] = []
            for name, code in zip(self.by, row.codes, strict=True):
                codes += [code, self.labels[name][code]] if labels else [code]
            yield (*codes, *(getattr(row, name) for name in MEASURES))

    def to_arrow(self, *, labels: bool = False) -> pa.Table:
        """All rows as a table of Arrow; numbers are of double precision.

        Parameters
        ----------
        labels
            Whether a column NAME_label follows each column of codes.

        Returns
        -------
        pyarrow.Table
            The rows; an end that is not there is null.

        Examples
        --------
        >>> leeward.derive(bundle, "by_place", by=["place"]).to_arrow().column_names
        ['place', 'quantity', 'value', 'low', 'high', 'method']
        """
        names, lines = self.columns(labels=labels), list(self.lines(labels=labels))
        numbers = {"value", "low", "high"} - {*self.by}
        kinds = [pa.float64() if name in numbers else pa.string() for name in names]
        columns = zip(*lines, strict=True) if lines else ([] for _ in names)
        arrays = [
            pa.array(
                [None if x is None else float(x) for x in one] if k == pa.float64() else one, k
            )
            for one, k in zip(columns, kinds, strict=True)
        ]
        return pa.Table.from_arrays(arrays, names=list(names))

    def to_pandas(self, *, labels: bool = False) -> "pandas.DataFrame":
        """All rows as a data frame of pandas, which must be installed.

        Parameters
        ----------
        labels
            Whether a column NAME_label follows each column of codes.

        Returns
        -------
        pandas.DataFrame
            The rows; an end that is not there is NaN.

        Examples
        --------
        >>> leeward.derive(bundle, "by_place", by=["place"]).to_pandas().place.tolist()
        ['01', '02', '03']
        """
        return self.to_arrow(labels=labels).to_pandas()

    def to_csv(self, *, labels: bool = False) -> str:
        """All rows as CSV with a header; an end that is not there is empty."""
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns(labels=labels))
        writer.writerows(self.lines(labels=labels))
        return text.getvalue()

    def to_dict(self, *, labels: bool = False) -> dict[str, Any]:
        """The rows and the notes as JSON has them."""
        names = self.columns(labels=labels)
        rows = [dict(zip(names, one, strict=True)) for one in self.lines(labels=labels)]
        return {"table": self.table, "by": list(self.by), "rows": rows, "notes": list(self.notes)}

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.rows)

    def __repr__(self) -> str:
        by = f"by {crossed(self.by)}" if self.by else "in all"
        return f"Derived({self.table!r}, {by}, {counted(len(self), 'row')})"

    def _repr_html_(self) -> str:
        lines = [list(one) for one in self.lines()][:MOST_ROWS]
        return html_table(self.table, self.columns(), lines, note=" ".join(self.notes))


def derive(  # noqa: PLR0913 (a parameter for each thing that may be asked)
    bundle: Bundle | Path | str,
    table: str,
    by: Sequence[str] = (),
    quantity: str | Sequence[str] = "sum",
    *,
    against: Against | None = None,
    of: Sequence[str] = (),
    top: int = TOP,
) -> Derived:
    """Numbers that follow from a published table, with intervals that hold in nine of ten cases.

    Parameters
    ----------
    bundle
        A bundle or its folder; nothing else is read.
    table
        The name of a table with margins.
    by
        The identifiers whose combinations are the groups; none for the whole table.
    quantity
        One of ``sum``, ``mean`` (of the cells of a group), ``share`` (of the whole), ``change``,
        ``ratio`` and ``rank``, or several of them; of a table of flows also ``growth``, the job
        change over the mean of the jobs at the beginning and at the end of the quarter.
    against
        For change and ratio: another bundle, which must have this table; a table
        (``bundle["other"]``); or the codes of one group, such as ``{"place": "01"}``.
    of
        For share: some of `by`; a share is then that of the group which they make.
    top
        For rank: how many of the largest groups count.

    Returns
    -------
    Derived
        A row for each group and quantity.

    Raises
    ------
    InvalidParameter
        If the table states no law of its noise, or something else cannot be derived.
    Damaged
        If a file is not the one that was published.

    Examples
    --------
    >>> leeward.derive(bundle, "by_place", ["place"], "share")
    Derived('by_place', by place, 3 rows)
    """
    held = bundle if isinstance(bundle, Bundle) else read_bundle(bundle)
    asked = _asked(quantity, against, of)
    _whole(top)
    groups = read_groups(held, table, by)
    _refuse_measures(groups, asked, of)
    _refuse_of(groups, of)
    reference = None if against is None else _reference(held, groups, against)
    question = Asked(groups, reference, of, top)
    rows = tuple(row for one in asked for row in ROWS[one](question))
    labels = {name: groups.table.codes[name] for name in groups.by}
    return Derived(table, groups.by, rows, tuple(_notes(question, asked)), labels)


def _asked(
    quantity: str | Sequence[str], against: Against | None, of: Sequence[str]
) -> tuple[str, ...]:
    """The quantities, each once, with what they need and nothing else."""
    asked = tuple(dict.fromkeys([quantity] if isinstance(quantity, str) else quantity))
    for one in asked:
        if one not in ROWS:
            rule = f"must be among {', '.join(ROWS)}"
            raise _refused("quantity", rule, shown(one), "Choose some of these.")
    compared = {"change", "ratio"} & {*asked}
    if compared and against is None:
        rule = f"is needed for {' and '.join(sorted(compared))}"
        step = "Give another bundle, another table, or the codes of a group such as place=01."
        raise _refused("against", rule, "nothing", step)
    if against is not None and not compared:
        step = "Ask for one of these, or leave it out."
        raise _refused("against", "belongs to change and ratio", ", ".join(asked), step)
    if of and "share" not in asked:
        raise _refused(
            "of", "belongs to share", ", ".join(asked), "Ask for share, or leave it out."
        )
    return asked


def _whole(top: int) -> None:
    if not whole_number(top) or top < 1:
        raise _refused(
            "top", "must be a whole number of at least 1", shown(top), "Give such as 10."
        )


def _refuse_measures(groups: Groups, asked: Sequence[str], of: Sequence[str]) -> None:
    """What does not follow from measures, and what follows from nothing else."""
    about = groups.table
    if "growth" in asked and not about.of_classes:
        rule = "growth must be of a table of flows: it is job change over jobs"
        value = f"growth of {about.name}, a table of {about.statistic_words}"
        raise _refused("quantity", rule, value, "Choose a table with statistic: flows.")
    if about.disjoint:
        return
    left = [name for name in about.worker_identifiers if name not in (*groups.by, MEASURE)]
    if left and not about.of_classes:
        rule = "must name the identifiers of workers and jobs of a table of gains: net changes of "
        rule += "an establishment among kinds of workers do not add up to its net change"
        raise _refused("by", rule, ", ".join(groups.by) or "nothing", f"Add {', '.join(left)}.")
    if "rank" in asked:
        rule = "must not be rank for flows and gains: measures have no common order"
        raise _refused("quantity", rule, "rank", "Rank the places of a table of counts.")
    if "share" in asked and MEASURE not in of:
        rule = f"must name {MEASURE} for shares of flows and gains: measures are not parts of a sum"
        value = ", ".join(of) or "nothing"
        raise _refused("of", rule, value, f"Add {MEASURE}.")


def _refuse_of(groups: Groups, of: Sequence[str]) -> None:
    for name in of:
        if name not in groups.by:
            step = "Name identifiers of the groups, or leave it out for shares of the whole."
            raise _refused("of", "must be some of by", shown(name), step)


def _refused(parameter: str, rule: str, value: str, next_step: str) -> InvalidParameter:
    return InvalidParameter(parameter, rule=rule, value=value, next_step=next_step)


def _reference(bundle: Bundle, groups: Groups, against: Against) -> Reference:
    """Groups of another release or table with the same codes, or one group of these."""
    if isinstance(against, Mapping):
        return _one_group(groups, against)
    other = against.bundle if isinstance(against, PublishedTable) else against
    name = against.name if isinstance(against, PublishedTable) else groups.table.name
    if (other.certificate.anchor, name) == (bundle.certificate.anchor, groups.table.name):
        step = "Choose another release, or another table."
        raise _refused("against", "must be of another noise than the table itself", name, step)
    found = read_groups(other, name, groups.by, AGAINST)
    places = found.places()
    pairs = [(place, places.get(codes)) for place, codes in enumerate(groups.codes)]
    own = np.array([mine for mine, theirs in pairs if theirs is not None], np.intp)
    at = np.array([theirs for _, theirs in pairs if theirs is not None], np.intp)
    notes = [f"Change and ratio are of {groups.table.name} against {name} of {other.path.name}."]
    if len(at) < max(len(groups), len(found)):
        alone = len(groups) - len(own), len(found) - len(at)
        notes.append(f"Groups of one alone are left out: {alone[0]} here, {alone[1]} there.")
    notes += release_notes(other, bundle)
    if found.table.identifiers == groups.table.identifiers:
        notes += table_notes(found.table, groups.table)
    if found.table.bias is not None:
        notes.append(f"What it is taken against may be off on average. {found.table.bias}")
    return Reference(own, found.values[at], found.errors.take(at), tuple(notes))


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
        found = places.get(tuple(codes.get(name, code) for name, code in named))
        if found is not None and found != place:
            pairs.append((place, found))
    own_places, at = np.array(pairs, np.intp).reshape(-1, 2).T
    said = ", ".join(f"{name}={code}" for name, code in codes.items())
    notes = (f"Change and ratio are against the group {said}.",)
    return Reference(own_places, groups.values[at], groups.errors.take(at), notes)


def _notes(question: Asked, asked: Sequence[str]) -> Iterator[str]:
    groups, reference = question.groups, question.reference
    if groups.table.tidied is not None:
        yield TIDY
    elif set(asked) - {"rank"}:
        least = "at least " if groups.table.allows_for_clipping else ""
        cases = f"{least}{percent(1 - float(MISSED))} of cases"
        yield f"low and high include the true number in {cases}, each pair by itself."
    if "rank" in asked and groups.table.tidied is None:
        yield RANKS_OF_GROUPS
    once = COUNTED_ONCE if groups.table.disjoint else MEASURED
    seeded = "draws of the public law of the noise, with a public seed"
    yield f"low and high follow from {DRAWS:,} {seeded}. {once}"
    if groups.table.bias is not None:
        yield f"Values may be off on average, which is not corrected. {groups.table.bias}"
        if groups.table.establishments is None:
            yield (
                "The table does not count establishments, so that high allows for the cells in "
                "which clipping takes most."
            )
    yield from () if reference is None else reference.notes
