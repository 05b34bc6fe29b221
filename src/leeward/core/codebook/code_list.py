"""Code list: the closed list of codes of an attribute: inline, a CSV file, or a standard one.

A column may have other texts in place of its codes, such as M for 1: their spelling. A spelled text
counts as its code, and the code itself is read too. Tables show codes of the list. Nulls are texts
that mean missing, such as "-" and "NA". They come from the codebook, so what a row counts as
depends on that row and public facts only.
"""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Annotated
from unicodedata import normalize

from pydantic import AfterValidator, Field, StringConstraints

from leeward.core.codebook.attribute import Attribute, RealRange
from leeward.core.codebook.classifications import Library, NoList, is_standard
from leeward.core.codebook.yaml_document import one_of, place, read_text
from leeward.core.errors import LONGEST, BadFile, InvalidParameter, LeewardError, raise_all, shown

MOST_CODES = 1_000_000
"""Maximum number of codes in a list."""

LONGEST_CODE = 100
"""Maximum length of a code in characters."""


@dataclass(frozen=True)
class CodeList:
    """Codes in their order, and what they mean."""

    codes: tuple[str, ...]
    labels: tuple[str, ...]
    unknown: str | None = None
    """The code for unknown; None without one."""

    def with_unknown(self, code: str, label: str, where: str) -> "CodeList":
        """The list with one more code, which stands for unknown."""
        if code in self.codes:
            raise InvalidParameter(
                where,
                rule="must be a code that the list does not have",
                value=f"{shown(code)}, which is in codes",
                next_step="Choose another code; or leave `unknown` out, and write the listed code "
                "as `other` and as `null_as`.",
            )
        more = dict(zip(self.codes, self.labels, strict=True)) | {code: label}
        code_list = read_codes(more, Path(), where)
        return CodeList(code_list.codes, code_list.labels, code)


PACKAGED_ALONE = Library()
HEADER = ("code", "label")


def read_codes(
    written: str | list[str] | dict[str, str],
    folder: Path,
    where: str,
    library: Library = PACKAGED_ALONE,
    header: tuple[str, str] = HEADER,
) -> CodeList:
    """Codes as a list, as a mapping to labels, as a CSV file with both, or as a classification."""
    if isinstance(written, str) and is_standard(written):
        rows = list(library.find(written, where).codes.items())
    elif isinstance(written, str):
        rows = _read_csv(folder / written, header, where)
    elif isinstance(written, dict):
        rows = list(written.items())
    else:
        rows = [(code, code) for code in written]
    if not rows:
        file = isinstance(written, str)
        raise (NoList if file else InvalidParameter)(
            where,
            rule="must list at least one code",
            value=f"no codes in {written!r}" if file else "no codes",
            next_step=f"Fill the {'file' if file else 'list'}, or delete the attribute.",
        )
    codes = tuple(code for code, _ in rows)
    _check_codes(codes, where)
    return CodeList(codes, tuple(label for _, label in rows))


def _check_codes(codes: tuple[str, ...], where: str) -> None:
    """Each is a short printable text, and no two look the same to a reader."""
    for code in codes:
        plain = code.isprintable() and code == code.strip()
        if not code or len(code) > LONGEST_CODE or not plain:
            raise InvalidParameter(
                where,
                rule=f"must hold codes of 1 to {LONGEST_CODE} printable characters, no blanks "
                "around",
                value=shown(code),
                next_step="Change the code.",
            )
    if len(codes) > MOST_CODES or len(set(codes)) < len(codes):
        twice = next((code for code, times in Counter(codes).items() if times > 1), None)
        raise InvalidParameter(
            where,
            rule=f"must list each code once, from 1 to {MOST_CODES} codes",
            value=f"{shown(twice)} twice" if twice is not None else f"{len(codes)} codes",
            next_step="Mend the list.",
        )
    seen: dict[str, str] = {}
    for code in codes:  # é in one letter and in two are equal to a reader, not to a program
        other = seen.setdefault(normalize("NFKC", code), code)
        if other != code:
            raise InvalidParameter(
                where,
                rule="must not hold two codes that are the same text in Unicode's form NFKC",
                value=f"{ascii(other)[:LONGEST]} and {ascii(code)[:LONGEST]}",
                next_step="Keep one of them, or rename one.",
            )


def read_parents(written: str | dict[str, str], folder: Path, where: str) -> Mapping[str, str]:
    """The coarser code of each code, as a mapping or as the name of a CSV file."""
    if isinstance(written, dict):
        return written
    rows = _read_csv(folder / written, ("code", "parent"), where)
    parents = dict(rows)
    if len(parents) < len(rows):
        raise InvalidParameter(
            where,
            rule="must name the parent of each code once",
            value=shown(written),
            next_step="Remove the repeated rows.",
        )
    return parents


def _read_csv(path: Path, header: tuple[str, str], where: str) -> list[tuple[str, str]]:
    """Rows of the two named columns; other columns are ignored."""
    if not path.exists():
        raise NoList(
            where,
            rule="must be a file that exists",
            value=repr(str(path)),
            next_step="Look at the name and the file.",
        )
    reader = csv.DictReader(StringIO(read_text(path, where), newline=""), strict=True)
    try:
        rows = list(reader)
    except csv.Error as error:
        raise _bad_csv(path, where, f"must be CSV ({error})") from None
    if not set(header) <= set(reader.fieldnames or ()):
        step = "Mend the file." if header[1] == "parent" else OTHER_HEADER
        rule = f"must be CSV with the columns {' and '.join(header)}"
        raise _bad_csv(path, where, rule, step=step)
    long = next((number for number, row in enumerate(rows, start=2) if None in row), None)
    if long is not None:
        rule = "must not have more fields in a row than the header names"
        step = "Put quotes around texts that hold a comma."
        raise _bad_csv(path, where, rule, f"row {long} of ", step)
    if any(row[column] is None for row in rows for column in header):
        raise _bad_csv(path, where, "must have all columns in every row")
    return [(row[header[0]].strip(), row[header[1]].strip()) for row in rows]


OTHER_HEADER = "Mend the file, or name its columns as code_column and label_column."


def _bad_csv(
    path: Path, where: str, rule: str, found: str = "", step: str = "Mend the file."
) -> BadFile:
    return BadFile(where, rule=rule, value=f"{found}{str(path)!r}", next_step=step)


Spelling = Mapping[str, str]
"""The code of each text."""

LABELS, NUMBER = "labels", "number"
OF_EVERY_LIST = (LABELS, NUMBER)
"""Labels in their own, lower and upper case; codes without their leading zeros."""


def read_spelling(
    written: str | Sequence[str] | Mapping[str, str],
    codes: CodeList,
    named: Mapping[str, Spelling],
    where: str,
) -> Spelling:
    """The texts that are written; or of names that every list has, or that this list has."""
    if isinstance(written, Mapping):
        raise_all(
            InvalidParameter(
                where,
                rule="must give each text one of the codes",
                value=f"{shown(code)} for {shown(text)}",
                next_step=f"Its codes begin {', '.join(codes.codes[:5])}.",
            )
            for text, code in written.items()
            if code not in codes.codes
        )
        spellings = {"nothing": list(written.items())}
    else:
        names = [written] if isinstance(written, str) else written
        spellings = {shown(name): _texts(name, codes, named) for name in names}
    empty = next((name for name, pairs in spellings.items() if not pairs), None)
    if empty is not None or not spellings:
        raise InvalidParameter(
            where,
            rule=f"must be one of {', '.join((*named, *OF_EVERY_LIST))}, several of them, or a "
            "mapping of texts to codes",
            value=empty or "nothing",
            next_step='Write for example {M: "1", F: "2"}; `leeward codes NAME` shows what a '
            "list has.",
        )
    pairs = [pair for several in spellings.values() for pair in several]
    raise_all(_clashes(pairs, codes, where))
    return {text: code for text, code in pairs if text != code}


def _clashes(pairs: list[tuple[str, str]], codes: CodeList, where: str) -> Iterator[LeewardError]:
    """A text that would be two codes."""
    known = {code: code for code in codes.codes}
    for text, code in pairs:
        other = known.setdefault(text, code)
        if other != code:
            yield InvalidParameter(
                where,
                rule="must not give a text two codes; codes of the list are texts too",
                value=f"{shown(text)} for {shown(other)} and {shown(code)}",
                next_step="Write a mapping of texts to codes, or list the column's own texts.",
            )


def _texts(name: str, codes: CodeList, named: Mapping[str, Spelling]) -> list[tuple[str, str]]:
    """Texts and codes of a spelling by its name; none if it is not known."""
    if name == LABELS:
        rows = zip(codes.codes, codes.labels, strict=True)
        cases = ((code, (label, label.lower(), label.upper())) for code, label in rows)
        return [(text, code) for code, texts in cases for text in texts]
    if name == NUMBER:
        return [(code.lstrip("0") or "0", code) for code in codes.codes if code.isdecimal()]
    return [(text, code) for text, code in named.get(name, {}).items() if code in codes.codes]


PRINTABLE = "must be a printable text of at most 100 characters"


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError(PRINTABLE)
    return text


NullText = Annotated[
    str, StringConstraints(max_length=100), AfterValidator(_printable), one_of(PRINTABLE)
]
"""A text exactly as the data have it; an empty one is allowed."""

Nulls = Annotated[tuple[NullText, ...], Field(max_length=100)]
"""The texts that mean missing; at most a hundred."""


def chosen(own: Nulls | None, of_all: Nulls) -> Nulls:
    """The texts of one column: its own list replaces that of the whole codebook."""
    return tuple(sorted(set(of_all if own is None else own)))


def clash(
    name: str, own: Nulls | None, nulls: Nulls, texts: Iterable[str]
) -> Iterator[LeewardError]:
    """A text that means missing and is a code, listed or omitted, of the same attribute."""
    codes = {normalize("NFKC", text): text for text in texts}
    beside = place(("codebook", "attributes", name, "nulls"))
    for text in nulls:
        if normalize("NFKC", text) in codes:
            yield InvalidParameter(
                "codebook.nulls" if own is None else beside,
                rule=f"must not name a code of {name}: a text is either missing or a code",
                value=shown(codes[normalize("NFKC", text)]),
                next_step=f"Remove it, or write {beside} with the texts that mean missing there."
                if own is None
                else "Remove it from nulls or from codes.",
            )


def contradictions(
    ids: Iterable[tuple[str, str]], of_ids: Nulls, declared: Mapping[str, Attribute | RealRange]
) -> Iterator[LeewardError]:
    """Declarations of one column that do not agree on what is missing in it."""
    own: tuple[str, Nulls] = ("the ids (tables.nulls)", chosen(None, of_ids))
    first = dict.fromkeys(ids, own)
    for name, column in declared.items():
        other, nulls = first.setdefault((column.table, column.column), (name, column.nulls))
        if nulls != column.nulls:
            yield InvalidParameter(
                place(("codebook", "attributes", name, "nulls")),
                rule=f"must be the same as for {other}: both are read from the same column",
                value=", ".join(map(shown, column.nulls)) or "no texts",
                next_step=f"Write nulls: [{', '.join(map(shown, nulls))}].",
            )
