"""Codebook: what the columns of the three tables mean, and which codes they may hold."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from leeward.errors import BadFile, InvalidParameter, LeewardError, Problems, raise_all, shown
from leeward.model.attribute import LEFT_OUT, Attribute, RealRange
from leeward.model.classifications import Classification, Library, NoList, is_standard
from leeward.model.code_list import CodeList, read_codes, read_parents
from leeward.model.declaration import (
    REAL,
    Keys,
    WrittenAttribute,
    WrittenCodebook,
    misplaced,
    numeric_range,
    problems,
    real_range,
)
from leeward.model.document import as_document, nearest, parse, place, read_document
from leeward.model.row_rules import NUMBER_RULES, ROW_RULES, RowRule

Combination: TypeAlias = Mapping[str, str]
"""A code of each of some attributes, by the attributes' names."""


@dataclass(frozen=True)
class Pending:
    """An attribute without a code list, and what is refused where it is used."""

    table: str
    refusal: LeewardError


@dataclass(frozen=True)
class Codebook:
    """The declared attributes by name, the key columns, and what no job can be.

    Whether the data obey `impossible` is looked at by a check alone: no release depends on it.
    `reals` are columns of real numbers, by name: regressions read them, tables do not. `pending`
    are attributes without a code list: each is refused where it is used. `library` has the public
    lists that it could name.
    """

    keys: Keys
    attributes: Mapping[str, Attribute] = field(hash=False)
    impossible: tuple[Combination, ...] = field(default=(), hash=False)
    reals: Mapping[str, RealRange] = field(default_factory=dict, hash=False)
    pending: Mapping[str, Pending] = field(default_factory=dict, hash=False, compare=False)
    library: Library | None = field(default=None, hash=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", MappingProxyType(dict(self.attributes)))
        kept = tuple(MappingProxyType(dict(one)) for one in self.impossible)
        object.__setattr__(self, "impossible", kept)
        object.__setattr__(self, "reals", MappingProxyType(dict(self.reals)))
        object.__setattr__(self, "pending", MappingProxyType(dict(self.pending)))

    def attribute(self, name: str, parameter: str) -> Attribute:
        """A declared attribute that may be tabulated by; anything else is refused."""
        found = self.attributes.get(name)
        if name in self.pending:
            raise self.pending[name].refusal
        if found is None and name in self.reals:
            raise InvalidParameter(
                parameter,
                rule="must have codes: a column of type number is for regressions alone",
                value=shown(name),
                next_step="Declare it with type: integer and classes, or leave it out.",
            )
        if found is None:
            near = nearest(name, self.attributes)
            raise InvalidParameter(
                parameter,
                rule=f"must be declared in the codebook: {', '.join(self.attributes)}",
                value=shown(name),
                next_step=f"Did you mean {near!r}?" if near else "Declare it, or leave it out.",
            )
        if not found.may_be_tabulated:
            raise InvalidParameter(
                parameter,
                rule="must not be a private attribute of workplaces: its values would be published",
                value=shown(name),
                next_step="Leave it out; declare it public only if everyone may know it.",
            )
        return found

    def require_lists(self) -> None:
        """Refuse attributes of workers and jobs without a list, where all of them count."""
        used = (one.refusal for one in self.pending.values() if one.table != "workplaces")
        raise_all({str(one): one for one in used}.values())

    def columns(self) -> Iterator[tuple[str, str]]:
        """Every (table, column) that must be in the data."""
        keys = self.keys
        yield "workplaces", keys.workplaces.id
        if keys.workplaces.employer is not None:
            yield "workplaces", keys.workplaces.employer
        yield "workers", keys.workers.id
        yield from (("jobs", keys.jobs.worker), ("jobs", keys.jobs.workplace))
        yield from {(one.table, one.column): None for one in self.attributes.values()}

    def parents(self, name: str) -> dict[str, dict[str, str]]:
        """For each attribute that is derived from this one, the parent of each code."""
        found: dict[str, dict[str, str]] = {}
        for one in self.attributes.values():
            if name in self._origins(one):
                codes = self.attributes[name].codes
                found[one.name] = {code: one.codes[one.recode[code]] for code in codes}
        return found

    def _origins(self, attribute: Attribute) -> Iterator[str]:
        while attribute.origin is not None:
            yield attribute.origin
            attribute = self.attributes[attribute.origin]

    def real(self, name: str) -> RealRange:
        """The numbers of a column for regressions; one that is not declared lies in 0 to 1.

        Of a numeric column they are those from low to cap.
        """
        found = self.attributes.get(name)
        if found is not None and found.numbers is not None:
            return RealRange(found.column, Fraction(found.numbers.low), Fraction(found.numbers.cap))
        return self.reals.get(name, RealRange(name))

    @property
    def numeric(self) -> tuple[Attribute, ...]:
        """The attributes of numeric columns, derived ones included."""
        return tuple(one for one in self.attributes.values() if one.numbers is not None)

    @property
    def row_rules(self) -> tuple[RowRule, ...]:
        """The rules under which rows of workers and jobs count."""
        return (*ROW_RULES, *NUMBER_RULES) if self.numeric else ROW_RULES


def read_codebook(source: Path | Mapping[str, object], folder: Path | None = None) -> Codebook:
    """A codebook from a YAML file, or the same keys as a mapping.

    Code lists are read from files beside it, of a mapping from files in `folder`.
    """
    if isinstance(source, Path):
        content, folder = read_document(source, "codebook"), source.parent
    else:
        content, folder = as_document(source), folder or Path()
    written, found = parse(WrittenCodebook, content, "codebook")
    if written is None:
        raise Problems(found) if len(found) > 1 else found[0]
    attributes: dict[str, Attribute] = {}
    reals: dict[str, RealRange] = {}
    kept = written.classifications
    lists = Lists(folder, Library(None if kept is None else folder / kept))
    pending: dict[str, Pending] = {}
    for name in _in_order(written.attributes):
        try:
            if written.attributes[name].type == REAL:
                reals[name] = _real(name, written.attributes[name])
                continue
            if written.attributes[name].origin in pending:
                pending[name] = pending[written.attributes[name].origin or ""]
                continue
            attributes[name] = _attribute(name, written.attributes, attributes, lists)
        except Problems as several:
            found.extend(several.problems)
        except NoList as refusal:
            pending[name] = Pending(written.attributes[name].table, refusal)
        except LeewardError as problem:
            found.append(problem)
    found.extend(_given_away(attributes))
    for number, one in enumerate(written.impossible):
        found.extend(
            _misread(one, written.attributes, attributes, f"codebook.impossible[{number}]")
        )
    used = {name for one in written.impossible for name in one}
    lacking = (one.refusal for name, one in pending.items() if not attributes or name in used)
    found.extend(lacking)
    raise_all(found)
    if not attributes:
        raise BadFile(
            "codebook.attributes",
            rule="must declare at least one attribute",
            value="none",
            next_step="`leeward init` writes a codebook from table headers.",
        )
    ordered = {name: attributes[name] for name in written.attributes if name in attributes}
    return Codebook(written.tables, ordered, written.impossible, reals, pending, lists.library)


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

    def by_prefix(
        self, name: str, declared: Mapping[str, WrittenAttribute], origin: Attribute
    ) -> CodeList:
        """The beginnings of the codes of its origin; of a classification with its own labels."""
        known = self._relatives(name, declared)
        labels: dict[str, str] = {}
        for code in origin.codes:
            start = code[: int(declared[name].prefix or "")]
            found = ((one.beginning(start), one.codes) for one in known)
            listed = ((parent, codes[parent]) for parent, codes in found if parent is not None)
            parent, label = next(listed, (start, start))
            labels[parent] = label
        return CodeList(tuple(labels), tuple(labels.values()))

    def _relatives(
        self, name: str, declared: Mapping[str, WrittenAttribute]
    ) -> list[Classification]:
        """The lists of the classification that its codes are of, its vintage first."""
        while (origin := declared[name].origin) is not None:
            name = origin
        written = declared[name].codes
        if not isinstance(written, str) or not is_standard(written):
            return []
        own = self.library.find(written, place(("codebook", "attributes", name, "codes")))
        same = [one for one in self.library if one.family == own.family]
        return sorted(same, key=lambda one: one.scheme != own.scheme)


def _misread(
    one: Combination,
    declared: Mapping[str, WrittenAttribute],
    sound: Mapping[str, Attribute],
    where: str,
) -> Iterator[LeewardError]:
    """What is wrong with a combination; of attributes with mistakes these are told already."""
    if len(one) < 2:
        yield InvalidParameter(
            where,
            rule="must combine codes of at least two attributes",
            value=", ".join(one) or "none",
            next_step="Add another attribute; a code that nobody has is left out of codes.",
        )
    for name, code in one.items():
        unfit = name in declared and (
            declared[name].table == "workplaces" or declared[name].type == REAL
        )
        if name not in declared or unfit:
            near = None if name in declared else nearest(name, declared)
            yield InvalidParameter(
                place((where, name)),
                rule="must be a declared attribute of workers or jobs",
                value=shown(name),
                next_step=f"Did you mean {near!r}?" if near else "Name another one.",
            )
        elif name in sound and sound[name].position(code) is None:
            yield InvalidParameter(
                place((where, name)),
                rule=f"must be one of the codes of {name}",
                value=shown(code),
                next_step=f"Its codes begin {', '.join(sound[name].codes[:5])}.",
            )


def _given_away(attributes: Mapping[str, Attribute]) -> Iterator[LeewardError]:
    """Public attributes of columns that others declare private; derived ones share their column."""
    hidden = {
        one.column: one.name for one in attributes.values() if one.of_workplaces and not one.public
    }
    for one in attributes.values():
        if one.public and one.column in hidden:
            yield InvalidParameter(
                f"{place(('codebook', 'attributes', one.name))}.public",
                rule="must not be true of a column that another attribute declares private, nor "
                "of anything derived from it: its values would be published",
                value=f"true, and {hidden[one.column]} of the same column {shown(one.column)} is "
                "private",
                next_step="Write public: false, or declare both public if everyone may know them.",
            )


def _in_order(written: Mapping[str, WrittenAttribute]) -> list[str]:
    """Names with those first that others are derived from."""

    def steps(name: str) -> int:
        passed: list[str] = []
        while name in written and name not in passed:
            passed.append(name)
            name = written[name].origin or ""
        return len(passed)

    return sorted(written, key=steps)


def _real(name: str, written: WrittenAttribute) -> RealRange:
    where = place(("codebook", "attributes", name))
    raise_all(problems(name, written, where))
    return real_range(name, written, where)


def _attribute(
    name: str,
    declared: Mapping[str, WrittenAttribute],
    known: Mapping[str, Attribute],
    lists: Lists,
) -> Attribute:
    where, written = place(("codebook", "attributes", name)), declared[name]
    raise_all(problems(name, written, where))
    numbers = None if written.type is None else numeric_range(written, where)
    if numbers is not None:
        labels = zip(written.classes or {}, numbers.labels, strict=True)
        codes = read_codes(dict(labels), lists.folder, f"{where}.classes")
    elif written.codes is None and written.prefix is not None:
        codes = lists.by_prefix(name, declared, _origin(written, known, where))
    else:
        codes = lists.codes(written, f"{where}.codes")
    if written.total is not None:
        _require_total(written.total, codes, f"{where}.total")
    if written.origin is not None:
        return _derived(name, written, known, codes, lists)
    recode = {code: position for position, code in enumerate(codes.codes)}
    raise_all(misplaced(written, recode, where))
    recode |= dict.fromkeys(written.omit, LEFT_OUT)
    rest = written.other if numbers is None else written.null_as
    return Attribute(
        name=name,
        table=written.table,  # type: ignore[arg-type] # checked in problems
        column=name if written.column is None else written.column,
        codes=codes.codes,
        labels=codes.labels,
        public=bool(written.public),
        recode=recode,
        unlisted=None if rest is None else recode[rest],
        missing=None if written.null_as is None else recode[written.null_as],
        numbers=numbers,
        total=written.total,
        label=written.label,
        note=written.note,
    )


def _require_total(code: str, codes: CodeList, where: str) -> None:
    """A total code is a text like a code, and differs from all codes."""
    if code in codes.codes:
        raise InvalidParameter(
            where,
            rule="must not be one of the codes: it stands for all of them together",
            value=shown(code),
            next_step="Remove it from codes, and list it in omit if jobs have it; or choose "
            "another total code.",
        )
    read_codes([*codes.codes, code], Path(), where)


def _origin(written: WrittenAttribute, known: Mapping[str, Attribute], where: str) -> Attribute:
    """The attribute that another one is derived from."""
    origin = known.get(written.origin or "")
    if origin is None or origin.table != written.table:
        others = [one.name for one in known.values() if one.table == written.table]
        near = nearest(written.origin or "", others)
        raise InvalidParameter(
            f"{where}.from",
            rule=f"must name another attribute of {written.table} that is declared without a "
            "mistake",
            value=shown(written.origin),
            next_step=f"Did you mean {near!r}?" if near else "Declare that attribute first.",
        )
    return origin


def _derived(
    name: str,
    written: WrittenAttribute,
    known: Mapping[str, Attribute],
    codes: CodeList,
    lists: Lists,
) -> Attribute:
    """A coarser attribute: the codes of its origin, each mapped to a parent."""
    where = place(("codebook", "attributes", name))
    origin = _origin(written, known, where)
    parents = _parents(written, origin, codes, lists, where)
    places = {code: position for position, code in enumerate(codes.codes)}
    lost = [code for code in origin.codes if parents.get(code) not in places]
    if lost:
        raise InvalidParameter(
            f"{where}.{'map' if written.prefix is None else 'prefix'}",
            rule=f"must give every code of {origin.name} a parent that is in codes",
            value=f"{len(lost)} of {len(origin.codes)} codes without, the first {shown(lost[0])}",
            next_step="Add them to the map, or their parents to codes.",
        )
    coarse = [places[parents[code]] for code in origin.codes] + [LEFT_OUT]
    return Attribute(
        name=name,
        table=origin.table,
        column=origin.column,
        codes=codes.codes,
        labels=codes.labels,
        public=bool(written.public),
        recode={raw: coarse[position] for raw, position in origin.recode.items()},
        unlisted=None if origin.unlisted is None else coarse[origin.unlisted],
        missing=None if origin.missing is None else coarse[origin.missing],
        numbers=origin.numbers,
        total=written.total,
        label=written.label,
        note=written.note,
        origin=origin.name,
    )


def _parents(
    written: WrittenAttribute, origin: Attribute, codes: CodeList, lists: Lists, where: str
) -> Mapping[str, str]:
    """The parent of each code of the origin: by a map, by its beginning, or by a classification."""
    if written.map is not None:
        return read_parents(written.map, lists.folder, f"{where}.map")
    listed = Classification(origin.name, "", "", dict(zip(codes.codes, codes.labels, strict=True)))
    if is_standard(written.codes):
        listed = lists.library.find(str(written.codes), f"{where}.codes")
    length = 0 if written.prefix is None else int(written.prefix)
    found = {
        code: listed.beginning(code[:length]) if length else listed.parent(code)
        for code in origin.codes
    }
    return {code: parent for code, parent in found.items() if parent is not None}
