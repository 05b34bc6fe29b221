"""Form: the plan file and the fields of the page's form, as one draft that may be wrong."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import count
from pathlib import Path
from urllib.parse import parse_qsl

from leeward.core.errors import InvalidParameter, LeewardError
from leeward.core.exact import rational
from leeward.interface.web.site import listed
from leeward.publishing.plan.request import ALL, UNCHARGED, Request, WrittenTable, read_request

TABLE_FIELD = re.compile(r"tables\[([0-9]{1,3})\]\.([a-z]+)")
DETAILS = ("share", "margins", "mechanism")
TICKED = ("complete", "establishments")
STATISTIC = ("statistic", "of", "bins", "at", "sql", "title", "note")
"""What a table publishes and is called: kept as in the plan file, as one text."""

FILTERED, KEPT = "filtered", "kept"
"""An attribute that a table is filtered by, and each of its codes that is kept, which follow it."""

RULES = ("every", "primary", "max_per_worker")

Fields = list[tuple[str, str]]
"""Names and texts of a form, in the order of the page."""


@dataclass(frozen=True)
class Loaded:
    """A plan file: its request if the file has the shape of one, and the errors of its keys."""

    path: Path
    request: Request | None
    refusals: tuple[LeewardError, ...]


def load(path: Path) -> Loaded:
    """Read a plan file, again with each request; its codebook is read with every prediction."""
    try:
        request, problems = read_request(path)
    except LeewardError as refusal:
        return Loaded(path, None, listed(refusal))
    if request is not None and request.protect.rho is not None:
        return Loaded(path, None, (_in_rho(path),))
    return Loaded(path, request, tuple(problems))


def _in_rho(path: Path) -> InvalidParameter:
    return InvalidParameter(
        "protect.rho",
        rule="must be left out of a plan that this page changes: its form has epsilon",
        value="a budget in rho",
        next_step=f"Change the file by hand; `leeward plan {path.name}` shows what it costs.",
    )


def read_form(body: bytes) -> Fields:
    """The fields that a browser sent; the guard has limited the size of the body."""
    try:
        return parse_qsl(body.decode("ascii"), keep_blank_values=True, errors="strict")
    except ValueError:
        raise InvalidParameter(
            "form",
            rule="must hold fields of text in UTF-8",
            value="something else",
            next_step="Go back and send the form of the page.",
        ) from None


@dataclass(frozen=True)
class DraftTable:
    """One table; an empty text is a key that the plan leaves out."""

    name: str = ""
    by: tuple[str, ...] = ()
    where: str = "{}"
    share: str = ""
    margins: str = ""
    mechanism: str = "auto"
    complete: bool = False
    establishments: bool = False
    totals: str = ""
    breakdowns: str = ""
    statistic: str = "{}"
    opened: tuple[str, ...] = ()
    """Attributes to filter by for which no code is chosen yet: they filter nothing."""

    @property
    def published(self) -> dict[str, str]:
        """What the table publishes, for a person; nothing of plain counts."""
        return _listed(self.statistic)

    @property
    def filters(self) -> dict[str, str]:
        """The filter for a person: codes by attribute."""
        return _listed(self.where)

    @property
    def choices(self) -> dict[str, list[str]] | None:
        """The codes that each filter keeps; None where the filter has not the shape of one."""
        kept = _filter(self.where)
        if not isinstance(kept, dict) or not all(map(_is_choice, kept.values())):
            return None
        chosen = {name: [one] if isinstance(one, str) else one for name, one in kept.items()}
        return chosen | {name: [] for name in self.opened}

    def choosing(self, chosen: Mapping[str, list[str]]) -> "DraftTable":
        """The same with other codes for these attributes; what stays the same stays as written."""
        kept = _filter(self.where)
        if not isinstance(kept, dict) or not all(map(_is_choice, kept.values())):
            return self
        old = self.choices or {}
        changed = {
            name: codes for name, codes in chosen.items() if {*codes} != {*old.get(name, ())}
        }
        where = {**kept, **changed}
        opened = tuple(name for name, codes in chosen.items() if not codes)
        written = {name: codes for name, codes in where.items() if name not in opened}
        return replace(self, where=json.dumps(written, ensure_ascii=False), opened=opened)

    def content(self) -> dict[str, object]:
        """The table as the plan file would hold it."""
        given = {key: getattr(self, key) for key in DETAILS if getattr(self, key)}
        kept = {} if self.where == "{}" else {"where": _filter(self.where)}
        said = _filter(self.statistic)
        kept |= said if isinstance(said, dict) else {"statistic": said}
        ticked = {key: getattr(self, key) for key in TICKED}
        totals = {"totals": _totals(self.totals)} if self.totals else {}
        broken = {"breakdowns": _breakdowns(self.breakdowns)} if self.breakdowns else {}
        by = {} if "sql" in kept and not self.by else {"by": list(self.by)}
        return {"name": self.name} | by | ticked | given | kept | totals | broken


@dataclass(frozen=True)
class Draft:
    """The texts that the page can change, by the names of the plan; the rest stays as loaded."""

    texts: Mapping[str, str] = field(hash=False)
    tables: tuple[DraftTable, ...]

    def __getitem__(self, name: str) -> str:
        return self.texts.get(name, "")

    def request(self, loaded: Request) -> tuple[Request | None, list[LeewardError]]:
        """The plan of this draft; paths of data and codebook always come from the loaded file."""
        stays = {"data", "codebook", "rows", "sizes", *UNCHARGED}
        kept = loaded.model_dump(include=stays, exclude_none=True)
        content = kept | {
            "account": self["account"],
            "period": self["period"],
            "protect": self._protect(),
            "tables": [table.content() for table in self.tables],
        }
        rule = self["jobs.rule"]
        if rule in RULES[1:]:
            content["jobs"] = {rule: self[f"jobs.{rule}"]}
            if rule == RULES[2] and self["jobs.per"]:
                content["jobs"]["per"] = self["jobs.per"]
        return read_request(content)

    def _protect(self) -> dict[str, str]:
        optional = {key: self[f"protect.{key}"] for key in ("alpha", "plus", "unit", "delta")}
        needed = {key: self[f"protect.{key}"] for key in ("policy", "epsilon")}
        return needed | {key: text for key, text in optional.items() if text}

    def with_text(self, name: str, text: str) -> "Draft":
        """The same with one text changed."""
        return replace(self, texts={**self.texts, name: text})

    @property
    def equal(self) -> bool:
        """Whether all tables have the same share."""
        return len({_share(table.share) for table in self.tables}) <= 1

    def with_equal_shares(self) -> "Draft":
        """The same without shares: then all are equal."""
        return replace(self, tables=tuple(replace(table, share="") for table in self.tables))

    def with_table(self) -> "Draft":
        """The same with one more table, under a free name; equal shares stay equal."""
        if self.equal and any(table.share for table in self.tables):
            return self.with_equal_shares().with_table()
        taken = {table.name for table in self.tables}
        names = (f"table_{n}" for n in count(len(self.tables) + 1))
        name = next(one for one in names if one not in taken)
        return replace(self, tables=(*self.tables, DraftTable(name)))

    def with_filter(self, number: int, attribute: str) -> "Draft":
        """The same with one more attribute to filter a table by."""
        tables = list(self.tables)
        if number < len(tables) and attribute and attribute not in (tables[number].choices or {}):
            table = tables[number]
            tables[number] = replace(table, opened=(*table.opened, attribute))
        return replace(self, tables=tuple(tables))

    def without(self, number: int) -> "Draft":
        """The same without one table."""
        kept = tuple(one for n, one in enumerate(self.tables) if n != number)
        return replace(self, tables=kept)


def draft_of(request: Request) -> Draft:
    """The draft of a plan, as its texts were written."""
    protect, jobs = request.protect, request.jobs
    rule = RULES[0] if jobs is None else RULES[1] if jobs.primary is not None else RULES[2]
    texts = {
        "account": request.account,
        "period": request.period,
        "jobs.rule": rule,
        **{f"protect.{key}": text for key, text in protect if text is not None},
        **({} if jobs is None else {f"jobs.{key}": text for key, text in jobs if text}),
    }
    return Draft(texts, tuple(map(_table, request.tables)))


def _table(written: WrittenTable) -> DraftTable:
    return DraftTable(
        written.name,
        tuple(written.by),
        json.dumps(written.where, ensure_ascii=False),
        written.share or "",
        written.margins or "",
        written.mechanism,
        written.complete,
        written.establishments,
        written.totals if isinstance(written.totals, str) else ", ".join(written.totals or ()),
        ", ".join(one if isinstance(one, str) else CROSSED.join(one) for one in written.breakdowns),
        json.dumps(written.model_dump(include={*STATISTIC}, exclude_defaults=True)),
    )


def posted(fields: Fields) -> Draft:
    """The draft that a form holds; unknown names of fields are ignored."""
    texts, tables = dict[str, str](), dict[int, DraftTable]()
    chosen, latest = dict[int, dict[str, list[str]]](), dict[int, str]()
    for name, text in fields:
        found = TABLE_FIELD.fullmatch(name)
        if found is None:
            texts[name] = text.strip()
            continue
        number, key = int(found[1]), found[2]
        if key == FILTERED:
            latest[number] = text
            chosen.setdefault(number, {})[text] = []
        elif key == KEPT:
            chosen.get(number, {}).get(latest.get(number, ""), []).append(text)
        else:
            tables[number] = _filled(tables.get(number, DraftTable()), key, text.strip())
    for number in chosen.keys() & tables.keys():
        tables[number] = tables[number].choosing(chosen[number])
    return Draft(texts, tuple(tables[number] for number in sorted(tables)))


def _filled(table: DraftTable, key: str, text: str) -> DraftTable:
    if key == "by":
        return replace(table, by=(*table.by, text))
    if key in TICKED:
        return replace(table, **{key: True})  # type: ignore[arg-type] # truth values
    known = key in ("name", "where", "totals", "breakdowns", "statistic", *DETAILS)
    return replace(table, **{key: text}) if known else table  # type: ignore[arg-type] # texts


def _totals(text: str) -> str | list[str]:
    """The totals as the plan holds them: all, or the names of attributes."""
    return text if text == ALL else [name.strip() for name in text.split(",")]


CROSSED = " + "
"""What stands between two attributes of one breakdown."""


def _breakdowns(text: str) -> list[str | list[str]]:
    """The breakdowns as the plan holds them: attributes, or lists of them that are crossed."""
    crossed = [[name.strip() for name in part.split("+")] for part in text.split(",")]
    return [part[0] if len(part) == 1 else part for part in crossed]


def _share(text: str) -> Fraction | str:
    """A share as a number, so that 1/2 and 0.5 are equal; an invalid share stays a text."""
    try:
        return rational(text, "share")
    except LeewardError:
        return text


def _listed(text: str) -> dict[str, str]:
    """Keys that are kept as in the plan file, for a person."""
    kept = _filter(text)
    listed = kept if isinstance(kept, dict) else {"": kept}
    return {k: ", ".join(map(str, v)) if isinstance(v, list) else str(v)
            for k, v in listed.items()}  # fmt: skip


def _is_choice(codes: object) -> bool:
    """Whether a filter names a code, or a list of codes."""
    many = isinstance(codes, list) and all(isinstance(one, str) for one in codes)
    return isinstance(codes, str) or many


def _filter(text: str) -> object:
    """The keys as the plan holds them; invalid ones stay a text, which the plan refuses."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
