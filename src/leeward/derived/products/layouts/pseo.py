"""PSEO: Post-Secondary Employment Outcomes, earnings (PSEOE) and flows (PSEOF) of graduates.

Columns, codes and flags are those of the LEHD public-use schema V4.14 (U.S. Census Bureau):
lehd_identifiers_pseo.csv, variables_pseoe.csv, variables_pseof.csv, label_agg_level_pseo.csv,
label_flags_ipeds_count.csv. Flags stand after the numbers, in the order of these.
"""

from collections.abc import Iterator, Mapping

from leeward.core.codebook.statistic import COUNT, PERCENTILE, Percentiles
from leeward.derived.products.layouts.codes import cohort_years, geography, industry, sized
from leeward.derived.products.layouts.sheet import (
    Cell,
    Key,
    Number,
    Sheet,
    cells,
    columns_of,
    dollars,
    require,
)
from leeward.publishing.bundle import Bundle, CertifiedTable

HORIZONS = ("y1", "y5", "y10")
PERCENTILES = ("25", "50", "75")

IDENTIFIERS = (
    *("agg_level_pseo", "inst_level", "institution", "degree_level", "cip_level", "cipcode"),
    *("grad_cohort", "grad_cohort_years", "geo_level", "geography", "ind_level", "industry"),
)
COLUMNS = {
    "institution": "institution",
    "degree": "degree_level",
    "degree_level": "degree_level",
    "cip": "cipcode",
    "cipcode": "cipcode",
    "year": "grad_cohort",
    "grad_cohort": "grad_cohort",
    "place": "geography",
    "region": "geography",
    "division": "geography",
    "geography": "geography",
    "sector": "industry",
    "industry": "industry",
}
"""For each identifier that a table may have, the column of its codes."""

WIDTHS = {"institution": 8, "degree_level": 2, "cipcode": 7, "grad_cohort": 4}
"""How many characters a code has at most."""

INSTITUTIONS = {8: "I", 2: "S", 1: "D"}
"""inst_level by the characters of the code: an institution, its state, its census division."""

FIELDS = {2: "2", 5: "4", 7: "6"}
"""cip_level by the characters of the code, such as 11, 11.07 and 11.0701."""

NOT_REPORTED = 3
"""The flag of IPEDS counts that are not available (label_flags_ipeds_count.csv)."""

EARNED = {
    **{
        column: f"status_{year}_{flag}"
        for year in HORIZONS
        for column, flag in (
            *((f"{year}_p{one}_earnings", "earnings") for one in PERCENTILES),
            (f"{year}_grads_earn", "grads_earn"),
        )
    },
    **{f"{year}_ipeds_count": f"status_{year}_ipeds_count" for year in HORIZONS},
}
"""The numbers of PSEOE, each with its flag."""

FLOWS = {
    f"{year}_{name}": f"status_{year}_{name}"
    for year, name in (
        *((year, name) for year in HORIZONS for name in ("grads_emp", "grads_emp_instate")),
        *((year, "grads_nme") for year in HORIZONS),
    )
}
"""The numbers of PSEOF, each with its flag."""

MEASURES = {"flows": "grads_emp", "flows_instate": "grads_emp_instate", "nme": "grads_nme"}
"""For each table of PSEOF, such as y1_flows, what its counts are."""


class Pseoe:
    """Earnings of graduates one, five and ten years after."""

    name = "pseoe"
    source = "LEHD public-use schema V4.14, PSEOE"
    tables = tuple(f"{year}_earnings" for year in HORIZONS)
    version = "PSEO"

    def sheet(self, part: str, name: str) -> Sheet:
        """The empty file; there is one."""
        absent = {f"status_{year}_ipeds_count": NOT_REPORTED for year in HORIZONS}
        return Sheet(f"pseoe_{name}", IDENTIFIERS, EARNED, absent)

    def numbers(self, bundle: Bundle, table: CertifiedTable, measure: str) -> Iterator[Number]:
        """Percentiles in dollars of a year, and the number of graduates that they are of."""
        year = measure.partition("_")[0]
        require(table, Percentiles.name, PERCENTILES)
        columns = columns_of(table, COLUMNS, (PERCENTILE,))
        for cell in cells(bundle, table):
            key, at = _key(table, columns, cell), cell.codes.get(PERCENTILE)
            pay = dollars(table, cell.value, "year")
            if at in PERCENTILES:
                yield Number("", key, f"{year}_p{at}_earnings", pay, cell.status)
            if at == PERCENTILES[1]:
                yield Number("", key, f"{year}_grads_earn", cell.count, cell.count_status)


class Pseof:
    """Flows of graduates into industries and places of work."""

    name = "pseof"
    source = "LEHD public-use schema V4.14, PSEOF"
    tables = tuple(f"{year}_{name}" for year in HORIZONS for name in MEASURES)
    version = "PSEO"

    def sheet(self, part: str, name: str) -> Sheet:
        """The empty file; there is one."""
        return Sheet(f"pseof_{name}", IDENTIFIERS, FLOWS)

    def numbers(self, bundle: Bundle, table: CertifiedTable, measure: str) -> Iterator[Number]:
        """Counts of graduates."""
        year, _, name = measure.partition("_")
        require(table, COUNT.name)
        columns = columns_of(table, COLUMNS)
        for cell in cells(bundle, table):
            key = _key(table, columns, cell)
            yield Number("", key, f"{year}_{MEASURES[name]}", cell.value, cell.status)


def _key(table: CertifiedTable, columns: Mapping[str, str], cell: Cell) -> Key:
    codes = {column: cell.codes[name] for name, column in columns.items() if name in cell.codes}
    sized(codes, WIDTHS)
    place, sector = geography(codes.get("geography")), industry(codes.get("industry"))
    school, degree = codes.get("institution"), codes.get("degree_level")
    program, cohort = codes.get("cipcode"), codes.get("grad_cohort")
    inst_level = "N" if school is None else INSTITUTIONS.get(len(school), "I")
    cip_level = "A" if program is None else FIELDS.get(len(program), "2")
    level = _aggregation(inst_level, cip_level, place[0], sector[0], cohort is not None)
    return (
        level if degree is not None else "",
        *(inst_level, school or "00", degree or "00", cip_level, program or "00"),
        *(cohort or "0000", cohort_years(table, columns, "grad_cohort", cohort)),
        *(*place, *sector),
    )


def _aggregation(institution: str, field: str, place: str, sector: str, cohort: bool) -> str:
    """agg_level_pseo as label_agg_level_pseo.csv numbers it; empty where it has no number."""
    parts = (
        {"S": 0, "I": 12}.get(institution),
        {"A": 0, "2": 2, "4": 4}.get(field),
        {"N": 0, "D": 96}.get(place),
        {"A": 0, "S": 48}.get(sector),
        6 * cohort,
    )
    return "" if None in parts else str(26 + sum(part or 0 for part in parts))
