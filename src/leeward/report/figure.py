"""Figure: the charts of a report, made from summaries."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from leeward.bundle import BudgetStatement, CertifiedTable
from leeward.report.cells import Cell, Key, Matrix
from leeward.report.summary import Margins
from leeward.show.charts import Bar, Bars, Bin, Budget, Part, bars, budget, histogram
from leeward.show.heat import HeatMap, heat_map
from leeward.show.numbers import count, cut

MOST_BINS = 16
"""Maximum number of bins of a histogram; of more, neighbours are joined."""

COLUMN_ROOM = 16
"""Length in characters from which a column is named by its code."""

JOINT = " · "
TOTAL = "All jobs"


@dataclass(frozen=True)
class Figure:
    """A chart and its caption."""

    chart: Bars | Budget | HeatMap
    caption: str


def largest_cells(table: CertifiedTable, cells: Sequence[Cell], of: int) -> Figure:
    """The largest of `of` values as bars with their margins."""
    items = [Bar(cell_label(table, cell.codes), cell.value, cell.margin) for cell in cells]
    whiskers = " Lines show the margins." if table.has_margins else ""
    title = f"{_many(len(cells), of)} of {table.name}"
    return Figure(bars(items, title=title), f"{title}.{whiskers}")


def _many(shown: int, of: int) -> str:
    if of == 1:
        return "The only cell"
    return f"All {of} cells" if shown == of else f"The {shown} largest of {count(of)} cells"


def squares(table: CertifiedTable, matrix: Matrix) -> Figure:
    """Every cell of a small table as a shaded square."""
    down, across = matrix.layout.down, matrix.layout.across
    rows = [key_label(table, down, key) for key in matrix.rows]
    columns = [key_label(table, across, key) for key in matrix.columns]
    values = [[None if one is None else one.value for one in row] for row in matrix.squares]
    title = f"Every cell of {table.name}"
    caption = f"{title}: {_names(down)} from top to bottom, {_names(across)} from left to right."
    if not matrix.whole:
        caption += " Rows and columns without any establishment are left out."
    if max(map(len, columns), default=0) > COLUMN_ROOM:
        columns = [JOINT.join(map(cut, key)) for key in matrix.columns]
        caption += f" {_legend(table, across)}"
    return Figure(heat_map(rows, columns, values, title=title), caption)


def _legend(table: CertifiedTable, names: Sequence[str]) -> str:
    """The labels of the codes of some identifiers."""
    meanings = (
        f"{cut(code)} {cut(label)}" for name in names for code, label in table.codes[name].items()
    )
    return f"{'; '.join(meanings)}."


def margin_bins(table: CertifiedTable, margins: Margins) -> Figure:
    """The number of cells by the width of their margins."""
    bins = [Bin(one.range.low, one.range.high, one.cells) for one in margins.bins]
    while len(bins) > MOST_BINS:
        bins = [_joined(bins[at : at + 2]) for at in range(0, len(bins), 2)]
    title = f"Margins of {table.name}"
    chart = histogram(bins, title=title, x="Margin in jobs")
    return Figure(chart, f"{title}: the number of cells by the width of their margin.")


def _joined(pair: Sequence[Bin]) -> Bin:
    return Bin(pair[0].low, pair[-1].high, sum(one.count for one in pair))


def account(stated: BudgetStatement) -> Figure | None:
    """What was spent before, by this release, and what is left; None where ε alone is not all."""
    if any(one.rho != "0" for one in (stated.paid, stated.spent, stated.cap)):
        return None
    now, spent = Fraction(stated.paid.epsilon), Fraction(stated.spent.epsilon)
    parts = [Part("Spent before", max(spent - now, Fraction(0))), Part("This release", now)]
    chart = budget(parts, Fraction(stated.left.epsilon), title="The budget of the account")
    return Figure(chart, "The ε of the account: spent before, paid for this release, and left.")


def cell_label(table: CertifiedTable, codes: Key) -> str:
    """What a cell counts: the labels of its codes."""
    return key_label(table, table.identifiers, codes) or TOTAL


def key_label(table: CertifiedTable, names: Sequence[str], codes: Key) -> str:
    """The labels of some codes of a cell."""
    labels = (table.codes[name].get(code) or code for name, code in zip(names, codes, strict=True))
    return JOINT.join(map(cut, labels))


def _names(names: Sequence[str]) -> str:
    return " × ".join(names)
