"""Tally: jobs counted once by spot and profiles, from which every worker table is added up."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from leeward.engines.frame import Frame, Sites
from leeward.engines.profile import Profile, Side, find_profiles, one_cell_each
from leeward.engines.recoding import numbered, profile_name, recoded, same_id
from leeward.engines.relations import Table
from leeward.engines.scratch import Scratch
from leeward.model import Codebook, Marginal


@dataclass(frozen=True)
class Tally:
    """Counts of jobs by spot and by the profiles of workers and jobs.

    `counts` has spot, profiles and jobs; `sides` for each worker side the spot, jobs and number of
    the cell of every entry that counts in it.
    """

    profiles: tuple[Profile, ...]
    counts: Table
    sides: Mapping[Side, Table]

    def is_cells_of(self, marginal: Marginal, frame: Frame) -> bool:
        """Whether no two entries fall into the same cell of a table, so that nothing is added."""
        return frame.one_spot_each and one_cell_each(self.profiles, worker_side(marginal))

    def worker_cells(self, marginal: Marginal, frame: Frame) -> Table:
        """place, spot, worker, jobs: the counts of each spot in the worker cells of a table."""
        entries = self.sides[worker_side(marginal)].rename(worker="number")
        spots = frame.spots.select("spot", "place")
        return entries.join(spots, "spot").select("place", "spot", "worker", "jobs")


def worker_side(marginal: Marginal) -> Side:
    """The worker part, and the filters on workers and jobs."""
    filters = tuple(one for one in marginal.filters if not one.attribute.of_workplaces)
    return marginal.worker, filters


def count_profiles(
    scratch: Scratch,
    tables: dict[str, Table],
    codebook: Codebook,
    sites: Sites,
    marginals: Iterable[Marginal],
    *,
    ambiguous: bool = False,
) -> Tally:
    """One pass over jobs and workers; the workers are read only if some table needs them.

    With `ambiguous` a text that the database takes for several codes counts as an unlisted one.
    """
    sides = dict.fromkeys(map(worker_side, marginals))
    needed = [one for side in sides for part in side for one in part]
    of_jobs = find_profiles(one for one in needed if one.attribute.table == "jobs")
    of_workers = find_profiles(one for one in needed if one.attribute.table == "workers")
    keys = codebook.keys
    ids = {"worker": keys.jobs.worker, "workplace": keys.jobs.workplace}
    jobs = recoded(scratch, tables["jobs"], ids, of_jobs, ambiguous=ambiguous)
    spots = sites.table.select("id", "spot")
    joined = jobs.join(spots, same_id(jobs.workplace, spots.id)).drop("id")
    if of_workers:
        person = {"person": keys.workers.id}
        first = len(of_jobs)
        people = recoded(
            scratch, tables["workers"], person, of_workers, first=first, ambiguous=ambiguous
        )
        joined = joined.join(people, same_id(joined.worker, people.person))
    profiles = (*of_jobs, *of_workers)
    counts = scratch.keep(_counted(joined, len(profiles)))
    return Tally(profiles, counts, {one: _entries(scratch, counts, profiles, one) for one in sides})


def _counted(jobs: Table, profiles: int) -> Table:
    keys = ("spot", *map(profile_name, range(profiles)))
    return jobs.select(*keys).group_by(*keys).aggregate(jobs=lambda group: group.count())


def _entries(scratch: Scratch, counts: Table, profiles: tuple[Profile, ...], side: Side) -> Table:
    return numbered(scratch, counts, profiles, side).select("spot", "jobs", "number")
