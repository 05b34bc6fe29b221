"""Codebook: what the columns of the three tables mean, and which codes they may hold."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

from leeward.core.codebook.attribute import LEFT_OUT, Attribute, RealRange
from leeward.core.codebook.classifications import Library, NoList
from leeward.core.codebook.code_list import (
    CodeList,
    Nulls,
    chosen,
    clash,
    contradictions,
    read_codes,
)
from leeward.core.codebook.declaration import (
    REAL,
    Keys,
    WrittenAttribute,
    WrittenCodebook,
    misplaced,
    numeric_range,
    problems,
    real_range,
)
from leeward.core.codebook.hierarchy import Lists
from leeward.core.codebook.row_rules import NULL_RULES, NUMBER_RULES, ROW_RULES, RowRule
from leeward.core.codebook.yaml_document import as_document, parse, place, read_document
from leeward.core.errors import (
    BadFile,
    InvalidParameter,
    LeewardError,
    Problems,
    did_you_mean,
    raise_all,
    shown,
)

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
        kept = tuple(MappingProxyType(dict(combination)) for combination in self.impossible)
        object.__setattr__(self, "impossible", kept)
        object.__setattr__(self, "reals", MappingProxyType(dict(self.reals)))
        object.__setattr__(self, "pending", MappingProxyType(dict(self.pending)))

    def attribute(self, name: str, parameter: str) -> Attribute:
        """A declared attribute that may be tabulated by; anything else is rejected."""
        attribute = self.attributes.get(name)
        if name in self.pending:
            raise self.pending[name].refusal
        if attribute is None and name in self.reals:
            raise InvalidParameter(
                parameter,
                rule="must have codes: a column of type number is for regressions alone",
                value=shown(name),
                next_step="Declare it with type: integer and classes, or leave it out.",
            )
        if attribute is None:
            raise InvalidParameter(
                parameter,
                rule=f"must be declared in the codebook: {', '.join(self.attributes)}",
                value=shown(name),
                next_step=did_you_mean(name, self.attributes, "Declare it, or leave it out."),
            )
        if not attribute.may_be_tabulated:
            raise InvalidParameter(
                parameter,
                rule="must not be a private attribute of workplaces: its values would be published",
                value=shown(name),
                next_step="Leave it out; declare it public only if everyone may know it.",
            )
        return attribute

    def require_lists(self) -> None:
        """Reject attributes of workers and jobs without a list, where all of them count."""
        used = (
            pending.refusal for pending in self.pending.values() if pending.table != "workplaces"
        )
        raise_all({str(problem): problem for problem in used}.values())

    def columns(self) -> Iterator[tuple[str, str]]:
        """Every (table, column) that must be in the data."""
        yield from self.keys.columns()
        yield from {
            (attribute.table, attribute.column): None for attribute in self.attributes.values()
        }

    @property
    def nulls(self) -> Mapping[tuple[str, str], Nulls]:
        """The texts that mean missing in each (table, column) that has any."""
        every = dict.fromkeys(self.keys.columns(), chosen(None, self.keys.nulls))
        declared = self.attributes.values()
        every |= {(attribute.table, attribute.column): attribute.nulls for attribute in declared}
        return {where: texts for where, texts in every.items() if texts}

    def nulls_of(self, table: str) -> Mapping[str, Nulls]:
        """The same of one table, by column."""
        return {column: texts for (of, column), texts in self.nulls.items() if of == table}

    def parents(self, name: str) -> dict[str, dict[str, str]]:
        """For each attribute that is derived from this one, the parent of each code."""
        parents: dict[str, dict[str, str]] = {}
        for coarse in self.attributes.values():
            finer = coarse
            while finer.origin is not None:
                finer = self.attributes[finer.origin]
                if finer.name == name:
                    above = {code: coarse.codes[coarse.recode[code]] for code in finer.codes}
                    parents[coarse.name] = above
        return parents

    def real(self, name: str) -> RealRange:
        """The numbers of a column for regressions; one that is not declared lies in 0 to 1.

        Of a numeric column they are those from low to cap.
        """
        declared = self.attributes.get(name)
        if declared is not None and declared.numbers is not None:
            ends = Fraction(declared.numbers.low), Fraction(declared.numbers.cap)
            return RealRange(declared.column, *ends, nulls=declared.nulls)
        return self.reals.get(name, RealRange(name))

    @property
    def numeric(self) -> tuple[Attribute, ...]:
        """The attributes of numeric columns, derived ones included."""
        return tuple(
            attribute for attribute in self.attributes.values() if attribute.numbers is not None
        )

    @property
    def row_rules(self) -> tuple[RowRule, ...]:
        """The rules under which rows of workers and jobs count."""
        further = NUMBER_RULES if self.numeric else ()
        return (*ROW_RULES, *further, *(NULL_RULES if self.nulls else ()))


def read_codebook(source: Path | Mapping[str, object], folder: Path | None = None) -> Codebook:
    """A codebook from a YAML file, or the same keys as a mapping.

    Code lists are read from files beside it, of a mapping from files in `folder`.
    """
    if isinstance(source, Path):
        content, folder = read_document(source, "codebook"), source.parent
    else:
        content, folder = as_document(source), folder or Path()
    written, errors = parse(WrittenCodebook, content, "codebook")
    if written is None:
        raise Problems(errors) if len(errors) > 1 else errors[0]
    own = None if written.classifications is None else folder / written.classifications
    lists = Lists(folder, Library(own))
    attributes, reals, pending = _declared(written, lists, errors)
    errors.extend(_contradictions(written, attributes, reals))
    for number, combination in enumerate(written.impossible):
        where = f"codebook.impossible[{number}]"
        errors.extend(_misread(combination, written.attributes, attributes, where))
    used = {name for combination in written.impossible for name in combination}
    errors.extend(one.refusal for name, one in pending.items() if not attributes or name in used)
    raise_all(errors)
    if not attributes:
        raise BadFile(
            "codebook.attributes",
            rule="must declare at least one attribute",
            value="none",
            next_step="`leeward init` writes a codebook from table headers.",
        )
    ordered = {name: attributes[name] for name in written.attributes if name in attributes}
    return Codebook(written.tables, ordered, written.impossible, reals, pending, lists.library)


def _declared(
    written: WrittenCodebook, lists: Lists, errors: list[LeewardError]
) -> tuple[dict[str, Attribute], dict[str, RealRange], dict[str, Pending]]:
    """The attributes, columns of real numbers, and attributes without a list, by name."""
    attributes = dict[str, Attribute]()
    reals = dict[str, RealRange]()
    pending = dict[str, Pending]()
    for name in sorted(written.attributes, key=partial(_depth, written.attributes)):
        declared = written.attributes[name]
        where = place(("codebook", "attributes", name))
        try:
            if declared.type == REAL:
                raise_all(problems(name, declared, where))
                nulls = chosen(declared.nulls, written.nulls)
                reals[name] = replace(real_range(name, declared, where), nulls=nulls)
            elif declared.origin in pending:
                pending[name] = pending[declared.origin or ""]
            else:
                attributes[name] = _attribute(name, written, attributes, lists)
        except Problems as several:
            errors.extend(several.problems)
        except NoList as refusal:
            pending[name] = Pending(declared.table, refusal)
        except LeewardError as problem:
            errors.append(problem)
    return attributes, reals, pending


def _depth(written: Mapping[str, WrittenAttribute], name: str) -> int:
    """From how many attributes this one is derived, itself included: those come first."""
    passed: list[str] = []
    while name in written and name not in passed:
        passed.append(name)
        name = written[name].origin or ""
    return len(passed)


def _contradictions(
    written: WrittenCodebook, attributes: Mapping[str, Attribute], reals: Mapping[str, RealRange]
) -> Iterator[LeewardError]:
    """One column as private and public, as worker and workplace, or with several lists of nulls.

    Anything derived from a private attribute has its column, and so must be private too.
    """
    private = {
        attribute.column: attribute.name
        for attribute in attributes.values()
        if attribute.of_workplaces and not attribute.public
    }
    for attribute in attributes.values():
        if attribute.public and attribute.column in private:
            yield InvalidParameter(
                f"{place(('codebook', 'attributes', attribute.name))}.public",
                rule="must not be true of a column that another attribute declares private, nor "
                "of anything derived from it: its values would be published",
                value=f"true, and {private[attribute.column]} of the same column "
                f"{shown(attribute.column)} is private",
                next_step="Write public: false, or declare both public if everyone may know them.",
            )
    keys = written.tables
    if keys.jobs.worker == keys.jobs.workplace:
        yield InvalidParameter(
            "codebook.tables.jobs",
            rule="must name different columns as worker and as workplace",
            value=f"{shown(keys.jobs.worker)} as both",
            next_step="Name the column that says who works, and the one that says where.",
        )
    yield from contradictions(keys.columns(), keys.nulls, {**attributes, **reals})


def _misread(
    combination: Combination,
    declared: Mapping[str, WrittenAttribute],
    sound: Mapping[str, Attribute],
    where: str,
) -> Iterator[LeewardError]:
    """What is wrong with a combination; attributes with mistakes have problems of their own."""
    if len(combination) < 2:
        yield InvalidParameter(
            where,
            rule="must combine codes of at least two attributes",
            value=", ".join(combination) or "none",
            next_step="Add another attribute; a code that nobody has is left out of codes.",
        )
    fit = {
        name
        for name, attribute in declared.items()
        if attribute.table != "workplaces" and attribute.type != REAL
    }
    for name, code in combination.items():
        if name not in fit:
            other = "Name another one."
            yield InvalidParameter(
                place((where, name)),
                rule="must be a declared attribute of workers or jobs",
                value=shown(name),
                next_step=other if name in declared else did_you_mean(name, declared, other),
            )
        elif name in sound and sound[name].position(code) is None:
            yield InvalidParameter(
                place((where, name)),
                rule=f"must be one of the codes of {name}",
                value=shown(code),
                next_step=f"Its codes begin {', '.join(sound[name].codes[:5])}.",
            )


def _attribute(
    name: str, codebook: WrittenCodebook, known: Mapping[str, Attribute], lists: Lists
) -> Attribute:
    where, written = place(("codebook", "attributes", name)), codebook.attributes[name]
    raise_all(problems(name, written, where))
    numbers = None if written.type is None else numeric_range(written, where)
    if numbers is not None:
        labels = zip(written.classes or {}, numbers.labels, strict=True)
        codes = read_codes(dict(labels), lists.folder, f"{where}.classes")
    elif written.codes is None and written.prefix is not None:
        codes = lists.by_prefix(name, codebook.attributes, _origin(written, known, where))
    else:
        codes = lists.codes(written, f"{where}.codes")
    finer = None if written.origin is None else _origin(written, known, where)
    codes = lists.with_unknown(codes, written, finer, where)
    if written.total is not None:
        _require_total(written.total, codes, f"{where}.total")
    if finer is not None:
        return _derived(name, written, finer, codes, lists)
    recode = {code: position for position, code in enumerate(codes.codes)}
    raise_all(misplaced(written, recode, where))
    recode |= {text: recode[code] for text, code in lists.spelling(written, codes, where).items()}
    raise_all(misplaced(written, recode, where))
    recode |= dict.fromkeys(written.omit, LEFT_OUT)
    nulls = chosen(written.nulls, codebook.nulls)
    raise_all(clash(name, written.nulls, nulls, () if numbers else recode))
    missing = codes.unknown if written.null_as is None else written.null_as
    other = codes.unknown if written.other is None else written.other
    rest = other if numbers is None else missing
    return Attribute(
        name=name,
        table=written.table,  # type: ignore[arg-type] # checked in problems
        column=name if written.column is None else written.column,
        recode=recode,
        unlisted=None if rest is None else recode[rest],
        missing=None if missing is None else recode[missing],
        numbers=numbers,
        nulls=nulls,
        **_as_declared(written, codes),
    )


def _as_declared(written: WrittenAttribute, codes: CodeList) -> dict[str, Any]:
    """What an attribute of its own and a coarser one have alike."""
    return {
        "codes": codes.codes,
        "labels": codes.labels,
        "unknown": codes.unknown,
        "public": bool(written.public),
        "total": written.total,
        "label": written.label,
        "note": written.note,
    }


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
        others = [
            attribute.name for attribute in known.values() if attribute.table == written.table
        ]
        raise InvalidParameter(
            f"{where}.from",
            rule=f"must name another attribute of {written.table} that is declared without a "
            "mistake",
            value=shown(written.origin),
            next_step=did_you_mean(written.origin or "", others, "Declare that attribute first."),
        )
    return origin


def _derived(
    name: str,
    written: WrittenAttribute,
    origin: Attribute,
    codes: CodeList,
    lists: Lists,
) -> Attribute:
    """A coarser attribute: the codes of its origin, each mapped to a parent."""
    where = place(("codebook", "attributes", name))
    parents = lists.parents(written, origin, codes, where)
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
        recode={raw: coarse[position] for raw, position in origin.recode.items()},
        unlisted=None if origin.unlisted is None else coarse[origin.unlisted],
        missing=None if origin.missing is None else coarse[origin.missing],
        numbers=origin.numbers,
        origin=origin.name,
        nulls=origin.nulls,
        **_as_declared(written, codes),
    )
