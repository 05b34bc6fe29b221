"""Classifications: short public code lists that come with Leeward, and where `standard:` leads.

The lists are facts of these sources. LEHD: the public-use schema V4.14.0 (CC0), files `label_*`,
without the codes of totals and without race A6, which it marks as not used. NAICS: the same schema,
`label_industry`, level S. States: the same schema, `label_fipsnum`. Postal abbreviations: United
States Postal Service, Publication 28, appendix B. QCEW: ownership codes of the Quarterly Census of
Employment and Wages (Bureau of Labor Statistics). NACE Rev. 2: Regulation (EC) No 1893/2006, annex
I; NACE Rev. 2.1: Delegated Regulation (EU) 2023/137. ISCO-08: International Labour Organization,
2012, volume I. ISCED 2011: UNESCO Institute for Statistics, 2012.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from urllib.parse import parse_qsl

from leeward.core.errors import BadFile, InvalidParameter, nearest, shown

STANDARD = "standard:"
"""How `codes` begins that names a classification."""

FORMS = ("whole", "local", "number")
"""How codes of places are written: 44001, 001 within its state, or without leading zeros."""

RANGE = re.compile(r"(\d+)-(\d+)")


class NoList(BadFile):
    """A code list that is not there, or not yet: refused only where its attribute is used."""


@dataclass(frozen=True)
class Classification:
    """A public code list: its codes with their labels, and who says so.

    `name` is SCHEME/LEVEL; the end of a scheme may be its vintage, as in naics2022/6. `spans` are
    the first and the last beginning of the finer codes that belong to a code.
    """

    name: str
    title: str
    source: str
    codes: Mapping[str, str] = field(hash=False)
    spans: Mapping[str, tuple[str, str]] = field(default_factory=dict, hash=False)
    spellings: Mapping[str, Mapping[str, str]] = field(default_factory=dict, hash=False)
    """Other texts that are in use for the codes, by the name of the spelling: the code of each."""

    def __post_init__(self) -> None:
        ranges = ((code, RANGE.fullmatch(code)) for code in self.codes)
        known = {code: (ends[1], ends[2]) for code, ends in ranges if ends is not None}
        object.__setattr__(self, "codes", MappingProxyType(dict(self.codes)))
        object.__setattr__(self, "spans", MappingProxyType(known | dict(self.spans)))

    @property
    def scheme(self) -> str:
        """What its name begins with, vintage included."""
        return self.name.partition("/")[0]

    @property
    def level(self) -> str:
        return self.name.partition("/")[2]

    @property
    def family(self) -> str:
        """The scheme without its vintage."""
        return self.scheme.rstrip("0123456789.")

    def parent(self, code: str) -> str | None:
        """The code of this list that a code of the same or a finer level belongs to."""
        starts = (code[:length] for length in range(len(code), 0, -1))
        return next(filter(None, map(self.beginning, starts)), None)

    def beginning(self, start: str) -> str | None:
        """The code of this list that codes with this beginning belong to: 31-33 of 31."""
        if start in self.codes:
            return start
        spans = (item for item in self.spans.items() if len(item[1][0]) == len(start))
        return next((code for code, (first, last) in spans if first <= start <= last), None)

    def under(self, begin: str, form: str = "whole") -> "Classification":
        """The codes that begin in this way, whole or in a shorter form."""
        kept = {code: label for code, label in self.codes.items() if code.startswith(begin)}
        if form != "whole":
            kept = {code[len(begin) :]: label for code, label in kept.items()}
        if form == "number":
            kept = {code.lstrip("0") or "0": label for code, label in kept.items()}
        return replace(self, codes=kept, spans={})


def is_standard(written: object) -> bool:
    """Whether what a codebook writes as `codes` names a classification."""
    return isinstance(written, str) and written.startswith(STANDARD)


@dataclass(frozen=True)
class Library:
    """The classifications of this package, and those of the official files in a folder."""

    folder: Path | None = None
    parameter: str = "codebook.classifications"
    """What names the folder."""

    @cached_property
    def official(self) -> tuple[Classification, ...]:
        """What the files of the folder hold."""
        if self.folder is None:
            return ()
        from leeward.core.codebook.official_files import read_folder  # noqa: PLC0415 (most have no folder)

        return read_folder(self.folder, self.parameter)

    def __iter__(self) -> Iterator[Classification]:
        own = {classification.name for classification in PACKAGED}
        yield from PACKAGED
        yield from (
            classification for classification in self.official if classification.name not in own
        )

    def named(self, name: str) -> tuple[Classification, ...]:
        """The list of this name; without a vintage in it, those of all vintages."""
        for lists in (PACKAGED, self.official):  # a packaged name needs no folder
            exact = tuple(classification for classification in lists if classification.name == name)
            if exact:
                return exact
        return tuple(
            classification
            for classification in self
            if f"{classification.family}/{classification.level}" == name
        )

    def find(self, written: str, where: str) -> Classification:
        """The list that `standard:NAME?state=44&code=local` names."""
        name, _, query = written.removeprefix(STANDARD).partition("?")
        classifications = self.named(name)
        if len(classifications) != 1:
            raise self._not_one(name, classifications, where)
        options = dict(parse_qsl(query, keep_blank_values=True))
        form = options.get("code", "whole")
        sound = set(options) <= {"state", "country", "code"} and all(options.values())
        unplaced = form == "local" and len(options) == 1
        if bool(query) != bool(options) or not sound or form not in FORMS or unplaced:
            raise InvalidParameter(
                where,
                rule="must have state=CODE or country=CODE behind the question mark, code="
                f"{', '.join(FORMS)}, or both with & (local needs a state)",
                value=shown(written),
                next_step="Write for example standard:fips/county?state=44&code=local.",
            )
        kept = classifications[0]
        if options:
            kept = kept.under(options.get("state", options.get("country", "")), form)
        if not kept.codes:
            raise InvalidParameter(
                where,
                rule=f"must leave some of the codes of {name}",
                value=shown(written),
                next_step=f"`leeward codes {name}` shows them.",
            )
        return kept

    def _not_one(
        self, name: str, classifications: tuple[Classification, ...], where: str
    ) -> BadFile:
        """Why a name leads to no list, or to several."""
        known = [classification.name for classification in self]
        folder = "no folder of official files" if self.folder is None else repr(str(self.folder))
        near = nearest(name, known)
        step = f"Did you mean {near!r}? " if near else ""
        if classifications:
            names = ", ".join(classification.name for classification in classifications)
            step = f"Name one of {names}."
        elif self.folder is None:
            step += (
                f"Long lists are read from official files: name their folder as {self.parameter}."
            )
        else:
            from leeward.core.codebook.official_files import xlsx_hint  # noqa: PLC0415 (as above)

            put = "`leeward codes` lists what is known; put the official file into the folder."
            step += xlsx_hint(self.folder) or put
        rule = (
            "must name one classification"
            if classifications
            else "must name a known classification"
        )
        kind = BadFile if classifications else NoList
        return kind(where, rule=rule, value=f"{shown(name)}, with {folder}", next_step=step)


LEHD = "LEHD public-use schema V4.14.0"
NAICS_SECTORS = {
    "11": "Agriculture, Forestry, Fishing and Hunting",
    "21": "Mining, Quarrying, and Oil and Gas Extraction",
    "22": "Utilities",
    "23": "Construction",
    "31-33": "Manufacturing",
    "42": "Wholesale Trade",
    "44-45": "Retail Trade",
    "48-49": "Transportation and Warehousing",
    "51": "Information",
    "52": "Finance and Insurance",
    "53": "Real Estate and Rental and Leasing",
    "54": "Professional, Scientific, and Technical Services",
    "55": "Management of Companies and Enterprises",
    "56": "Administrative and Support and Waste Management and Remediation Services",
    "61": "Educational Services",
    "62": "Health Care and Social Assistance",
    "71": "Arts, Entertainment, and Recreation",
    "72": "Accommodation and Food Services",
    "81": "Other Services (except Public Administration)",
    "92": "Public Administration",
}


def _two_digits(sectors: Mapping[str, str]) -> dict[str, str]:
    """31, 32 and 33 apart, with the label of 31-33."""
    ends = ((code.split("-"), label) for code, label in sectors.items())
    return {
        f"{number:02}": label
        for parts, label in ends
        for number in range(int(parts[0]), int(parts[-1]) + 1)
    }


RACE = {
    "A1": "White Alone",
    "A2": "Black or African American Alone",
    "A3": "American Indian or Alaska Native Alone",
    "A4": "Asian Alone",
    "A5": "Native Hawaiian or Other Pacific Islander Alone",
    "A7": "Two or More Race Groups",
}
ETHNICITY = {"A1": "Not Hispanic or Latino", "A2": "Hispanic or Latino"}
EDUCATION = {
    "E1": "Less than high school",
    "E2": "High school or equivalent, no college",
    "E3": "Some college or Associate degree",
    "E4": "Bachelor's degree or advanced degree",
}
"""Without E5, which says that it is not available."""

STATES = {
    "01": "Alabama", "02": "Alaska", "04": "Arizona", "05": "Arkansas", "06": "California",
    "08": "Colorado", "09": "Connecticut", "10": "Delaware", "11": "District of Columbia",
    "12": "Florida", "13": "Georgia", "15": "Hawaii", "16": "Idaho", "17": "Illinois",
    "18": "Indiana", "19": "Iowa", "20": "Kansas", "21": "Kentucky", "22": "Louisiana",
    "23": "Maine", "24": "Maryland", "25": "Massachusetts", "26": "Michigan", "27": "Minnesota",
    "28": "Mississippi", "29": "Missouri", "30": "Montana", "31": "Nebraska", "32": "Nevada",
    "33": "New Hampshire", "34": "New Jersey", "35": "New Mexico", "36": "New York",
    "37": "North Carolina", "38": "North Dakota", "39": "Ohio", "40": "Oklahoma", "41": "Oregon",
    "42": "Pennsylvania", "44": "Rhode Island", "45": "South Carolina", "46": "South Dakota",
    "47": "Tennessee", "48": "Texas", "49": "Utah", "50": "Vermont", "51": "Virginia",
    "53": "Washington", "54": "West Virginia", "55": "Wisconsin", "56": "Wyoming",
    "72": "Puerto Rico", "78": "United States Virgin Islands",
}  # fmt: skip

POSTAL = (
    *("AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "DC", "FL", "GA", "HI", "ID", "IL", "IN"),
    *("IA", "KS", "KY", "LA", "ME", "MD", "MA", "MI", "MN", "MS", "MO", "MT", "NE", "NV", "NH"),
    *("NJ", "NM", "NY", "NC", "ND", "OH", "OK", "OR", "PA", "RI", "SC", "SD", "TN", "TX", "UT"),
    *("VT", "VA", "WA", "WV", "WI", "WY", "PR", "VI"),
)
"""Abbreviations of the United States Postal Service, in the order of the states."""

_TO_F = (
    ("A", "01-03", "Agriculture, forestry and fishing"),
    ("B", "05-09", "Mining and quarrying"),
    ("C", "10-33", "Manufacturing"),
    ("D", "35-35", "Electricity, gas, steam and air conditioning supply"),
    ("E", "36-39", "Water supply; sewerage, waste management and remediation activities"),
    ("F", "41-43", "Construction"),
)
NACE_2 = (
    *_TO_F,
    ("G", "45-47", "Wholesale and retail trade; repair of motor vehicles and motorcycles"),
    ("H", "49-53", "Transportation and storage"),
    ("I", "55-56", "Accommodation and food service activities"),
    ("J", "58-63", "Information and communication"),
    ("K", "64-66", "Financial and insurance activities"),
    ("L", "68-68", "Real estate activities"),
    ("M", "69-75", "Professional, scientific and technical activities"),
    ("N", "77-82", "Administrative and support service activities"),
    ("O", "84-84", "Public administration and defence; compulsory social security"),
    ("P", "85-85", "Education"),
    ("Q", "86-88", "Human health and social work activities"),
    ("R", "90-93", "Arts, entertainment and recreation"),
    ("S", "94-96", "Other service activities"),
    (
        "T",
        "97-98",
        "Activities of households as employers; undifferentiated goods- and services-producing "
        "activities of households for own use",
    ),
    ("U", "99-99", "Activities of extraterritorial organisations and bodies"),
)
NACE_2_1 = (
    *_TO_F,
    ("G", "46-47", "Wholesale and retail trade"),
    ("H", "49-53", "Transportation and storage"),
    ("I", "55-56", "Accommodation and food service activities"),
    (
        "J",
        "58-60",
        "Publishing, broadcasting, and content production and distribution activities",
    ),
    (
        "K",
        "61-63",
        "Telecommunication, computer programming, consulting, computing infrastructure and other "
        "information service activities",
    ),
    ("L", "64-66", "Financial and insurance activities"),
    ("M", "68-68", "Real estate activities"),
    ("N", "69-75", "Professional, scientific and technical activities"),
    ("O", "77-82", "Administrative and support service activities"),
    ("P", "84-84", "Public administration and defence; compulsory social security"),
    ("Q", "85-85", "Education"),
    ("R", "86-88", "Human health and social work activities"),
    ("S", "90-93", "Arts, sports and recreation"),
    ("T", "94-96", "Other service activities"),
    (
        "U",
        "97-98",
        "Activities of households as employers and undifferentiated goods- and service-producing "
        "activities of households for own use",
    ),
    ("V", "99-99", "Activities of extraterritorial organisations and bodies"),
)


def _sections(
    name: str, title: str, source: str, rows: Iterable[tuple[str, str, str]]
) -> Classification:
    listed = tuple(rows)
    spans = {code: (span[:2], span[3:]) for code, span, _ in listed}
    return Classification(name, title, source, {code: label for code, _, label in listed}, spans)


PACKAGED = (
    Classification("naics/sector", "NAICS sectors", LEHD, NAICS_SECTORS),
    Classification(
        *("naics/2", "NAICS sectors by two digits", LEHD, _two_digits(NAICS_SECTORS)),
    ),
    Classification(
        *("fips/state", "States of the United States, FIPS", LEHD, STATES),
        spellings={"postal": dict(zip(POSTAL, STATES, strict=True))},
    ),
    Classification(
        *("lehd/sex", "Sex", LEHD, {"1": "Male", "2": "Female"}),
        spellings={"letters": {"M": "1", "F": "2"}},
    ),
    Classification(
        "lehd/agegrp",
        "Age groups",
        LEHD,
        {
            "A01": "14-18",
            "A02": "19-21",
            "A03": "22-24",
            "A04": "25-34",
            "A05": "35-44",
            "A06": "45-54",
            "A07": "55-64",
            "A08": "65-99",
        },
    ),
    Classification("lehd/race", "Race", LEHD, RACE),
    Classification("lehd/ethnicity", "Ethnicity", LEHD, ETHNICITY),
    Classification(
        "lehd/education",
        "Education",
        LEHD,
        EDUCATION | {"E5": "Educational attainment not available (workers aged 24 or younger)"},
    ),
    Classification(
        "lehd/ownercode",
        "Ownership",
        LEHD,
        {"A01": "Federal government", "A05": "All Private"},
    ),
    Classification(
        "lehd/firmsize",
        "Firm size",
        LEHD,
        {
            "1": "0-19 Employees",
            "2": "20-49 Employees",
            "3": "50-249 Employees",
            "4": "250-499 Employees",
            "5": "500+ Employees",
            "N": "Firm Size Not Available For Public-Sector Firms",
        },
    ),
    Classification(
        "lehd/firmage",
        "Firm age",
        LEHD,
        {
            "1": "0-1 Years",
            "2": "2-3 Years",
            "3": "4-5 Years",
            "4": "6-10 Years",
            "5": "11+ Years",
            "N": "Firm Age Not Available For Public-Sector Firms",
        },
    ),
    Classification(
        "qcew/own",
        "Ownership",
        "Bureau of Labor Statistics, Quarterly Census of Employment and Wages",
        {
            "1": "Federal Government",
            "2": "State Government",
            "3": "Local Government",
            "4": "International Government",
            "5": "Private",
        },
    ),
    _sections("nace2/section", "NACE Rev. 2 sections", "Regulation (EC) No 1893/2006", NACE_2),
    _sections(
        "nace2.1/section",
        "NACE Rev. 2.1 sections",
        "Delegated Regulation (EU) 2023/137",
        NACE_2_1,
    ),
    Classification(
        "isco08/major",
        "ISCO-08 major groups",
        "International Labour Organization, 2012",
        {
            "1": "Managers",
            "2": "Professionals",
            "3": "Technicians and Associate Professionals",
            "4": "Clerical Support Workers",
            "5": "Service and Sales Workers",
            "6": "Skilled Agricultural, Forestry and Fishery Workers",
            "7": "Craft and Related Trades Workers",
            "8": "Plant and Machine Operators, and Assemblers",
            "9": "Elementary Occupations",
            "0": "Armed Forces Occupations",
        },
    ),
    Classification(
        "isced2011/level",
        "ISCED 2011 levels",
        "UNESCO Institute for Statistics, 2012",
        {
            "0": "Early childhood education",
            "1": "Primary education",
            "2": "Lower secondary education",
            "3": "Upper secondary education",
            "4": "Post-secondary non-tertiary education",
            "5": "Short-cycle tertiary education",
            "6": "Bachelor's or equivalent level",
            "7": "Master's or equivalent level",
            "8": "Doctoral or equivalent level",
            "9": "Not elsewhere classified",
        },
    ),
)
"""The lists that need no file."""
