"""Official files: classifications as statistical offices publish them, in a folder of the user.

Known are the label files of the LEHD public-use schema, the Census Bureau's files of NAICS and of
county and state codes, Eurostat's of NACE and NUTS, and the ILO's of ISCO-08. A file is known by
the names of its columns; others in the folder are passed over.
"""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import TypeAlias

from leeward.core.codebook.classifications import Classification, NoList
from leeward.core.codebook.yaml_document import MOST_BYTES
from leeward.core.installation import hint

Row: TypeAlias = Mapping[str, str]
Place: TypeAlias = tuple[str, str]
"""Scheme and level of a row."""

DELIMITERS = "|;\t,"
HEAD = 16_384
"""How many bytes are read to know a file: others may lie in the folder."""

FEW_ROWS = 15
"""A header stands within the first rows: titles may precede it."""

HEADERLESS_COUNTIES = ["STATE", "STATEFP", "COUNTYFP", "COUNTYNAME", "CLASSFP"]
"""Columns of the Census Bureau's older county files, which do not name them."""

YEAR = re.compile(r"(?:19|20)\d\d")
LEHD_PLACES = {
    "S": ("fips", "state"),
    "C": ("fips", "county"),
    "B": ("cbsa", "metro"),
    "M": ("cbsa", "state-part"),
    "W": ("workforce", "area"),
    "D": ("census", "division"),
}
NAICS_MARKS = {
    "2022": {"455110"},
    "2017": {"517311"},
    "2012": {"315210", "541711"},
    "2007": {"315211", "541711"},
    "2002": {"517212"},
    "1997": {"233210"},
}
"""National industries that one vintage of NAICS has, or has together, and no other."""

NACE_MARKS = {"V": "2.1", "62.1": "2.1", "62.0": "2", "45": "2"}
"""Sections, groups and divisions that one edition of NACE has and the other has not."""


@dataclass(frozen=True)
class Layout:
    """How a file is known: a pattern for each of its columns, and where its rows belong."""

    title: str
    columns: Mapping[str, str]
    place: Callable[[Row], Place | None]
    about: str = ""
    """What the name of the file or a line above its header must contain."""

    def header(self, row: Iterable[str]) -> dict[str, int] | None:
        """The position of each column, if this row names them."""
        names = [" ".join(name.split()) for name in row]
        places = {
            role: next((at for at, one in enumerate(names) if re.fullmatch(of, one, re.I)), -1)
            for role, of in self.columns.items()
        }
        return None if -1 in places.values() else places


def _naics(row: Row) -> Place | None:
    code, level = row["code"], row.get("level")
    sector = level == "S" or len(code) == 2 or "-" in code
    return None if level == "A" else ("naics", "sector" if sector else str(len(code)))


def _fips(row: Row) -> Place | None:
    return {2: ("fips", "state"), 5: ("fips", "county")}.get(len(row["code"]))


def _nace(row: Row) -> Place | None:
    code = row["code"].replace(".", "")
    levels = {2: "division", 3: "group", 4: "class"}
    level = "section" if code.isalpha() else levels.get(len(code))
    return None if level is None else ("nace", level)


def _nuts(row: Row) -> Place | None:
    sound = re.fullmatch(r"[A-Z]{2}[A-Z0-9]{0,3}", row["code"])
    return ("nuts", str(len(row["code"]) - 2)) if sound else None


def _isco(row: Row) -> Place | None:
    level = {1: "major", 2: "submajor", 3: "minor", 4: "unit"}.get(len(row["code"]))
    return ("isco", level) if level and row["code"].isdecimal() else None


LAYOUTS = (
    Layout(
        "LEHD label files",
        {"code": "industry", "label": "label", "level": "ind_level"},
        _naics,
    ),
    Layout(
        "LEHD label files",
        {"code": "geography", "label": "label", "level": "geo_level"},
        lambda row: LEHD_PLACES.get(row["level"]),
    ),
    Layout(
        "Census Bureau",
        {"code": r"(\d{4} )?NAICS.*code", "label": r"(\d{4} )?NAICS.*title"},
        _naics,
    ),
    Layout(
        "Census Bureau",
        {"state": "STATEFP", "code": "COUNTYFP", "label": "COUNTYNAME|COUNAME"},
        _fips,
    ),
    Layout("Census Bureau", {"code": "STATEFP", "label": "STATE_NAME"}, _fips),
    Layout("Census Bureau", {"code": "STATE", "usps": "STUSAB", "label": "STATE_NAME"}, _fips),
    Layout("Census Bureau", {"usps": "USPS", "code": "GEOID", "label": "NAME"}, _fips),
    Layout(
        "Census Bureau",
        {
            "level": "summary level",
            "state": r"state code \(fips\)",
            "code": r"county code \(fips\)",
            "label": "area name.*",
        },
        lambda row: {"040": ("fips", "state"), "050": ("fips", "county")}.get(row["level"]),
    ),
    Layout(
        "Eurostat",
        {"code": "code", "label": "description|heading|name.*|title.*"},
        _nace,
        about="NACE",
    ),
    Layout(
        "Eurostat",
        {"code": r"nuts[ _]id|nuts code|code( \d{4})?", "label": "nuts label|name_latn|nuts_name"},
        _nuts,
    ),
    Layout(
        "Eurostat",
        {
            "code": r"code \d{4}",
            "country": "country",
            "one": "nuts level 1",
            "two": "nuts level 2",
            "label": "nuts level 3",
        },
        _nuts,
    ),
    Layout("Eurostat", {"code": "code", "label": "description"}, _nuts, about="NUTS"),
    Layout(
        "International Labour Organization",
        {"code": r"isco.?08.*code|code", "label": "title.*|description"},
        _isco,
        about="ISCO",
    ),
)


def read_folder(folder: Path, parameter: str) -> tuple[Classification, ...]:
    """The classifications of the official files in a folder; rows of one list are put together."""
    if not folder.is_dir():
        raise NoList(
            parameter,
            rule="must be a folder of official files",
            value=repr(str(folder)),
            next_step="Name the folder that the files of the classification are in.",
        )
    lists: dict[str, dict[str, str]] = {}
    sources: dict[str, str] = {}
    for path in sorted(folder.iterdir()):
        for classification in _read_file(path):
            lists.setdefault(classification.name, {}).update(
                (code, label)
                for code, label in classification.codes.items()
                if code not in lists[classification.name]
            )
            sources.setdefault(classification.name, classification.source)
    return tuple(
        Classification(name, _title(name), sources[name], codes)
        for name, codes in sorted(lists.items())
    )


def _title(name: str) -> str:
    scheme, _, level = name.partition("/")
    words = {"fips": "FIPS", "cbsa": "CBSA"}.get(scheme.rstrip("0123456789"), scheme.upper())
    return f"{words}, level {level}"


def xlsx_hint(folder: Path) -> str:
    """The command without which spreadsheets in the folder are not read; else nothing."""
    waiting = not _can_read_xlsx() and any(folder.glob("*.xlsx"))
    return f"To read the XLSX files in it: {hint('files')}" if waiting else ""


def _can_read_xlsx() -> bool:
    return find_spec("python_calamine") is not None


def _read_file(path: Path) -> Iterator[Classification]:
    """The lists of one file; none if its layout is not known."""
    if not path.is_file() or path.stat().st_size > MOST_BYTES:
        return
    if path.suffix.lower() in {".csv", ".txt", ".tsv"} and _known(path, _delimited(path, HEAD)):
        yield from _lists(path, _delimited(path))
    elif path.suffix.lower() == ".xlsx" and _can_read_xlsx():
        for sheet in _sheets(path):
            yield from _lists(path, sheet)


def _delimited(path: Path, most: int = -1) -> list[list[str]]:
    """The rows of a text file, or those that its first bytes hold."""
    try:
        with path.open("rb") as file:
            raw = file.read(most)
    except OSError:  # what cannot be read is no file of a classification
        return []
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")  # older files of the Census Bureau
    mark = max(DELIMITERS, key=text[:HEAD].count)
    try:
        rows = list(csv.reader(StringIO(text, newline=""), delimiter=mark))
    except csv.Error:
        return []
    if rows and re.fullmatch(r"[A-Z]{2} \d\d \d{3}", " ".join(rows[0][:3])):
        rows.insert(0, HEADERLESS_COUNTIES)
    return rows


def _sheets(path: Path) -> Iterator[list[list[str]]]:
    """The rows of each sheet of a spreadsheet; none if it is damaged."""
    calamine = import_module("python_calamine")
    with suppress(calamine.CalamineError):
        book = calamine.CalamineWorkbook.from_path(str(path))
        for name in book.sheet_names:
            yield [
                [_cell(value) for value in row] for row in book.get_sheet_by_name(name).to_python()
            ]


def _cell(value: object) -> str:
    """What a cell shows: numbers without a fraction as whole numbers."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _known(path: Path, rows: list[list[str]]) -> tuple[Layout, int, dict[str, int]] | None:
    """The layout of a file, the number of its header row, and where its columns are."""
    for at, row in enumerate(rows[:FEW_ROWS]):
        for layout in LAYOUTS:
            places = layout.header(row) if layout.about in _about(path, rows[:at]) else None
            if places is not None:
                return layout, at, places
    return None


def _about(path: Path, rows: Iterable[list[str]]) -> str:
    """The words that tell what a file is: its name, and its first rows."""
    return " ".join([path.stem, *(cell for row in rows for cell in row)])


def _lists(path: Path, rows: list[list[str]]) -> Iterator[Classification]:
    known = _known(path, rows)
    if known is None:
        return
    layout, at, places = known
    lists: dict[Place, dict[str, str]] = {}
    for row in _named(rows[at + 1 :], places):
        place = layout.place(row)
        if place is not None:
            label = row["label"]
            if place[0] == "naics":  # a T behind a title marks what all three countries share
                label = re.sub(r"(?<=[a-z)])T$", "", label)
            lists.setdefault(place, {}).setdefault(row["code"], label)
    about = _about(path, [rows[at], *rows[:at]])
    everything = {code for codes in lists.values() for code in codes}
    for (scheme, level), codes in lists.items():
        name = f"{scheme}{_vintage(scheme, about, everything)}/{level}"
        yield Classification(name, _title(name), f"{layout.title}: {path.name}", codes)


def _named(rows: Iterable[list[str]], places: Mapping[str, int]) -> Iterator[dict[str, str]]:
    """Rows by the roles of their columns, with whole codes and a label; others are left out."""
    for row in rows:
        if len(row) > max(places.values()):
            named = {role: " ".join(row[at].split()) for role, at in places.items()}
            if "state" in named:
                county = named["code"] if named.get("level") != "040" else ""
                named["code"] = named["state"] + county
            labels = (named[role] for role in ("label", "two", "one", "country") if role in named)
            named["label"] = next((label for label in labels if label), "")
            if named["code"] and named["label"]:
                yield named


def _vintage(scheme: str, about: str, codes: set[str]) -> str:
    """Which edition of a scheme it is, by its codes or by the file's words; nothing if unknown."""
    if scheme == "nace":
        said = "2.1" if re.search(r"(?<!\d)2[._ -]?1(?!\d)", about) else "2"
        return next((edition for code, edition in NACE_MARKS.items() if code in codes), said)
    if scheme == "isco":
        return "08"
    years = YEAR.findall(about)
    if scheme == "naics" and not years:
        return next((year for year, marks in NAICS_MARKS.items() if marks <= codes), "")
    return years[0] if years and scheme in {"naics", "nuts", "fips"} else ""
