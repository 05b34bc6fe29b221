"""Spelling: other texts that a column has in place of the codes of its list, such as M for 1.

A spelled text counts as its code, and the code itself is read too. Tables show codes of the list.
"""

from collections.abc import Iterator, Mapping, Sequence

from leeward.core.codebook.code_list import CodeList
from leeward.core.errors import InvalidParameter, LeewardError, raise_all, shown

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
        raise_all(_no_codes(written, codes, where))
        found = {"nothing": list(written.items())}
    else:
        names = [written] if isinstance(written, str) else written
        found = {shown(name): _texts(name, codes, named) for name in names}
    empty = next((name for name, pairs in found.items() if not pairs), None)
    if empty is not None or not found:
        raise InvalidParameter(
            where,
            rule=f"must be one of {', '.join((*named, *OF_EVERY_LIST))}, several of them, or a "
            "mapping of texts to codes",
            value=empty or "nothing",
            next_step='Write for example {M: "1", F: "2"}; `leeward codes NAME` shows what a '
            "list has.",
        )
    pairs = [pair for several in found.values() for pair in several]
    raise_all(_clashes(pairs, codes, where))
    return {text: code for text, code in pairs if text != code}


def _texts(name: str, codes: CodeList, named: Mapping[str, Spelling]) -> list[tuple[str, str]]:
    """Texts and codes of a spelling by its name; none if it is not known."""
    if name == LABELS:
        rows = zip(codes.codes, codes.labels, strict=True)
        cases = ((code, (label, label.lower(), label.upper())) for code, label in rows)
        return [(text, code) for code, texts in cases for text in texts]
    if name == NUMBER:
        return [(code.lstrip("0") or "0", code) for code in codes.codes if code.isdecimal()]
    return [(text, code) for text, code in named.get(name, {}).items() if code in codes.codes]


def _no_codes(written: Spelling, codes: CodeList, where: str) -> Iterator[LeewardError]:
    for text, code in written.items():
        if code not in codes.codes:
            yield InvalidParameter(
                where,
                rule="must give each text one of the codes",
                value=f"{shown(code)} for {shown(text)}",
                next_step=f"Its codes begin {', '.join(codes.codes[:5])}.",
            )


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
