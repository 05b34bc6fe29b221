"""Codes: levels and codes of public layouts, from codes of published tables.

Levels are told by the length of a code, as the LEHD public-use schema V4.14 describes its codes
(label_geo_level.csv, label_ind_level.csv). Where a table is not by a thing, its code says all.
"""

import re
from collections.abc import Mapping

from leeward.derived.products.layouts.sheet import refused, years_of
from leeward.publishing.bundle import CertifiedTable

PLACES = {1: "D", 2: "S", 5: "C", 7: "M", 8: "W"}
"""geo_level: census division, state, county, metropolitan area within a state, workforce area."""

INDUSTRIES = {2: "S", 3: "3", 4: "4", 5: "5", 6: "6"}
"""ind_level: NAICS sector to national industry; a sector may be a range such as 31-33."""

SEXES = {"M": "1", "F": "2", "1": "1", "2": "2"}
"""Codes of LODES or of QWI, and those of QWI (label_sex.csv)."""

EVERYONE = {
    "ownercode": "A00",
    "sex": "0",
    "agegrp": "A00",
    "race": "A0",
    "ethnicity": "A0",
    "education": "E0",
    "firmage": "0",
    "firmsize": "0",
}
"""The codes of cells that are not by a thing."""

ALL = "00"
SECTORS = re.compile(r"[0-9]{2}-[0-9]{2}")


def geography(code: str | None) -> tuple[str, str]:
    """geo_level and geography; N and 00 of all places."""
    if code is None or code == ALL:
        return "N", ALL
    return _level(code, PLACES, "geography"), code


def industry(code: str | None) -> tuple[str, str]:
    """ind_level and industry; A and 00 of all industries."""
    if code is None or code == ALL:
        return "A", ALL
    return "S" if SECTORS.fullmatch(code) else _level(code, INDUSTRIES, "industry"), code


def _level(code: str, levels: Mapping[int, str], column: str) -> str:
    if len(code) not in levels:
        lengths = ", ".join(map(str, levels))
        raise refused(
            f"needs codes of {column} with one of {lengths} characters",
            code,
            "Use codes as the public product does, or leave the table out.",
        )
    return levels[len(code)]


def one_of(code: str, codes: Mapping[str, str], column: str) -> str:
    """The code of the layout; others are refused, since readers would take them for its own."""
    if code not in codes:
        raise refused(
            f"needs codes of {column} among {', '.join(codes)}",
            code,
            f"Declare an attribute {column} with these codes, and release by it.",
        )
    return codes[code]


def sized(codes: Mapping[str, str], widths: Mapping[str, int]) -> None:
    """Refuse a code that is longer than its column."""
    for column, code in codes.items():
        if len(code) > widths.get(column, len(code)):
            raise refused(
                f"needs codes of {column} with at most {widths[column]} characters",
                code,
                "Use codes as the public product does.",
            )


def cohort_years(
    table: CertifiedTable, columns: Mapping[str, str], column: str, cohort: str | None
) -> str:
    """The years of a cohort by its label, such as 2010-2012; 0 of all cohorts."""
    if cohort is None:
        return "0"
    name = next(name for name, one in columns.items() if one == column)
    return str(years_of(table.codes[name][cohort]))
