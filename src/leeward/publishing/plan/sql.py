"""SQL: one SELECT statement as a written table. The text never reaches a database.

Every node of the statement and every argument of a node is known here or rejected: nothing is
ignored, since an ignored clause would be another table than the one that was asked for.
"""

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leeward.core.codebook import COUNT, STATISTICS, Codebook
from leeward.core.codebook.declaration import Keys
from leeward.core.errors import InvalidParameter, shown
from leeward.publishing.plan.request import WrittenTable

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

LONGEST = 20_000
"""Maximum length of a statement in characters."""

JOBS, WORKERS, WORKPLACES = "jobs", "workers", "workplaces"
FUNCTIONS = {one.sql: name for name, one in STATISTICS.items() if one.sql is not None}
"""Aggregates of a numeric column, and the statistics that they ask for."""


@dataclass(frozen=True)
class Selected:
    """What a statement selects; `counted` is jobs, or workplaces, which are public."""

    by: tuple[str, ...]
    where: Mapping[str, tuple[str, ...]]
    statistic: str = COUNT.name
    of: str | None = None
    counted: str = JOBS

    def written(self, name: str) -> WrittenTable:
        """The table as a plan would write it."""
        where: dict[str, list[str] | str] = {
            attribute: list(codes) for attribute, codes in self.where.items()
        }
        return WrittenTable(
            name=name, by=list(self.by), where=where, statistic=self.statistic, of=self.of
        )


def by_hand(table: WrittenTable, codebook: Codebook) -> WrittenTable:
    """The same table without SQL."""
    selected = read_statement(one_statement(table.sql or ""), codebook)
    if selected.counted != JOBS:
        raise _rejected(
            "must count jobs: the number of establishments is public and exact",
            "a count of workplaces",
            "Write establishments: true in a table by the same attributes.",
        )
    keys = selected.written(table.name).model_dump(include={"by", "where", "statistic", "of"})
    return table.model_copy(update={**keys, "sql": None})


def one_statement(text: str) -> "Expr":
    """The one statement of a text."""
    nodes = statements(text)
    if len(nodes) != 1:
        rule = "must be one SELECT statement"
        raise _rejected(rule, f"{len(nodes)} statements", "Write a table for each statement.")
    return nodes[0]


def statements(text: str) -> "list[Expr]":
    """The statements of a text, which semicolons end."""
    if len(text) > LONGEST:
        rule = f"must be at most {LONGEST} characters long"
        raise _rejected(rule, f"{len(text)} characters", "Leave out what the table does not need.")
    from sqlglot import parse  # noqa: PLC0415 (only plans with SQL load it)
    from sqlglot.errors import SqlglotError  # noqa: PLC0415 (as above)

    # The parser writes a line to the error stream for commands that it does not know.
    logger = logging.getLogger("sqlglot")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        parsed = parse(text, read="duckdb")
    except (SqlglotError, RecursionError):
        raise _rejected(
            "must be a statement that a reader of SQL understands",
            "something else",
            "Write SELECT attributes, COUNT(*) FROM jobs WHERE attribute = 'code' GROUP BY "
            "attributes.",
        ) from None
    finally:
        logger.setLevel(before)
    return [node for node in parsed if node is not None and _kind(node) != "Semicolon"]


def read_statement(statement: "Expr", codebook: Codebook) -> Selected:
    """What a statement selects; whatever is not in the subset is rejected with the reason."""
    try:
        return _Reader(codebook).selected(statement)
    except RecursionError:
        raise _rejected(
            "must not be nested deeply", "many brackets", "Write AND between the conditions."
        ) from None


class _Reader:
    """Reads one statement; knows the tables that it has joined by their names in it."""

    def __init__(self, codebook: Codebook) -> None:
        self.codebook = codebook
        self.tables: dict[str, str] = {}

    def selected(self, node: "Expr") -> Selected:
        """SELECT items FROM tables [WHERE …] [GROUP BY …]."""
        _require(node, "Select")
        _only(node, "expressions", "from", "from_", "joins", "where", "group")
        counted = self._tables(node)
        by, (statistic, of) = self._items(node.args["expressions"])
        self._grouped(node.args.get("group"), node.args["expressions"], by)
        where = dict(self._where(node.args.get("where")))
        if counted == WORKPLACES and statistic != COUNT.name:
            raise _rejected(*ONLY_COUNTED)
        return Selected(by, where, statistic, of, counted)

    # FROM and JOIN

    def _tables(self, node: "Expr") -> str:
        source = node.args.get("from_") or node.args.get("from")
        if source is None:
            rule, step = "must count the rows of a table", "Write FROM jobs."
            raise _rejected(rule, "no FROM", step)
        _only(source, "this")
        self._table(source.this)
        for join in node.args.get("joins") or ():
            self._join(join)
        joined = set(self.tables.values())
        if joined == {WORKPLACES}:
            return WORKPLACES
        if JOBS not in joined:
            raise _rejected(
                "must count jobs: a person is counted by the person's jobs",
                f"FROM {' and '.join(sorted(joined))}",
                "Write FROM jobs; jobs: {primary: COLUMN} in the plan counts each person once.",
            )
        return JOBS

    def _table(self, node: "Expr") -> str:
        _require(node, "Table")
        _only(node, "this", "alias")
        table = self._name(node.this, (JOBS, WORKERS, WORKPLACES))
        if table not in (JOBS, WORKERS, WORKPLACES):
            rule = "must read the tables jobs, workers and workplaces"
            raise _rejected(rule, shown(table), "Write FROM jobs, and join the other two to it.")
        if table in self.tables.values():
            raise _rejected(*SELF_JOIN)
        alias = node.args.get("alias")
        if alias is not None:
            _only(alias, "this")
        self.tables[table if alias is None else self._name(alias.this)] = table
        return table

    def _join(self, join: "Expr") -> None:
        _require(join, "Join")
        if join.args.get("side") or join.args.get("method"):
            raise _rejected(*INNER_ALONE)
        if str(join.args.get("kind") or "INNER").upper() != "INNER":
            raise _rejected(*INNER_ALONE)
        _only(join, "this", "using", "on", "kind")
        table, before = self._table(join.this), set(self.tables.values())
        other = JOBS if table != JOBS else next(iter(before - {JOBS}))
        if JOBS not in before:
            raise _rejected(*DECLARED_KEYS)
        left, right = _key(self.codebook.keys, table, other), _key(self.codebook.keys, other, table)
        using, on = join.args.get("using") or [], join.args.get("on")
        if using and on is None:
            named = [self._name(one) for one in using]
            if left == right and named == [left]:
                return
        elif on is not None and not using and self._joins(on, {(table, left), (other, right)}):
            return
        raise _rejected(*DECLARED_KEYS)

    def _joins(self, on: "Expr", keys: set[tuple[str, str]]) -> bool:
        """Whether a condition equates the key columns of the two tables."""
        if _kind(on) != "EQ":
            return False
        _only(on, "this", "expression")
        ends = set()
        for column in (on.this, on.expression):
            if _kind(column) != "Column" or not column.args.get("table"):
                return False
            _only(column, "this", "table")
            table = self.tables.get(self._name(column.args["table"]))
            ends.add((table, self._name(column.this)))
        return ends == keys

    # SELECT and GROUP BY

    def _items(self, nodes: "Iterable[Expr]") -> tuple[tuple[str, ...], tuple[str, str | None]]:
        by, numbers = list[str](), list[tuple[str, str | None]]()
        for node in nodes:
            kind = _kind(node)
            if kind == "Column":
                by.append(self._attribute(node))
            elif kind == "Count":
                rows = node.args.get("this")
                if rows is not None and _kind(rows) == "Distinct":
                    raise _rejected(*ADVICE["Distinct"])
                if rows is None or _kind(rows) != "Star":
                    raise _rejected(*ONLY_ROWS)
                _only(rows)
                _only(node, "this", "big_int")
                numbers.append((COUNT.name, None))
            elif kind in FUNCTIONS:
                _only(node, "this")
                _require(node.this, "Column")
                numbers.append((FUNCTIONS[kind], self._attribute(node.this)))
            else:
                raise _not_known(node)
        if len(numbers) != 1:
            raise _rejected(*ONE_NUMBER)
        if len(set(by)) < len(by):
            raise _rejected("must name each attribute once", "one twice", "Leave one of them out.")
        return tuple(by), numbers[0]

    def _grouped(self, group: "Expr | None", items: "list[Expr]", by: tuple[str, ...]) -> None:
        named = []
        if group is not None:
            _only(group, "expressions")
            for node in group.args["expressions"]:
                item = node
                if _kind(node) == "Literal" and not node.args.get("is_string"):
                    place = int(node.this) if str(node.this).isdecimal() else 0
                    item = items[place - 1] if 1 <= place <= len(items) else node
                if _kind(item) != "Column":
                    raise _not_known(node)
                named.append(self._attribute(item))
        if len(set(named)) < len(named) or set(named) != set(by):
            raise _rejected(
                "must select and group by the same attributes, each once",
                f"SELECT {', '.join(by) or 'none'} and GROUP BY {', '.join(named) or 'none'}",
                "Write the attributes before COUNT(*) and again after GROUP BY.",
            )

    # WHERE

    def _where(self, node: "Expr | None") -> Iterator[tuple[str, tuple[str, ...]]]:
        """The conditions that AND joins, in their order; brackets around them change nothing."""
        if node is None:
            return
        _only(node, "this")
        seen, waiting = set[str](), [node.this]
        while waiting:
            condition = waiting.pop()
            if _kind(condition) == "Paren":
                _only(condition, "this")
                waiting.append(condition.this)
                continue
            if _kind(condition) == "And":
                _only(condition, "this", "expression")
                waiting += [condition.expression, condition.this]
                continue
            name, codes = self._condition(condition)
            if name in seen or len(set(codes)) < len(codes):
                rule = "must name each attribute and each code once in WHERE"
                raise _rejected(rule, shown(name), "Write attribute IN ('code', 'code').")
            seen.add(name)
            yield name, codes

    def _condition(self, node: "Expr") -> tuple[str, tuple[str, ...]]:
        kind = _kind(node)
        if kind not in ("EQ", "In"):
            raise _rejected(*ADVICE.get(kind, ATTRIBUTE_IS_CODE))
        _only(node, "this", "expression" if kind == "EQ" else "expressions")
        if _kind(node.this) != "Column":
            raise _rejected(*ATTRIBUTE_IS_CODE)
        name = self._attribute(node.this)
        codes = [node.expression] if kind == "EQ" else node.args["expressions"]
        for code in codes:
            if _kind(code) != "Literal" or not code.args.get("is_string"):
                raise _rejected(*ATTRIBUTE_IS_CODE)
            _only(code, "this", "is_string")
        return name, tuple(str(code.this) for code in codes)

    # names

    def _attribute(self, node: "Expr") -> str:
        """The attribute that a column names; key columns are rejected."""
        _only(node, "this", "table")
        if _kind(node.this) == "Star":
            raise _rejected(*ADVICE["Star"])
        name, keys = self._name(node.this, self.codebook.attributes), self.codebook.keys
        declared = self.codebook.attributes.get(name)
        if declared is None and name in (keys.workers.id, keys.jobs.worker):
            rule = "must not name persons: a table by persons publishes rows of people"
            raise _rejected(rule, shown(name), "Group by attributes of the codebook.")
        places = (keys.workplaces.id, keys.jobs.workplace, keys.workplaces.employer)
        if declared is None and name in places:
            rule = "must not name establishments or employers: their sizes are protected"
            raise _rejected(rule, shown(name), "Group by public attributes of workplaces.")
        if node.args.get("table") is None:
            return name
        qualifier = self._name(node.args["table"])
        table = self.tables.get(qualifier)
        if table is None or (declared is not None and declared.table != table):
            raise _rejected(
                "must name an attribute by the table that declares it",
                f"{shown(qualifier)} before {shown(name)}",
                "Leave the table's name out: names of attributes are unique."
                if declared is None
                else f"Write {declared.table}.{name} and join {declared.table}, or {name} alone.",
            )
        return name

    def _name(self, node: "Expr", known: Iterable[str] = ()) -> str:
        """A name; in quotes as it is written, else also without regard to case."""
        _require(node, "Identifier")
        _only(node, "this", "quoted")
        name = str(node.this)
        alike = [one for one in known if one.lower() == name.lower()]
        if name in alike or node.args.get("quoted") or len(alike) != 1:
            return name
        return alike[0]


def _key(keys: Keys, table: str, other: str) -> str:
    """The column of a table that joins it to jobs, or jobs to the other table."""
    if table == JOBS:
        return keys.jobs.worker if other == WORKERS else keys.jobs.workplace
    return keys.workers.id if table == WORKERS else keys.workplaces.id


def _kind(node: "Expr") -> str:
    return type(node).__name__


def _require(node: "Expr", kind: str) -> None:
    if _kind(node) != kind:
        raise _not_known(node)


def _only(node: "Expr", *known: str) -> None:
    """Reject every argument that is given and not known."""
    from sqlglot.expressions import Expr  # noqa: PLC0415 (only plans with SQL load it)

    for key, value in node.args.items():
        if key not in known and value not in (None, False, [], ""):
            parts = value if isinstance(value, list) else [value]
            raise _not_known(next((part for part in parts if isinstance(part, Expr)), node), key)


def _not_known(node: "Expr", argument: str = "") -> InvalidParameter:
    """The rejection of a node or of an argument, with the reason where people often ask for it."""
    kind = _kind(node)
    for name in (argument, kind, *(one.__name__ for one in type(node).__mro__)):
        if name in ADVICE:
            return _rejected(*ADVICE[name])
    return _rejected(*OUTSIDE, clause=kind)


def _rejected(rule: str, value: str, next_step: str, *, clause: str = "") -> InvalidParameter:
    return InvalidParameter("sql", rule=rule, value=clause or value, next_step=next_step)


OUTSIDE = (
    "must be SELECT attributes, COUNT(*) FROM jobs with joins by key, WHERE attribute = 'code' and "
    "GROUP BY",
    "something else",
    "Leave this clause out.",
)
ATTRIBUTE_IS_CODE = (
    "must have conditions attribute = 'code' or attribute IN ('code', …), with codes in quotes",
    "another condition",
    "Give the classes a code list in the codebook, and list the codes that are wanted.",
)
ONE_NUMBER = (
    "must select one number: COUNT(*), or SUM or AVG of a numeric column",
    "none or several",
    "Write one table for each number. Rows of people are never published.",
)
ONLY_COUNTED = (
    "must count workplaces",
    "another number of them",
    "Write COUNT(*), or read FROM jobs.",
)
ONLY_ROWS = (
    "must count rows by COUNT(*)",
    "COUNT of something else",
    "Write COUNT(*): where a column is empty, null_as or omit in the codebook says what becomes of "
    "the row.",
)
SELF_JOIN = (
    "must read each table once: a join of a table with itself multiplies rows",
    "a table twice",
    "Count pairs of jobs outside, or declare an attribute of the pair.",
)
INNER_ALONE = (
    "must be an inner join by key",
    "another join",
    "Write JOIN … USING (key). Establishments without jobs are in the table anyway, as zeros.",
)
DECLARED_KEYS = (
    "must join jobs with workers or workplaces by the key columns of the codebook: by others one "
    "job would count many times",
    "other columns or tables",
    "Write JOIN workers USING (worker_id), with the codebook's names of the keys.",
)
NO_FUNCTIONS = (
    "must name attributes as they are declared, without functions or arithmetic",
    "an expression",
    "Declare a derived attribute in the codebook with from: and map:.",
)
EXTREME = (
    "must not be a maximum or a minimum: one person can be it, so that its sensitivity is the "
    "whole range",
    "MAX or MIN",
    "Publish classes or percentiles of the column: statistic: percentiles.",
)
QUANTILE = (
    "must not be a quantile: it is read from released counts of classes",
    "a quantile",
    "Write statistic: percentiles, of: COLUMN in the plan.",
)
ONLY_READ = (
    "must only read",
    "a statement that writes",
    "Write a SELECT. The text never reaches a database in any case.",
)
ADVICE = {
    "distinct": (
        "must not be SELECT DISTINCT: it publishes which combinations occur",
        "DISTINCT",
        "Select COUNT(*) by these attributes; every combination of the frame has a row.",
    ),
    "Distinct": (
        "must not count distinct persons: a person with several jobs is in several rows",
        "COUNT(DISTINCT …)",
        "Set jobs: {primary: COLUMN} in the plan, then COUNT(*) counts each person once.",
    ),
    "having": (
        "must not choose rows by their true counts",
        "HAVING",
        "Leave it out and select afterwards, from the published table: that is free.",
    ),
    "order": (
        "must not order rows: the order of confidential numbers is confidential",
        "ORDER BY",
        "Leave it out and sort the published table.",
    ),
    "limit": (
        "must not choose rows by a confidential order",
        "LIMIT",
        "Leave it out and select afterwards, from the published table.",
    ),
    "Window": (
        "must not have windows",
        "OVER",
        "Compute it from the published table: sums, shares and ranks by `leeward read`.",
    ),
    "Subquery": (
        "must not have statements inside statements: an aggregate of aggregates, such as a "
        "distribution of sizes, has no proof here",
        "a nested statement",
        "Publish the inner table and compute the rest from it.",
    ),
    "with_": (
        "must not have WITH: one statement is one table",
        "WITH",
        "Write the table that is wanted as one SELECT.",
    ),
    "SetOperation": (
        "must be one SELECT: tables are not put together here",
        "UNION or its like",
        "Write a table for each SELECT.",
    ),
    "Or": (
        "must be a product of code lists: OR of two attributes is none",
        "OR",
        "Write attribute IN ('code', 'code'), or two tables.",
    ),
    "Not": (
        "must list the codes that are counted",
        "NOT",
        "Write attribute IN ('code', …) with the other codes.",
    ),
    "rollup": (
        "must group by plain attributes: totals are added from published rows at no cost",
        "ROLLUP",
        "Write totals: all beside sql in the plan.",
    ),
    "Alias": (
        "must not rename columns: a published table has the names of attributes, and value",
        "AS",
        "Leave AS out.",
    ),
    "Star": (
        "must not select rows: rows of people are never published",
        "*",
        "Select COUNT(*) by attributes.",
    ),
    "Div": (
        "must not divide: a fraction follows from published counts at no cost",
        "a fraction",
        "Publish both counts; `leeward read --as share` or `--as ratio` divides them.",
    ),
    "db": (
        "must read the tables of the plan, which have no schema before their names",
        "another schema",
        "Write jobs, workers and workplaces; the plan's data say where they are.",
    ),
    "sample": (
        "must count all rows: a sample of them has no proof here",
        "a sample",
        "Leave the sampling clause out.",
    ),
    "Filter": (
        "must filter by WHERE",
        "FILTER",
        "Write WHERE attribute = 'code'.",
    ),
    "DML": ONLY_READ,
    "DDL": ONLY_READ,
    "Rand": (
        "must not draw random numbers: noise is added by the mechanism alone",
        "random()",
        "Leave it out.",
    ),
    "Max": EXTREME,
    "Min": EXTREME,
    "Median": QUANTILE,
    "Quantile": QUANTILE,
    "PercentileCont": QUANTILE,
    "PercentileDisc": QUANTILE,
    "WithinGroup": QUANTILE,
    "Func": NO_FUNCTIONS,
    "Binary": NO_FUNCTIONS,
    "Unary": NO_FUNCTIONS,
}
"""Reasons and next steps, by argument, node, or a kind of nodes that the parser derives it from."""
