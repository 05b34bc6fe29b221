"""Totals of a table: added from what is published while it is written, their margins by draws."""

from collections.abc import Iterator
from hashlib import sha256

from leeward.bundle.statements import TotalsStatement
from leeward.model import Flag, Published
from leeward.model.totals import Family, Totals
from leeward.noise.sums import DRAWS, NoiseDraws, Singles, margins_of_sums
from leeward.publishing.plan import PlannedTable

AT_ONCE = 1 << 10
"""Cells whose noise is drawn together."""

SEED_DIGITS = 12
"""Hexadecimal digits of a seed: every reader of JSON holds the number exactly."""

ADDED = (
    "A row with a total code is the sum of the published values of its rows, to the last job, and "
    "costs nothing. An attribute that leaves jobs out leaves them out of its totals. "
)
DRAWN = (
    "The margin of a total covers 90 % of the draws of the sum of its rows' noise, by the "
    "public law of that noise. Anyone can repeat the draws: the seed is public."
)


def seed(digest: str, table: str) -> int:
    """The public seed of a table's draws, from the digest of the plan."""
    return int(sha256(f"{digest} {table}".encode()).hexdigest()[:SEED_DIGITS], 16)


def stated_totals(table: PlannedTable, digest: str) -> TotalsStatement | None:
    """What a certificate says of the totals, before there are rows; None without totals."""
    marginal = table.marginal
    if not marginal.totals:
        return None
    drawn = table.measurement.cell_noise() is not None
    return TotalsStatement(
        codes={one.name: one.attribute.total or "" for one in marginal.dimensions
               if one.name in marginal.totals},
        rows=0,
        draws=DRAWS if drawn else None,
        seed=seed(digest, table.name) if drawn else None,
        sentence=ADDED + (DRAWN if drawn else ""),
    )  # fmt: skip


class AddedTotals:
    """The totals of a table with their margins, from its published cells in order."""

    def __init__(self, table: PlannedTable, digest: str) -> None:
        noise = table.measurement.cell_noise() if table.marginal.totals else None
        self._draws = None if noise is None else NoiseDraws(noise, seed(digest, table.name))
        self._totals = Totals(table.marginal, margins_of_sums)

    def add(self, published: Published) -> None:
        """The next cells, a part at a time: draws take much memory."""
        if not self._totals.families:
            return
        step = max(1, AT_ONCE // published.values.shape[1])
        for start in range(0, len(published.keys), step):
            part = published.part(slice(start, start + step))
            self._totals.add(part, self._noise(part))

    def _noise(self, part: Published) -> Singles | None:
        if self._draws is None or part.margins is None:
            return None
        return self._draws.draw(part.margins, part.flags == Flag.OK)

    def rows(self) -> Iterator[tuple[Family, Published]]:
        """All totals, family by family."""
        return self._totals.rows()
