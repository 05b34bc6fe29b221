"""VEO: Veteran Employment Outcomes, one file for each group of veterans.

Names of files and columns are those of the public VEO tables (U.S. Census Bureau, LEHD program):
cohorts, codes of the group with their level, then numbers and flags, measure by measure.
"""

from collections.abc import Iterator, Mapping

from leeward.core.codebook.statistic import COUNT, PERCENTILE, Percentiles
from leeward.derived.products.layouts.codes import (
    EVERYONE,
    SEXES,
    cohort_years,
    geography,
    industry,
    one_of,
)
from leeward.derived.products.layouts.pseo import HORIZONS, PERCENTILES
from leeward.derived.products.layouts.sheet import (
    Cell,
    Number,
    Sheet,
    cells,
    columns_of,
    dollars,
    refused,
    require,
)
from leeward.publishing.bundle import Bundle, CertifiedTable

FILES = {
    "veoa": ("agegrp",),
    "veoe": ("education",),
    "veogs": ("geo_level", "geography"),
    "veons": ("ind_level", "industry"),
    "veoo2gs": ("dod_occ_code", "geo_level", "geography"),
    "veoo2ns": ("dod_occ_code", "ind_level", "industry"),
    "veoo2p": ("dod_occ_code", "paygrade_level", "paygrade"),
    "veoo3": ("dod_occ_code",),
    "veop": ("paygrade_level", "paygrade"),
    "veorh": ("race", "ethnicity"),
    "veos": ("sex",),
    "veot": ("afqtgrp",),
    "veox": ("yosgrp",),
}
"""The columns of the group of each file."""

COLUMNS = {
    "cohort": "cohort",
    "year": "cohort",
    "age": "agegrp",
    "agegrp": "agegrp",
    "education": "education",
    "schooling": "education",
    "place": "geography",
    "region": "geography",
    "geography": "geography",
    "sector": "industry",
    "industry": "industry",
    "occupation": "dod_occ_code",
    "dod_occ_code": "dod_occ_code",
    "pay_grade": "paygrade",
    "paygrade": "paygrade",
    "race": "race",
    "ethnicity": "ethnicity",
    "sex": "sex",
    "afqt": "afqtgrp",
    "afqtgrp": "afqtgrp",
    "experience": "yosgrp",
    "yosgrp": "yosgrp",
}
"""For each identifier that a table may have, the column of its codes."""

LEVELS = ("geo_level", "ind_level", "paygrade_level")
EMPLOYED_ONLY = ("veogs", "veons", "veoo2gs", "veoo2ns")
"""Files by place or industry of work: who has no work has neither."""


class Veo:
    """Employment and earnings of veterans one, five and ten years after service."""

    name = "veo"
    source = "the public VEO tables"
    tables = tuple(f"{year}_{name}" for year in HORIZONS for name in ("emp", "nonemp", "earnings"))
    version = None

    def sheet(self, part: str, name: str) -> Sheet:
        """The empty file of a group."""
        return Sheet(f"{part}_{name}", ("cohort", "cohort_years", *FILES[part]), _flags(part))

    def numbers(self, bundle: Bundle, table: CertifiedTable, measure: str) -> Iterator[Number]:
        """Counts, or percentiles in dollars of a year with the number of veterans."""
        year, _, name = measure.partition("_")
        if name == "earnings":
            require(table, Percentiles.name, PERCENTILES)
        else:
            require(table, COUNT.name)
        columns = columns_of(table, COLUMNS, (PERCENTILE,))
        file = _file(table, {*columns.values()} - {"cohort"})
        for cell in cells(bundle, table):
            key, at = _key(table, columns, FILES[file], cell), cell.codes.get(PERCENTILE)
            if name != "earnings":
                yield Number(file, key, measure, cell.value, cell.status)
            elif at in PERCENTILES:
                pay = dollars(table, cell.value, "year")
                yield Number(file, key, f"{year}_p{at}_earnings", pay, cell.status)
            if at == PERCENTILES[1]:
                status = cell.count_status
                yield Number(file, key, f"{year}_emp", cell.count, status, second=True)


def _flags(file: str) -> dict[str, str | None]:
    """Numbers with their flags, measure by measure; three percentiles share one."""
    counts = ("emp",) if file in EMPLOYED_ONLY else ("emp", "nonemp")
    counted = {f"{year}_{name}": f"status_{year}_{name}" for name in counts for year in HORIZONS}
    paid = {
        f"{year}_p{one}_earnings": f"status_{year}_earn" for one in PERCENTILES for year in HORIZONS
    }
    return {**counted, **paid}


def _file(table: CertifiedTable, by: set[str]) -> str:
    groups = {name: {*columns} - {*LEVELS} for name, columns in FILES.items()}
    found = next((name for name, group in groups.items() if group == by), None)
    if found is None:
        raise refused(
            "needs tables by the group of one of its files, such as sex, pay_grade or occupation "
            "and sector, and by cohort",
            f"{table.name} by {', '.join(table.identifiers)}",
            "Release a table by one of these groups, or leave it out.",
        )
    return found


def _key(
    table: CertifiedTable, columns: Mapping[str, str], group: tuple[str, ...], cell: Cell
) -> tuple[str, ...]:
    codes = {column: cell.codes[name] for name, column in columns.items() if name in cell.codes}
    place, sector = geography(codes.get("geography")), industry(codes.get("industry"))
    grade, cohort = codes.get("paygrade"), codes.get("cohort")
    written = {
        **codes,
        **dict(
            zip(("geo_level", "geography", "ind_level", "industry"), (*place, *sector), strict=True)
        ),
        "paygrade_level": "A" if grade is None else "G" if "-" in grade else "E",
    }
    if "sex" in codes:
        written["sex"] = one_of(codes["sex"], SEXES, "sex")
    return (
        *(cohort or "0000", cohort_years(table, columns, "cohort", cohort)),
        *((EVERYONE | written).get(name, "") for name in group),
    )
