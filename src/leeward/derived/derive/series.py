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
from leeward.publishing.bundle.selection import Coded, RowSelection, select

COLUMNS = ("period", "release", "value", "low", "high", "status")
CELL, OVER = "--cell", "--over"
HONEST = "Noise is drawn anew in every release, so that values of the same jobs differ."
CHANGE = "`leeward read --as change --against` gives the change between two of them an interval."


@dataclass(frozen=True)
class SeriesPoint:
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
class CellSeries:
    """A cell over releases, by period; made by `series`."""

    table: str
    cell: Mapping[str, Coded]
    unit: str
    points: tuple[SeriesPoint, ...]
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
            "cell": {name: coded.code for name, coded in self.cell.items()},
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
    sealed = [certificate.parent for certificate in sorted(path.glob(f"*/{CERTIFICATE}"))]
    folders = [at for at in sealed if not any((at / name).exists() for name in NO_BUNDLE)]
    bundles = [read_bundle(folder) for folder in folders]
    if not bundles:
        raise BadFile(
            OVER,
            rule="must be a bundle, or a folder of bundles",
            value=repr(str(path)),
            next_step="Give the folder that `leeward release` wrote, or the one around it.",
        )
    return bundles


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
) -> CellSeries:
    """A cell of a table in a release and in others, which must have the same table."""
    about = bundle[table].about
    wanted = ", ".join(about.identifiers) or "nothing"
    step = f"Give such as {','.join(f'{name}=…' for name in about.identifiers) or 'no cell'}."
    if {*cell} != {*about.identifiers}:
        rule = f"must give a code to each of {wanted}, and to nothing else"
        named = shown(", ".join(cell) or "nothing")
        raise InvalidParameter(CELL, rule=rule, value=named, next_step=step)
    for name, code in cell.items():
        if code not in about.listed(name):
            rule = f"must give a code of {name} that the table has"
            raise InvalidParameter(CELL, rule=rule, value=shown(code), next_step=step)
    releases = {release.path.resolve(): release for release in (bundle, *over)}
    tables = {path: _same_table(bundle, release, table) for path, release in releases.items()}
    points, notes = [], []
    dated = {path: release.certificate for path, release in releases.items()}
    for path, stated in sorted(
        dated.items(), key=lambda item: (item[1].period, item[1].created, item[1].name)
    ):
        point = _point(releases[path], tables[path], cell)
        if point is None:
            notes.append(f"The cell is not in the table of {stated.name}, {stated.period}.")
        else:
            points.append(point)
    coded = {name: Coded(cell[name], about.listed(name)[cell[name]]) for name in about.identifiers}
    notes += _notes(bundle, about, releases.values(), tables.values())
    return CellSeries(table, coded, about.unit, tuple(points), tuple(dict.fromkeys(notes)))


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


def _point(bundle: Bundle, table: CertifiedTable, cell: Mapping[str, str]) -> SeriesPoint | None:
    """The row of the cell; None where the release has none."""
    if any(code not in table.listed(name) for name, code in cell.items()):
        return None
    wanted = RowSelection(filters=cell, totals=table.totals is not None)
    rows = select(bundle, table.name, wanted, size=1).rows
    if not rows:
        return None
    row, (low, high) = rows[0], rows[0].ends or (None, None)
    return SeriesPoint(
        bundle.certificate.period, bundle.path.name, row.value, low, high, row.status
    )


def _notes(
    bundle: Bundle,
    about: CertifiedTable,
    bundles: Iterable[Bundle],
    tables: Iterable[CertifiedTable],
) -> Iterator[str]:
    """What a reader should know of all points."""
    if not about.counts:
        yield f"Values are the {about.statistic_words}, in {about.unit}."
    if about.margins.coverage is None:
        yield "The table has no margins, so that nothing is known of the noise."
    else:
        holds = cases(Fraction(about.margins.coverage))
        yield f"low and high are as published; each interval holds in {holds}, by itself."
    yield f"{HONEST} {CHANGE}" if about.counts else HONEST
    for table in tables:
        yield from table_notes(about, table)
        if table.bias is not None:
            yield f"Values may be off on average, which is not corrected. {table.bias}"
    if any(other.certificate.jobs != bundle.certificate.jobs for other in bundles):
        yield "The releases treat workers with several jobs differently."


def left_out(number: int, folder: Path) -> str:
    """What to say of bundles without the table."""
    return f"{counted(number, 'bundle')} of {folder} without the same table left out."
