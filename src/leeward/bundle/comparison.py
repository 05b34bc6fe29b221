"""Comparison: the same table in two bundles, cell by cell.

Two releases of the same data differ by their noise alone, and neither is wrong. So a difference
is called clear only where it is larger than both margins together.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from leeward.bundle import Bundle, CertifiedTable
from leeward.bundle.blocks import certified
from leeward.bundle.pair import Pair, common, read_cells
from leeward.errors import InvalidParameter

MOST_ROWS = 5_000_000
LARGEST = 25
DOTS = 2000


@dataclass(frozen=True)
class Comparison:
    """How many cells with an establishment both releases have, and how those differ.

    `clear` is None without margins. `dots` are some of the cells in both, the clearly different
    ones first. `holds` is the least probability with which both margins of a cell hold at once.
    """

    both: int
    only_first: int
    only_second: int
    clear: int | None
    holds: Fraction | None
    largest: tuple[Pair, ...]
    dots: tuple[Pair, ...]
    notes: tuple[str, ...]


def compare(first: Bundle, second: Bundle, table: str) -> Comparison:
    """What differs between the tables of this name."""
    stated = certified(first, table), certified(second, table)
    _refuse(*stated)
    lists = tuple(_together(*stated, name) for name in stated[0].identifiers)
    one, two = read_cells(first, stated[0], lists), read_cells(second, stated[1], lists)
    pairs = common(one, two, lists)
    holds = _holds(*stated)
    return Comparison(
        both=len(pairs),
        only_first=len(one) - len(pairs),
        only_second=len(two) - len(pairs),
        clear=None if holds is None else int(pairs.clear.sum()),
        holds=holds,
        largest=pairs.named(pairs.ranked(LARGEST)),
        dots=pairs.named(pairs.sample(DOTS)),
        notes=(*_notes(first, second), *_table_notes(*stated)),
    )


def _refuse(first: CertifiedTable, second: CertifiedTable) -> None:
    if first.identifiers != second.identifiers:
        named = " and ".join(", ".join(t.identifiers) or "nothing" for t in (first, second))
        rule = "must be by the same identifiers in both bundles"
        raise _refused(rule, named, "Compare another table.")
    for table in (first, second):
        if table.rows > MOST_ROWS:
            step = "Compare a smaller table here, and this one with a program that reads Parquet."
            raise _refused(f"must have at most {MOST_ROWS:,} rows", f"{table.rows:,}", step)


def _together(first: CertifiedTable, second: CertifiedTable, name: str) -> dict[str, str]:
    """The codes of an identifier with their labels: those of the first, then what is new."""
    known = first.codes[name]
    new = {code: label for code, label in second.codes[name].items() if code not in known}
    return known | new


def _holds(first: CertifiedTable, second: CertifiedTable) -> Fraction | None:
    """Either margin fails with its own probability, so both hold with at least the rest."""
    stated = (first.margins.coverage, second.margins.coverage)
    if not (first.has_margins and second.has_margins and all(stated)):
        return None
    return max(Fraction(0), sum((Fraction(one or 0) for one in stated), Fraction(-1)))


def _notes(first: Bundle, second: Bundle) -> Iterator[str]:
    """What is different about the releases, so that cells may differ for more than noise."""
    one, two = first.certificate, second.certificate
    if one.period != two.period:
        yield f"The first release is of {one.period}, the second of {two.period}."
    if one.jobs != two.jobs:
        yield "The releases treat workers with several jobs differently."


def _table_notes(first: CertifiedTable, second: CertifiedTable) -> Iterator[str]:
    if first.where != second.where:
        yield "The tables count different jobs: the filters in their plans differ."
    for name in first.identifiers:
        if set(first.codes[name]) != set(second.codes[name]):
            yield f"The codes of {name} differ: cells with a code of one list are in one release."
    for which, table in {"first": first, "second": second}.items():
        if table.bias is not None:
            yield f"The margins of the {which} release do not cover all of its error. {table.bias}"


def _refused(rule: str, value: str, next_step: str) -> InvalidParameter:
    return InvalidParameter("table", rule=rule, value=value, next_step=next_step)
