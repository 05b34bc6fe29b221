"""QWI: Quarterly Workforce Indicators, one row for each cell and quarter.

Columns, codes and flags are those of the LEHD public-use schema V4.14 (U.S. Census Bureau):
lehd_identifiers_qwi.csv, variables_qwi.csv, label_flags.csv.
"""

import re
from collections.abc import Iterator, Mapping

from leeward.core.codebook import Flag
from leeward.derived.products.layouts.codes import EVERYONE, SEXES, geography, industry, one_of
from leeward.derived.products.layouts.sheet import (
    Cell,
    Key,
    Number,
    Sheet,
    cells,
    columns_of,
    dollars,
    refused,
    require,
)
from leeward.publishing.bundle import Bundle, CertifiedTable

IDENTIFIERS = (
    *("periodicity", "seasonadj", "geo_level", "geography", "ind_level", "industry"),
    *("ownercode", "sex", "agegrp", "race", "ethnicity", "education", "firmage", "firmsize"),
    *("year", "quarter", "agg_level"),
)
INDICATORS = (
    *("Emp", "EmpEnd", "EmpS", "EmpTotal", "EmpSpv", "HirA", "HirN", "HirR", "Sep", "HirAEnd"),
    *("SepBeg", "HirAEndRepl", "HirAEndR", "SepBegR", "HirAEndReplR", "HirAS", "HirNS", "SepS"),
    *("SepSnx", "TurnOvrS", "FrmJbGn", "FrmJbLs", "FrmJbC", "FrmJbGnS", "FrmJbLsS", "FrmJbCS"),
    *("EarnS", "EarnBeg", "EarnHirAS", "EarnHirNS", "EarnSepS", "Payroll"),
)
SIGNED = ("FrmJbC", "FrmJbCS")
"""Net changes, which may be below 0."""

COLUMNS = {
    "place": "geography",
    "region": "geography",
    "geography": "geography",
    "sector": "industry",
    "industry": "industry",
    "ownership": "ownercode",
    "ownercode": "ownercode",
    "sex": "sex",
    "agegrp": "agegrp",
    "race": "race",
    "ethnicity": "ethnicity",
    "education": "education",
    "schooling": "education",
}
"""For each identifier that a table may have, the column of its codes."""


def _same(*codes: str) -> dict[str, str]:
    return {code: code for code in codes}


CODES = {
    "ownercode": {"1": "A01", "5": "A05", **_same("A00", "A01", "A05")},
    "sex": SEXES,
    "agegrp": _same(*(f"A{number:02}" for number in range(1, 9))),
    "race": _same(*(f"A{number}" for number in range(1, 8))),
    "ethnicity": _same("A1", "A2"),
    "education": _same(*(f"E{number}" for number in range(1, 6))),
}
"""The codes of a table, and those of QWI. Ownership 1 and 5 are codes of the Quarterly Census."""

MEASURE = "measure"
"""The identifier whose codes are names of indicators."""

PAY = {
    "earn_s": ("EarnS", "month"),
    "earn_beg": ("EarnBeg", "month"),
    "payroll": ("Payroll", "quarter"),
}
"""For each table of pay its indicator, and the time that dollars of it are for."""

FLOWS: Mapping[str, dict[str, list[str]] | None] = {
    "earn_s": {"flow": ["11"]},
    "earn_beg": {"flow": ["11", "10"]},
}
"""The jobs that a table of pay must be of; all jobs in every other table."""

QUARTER = re.compile(r"([0-9]{4})[ _-]?Q([1-4])")


class Qwi:
    """Employment, flows and earnings of a quarter."""

    name = "qwi"
    source = "LEHD public-use schema V4.14, QWI"
    tables = ("flows", "gains", *PAY)
    version = "QWI_F"

    def sheet(self, part: str, name: str) -> Sheet:
        """The empty file; there is one."""
        flags = {one: f"s{one}" for one in INDICATORS}
        lowest = Flag.NO_ESTABLISHMENT
        return Sheet(f"qwi_{name}", IDENTIFIERS, flags, signed=SIGNED, lowest=lowest)

    def numbers(self, bundle: Bundle, table: CertifiedTable, measure: str) -> Iterator[Number]:
        """Rows of measures by their name; of pay, dollars of a month or of the quarter."""
        columns, when = columns_of(table, COLUMNS, (MEASURE,)), quarter(bundle)
        _require_jobs(table, measure)
        if measure in PAY:
            require(table, "payroll" if measure == "payroll" else "mean")
        for cell in cells(bundle, table):
            key = _key(columns, cell, when)
            if measure in PAY:
                name, period = PAY[measure]
                value = dollars(table, cell.value, period)
            else:
                name, value = _indicator(table, cell), cell.value
            yield Number("", key, name, value, cell.status)


def quarter(bundle: Bundle) -> tuple[str, str]:
    """Year and quarter of a release."""
    found = QUARTER.fullmatch(bundle.certificate.period.strip())
    if found is None:
        raise refused(
            "needs releases of one quarter each, such as 2026Q2",
            f"{bundle.certificate.name} of {bundle.certificate.period}",
            "Write such a period into the plan, and release again.",
        )
    return found[1], found[2]


def _require_jobs(table: CertifiedTable, measure: str) -> None:
    """Refuse a table of other jobs than its indicator is about."""
    wanted, found = FLOWS.get(measure), table.where
    if _in_order(wanted) != _in_order(found):
        words = "all jobs" if wanted is None else f"the jobs where: {wanted}"
        raise refused(
            f"needs {measure} to be of {words}",
            f"{table.name} where {found or 'all jobs'}",
            "Change the table's where in the plan, or its name.",
        )


def _in_order(where: Mapping[str, object] | None) -> object:
    listed = (where or {}).items()
    return {name: sorted(one) if isinstance(one, list) else one for name, one in listed}


def _indicator(table: CertifiedTable, cell: Cell) -> str:
    name = cell.codes.get(MEASURE, "")
    if name not in INDICATORS:
        raise refused(
            f"needs a column {MEASURE} with names of QWI, such as Emp",
            f"{table.name} with {name or 'no measure'}",
            "Release statistic: flows or gains, or give the table another name.",
        )
    return name


def _key(columns: Mapping[str, str], cell: Cell, when: tuple[str, str]) -> Key:
    codes = {column: cell.codes[name] for name, column in columns.items() if name in cell.codes}
    place, sector = geography(codes.get("geography")), industry(codes.get("industry"))
    groups = {
        name: one_of(codes[name], CODES[name], name) if name in codes else everyone
        for name, everyone in EVERYONE.items()
    }
    return ("Q", "U", *place, *sector, *groups.values(), *when, "")
