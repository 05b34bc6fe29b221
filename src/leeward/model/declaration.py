"""Declaration: the codebook as it is written, and what can be wrong with it by itself."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated

from pydantic import Field

from leeward.errors import InvalidParameter, LeewardError, shown
from leeward.model.attribute import TABLES
from leeward.model.document import Written, one_of

NAME = r"^[A-Za-z_][A-Za-z0-9_]{0,62}$"
RESERVED = ("value", "status", "margin")
"""Columns that every published table has; no attribute may be called so."""


CODES = "must be a list of codes, a mapping of codes to labels, or the name of a CSV file"
MAP = "must be a mapping of codes to codes, or the name of a CSV file"


class WorkplaceKeys(Written):
    """Key columns of the workplaces table."""

    id: str = "workplace_id"
    employer: str | None = None


class WorkerKeys(Written):
    """Key columns of the workers table."""

    id: str = "worker_id"


class JobKeys(Written):
    """Key columns of the jobs table."""

    worker: str = "worker_id"
    workplace: str = "workplace_id"


class Keys(Written):
    """Which columns identify workplaces, workers and jobs."""

    workplaces: WorkplaceKeys = WorkplaceKeys()
    workers: WorkerKeys = WorkerKeys()
    jobs: JobKeys = JobKeys()


class WrittenAttribute(Written):
    """An attribute as the codebook declares it."""

    table: str
    codes: Annotated[str | list[str] | dict[str, str], one_of(CODES)]
    public: bool | None = None
    column: str | None = None
    origin: str | None = Field(default=None, alias="from")
    map: Annotated[str | dict[str, str] | None, one_of(MAP)] = None
    other: str | None = None
    null_as: str | None = None
    omit: tuple[str, ...] = ()


class WrittenCodebook(Written):
    """The whole document."""

    tables: Keys = Keys()
    attributes: dict[str, WrittenAttribute]


def problems(name: str, written: WrittenAttribute, where: str) -> Iterator[LeewardError]:
    """What is wrong with a declaration by itself."""
    if not re.fullmatch(NAME, name) or name in RESERVED:
        yield InvalidParameter(
            where,
            rule=f"must be a name of letters, digits and _, and none of {', '.join(RESERVED)}",
            value=shown(name),
            next_step="Rename the attribute and give its column as `column`.",
        )
    if written.table not in TABLES:
        yield InvalidParameter(
            f"{where}.table",
            rule=f"must be one of {', '.join(TABLES)}",
            value=shown(written.table),
            next_step="Say in which table the column stands.",
        )
    if (written.table == "workplaces") != (written.public is not None):
        yield _unclear_public(written, where)
    if written.omit and written.table == "workplaces":
        yield InvalidParameter(
            f"{where}.omit",
            rule="is for workers and jobs: the public frame leaves no establishment out",
            value=shown(written.omit[0]),
            next_step="List the code, or filter with `where` in the plan.",
        )
    own = (written.other, written.null_as, written.column)
    if written.origin is not None and written.map is None:
        yield InvalidParameter(
            f"{where}.map",
            rule=f"must give every code of {written.origin} its coarser code",
            value="nothing",
            next_step="Add `map`, or leave `from` out.",
        )
    if written.origin is None and written.map is not None:
        yield InvalidParameter(
            f"{where}.map",
            rule="needs `from`, the attribute whose codes it maps",
            value="no from",
            next_step="Add `from`, or leave `map` out.",
        )
    if written.origin is not None and (any(one is not None for one in own) or written.omit):
        yield InvalidParameter(
            where,
            rule="takes column, other, null_as and omit from the attribute that it is derived from",
            value=f"from: {written.origin}",
            next_step="Move these keys there.",
        )


def _unclear_public(written: WrittenAttribute, where: str) -> InvalidParameter:
    if written.table == "workplaces":
        return InvalidParameter(
            f"{where}.public",
            rule="must be given for attributes of workplaces",
            value="nothing",
            next_step="Write public: true if everyone may know it of every establishment.",
        )
    return InvalidParameter(
        f"{where}.public",
        rule="is for attributes of workplaces: those of workers and jobs are always confidential",
        value=str(written.public).lower(),
        next_step="Leave it out.",
    )


def misplaced(
    written: WrittenAttribute, recode: Mapping[str, int], where: str
) -> Iterator[LeewardError]:
    """Codes that are named where they cannot stand."""
    targets = {"other": written.other, "null_as": written.null_as}
    for key, code in targets.items():
        if code is not None and code not in recode:
            yield InvalidParameter(
                f"{where}.{key}",
                rule="must be one of the codes",
                value=shown(code),
                next_step="Add it to codes.",
            )
    for code in written.omit:
        if code in recode:
            yield InvalidParameter(
                f"{where}.omit",
                rule="must not name a code of the list: it is either counted or left out",
                value=shown(code),
                next_step="Remove it from codes or from omit.",
            )
