"""Figure: the pictures of a report, drawn from summaries."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from leeward.bundle import BudgetStatement, CertifiedTable
from leeward.pictures.picture import Picture
from leeward.pictures.plain import Bar, Bin, bars, budget, heat_map, histogram
from leeward.report.cells import Cell, Key, Matrix
from leeward.report.number import count
from leeward.report.summary import Margins

WIDE, NARROW = 720, 320
MOST_BINS = 24
LABEL_ROOM, COLUMN_ROOM = 44, 16
"""Characters of a label beside a bar or row, and over a column."""
SHORTEST = 6
JOINT = " · "
TOTAL = "All jobs"


@dataclass(frozen=True)
class Figure:
    """A picture for a screen or a page, and the same one for a phone."""

    wide: Picture
    narrow: Picture
    caption: str


def _figure(draw: Callable[..., Picture], title: str, caption: str) -> Figure:
    return Figure(draw(title=title, width=WIDE), draw(title=title, width=NARROW), caption)


def largest_cells(table: CertifiedTable, cells: Sequence[Cell], of: int) -> Figure:
    """The largest of `of` values as bars with their margins."""
    items = [Bar(cell_label(table, cell.codes), cell.value, cell.margin) for cell in cells]
    whiskers = " Lines show the margins." if table.has_margins else ""
    title = f"{_many(len(cells), of)} of {table.name}"
    return _figure(partial(bars, items), title, f"{title}.{whiskers}")


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
        columns = [JOINT.join(key) for key in matrix.columns]
        caption += f" {_legend(table, across)}"
    return _figure(partial(heat_map, rows, columns, values), title, caption)


def _legend(table: CertifiedTable, names: Sequence[str]) -> str:
    """What the codes of some identifiers mean."""
    meanings = (
        f"{_cut(code, LABEL_ROOM)} {_cut(label, LABEL_ROOM)}"
        for name in names
        for code, label in table.codes[name].items()
    )
    return f"{'; '.join(meanings)}."


def margin_bins(table: CertifiedTable, margins: Margins) -> Figure:
    """How many cells have a margin of which width."""
    bins = [Bin(one.range.low, one.range.high, one.cells) for one in margins.bins]
    while len(bins) > MOST_BINS:
        bins = [_joined(bins[at : at + 2]) for at in range(0, len(bins), 2)]
    title = f"Margins of {table.name}"
    caption = f"{title}: how many cells have a margin of so many jobs."
    return _figure(partial(histogram, bins, x="margin in jobs"), title, caption)


def _joined(pair: Sequence[Bin]) -> Bin:
    return Bin(pair[0].low, pair[-1].high, sum(one.count for one in pair))


def account(stated: BudgetStatement) -> Figure | None:
    """What was spent before, by this release, and what is left; None where ε alone is not all."""
    if any(one.rho != "0" for one in (stated.paid, stated.spent, stated.cap)):
        return None
    now, spent = Fraction(stated.paid.epsilon), Fraction(stated.spent.epsilon)
    draw = partial(budget, max(spent - now, Fraction(0)), now, Fraction(stated.left.epsilon))
    caption = "The ε of the account: spent before, paid for this release, and left."
    return _figure(draw, "The budget of the account", caption)


def cell_label(table: CertifiedTable, codes: Key) -> str:
    """What a cell counts: the labels of its codes."""
    return key_label(table, table.identifiers, codes) or TOTAL


def key_label(table: CertifiedTable, names: Sequence[str], codes: Key) -> str:
    """The labels of some codes of a cell, the longest of them cut first."""
    labels = [table.codes[name].get(code) or code for name, code in zip(names, codes, strict=True)]
    room = LABEL_ROOM - len(JOINT) * (len(labels) - 1)
    longest = min(max(map(len, labels), default=0), LABEL_ROOM)
    while longest > SHORTEST and sum(min(len(label), longest) for label in labels) > room:
        longest -= 1
    return JOINT.join(_cut(label, longest) for label in labels)


def _cut(label: str, longest: int) -> str:
    return label if len(label) <= longest else label[: longest - 1].rstrip() + "…"


def _names(names: Sequence[str]) -> str:
    return " × ".join(names)
