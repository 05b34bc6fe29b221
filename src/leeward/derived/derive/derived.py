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

import pyarrow as pa

from leeward.core.exact import whole_within
from leeward.core.noise.scales import DRAWS
from leeward.core.show.interpretation import MISSED, RANKS_OF_GROUPS
from leeward.core.show.notebook import MOST_ROWS, html_table
from leeward.core.show.numbers import counted, crossed, percent
from leeward.derived.derive.groups import read_groups
from leeward.derived.derive.quantities import ROWS
from leeward.derived.derive.question import (
    Against,
    DerivedQuestion,
    DerivedRow,
    quantities_asked,
    reference_of,
    require_following,
)
from leeward.publishing.bundle import Bundle, read_bundle

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
        return (*(name for pair in named for name in pair), *MEASURES)

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
                [None if x is None else float(x) for x in column] if k == pa.float64() else column,
                k,
            )
            for column, k in zip(columns, kinds, strict=True)
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
        rows = [dict(zip(names, line, strict=True)) for line in self.lines(labels=labels)]
        return {"table": self.table, "by": list(self.by), "rows": rows, "notes": list(self.notes)}

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.rows)

    def __repr__(self) -> str:
        by = f"by {crossed(self.by)}" if self.by else "in all"
        return f"Derived({self.table!r}, {by}, {counted(len(self), 'row')})"

    def _repr_html_(self) -> str:
        lines = [list(line) for line in self.lines()][:MOST_ROWS]
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
    opened = bundle if isinstance(bundle, Bundle) else read_bundle(bundle)
    quantities = quantities_asked(quantity, against, of)
    whole_within(top, "top", 1, next_step="Give such as 10.")
    groups = read_groups(opened, table, by)
    require_following(groups, quantities, of)
    reference = None if against is None else reference_of(opened, groups, against)
    question = DerivedQuestion(groups, reference, of, top)
    rows = tuple(row for name in quantities for row in ROWS[name](question))
    labels = {name: groups.table.codes[name] for name in groups.by}
    return Derived(table, groups.by, rows, tuple(_notes(question, quantities)), labels)


def _notes(question: DerivedQuestion, quantities: Sequence[str]) -> Iterator[str]:
    groups, reference = question.groups, question.reference
    if groups.table.tidied is not None:
        yield TIDY
    elif set(quantities) - {"rank"}:
        least = "at least " if groups.table.allows_for_clipping else ""
        cases = f"{least}{percent(1 - float(MISSED))} of cases"
        yield f"low and high include the true number in {cases}, each pair by itself."
    if "rank" in quantities and groups.table.tidied is None:
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
