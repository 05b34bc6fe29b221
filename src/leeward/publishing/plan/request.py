"""Request: the plan file as a user writes it, before anything is looked up."""

import json
from collections.abc import Mapping
from dataclasses import astuple
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import Field, JsonValue

from leeward.core.codebook import COUNT, Codebook
from leeward.core.codebook.legal_passages import NONE
from leeward.core.codebook.yaml_document import (
    Long,
    Short,
    Written,
    as_document,
    one_of,
    parse,
    read_document,
)
from leeward.core.errors import InvalidParameter, LeewardError

ALL = "all"
"""As `totals`: every attribute of the table."""

TOTALS = f"must be {ALL}, or a list of attributes of the table"
BINS = "must be pseo, or a list of ascending edges of classes"
CODES = "must be one code or a list of codes"
BREAKDOWN = "must be an attribute of workers or jobs, or a list of them"
TEXT, SEQUENCE, MAPPING = (f"tag:yaml.org,2002:{kind}" for kind in ("str", "seq", "map"))
WIDTH = 100


class WrittenData(Written):
    """Where the three tables are, and with what they are read."""

    workplaces: str = ""
    workers: str = ""
    jobs: str = ""
    engine: str | None = None
    remote: str | None = None
    memory: str | None = None
    spill: str | None = None
    encoding: str | None = None
    quotes: str | None = None


class WrittenProtection(Written):
    """What all tables of the plan together promise."""

    policy: str
    alpha: str | None = None
    plus: str | None = None
    unit: str | None = None
    epsilon: str | None = None
    epsilon_job: str | None = None
    rho: str | None = None
    delta: str = "0"


class WrittenJobs(Written):
    """What is done about workers with several jobs."""

    primary: str | None = None
    max_per_worker: str | None = None
    per: str | None = None


IN_SQL = ("by", "where", "statistic", "of", "bins", "at", "breakdowns")
"""What a statement says in place of keys."""


class WrittenTable(Written):
    """One table to publish; `sql` is another way to write by, where, statistic and of."""

    name: str
    by: list[str]
    where: dict[str, Annotated[list[str] | str, one_of(CODES)]] = Field(default_factory=dict)
    statistic: str = COUNT.name
    of: str | None = None
    bins: Annotated[list[str] | str | None, one_of(BINS)] = None
    at: list[str] | None = None
    share: str | None = None
    margins: str | None = None
    mechanism: str = "auto"
    complete: bool = False
    establishments: bool = False
    totals: Annotated[list[str] | str | None, one_of(TOTALS)] = None
    breakdowns: list[Annotated[list[str] | str, one_of(BREAKDOWN)]] = Field(default_factory=list)
    sql: str | None = None
    title: Short | None = None
    note: Long | None = None


def as_list(written: list[str] | str) -> list[str]:
    """What is written as a list, or as its only element."""
    return [written] if isinstance(written, str) else written


def total_names(written: WrittenTable) -> list[str]:
    """The attributes over which a table is to have totals."""
    return written.by if written.totals == ALL else as_list(written.totals or [])


ABOUT = ("title", "description", "contact", "source", "licence")
"""What a plan says of its publication."""

UNCHARGED = frozenset({*ABOUT, "law"})
"""Keys for readers alone: they change no number and no promise, so no digest either."""

UNCHARGED_OF_TABLES = frozenset({"title", "note"})


PLACEHOLDERS = {"account": "my-account", "period": "my-period"}
"""What a draft has in place of names that only the operator knows; a plan with one is rejected."""

TO_TYPE = {
    "account": "Type the name of an account; `leeward ledger create --account NAME` opens one.",
    "period": "Type the period of the data, such as 2026Q1.",
}


class Request(Written):
    """The whole plan file."""

    data: WrittenData = Field(default_factory=WrittenData)
    codebook: str | dict[str, Any]
    account: str
    period: str
    protect: WrittenProtection
    part: dict[str, str] | None = None
    jobs: WrittenJobs | None = None
    rows: str | None = None
    sizes: str | None = None
    law: str = NONE
    title: Short | None = None
    description: Long | None = None
    contact: Short | None = None
    source: Long | None = None
    licence: Short | None = None
    tables: list[WrittenTable] = Field(min_length=1)

    @property
    def named_part(self) -> tuple[str, str] | None:
        """The attribute and the code of the part of the frame that it reads; None for the whole."""
        return None if self.part is None else next(iter(self.part.items()))

    def public(self) -> dict[str, JsonValue]:
        """The plan as a certificate shows it: everything but where files are."""
        told = self.model_dump(exclude={"data"}, exclude_none=True, exclude_defaults=True)
        for key in ("codebook", "sizes", "law"):
            if key in told:
                file = told[key]
                told[key] = Path(file).name if isinstance(file, str) else "given in the program"
        return told

    def charged(self) -> dict[str, JsonValue]:
        """The same without what is said to readers: what makes one release the same as another."""
        told = {key: one for key, one in self.public().items() if key not in UNCHARGED}
        tables = self.model_dump(
            include={"tables": {"__all__": {*WrittenTable.model_fields} - UNCHARGED_OF_TABLES}},
            exclude_none=True,
            exclude_defaults=True,
        )
        return told | tables


def read_request(
    source: Path | Mapping[str, object],
) -> tuple[Request | None, list[LeewardError]]:
    """A plan as written in a file or mapping; or None, and all that is wrong with its keys."""
    content = read_document(source, "plan") if isinstance(source, Path) else as_document(source)
    tables = content.get("tables")
    listed = tables if isinstance(tables, list) else []
    asked = {n: one for n, one in enumerate(listed) if isinstance(one, dict) and "sql" in one}
    told = [{**one, "by": one.get("by", [])} if n in asked else one for n, one in enumerate(listed)]
    request, problems = parse(Request, {**content, "tables": told} if asked else content, "plan")
    twice = [
        InvalidParameter(
            f"plan.tables[{number}].sql",
            rule=f"must stand alone: a statement says what {', '.join(IN_SQL)} would",
            value="both",
            next_step="Leave sql out, or the keys that it stands for.",
        )
        for number, table in asked.items()
        if any(key in table for key in IN_SQL)
    ]
    return None if twice else request, [*problems, *twice]


def written(request: Request) -> str:
    """The plan file of a request, as people write it: it reads back as the same request."""
    told = request.model_dump(exclude_none=True, exclude_defaults=True)
    blocks = ("data", "tables")
    pairs = [(_node(key), _node(part, block=key in blocks)) for key, part in told.items()]
    top = yaml.MappingNode(MAPPING, pairs, flow_style=False)
    return yaml.serialize(top, Dumper=_PlainDumper, width=WIDTH, allow_unicode=True)


class _PlainDumper(yaml.BaseDumper):
    """YAML that quotes a text only where it would not be read back: the reader has no types."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _node(part: object, *, block: bool = False) -> yaml.Node:
    """A part of the document: on one line in braces or brackets, or line by line as a block."""
    if isinstance(part, dict):
        pairs = [(_node(key), _node(value)) for key, value in part.items()]
        return yaml.MappingNode(MAPPING, pairs, flow_style=not block)
    if isinstance(part, list):
        return yaml.SequenceNode(SEQUENCE, [_node(one) for one in part], flow_style=not block)
    text = str(part).lower() if isinstance(part, bool) else str(part)
    # Line breaks of any kind are folded unless they are escaped.
    return yaml.ScalarNode(TEXT, text, style=None if text.isprintable() else '"')


def digest_of(request: Request, codebook_digest: str) -> str:
    """SHA-256 of a plan and its codebook.

    Another title makes no other plan: else it would let the same tables be paid for twice.
    """
    return _digest([request.charged(), codebook_digest])


def digest_of_codebook(codebook: Codebook) -> str:
    """SHA-256 of what a codebook says, wherever its lists are kept."""
    said = dict[str, list[object]]()
    for name, attribute in codebook.attributes.items():
        said[name] = [attribute.table, attribute.column, attribute.public, attribute.codes]
        said[name] += [dict(attribute.recode), attribute.unlisted, attribute.missing]
        if attribute.numbers is not None:
            *numbers, cap_from = astuple(attribute.numbers)
            # Where no source of the cap is named, nothing is said of it.
            said[name] += numbers if cap_from is None else [*numbers, "cap_from", cap_from]
        said[name] += [] if attribute.total is None else ["total", attribute.total]
        said[name] += ["nulls", attribute.nulls] if attribute.nulls else []
    ruled_out = [dict(combination) for combination in codebook.impossible]
    return _digest({"keys": codebook.keys.as_json(), "attributes": said,
                    **({"impossible": ruled_out} if ruled_out else {})})  # fmt: skip


def _digest(content: object) -> str:
    text = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()
