"""Meaning: what a column probably holds, by its name, and which classification its codes are of."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from unicodedata import normalize

from leeward.core.codebook.classifications import STANDARD, Classification, Library
from leeward.core.codebook.declaration import NAME, RESERVED

LETTERS = {"ß": "ss", "æ": "ae", "ø": "o", "ł": "l", "đ": "d"}
"""Letters that Unicode does not take apart."""

ENDINGS = re.compile(r"_?(code|cd|nr|kz|(19|20)\d\d)$")
YEAR = re.compile(r"(19|20)\d\d")
ENOUGH = 0.8
"""The share of a column's codes that a list must hold to be taken for its list."""


def plain(name: str) -> str:
    """A column's name in small letters, digits and _: ÖNACE becomes onace."""
    text = "".join(LETTERS.get(letter, letter) for letter in name.lower())
    ascii_only = normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "_", ascii_only).strip("_")


def legal(name: str, taken: Iterable[str]) -> str:
    """A name that an attribute may have: the column's own if it can be."""
    given = name if re.fullmatch(NAME, name) else plain(name)[:50]
    given = given if re.fullmatch(NAME, given) else f"column_{given}".rstrip("_")
    given = f"{given}_code" if given in RESERVED else given
    known, number = {*taken}, 2
    while given in known:
        given = f"{given.rstrip('0123456789').rstrip('_')}_{number}"
        number += 1
    return given


def quoted(name: str) -> str:
    """A column's name as YAML, also in a comment, and on a terminal.

    A header of a file may contain line breaks and control characters: all are written as escapes.
    """
    return name if re.fullmatch(NAME, name) else one_line(name)


def one_line(text: str) -> str:
    """Text in double quotes that neither YAML nor a terminal reads as anything else."""
    visible = ""
    for letter in json.dumps(text, ensure_ascii=False):
        number = ord(letter)
        escape = f"\\u{number:04x}" if number < 2**16 else f"\\U{number:08x}"
        visible += letter if letter.isprintable() else escape
    return visible


@dataclass(frozen=True)
class Meaning:
    """What columns of these names hold.

    `lists` are classifications without vintage, the likeliest first. `sure` says that the name
    alone stands for the first of them; else codes must be compared, and of workers they never are.
    """

    theme: str
    names: str
    lists: str = ""
    public: bool = False
    sure: bool = False

    def __contains__(self, name: str) -> bool:
        return bool({plain(name), ENDINGS.sub("", plain(name))} & {*self.names.split()})


PLACES = (
    "place block tract region location geography municipality district land bundesland kreis "
    "bezirk gemeinde kanton canton departement commune province provincia comune "
    "nuts nuts1 nuts2 nuts3"
)
NACE = "nace2/section nace2.1/section nace/division nace/group nace/class"
OF_WORKPLACES = (
    Meaning(
        "place",
        "county cnty county_fips cnty_fips fips_county countyfips fips cty countyfp",
        "fips/county",
        public=True,
    ),
    Meaning("place", PLACES, "nuts/3 nuts/2 nuts/1", public=True),
    Meaning("industry", "sector naics_sector", "naics/sector naics/2", True, sure=True),
    Meaning("industry", "naics2", "naics/2 naics/sector", True, sure=True),
    Meaning("industry", "naics naics6", "naics/6 naics/5 naics/4 naics/3 naics/2", public=True),
    *(Meaning("industry", f"naics{n}", f"naics/{n}", public=True) for n in (3, 4, 5)),
    Meaning("industry", "industry ind branch branche", f"naics/sector naics/4 {NACE}", public=True),
    Meaning("industry", "nace nace1 nace2 onace noga wz wz2008 naf ateco sbi", NACE, public=True),
    Meaning("ownership", "ownership own", "qcew/own lehd/ownercode", public=True, sure=True),
    Meaning("ownership", "ownercode owner_code", "lehd/ownercode", public=True, sure=True),
    Meaning(
        "state",
        "state state_fips fips_state statefips statefp stfips",
        "fips/state",
        public=True,
        sure=True,
    ),
    Meaning("metro", "cbsa msa metro", "cbsa/metro", public=True),
    Meaning("size", "firmsize firm_size", "lehd/firmsize", sure=True),
    Meaning("size", "size sizeclass size_class grossenklasse groessenklasse"),
    Meaning("age of firm", "firmage firm_age", "lehd/firmage", sure=True),
)
OF_WORKERS = (
    Meaning("sex", "sex gender geschlecht sexe sesso", "lehd/sex", sure=True),
    Meaning("sex", "sexo", "lehd/sex"),  # M may be male or mujer
    Meaning("age", "agegrp age_group agegroup", "lehd/agegrp", sure=True),
    Meaning("education", "education educ edu", "lehd/education", sure=True),
    Meaning("education", "isced isced2011 isced11", "isced2011/level", sure=True),
    Meaning("race", "race", "lehd/race", sure=True),
    Meaning("ethnicity", "ethnicity hispanic", "lehd/ethnicity", sure=True),
    Meaning("occupation", "isco1 isco_major isco08_1", "isco08/major", sure=True),
    Meaning("occupation", "isco isco08 occupation beruf occ", "isco08/major isco/unit"),
    Meaning("age", "age alter alder eta edad", "lehd/agegrp"),
    Meaning("education", "bildung schooling ausbildung", "isced2011/level lehd/education"),
)
MEANINGS = {"workplaces": OF_WORKPLACES, "workers": OF_WORKERS}

FLOW = "flow"
"""The column of jobs in which `leeward jobs` writes the class of each job."""

WEIGHT = "a survey weight: not supported, every row counts as one"
WEIGHTS = re.compile(
    r"(.*_)?(p?weights?(?!ed)|wgts?|grossing|expansion_?fac|fac[a-z]*_expansion|fexp|poids|ponder"
    r"|gewicht|hochrechn|hrf|calib).*|(.*_)?(wt|perwt|asecwt|hhwt|finalwgt|fnlwgt|peso|pond)"
)
PAYS = re.compile(
    r"(.*_)?(pay|income|payroll|lohn|bonus)"
    r"|.*(earn|wage|salar|salair|gehalt|entgelt|verdienst|retribu|remunera|stipend).*"
)
"""Names of columns that hold weights, and of those that hold pay."""

UNFIT_NAMES = {
    r"(.*_)?(x|x1|index|row|rownames?|row_names?|row_number|unnamed_\d+)": "row numbers",
    r".*(birth|born|dob|geburt|naissance|nascita).*": "a date of birth",
    r"(.*_)?(date|datum|dat|since|until|hired|begin|end|timestamp)(_.*)?": "a date",
    r".*name|(.*_)?(street|strasse|address|adresse|phone|telefon|e?mail|ssn|svnr|iban)(_.*)?": (
        "says who somebody is"
    ),
}
"""Columns that no table is by, whatever they hold."""

FRACTIONS = "numbers with fractions"
UNFIT_KINDS = {
    **dict.fromkeys(("float", "decimal"), FRACTIONS),
    **dict.fromkeys(("date", "time", "interval"), "a time"),
    **dict.fromkeys(("array", "struct", "map", "binary", "json"), "no single text"),
}


def unfit(name: str, kind: str) -> str | None:
    """Why a column holds no codes, by its name and its type; None if it may."""
    for part, why in UNFIT_KINDS.items():
        if part in kind.lower() and not (why == FRACTIONS and is_weight(name)):
            return f"{kind.partition('<')[0]}: {why}"  # in <> are names that a file gives
    if is_weight(name):
        return WEIGHT
    return next((why for of, why in UNFIT_NAMES.items() if re.fullmatch(of, plain(name))), None)


def is_weight(name: str) -> bool:
    """Whether a column holds survey weights, by its name."""
    return WEIGHTS.fullmatch(plain(name)) is not None


def is_pay(name: str) -> bool:
    """Whether a column holds pay, by its name."""
    return PAYS.fullmatch(plain(name)) is not None


def likeliest(columns: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Columns of tables whose meaning is known: one of each theme, then others of the same."""
    order = [meaning for table in MEANINGS.values() for meaning in table]
    meanings = [(place, meaning_of(*place)) for place in columns]
    known = [(place, meaning) for place, meaning in meanings if meaning is not None]
    known.sort(key=lambda pair: order.index(pair[1]))
    seen: Counter[str] = Counter()
    ranked = []
    for place, meaning in known:
        ranked.append((seen[meaning.theme], place))
        seen[meaning.theme] += 1
    return [place for _, place in sorted(ranked, key=lambda pair: pair[0])]


def meaning_of(table: str, name: str) -> Meaning | None:
    """What a column of this name holds, if that is known."""
    return next((meaning for meaning in MEANINGS.get(table, ()) if name in meaning), None)


@dataclass(frozen=True)
class ListFit:
    """The classification that a column's codes are of, and those codes that it lacks."""

    address: str
    listed: Classification
    lacking: tuple[str, ...] = ()


def fit_by_name(meaning: Meaning, kind: str, library: Library) -> ListFit | None:
    """The list that a column's name stands for, if its type can hold the codes."""
    names = meaning.lists.split()[:1] if meaning.sure else []
    named = (listed for name in names for listed in library.named(name))
    fitting = [
        listed
        for listed in named
        # A column of whole numbers can hold the code 1, but neither 01 nor A1.
        if "string" in kind
        or all(code.isdecimal() and code == str(int(code)) for code in listed.codes)
    ]
    return ListFit(f"{STANDARD}{fitting[0].name}", fitting[0]) if len(fitting) == 1 else None


def fit_by_codes(
    name: str, codes: tuple[str, ...], library: Library, state: str = ""
) -> ListFit | None:
    """The list, in its vintage and its form, that holds the most of a workplace column's codes.

    Of several the one whose year is in the column's name comes first. `state` is the one that all
    workplaces are in, if that is known: numbers of counties repeat in others.
    """
    if not codes:
        return None
    meaning, year = meaning_of("workplaces", name), YEAR.search(name)
    fits = [
        ListFit(address, listed, tuple(code for code in codes if code not in listed.codes))
        for address, listed in _candidates(meaning, library, codes, state)
    ]
    named = {fit.address for fit in fits if year is not None and year[0] in fit.listed.scheme}
    # Better is smaller: few codes are lacking, the year is named, and few are listed in vain.
    best = min(
        fits,
        key=lambda fit: (len(fit.lacking), fit.address not in named, len(fit.listed.codes)),
        default=None,
    )
    if best is None or len(best.lacking) > (1 - ENOUGH) * len(codes):
        return None
    vintages = (
        fit.listed.codes
        for fit in fits
        if len(fit.lacking) == len(best.lacking)
        and fit.listed.family == best.listed.family
        and fit.listed.scheme != best.listed.scheme
    )
    # Another vintage that has the codes too must mean the same by them. Every edition of NACE
    # gives its letters another meaning; digits keep theirs by and large.
    letters = [code for code in codes if code.isalpha()]
    known = best.listed.codes
    reused = any(other.get(code) != known.get(code) for other in vintages for code in letters)
    return None if reused else best


def _candidates(
    meaning: Meaning | None, library: Library, codes: tuple[str, ...], state: str
) -> Iterator[tuple[str, Classification]]:
    """The lists that a meaning names, of one state or country and in shorter forms too."""
    for name in () if meaning is None else meaning.lists.split():
        for listed in library.named(name):
            address = f"{STANDARD}{listed.name}"
            yield address, listed
            if listed.family == "fips":
                yield f"{address}?code=number", listed.under("", "number")
            word = (
                {"fips": "state", "nuts": "country"}.get(listed.family)
                if listed.level != "state"
                else None
            )
            for begin in sorted({code[:2] for code in codes if word and code in listed.codes}):
                yield f"{address}?{word}={begin}", listed.under(begin)
            for form in ("local", "number") if state and word == "state" else ():
                yield f"{address}?state={state}&code={form}", listed.under(state, form)
