"""Loaded: the plan file, read anew with each request; never the data."""

from dataclasses import dataclass
from pathlib import Path

from leeward.errors import BadFile, LeewardError
from leeward.model.document import parse, read_document
from leeward.publishing.request import Request
from leeward.web.refusals import listed

MOST_BYTES = 1 << 20
MOST_TABLES, MOST_ATTRIBUTES = 500, 100
"""Of a plan, and of each of its tables: more would keep the page busy for minutes."""


@dataclass(frozen=True)
class Loaded:
    """A plan file: its request where it has the shape of one, and what is wrong with its keys."""

    path: Path
    request: Request | None
    refusals: tuple[LeewardError, ...]


def load(path: Path) -> Loaded:
    """Read a plan file; its codebook is read with every prediction."""
    try:
        _refuse_large(path)
        request, problems = parse(Request, read_document(path, "plan"), "plan")
    except LeewardError as refusal:
        return Loaded(path, None, listed(refusal))
    if request is not None and not _fits(request):
        return Loaded(path, None, (_too_many(path),))
    return Loaded(path, request, tuple(problems))


def _refuse_large(path: Path) -> None:
    if path.is_file() and path.stat().st_size > MOST_BYTES:
        raise BadFile(
            "plan",
            rule="must be a file of at most 1 MB to be shown on a page",
            value=repr(str(path)),
            next_step="Look at the name and the file.",
        )


def _fits(request: Request) -> bool:
    widest = max(len(table.by) for table in request.tables)
    return len(request.tables) <= MOST_TABLES and widest <= MOST_ATTRIBUTES


def _too_many(path: Path) -> BadFile:
    return BadFile(
        "plan",
        rule=f"must have at most {MOST_TABLES} tables, each by at most {MOST_ATTRIBUTES} "
        "attributes, to be shown on a page",
        value=repr(str(path)),
        next_step="Use `leeward plan`, or split the plan.",
    )
