"""Tabulation: the shared pass over the data, and the queries that each table makes on it."""

from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa

from leeward.engines.counted import counted_jobs
from leeward.engines.database import Database
from leeward.engines.frame import Frame, Side, find_frame, find_sites, spotted, workplace_side
from leeward.engines.relations import Table, ibis
from leeward.engines.scratch import Scratch
from leeward.engines.tally import Tally, count_profiles
from leeward.errors import InvalidParameter
from leeward.model import Codebook, JobsRule, Marginal, SingleJob


class Tabulation:
    """What is needed to read any of the prepared tables."""

    def __init__(
        self,
        database: Database,
        scratch: Scratch,
        codebook: Codebook,
        rule: JobsRule,
        marginals: Sequence[Marginal],
        establishments: Sequence[Marginal],
    ) -> None:
        self._database = database
        self._marginals = frozenset((*marginals, *establishments))
        self._establishments = frozenset(establishments)
        tables = dict(database.tables(needed_columns(codebook, rule)))
        jobs = counted_jobs(tables["jobs"], codebook, rule)
        tables["jobs"] = jobs if isinstance(rule, SingleJob) else scratch.keep(jobs)
        sides = list(dict.fromkeys(map(workplace_side, (*marginals, *establishments))))
        sites = find_sites(scratch, tables["workplaces"], tables["jobs"], codebook, sides)
        sites = spotted(scratch, sites, each_establishment=bool(establishments))
        self._frames: dict[Side, Frame] = {
            side: find_frame(database, scratch, sites, side) for side in sides
        }
        counted = [one for one in self._marginals if one.kind == "worker"]
        counted.sort(key=lambda one: one.name)
        self._tally: Tally | None = (
            count_profiles(scratch, tables, codebook, sites, counted) if counted else None
        )

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

    def cells(self, marginal: Marginal, *, cell_largest: bool) -> Iterator[pa.RecordBatch]:
        """place, cell, largest, worker, jobs[, cell_largest] in order of place."""
        frame = self.frame(marginal, establishments=cell_largest)
        names = ("jobs", "cell_largest") if cell_largest else ("jobs",)
        if marginal.kind == "workplace" or self._tally is None:
            # Every job counts in the one cell, so the largest establishment is also its largest.
            places = frame.places.mutate(
                worker=ibis.literal(0, "int32"), cell_largest=frame.places.largest
            )
            query = places.select("place", "cell", "largest", "worker", *names)
            return self._database.stream(query.order_by("place"))
        counts = self._worker_counts(self._tally.worker_cells(marginal, frame), cell_largest)
        places = frame.places.select("place", "cell", "largest")
        joined = places.left_join(counts.rename(at="place"), places.place == counts.place)
        query = joined.select(
            "place",
            "cell",
            "largest",
            worker=joined.worker.fill_null(-1),
            **{name: joined[name].fill_null(0) for name in names},
        )
        return self._database.stream(query.order_by("place"))

    @staticmethod
    def _worker_counts(parts: Table, cell_largest: bool) -> Table:
        if not cell_largest:
            return parts.group_by("place", "worker").aggregate(jobs=parts.jobs.sum())
        each = parts.group_by("place", "spot", "worker").aggregate(jobs=parts.jobs.sum())
        return each.group_by("place", "worker").aggregate(
            jobs=each.jobs.sum(), cell_largest=each.jobs.max()
        )

    def establishments(self, marginal: Marginal) -> Iterator[pa.RecordBatch]:
        """place, cell, spot, size, worker, jobs in order of place and spot; spot -1: nobody."""
        frame = self.frame(marginal, establishments=True)
        places = frame.places.select("place", "cell")
        staffed = frame.spots.filter(frame.spots.jobs > 0).rename(size="jobs", at="place")
        joined = places.left_join(staffed, places.place == staffed["at"]).drop("at")
        if marginal.kind == "workplace" or self._tally is None:
            joined = joined.mutate(worker=ibis.literal(0, "int32"), jobs=joined["size"])
        else:
            parts = self._tally.worker_cells(marginal, frame)
            each = parts.group_by(by="spot", worker="worker").aggregate(jobs=parts.jobs.sum())
            joined = joined.left_join(each, joined.spot == each.by).drop("by")
        query = joined.select(
            "place",
            "cell",
            spot=joined.spot.fill_null(-1),
            size=joined["size"].fill_null(0),
            worker=joined.worker.fill_null(-1),
            jobs=joined.jobs.fill_null(0),
        )
        return self._database.stream(query.order_by("place", "spot"))


def needed_columns(codebook: Codebook, rule: JobsRule) -> Mapping[str, tuple[str, ...]]:
    """The columns of each table that are ever read."""
    chosen: dict[str, dict[str, None]] = {"workplaces": {}, "workers": {}, "jobs": {}}
    for table, column in codebook.columns():
        chosen[table][column] = None
    if hasattr(rule, "column"):
        chosen["jobs"][rule.column] = None
    return {table: tuple(columns) for table, columns in chosen.items()}
