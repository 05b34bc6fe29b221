"""Section: what a report says and draws about one table."""

from collections.abc import Iterable
from dataclasses import dataclass

from leeward.core.codebook import Flag
from leeward.core.codebook.marginal import BLOCK
from leeward.core.mechanisms.registry import REGISTRY
from leeward.core.privacy.words import of_unit
from leeward.core.show.charts import Bin, histogram
from leeward.core.show.notebook import Figure
from leeward.core.show.numbers import count, counted, crossed, loss, losses, share
from leeward.interface.report.summary import MarginRange, Margins, TableSummary, flags
from leeward.publishing.bundle import CertifiedTable
from leeward.publishing.bundle.bundle_files import csv_path, metadata_path, parquet_path
from leeward.publishing.bundle.csvw import lines_to_read
from leeward.publishing.bundle.figure import Matrix, cell_bars, squares
from leeward.publishing.bundle.readme import filtered

MOST_BINS = 16
"""Maximum number of bins of a histogram; of more, neighbours are joined."""

SQUARE, BAR = 25, 250
"""Minimum bytes of a cell of a heat map and of a bar."""

STATUSES = {
    1: "a count with noise",
    -1: "no number: what was measured gives none, as a mean of less than half a job",
    -2: "no establishment of this kind exists: an exact 0 without margin",
}

UNKNOWN_NOISE = "Random whole numbers were added to the counts."


@dataclass(frozen=True)
class Detail:
    """How much a report draws: maximum bars and squares of a table, tables, and lines of lists.

    None means no limit.
    """

    bars: int
    squares: int
    margins: bool = True
    tables: int | None = None
    listed: int | None = None

    @property
    def sentence(self) -> str:
        """What was left out; empty at full detail."""
        if self == DETAILS[0]:
            return ""
        kept = f"at most {self.bars} cells of a table" if self.bars else "no pictures"
        if self.squares:
            kept += f", and all of them only where they are at most {self.squares}"
        first = "" if self.tables is None else f" Only the first {self.tables} have a section here."
        return f"To keep this file small, it shows {kept}.{first}"


DETAILS = (
    Detail(bars=25, squares=1000),
    Detail(bars=15, squares=400),
    Detail(bars=10, squares=100),
    Detail(bars=5, squares=0),
    Detail(bars=0, squares=0, margins=False),
    Detail(bars=0, squares=0, margins=False, tables=100, listed=1000),
)
"""From most to least; a report takes the first that stays below its maximum size."""


@dataclass(frozen=True)
class Section:
    """One table: facts as pairs of words, and figures."""

    anchor: str
    summary: TableSummary
    figures: tuple[Figure, ...]
    facts: tuple[tuple[str, str], ...]
    described: bool

    @property
    def files(self) -> tuple[tuple[str, str], ...]:
        """The files of the table, each with its path in the bundle."""
        name = self.table.name
        paths = {"CSV": csv_path(name), "Parquet": parquet_path(name)}
        if self.described:
            paths["CSVW description"] = metadata_path(name)
        return tuple(paths.items())

    @property
    def lines(self) -> dict[str, str]:
        """For R and Stata the line that reads it."""
        return lines_to_read(self.table)

    @property
    def table(self) -> CertifiedTable:
        """What the certificate says about it."""
        return self.summary.table


def statuses(table: CertifiedTable) -> dict[int, str]:
    """The status flags that a table may have, and what they mean."""
    own = {} if table.counts else {int(Flag.OK): f"a number in {table.unit}, with noise"}
    return {flag: own.get(flag, STATUSES[flag]) for flag in flags(table)}


def section(number: int, summary: TableSummary, detail: Detail, *, described: bool) -> Section:
    """The section of a table; `number` is its place in the certificate, from 1."""
    table, figures = summary.table, list[Figure]()
    matrix = _drawn(summary, detail)
    if matrix is not None:
        figures.append(squares(table, matrix))
    shown = summary.bars[: detail.bars]
    if shown:
        figures.append(cell_bars(table, shown, summary.cells, summary.ranks))
    if summary.margins is not None and summary.margins.cells > 1 and detail.margins:
        figures.append(margin_bins(table, summary.margins))
    return Section(f"table-{number}", summary, tuple(figures), _facts(summary), described)


def at_least(summaries: Iterable[TableSummary], detail: Detail) -> int:
    """A lower bound for the bytes of the pictures, so that too large a report is not drawn."""
    pairs = ((_drawn(summary, detail), summary.bars[: detail.bars]) for summary in summaries)
    return sum(SQUARE * (matrix.size if matrix else 0) + BAR * len(bars) for matrix, bars in pairs)


def _drawn(summary: TableSummary, detail: Detail) -> Matrix | None:
    """The matrix, if it is not empty and not larger than the detail allows."""
    fits = summary.matrix is not None and 0 < summary.matrix.size <= detail.squares
    return summary.matrix if fits else None


def margin_bins(table: CertifiedTable, margins: Margins) -> Figure:
    """The number of cells by the width of their margins."""
    bins = [Bin(width.range.low, width.range.high, width.cells) for width in margins.bins]
    while len(bins) > MOST_BINS:
        pairs = (bins[at : at + 2] for at in range(0, len(bins), 2))
        bins = [Bin(pair[0].low, pair[-1].high, sum(each.count for each in pair)) for pair in pairs]
    title = f"Margins of {table.heading}"
    chart = histogram(bins, title=title, x=f"Margin in {table.unit}")
    half = " (half of the way from low to high)" if table.margins.ends else ""
    return Figure(chart, f"{title}: the number of cells by the width of their margin{half}.")


def _facts(summary: TableSummary) -> tuple[tuple[str, str], ...]:
    table, attributes = summary.table, summary.table.attributes or {}
    noise = of_unit(noise_sentence(table.mechanism), table.guarantee.unit)
    values, rows = counted(summary.cells, "value"), counted(sum(summary.statuses.values()), "row")
    whole = " Combinations without an establishment are there too." if table.complete else ""
    totals = table.total_rows
    added = f" {counted(totals, 'row')} of totals, added from them." if totals else ""
    lacking = ""
    if not table.counts:  # of pay: all counts have a number
        few = summary.statuses[Flag.NO_NUMBER]
        of = few + summary.cells
        lacking = f"{count(few)} of {count(of)} cells ({share(few, of)}): status −1."
    paid, joint = table.margins.epsilon, table.joint
    part = f", of it ε\u00a0{loss(paid)} for the margins" if paid is not None else ""
    together = "" if joint is None else f", for all tables of {joint.name} together"
    facts = {
        "Note": table.note or "",
        "By": by(table),
        **{table.label(name): attribute.note or "" for name, attribute in attributes.items()},
        "Values": "" if table.statistic is None else table.statistic.sentence,
        "Counts": f"Only jobs {filtered(table.where)}." if table.where else "All jobs.",
        "Mechanism": f"{table.mechanism}. {noise}",
        "Cost": f"{losses(table.guarantee)}{together}{part}.",
        "Released with": "" if joint is None else joint.sentence,
        "Cells": f"{values} with noise in {rows}.{whole}{added}",
        "Without a number": lacking,
        "Negative values": _negative(summary),
        "Margins": _margins(summary),
        "Bias": table.bias or "",
    }
    return tuple((name, words) for name, words in facts.items() if words)


def by(table: CertifiedTable) -> str:
    """The identifiers of a table."""
    return crossed(map(table.label, table.identifiers))


def _negative(summary: TableSummary) -> str:
    if summary.negative == 0:
        return "None."
    part = share(summary.negative, summary.cells)
    words = f"{count(summary.negative)} of {count(summary.cells)} ({part})"
    return f"{words}. They are right; see “How to read the numbers”."


def _margins(summary: TableSummary) -> str:
    margins, table = summary.margins, summary.table
    if margins is None or margins.cells == 0:
        return table.margins.note
    least = "at least " if table.allows_for_clipping else ""
    coverage = table.margins.coverage
    coverage = f"With a coverage of {least}{coverage}. " if coverage else ""
    bounded, apart, together = "" if table.counts else " with both ends", "", ""
    noise, allowance = summary.noise, summary.allowance
    if noise is not None and allowance is not None:  # intervals that allow for clipping
        apart = (
            f"Of that, half of the cells have noise of at most ±{margin(noise.median)}, and up to "
            f"{margin(allowance.median)} more above the value that allow for clipping; nine in ten "
            f"have at most ±{margin(noise.ninth)} and {margin(allowance.ninth)}. "
        )
    if table.margins.block_coverage is not None:  # readers of a worker table must know it
        block = (column for column in table.margin_columns if column.startswith(BLOCK))
        named = " and ".join(f"`{column}`" for column in block)
        together = (
            f" Cells of one workplace cell hold or miss together: {named} hold for all of them at "
            f"once with a probability of {table.margins.block_coverage}. Use them to compare cells "
            "of one workplace cell."
        )
    return (
        f"{coverage}Half of the cells{bounded} have a margin of at most {margin(margins.median)} "
        f"{table.unit}, nine in ten of at most {margin(margins.ninth)}. {apart}"
        f"{_open(summary)}{table.margins.note}{together}"
    )


def _open(summary: TableSummary) -> str:
    """The cells whose margin tells little: of counts those that may be 0, of pay those without."""
    table, cells = summary.table, 0 if summary.margins is None else summary.margins.cells
    if not table.counts:
        of, lacking = summary.cells, summary.unbounded
        part = f"In {count(lacking)} of {count(of)} cells ({share(lacking, of)})"
        return f"{part} there is no margin: low or high is empty. "
    why = "the value alone does not tell whether there is a job at all"
    return (
        f"In {count(summary.wide)} of {count(cells)} cells ({share(summary.wide, cells)}) the "
        f"margin reaches zero{f': {why}' if table.disjoint else ''}. "
    )


def margin(width: MarginRange | None) -> str:
    """A margin, or the range that holds it."""
    if width is None:
        return "none"
    if width.low == width.high:
        return count(width.low)
    return f"{count(width.low)} to {count(width.high)}"


def noise_sentence(mechanism: str) -> str:
    """What was added to the counts, in the mechanism's own words."""
    known = REGISTRY.get(mechanism)
    return UNKNOWN_NOISE if known is None else known.words.noise
