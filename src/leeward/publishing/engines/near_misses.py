"""Near misses: what is probably wrong with a value that is almost right, and what to do about it.

CONFIDENTIAL: hints quote rows. Only internal commands show them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from leeward.core.codebook import Attribute
from leeward.core.codebook.classifications import PACKAGED, Library
from leeward.core.errors import LeewardError
from leeward.publishing.engines.database import Column, ibis
from leeward.publishing.engines.recoding import (
    NO_NUMBER,
    NUMBER,
    plain_id,
    stripped,
    without_zeros_before,
    without_zeros_behind,
)

TEXT = 'dtype=str in pandas, colClasses = "character" in R, a column of text in a spreadsheet'
"""How programs keep ids and codes as they are written."""

Form = Callable[[Column], Column]

FORMS: tuple[tuple[Form, str], ...] = (
    (
        stripped,
        "{:,} of them match without the blanks around ids: trim jobs.{} and {}.{}.",
    ),
    (
        without_zeros_behind,
        "{:,} of them match without the .0 behind ids: a program wrote whole numbers with a point. "
        'Write jobs.{} and {}.{} as whole numbers (.astype("Int64") in pandas, as.integer in R).',
    ),
    (
        without_zeros_before,
        "{:,} of them match without leading zeros: a program read ids as numbers. Write jobs.{} "
        f"and {{}}.{{}} as text in one form ({TEXT}).",
    ),
    (
        plain_id,
        "{:,} of them match without blanks, leading zeros and .0: write jobs.{} and {}.{} as text "
        f"in one form ({TEXT}).",
    ),
)
"""Forms in which ids of two tables are compared again, and what to do if they match then."""

THOUSANDS = "^[+-]?[0-9]{1,3}([,' \u00a0\u202f][0-9]{3})+([.][0-9]+)?$"
POINTS = "^[+-]?[0-9]{1,3}([.][0-9]{3}){2,}$"
ONE_POINT = "^[+-]?[1-9][0-9]{0,2}[.][0-9]{3}$"
"""1.234, which is read as a number: with one point nobody knows what it separates."""

COMMA = "^[+-]?([0-9]+|[0-9]{1,3}([.' \u00a0\u202f][0-9]{3})+),[0-9]+$"

MARKS: Mapping[str, tuple[str, str]] = {
    "thousands": (
        THOUSANDS,
        "{} of them have separators of thousands: write 9390.98, not 9,390.98 "
        '(thousands="," in pandas.read_csv, gsub(",", "", x) in R).',
    ),
    "comma": (
        COMMA,
        "{} of them have a decimal comma: write 1234.56, not 1.234,56 "
        '(decimal="," and thousands="." in pandas.read_csv, read.csv2 in R).',
    ),
    "points": (
        POINTS,
        "{} of them have points between thousands: write 1234567, not 1.234.567 "
        '(thousands="." in pandas.read_csv, gsub("[.]", "", x) in R).',
    ),
}
"""Numbers as people write them: the texts in a database, and what to do about them."""

POINTED = (
    "{:,} of them have one point before three digits: if it separates thousands, write 1234, not "
    '1.234 (thousands="." in pandas.read_csv, gsub("[.]", "", x) in R).'
)


def marked(column: Column) -> dict[str, Column]:
    """Whether each text is a number with each of the marks; of other columns none is."""
    if not column.type().is_string():
        return {}
    unread = ~(column.re_search(NUMBER) & ~column.re_search(NO_NUMBER))
    thousands = unread & column.re_search(THOUSANDS)
    return {
        "thousands": thousands,
        "comma": unread & ~thousands & column.re_search(COMMA),
        "points": unread & column.re_search(POINTS),
    }


def pointed(column: Column) -> Column:
    """Whether a text may be thousands behind a point, although it is read as a fraction."""
    if not column.type().is_string():
        return ibis.literal(False)
    return column.re_search(ONE_POINT).fill_null(False)


def number_hints(counts: Mapping[str, int]) -> str:
    """What to do about numbers with marks, by how many have each of them."""
    return " ".join(MARKS[mark][1].format(f"{rows:,}") for mark, rows in counts.items() if rows)


def encoding_hint(texts: Iterable[str]) -> Iterator[str]:
    """What to do if some text was read in a wrong encoding."""
    for text in texts:
        meant = _meant(text)
        if meant is not None:
            yield (
                f"{text!r} was probably written as {meant!r}: the file was read in a wrong "
                "encoding. Name the right one as `encoding` under `data` in the plan, or save the "
                "file in UTF-8."
            )
            return
        if "\N{REPLACEMENT CHARACTER}" in text:
            yield (
                f"{text!r} has lost letters: a program read the file in a wrong encoding. Export "
                "the table again, in UTF-8."
            )
            return


def _meant(text: str) -> str | None:
    """A text in UTF-8 that was read as if each byte were a letter; None for any other text."""
    for wrong in ("cp1252", "latin-1"):
        try:
            meant = text.encode(wrong).decode("utf-8")
        except UnicodeError:
            continue
        if meant != text:
            return meant
    return None


MOST_NEAR = 4
"""Maximum number of texts of which it is said what they differ by."""


@dataclass(frozen=True)
class CodeSpelling:
    """Texts of a column that an attribute does not list, and what they are instead."""

    attribute: Attribute
    texts: Sequence[str]
    library: Library | None = None

    def near(self) -> Iterator[str]:
        """What texts differ by that are almost codes, and a wrong encoding."""
        listed, hints = self.attribute.recode, 0
        for text in self.texts:
            meant = text.strip()
            likely = next((code for code in listed if code.lower() == meant.lower()), None)
            if not meant:
                yield (
                    f"{text!r} is empty but no null: fill it, or make it a null and give `null_as`."
                )
            elif meant in listed:
                yield f"{text!r} differs from {meant!r} by blanks: remove them."
            elif likely is not None:
                yield (
                    f"{text!r} differs from {likely!r} by upper and lower case: write it as the "
                    "codebook."
                )
            else:
                continue
            hints += 1
            if hints == MOST_NEAR:
                break
        yield from encoding_hint(self.texts)

    def explained(self) -> str | None:
        """What all texts together are, if they are something else than codes of the list."""
        plain_codes: dict[str, str] = {}
        for code in self.attribute.recode:
            plain_codes.setdefault(_plain(code), code)
        for text in self.texts:
            bare = text.strip()
            likely = plain_codes.get(_plain(bare))
            if bare and likely is not None and likely.lower() != bare.lower():
                return (
                    f"{text!r} differs from {likely!r} by leading zeros or .0: a program read "
                    f"codes as numbers. Write the column as text ({TEXT}), or list the codes as it "
                    "has them."
                )
        return next(chain(self._labels(), self._another_list()), None)

    def _labels(self) -> Iterator[str]:
        """Labels in place of codes; or their first letters, such as M where the list has Male."""
        by_label = self._by(str.casefold)
        named = [text for text in self.texts if text.casefold() in by_label]
        if named:
            yield self._written(named, by_label, "a label", "labels")
        by_initial = self._by(lambda label: label[:1].casefold())
        single = [text for text in self.texts if text.strip()]
        if single and all(text.casefold() in by_initial for text in single):
            yield self._written(single, by_initial, "the first letter of a label", "first letters")

    def _by(self, form: Callable[[str], str]) -> dict[str, str]:
        """The label of each form of a label that only one label has, of labels beside codes."""
        forms: dict[str, list[str]] = {}
        for label in self._own_labels():
            forms.setdefault(form(label), []).append(label)
        return {short: labels[0] for short, labels in forms.items() if len(labels) == 1}

    def _own_labels(self) -> list[str]:
        """The labels that are not the codes themselves."""
        pairs = zip(self.attribute.codes, self.attribute.labels, strict=True)
        return [label for code, label in pairs if label and label != code]

    def _written(
        self, texts: Sequence[str], labels: Mapping[str, str], what: str, several: str
    ) -> str:
        """What to list where a column has labels in place of codes."""
        text, name = texts[0], self.attribute.name
        pairs = ", ".join(f"{each}: {labels[each.casefold()]}" for each in texts[:3])
        return (
            f"{text!r} is {what}, not a code: the column has {several}. Write the codes into the "
            f"column, or list what it has: `{name}: {{codes: {{{pairs}}}}}`."
        )

    def _another_list(self) -> Iterator[str]:
        """Another list of the same things, by most of its labels, that has most of the texts."""
        own = {*self._own_labels()}
        try:
            known = tuple(self.library) if own and self.library is not None else ()
        except LeewardError:  # the folder cannot be read
            known = PACKAGED
        for other in known:
            has = [text for text in self.texts if text in other.codes]
            same = own & {*other.codes.values()}
            if 2 * len(has) > len(self.texts) and 2 * len(same) > len(self.attribute.codes):
                yield (
                    f"{has[0]!r} is a code of {other.name} ({other.title}), another list: is this "
                    f"the vintage of the data? Write `codes: standard:{other.name}`."
                )
                return


def _plain(code: str) -> str:
    """A code without leading zeros and without `.0`, as `recoding.plain_id` has it."""
    whole, point, rest = code.partition(".")
    if not (whole.isascii() and whole.isdigit()) or (point and (not rest or rest.strip("0"))):
        return code
    return whole.lstrip("0") or "0"
