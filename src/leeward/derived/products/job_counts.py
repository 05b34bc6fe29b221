"""Job counts: the numbers of a LODES file, added up from the tables of a release."""

import csv
import gzip
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from leeward.core.errors import InvalidParameter
from leeward.derived.products.lodes_forms import LodesForm
from leeward.derived.products.small_areas import SmallAreas, shared_out
from leeward.publishing.bundle import Bundle, CertifiedTable
from leeward.publishing.bundle.blocks import join, read_blocks

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class JobCounts:
    """A form that is filled: jobs of each column, by the codes of one or two areas."""

    form: LodesForm
    codes: tuple[tuple[str, ...], ...]
    jobs: Mapping[str, Integers]
    """Also of codes without a column, under the name that `_column` gives them."""
    there: NDArray[np.bool_]
    """Where a row is written: areas that were released, and flows of at least one job."""

    @classmethod
    def fill(cls, form: LodesForm, bundle: Bundle) -> Self:
        """Add up the tables of a form."""
        tables = form.tables(bundle)
        first = next(iter(tables.values()))
        codes = tuple(tuple(first.codes[area]) for area in form.areas_of(first) or ())
        jobs: dict[str, Integers] = {}
        there = np.zeros(tuple(map(len, codes)), bool)
        for attribute, table in tables.items():
            there |= _added(form, bundle, table, attribute, jobs)
        counts = cls(form, codes, jobs, there)
        for attribute, table in tables.items():
            if not np.array_equal(counts.sum_of(attribute), counts.total):
                raise InvalidParameter(
                    "--lodes",
                    rule="needs tables in which every job counts, released together",
                    value=f"the table {table.name}, which does not add up to all jobs",
                    next_step="Name codes with other and null_as in the codebook, and release with "
                    "breakdowns.",
                )
        return counts.without_empty()

    @property
    def total(self) -> Integers:
        """All jobs of each area."""
        return self.sum_of("sector")

    def sum_of(self, attribute: str) -> Integers:
        """The sum of an attribute's columns; jobs of a code without a column count too."""
        return np.asarray(sum(self.jobs[column] for column in self.parts(attribute)))

    def parts(self, attribute: str) -> list[str]:
        """The names of an attribute's columns."""
        named = (_column(attribute, column) for column in self.form.groups[attribute].values())
        return [name for name in dict.fromkeys(named) if name in self.jobs]

    def shared(self, population: SmallAreas, zone: str) -> Self:
        """The same by smaller areas of residence: jobs of a zone follow its people, not data."""
        shape = (*self.total.shape[:-1], len(population.areas))
        jobs = {name: np.zeros(shape, np.int64) for name in self.jobs}
        for number, code in enumerate(self.codes[-1]):
            inside = population.inside(zone, code)
            for attribute in self.form.groups:
                names = self.parts(attribute)
                parts = [np.atleast_1d(self.jobs[name][..., number]) for name in names]
                shares = shared_out(parts, population.people[inside])
                for name, share in zip(names, shares, strict=True):
                    jobs[name][..., inside] = share
        codes = (*self.codes[:-1], population.areas)
        return replace(self, codes=codes, jobs=jobs, there=np.ones(shape, bool)).without_empty()

    def without_empty(self) -> Self:
        """Flows without a job are left out; areas stay."""
        return self if len(self.codes) == 1 else replace(self, there=self.total > 0)

    def packed(self, created: str) -> bytes:
        """The file as CSV, packed, with the moment at which the bundle was created."""
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(self.lines(created[:10].replace("-", "")))
        moment = int(datetime.fromisoformat(created).timestamp())
        return gzip.compress(text.getvalue().encode(), mtime=moment)

    def lines(self, day: str) -> Iterator[list[Any]]:
        """The rows of the file, its header first."""
        yield [*self.form.header]
        total = self.total
        for row in zip(*np.nonzero(self.there), strict=True):
            areas = (codes[at] for codes, at in zip(self.codes, row, strict=True))
            numbers = {name: int(column[row]) for name, column in self.jobs.items()}
            known = dict(zip(self.form.areas, areas, strict=True)) | {
                self.form.total: int(total[row]),
                "createdate": day,
            }
            yield [(numbers | known).get(name, 0) for name in self.form.header]


def _column(attribute: str, column: str) -> str:
    return column or f"no column of {attribute}"


def _added(
    form: LodesForm,
    bundle: Bundle,
    table: CertifiedTable,
    attribute: str,
    jobs: dict[str, Integers],
) -> NDArray[np.bool_]:
    """Add the jobs of a table to the columns of its attribute; which areas the table has."""
    block = join(list(read_blocks(bundle, table, totals=False)))
    positions = dict(zip(table.identifiers, block.positions, strict=True))
    areas = form.areas_of(table) or ()
    shape = tuple(len(table.codes[area]) for area in areas)
    where = np.ravel_multi_index(tuple(positions[area] for area in areas), shape)
    for number, code in enumerate(table.codes[attribute]):
        mine = positions[attribute] == number
        counted = np.bincount(where[mine], block.values[mine], int(np.prod(shape)))
        name = _column(attribute, form.groups[attribute][code])
        jobs[name] = jobs.get(name, 0) + counted.astype(np.int64).reshape(shape)
    return np.bincount(where, minlength=int(np.prod(shape))).reshape(shape) > 0
