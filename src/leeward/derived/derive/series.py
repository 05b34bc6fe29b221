"""Series: one cell of a table over several releases, with the margins that were published.

Nothing is computed: each number stands as it was released, and each interval holds by itself.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Any

from leeward.core.errors import BadFile, InvalidParameter, LeewardError, shown
from leeward.core.show.numbers import Ends, cases, counted
from leeward.derived.derive.comparison import refuse_unlike, table_notes
from leeward.publishing.bundle import Bundle, CertifiedTable, read_bundle
from leeward.publishing.bundle.bundle_files import CERTIFICATE, NO_BUNDLE
from leeward.publishing.bundle.selection import Coded, Selection, select

COLUMNS = ("period", "release", "value", "low", "high", "status")
CELL, OVER = "--cell", "--over"
HONEST = "Noise is drawn anew in every release, so that values of the same jobs differ."
CHANGE = "`leeward read --as change --against` gives the change between two of them an interval."


@dataclass(frozen=True)
class Point:
    """The cell in one release; `value` and either end are None where there is no number."""

    period: str
    release: str
    value: int | None
    low: int | None
    high: int | None
    status: int

    @property
    def ends(self) -> Ends | None:
        """The interval, if there is one."""
        return None if self.low is None and self.high is None else (self.low, self.high)


@dataclass(frozen=True)
class Series:
    """A cell over releases, by period; made by `series`."""

    table: str
    cell: Mapping[str, Coded]
    unit: str
    points: tuple[Point, ...]
    notes: tuple[str, ...]

    def lines(self) -> Iterator[tuple[Any, ...]]:
        """The points in the order of the columns."""
        return (tuple(getattr(point, name) for name in COLUMNS) for point in self.points)

    def to_csv(self) -> str:
        """All points as CSV with a header; what is not there is empty."""
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerows([COLUMNS, *self.lines()])
        return text.getvalue()

    def to_dict(self) -> dict[str, Any]:
        """The points and the notes as JSON has them."""
        return {
            "table": self.table,
            "cell": {name: one.code for name, one in self.cell.items()},
            "unit": self.unit,
            "points": [dict(zip(COLUMNS, line, strict=True)) for line in self.lines()],
            "notes": list(self.notes),
        }


def is_bundle(path: Path) -> bool:
    """Whether a folder is a bundle, and not one around bundles."""
    return (path / CERTIFICATE).exists() or not path.is_dir()


def releases_at(path: Path) -> list[Bundle]:
    """The bundle that a folder is, or those that it holds."""
    if is_bundle(path):
        return [read_bundle(path)]
    sealed = [one.parent for one in sorted(path.glob(f"*/{CERTIFICATE}"))]
    tables = [one for one in sealed if not any((one / name).exists() for name in NO_BUNDLE)]
    found = [read_bundle(one) for one in tables]
    if not found:
        raise BadFile(
            OVER,
            rule="must be a bundle, or a folder of bundles",
            value=repr(str(path)),
            next_step="Give the folder that `leeward release` wrote, or the one around it.",
        )
    return found


def alike(bundle: Bundle, table: str, others: Iterable[Bundle]) -> tuple[list[Bundle], int]:
    """Those of other releases that have the same table, and how many have not."""
    kept, left_out = [], 0
    for other in others:
        try:
            _same_table(bundle, other, table)
        except LeewardError:
            left_out += 1
        else:
            kept.append(other)
    return kept, left_out


def series(
    bundle: Bundle, table: str, cell: Mapping[str, str], over: Sequence[Bundle] = ()
) -> Series:
    """A cell of a table in a release and in others, which must have the same table."""
    held = bundle[table].about
    _refuse_cell(held, cell)
    bundles = {one.path.resolve(): one for one in (bundle, *over)}
    tables = {path: _same_table(bundle, one, table) for path, one in bundles.items()}
    points, notes = [], []
    for path in sorted(bundles, key=lambda path: _moment(bundles[path])):
        found = _point(bundles[path], tables[path], cell)
        if found is None:
            stated = bundles[path].certificate
            notes.append(f"The cell is not in the table of {stated.name}, {stated.period}.")
        else:
            points.append(found)
    named = {name: Coded(cell[name], held.listed(name)[cell[name]]) for name in held.identifiers}
    said = dict.fromkeys([*notes, *_notes(bundle, held, bundles.values(), tables.values())])
    return Series(table, named, held.unit, tuple(points), tuple(said))


def _same_table(first: Bundle, second: Bundle, name: str) -> CertifiedTable:
    """The table of this name in another release, if its rows mean the same."""
    stated, step = second.certificate, f"Leave {second.path.name} out, or choose another table."
    table = stated.table(name)
    if table is None:
        rule = "must be a table of every release"
        raise InvalidParameter(
            "table", rule=rule, value=f"no {shown(name)} in {stated.name}", next_step=step
        )
    refuse_unlike(first[name].about, table, step)
    if (stated.made_from is None) != (first.certificate.made_from is None):
        raise InvalidParameter(
            OVER,
            rule="must be bundles as released, or tidy ones, and not both",
            value=f"{first.path.name} and {second.path.name}",
            next_step=step,
        )
    return table


def _moment(bundle: Bundle) -> tuple[str, str, str]:
    stated = bundle.certificate
    return stated.period, stated.created, stated.name


def _refuse_cell(table: CertifiedTable, cell: Mapping[str, str]) -> None:
    wanted = ", ".join(table.identifiers) or "nothing"
    step = f"Give such as {','.join(f'{name}=…' for name in table.identifiers) or 'no cell'}."
    if {*cell} != {*table.identifiers}:
        rule = f"must give a code to each of {wanted}, and to nothing else"
        said = ", ".join(cell) or "nothing"
        raise InvalidParameter(CELL, rule=rule, value=shown(said), next_step=step)
    for name, code in cell.items():
        if code not in table.listed(name):
            rule = f"must give a code of {name} that the table has"
            raise InvalidParameter(CELL, rule=rule, value=shown(code), next_step=step)


def _point(bundle: Bundle, table: CertifiedTable, cell: Mapping[str, str]) -> Point | None:
    """The row of the cell; None where the release has none."""
    if any(code not in table.listed(name) for name, code in cell.items()):
        return None
    wanted = Selection(filters=cell, totals=table.totals is not None)
    found = select(bundle, table.name, wanted, size=1).rows
    if not found:
        return None
    row, (low, high) = found[0], found[0].ends or (None, None)
    return Point(bundle.certificate.period, bundle.path.name, row.value, low, high, row.status)


def _notes(
    bundle: Bundle,
    held: CertifiedTable,
    bundles: Iterable[Bundle],
    tables: Iterable[CertifiedTable],
) -> Iterator[str]:
    """What a reader should know of all points."""
    if not held.counts:
        yield f"Values are the {held.statistic_words}, in {held.unit}."
    if held.margins.coverage is None:
        yield "The table has no margins, so that nothing is known of the noise."
    else:
        holds = cases(Fraction(held.margins.coverage))
        yield f"low and high are as published; each interval holds in {holds}, by itself."
    yield f"{HONEST} {CHANGE}" if held.counts else HONEST
    for table in tables:
        yield from table_notes(held, table)
        if table.bias is not None:
            yield f"Values may be off on average, which is not corrected. {table.bias}"
    if any(one.certificate.jobs != bundle.certificate.jobs for one in bundles):
        yield "The releases treat workers with several jobs differently."


def left_out(number: int, folder: Path) -> str:
    """What to say of bundles without the table."""
    return f"{counted(number, 'bundle')} of {folder} without the same table left out."
