"""LODES: tidy tables in the form of the workplace, residence and flow files of LODES.

Columns, their order and their meaning are those of version 8.4 (LODES technical documentation of
the LEHD program, U.S. Census Bureau): WAC by place of work, RAC by place of residence, OD by both.
Race, ethnicity and schooling have the codes of the LEHD public-use schema V4.14, sectors those of
NAICS. Codes of places are written as they are: real files have the 15 digits of a census block
there. A table is by residence if an attribute of workers is called home, or home_ and more.
"""

import csv
import gzip
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from leeward.core.errors import InvalidParameter
from leeward.derived.products.small_areas import OPTION, SmallAreas, shared_out
from leeward.publishing.bundle import Bundle, CertifiedTable, read_bundle
from leeward.publishing.bundle.blocks import join, read_blocks
from leeward.publishing.bundle.bundle_files import checksum_list, sha256
from leeward.publishing.bundle.disk import refused, write_file, writing

SECTORS = (
    *("11", "21", "22", "23", "31-33", "42", "44-45", "48-49", "51", "52", "53", "54", "55"),
    *("56", "61", "62", "71", "72", "81", "92"),
)
"""NAICS sectors in the order of CNS01 to CNS20."""

GOODS, TRADE = ("11", "21", "23", "31-33"), ("22", "42", "44-45", "48-49")
"""Sectors of SI01 and SI02: goods producing; trade, transportation and utilities."""

Groups: TypeAlias = Mapping[str, Mapping[str, str | None]]
"""For each attribute the column of each code; None for jobs whose schooling is not asked."""

GROUPS: Groups = {
    "age": {"A01": "CA01", "A02": "CA02", "A03": "CA03"},
    "earnings": {"CE01": "CE01", "CE02": "CE02", "CE03": "CE03"},
    "sector": {code: f"CNS{number:02}" for number, code in enumerate(SECTORS, 1)},
    "race": {
        **{f"A{number}": f"CR0{number}" for number in range(1, 6)},
        "A7": "CR07",
    },
    "ethnicity": {"A1": "CT01", "A2": "CT02"},
    "schooling": {**{f"E{number}": f"CD0{number}" for number in range(1, 5)}, "E5": None},
    "sex": {"M": "CS01", "F": "CS02"},
}

FLOWS: Groups = {
    "age": {"A01": "SA01", "A02": "SA02", "A03": "SA03"},
    "earnings": {"CE01": "SE01", "CE02": "SE02", "CE03": "SE03"},
    "sector": {
        code: "SI01" if code in GOODS else "SI02" if code in TRADE else "SI03" for code in SECTORS
    },
}

NOT_MADE = tuple(f"{group}{number:02}" for group in ("CFA", "CFS") for number in range(1, 6))
"""Age and size of firms: zeros, as in files of all jobs; sizes are confidential here."""

WORK, HOME = "w_geocode", "h_geocode"
AREA_WORDS = {WORK: "place", HOME: "home"}


def is_home(identifier: str) -> bool:
    """Whether an identifier is where workers live."""
    return identifier == "home" or identifier.startswith("home_")


Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Form:
    """A kind of file: by which areas, and with which columns."""

    name: str
    part: str
    """What the name of its files says of the jobs in it."""
    areas: tuple[str, ...]
    total: str
    groups: Groups
    not_made: tuple[str, ...] = ()
    note: str = ""
    """What a reader of its files must know."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The header."""
        made = (name for codes in self.groups.values() for name in codes.values())
        counted = (name for name in dict.fromkeys(made) if name is not None)
        return (*self.areas, self.total, *counted, *self.not_made, "createdate")

    def areas_of(self, table: CertifiedTable) -> tuple[str, ...] | None:
        """The identifiers that are the areas of this form; None where a table has no such."""
        work = [one for one in table.workplace_identifiers[:1] if one != "sector"]
        homes = [one for one in table.worker_identifiers if is_home(one)]
        found = {WORK: work, HOME: homes}
        areas = tuple(one for area in self.areas for one in found[area])
        return areas if len(areas) == len(self.areas) else None

    def tables(self, bundle: Bundle) -> dict[str, CertifiedTable]:
        """The table of each attribute, all by the same areas."""
        found = (self.areas_of(one) for one in bundle.certificate.tables)
        missing = []
        for areas in dict.fromkeys(one for one in found if one is not None):
            fitting = {name: self._fitting(bundle, areas, name) for name in self.groups}
            made = {name: one for name, one in fitting.items() if one is not None}
            if len(made) == len(self.groups):
                return made
            missing.append(next(name for name, one in fitting.items() if one is None))
        raise self._missing(missing[0] if missing else next(iter(self.groups)))

    def _fitting(
        self, bundle: Bundle, areas: tuple[str, ...], attribute: str
    ) -> CertifiedTable | None:
        """The first table of all jobs by these areas and the attribute, and no other of workers."""
        homes = {one for one in areas if is_home(one)}
        worker = homes if attribute == "sector" else {*homes, attribute}
        for one in bundle.certificate.tables:
            whole = one.disjoint and one.where is None and {*one.worker_identifiers} == worker
            known = {*one.codes.get(attribute, {"": ""})} <= {*self.groups[attribute]}
            if whole and known and self.areas_of(one) == areas:
                return one
        return None

    def _missing(self, attribute: str) -> InvalidParameter:
        codes, homes = ", ".join(list(self.groups[attribute])[:5]), HOME in self.areas
        by = [*(AREA_WORDS[one] for one in self.areas), attribute]
        asked = [f"[home, {one}]" if homes else one for one in self.groups if one != "sector"]
        listed = ", ".join(["home", *asked] if homes else asked)
        return InvalidParameter(
            "--lodes",
            rule=f"needs a table by {' and '.join(by)}, with the codes {codes}…, of all jobs",
            value=f"a bundle without a table of {attribute} for {self.name.upper()}",
            next_step=f"Release by: [place, sector] with breakdowns: [{listed}].",
        )


AS_RELEASED = "w_geocode holds the codes of places as they were released."
WAC = Form(
    *("wac", "S000", (WORK,), "C000", GROUPS, NOT_MADE),
    note=f"{AS_RELEASED} CFA and CFS are not made: 0.",
)
RAC = Form("rac", "S000", (HOME,), "C000", GROUPS)
OD = Form(
    *("od", "main", (WORK, HOME), "S000", FLOWS),
    note=f"{AS_RELEASED} Flows without a job are left out.",
)
FORMS = (WAC, RAC, OD)


@dataclass(frozen=True, eq=False)
class Sheet:
    """A form that is filled: jobs of each column, by the codes of one or two areas."""

    form: Form
    codes: tuple[tuple[str, ...], ...]
    jobs: Mapping[str, Integers]
    """Also of codes without a column, under the name that `_column` gives them."""
    there: NDArray[np.bool_]
    """Where a row is written: areas that were released, and flows of at least one job."""

    @classmethod
    def fill(cls, form: Form, bundle: Bundle) -> Self:
        """Add up the tables of a form."""
        tables = form.tables(bundle)
        first = next(iter(tables.values()))
        codes = tuple(tuple(first.codes[one]) for one in form.areas_of(first) or ())
        shape = tuple(map(len, codes))
        jobs: dict[str, Integers] = {}
        there = np.zeros(shape, bool)
        for attribute, table in tables.items():
            there |= _added(form, bundle, table, attribute, jobs)
        sheet = cls(form, codes, jobs, there)
        for attribute, table in tables.items():
            _require_whole(table, sheet.sum_of(attribute), sheet.total)
        return sheet.without_empty()

    @property
    def total(self) -> Integers:
        """All jobs of each area."""
        return self.sum_of("sector")

    def sum_of(self, attribute: str) -> Integers:
        """The sum of an attribute's columns; jobs of a code without a column count too."""
        return np.asarray(sum(self.jobs[one] for one in self.parts(attribute)))

    def parts(self, attribute: str) -> list[str]:
        """The names of an attribute's columns."""
        named = (_column(attribute, one) for one in self.form.groups[attribute].values())
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
                for name, one in zip(
                    names, shared_out(parts, population.people[inside]), strict=True
                ):
                    jobs[name][..., inside] = one
        codes = (*self.codes[:-1], population.areas)
        return replace(self, codes=codes, jobs=jobs, there=np.ones(shape, bool)).without_empty()

    def without_empty(self) -> Self:
        """Flows without a job are left out; areas stay."""
        return self if len(self.codes) == 1 else replace(self, there=self.total > 0)

    def lines(self, day: str) -> Iterator[list[Any]]:
        """The rows of the file, its header first."""
        yield [*self.form.columns]
        total = self.total
        for row in zip(*np.nonzero(self.there), strict=True):
            areas = (codes[at] for codes, at in zip(self.codes, row, strict=True))
            numbers = {name: int(column[row]) for name, column in self.jobs.items()}
            known = dict(zip(self.form.areas, areas, strict=True)) | {
                self.form.total: int(total[row]),
                "createdate": day,
            }
            yield [(numbers | known).get(name, 0) for name in self.form.columns]


def _column(attribute: str, column: str | None) -> str:
    return column or f"no column of {attribute}"


def _added(
    form: Form, bundle: Bundle, table: CertifiedTable, attribute: str, jobs: dict[str, Integers]
) -> NDArray[np.bool_]:
    """Add the jobs of a table to the columns of its attribute; which areas the table has."""
    block = join(list(read_blocks(bundle, table, totals=False)))
    positions = dict(zip(table.identifiers, block.positions, strict=True))
    areas = form.areas_of(table) or ()
    shape = tuple(len(table.codes[one]) for one in areas)
    where = np.ravel_multi_index(tuple(positions[one] for one in areas), shape)
    for number, code in enumerate(table.codes[attribute]):
        mine = positions[attribute] == number
        counted = np.bincount(where[mine], block.values[mine], int(np.prod(shape)))
        name = _column(attribute, form.groups[attribute][code])
        jobs[name] = jobs.get(name, 0) + counted.astype(np.int64).reshape(shape)
    return np.bincount(where, minlength=int(np.prod(shape))).reshape(shape) > 0


def _require_whole(table: CertifiedTable, found: Integers, total: Integers) -> None:
    if not np.array_equal(found, total):
        raise InvalidParameter(
            "--lodes",
            rule="needs tables in which every job counts, released together",
            value=f"the table {table.name}, which does not add up to all jobs",
            next_step="Name codes with other and null_as in the codebook, and release with "
            "breakdowns.",
        )


@dataclass(frozen=True, eq=False)
class Lodes:
    """A new folder for the files, and the people by whom jobs of zones are shared out, if any."""

    folder: Path
    population: SmallAreas | None = None

    def require(self, source: Path) -> None:
        """Refuse a bundle without the tables of a form, a wrong population, or an old folder."""
        bundle = read_bundle(source)
        made, missing = forms(bundle)
        if not made:
            raise next(iter(missing.values()))
        if self.population is not None:
            self._require_zones(bundle, made)
        if self.folder.exists() or not self.folder.parent.is_dir():
            rule = "must be a new folder in one that exists"
            raise refused(self.folder, rule, "Choose a name that is free.")

    def _require_zones(self, bundle: Bundle, made: list[Form]) -> None:
        homes = [form for form in made if HOME in form.areas]
        if not homes:
            raise InvalidParameter(
                OPTION,
                rule="needs tables of which RAC or OD can be made",
                value="a bundle without them",
                next_step="Leave the option out, or release tables by home.",
            )
        for form in homes:
            zone, codes = _zones(form, bundle)
            if self.population is not None:
                self.population.require(zone, codes)

    def write(self, bundle: Bundle) -> dict[str, Path]:
        """Write a file of each form, their version and their checksums; paths by form."""
        stated, made = bundle.certificate, forms(bundle)[0]
        period = "_".join(stated.period.split())
        paths = {
            form.name: self.folder / f"{stated.name}_{form.name}_{form.part}_JT00_{period}.csv.gz"
            for form in made
        }
        with writing(self.folder):
            self.folder.mkdir()
            for form in made:
                write_file(paths[form.name], _packed(self._sheet(form, bundle), stated.created))
            write_file(self.folder / "version.txt", self._version(bundle, made).encode())
            names = [*(path.name for path in paths.values()), "version.txt"]
            sums = {one: sha256(self.folder / one) for one in names}
            write_file(self.folder / f"lodes_{stated.name}.sha256sum", checksum_list(sums))
        return paths

    def _sheet(self, form: Form, bundle: Bundle) -> Sheet:
        sheet = Sheet.fill(form, bundle)
        if self.population is None or HOME not in form.areas:
            return sheet
        return sheet.shared(self.population, _zones(form, bundle)[0])

    def _version(self, bundle: Bundle, made: list[Form]) -> str:
        stated, names = bundle.certificate, ", ".join(form.name.upper() for form in made)
        origin = "" if stated.made_from is None else f" made from {stated.made_from.name}"
        return "".join(
            (
                f"Form of LODES 8.4 {names}, not data of the Census Bureau: {stated.name}{origin}, "
                f"{stated.period}, Leeward {stated.leeward}, certificate "
                f"{sha256(bundle.path / 'certificate.json')}\n",
                *(f"{form.name.upper()}: {form.note}\n" for form in made if form.note),
                *(self._homes(form, bundle) for form in made if HOME in form.areas),
            )
        )

    def _homes(self, form: Form, bundle: Bundle) -> str:
        """What h_geocode holds in a form."""
        zone, name = _zones(form, bundle)[0], form.name.upper()
        if self.population is None:
            return f"{name}: h_geocode holds the codes of {zone} as they were released.\n"
        return (
            f"{name}: h_geocode is decoration inside each {zone}: made from public population, not "
            f"from data ({self.population.origin}). Sums by {zone} alone are the released ones.\n"
        )


def forms(bundle: Bundle) -> tuple[list[Form], dict[str, InvalidParameter]]:
    """The forms that a bundle has tables for, and by name what is missing of the others.

    Of a bundle without homes nobody expects RAC and OD.
    """
    made: list[Form] = []
    missing: dict[str, InvalidParameter] = {}
    tables = bundle.certificate.tables
    homes = any(is_home(one) for table in tables for one in table.worker_identifiers)
    for form in FORMS if homes else (WAC,):
        try:
            form.tables(bundle)
            made.append(form)
        except InvalidParameter as refusal:
            missing[form.name] = refusal
    return made, missing


def _zones(form: Form, bundle: Bundle) -> tuple[str, tuple[str, ...]]:
    """The identifier that is the home of a form, and its codes."""
    table = next(iter(form.tables(bundle).values()))
    name = next(one for one in table.worker_identifiers if is_home(one))
    return name, tuple(table.codes[name])


def _packed(sheet: Sheet, created: str) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(sheet.lines(created[:10].replace("-", "")))
    moment = int(datetime.fromisoformat(created).timestamp())
    return gzip.compress(text.getvalue().encode(), mtime=moment)
