"""Numeric columns count by the classes of their numbers, and every row falls under a rule."""

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from math import floor, inf, isnan, nan
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leeward.core.codebook import (
    Attribute,
    Codebook,
    Dimension,
    EveryJob,
    JobsRule,
    Marginal,
    Mean,
    PrimaryJob,
)
from leeward.core.codebook.resources import Resources
from leeward.core.errors import BadData, Undisclosed
from leeward.publishing.engines import connect, tabulation
from leeward.publishing.release.check import needed_steps
from tests.publishing.engines.cluster import cluster
from tests.publishing.engines.paid import BOOK as PAID
from tests.publishing.engines.paid import (
    paid_marginals,
    paid_tables,
    read_cells,
    read_payrolls,
    slow_payrolls,
)
from tests.publishing.engines.small import Sources, codebook, whole
from tests.publishing.engines.truth import counts

BOOK = """
attributes:
  place: {table: workplaces, public: true, codes: [A, B]}
  area: {table: workplaces, public: true, type: integer, unit: m2, cap: 50, classes: {s: 9, l: 50}}
  age: {table: workers, type: integer, unit: year, low: 14, cap: 99, classes: {y: 29, o: 99},
        null_as: o}
  pay: {table: jobs, type: integer, unit: cent, period: month, cap: 1000, cap_from: a rule,
        classes: {L: 10, M: 100, H: 1000}}
  half: {table: jobs, from: pay, codes: [low, high], map: {L: low, M: high, H: high}}
  fine: {table: jobs, column: pay, type: integer, unit: cent, cap: 20, low: -5,
         classes: {f0: -5, f1: 0, f2: 7, f3: 20}}
  code: {table: jobs, column: pay, codes: ["10", "11"], other: "11"}
"""

ANYTHING = Resources()

ODD: dict[str, list[tuple[Any, str | None]]] = {
    "bigint": [(0, "L"), (10, "L"), (11, "M"), (100, "M"), (101, "H"), (1000, "H"), (1001, "H"),
               (-4, "L"), (2**63 - 1, "H"), (-(2**63), "L"), (None, None)],
    "double precision": [(10.0, "L"), (10.9, "L"), (11.0, "M"), (100.999, "M"), (1000.5, "H"),
                         (-0.5, "L"), (1e300, "H"), (inf, "H"), (-inf, "L"), (nan, None),
                         (None, None)],
    "numeric(38, 20)": [(Decimal("10.999"), "L"), (Decimal("11.000"), "M"), (Decimal(-1), "L"),
                        (Decimal("9." + "9" * 20), "L"), (Decimal("99999999999999999.001"), "H"),
                        (Decimal("-" + "9" * 18 + ".9"), "L"), (None, None)],
    "text": [("10", "L"), ("+11", "M"), ("010", "L"), ("1e2", "M"), ("1.01E+02", "H"),
             ("1e99", "H"), ("-3", "L"), ("10.9", "L"), ("", None), (" 5", None), ("1,5", None),
             ("5d", None), ("0x1", None), ("nan", None), ("inf", None), ("1e999", None),
             ("5\n", None), ("5\u0085", None), ("5\u2028", None), (None, None)],
}  # fmt: skip
"""Values as databases store them, each with the class that it must have."""

ARROW = {
    "bigint": pa.int64(),
    "double precision": pa.float64(),
    "numeric(38, 20)": pa.decimal128(38, 20),
    "text": pa.string(),
}


def odd_payroll(kind: str, cap: int = 1000) -> int:
    """The pay of all odd values: without a class there is no number, which counts as 0."""
    numbers = [Decimal(str(value)) for value, code in ODD[kind] if code is not None]
    return sum(floor(min(max(one, Decimal(0)), Decimal(cap))) for one in numbers)


def odd_tables(kind: str) -> dict[str, pa.Table]:
    """One establishment with a job for each odd value."""
    values = [value for value, _ in ODD[kind]]
    ids = list(range(len(values)))
    return {
        "workplaces": pa.table({"workplace_id": [1], "place": ["A"]}),
        "workers": pa.table({"worker_id": ids}),
        "jobs": pa.table(
            {"worker_id": ids, "workplace_id": [1] * len(ids), "pay": pa.array(values, ARROW[kind])}
        ),
    }


def book_of(folder: Path, *names: str) -> Codebook:
    """The codebook with these attributes alone."""
    head, *parts = BOOK.split("\n  ")
    entries: list[str] = []
    for part in parts:
        entries += [part] if part[0] != " " else []
        entries[-1] = entries[-1] if part[0] != " " else f"{entries[-1]}\n  {part}"
    chosen = [one for one in entries if one.partition(":")[0] in names]
    return codebook(folder, "\n  ".join([head, *chosen]))


def in_files(tables: dict[str, pa.Table], folder: Path) -> Sources:
    for name, table in tables.items():
        pq.write_table(table, folder / f"{name}.parquet")
    return {name: f"{name}.parquet" for name in tables}


@pytest.fixture(scope="module")
def socket() -> Iterator[Path]:
    with cluster() as home:
        yield home


def in_postgres(tables: dict[str, pa.Table], socket: Path, schema: str, kind: str) -> Sources:
    types = {"int64": "bigint", "string": "text", "double": "double precision"}
    link = psycopg.connect(host=str(socket), user="postgres", dbname="postgres", autocommit=True)
    with link as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
        for name, table in tables.items():
            header = ", ".join(
                f"{one.name} {kind if one.name == 'pay' else types[str(one.type)]}"
                for one in table.schema
            )
            connection.execute(f"CREATE TABLE {schema}.{name} ({header})")
            with connection.cursor().copy(f"COPY {schema}.{name} FROM STDIN") as copy:
                for row in table.to_pylist():
                    copy.write_row(tuple(row.values()))
    url = f"postgres://postgres@/postgres?host={socket}"
    return {name: f"{url}#{schema}.{name}" for name in tables}


def binned(attribute: Attribute, *edges: int) -> Marginal:
    """A table by classes of pay that a plan lists."""
    pay = attribute.in_classes(edges)
    return Marginal("v", (), (Dimension(pay, tuple(range(len(pay.codes)))),))


def expect_odd(sources: Sources, folder: Path, kind: str, resources: Resources = ANYTHING) -> None:
    """Cells, sizes and findings of the odd values."""
    book = book_of(folder, "place", "pay", "half")
    fine = Marginal("t", whole(book, "place"), whole(book, "pay"))
    coarse = Marginal("u", (), whole(book, "half"))
    paid = Marginal("v", whole(book, "place"), (), statistic=Mean(book.attributes["pay"]))
    pay = book.attributes["pay"]
    from_zero, from_eleven = binned(pay, 0, 11, 101), binned(pay, 11, 101, 500)
    classes = Counter(code for _, code in ODD[kind])
    with connect(sources, folder, resources) as engine:
        assert engine.check_headers(book, EveryJob()) == ()
        found = engine.check(book, EveryJob())
        tables = [fine, coarse, paid, from_zero, from_eleven]
        engine.prepare(book, EveryJob(), tables, [fine], steps=needed_steps(found))
        high = classes["M"] + classes["H"]
        assert counts(engine, from_zero) == {0: (classes["L"] + classes[None], high)}
        assert counts(engine, from_eleven) == {0: (classes["M"], classes["H"])}
        assert counts(engine, fine) == {0: (classes["L"], classes["M"], classes["H"])}
        assert counts(engine, coarse) == {0: (classes["L"], classes["M"] + classes["H"])}
        (batch,) = engine.cells(fine, batch=5)
        assert list(read_cells(engine, paid, batch=1)) == [
            ([len(ODD[kind])], len(ODD[kind]), [odd_payroll(kind)], odd_payroll(kind))
        ]
    assert batch.cells.opened().largest.tolist() == [len(ODD[kind])]
    assert {one.rule for one in found} == {"missing_number", "number_range"}
    assert not any(one.refuses for one in found)
    without = [one.rows for one in found if one.rule == "missing_number"]
    assert sum(without) == classes[None]


def test_unsigned_integers_have_classes_below_zero_too(tmp_path: Path) -> None:
    tables = odd_tables("bigint")
    pay = pa.array([0, 7, 20, 21, 2**64 - 1, *[None] * 6], pa.uint64())
    tables["jobs"] = tables["jobs"].set_column(2, "pay", pay)
    book = book_of(tmp_path, "place", "fine")
    fine = Marginal("t", whole(book, "place"), whole(book, "fine"))
    with connect(in_files(tables, tmp_path), tmp_path, ANYTHING) as engine:
        found = {one.rule: one.rows for one in engine.check(book, EveryJob())}
        engine.prepare(book, EveryJob(), [fine], [fine])
        assert counts(engine, fine) == {0: (0, 1, 1, 3)}
    assert found == {"missing_number": 6, "number_range": 2}


@pytest.mark.parametrize("kind", ODD)
def test_every_value_has_its_class_in_duckdb(kind: str, tmp_path: Path) -> None:
    expect_odd(in_files(odd_tables(kind), tmp_path), tmp_path, kind)


def test_a_numeric_that_no_float_holds_is_out_of_range(socket: Path, tmp_path: Path) -> None:
    """Known bad: PostgreSQL refuses to convert 1e400, and so one job would refuse a release."""
    sources = in_postgres(odd_tables("bigint"), socket, "huge", "numeric")
    link = psycopg.connect(host=str(socket), user="postgres", dbname="postgres", autocommit=True)
    with link as connection:
        connection.execute("DELETE FROM huge.jobs")
        with connection.cursor().copy("COPY huge.jobs FROM STDIN") as copy:
            for n, value in enumerate(["10.9", "1e400", "-1e400", "NaN", None, "Infinity"]):
                copy.write_row((n, 1, value))
    book = book_of(tmp_path, "place", "pay", "code")
    table = Marginal("t", (), whole(book, "pay"))
    with connect(sources, tmp_path) as engine:
        assert engine.check_headers(book, EveryJob()) == ()
        found = {one.problem: one.rows for one in engine.check(book, EveryJob())}
        engine.prepare(book, EveryJob(), [table, Marginal("u", (), whole(book, "code"))], [])
        assert counts(engine, table) == {0: (2, 0, 2)}
    assert (found["number below low"], found["number above cap"]) == (1, 2)
    assert (found["missing number"], found["not a number"]) == (1, 1)


@pytest.mark.parametrize("kind", ODD)
def test_every_value_has_its_class_in_postgresql(kind: str, socket: Path, tmp_path: Path) -> None:
    schema = f"odd_{kind[:4]}".strip()
    expect_odd(in_postgres(odd_tables(kind), socket, schema, kind), tmp_path, kind)


def payrolls_are_true(
    sources: Sources,
    folder: Path,
    rule: JobsRule,
    resources: Resources = ANYTHING,
    *,
    leave: int = 0,
) -> None:
    """Tables of pay and of counts in one pass; of employers' parts where every job counts.

    The first few may be left out.
    """
    book = codebook(folder, PAID)
    asked = paid_marginals(book)[leave:]
    merged = rule == EveryJob()
    with connect(sources, folder, resources) as engine:
        engine.prepare(book, rule, asked, asked, owners="merged" if merged else None)
        for n, table in enumerate(asked):
            assert read_payrolls(engine, table, 1 + n % 4) == slow_payrolls(table, rule, merged)


def test_payrolls_are_those_of_jobs_one_by_one(tmp_path: Path) -> None:
    sources = in_files(paid_tables(), tmp_path)
    payrolls_are_true(sources, tmp_path, EveryJob())
    payrolls_are_true(sources, tmp_path, PrimaryJob("pay"), leave=5)


def test_payrolls_in_postgresql(socket: Path, tmp_path: Path) -> None:
    sources = in_postgres(paid_tables(), socket, "paid", "double precision")
    payrolls_are_true(sources, tmp_path, PrimaryJob("pay"), leave=2)


def test_payrolls_of_units_and_of_a_frame_that_is_read_once(tmp_path: Path) -> None:
    sources, book = in_files(paid_tables(), tmp_path), codebook(tmp_path, PAID)
    every, *others = paid_marginals(book)
    with connect(sources, tmp_path) as engine:
        for tables in ([every, *others], [every], others[:1]):
            engine.prepare(book, EveryJob(), tables, [])
            for table in tables:
                true = slow_payrolls(table, EveryJob(), merged=False).values()
                kept = [tuple(x for x in (*one[:2], *one[3:5]) if x is not None) for one in true]
                assert list(read_cells(engine, table, batch=2)) == kept


def test_pay_that_differs_between_queries_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Known bad: noise would follow another payroll than the one that is published."""
    tables, book = paid_tables(), codebook(tmp_path, PAID)
    _, stipends, *_, sexes, _ = paid_marginals(book)
    with connect(in_files(tables, tmp_path), tmp_path) as engine:
        monkeypatch.setattr(tabulation, "pay_columns", lambda *_: {"pay_0": 1})
        with pytest.raises(BadData, match="sums that differ"):
            engine.prepare(book, EveryJob(), [sexes], [])
    monkeypatch.undo()
    tables["workers"] = tables["workers"].slice(1)  # after a check that found all of them
    refused = pytest.raises(BadData, match="sums that differ")
    with connect(in_files(tables, tmp_path), tmp_path) as engine, refused:
        engine.prepare(book, EveryJob(), [stipends], [], steps=frozenset())


def random_tables(seed: int) -> dict[str, pa.Table]:
    """A random economy with numbers in and out of range, and without."""
    rng = np.random.default_rng(seed)

    def some(least: int, most: int, rows: int) -> list[int | None]:
        """Random numbers, the least of them as a null."""
        return [None if one == least else one for one in rng.integers(least, most, rows).tolist()]

    places, people, jobs = 7, 40, 90
    return {
        "workplaces": pa.table(
            {
                "workplace_id": list(range(places)),
                "place": rng.choice(["A", "B"], places).tolist(),
                "area": rng.integers(0, 51, places).tolist(),
            }
        ),
        "workers": pa.table({"worker_id": list(range(people)), "age": some(5, 120, people)}),
        "jobs": pa.table(
            {
                "worker_id": rng.integers(0, people, jobs).tolist(),
                "workplace_id": rng.integers(0, places, jobs).tolist(),
                "pay": pa.array(some(-30, 150, jobs), pa.float64()),
            }
        ),
    }


def slow_code(value: float | None, least: int, bounds: dict[str, int]) -> str | None:
    """The first class whose bound is not below the number, after rounding and clipping."""
    if value is None or isnan(value):
        return None
    number = min(max(floor(value), least), max(bounds.values()))
    return next(code for code, bound in bounds.items() if number <= bound)


def slow_codes(tables: dict[str, pa.Table]) -> Iterator[tuple[int, dict[str, str | None]]]:
    """The workplace of each job that counts, and its code of every attribute, one by one."""
    workplaces = tables["workplaces"].to_pylist()
    ages = tables["workers"].column("age").to_pylist()
    for job in {tuple(row.values()): row for row in tables["jobs"].to_pylist()}.values():
        at = workplaces[job["workplace_id"]]
        pay = slow_code(job["pay"], 0, {"L": 10, "M": 100, "H": 1000})
        text = None if job["pay"] is None else str(int(job["pay"]))
        yield (
            job["workplace_id"],
            {
                "place": at["place"],
                "area": slow_code(at["area"], 0, {"s": 9, "l": 50}),
                "age": slow_code(ages[job["worker_id"]], 14, {"y": 29, "o": 99}) or "o",
                "pay": pay,
                "half": {None: None, "L": "low"}.get(pay, "high"),
                "fine": slow_code(job["pay"], -5, {"f0": -5, "f1": 0, "f2": 7, "f3": 20}),
                "code": text if text in (None, "10") else "11",
            },
        )


def slow_counts(tables: dict[str, pa.Table], table: Marginal) -> Counter[tuple[str, ...]]:
    """How many jobs have each combination of codes."""
    found: Counter[tuple[str, ...]] = Counter()
    for _, codes in slow_codes(tables):
        if all(codes[one.name] in one.codes for one in table.restricted):
            found[tuple(str(codes[one.name]) for one in table.dimensions)] += 1
    return found


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("where", ["duckdb", "postgres"])
def test_random_tables_are_true(
    seed: int, where: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    tables, book = random_tables(seed), codebook(tmp_path, BOOK)
    high = Dimension(book.attributes["pay"], (1, 2))
    asked = [
        Marginal("a", whole(book, "place", "area"), whole(book, "pay")),
        Marginal("b", whole(book, "area"), whole(book, "age", "fine"), (high,)),
        Marginal("c", (), (*whole(book, "half", "code"), high)),
        Marginal("d", whole(book, "place"), (), whole(book, "fine")),
    ]
    sources = (
        in_files(tables, tmp_path)
        if where == "duckdb"
        else in_postgres(
            tables, request.getfixturevalue("socket"), f"random_{seed}", "double precision"
        )
    )
    with connect(sources, tmp_path) as engine:
        assert not any(one.refuses for one in engine.check(book, EveryJob()))
        engine.prepare(book, EveryJob(), asked, [])
        for table in asked:
            found = counts(engine, table)
            keys = table.workplace_positions(np.array(list(found), dtype=np.int64))
            people = table.worker_positions()
            cells = {
                (
                    *(one.codes[at[n]] for one, at in zip(table.workplace, keys, strict=True)),
                    *(one.codes[at[k]] for one, at in zip(table.worker, people, strict=True)),
                ): value
                for n, row in enumerate(found.values())
                for k, value in enumerate(row)
            }
            assert {cell: value for cell, value in cells.items() if value} == slow_counts(
                tables, table
            )


def test_a_strict_check_refuses_what_a_rule_would_count(tmp_path: Path) -> None:
    book = book_of(tmp_path, "place", "pay")
    with connect(in_files(odd_tables("text"), tmp_path), tmp_path) as engine:
        found = {one.problem: one for one in engine.check(book, EveryJob(), strict=True)}
    assert set(found) == {
        "missing number", "not a number", "number below low", "number above cap",
        "number with a fraction",
    }  # fmt: skip
    assert all(one.refuses and not one.rule for one in found.values())
    assert found["number below low"].examples == ("-3",)
    assert (found["number above cap"].rows, found["number above cap"].examples) == (1, ("1e99",))
    assert "0 to 1000 cent" in found["number below low"].remedy
    assert "counts as 1000 cent per month. Keep the cap" in found["number above cap"].remedy
    assert found["number with a fraction"].examples == ("10.9",)


def test_wrong_numbers_of_the_public_frame_are_refused(tmp_path: Path) -> None:
    tables, book = random_tables(1), codebook(tmp_path, BOOK)
    wrong = pa.array([51.0, 1.5, None, 0.0, 50.0, 9.0, 10.0])
    tables["workplaces"] = tables["workplaces"].set_column(2, "area", wrong)
    with connect(in_files(tables, tmp_path), tmp_path) as engine:
        found = [one for one in engine.check(book, EveryJob()) if one.refuses]
    assert [(one.problem, one.column, one.rows) for one in found] == [
        ("missing number", "area", 1),
        ("number above cap", "area", 1),
        ("number with a fraction", "area", 1),
    ]


@pytest.mark.parametrize("kind", [pa.bool_(), pa.date32(), pa.list_(pa.int64())])
def test_a_column_that_cannot_hold_numbers_is_refused_by_its_header(
    kind: pa.DataType, tmp_path: Path
) -> None:
    tables, book = odd_tables("bigint"), book_of(tmp_path, "place", "pay")
    tables["jobs"] = tables["jobs"].set_column(2, "pay", pa.nulls(len(tables["jobs"]), kind))
    with connect(in_files(tables, tmp_path), tmp_path) as engine:
        (refused,) = engine.check_headers(book, EveryJob())
    assert isinstance(refused, Undisclosed)
    assert "must hold numbers, or texts that are numbers" in str(refused.inside)


def test_a_column_without_a_type_holds_no_number(tmp_path: Path) -> None:
    tables, book = odd_tables("bigint"), book_of(tmp_path, "place", "pay")
    tables["jobs"] = tables["jobs"].set_column(2, "pay", pa.nulls(len(tables["jobs"])))
    table = Marginal("t", (), whole(book, "pay"))
    with connect(in_files(tables, tmp_path), tmp_path) as engine:
        assert engine.check_headers(book, EveryJob()) == ()
        (found,) = engine.check(book, EveryJob())
        engine.prepare(book, EveryJob(), [table], [])
        assert counts(engine, table) == {0: (0, 0, 0)}
    assert (found.rule, found.rows) == ("missing_number", len(tables["jobs"]))
