"""Frame: the workplace combinations that exist, found in the workplaces table alone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod

from leeward.engines.database import Database
from leeward.engines.recoding import code_name, recoded, same_id
from leeward.engines.relations import Column, Table, ibis
from leeward.engines.scratch import Scratch
from leeward.model import Codebook, Dimension, Marginal

Side = tuple[tuple[Dimension, ...], tuple[Dimension, ...]]
"""Workplace part and workplace filters: all that decides the frame of a table."""


MOST_NUMBERS = 2**62
"""Above this many combinations they are ranked, since their numbers would not fit."""


def workplace_side(marginal: Marginal) -> Side:
    """What decides the frame of a table."""
    filters = tuple(one for one in marginal.filters if one.attribute.of_workplaces)
    return marginal.workplace, filters


@dataclass(frozen=True)
class Sites:
    """The establishments: `table` has id, jobs, spot, and one code for each of `dimensions`.

    Jobs are all jobs of the establishment, 0 where it has none. A spot is what counts are kept
    by: one for each combination of codes, or one for each establishment.
    """

    table: Table
    dimensions: tuple[Dimension, ...]
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


def find_sites(
    scratch: Scratch, workplaces: Table, jobs: Table, codebook: Codebook, sides: Iterable[Side]
) -> Sites:
    """Recode the workplaces and count the jobs of each."""
    dimensions = tuple(dict.fromkeys(one for side in sides for part in side for one in part))
    coded = recoded(scratch, workplaces, {"id": codebook.keys.workplaces.id}, dimensions)
    sizes = jobs.group_by(employer=jobs[codebook.keys.jobs.workplace]).aggregate(
        size=lambda group: group.count()
    )
    joined = coded.left_join(sizes, same_id(coded.id, sizes.employer))
    size = joined["size"].fill_null(0).cast("int64")
    return Sites(joined.mutate(jobs=size, spot=0).drop("employer", "size"), dimensions)


def spotted(scratch: Scratch, sites: Sites, each_establishment: bool) -> Sites:
    """The sites with their spots, computed once."""
    codes = [sites.table[code_name(k)] for k in range(len(sites.dimensions))]
    sizes = [one.size + 1 for one in sites.dimensions]
    if each_establishment:
        spot = ibis.row_number().over(order_by=sites.table.id).cast("int32")
    elif prod(sizes) < MOST_NUMBERS:
        spot = mixed([code + 1 for code in codes], sizes)
    else:
        spot = ibis.dense_rank().over(order_by=codes).cast("int32")
    table = scratch.keep(sites.table.mutate(spot=spot))
    return Sites(table, sites.dimensions, each_establishment)


def find_frame(database: Database, scratch: Scratch, sites: Sites, side: Side) -> Frame:
    """The cells of one side; the jobs table has no say in which exist."""
    parts = [sites.table[code_name(sites.dimensions.index(one))] for part in side for one in part]
    inside = sites.table.filter(*(code >= 0 for code in parts)) if parts else sites.table
    cell = mixed(parts[: len(side[0])], [one.size for one in side[0]])
    numbered = inside.select("spot", "jobs", cell=cell)
    cells = numbered.group_by("cell").aggregate(
        largest=numbered.jobs.max(), jobs=numbered.jobs.sum()
    )
    places = scratch.keep(
        cells.mutate(place=ibis.row_number().over(order_by=cells.cell).cast("int32"))
    )
    by_spot = numbered.group_by("spot", "cell").aggregate(jobs=numbered.jobs.sum())
    spots = by_spot.join(places.select("cell", "place"), "cell").select("spot", "place", "jobs")
    (found,) = database.rows(places.aggregate(cells=places.count()))
    one_each = not sites.each_establishment and set(side[0]) == set(sites.dimensions)
    return Frame(places, spots, int(found["cells"]), one_each)


def mixed(codes: Sequence[Column], sizes: Sequence[int]) -> Column:
    """One number for several indices, the first slowest; as narrow as it may be."""
    width = "int32" if prod(sizes) < 2**31 else "int64"
    if not codes:
        return ibis.literal(0, width)
    strides = [prod(sizes[k + 1 :]) for k in range(len(sizes))]
    terms = [code.cast("int64") * stride for code, stride in zip(codes, strides, strict=True)]
    return reduce(lambda left, right: left + right, terms).cast(width)
