"""Comparison: the same table in two bundles, cell by cell.

Two releases of the same data differ only by their noise, and neither is wrong. Among many cells
some intervals of differences exclude 0 by chance, so it is stated how many. Cells are called
different by a test of all cells together, by the laws of the noise that both certificates state:
of those it chooses at most `LEVEL` are noise, on average. Without laws, as in tables of pay, no
cell is called different; differences are compared with both margins together.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from leeward.core.codebook import COUNT
from leeward.core.errors import InvalidParameter
from leeward.core.noise.scales import DRAWS
from leeward.core.show.interpretation import FALSE_DISCOVERIES, LEVEL, TESTS, UNTESTED
from leeward.core.show.numbers import count, counted, percent
from leeward.derived.derive.paired_cells import Ends, Pair, PairedCells, common, read_cells
from leeward.publishing.bundle import Bundle, CertifiedTable
from leeward.publishing.bundle.blocks import Booleans, certified
from leeward.publishing.bundle.table_statements import StatisticStatement

MOST_ROWS = 5_000_000
"""Maximum number of rows of a table that is compared: all cells are held in memory."""

MOST_DRAWN, FEWEST_DRAWS = 1 << 28, 99
"""Draws of all differences together, some seconds; and of each, of which the 90th is the end."""

AGAINST = "against"
"""Makes the seed of a second release another one: both may be of one plan."""

MOST_LISTED = 25
"""Number of most certain differences that are listed."""

DOTS = 2000
"""Maximum number of cells that are drawn."""

TIDIED = "Released numbers are compared: tidy values have no margins of their own."

DRAWN = Fraction(9, 10)
"""The coverage of a drawn interval of a difference."""


@dataclass(frozen=True)
class Comparison:
    """How many cells with an establishment both releases have, and how those differ.

    Of `bounded` differences that have an interval, `apart` exclude 0; None without margins.
    `different` are those that a test of all cells chooses; None without the laws of the noise,
    and `independent` says that the errors of cells are. `dots` are some of the cells in both, the
    marked ones first. `holds` is the least coverage of an interval; `drawn` says that intervals
    follow from draws of both noises, not from both margins together.
    """

    both: int
    only_first: int
    only_second: int
    bounded: int
    apart: int | None
    different: int | None
    holds: Fraction | None
    certain: tuple[Pair, ...]
    dots: tuple[Pair, ...]
    notes: tuple[str, ...]
    drawn: bool = False
    independent: bool = False
    unit: str = COUNT.unit

    @property
    def tested(self) -> bool:
        """Whether all cells were tested together."""
        return self.different is not None

    @property
    def marked(self) -> int:
        """How many cells are marked."""
        return (self.apart if self.different is None else self.different) or 0

    def marks(self, pair: Pair) -> bool:
        """Whether a cell is marked: different, or apart where that is not tested."""
        return pair.different if self.tested else pair.apart

    @property
    def by_chance(self) -> int:
        """How many intervals exclude 0 where no true number differs: on average, or at most."""
        missed = 0 if self.holds is None else (1 - self.holds) * self.bounded
        return round(missed)


def compare(first: Bundle, second: Bundle, table: str) -> Comparison:
    """What differs between the tables of this name."""
    stated = certified(first, table), certified(second, table)
    lists = _code_lists(*stated)
    here = read_cells(first, stated[0], lists)
    there = read_cells(second, stated[1], lists)
    pairs = common(here, there, lists)
    # Rows of flows have the noise of several classes: their margins stand for it.
    drawn = all(table.noise is not None and not table.of_classes for table in stated)
    independent = all(independent_errors(table) for table in stated)
    if drawn:
        ends = _drawn_ends(pairs, first, second, table)
        pairs = replace(pairs, ends=ends, different=_different(pairs, stated, independent))
    holds = DRAWN if drawn else _holds(*stated)
    chosen = pairs.different
    return Comparison(
        both=len(pairs),
        only_first=len(here) - len(pairs),
        only_second=len(there) - len(pairs),
        bounded=int(pairs.bounded.sum()),
        apart=None if holds is None else int(pairs.apart.sum()),
        different=None if chosen is None else int(chosen.sum()),
        holds=holds,
        certain=pairs.named(pairs.ranked(MOST_LISTED)),
        dots=pairs.named(pairs.sample(DOTS)),
        notes=(
            *release_notes(first, second),
            *([TIDIED] if any(table.tidied is not None for table in stated) else []),
            *table_notes(*stated),
            *(
                f"Values of the {which} release may be off on average. {table.bias}"
                for which, table in zip(("first", "second"), stated, strict=True)
                if table.bias is not None
            ),
        ),
        drawn=drawn,
        independent=independent,
        unit=stated[0].unit,
    )


def apart_words(comparison: Comparison) -> tuple[str, ...]:
    """How many intervals exclude 0, and how many do so by noise."""
    if comparison.apart is None or comparison.holds is None:
        return ("Margins are missing, so it is not known which differences are more than noise.",)
    drawn, excluding = comparison.drawn, comparison.apart
    kind = percent(float(comparison.holds)) if drawn else "both margins together"
    exclude = "excludes" if excluding == 1 else "exclude"
    intervals = counted(comparison.bounded, "interval")
    return (
        f"{count(excluding)} of {intervals} of a difference ({kind}) "
        f"{exclude} 0; noise alone gives up to about {count(comparison.by_chance)}.",
    )


def difference_words(comparison: Comparison) -> tuple[str, ...]:
    """How many cells are called different, by which test; or why none is."""
    different, test = comparison.different, TESTS[comparison.independent]
    if comparison.holds is None:
        return ()
    if different is None:
        return (UNTESTED,)
    if not different:
        return (f"No cell is called different. {FALSE_DISCOVERIES} {test}",)
    cells = f"{counted(different, 'cell')} {'is' if different == 1 else 'are'}"
    return (f"{cells} different. {FALSE_DISCOVERIES} {test}",)


def marked_words(comparison: Comparison) -> str:
    """What a mark means."""
    return "different" if comparison.tested else "larger than both margins together"


def independent_errors(table: CertifiedTable) -> bool:
    """Whether the errors of cells, and their widths, are independent of each other.

    Worker cells of a workplace cell share a factor of the noise, or a width that was released.
    """
    noise = table.noise
    if noise is None or noise.shared is not None or table.joint is not None:
        return False
    return table.worker_cells == 1 or not noise.share


def _different(
    pairs: PairedCells, stated: tuple[CertifiedTable, CertifiedTable], independent: bool
) -> Booleans | None:
    """Which cells differ, by the laws of both noises; None if these cannot be compared."""
    # As below: a page that is served must not load laws before they are needed.
    from leeward.core.noise.difference import comparable, p_values, significant, smallest_level  # noqa: PLC0415
    from leeward.derived.derive.stated_errors import noisy_numbers  # noqa: PLC0415

    rows = np.flatnonzero(pairs.bounded)
    cells = zip((pairs.first.take(rows), pairs.second.take(rows)), stated, strict=True)
    here, there = (
        noisy_numbers(table, each.values, each.low, each.establishments) for each, table in cells
    )
    if not comparable(here.noise, there.noise):
        return None
    level = float(LEVEL)
    least = smallest_level(max(len(rows), 1), level, independent=independent)
    chosen = np.zeros(len(pairs), np.bool_)
    chosen[rows] = significant(p_values(here, there, least), level, independent=independent)
    return chosen


def _drawn_ends(pairs: "PairedCells", first: Bundle, second: Bundle, name: str) -> "Ends":
    """The ends of all differences, by draws of the noise of both releases."""
    # A page that is served must not load draws before they are needed.
    from leeward.core.noise.cell_errors import AT_ONCE  # noqa: PLC0415
    from leeward.derived.derive.stated_errors import stated_draws  # noqa: PLC0415

    before, after = certified(first, name), certified(second, name)
    many = max(FEWEST_DRAWS, min(DRAWS, MOST_DRAWN // max(1, len(pairs))))
    draws = (
        stated_draws(first.certificate, before, AGAINST, draws=many),
        stated_draws(second.certificate, after, draws=many),
    )
    ends = np.zeros((2, len(pairs)), np.int64)
    for start in range(0, len(pairs), AT_ONCE):
        part = np.arange(start, min(start + AT_ONCE, len(pairs)))
        left, right = pairs.first.take(part), pairs.second.take(part)
        errors = right.errors(draws[1], after).less(left.errors(draws[0], before))
        ends[:, part] = errors.interval(right.values - left.values)
    return ends[0], ends[1]


def refuse_unlike(first: CertifiedTable, second: CertifiedTable, next_step: str) -> None:
    """Refuse tables whose cells or values do not mean the same."""
    if first.identifiers != second.identifiers:
        named = " and ".join(", ".join(t.identifiers) or "nothing" for t in (first, second))
        raise _refused("must be by the same identifiers in both bundles", named, next_step)
    if _read_as(first) != _read_as(second):
        named = " and ".join(table.statistic_words for table in (first, second))
        rule = "must have values of one statistic, with the same unit and cap, in both bundles"
        raise _refused(rule, named, next_step)


def _code_lists(first: CertifiedTable, second: CertifiedTable) -> list[dict[str, str]]:
    """The codes of each identifier with their labels: those of the first, then what is new."""
    refuse_unlike(first, second, "Compare another table.")
    for table in (first, second):
        if table.rows > MOST_ROWS:
            step = "Compare a smaller table here, and this one with a program that reads Parquet."
            raise _refused(f"must have at most {MOST_ROWS:,} rows", f"{table.rows:,}", step)
    return [first.codes[n] | second.codes[n] | first.codes[n] for n in first.identifiers]


def _read_as(table: CertifiedTable) -> tuple[object, ...] | None:
    """What a value is: of which column, in which unit, and what of its pay counts."""
    of = table.statistic
    if not isinstance(of, StatisticStatement):
        return None if of is None else (of.name, of.of)
    return of.name, of.of, of.per_period, of.low, of.cap, of.edges, of.at


def _holds(first: CertifiedTable, second: CertifiedTable) -> Fraction | None:
    """Either margin fails with its own probability, so both hold with at least the rest."""
    stated = (first.margins.coverage, second.margins.coverage)
    if not (first.has_margins and second.has_margins and all(stated)):
        return None
    return max(Fraction(0), sum((Fraction(share or 0) for share in stated), Fraction(-1)))


def release_notes(first: Bundle, second: Bundle) -> Iterator[str]:
    """What is different about the releases, so that cells may differ for more than noise."""
    before, after = first.certificate, second.certificate
    if before.period != after.period:
        yield f"The first release is of {before.period}, the second of {after.period}."
    if before.jobs != after.jobs:
        yield "The releases treat workers with several jobs differently."
    mixed = (before.made_from is None) != (after.made_from is None)
    if mixed and before.anchor == after.anchor:
        yield "Both bundles are of one release: they have the same noise."


def table_notes(first: CertifiedTable, second: CertifiedTable) -> Iterator[str]:
    """What is different about two tables by the same identifiers."""
    if first.where != second.where:
        yield "The tables count different jobs: the filters in their plans differ."
    for name in first.identifiers:
        if set(first.codes[name]) != set(second.codes[name]):
            yield f"The codes of {name} differ: cells with a code of one list are in one release."


def _refused(rule: str, value: str, next_step: str) -> InvalidParameter:
    return InvalidParameter("table", rule=rule, value=value, next_step=next_step)
