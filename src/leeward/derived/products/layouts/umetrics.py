"""UMETRICS: employment and mean earnings of people who left a university, one file for each.

The table is that of Schmutte's lecture on formal privacy (NBER, 2020): job title by sector by years
since leaving. There is no public schema of it, so that the names of the columns are our own.
"""

from collections.abc import Iterator

from leeward.core.codebook.statistic import COUNT
from leeward.derived.products.layouts.sheet import (
    Number,
    Sheet,
    cells,
    columns_of,
    dollars,
    require,
)
from leeward.publishing.bundle import Bundle, CertifiedTable

HORIZONS = tuple(f"y{number}" for number in range(1, 11))
IDENTIFIERS = ("title", "sector", "years")
COLUMNS = {name: name for name in ("institution", *IDENTIFIERS)}
EMPLOYMENT, EARNINGS = "employment", "mean_earnings"
FLAGS = {
    f"{name}{end}": None if end else f"status_{name}"
    for name in (EMPLOYMENT, EARNINGS)
    for end in ("", "_low", "_high")
}


class Umetrics:
    """Employment and mean earnings by title, sector and years since leaving."""

    name = "umetrics"
    source = "Schmutte's lecture on formal privacy (NBER, 2020)"
    tables = ("emp", "earnings", *(f"{y}_{name}" for y in HORIZONS for name in ("emp", "earnings")))
    version = None

    def sheet(self, part: str, name: str) -> Sheet:
        """The empty file of an institution."""
        return Sheet(f"umetrics_{part or name}", IDENTIFIERS, FLAGS)

    def numbers(self, bundle: Bundle, table: CertifiedTable, measure: str) -> Iterator[Number]:
        """Counts, or means in dollars of a year; the count beside a mean is second to a table."""
        columns, paid = columns_of(table, COLUMNS), measure.endswith("earnings")
        require(table, "mean" if paid else COUNT.name)
        year = measure.partition("_")[0][1:] if "_" in measure else ""
        for cell in cells(bundle, table):
            codes = {"years": year} | {name: cell.codes.get(name, "") for name in columns}
            key, sheet = (
                tuple(codes.get(name, "") for name in IDENTIFIERS),
                codes.get("institution", ""),
            )
            name = EARNINGS if paid else EMPLOYMENT
            ends = dict(zip(("", "_low", "_high"), (cell.value, *cell.ends), strict=True))
            for end, value in ends.items():
                number = dollars(table, value, "year") if paid else value
                yield Number(sheet, key, name + end, number, cell.status)
            if paid and table.count_columns:
                yield Number(sheet, key, EMPLOYMENT, cell.count, cell.count_status, second=True)
