"""Tabulation: the shared pass over the data, and the queries that each table makes on it."""

from dataclasses import dataclass

from leeward.engines.balance import require_balance
from leeward.engines.batches import Stream
from leeward.engines.bytewise import is_bytewise
from leeward.engines.database import Database
from leeward.engines.discretion import discreet_items
from leeward.engines.frame import (
    Frame,
    find_establishments,
    find_frame,
    read_once,
    spotted,
    workplace_side,
)
from leeward.engines.profile import Side, find_profiles
from leeward.engines.relations import Table, ibis
from leeward.engines.scratch import Scratch
from leeward.engines.tally import Tally, count_profiles
from leeward.engines.tidying import readable_tables, tidied
from leeward.errors import InvalidParameter
from leeward.model import EVERY_STEP, Codebook, JobsRule, Marginal, Steps


@dataclass(frozen=True)
class Wanted:
    """What a tabulation is for: tables, those asked by establishment, and whether with owners.

    `steps` are those without which the rows would be counted otherwise.
    """

    marginals: tuple[Marginal, ...]
    establishments: tuple[Marginal, ...]
    owners: bool = False
    steps: Steps = EVERY_STEP


class Tabulation:
    """What is needed to read any of the prepared tables."""

    def __init__(
        self,
        database: Database,
        scratch: Scratch,
        codebook: Codebook,
        rule: JobsRule,
        wanted: Wanted,
    ) -> None:
        self._database = database
        self._marginals = dict.fromkeys((*wanted.marginals, *wanted.establishments))
        self._establishments = frozenset(wanted.establishments)
        found_tables = readable_tables(database, codebook, rule)
        # A collation is lost where rows are kept: which steps are taken must not decide that.
        steps = wanted.steps if is_bytewise(found_tables["jobs"]) else EVERY_STEP
        tables = tidied(scratch, found_tables, codebook, rule, steps)
        sides = list(dict.fromkeys(map(workplace_side, self._marginals)))
        counted = [one for one in self._marginals if one.kind == "worker"]
        profiles = find_profiles(one for side in sides for part in side for one in part)
        found = find_establishments(scratch, tables, codebook, profiles, owners=wanted.owners)
        # What is read once is not compared with anything.
        once = not counted and not wanted.establishments and len(sides) == 1
        kept = not once or not is_bytewise(tables["jobs"])
        if kept:
            sites = spotted(scratch, found, profiles, each=bool(wanted.establishments))
        else:
            sites = read_once(found, profiles)
        self._owners: Table | None = sites.table if wanted.owners else None
        self._frames: dict[Side, Frame] = {
            side: find_frame(database, scratch, sites, side) for side in sides
        }
        self._tally: Tally | None = None
        if counted:
            once_each = "ambiguous_code" in steps
            self._tally = count_profiles(
                scratch, tables, codebook, sites, counted, ambiguous=once_each
            )
        if kept:
            require_balance(database, tables, sites, self._tally and self._tally.counts)

    def frame(self, marginal: Marginal, *, establishments: bool = False) -> Frame:
        """The frame of a prepared table."""
        prepared = self._establishments if establishments else self._marginals
        if marginal not in prepared:
            raise InvalidParameter(
                "marginal",
                rule="must be prepared first"
                + (" with its establishments" if establishments else ""),
                value=repr(marginal.name),
                next_step="Give it to prepare.",
            )
        return self._frames[workplace_side(marginal)]

    def places(self, frame: Frame) -> Stream:
        """place, cell and largest of every workplace cell."""
        return self._stream(frame.places.select("place", "cell", "largest"))

    def cells(self, marginal: Marginal, *, cell_largest: bool) -> Stream:
        """place, worker, counts and perhaps cell_largest of the cells with jobs."""
        frame = self.frame(marginal, establishments=cell_largest)
        names = ("counts", "cell_largest") if cell_largest else ("counts",)
        if marginal.kind == "workplace" or self._tally is None:
            # Every job counts in the one cell, so the largest establishment is also its largest.
            every = frame.places.select(
                "place",
                worker=ibis.literal(0, "int32"),
                counts=frame.places.jobs,
                cell_largest=frame.places.largest,
            )
            return self._stream(every.select("place", "worker", *names))
        parts = self._tally.worker_cells(marginal, frame)
        if self._tally.is_cells_of(marginal, frame):
            return self._stream(parts.select("place", "worker", counts="jobs"))
        return self._stream(_added(parts, cell_largest))

    def spots(self, frame: Frame, *, owners: bool) -> Stream:
        """place, spot, size and perhaps owner of every establishment with jobs."""
        staffed = frame.spots.filter(frame.spots.jobs > 0).rename(size="jobs")
        if not owners:
            return self._stream(staffed.select("place", "spot", "size"))
        if self._owners is None:
            raise InvalidParameter(
                "owners",
                rule="must be prepared first",
                value="tables that were prepared without",
                next_step="Give owners=True to prepare.",
            )
        owned = staffed.join(self._owners.select("spot", "owner"), "spot")
        return self._stream(owned.select("place", "spot", "size", "owner"))

    def establishments(self, marginal: Marginal) -> Stream:
        """place, spot, worker and counts of every establishment with jobs in the table."""
        frame = self.frame(marginal, establishments=True)
        if marginal.kind == "workplace" or self._tally is None:
            staffed = frame.spots.filter(frame.spots.jobs > 0)
            one = ibis.literal(0, "int32")
            return self._stream(staffed.select("place", "spot", worker=one, counts="jobs"))
        parts = self._tally.worker_cells(marginal, frame)
        each = parts.group_by("place", "spot", "worker").aggregate(counts=parts.jobs.sum())
        return self._stream(each)

    def _stream(self, query: Table) -> Stream:
        pieces = self._database.stream(query.order_by("place"))
        return Stream(tuple(query.columns), discreet_items(pieces))


def _added(parts: Table, cell_largest: bool) -> Table:
    """Counts of spots added up to cells."""
    if not cell_largest:
        return parts.group_by("place", "worker").aggregate(counts=parts.jobs.sum())
    each = parts.group_by("place", "spot", "worker").aggregate(jobs=parts.jobs.sum())
    return each.group_by("place", "worker").aggregate(
        counts=each.jobs.sum(), cell_largest=each.jobs.max()
    )
