"""Form: the plan file and the fields of the page's form, as one draft that may be wrong."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import count
from pathlib import Path

from leeward.core.errors import InvalidParameter, LeewardError
from leeward.core.exact import rational
from leeward.interface.web.site import Fields, listed
from leeward.publishing.plan.request import ALL, UNCHARGED, Request, WrittenTable, read_request

TABLE_FIELD = re.compile(r"tables\[([0-9]{1,3})\]\.([a-z]+)")
DETAILS = ("share", "margins", "mechanism")
WRITTEN = ("name", "where", "totals", "breakdowns", "statistic", *DETAILS)
TICKED = ("complete", "establishments")
STATISTIC = ("statistic", "of", "bins", "at", "sql", "title", "note")
"""What a table publishes and is called: kept as in the plan file, as one text."""

FILTERED, KEPT = "filtered", "kept"
"""An attribute that a table is filtered by, and each of its codes that is kept, which follow it."""

CROSSED = " + "
"""What stands between two attributes of one breakdown."""

RULES = ("every", "primary", "max_per_worker")


OPTIONAL = ("alpha", "plus", "unit", "epsilon_job", "delta")
"""What a plan promises beside a policy and an ε, if it says so."""


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
        in_rho = InvalidParameter.unwanted(
            "protect.rho",
            "of a plan that this page changes: its form has epsilon",
            value="a budget in rho",
            next_step=f"Change the file by hand; `leeward plan {path.name}` shows what it costs.",
        )
        return Loaded(path, None, (in_rho,))
    return Loaded(path, request, tuple(problems))


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

    @classmethod
    def of(cls, written: WrittenTable) -> "DraftTable":
        """A table of a plan."""
        totals, breakdowns = written.totals, written.breakdowns
        return cls(
            name=written.name,
            by=tuple(written.by),
            where=json.dumps(written.where, ensure_ascii=False),
            share=written.share or "",
            margins=written.margins or "",
            mechanism=written.mechanism,
            complete=written.complete,
            establishments=written.establishments,
            totals=totals if isinstance(totals, str) else ", ".join(totals or ()),
            breakdowns=", ".join(
                part if isinstance(part, str) else CROSSED.join(part) for part in breakdowns
            ),
            statistic=json.dumps(written.model_dump(include={*STATISTIC}, exclude_defaults=True)),
        )

    @property
    def _kept(self) -> dict[str, str | list[str]] | None:
        """The codes that each filter keeps, as written; None where it has not the shape of one."""
        kept = _read(self.where)
        if not isinstance(kept, dict):
            return None
        for codes in kept.values():  # a code, or a list of codes
            listed = codes if isinstance(codes, list) else [codes]
            if not all(isinstance(code, str) for code in listed):
                return None
        return kept

    @property
    def choices(self) -> dict[str, list[str]] | None:
        """The codes that each filter keeps; None where the filter has not the shape of one."""
        kept = self._kept
        if kept is None:
            return None
        chosen = {
            name: [codes] if isinstance(codes, str) else codes for name, codes in kept.items()
        }
        return chosen | {name: [] for name in self.opened}

    def choosing(self, chosen: Mapping[str, list[str]]) -> "DraftTable":
        """The same with other codes for these attributes; what stays the same stays as written."""
        kept, old = self._kept, self.choices
        if kept is None or old is None:
            return self
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
        kept = {} if self.where == "{}" else {"where": _read(self.where)}
        statistic = _read(self.statistic)
        kept |= statistic if isinstance(statistic, dict) else {"statistic": statistic}
        ticked = {key: getattr(self, key) for key in TICKED}
        by = {} if "sql" in kept and not self.by else {"by": list(self.by)}
        content = {"name": self.name} | by | ticked | given | kept
        if self.totals:
            names = [name.strip() for name in self.totals.split(",")]
            content["totals"] = ALL if self.totals == ALL else names
        if self.breakdowns:
            parts = self.breakdowns.split(",")
            crossed = [[name.strip() for name in part.split("+")] for part in parts]
            content["breakdowns"] = [part[0] if len(part) == 1 else part for part in crossed]
        return content


@dataclass(frozen=True)
class PlanDraft:
    """The texts that the page can change, by the names of the plan; the rest stays as loaded."""

    texts: Mapping[str, str] = field(hash=False)
    tables: tuple[DraftTable, ...]

    def __getitem__(self, name: str) -> str:
        return self.texts.get(name, "")

    def request(self, loaded: Request) -> tuple[Request | None, list[LeewardError]]:
        """The plan of this draft; paths of data and codebook always come from the loaded file."""
        stays = {"data", "codebook", "rows", "sizes", *UNCHARGED}
        kept = loaded.model_dump(include=stays, exclude_none=True)
        needed = {key: self[f"protect.{key}"] for key in ("policy", "epsilon")}
        optional = {key: self[f"protect.{key}"] for key in OPTIONAL}
        content = kept | {
            "account": self["account"],
            "period": self["period"],
            "protect": needed | {key: text for key, text in optional.items() if text},
            "tables": [table.content() for table in self.tables],
        }
        rule = self["jobs.rule"]
        if rule in RULES[1:]:
            content["jobs"] = {rule: self[f"jobs.{rule}"]}
            if rule == RULES[2] and self["jobs.per"]:
                content["jobs"]["per"] = self["jobs.per"]
        return read_request(content)

    def with_text(self, name: str, text: str) -> "PlanDraft":
        """The same with one text changed."""
        return replace(self, texts={**self.texts, name: text})

    @property
    def equal(self) -> bool:
        """Whether all tables have the same share."""
        shares = set[Fraction | str]()
        for table in self.tables:
            try:
                shares.add(rational(table.share, "share"))  # 1/2 and 0.5 are equal
            except LeewardError:
                shares.add(table.share)
        return len(shares) <= 1

    def with_equal_shares(self) -> "PlanDraft":
        """The same without shares: then all are equal."""
        return replace(self, tables=tuple(replace(table, share="") for table in self.tables))

    def with_table(self) -> "PlanDraft":
        """The same with one more table, under a free name; equal shares stay equal."""
        if self.equal and any(table.share for table in self.tables):
            return self.with_equal_shares().with_table()
        taken = {table.name for table in self.tables}
        names = (f"table_{n}" for n in count(len(self.tables) + 1))
        name = next(free for free in names if free not in taken)
        return replace(self, tables=(*self.tables, DraftTable(name)))

    def with_filter(self, number: int, attribute: str) -> "PlanDraft":
        """The same with one more attribute to filter a table by."""
        tables = list(self.tables)
        if number < len(tables) and attribute and attribute not in (tables[number].choices or {}):
            table = tables[number]
            tables[number] = replace(table, opened=(*table.opened, attribute))
        return replace(self, tables=tuple(tables))

    def without(self, number: int) -> "PlanDraft":
        """The same without one table."""
        kept = tuple(table for n, table in enumerate(self.tables) if n != number)
        return replace(self, tables=kept)


def draft_of(request: Request) -> PlanDraft:
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
    return PlanDraft(texts, tuple(map(DraftTable.of, request.tables)))


def posted(fields: Fields) -> PlanDraft:
    """The draft that a form holds; unknown names of fields are ignored."""
    texts, tables = dict[str, str](), dict[int, DraftTable]()
    chosen, latest = dict[int, dict[str, list[str]]](), dict[int, str]()
    for name, text in fields:
        match = TABLE_FIELD.fullmatch(name)
        if match is None:
            texts[name] = text.strip()
            continue
        number, key = int(match[1]), match[2]
        if key == FILTERED:
            latest[number] = text
            chosen.setdefault(number, {})[text] = []
            continue
        if key == KEPT:
            chosen.get(number, {}).get(latest.get(number, ""), []).append(text)
            continue
        table, words = tables.get(number, DraftTable()), text.strip()
        if key == "by":
            table = replace(table, by=(*table.by, words))
        elif key in TICKED:
            table = replace(table, **{key: True})  # type: ignore[arg-type] # truth values
        elif key in WRITTEN:
            table = replace(table, **{key: words})  # type: ignore[arg-type] # texts
        tables[number] = table
    for number in chosen.keys() & tables.keys():
        tables[number] = tables[number].choosing(chosen[number])
    return PlanDraft(texts, tuple(tables[number] for number in sorted(tables)))


def _listed(text: str) -> dict[str, str]:
    """Keys that are kept as in the plan file, for a person."""
    kept = _read(text)
    listed = kept if isinstance(kept, dict) else {"": kept}
    return {k: ", ".join(map(str, v)) if isinstance(v, list) else str(v)
            for k, v in listed.items()}  # fmt: skip


def _read(text: str) -> object:
    """The keys as the plan holds them; invalid ones stay a text, which the plan refuses."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
