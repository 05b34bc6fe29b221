"""Spelling: other texts that a column has in place of the codes of its list, such as M for 1.

A spelled text counts as its code, and the code itself is read too. Tables show codes of the list.
"""

from collections.abc import Iterator, Mapping

from leeward.errors import InvalidParameter, LeewardError, raise_all, shown
from leeward.model.code_list import CodeList

Spelling = Mapping[str, str]
"""The code of each text."""

LABELS, NUMBER = "labels", "number"
OF_EVERY_LIST = (LABELS, NUMBER)
"""Labels in their own, lower and upper case; codes without their leading zeros."""


def read_spelling(
    written: str | Mapping[str, str], codes: CodeList, named: Mapping[str, Spelling], where: str
) -> Spelling:
    """The texts of a spelling that is written, of a name that every list has, or of this list."""
    if not isinstance(written, str):
        raise_all(_no_codes(written, codes, where))
        pairs = list(written.items())
    elif written == LABELS:
        rows = zip(codes.codes, codes.labels, strict=True)
        cases = ((code, (label, label.lower(), label.upper())) for code, label in rows)
        pairs = [(text, code) for code, texts in cases for text in texts]
    elif written == NUMBER:
        pairs = [(code.lstrip("0") or "0", code) for code in codes.codes if code.isdecimal()]
    else:
        kept = named.get(written, {})
        pairs = [(text, code) for text, code in kept.items() if code in codes.codes]
    if not pairs:
        raise InvalidParameter(
            where,
            rule=f"must be one of {', '.join((*named, *OF_EVERY_LIST))}, or a mapping of texts to "
            "codes",
            value="nothing" if not isinstance(written, str) else shown(written),
            next_step='Write for example {M: "1", F: "2"}; `leeward codes NAME` shows what a '
            "list has.",
        )
    raise_all(_clashes(pairs, codes, where))
    return {text: code for text, code in pairs if text != code}


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
