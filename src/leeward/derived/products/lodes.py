"""LODES: tidy tables in the form of the workplace, residence and flow files of LODES.

WAC is by place of work, RAC by place of residence, OD by both; `lodes.yaml` has their columns.
Codes of places are written as they are: real files have the 15 digits of a census block there.
"""

import csv
import gzip
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from leeward.core.errors import InvalidParameter
from leeward.derived.products.lodes_forms import HOME, LodesForm, is_home
from leeward.derived.products.public_product import product
from leeward.derived.products.small_areas import OPTION, SmallAreas, shared_out
from leeward.publishing.bundle import Bundle, read_bundle
from leeward.publishing.bundle.blocks import join, read_blocks
from leeward.publishing.bundle.bundle_files import checksum_list, sha256
from leeward.publishing.bundle.disk import refused, write_file, writing

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
            block = join(list(read_blocks(bundle, table, totals=False)))
            positions = dict(zip(table.identifiers, block.positions, strict=True))
            shape = tuple(len(table.codes[area]) for area in form.areas_of(table) or ())
            size = int(np.prod(shape))
            areas = tuple(positions[area] for area in form.areas_of(table) or ())
            where = np.ravel_multi_index(areas, shape)
            for number, code in enumerate(table.codes[attribute]):
                mine = positions[attribute] == number
                counted = np.bincount(where[mine], block.values[mine], size)
                name = _column(attribute, form.groups[attribute][code])
                jobs[name] = jobs.get(name, 0) + counted.astype(np.int64).reshape(shape)
            there |= np.bincount(where, minlength=size).reshape(shape) > 0
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


@dataclass(frozen=True, eq=False)
class Lodes:
    """A new folder for the files, and the people by whom jobs of zones are shared out, if any."""

    folder: Path
    population: SmallAreas | None = None

    def require(self, source: Path) -> None:
        """Reject a bundle without the tables of a form, a wrong population, or an old folder."""
        bundle = read_bundle(source)
        fitting, missing = forms(bundle)
        if not fitting:
            raise next(iter(missing.values()))
        if self.population is not None:
            homes = [form for form in fitting if HOME in form.areas]
            if not homes:
                raise InvalidParameter(
                    OPTION,
                    rule="needs tables of which RAC or OD can be made",
                    value="a bundle without them",
                    next_step="Leave the option out, or release tables by home.",
                )
            for form in homes:
                self.population.require(*form.zones(bundle))
        if self.folder.exists() or not self.folder.parent.is_dir():
            rule = "must be a new folder in one that exists"
            raise refused(self.folder, rule, "Choose a name that is free.")

    def write(self, bundle: Bundle) -> dict[str, Path]:
        """Write a file of each form, their version and their checksums; paths by form."""
        stated, fitting = bundle.certificate, forms(bundle)[0]
        period = "_".join(stated.period.split())
        paths = {
            form.name: self.folder / f"{stated.name}_{form.name}_{form.part}_JT00_{period}.csv.gz"
            for form in fitting
        }
        with writing(self.folder):
            self.folder.mkdir()
            for form in fitting:
                counts = JobCounts.fill(form, bundle)
                if self.population is not None and HOME in form.areas:
                    counts = counts.shared(self.population, form.zones(bundle)[0])
                write_file(paths[form.name], counts.packed(stated.created))
            version = "".join(self._version(bundle, fitting))
            write_file(self.folder / "version.txt", version.encode())
            names = [*(path.name for path in paths.values()), "version.txt"]
            sums = {name: sha256(self.folder / name) for name in names}
            write_file(self.folder / f"lodes_{stated.name}.sha256sum", checksum_list(sums))
        return paths

    def _version(self, bundle: Bundle, fitting: list[LodesForm]) -> Iterator[str]:
        """What was written, what a reader must know of each form, and what its homes are."""
        stated, names = bundle.certificate, ", ".join(form.name.upper() for form in fitting)
        origin = "" if stated.made_from is None else f" made from {stated.made_from.name}"
        yield (
            f"Form of LODES 8.4 {names}, not data of the Census Bureau: {stated.name}{origin}, "
            f"{stated.period}, Leeward {stated.leeward}, certificate "
            f"{sha256(bundle.path / 'certificate.json')}\n"
        )
        yield from (f"{form.name.upper()}: {form.note}\n" for form in fitting if form.note)
        for form in fitting:
            if HOME not in form.areas:
                continue
            zone, name = form.zones(bundle)[0], form.name.upper()
            if self.population is None:
                yield f"{name}: h_geocode holds the codes of {zone} as they were released.\n"
            else:
                yield (
                    f"{name}: h_geocode is decoration inside each {zone}: made from public "
                    f"population, not from data ({self.population.origin}). Sums by {zone} alone "
                    "are the released ones.\n"
                )


def forms(bundle: Bundle) -> tuple[list[LodesForm], dict[str, InvalidParameter]]:
    """The forms that a bundle has tables for, and by name what is missing of the others.

    Of a bundle without homes nobody expects RAC and OD.
    """
    fitting: list[LodesForm] = []
    missing: dict[str, InvalidParameter] = {}
    tables, known = bundle.certificate.tables, product("lodes").added_up
    homes = any(is_home(name) for table in tables for name in table.worker_identifiers)
    for form in known.values() if homes else (known["wac"],):
        try:
            form.tables(bundle)
            fitting.append(form)
        except InvalidParameter as refusal:
            missing[form.name] = refusal
    return fitting, missing
