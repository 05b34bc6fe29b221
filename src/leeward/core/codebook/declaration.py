"""Declaration: the codebook as it is written, and what can be wrong with it by itself."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated

from pydantic import Field

from leeward.core.codebook.attribute import TABLES, NumericRange, RealRange
from leeward.core.codebook.classifications import NoList, is_standard
from leeward.core.codebook.code_list import Nulls, NullText
from leeward.core.codebook.yaml_document import Long, Short, Written, one_of
from leeward.core.errors import InvalidParameter, LeewardError, raise_all, shown
from leeward.core.exact import rational

NAME = r"^[A-Za-z_][A-Za-z0-9_]{0,62}$"
RESERVED = (
    *("value", "status", "margin", "establishments", "released", "low", "high"),
    *("block_margin", "block_low", "block_high", "bound", "count", "percentile", "measure"),
)
"""Columns of published tables, whose names no attribute may have."""

WHOLE = re.compile(r"-?[0-9]{1,15}")
"""A bound of numbers: float64 holds whole numbers of 15 digits exactly."""

NUMERIC_KEYS = ("unit", "period", "low", "cap", "cap_from", "classes")
FILE_KEYS = ("code_column", "label_column")
CODED_KEYS = ("codes", *FILE_KEYS, "from", "map", "prefix", "spelled", "other", "omit", "unknown")
REAL = "number"
"""The type of a column of real numbers, which no table counts and regressions read."""

REAL_KEYS = frozenset(
    {"table", "public", "column", "type", "low", "high", "nulls", "label", "note"}
)

CODES = (
    "must be a list of codes, a mapping of codes to labels, the name of a CSV file, or "
    "standard: and a classification"
)
MAP = "must be a mapping of codes to codes, or the name of a CSV file"
SPELLED = "must be the name of a spelling, a list of such names, or a mapping of texts to codes"
UNKNOWN = "must be one code, or a mapping of one code to its label"


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
    nulls: Nulls = ()
    """Texts that mean a missing id."""

    def columns(self) -> Iterator[tuple[str, str]]:
        """Every (table, column) with ids."""
        yield "workplaces", self.workplaces.id
        if self.workplaces.employer is not None:
            yield "workplaces", self.workplaces.employer
        yield "workers", self.workers.id
        yield from (("jobs", self.jobs.worker), ("jobs", self.jobs.workplace))

    def as_json(self) -> dict[str, object]:
        """The names of the columns, and which texts mean a missing id if any do."""
        columns = self.model_dump(exclude={"nulls"})
        return columns | ({"nulls": sorted(set(self.nulls))} if self.nulls else {})


class WrittenAttribute(Written):
    """An attribute as the codebook declares it."""

    table: str
    codes: Annotated[str | list[str] | dict[str, str] | None, one_of(CODES)] = None
    code_column: str | None = None
    label_column: str | None = None
    public: bool | None = None
    column: str | None = None
    origin: str | None = Field(default=None, alias="from")
    map: Annotated[str | dict[str, str] | None, one_of(MAP)] = None
    prefix: str | None = None
    spelled: Annotated[str | list[str] | dict[NullText, str] | None, one_of(SPELLED)] = None
    unknown: Annotated[str | dict[str, str] | None, one_of(UNKNOWN)] = None
    other: str | None = None
    null_as: str | None = None
    nulls: Nulls | None = None
    omit: tuple[str, ...] = ()
    total: str | None = None
    type: str | None = None
    unit: str | None = None
    period: str | None = None
    low: str = "0"
    cap: str | None = None
    cap_from: str | None = None
    high: str = "1"
    classes: dict[str, str] | None = None
    label: Short | None = None
    note: Long | None = None

    def given(self, keys: Iterable[str]) -> list[str]:
        """Those of the keys that are written."""
        written = {"from" if one == "origin" else one for one in self.model_fields_set}
        return [key for key in keys if key in written]

    @property
    def unknown_code(self) -> tuple[str, str] | None:
        """The code for unknown with its label."""
        if isinstance(self.unknown, dict):
            return next(iter(self.unknown.items()))
        return None if self.unknown is None else (self.unknown, "Unknown")


class WrittenCodebook(Written):
    """The whole document."""

    tables: Keys = Keys()
    classifications: str | None = None
    nulls: Nulls = ()
    attributes: dict[str, WrittenAttribute]
    impossible: tuple[dict[str, str], ...] = ()


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
        yield InvalidParameter.unknown(
            f"{where}.table",
            written.table,
            TABLES,
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
    if written.type == REAL:
        yield from _real_problems(written, where)
        return
    if written.given(("high",)):
        yield InvalidParameter(
            f"{where}.high",
            rule=f"is the upper end of a column of type {REAL}, which regressions read",
            value=shown(written.high),
            next_step=f"Write type: {REAL}; the upper end of a numeric column is its cap.",
        )
    numeric = written.type is not None or written.given(NUMERIC_KEYS)
    yield from (_numeric_problems if numeric else _coded_problems)(written, where)


def _coded_problems(written: WrittenAttribute, where: str) -> Iterator[LeewardError]:
    """Codes that are missing, and keys that do not go together."""
    if written.codes is None and written.prefix is None:
        yield NoList.missing(
            f"{where}.codes", next_step="Add the key; `leeward codes` lists what needs no file."
        )
    from_file = isinstance(written.codes, str) and not is_standard(written.codes)
    if written.given(FILE_KEYS) and not from_file:
        yield InvalidParameter(
            f"{where}.{written.given(FILE_KEYS)[0]}",
            rule="names a column of a CSV file of codes",
            value="no such file as codes",
            next_step="Leave it out, or name the file.",
        )
    yield from _hierarchy_problems(written, where)
    own = (written.other, written.null_as, written.column, written.nulls, written.spelled)
    if written.origin is not None and (any(one is not None for one in own) or written.omit):
        yield InvalidParameter(
            where,
            rule="takes column, spelled, other, null_as, nulls and omit from the attribute that "
            "it is derived from",
            value=f"from: {written.origin}",
            next_step="Move these keys there.",
        )
    if isinstance(written.unknown, dict) and len(written.unknown) != 1:
        yield InvalidParameter(
            f"{where}.unknown",
            rule=UNKNOWN,
            value=f"{len(written.unknown)} codes",
            next_step="Keep one code; list further codes in codes.",
        )


def _hierarchy_problems(written: WrittenAttribute, where: str) -> Iterator[LeewardError]:
    """Which parents the codes of another attribute have."""
    ways = [key for key in ("map", "prefix") if getattr(written, key) is not None]
    if written.origin is not None and not ways and not is_standard(written.codes):
        yield InvalidParameter(
            f"{where}.map",
            rule=f"must give every code of {written.origin} its coarser code",
            value="nothing",
            next_step="Add `map`, or `prefix`, or name a classification as codes; or leave `from` "
            "out.",
        )
    if len(ways) > 1:
        yield InvalidParameter(
            f"{where}.prefix",
            rule="must not stand beside map: both say what the parent of a code is",
            value="both",
            next_step="Leave one of them out.",
        )
    if written.prefix is not None and not re.fullmatch(r"[1-9][0-9]?", written.prefix):
        yield InvalidParameter(
            f"{where}.prefix",
            rule="must be how many characters of a code make its parent, from 1 to 99",
            value=shown(written.prefix),
            next_step="Write a number such as 2.",
        )
    if written.origin is None:
        yield from (
            InvalidParameter(
                f"{where}.{key}",
                rule="needs `from`, the attribute whose codes it maps",
                value="no from",
                next_step=f"Add `from`, or leave `{key}` out.",
            )
            for key in ways
        )


def _numeric_problems(written: WrittenAttribute, where: str) -> Iterator[LeewardError]:
    """Keys that do not belong to a numeric column, and keys that it lacks."""
    if written.type != "integer":
        yield InvalidParameter(
            f"{where}.type",
            rule="must be integer for a numeric column: no other type of number is tabulated",
            value="nothing" if written.type is None else shown(written.type),
            next_step="Write type: integer, in a unit such as cent that makes the numbers whole; "
            "or declare codes, without type and its keys.",
        )
        return
    for key in written.given(CODED_KEYS):
        yield InvalidParameter(
            f"{where}.{key}",
            rule="is for columns of codes: the codes of a numeric column are its classes",
            value=f"{key} beside type",
            next_step=f"Leave {key} out; derive a coarser attribute with a `from` of its own.",
        )
    needed = ("unit", "cap", "classes")
    yield from (
        InvalidParameter.missing(f"{where}.{key}")
        for key in needed
        if getattr(written, key) is None
    )
    for key in ("unit", "period"):
        text = getattr(written, key)
        if text is not None and (not text.isprintable() or not text.strip()):
            yield InvalidParameter(
                f"{where}.{key}",
                rule="must be a printable word",
                value=shown(text),
                next_step=f"Write a {key} such as {'cent' if key == 'unit' else 'month'}.",
            )


def _real_problems(written: WrittenAttribute, where: str) -> Iterator[LeewardError]:
    """Keys that do not belong to a column of real numbers."""
    for key in written.given(sorted(set(WrittenAttribute.model_fields) - REAL_KEYS | {"from"})):
        yield InvalidParameter.meaningless(
            f"{where}.{key}",
            f"for a column of type {REAL}, which has low and high alone",
            value=f"{key} beside type: {REAL}",
            next_step=f"Leave {key} out; to count numbers by class, write type: integer.",
        )


def real_range(name: str, written: WrittenAttribute, where: str) -> RealRange:
    """The column and the public ends of a column of real numbers; refuses wrong ones."""
    ends = {key: rational(getattr(written, key), f"{where}.{key}") for key in ("low", "high")}
    if ends["low"] >= ends["high"]:
        raise InvalidParameter(
            f"{where}.low",
            rule="must be below high",
            value=f"{written.low}, and high {written.high}",
            next_step="Lower `low`, or raise `high`.",
        )
    column = name if written.column is None else written.column
    return RealRange(column, ends["low"], ends["high"], written.table)


def numeric_range(written: WrittenAttribute, where: str) -> NumericRange:
    """The numbers and classes of a numeric column whose keys are all there; refuses wrong ones."""
    classes = written.classes or {}
    raise_all(
        InvalidParameter(
            f"{where}.{key}",
            rule="must be a whole number of at most 15 digits",
            value=shown(text),
            next_step="Write it in digits alone, in the unit of the column.",
        )
        for key, text in [
            ("low", written.low),
            ("cap", written.cap or ""),
            *(("classes", bound) for bound in classes.values()),
        ]
        if not WHOLE.fullmatch(text)
    )
    made = NumericRange(
        low=int(written.low),
        cap=int(written.cap or ""),
        unit=written.unit or "",
        period=written.period,
        bounds=tuple((code, int(bound)) for code, bound in classes.items()),
        cap_from=written.cap_from,
    )
    raise_all(_range_problems(made, where))
    return made


def _range_problems(numeric_range: NumericRange, where: str) -> Iterator[LeewardError]:
    """Bounds that leave numbers without a class, or classes without numbers."""
    if numeric_range.low >= numeric_range.cap:
        yield InvalidParameter(
            f"{where}.low",
            rule="must be below the cap",
            value=f"{numeric_range.low}, and the cap {numeric_range.cap}",
            next_step="Lower `low`, or raise `cap`.",
        )
    before = numeric_range.low - 1
    for code, bound in numeric_range.bounds:
        if bound <= before:
            yield InvalidParameter(
                f"{where}.classes",
                rule="must have ascending bounds from low on, each the largest number of its class",
                value=f"{bound} of {shown(code)}",
                next_step="Order the classes by their bounds.",
            )
        before = bound
    if numeric_range.bounds and before != numeric_range.cap:
        yield InvalidParameter(
            f"{where}.classes",
            rule="must end at the cap",
            value=f"{before} as the last bound, and the cap {numeric_range.cap}",
            next_step="Give the last class the cap as its bound.",
        )


def _unclear_public(written: WrittenAttribute, where: str) -> InvalidParameter:
    if written.table == "workplaces":
        return InvalidParameter.missing(
            f"{where}.public",
            where="for attributes of workplaces",
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
    step = "Add it to codes, or write it as `unknown`."
    if written.type is not None:
        step = "Name one of the classes."
    for key, code in targets.items():
        if code is not None and code not in recode:
            yield InvalidParameter(
                f"{where}.{key}",
                rule="must be one of the codes",
                value=shown(code),
                next_step=step,
            )
    for code in written.omit:
        if code in recode:
            yield InvalidParameter(
                f"{where}.omit",
                rule="must not name a code of the list: it is either counted or left out",
                value=shown(code),
                next_step="Remove it from codes or from omit.",
            )
