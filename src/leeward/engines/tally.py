"""Tally: jobs counted once by spot and profile, from which every worker table is added up."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from leeward.engines.frame import Frame, Sites, mixed
from leeward.engines.recoding import code_name, recoded, same_id
from leeward.engines.relations import Column, Table
from leeward.engines.scratch import Scratch
from leeward.model import Codebook, Dimension, Marginal


@dataclass(frozen=True)
class Tally:
    """`table` has spot, profile, jobs.

    A profile numbers the combinations of all worker and job attributes that some table needs.
    Each has one value more than codes: 0 for jobs that count in none of them.
    """

    table: Table
    dimensions: tuple[Dimension, ...]

    def code(self, dimension: Dimension) -> Column:
        """The index of the dimension's code in each profile, or LEFT_OUT."""
        k = self.dimensions.index(dimension)
        stride = prod(one.size + 1 for one in self.dimensions[k + 1 :])
        return self.table.profile // stride % (dimension.size + 1) - 1

    def is_cells_of(self, marginal: Marginal, frame: Frame) -> bool:
        """Whether no two entries fall into the same cell of a table, so that nothing is added."""
        return frame.one_spot_each and set(marginal.worker) == set(self.dimensions)

    def worker_cells(self, marginal: Marginal, frame: Frame) -> Table:
        """place, spot, worker, jobs: the counts of each spot in the worker cells of a table."""
        codes = {code_name(k): self.code(one) for k, one in enumerate(worker_side(marginal))}
        coded = self.table.select("spot", "jobs", **codes)
        inside = coded.filter(*(coded[name] >= 0 for name in codes))
        parts = [inside[code_name(k)] for k in range(len(marginal.worker))]
        worker = mixed(parts, [one.size for one in marginal.worker])
        numbered = inside.select("spot", "jobs", worker=worker)
        spots = frame.spots.select("spot", "place")
        return numbered.join(spots, "spot").select("place", "spot", "worker", "jobs")


def worker_side(marginal: Marginal) -> tuple[Dimension, ...]:
    """The worker part, then the filters on workers and jobs."""
    filters = (one for one in marginal.filters if not one.attribute.of_workplaces)
    return (*marginal.worker, *filters)


def count_profiles(
    scratch: Scratch,
    tables: dict[str, Table],
    codebook: Codebook,
    sites: Sites,
    marginals: Iterable[Marginal],
) -> Tally:
    """One pass over jobs and workers; the workers are read only if some table needs them."""
    needed = dict.fromkeys(one for marginal in marginals for one in worker_side(marginal))
    of_workers = tuple(one for one in needed if one.attribute.table == "workers")
    of_jobs = tuple(one for one in needed if one.attribute.table == "jobs")
    keys = codebook.keys.jobs
    ids = {"worker": keys.worker, "workplace": keys.workplace}
    jobs = _profiled(recoded(scratch, tables["jobs"], ids, of_jobs), list(ids), of_jobs)
    spots = sites.table.select("id", "spot")
    joined = jobs.join(spots, same_id(jobs.workplace, spots.id)).drop("id")
    profile = joined.part
    if of_workers:
        worker_ids = {"person": codebook.keys.workers.id}
        coded = recoded(scratch, tables["workers"], worker_ids, of_workers)
        people = _profiled(coded, ["person"], of_workers).rename(kind="part")
        joined = joined.join(people, same_id(joined.worker, people.person))
        total = [prod(one.size + 1 for one in part) for part in (of_workers, of_jobs)]
        profile = mixed([joined.kind, joined.part], total)
    narrow = joined.select("spot", profile=profile)
    counts = narrow.group_by("spot", "profile").aggregate(jobs=lambda group: group.count())
    return Tally(scratch.keep(counts), (*of_workers, *of_jobs))


def _profiled(table: Table, ids: list[str], dimensions: tuple[Dimension, ...]) -> Table:
    """The ids with one number for all the codes of a row."""
    sizes = [one.size + 1 for one in dimensions]
    part = mixed([table[code_name(k)] + 1 for k in range(len(sizes))], sizes)
    return table.select(*ids, part=part)
