"""Balance: what was counted in two ways must agree, or the noise would follow a wrong size.

Ids that a database takes for equal in one query and not in the next, rows that come or go in
between: whatever the reason, a table that does not balance is not released.
"""

from collections.abc import Mapping

from leeward.engines.database import Database
from leeward.engines.frame import Sites
from leeward.engines.relations import Table
from leeward.errors import BadData


def require_balance(
    database: Database, tables: Mapping[str, Table], sites: Sites, entries: Table | None
) -> None:
    """Every establishment stands once, and every job at one of them, with one worker.

    `entries` has spot and jobs of everything that was counted by workers, before any filter.
    """
    found = sites.table.aggregate(rows=sites.table.count(), jobs=sites.table.jobs.sum())
    (held,) = database.rows(found)
    expected = [_rows(database, tables[name]) for name in ("workplaces", "jobs")]
    balanced = expected == [int(held["rows"]), int(held["jobs"] or 0)]
    if not balanced or (entries is not None and _differing(database, sites, entries)):
        raise BadData(
            "data",
            rule="must have every job at one workplace and one worker in each query alike",
            value="sums that differ (not shown)",
            next_step="Run `leeward check`; give the columns of ids one binary collation; release "
            "from data at rest.",
        )


def _rows(database: Database, table: Table) -> int:
    (found,) = database.rows(table.aggregate(rows=table.count()))
    return int(found["rows"])


def _differing(database: Database, sites: Sites, entries: Table) -> int:
    """How many spots have other jobs by workers than they have in all."""
    added = entries.group_by(at=entries.spot).aggregate(counted=entries.jobs.sum())
    spots = sites.spots.select("spot", "jobs")
    both = spots.left_join(added, spots.spot == added["at"])
    return _rows(database, both.filter(both.jobs != both.counted.fill_null(0)))
