"""Frame: the workplace combinations that exist, found in the workplaces table alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from operator import add

from leeward.engines.database import Database
from leeward.engines.profile import Profile, Side, one_cell_each
from leeward.engines.recoding import numbered, profile_name, recoded, same_id
from leeward.engines.relations import Column, Table, ibis
from leeward.engines.scratch import Scratch
from leeward.model import Codebook, Marginal

MOST_NUMBERS = 2**62
"""Above this many combinations they are ranked, since their numbers would not fit."""


def workplace_side(marginal: Marginal) -> Side:
    """What decides the frame of a table: workplace part and workplace filters."""
    filters = tuple(one for one in marginal.filters if one.attribute.of_workplaces)
    return marginal.workplace, filters


@dataclass(frozen=True)
class Sites:
    """The establishments, and the spots by which counts are kept.

    A spot is one for each combination of profiles, or one for each establishment. `table` has id
    and spot, and owner if owners are asked for; `spots` has spot, profiles, jobs, and the largest
    establishment. Jobs are all jobs of the establishments, 0 where they have none.
    """

    table: Table
    spots: Table
    profiles: tuple[Profile, ...]
    each_establishment: bool = False


@dataclass(frozen=True)
class Frame:
    """The cells of one workplace side, numbered 0, 1, … by `place` in the order of `cell`.

    `places` has place, cell, largest, jobs; `spots` has spot, place, jobs (of the spot).
    """

    places: Table
    spots: Table
    cells: int
    one_spot_each: bool
    """Whether no two spots lie in the same cell."""


def find_establishments(
    scratch: Scratch,
    tables: dict[str, Table],
    codebook: Codebook,
    profiles: Sequence[Profile],
    *,
    owners: bool = False,
) -> Table:
    """id, profiles and jobs of every establishment, and perhaps the id of its owner."""
    keys = codebook.keys.workplaces
    ids = {"id": keys.id}
    if owners:
        ids["owner"] = keys.id if keys.employer is None else keys.employer
    coded = recoded(scratch, tables["workplaces"], ids, profiles)
    jobs = tables["jobs"]
    sizes = jobs.group_by(at=jobs[codebook.keys.jobs.workplace]).aggregate(
        size=lambda group: group.count()
    )
    joined = coded.left_join(sizes, same_id(coded.id, sizes["at"]))
    size = joined["size"].fill_null(0).cast("int64")
    return joined.mutate(jobs=size).drop("at", "size")


def read_once(establishments: Table, profiles: tuple[Profile, ...]) -> Sites:
    """The sites for one frame alone, which needs no spots."""
    return Sites(establishments, establishments.mutate(spot=0, largest="jobs"), profiles)


def spotted(
    scratch: Scratch, establishments: Table, profiles: tuple[Profile, ...], *, each: bool
) -> Sites:
    """The sites with their spots, computed once."""
    if each:
        turn = ibis.row_number().over(order_by=establishments.id).cast("int32")
        known = establishments.mutate(spot=turn, largest="jobs", **_owner(establishments))
        table = scratch.keep(known)
        return Sites(table, table, profiles, each_establishment=True)
    values = [profile_name(k) for k in range(len(profiles))]
    spot = _spot([establishments[one] for one in values], [one.size for one in profiles])
    table = scratch.keep(establishments.mutate(spot=spot))
    grouped = table.group_by("spot", *values).aggregate(
        jobs=table.jobs.sum(), largest=table.jobs.max()
    )
    return Sites(table, scratch.keep(grouped), profiles)


def _owner(establishments: Table) -> dict[str, Column]:
    """A number for each owner, if owners are known; without an id, each for itself."""
    if "owner" not in establishments.columns:
        return {}
    owner = establishments.owner
    alone = ibis.cases((owner.isnull(), establishments.id))
    return {"owner": ibis.dense_rank().over(order_by=[owner, alone]).cast("int32")}


def _spot(values: Sequence[Column], sizes: Sequence[int]) -> Column:
    """One number for each combination of profiles, as narrow as it may be."""
    if prod(sizes) >= MOST_NUMBERS:
        return ibis.dense_rank().over(order_by=values).cast("int32")
    strides = [prod(sizes[k + 1 :]) for k in range(len(sizes))]
    # Ibis believes sums of int32 to be int64 and would drop this cast; profiles are no such sums.
    terms = [v.cast("int64") * stride for v, stride in zip(values, strides, strict=True)]
    spot = reduce(add, terms, ibis.literal(0, "int64"))
    return spot.cast("int32") if prod(sizes) < 2**31 else spot


def find_frame(database: Database, scratch: Scratch, sites: Sites, side: Side) -> Frame:
    """The cells of one side; the jobs table has no say in which exist."""
    inside = numbered(scratch, sites.spots, sites.profiles, side)
    inside = inside.select("spot", "jobs", "largest", cell="number")
    cells = inside.group_by("cell").aggregate(largest=inside.largest.max(), jobs=inside.jobs.sum())
    places = scratch.keep(
        cells.mutate(place=ibis.row_number().over(order_by=cells.cell).cast("int32"))
    )
    spots = inside.join(places.select("cell", "place"), "cell").select("spot", "place", "jobs")
    (found,) = database.rows(places.aggregate(cells=places.count()))
    one_each = not sites.each_establishment and one_cell_each(sites.profiles, side)
    return Frame(places, spots, int(found["cells"]), one_each)
