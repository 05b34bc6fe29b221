"""Small economies as lists of rows, and the files that hold them."""

import gzip
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from leeward.core.codebook import (
    TABLES,
    Breakdown,
    Codebook,
    Dimension,
    Finding,
    Marginal,
    read_codebook,
)

Row = dict[str, Any]
Sources = dict[str, str]

CODEBOOK = """
attributes:
  place: {table: workplaces, public: true, codes: ["01", "02", "03", "04", "05"]}
  county:
    table: workplaces
    public: true
    codes: [N, S]
    from: place
    map: {"01": N, "02": N, "03": S, "04": N, "05": S}
  sector: {table: workplaces, public: true, codes: [A, B, C], other: C, null_as: B}
  state_owned: {table: workplaces, public: true, codes: ["true", "false"]}
  sex: {table: workers, codes: [F, M]}
  education: {table: workers, codes: [E1, E2, E3], omit: [E0], null_as: E3}
  age: {table: workers, column: age_group, codes: ["1", "2", "3", "4"], other: "4"}
  young: {table: workers, codes: [Y, N], from: age, map: {"1": Y, "2": Y, "3": N, "4": N}}
  contract: {table: jobs, codes: [T, P], null_as: P}
"""

REQUEST = {
    "codebook": yaml.safe_load(CODEBOOK),
    "account": "office",
    "period": "2026Q2",
    "protect": {"policy": "strong", "alpha": "0.1", "epsilon": 4},
    "tables": [{"name": "by_place", "by": ["place", "sex"]}],
}
"""A plan that names no tables."""

OWNED = "tables: {workplaces: {id: workplace_id, employer: employer_id}}" + CODEBOOK

TYPES = {"state_owned": pa.bool_(), "age_group": pa.int32(), "pay": pa.float64()}


@dataclass(frozen=True)
class Economy:
    """Three lists of rows."""

    workplaces: list[Row]
    workers: list[Row]
    jobs: list[Row]

    def table(self, name: str) -> list[Row]:
        rows: list[Row] = getattr(self, name)
        return rows

    def arrow(self, name: str) -> pa.Table:
        return arrow(self.table(name), name)


COLUMNS = {
    "workplaces": ("workplace_id", "place", "sector", "state_owned"),
    "workers": ("worker_id", "sex", "education", "age_group"),
    "jobs": ("worker_id", "workplace_id", "contract", "pay"),
}


def arrow(rows: list[Row], name: str) -> pa.Table:
    columns = {}
    for column in rows[0] if rows else COLUMNS[name]:
        values = [row[column] for row in rows]
        number = column.endswith("_id") and not any(isinstance(value, str) for value in values)
        kind = pa.int64() if number else TYPES.get(column, pa.string())
        columns[column] = pa.array(values, kind)
    return pa.table(columns)


def economy(seed: int, *, single: bool = True, text_ids: bool = False) -> Economy:
    """A random economy, its establishments partly empty."""
    rng = np.random.default_rng(seed)
    pick: Callable[[list[Any]], Any] = lambda values: values[rng.integers(len(values))]  # noqa: E731
    named: Callable[[str, int], Any] = lambda kind, n: f"{kind}{n:03}" if text_ids else n  # noqa: E731
    workplaces = [
        {
            "workplace_id": named("e", i),
            "place": pick(["01", "02", "03", "05"]),
            "sector": pick(["A", "B", "C", "X", None]),
            "state_owned": pick([True, False]),
        }
        for i in rng.permutation(int(rng.integers(1, 14)))
    ]
    workers = [
        {
            "worker_id": named("w", i),
            "sex": pick(["F", "M"]),
            "education": pick(["E0", "E1", "E2", "E3", None]),
            "age_group": pick([1, 2, 3, 4, 77]),
        }
        for i in rng.permutation(int(rng.integers(0, 60)))
    ]
    staffed = [row["workplace_id"] for row in workplaces][: 1 + len(workplaces) // 2]
    jobs = [
        {
            "worker_id": worker["worker_id"],
            "workplace_id": workplace,
            "contract": pick(["T", "P", None]),
            "pay": float(rng.integers(1, 4)),
        }
        for worker in workers
        for workplace in _some(rng, staffed, 1 if single else 4)
    ]
    return Economy(workplaces, workers, [jobs[i] for i in rng.permutation(len(jobs))])


ODD: dict[str, dict[str, list[Any]]] = {
    "workers": {"sex": ["X", "f", "", None], "education": ["?", None], "age_group": [0, None]},
    "jobs": {"contract": ["Q", None], "pay": [None, float("nan"), 2.0]},
}
"""Values that no codebook knows, nulls, and what is no rank."""


def soiled(made: Economy, seed: int) -> Economy:
    """The same with every kind of wrong row of workers and jobs, some of each, in any order."""
    rng = np.random.default_rng(seed)
    tables = {"workers": list(made.workers), "jobs": list(made.jobs)}
    for name, rows in tables.items():
        for column, odd in ODD[name].items():
            rows += [rows[i] | {column: odd[i % len(odd)]} for i in _few(rng, len(rows))]
        ids = ("worker_id",) if name == "workers" else ("worker_id", "workplace_id")
        rows += [rows[i] | {one: None} for one in ids for i in _few(rng, len(rows))]
        rows += [rows[i] for i in _few(rng, len(rows))]
        lost = "nobody" if _is_text(made) else -5
        rows += [rows[i] | {one: lost} for one in ids for i in _few(rng, len(rows))]
        for i in _few(rng, len(rows)):
            column, odd = list(ODD[name].items())[i % len(ODD[name])]
            rows[i] = rows[i] | {column: odd[i % len(odd)]}
        rows.extend(_unranked(made) if name == "jobs" else [])
        tables[name] = [rows[i] for i in rng.permutation(len(rows))]
    return Economy(made.workplaces, tables["workers"], tables["jobs"])


WAGED = (
    CODEBOOK
    + """\
  wage: {table: jobs, column: pay, type: integer, unit: euro, cap: 3, classes: {a: 1, b: 3}}
"""
)
NULLED = 'nulls: ["-", "NA", "99"]\ntables: {nulls: ["-", "-99"]}' + WAGED.replace(
    "column: pay", 'column: pay, nulls: ["-7", "-7.0"]'
)
"""The same codebook without and with texts that mean missing."""


def marked(made: Economy) -> Economy:
    """The same with texts that mean missing, by NULLED, in place of every null."""
    text = _is_text(made)

    def value(column: str, held: Any, turn: int) -> Any:  # noqa: ANN401 (a value of a table)
        if held is not None:
            return held
        if column.endswith("_id"):
            return "-" if text else -99
        return {"age_group": 99, "pay": -7.0}.get(column, ("-", "NA")[turn % 2])

    def changed(rows: list[Row]) -> list[Row]:
        return [
            {key: value(key, held, k) for key, held in row.items()} for k, row in enumerate(rows)
        ]

    return Economy(*(changed(made.table(name)) for name in TABLES))


def unfolded(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """What a check found but for rows that count as another code, of which every economy has."""
    return tuple(one for one in findings if one.into is None)


def _unranked(made: Economy) -> list[Row]:
    """Jobs at the first workplace that would be primary ones if what is no number were large."""
    at = min(row["workplace_id"] for row in made.workplaces)
    ranks = ODD["jobs"]["pay"][:2]
    return [job | {"workplace_id": at, "pay": ranks[k % 2]} for k, job in enumerate(made.jobs[:8])]


def _few(rng: np.random.Generator, rows: int) -> list[int]:
    return [int(i) for i in rng.integers(rows, size=min(rows, int(rng.integers(0, 5))))]


def _is_text(made: Economy) -> bool:
    return isinstance(made.workplaces[0]["workplace_id"], str)


def owned(made: Economy, seed: int, *, text_ids: bool = False) -> Economy:
    """The same with employers of several establishments, and some that are not known."""
    rng = np.random.default_rng(seed)
    named = [f"f{n}" if text_ids else n for n in (7, 2**40, -1)]
    held = [[None, *named][k] for k in rng.integers(4, size=len(made.workplaces))]
    rows = [row | {"employer_id": k} for row, k in zip(made.workplaces, held, strict=True)]
    return Economy(rows, made.workers, made.jobs)


def _some(rng: np.random.Generator, ids: list[Any], most: int) -> list[Any]:
    number = min(int(rng.integers(0, most + 1)), len(ids))
    return [ids[i] for i in rng.choice(len(ids), number, replace=False)]


def marginal(seed: int, codebook: Codebook) -> Marginal:
    """A random table, some of its dimensions restricted, with random filters."""
    rng = np.random.default_rng(seed)
    attributes = list(codebook.attributes.values())
    use = rng.choice(["by", "where", "no", "no"], len(attributes))
    dimensions = []
    for attribute in attributes:
        size = len(attribute.codes)
        number = size if rng.random() < 0.6 else int(rng.integers(1, size + 1))
        kept = np.sort(rng.choice(size, number, replace=False))
        dimensions.append(Dimension(attribute, tuple(int(k) for k in kept)))
    by = [one for one, role in zip(dimensions, use, strict=True) if role == "by"]
    return Marginal(
        f"table_{seed}",
        tuple(one for one in by if one.attribute.of_workplaces),
        tuple(one for one in by if not one.attribute.of_workplaces),
        tuple(one for one, role in zip(dimensions, use, strict=True) if role == "where"),
    )


def codebook(folder: Path, text: str = CODEBOOK) -> Codebook:
    path = folder / "codebook.yaml"
    path.write_text(text)
    return read_codebook(path)


def whole(codebook: Codebook, *names: str) -> tuple[Dimension, ...]:
    """Unrestricted dimensions."""
    found = [codebook.attributes[name] for name in names]
    return tuple(Dimension(one, tuple(range(len(one.codes)))) for one in found)


def product(codebook: Codebook) -> Marginal:
    """Breakdowns by attributes of workers, of jobs, and of both crossed."""
    broken = (("sex",), ("education",), ("age", "contract"))
    breakdowns = tuple(Breakdown(whole(codebook, *names)) for names in broken)
    return Marginal("p", whole(codebook, "place", "sector"), (), breakdowns=breakdowns)


def parquet(made: Economy, folder: Path) -> Sources:
    for name in TABLES:
        pq.write_table(made.arrow(name), folder / f"{name}.parquet")
    return {name: f"{name}.parquet" for name in TABLES}


def _texts(table: pa.Table) -> list[str]:
    shown = {True: "true", False: "false", None: ""}
    lines = [",".join(table.column_names)]
    for row in table.to_pylist():
        values = [shown[v] if v is None or isinstance(v, bool) else str(v) for v in row.values()]
        lines.append(",".join(values))
    return lines


def plain_csv(made: Economy, folder: Path) -> Sources:
    for name in TABLES:
        (folder / f"{name}.csv").write_text("\n".join(_texts(made.arrow(name))) + "\n")
    return {name: f"{name}.csv" for name in TABLES}


def zipped_csv(made: Economy, folder: Path) -> Sources:
    for name in TABLES:
        lines = "\r\n".join(_texts(made.arrow(name)))
        (folder / f"{name}.csv.gz").write_bytes(gzip.compress(lines.encode("utf-8-sig")))
    return {name: f"{name}.csv.gz" for name in TABLES}


def mixture(made: Economy, folder: Path) -> Sources:
    first, second = parquet(made, folder), plain_csv(made, folder)
    return {**first, "workers": second["workers"]}


def duck_file(made: Economy, folder: Path) -> Sources:
    with duckdb.connect(str(folder / "a'b.duckdb")) as connection:
        for name in TABLES:
            connection.register("rows", made.arrow(name))
            connection.execute(f"CREATE TABLE {name}_2026 AS SELECT * FROM rows")  # noqa: S608 (fixed names)
    return {name: f"duckdb://a'b.duckdb#{name}_2026" for name in TABLES}


def sqlite_file(made: Economy, folder: Path) -> Sources:
    with sqlite3.connect(folder / "x.db") as connection:
        for name in TABLES:
            table = made.arrow(name)
            kinds = [SQLITE[str(one.type)] for one in table.schema]
            header = ", ".join(map(" ".join, zip(table.column_names, kinds, strict=True)))
            connection.execute(f"CREATE TABLE {name} ({header})")
            marks = ", ".join("?" * table.num_columns)
            rows = [tuple(row.values()) for row in table.to_pylist()]
            connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)  # noqa: S608 (fixed names)
    connection.close()
    return {name: f"sqlite://{folder / 'x.db'}#{name}" for name in TABLES}


SQLITE = {
    "int64": "BIGINT",
    "int32": "INTEGER",
    "string": "TEXT",
    "bool": "BOOLEAN",
    "double": "DOUBLE",
}

WRITERS: Mapping[str, Callable[[Economy, Path], Sources]] = {
    "parquet": parquet,
    "csv": plain_csv,
    "csv.gz": zipped_csv,
    "mixture": mixture,
    "duckdb": duck_file,
    "sqlite": sqlite_file,
}
