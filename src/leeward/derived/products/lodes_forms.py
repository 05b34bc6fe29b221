"""Forms of LODES: files whose columns add up the tables of a release, by place, home or both.

A table is by residence if an attribute of workers is called home, or home_ and more.
"""

from collections.abc import Mapping
from typing import Self

from pydantic import model_validator

from leeward.core.codebook.yaml_document import Written
from leeward.core.errors import InvalidParameter
from leeward.publishing.bundle import Bundle, CertifiedTable

WORK, HOME = "w_geocode", "h_geocode"
AREA_WORDS = {WORK: "place", HOME: "home"}


def is_home(identifier: str) -> bool:
    """Whether an identifier is where workers live."""
    return identifier == "home" or identifier.startswith("home_")


class LodesForm(Written):
    """A kind of file: by which areas, and with which columns."""

    name: str
    part: str
    """What the name of its files says of the jobs in it."""
    areas: tuple[str, ...]
    total: str
    columns: str
    """Its columns among those of `counted`."""
    counted: Mapping[str, Mapping[str, Mapping[str, str]]]
    not_made: tuple[str, ...] = ()
    """Columns of zeros."""
    note: str = ""
    """What a reader of its files must know."""

    @model_validator(mode="after")
    def _has_columns(self) -> Self:
        if self.columns not in self.counted or not {*self.areas} <= {*AREA_WORDS}:
            raise ValueError("must have columns that are listed, and areas of work or home")
        return self

    @property
    def groups(self) -> Mapping[str, Mapping[str, str]]:
        """For each attribute the column of each code; empty for a code that has none."""
        return self.counted[self.columns]

    @property
    def header(self) -> tuple[str, ...]:
        """The header."""
        counted = (column for codes in self.groups.values() for column in codes.values() if column)
        return (*self.areas, self.total, *dict.fromkeys(counted), *self.not_made, "createdate")

    def areas_of(self, table: CertifiedTable) -> tuple[str, ...] | None:
        """The identifiers that are the areas of this form; None where a table has no such."""
        work = [name for name in table.workplace_identifiers[:1] if name != "sector"]
        homes = [name for name in table.worker_identifiers if is_home(name)]
        areas = tuple(name for area in self.areas for name in {WORK: work, HOME: homes}[area])
        return areas if len(areas) == len(self.areas) else None

    def tables(self, bundle: Bundle) -> dict[str, CertifiedTable]:
        """The table of each attribute, all by the same areas."""
        by = dict.fromkeys(self.areas_of(table) for table in bundle.certificate.tables)
        missing = []
        for areas in by:
            if areas is None:
                continue
            fitting = {name: self._fitting(bundle, areas, name) for name in self.groups}
            tables = {name: table for name, table in fitting.items() if table is not None}
            if len(tables) == len(self.groups):
                return tables
            missing.append(next(name for name, table in fitting.items() if table is None))
        attribute = missing[0] if missing else next(iter(self.groups))
        codes, homes = ", ".join(list(self.groups[attribute])[:5]), HOME in self.areas
        words = [*(AREA_WORDS[area] for area in self.areas), attribute]
        groups = [name for name in self.groups if name != "sector"]
        listed = ["home", *(f"[home, {name}]" for name in groups)] if homes else groups
        raise InvalidParameter(
            "--lodes",
            rule=f"needs a table by {' and '.join(words)}, with the codes {codes}…, of all jobs",
            value=f"a bundle without a table of {attribute} for {self.name.upper()}",
            next_step=f"Release by: [place, sector] with breakdowns: [{', '.join(listed)}].",
        )

    def _fitting(
        self, bundle: Bundle, areas: tuple[str, ...], attribute: str
    ) -> CertifiedTable | None:
        """The first table of all jobs by these areas and the attribute, and no other of workers."""
        homes = {name for name in areas if is_home(name)}
        worker = homes if attribute == "sector" else {*homes, attribute}
        for table in bundle.certificate.tables:
            whole = table.disjoint and table.where is None and {*table.worker_identifiers} == worker
            known = {*table.codes.get(attribute, {"": ""})} <= {*self.groups[attribute]}
            if whole and known and self.areas_of(table) == areas:
                return table
        return None

    def zones(self, bundle: Bundle) -> tuple[str, tuple[str, ...]]:
        """The identifier that is its home, and its codes."""
        table = next(iter(self.tables(bundle).values()))
        name = next(name for name in table.worker_identifiers if is_home(name))
        return name, tuple(table.codes[name])
