"""Hierarchy: where the codes of an attribute are, and the coarser code of each of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from leeward.core.codebook.attribute import Attribute
from leeward.core.codebook.classifications import Classification, Library, is_standard
from leeward.core.codebook.code_list import (
    CodeList,
    Spelling,
    read_codes,
    read_parents,
    read_spelling,
)
from leeward.core.codebook.declaration import WrittenAttribute
from leeward.core.codebook.yaml_document import place
from leeward.core.errors import InvalidParameter, shown


@dataclass(frozen=True)
class Lists:
    """Where code lists are: files in a folder, and classifications."""

    folder: Path
    library: Library

    def codes(self, written: WrittenAttribute, where: str) -> CodeList:
        """The codes that an attribute declares."""
        header = (written.code_column or "code", written.label_column or "label")
        listed = [] if written.codes is None else written.codes
        return read_codes(listed, self.folder, where, self.library, header)

    def spelling(self, written: WrittenAttribute, codes: CodeList, where: str) -> Spelling:
        """The other texts for its codes that an attribute declares."""
        if written.spelled is None:
            return {}
        named: Mapping[str, Spelling] = {}
        if is_standard(written.codes):
            named = self.library.find(str(written.codes), f"{where}.codes").spellings
        return read_spelling(written.spelled, codes, named, f"{where}.spelled")

    def by_prefix(
        self, name: str, declared: Mapping[str, WrittenAttribute], origin: Attribute
    ) -> CodeList:
        """The beginnings of the codes of its origin; of a classification with its own labels."""
        first = name
        while (finer := declared[first].origin) is not None:
            first = finer
        written, known = declared[first].codes, list[Classification]()
        if isinstance(written, str) and is_standard(written):
            own = self.library.find(written, place(("codebook", "attributes", first, "codes")))
            known = [listed for listed in self.library if listed.family == own.family]
            known.sort(key=lambda listed: listed.scheme != own.scheme)  # its vintage first
        labels: dict[str, str] = {}
        for code in origin.codes:
            if code == origin.unknown:
                continue
            start = code[: int(declared[name].prefix or "")]
            above = ((listed.beginning(start), listed.codes) for listed in known)
            labelled = ((parent, codes[parent]) for parent, codes in above if parent is not None)
            parent, label = next(labelled, (start, start))
            labels[parent] = label
        return CodeList(tuple(labels), tuple(labels.values()))

    def parents(
        self, written: WrittenAttribute, origin: Attribute, codes: CodeList, where: str
    ) -> Mapping[str, str]:
        """The parent of each code of the origin: by a map, its beginning, or a classification.

        Unknown is unknown in the coarser list too, unless the map gives it another parent.
        """
        both = origin.unknown is not None and codes.unknown is not None
        unknown = {str(origin.unknown): str(codes.unknown)} if both else {}
        if written.map is not None:
            return unknown | dict(read_parents(written.map, self.folder, f"{where}.map"))
        known = dict(zip(codes.codes, codes.labels, strict=True))
        known.pop(codes.unknown or "", None)
        listed = Classification(origin.name, "", "", known)
        if is_standard(written.codes):
            listed = self.library.find(str(written.codes), f"{where}.codes")
        length = 0 if written.prefix is None else int(written.prefix)
        parents = {
            code: listed.beginning(code[:length]) if length else listed.parent(code)
            for code in origin.codes
            if code != origin.unknown
        }
        return {code: parent for code, parent in parents.items() if parent is not None} | unknown

    def with_unknown(
        self, codes: CodeList, written: WrittenAttribute, origin: Attribute | None, where: str
    ) -> CodeList:
        """The list with its code for unknown: the written one, or that of the finer attribute."""
        own = written.unknown_code
        if origin is None or own is not None:
            if own is not None and origin is not None and origin.unknown is None:
                raise InvalidParameter(
                    f"{where}.unknown",
                    rule="needs `unknown` beside the attribute that it is derived from",
                    value=f"from: {origin.name}, which has no code for unknown",
                    next_step=f"Write it beside {origin.name}, or list the code in codes.",
                )
            return codes if own is None else codes.with_unknown(*own, f"{where}.unknown")
        if origin.unknown is None:
            return codes
        if written.map is not None and origin.unknown in read_parents(
            written.map, self.folder, f"{where}.map"
        ):
            return codes
        if origin.unknown in codes.codes:
            raise InvalidParameter(
                f"{where}.unknown",
                rule=f"must be given: the code for unknown of {origin.name} is another code here",
                value=shown(origin.unknown),
                next_step="Write `unknown` with a code that is not in this list.",
            )
        label = origin.labels[origin.codes.index(origin.unknown)]
        return codes.with_unknown(origin.unknown, label, f"{where}.unknown")
