"""LODES: tidy tables in the form of the workplace files (WAC) of LODES.

Columns, their order and their meaning are those of version 8.4 (LODES technical documentation of
the LEHD program, U.S. Census Bureau). Race, ethnicity and schooling have the codes of the LEHD
public-use schema V4.14, sectors those of NAICS. Codes of places are written as they are: real
files have the 15 digits of a census block there.
"""

import csv
import gzip
import io
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leeward.bundle import Bundle, CertifiedTable, read_bundle
from leeward.bundle.disk import refused, write_file, writing
from leeward.bundle.layout import checksum_list, sha256
from leeward.errors import InvalidParameter

SECTORS = (
    *("11", "21", "22", "23", "31-33", "42", "44-45", "48-49", "51", "52", "53", "54", "55"),
    *("56", "61", "62", "71", "72", "81", "92"),
)
"""NAICS sectors in the order of CNS01 to CNS20."""

GROUPS: Mapping[str, Mapping[str, str | None]] = {
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
"""For each attribute the column of each code; None for jobs whose schooling is not asked."""

NOT_MADE = tuple(f"{group}{number:02}" for group in ("CFA", "CFS") for number in range(1, 6))
"""Age and size of firms: zeros, as in files of all jobs; sizes are confidential here."""

COLUMNS = (
    *("w_geocode", "C000"),
    *(column for codes in GROUPS.values() for column in codes.values() if column is not None),
    *(*NOT_MADE, "createdate"),
)
"""The header: 53 columns."""

Integers = NDArray[np.int64]


def require_wac(source: Path, folder: Path) -> None:
    """Refuse a bundle without the tables of WAC, or a folder that exists."""
    _tables(read_bundle(source))
    if folder.exists() or not folder.parent.is_dir():
        rule = "must be a new folder in one that exists"
        raise refused(folder, rule, "Choose a name that is free.")


def write_wac(bundle: Bundle, folder: Path) -> Path:
    """Write the file, its version and its checksum into a new folder; the path of the file."""
    certificate, period = bundle.certificate, "_".join(bundle.certificate.period.split())
    path = folder / f"{certificate.name}_wac_S000_JT00_{period}.csv.gz"
    with writing(folder):
        folder.mkdir()
        write_file(path, _packed(bundle))
        write_file(folder / "version.txt", _version(bundle).encode())
        sums = {one: sha256(folder / one) for one in (path.name, "version.txt")}
        write_file(folder / f"lodes_{certificate.name}.sha256sum", checksum_list(sums))
    return path


def _version(bundle: Bundle) -> str:
    stated = bundle.certificate
    origin = "" if stated.made_from is None else f" made from {stated.made_from.name}"
    return (
        f"Form of LODES 8.4 WAC, not data of the Census Bureau: {stated.name}{origin}, "
        f"{stated.period}, Leeward {stated.leeward}, certificate "
        f"{sha256(bundle.path / 'certificate.json')}\n"
        "w_geocode holds the codes of places as they were released. CFA and CFS are not made: 0.\n"
    )


def _packed(bundle: Bundle) -> bytes:
    created = bundle.certificate.created
    moment = int(datetime.fromisoformat(created).timestamp())
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(COLUMNS)
    lines.writerows(_lines(bundle, created[:10].replace("-", "")))
    return gzip.compress(text.getvalue().encode(), mtime=moment)


def _lines(bundle: Bundle, day: str) -> Iterator[list[Any]]:
    tables = _tables(bundle)
    place, codes = next(iter(tables["sector"].codes.items()))
    found: dict[str, Integers] = {}
    for attribute, table in tables.items():
        found |= _counts(bundle, table, attribute, tuple(codes))
    total = _added(found, "sector")
    for attribute in GROUPS:
        _require_whole(tables[attribute], _added(found, attribute), total)
    there = np.isin(tuple(codes), bundle.table(tables["sector"].name)[place].to_pylist())
    for row in np.flatnonzero(there):
        numbers = {name: int(column[row]) for name, column in found.items()} | {
            "w_geocode": tuple(codes)[row],
            "C000": int(total[row]),
            "createdate": day,
        }
        yield [numbers.get(name, 0) for name in COLUMNS]


def _added(found: Mapping[str, Integers], attribute: str) -> Integers:
    """The sum of an attribute's columns; jobs of a code without a column count too."""
    names = [column or f"no column of {attribute}" for column in GROUPS[attribute].values()]
    return np.asarray(sum(found[name] for name in names if name in found))


def _counts(
    bundle: Bundle, table: CertifiedTable, attribute: str, places: tuple[str, ...]
) -> dict[str, Integers]:
    """Jobs by place, for each column of an attribute."""
    rows = bundle.table(table.name, totals=False)
    place = table.identifiers[0]
    at = {code: position for position, code in enumerate(places)}
    where = np.array([at[code] for code in rows[place].to_pylist()], np.int64)
    coded = np.array(rows[attribute].to_pylist())
    values = rows["value"].to_numpy()
    found = {}
    for code, column in GROUPS[attribute].items():
        mine = coded == code
        counted = np.bincount(where[mine], values[mine], len(places)).astype(np.int64)
        found[column or f"no column of {attribute}"] = counted
    return found


def _tables(bundle: Bundle) -> dict[str, CertifiedTable]:
    """The table of each attribute: of workplaces by sector, the others by one attribute each."""
    made: dict[str, CertifiedTable] = {}
    for attribute in GROUPS:
        worker = () if attribute == "sector" else (attribute,)
        fitting = [
            one
            for one in bundle.certificate.tables
            if one.disjoint
            and one.worker_identifiers == worker
            and one.where is None
            and {attribute, *worker} <= {*one.identifiers}
            and one.workplace_identifiers[:1] not in ((), ("sector",))
            and {*one.codes[attribute]} <= {*GROUPS[attribute]}
        ]
        if not fitting:
            raise _missing(attribute)
        made[attribute] = fitting[0]
    return made


def _missing(attribute: str) -> InvalidParameter:
    codes = ", ".join(list(GROUPS[attribute])[:5])
    by = "place and sector" if attribute == "sector" else f"place and {attribute}"
    return InvalidParameter(
        "--lodes",
        rule=f"needs a table by {by}, with the codes {codes}…, of all jobs",
        value=f"a bundle without a table of {attribute}",
        next_step="Release by: [place, sector] with breakdowns: [age, earnings, race, ethnicity, "
        "schooling, sex].",
    )


def _require_whole(table: CertifiedTable, found: Integers, total: Integers) -> None:
    if not np.array_equal(found, total):
        raise InvalidParameter(
            "--lodes",
            rule="needs tables in which every job counts, released together",
            value=f"the table {table.name}, which does not add up to all jobs",
            next_step="Name codes with other and null_as in the codebook, and release with "
            "breakdowns.",
        )
