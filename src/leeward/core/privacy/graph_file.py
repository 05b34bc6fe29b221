"""Policy graphs as people write them: by a built-in name, or in a YAML or CSV file."""

import csv
import re
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from pydantic import Field

from leeward.core.codebook.yaml_document import Written, parse, read_document, read_text
from leeward.core.errors import BadFile, InvalidParameter, did_you_mean, shown
from leeward.core.privacy.graph import ABSENT, BUILT_IN, PolicyGraph, Query, _graph

LARGEST_ENTRY = 10**9


class _WrittenGraph(Written):
    """A policy graph as people write it."""

    name: str | None = None
    nodes: list[str] = Field(default_factory=list)
    absent: str | None = None
    edges: list[list[str]]


def read_graph(source: str) -> PolicyGraph:
    """A graph that is built in, such as ``line:10:2``, or one of a YAML or CSV file."""
    name, *numbers = source.split(":")
    if name in BUILT_IN and not Path(source).exists():
        return _built(name, numbers)
    path = Path(source)
    if path.suffix.lower() not in (".yaml", ".yml", ".csv"):
        raise InvalidParameter(
            "--graph",
            rule=f"must be a file .yaml or .csv, or one of {', '.join(BUILT_IN)}",
            value=shown(source),
            next_step=did_you_mean(name, BUILT_IN, "Give for example line:10:2."),
        )
    if path.suffix.lower() == ".csv":
        rows = list(csv.reader(StringIO(read_text(path, "graph"), newline="")))
        if not rows or rows[0] != ["left", "right"] or any(len(row) != 2 for row in rows[1:]):
            raise _bad(path, "must be CSV with the columns left and right")
        nodes = dict.fromkeys(end for row in rows[1:] for end in row)
        return _graph(path.stem, nodes, rows[1:], ABSENT if ABSENT in nodes else None)
    written, problems = parse(_WrittenGraph, read_document(path, "graph"), "graph")
    if written is None:
        raise problems[0]
    if any(len(edge) != 2 for edge in written.edges):
        raise _bad(path, "must have edges of two nodes each")
    nodes = dict.fromkeys([*written.nodes, *(end for edge in written.edges for end in edge)])
    if written.absent is not None:
        nodes.setdefault(written.absent)
    return _graph(written.name or path.stem, nodes, written.edges, written.absent)


def _built(name: str, numbers: Sequence[str]) -> PolicyGraph:
    try:
        first = [int(number) for number in numbers[:1]]
        workforce = name in ("h15", "h15-printed", "strong", "weak")
        second: list[Any] = (
            list(numbers[1:]) if workforce else [int(number) for number in numbers[1:]]
        )
        return BUILT_IN[name](*first, *second)
    except (ValueError, TypeError) as error:
        if isinstance(error, InvalidParameter):
            raise
        raise InvalidParameter(
            "--graph",
            rule="must have whole numbers after its name, or an alpha for graphs of workforces",
            value=shown(":".join((name, *numbers))),
            next_step="Write star:5, complete:5, line:10:2, partition:6:2, strong:6:0.1.",
        ) from None


def read_query(path: Path, graph: PolicyGraph) -> Query:
    """What a record of each node adds to the numbers: CSV with the column node and one for each."""
    rows = list(csv.reader(StringIO(read_text(path, "query"), newline="")))
    if len(rows) < 2 or rows[0][:1] != ["node"] or len(rows[0]) < 2:
        raise _bad(path, "must be CSV with the column node and one column for each number", "query")
    texts = [text for row in rows[1:] for text in row[1:]]
    whole = re.compile(r"[+-]?\d{1,10}")
    if any(len(row) != len(rows[0]) for row in rows) or not all(map(whole.fullmatch, texts)):
        raise _bad(path, "must have whole numbers in every row", "query")
    query = {row[0]: tuple(map(int, row[1:])) for row in rows[1:]}
    if any(abs(number) > LARGEST_ENTRY for few in query.values() for number in few):
        raise _bad(path, f"must have numbers up to {LARGEST_ENTRY}", "query")
    graph.sensitivity(query)
    return query


def _bad(path: Path, rule: str, parameter: str = "graph") -> BadFile:
    return BadFile(parameter, rule=rule, value=repr(str(path)), next_step="Mend the file.")
