"""Groups: sums of the cells of a published table by some of its identifiers, with drawn errors."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from leeward.core.codebook import Dimension, Marginal, Published
from leeward.core.codebook.cells import Integers
from leeward.core.codebook.flow_classes import MEASURE
from leeward.core.codebook.totals import Sums
from leeward.core.errors import Damaged, InvalidParameter, shown
from leeward.core.noise.cell_errors import drawn_parts
from leeward.core.noise.scales import DRAWS
from leeward.core.noise.tabulated import Floats
from leeward.derived.derive.stated_errors import Errors, require_counts, stated_draws
from leeward.derived.settle.noisy_table import numbered
from leeward.publishing.bundle import Bundle, CertifiedTable
from leeward.publishing.bundle.blocks import certified, join, read_blocks
from leeward.publishing.bundle.total_check import stated_marginal

MOST_ROWS = 5_000_000
"""Maximum number of rows of a table: all cells are held in memory."""

MOST_GROUPS = 10_000
"""Maximum number of groups: the draws of all their errors are held in memory."""

Codes = tuple[str, ...]


@dataclass(frozen=True)
class Groups:
    """Sums of cells by the identifiers `by`, in the order of the table.

    `values` are the sums of groups with an establishment, `cells` how many cells each is made of,
    `errors` draws of what the sums are off by.
    """

    table: CertifiedTable
    by: tuple[str, ...]
    codes: tuple[Codes, ...]
    values: Integers
    cells: Integers
    errors: Errors

    def __len__(self) -> int:
        return len(self.codes)

    def truths(self, place: int) -> tuple[Floats, Floats]:
        """Draws of the true sum of a group, for the lower and for the upper end of an interval."""
        return self.errors.truths(self.values, place)

    def places(self) -> dict[Codes, int]:
        """The place of each group by its codes."""
        return {codes: place for place, codes in enumerate(self.codes)}


def read_groups(
    bundle: Bundle, name: str, by: Iterable[str], *words: str, many: int = DRAWS
) -> Groups:
    """The groups of a table with a number of draws; other words give draws of another seed.

    Measures are never added up: they are numbers of the same jobs.
    """
    table = certified(bundle, name)
    require_counts(table)
    kept = _ordered(table, by if table.disjoint else (*by, MEASURE))
    draws = stated_draws(bundle.certificate, table, *words, draws=many)
    marginal, published = stated_marginal(table), _published(bundle, table)
    empty, rest = _grouped(Sums.of(published), marginal, kept)
    if empty.values.size > MOST_GROUPS:
        raise InvalidParameter(
            "by",
            rule=f"must make at most {MOST_GROUPS:,} groups",
            value=f"{empty.values.size:,}",
            next_step=f"Leave out identifiers; the rows of {table.name} have margins already.",
        )
    sums, drawn = empty, np.zeros((empty.values.size, (1 + draws.halved) * many), np.float32)
    drawn_from = drawn_parts(published, draws, of_classes=table.of_classes)
    for number, (part, errors) in enumerate(drawn_from):
        here, _ = _grouped(Sums.of(part, errors), marginal, kept)
        sums = sums.plus(here) if number else here
    if sums.errors is not None:
        drawn = sums.errors.drawn().reshape(drawn.shape)
    there = np.repeat(sums.ok > 0, rest.worker_cells)
    cells = np.repeat(sums.ok, rest.worker_cells) * (table.worker_cells // rest.worker_cells)
    named = zip(_codes(sums, rest, kept), there, strict=True)
    codes = tuple(group for group, here in named if here)
    numbers = sums.values.ravel()[there], cells[there]
    return Groups(table, kept, codes, *numbers, Errors.of(drawn[there], draws, table))


def _ordered(table: CertifiedTable, by: Iterable[str]) -> tuple[str, ...]:
    """Identifiers in the order of the table; others are refused."""
    names = tuple(by)
    for name in names:
        if name not in table.identifiers:
            raise InvalidParameter(
                "by",
                rule=f"must be some of {', '.join(table.identifiers) or 'nothing'}",
                value=shown(name),
                next_step=f"Choose among the identifiers of {table.name}, or leave it out.",
            )
    return tuple(name for name in table.identifiers if name in names)


def _published(bundle: Bundle, table: CertifiedTable) -> Published:
    """All cells of a table, those of a workplace combination in a row."""
    if table.cell_rows > MOST_ROWS:
        raise InvalidParameter(
            "table",
            rule=f"must have at most {MOST_ROWS:,} rows",
            value=f"{table.cell_rows:,}",
            next_step="Derive numbers of a smaller table.",
        )
    parts, each = list(read_blocks(bundle, table, totals=False)), table.worker_cells
    nothing = np.zeros(0, np.int64)
    if not parts:
        margins = dict.fromkeys(table.margin_columns, nothing.reshape(0, each))
        return Published(nothing, nothing.reshape(0, each), nothing, margins)
    rows = join(parts)
    positions = dict(zip(table.identifiers, rows.positions, strict=True))
    keys = numbered(table.codes, positions, len(rows))
    whole = keys.reshape(-1, each) if len(keys) % each == 0 else nothing.reshape(-1, each)
    if len(whole) * each < len(keys) or (np.diff(keys) < 1).any() or (whole[:, 0] % each).any():
        raise Damaged(
            "bundle",
            rule=f"the table {table.name} must have each cell once, in the order of its codes",
            value="something else",
            next_step="Ask for the bundle again, or see what `leeward verify` finds.",
        )
    frame = None if rows.establishments is None else rows.establishments[::each]
    return Published(
        whole[:, 0] // each,
        rows.values.reshape(-1, each),
        rows.status[::each],
        {name: margin.reshape(-1, each) for name, margin in rows.margins.items()},
        frame,
    )


def _grouped(sums: Sums, marginal: Marginal, by: Codes) -> tuple[Sums, Marginal]:
    """Sums over all other identifiers, the last ones first, as totals are added up."""
    for dimension in reversed(marginal.dimensions):
        if dimension.name not in by:
            sums = sums.added(dimension.name, marginal)
            marginal = replace(
                marginal,
                workplace=_single(marginal.workplace, dimension.name),
                worker=_single(marginal.worker, dimension.name),
            )
    return sums, marginal


def _single(dimensions: Iterable[Dimension], name: str) -> tuple[Dimension, ...]:
    """The dimension of this name has one code that is left."""
    return tuple(replace(part, kept=(0,)) if part.name == name else part for part in dimensions)


def _codes(sums: Sums, marginal: Marginal, by: Codes) -> Iterable[Codes]:
    """The codes of each group, the worker part fastest."""
    parts = (marginal.workplace, marginal.worker)
    places = (marginal.workplace_positions(sums.keys), marginal.worker_positions())
    counts = (len(sums.keys), marginal.worker_cells)
    named = []
    for dimensions, columns, count in zip(parts, places, counts, strict=True):
        kept = [
            np.array(dimension.codes, object)[column]
            for dimension, column in zip(dimensions, columns, strict=True)
            if dimension.name in by
        ]
        named.append(list(zip(*kept, strict=True)) if kept else [()] * count)
    return (left + right for left, right in product(*named))
