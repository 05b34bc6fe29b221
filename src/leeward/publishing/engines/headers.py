"""Headers: whether the columns that the codebook names are there and can hold ids and codes."""

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Literal

from leeward.core.codebook import Codebook, JobsRule, PrimaryJob
from leeward.core.errors import BadData, BadFile, InvalidParameter, LeewardError, shown
from leeward.publishing.engines.database import Column, Table, can
from leeward.publishing.engines.driver_errors import hidden
from leeward.publishing.engines.recoding import may_be_fractions

Holds = Literal["codes", "numbers", "ranks"]
"""What a column is read as; ids are read as codes."""

ROW_NUMBERS = (
    "Row numbers? Write the file with write.csv(row.names = FALSE) in R, or to_csv(index=False) in "
    "pandas. "
)
UNSEPARATED = "The header was read as one name: columns of CSV are separated by , ; tab or |. "
NO_CODES = "Convert the column: dates, bytes and nested values make no ids or codes."


def header_problems(
    tables: Mapping[str, Table], codebook: Codebook, rule: JobsRule
) -> Iterator[LeewardError]:
    """Everything that names and types alone show to be wrong."""
    numeric = {(column.table, column.column) for column in codebook.numeric}
    for where in dict.fromkeys(codebook.columns()):
        kind: Holds = "numbers" if where in numeric else "codes"
        yield from _problems(tables[where[0]], *where, kind)
    if isinstance(rule, PrimaryJob):
        yield from _problems(tables["jobs"], "jobs", rule.column, "ranks")


def _problems(table: Table, name: str, column: str, holds: Holds) -> Iterator[LeewardError]:
    if column not in table.columns:
        yield no_such_column(table, name, column, "jobs.primary" if holds == "ranks" else "")
    elif holds == "numbers" and not holds_numbers(table, column):
        rule = "must hold numbers, or texts that are numbers"
        step = "Convert the column, or declare it without `type` in the codebook."
        yield _wrong_type(table, name, column, rule, step)
    elif holds == "ranks" and not holds_ranks(table, column):
        rule = "must hold numbers or dates, by which the primary job is chosen"
        step = "Convert the column, or name another as `jobs.primary` in the plan."
        yield _wrong_type(table, name, column, rule, step)
    elif holds == "codes" and not (
        may_hold_codes(table[column])
        # A column of nulls has no type: the public frame has none.
        or (table[column].type().is_null() and name != "workplaces")
    ):
        rule = "must hold text, whole numbers or true and false"
        yield _wrong_type(table, name, column, rule, NO_CODES)


def _wrong_type(table: Table, name: str, column: str, rule: str, step: str) -> LeewardError:
    """A type may depend on rows: that of workers and jobs is shown by internal commands only."""
    kind = str(table[column].type())
    return hidden(BadData(f"data.{name}.{column}", rule=rule, value=kind, next_step=step))


def require_names(columns: Iterable[str], parameter: str) -> None:
    """Reject a column without a name, and a repeated name: databases would rename the other."""
    seen: dict[str, int] = {}
    for number, name in enumerate(columns, 1):
        if not name.strip():
            raise BadFile(
                parameter,
                rule="must begin with names of all columns",
                value=f"column {number} without a name",
                next_step=f"{ROW_NUMBERS if number == 1 else ''}Name it, or leave it out.",
            )
        if name.lower() in seen:
            raise BadFile(
                parameter,
                rule="must name each column once, also without regard to upper and lower case",
                value=f"{shown(name)} twice, as columns {seen[name.lower()]} and {number}",
                next_step="Rename one of them, or leave it out.",
            )
        seen[name.lower()] = number


def require_column(table: Table, option: str, column: str, rule: str, next_step: str = "") -> None:
    """Reject a column that an option of a command names and the table does not have."""
    if column in table.columns:
        return
    usual = _likely(table, column) or "Look at the names of the columns."
    raise InvalidParameter(option, rule=rule, value=shown(column), next_step=next_step or usual)


def _likely(table: Table, column: str) -> str:
    near = get_close_matches(column, table.columns, n=1, cutoff=0.5)
    return f"Did you mean {near[0]!r}?" if near else ""


def no_such_column(table: Table, name: str, column: str, key: str = "") -> BadData:
    """The error for a column that is not there, named by a key of the plan or by the codebook."""
    named = f", which the plan names as `{key}`" if key else ""
    mend = f"mend `{key}` in the plan" if key else "mend the codebook"
    step = _likely(table, column) or f"Add it, or {mend}."
    unseparated = len(table.columns) == 1 and not table.columns[0].isidentifier()
    return BadData(
        f"data.{name}",
        rule=f"must have the column {shown(column)}{named}",
        value=f"no such column among {len(table.columns)}",
        next_step=f"{UNSEPARATED}{step}" if unseparated else step,
    )


def may_hold_codes(column: Column) -> bool:
    """Whether equal values always have equal texts, as ids and codes must; or may, as fractions.

    Statistical files have no other numbers, and one null makes floats of whole numbers in some
    tools.
    """
    kind = column.type()
    whole = kind.is_integer() or (kind.is_decimal() and kind.scale == 0)
    texts = whole or kind.is_string() or kind.is_boolean() or kind.is_uuid()
    return bool(texts or may_be_fractions(column))


def holds_numbers(table: Table, column: str) -> bool:
    """Whether values can be read as numbers."""
    kind = table[column].type()
    return bool(
        (kind.is_numeric() and not kind.is_boolean())
        or kind.is_null()
        or (kind.is_string() and can(table, "RegexSearch"))
    )


def holds_ranks(table: Table, column: str) -> bool:
    """Whether values can be ranked; texts only where the database can read them as numbers."""
    kind = table[column].type()
    read = kind.is_string() and can(table, "TryCast")
    return bool(kind.is_numeric() or kind.is_temporal() or kind.is_null() or read)
