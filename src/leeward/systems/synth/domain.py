"""Domain: the columns of a table and all values that they may have, by the codebook alone."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leeward.core.codebook import Attribute, Codebook, RealRange
from leeward.core.errors import InvalidParameter, shown

RANGES = 20
"""Equal ranges of a column of real numbers."""

MOST_VALUES = 50_000
"""Values of one column at most: positions are numbers of 16 bits."""

Mask = NDArray[np.bool_]

Impossible = tuple[tuple[int, tuple[int, ...]], ...]
"""A rule: no row has, in each of these columns, one of these positions."""


@dataclass(frozen=True)
class Column:
    """One column: its values in order, None for what is missing.

    The values of numbers are classes, and `edges` are the ends of those: whole numbers from each
    edge to below the next, or real ones where not `whole`. `declared` is what the codebook says of
    it; a column that is read from a description has none.
    """

    name: str
    values: tuple[str | None, ...]
    edges: tuple[float, ...] | None = None
    whole: bool = False
    declared: Attribute | RealRange | None = field(default=None, compare=False, repr=False)

    def as_json(self) -> dict[str, object]:
        """Plain values."""
        kind = "codes" if self.edges is None else "integer" if self.whole else "number"
        ends = (int(number) if self.whole else number for number in self.edges or ())
        numbers = {} if self.edges is None else {"edges": list(ends)}
        return {"name": self.name, "type": kind, "values": list(self.values), **numbers}

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> "Column":
        """From plain values."""
        edges = told.get("edges")
        ends = None if edges is None else tuple(edges)
        return cls(told["name"], tuple(told["values"]), ends, told["type"] == "integer")


@dataclass(frozen=True)
class Domain:
    """The columns in order, and what no row can be."""

    columns: tuple[Column, ...]
    impossible: tuple[Impossible, ...] = ()

    @classmethod
    def of(cls, codebook: Codebook, ranges: int = RANGES) -> "Domain":
        """The columns of workers that a codebook declares; derived attributes follow from them."""
        codebook.require_lists()
        listed = [
            attribute for attribute in codebook.attributes.values() if attribute.table == "workers"
        ]
        coded = [attribute for attribute in listed if attribute.origin is None]
        reals = [real for real in codebook.reals.values() if real.table == "workers"]
        columns = (*map(_column, coded), *(_real_column(real, ranges) for real in reals))
        _require_columns(columns)
        places = {attribute.name: at for at, attribute in enumerate(coded)}
        rules = (_rule(codes, codebook, places) for codes in codebook.impossible)
        return cls(columns, tuple(rule for rule in rules if rule is not None))

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of values of each column."""
        return tuple(len(column.values) for column in self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(column.name for column in self.columns)

    def forbidden(self, rows: NDArray[np.integer[Any]]) -> Mask:
        """Which rows of positions no row can be."""
        broken = np.zeros(len(rows), dtype=bool)
        for rule in self.impossible:
            broken |= np.logical_and.reduce([np.isin(rows[:, at], values) for at, values in rule])
        return broken

    def as_json(self) -> dict[str, object]:
        """Plain values; impossible combinations by names and values."""
        rules = [
            {self.names[at]: [self.columns[at].values[n] for n in ruled] for at, ruled in rule}
            for rule in self.impossible
        ]
        return {"columns": [column.as_json() for column in self.columns], "impossible": rules}

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> "Domain":
        """From plain values."""
        columns = tuple(Column.read(column) for column in told["columns"])
        places = {column.name: at for at, column in enumerate(columns)}
        rules = tuple(
            tuple(
                (places[name], tuple(map(columns[places[name]].values.index, values)))
                for name, values in rule.items()
            )
            for rule in told["impossible"]
        )
        return cls(columns, rules)


def _column(attribute: Attribute) -> Column:
    """Its codes or classes, and `missing` where the codebook gives such rows no code."""
    closed = None not in (attribute.missing, attribute.unlisted)
    values = attribute.codes if closed else (*attribute.codes, None)
    if attribute.numbers is None:
        return Column(attribute.column, values, declared=attribute)
    edges = tuple(float(edge) for edge in attribute.edges)
    return Column(attribute.column, values, edges, whole=True, declared=attribute)


def _real_column(real: RealRange, ranges: int) -> Column:
    """Equal ranges from low to high, and `missing`."""
    edges = [real.low + (real.high - real.low) * Fraction(at, ranges) for at in range(ranges + 1)]
    names = (f"{float(low):g} to {float(high):g}" for low, high in pairwise(edges))
    return Column(real.column, (*names, None), tuple(map(float, edges)), declared=real)


def _rule(
    combination: Mapping[str, str], codebook: Codebook, places: Mapping[str, int]
) -> Impossible | None:
    """A combination by positions; None if it speaks of other tables' attributes too."""
    ruled: dict[int, set[int]] = {}
    for name, code in combination.items():
        attribute = base = codebook.attributes[name]
        while base.origin is not None:
            base = codebook.attributes[base.origin]
        if base.name not in places:
            return None
        wanted, column = attribute.codes.index(code), places[base.name]
        codes = {at for at, own in enumerate(base.codes) if attribute.recode[own] == wanted}
        ruled[column] = ruled.get(column, codes) & codes
    return tuple((at, tuple(sorted(codes))) for at, codes in sorted(ruled.items()))


def _require_columns(columns: tuple[Column, ...]) -> None:
    names = [column.name for column in columns]
    if not columns:
        raise InvalidParameter(
            "codebook.attributes",
            rule="must declare at least one column with table: workers",
            value="none",
            next_step="Declare the columns of FILE with table: workers.",
        )
    for name in (name for at, name in enumerate(names) if name in names[:at]):
        raise InvalidParameter(
            "codebook.attributes",
            rule="must declare a column of workers once: a synthetic row has one value in it",
            value=shown(name),
            next_step="Derive the second attribute with `from`, or leave it out.",
        )
    for column in columns:
        if len(column.values) > MOST_VALUES:
            raise InvalidParameter(
                "codebook.attributes",
                rule=f"must declare at most {MOST_VALUES} values for a column",
                value=f"{len(column.values)} of {shown(column.name)}",
                next_step="Declare a coarser list of codes.",
            )
