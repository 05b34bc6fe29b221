"""Nulls: texts of a column that mean missing, such as "-" and "NA".

They come from the codebook, so what a row counts as depends on that row and public facts only.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated
from unicodedata import normalize

from pydantic import AfterValidator, Field, StringConstraints

from leeward.core.codebook.attribute import Attribute, RealRange
from leeward.core.codebook.yaml_document import one_of, place
from leeward.core.errors import InvalidParameter, LeewardError, shown

WORDS = "must be a printable text of at most 100 characters"


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError(WORDS)
    return text


NullText = Annotated[
    str, StringConstraints(max_length=100), AfterValidator(_printable), one_of(WORDS)
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


def by_column(
    ids: Iterable[tuple[str, str]], of_ids: Nulls, declared: Iterable[Attribute | RealRange]
) -> Mapping[tuple[str, str], Nulls]:
    """The texts that mean missing in each column that is read, by (table, column)."""
    found = dict.fromkeys(ids, chosen(None, of_ids))
    return found | {(one.table, one.column): one.nulls for one in declared}


def contradictions(
    ids: Iterable[tuple[str, str]], of_ids: Nulls, declared: Mapping[str, Attribute | RealRange]
) -> Iterator[LeewardError]:
    """Declarations of one column that do not agree on what is missing in it."""
    keys = tuple(ids)
    first: dict[tuple[str, str], tuple[str, Nulls]] = {}
    first |= dict.fromkeys(keys, ("the ids (tables.nulls)", chosen(None, of_ids)))
    for name, one in declared.items():
        other, nulls = first.setdefault((one.table, one.column), (name, one.nulls))
        if nulls != one.nulls:
            yield InvalidParameter(
                place(("codebook", "attributes", name, "nulls")),
                rule=f"must be the same as for {other}: both are read from the same column",
                value=", ".join(map(shown, one.nulls)) or "no texts",
                next_step=f"Write nulls: [{', '.join(map(shown, nulls))}].",
            )
