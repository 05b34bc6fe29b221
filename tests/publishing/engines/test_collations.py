"""Collations take different texts for equal; here bytes decide, in every query alike."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pytest

from leeward.core.codebook import (
    EVERY_STEP,
    TABLES,
    BoundedJobs,
    EveryJob,
    Finding,
    JobsRule,
    Marginal,
)
from leeward.core.errors import BadData
from leeward.publishing.engines import Engine, connect, database, opening
from leeward.publishing.release.check import needed_steps
from tests.publishing.engines.cluster import cluster
from tests.publishing.engines.small import codebook, whole

OWN = """
attributes:
  place: {table: workplaces, public: true, codes: [p, q]}
  sex: {table: workers, codes: [a, A, b]}
"""
SHARED = """
attributes:
  place: {table: workplaces, public: true, codes: [p, q]}
  sex: {table: workers, codes: [a, b]}
  gender: {table: workers, column: sex, codes: [A, B]}
"""
ROWS = (
    "CREATE TABLE workplaces (workplace_id INTEGER, place VARCHAR COLLATE NOCASE)",
    "CREATE TABLE workers (worker_id INTEGER, sex VARCHAR COLLATE NOCASE)",
    "CREATE TABLE jobs (worker_id INTEGER, workplace_id INTEGER)",
    "INSERT INTO workplaces VALUES (0, 'p'), (1, 'q')",
    "INSERT INTO workers VALUES (0, 'a'), (1, 'a'), (2, 'b')",
    "INSERT INTO jobs VALUES (0, 0), (1, 1), (2, 1)",
)
OPEN: dict[str, Callable[[str], Any]] = {"duckdb": duckdb.connect, "sqlite": sqlite3.connect}
COLLATED = {"duckdb": "VARCHAR COLLATE NOCASE", "sqlite": "VARCHAR COLLATE NOCASE"}
POSTGRES = ("text COLLATE public.ci", "public.citext", "char(8) COLLATE public.ci")
PREPARE = (
    "CREATE COLLATION public.ci (provider=icu, locale='und-u-ks-level2', deterministic=false)",
    "CREATE EXTENSION citext SCHEMA public",
)


def findings(kind: str, text: str, folder: Path) -> tuple[Finding, ...]:
    with closing(OPEN[kind](str(folder / "office.db"))) as connection:
        for statement in ROWS:
            connection.execute(statement)
        connection.commit()
    with connect(sources(kind), folder) as engine:
        return engine.check(codebook(folder, text), EveryJob())


def sources(kind: str) -> dict[str, str]:
    return {table: f"{kind}://office.db#{table}" for table in TABLES}


@pytest.mark.parametrize("kind", OPEN)
@pytest.mark.parametrize("text", [OWN, SHARED.replace("[A, B]", "[a, b]")])
def test_codes_are_told_apart_by_their_bytes(kind: str, text: str, tmp_path: Path) -> None:
    assert findings(kind, text, tmp_path) == ()


@pytest.mark.parametrize("kind", OPEN)
def test_a_code_in_other_letters_is_another_code(kind: str, tmp_path: Path) -> None:
    (wrong,) = findings(kind, OWN.replace("a, A, b", "A, b"), tmp_path)
    assert (wrong.problem, wrong.column, wrong.rows) == ("unlisted code", "sex", 2)


@pytest.fixture
def unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite as a database of which nobody knows how it forgets a collation."""
    monkeypatch.setattr(database, "WITHOUT", {})
    monkeypatch.setattr(database, "KNOWN", frozenset())
    monkeypatch.setattr(opening, "SPECIAL", {})


@pytest.mark.usefixtures("unknown")
def test_elsewhere_a_text_that_is_two_codes_is_found(tmp_path: Path) -> None:
    (wrong,) = findings("sqlite", OWN, tmp_path)
    assert (wrong.problem, wrong.column, wrong.rows) == ("ambiguous code", "sex", 2)
    assert wrong.examples == ("a",)
    assert "binary collation" in wrong.remedy
    assert (wrong.rule, wrong.refuses) == ("ambiguous_code", False)


@pytest.mark.parametrize(("text", "counted"), [(OWN, [0, 0, 1]), (SHARED, [0, 0])])
def test_it_counts_as_unlisted(
    text: str, counted: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "WITHOUT", {})  # the collation stays
    monkeypatch.setattr(opening, "SPECIAL", {})
    needed = needed_steps(findings("sqlite", text, tmp_path))
    assert needed == {"ambiguous_code"}
    book = codebook(tmp_path, text)
    table = Marginal("t", (), whole(book, "sex"))
    beside = [Marginal("u", (), whole(book, "gender"))] if text == SHARED else []
    with connect(sources("sqlite"), tmp_path) as engine:
        engine.prepare(book, EveryJob(), [table, *beside], [table], steps=needed)
        (cells,) = engine.cells(table, batch=1)
    assert cells.cells.opened().counts.tolist() == [counted]
    assert cells.cells.opened().largest.tolist() == [2]


@pytest.mark.usefixtures("unknown")
def test_elsewhere_the_steps_do_not_depend_on_the_rows(tmp_path: Path) -> None:
    assert findings("sqlite", OWN, tmp_path)
    book = codebook(tmp_path, OWN)
    table = Marginal("t", (), whole(book, "sex"))
    seen = []
    with connect(sources("sqlite"), tmp_path) as engine:
        for steps in (EVERY_STEP, frozenset[str]()):
            engine.prepare(book, EveryJob(), [table], [], steps=steps)
            (cells,) = engine.cells(table, batch=1)
            seen.append(cells.cells.opened().counts.tolist())
    assert seen[0] == seen[1]


@pytest.mark.usefixtures("unknown")
def test_so_is_one_that_two_attributes_list_differently(tmp_path: Path) -> None:
    (wrong,) = findings("sqlite", SHARED, tmp_path)
    assert (wrong.problem, wrong.column, wrong.rows) == ("ambiguous code", "sex", 3)


@dataclass(frozen=True)
class Ids:
    """Establishments and the workplace of each job; what their columns are; what is true of them.

    `sizes` are those of the establishments that have jobs, none if some jobs point nowhere.
    """

    workplaces: tuple[str, ...]
    jobs: tuple[str, ...]
    collated: tuple[bool, bool]
    sizes: tuple[int, ...]

    def statements(self, kinds: tuple[str, str], schema: str = "") -> Iterator[str]:
        workplace, job = kinds
        yield f"CREATE TABLE {schema}workplaces (workplace_id {workplace}, place VARCHAR(9))"
        yield f"CREATE TABLE {schema}workers (worker_id {job}, sex VARCHAR(9))"
        yield f"CREATE TABLE {schema}jobs (worker_id {job}, workplace_id {job})"
        for one in self.workplaces:
            yield f"INSERT INTO {schema}workplaces VALUES ('{one}', 'p')"  # noqa: S608 (made up)
        for number, one in enumerate(self.jobs):
            yield f"INSERT INTO {schema}workers VALUES ('w{number}', 'a')"  # noqa: S608 (made up)
            yield f"INSERT INTO {schema}jobs VALUES ('w{number}', '{one}')"  # noqa: S608 (made up)


TWO = (("A1", "a1", "z"), ("A1",) * 10 + ("a1",) * 5 + ("z",))
ONE = (("A1", "z"), ("A1",) * 5 + ("a1",) * 5 + ("z",))
CASES = [
    *(Ids(*TWO, collated, (10, 5, 1)) for collated in ((True, False), (False, True), (True, True))),
    *(Ids(*ONE, collated, ()) for collated in ((True, False), (False, True), (True, True))),
]
RULES: list[JobsRule] = [EveryJob(), BoundedJobs(2)]


def require_truth(engine: Engine, case: Ids, rule: JobsRule, folder: Path) -> None:
    """What counts is right, and the check says which jobs do not."""
    book = codebook(folder, OWN)
    found = [one.problem for one in engine.check(book, rule)]
    assert found == ([] if case.sizes else ["not in workplaces"])
    sizes = case.sizes or (5, 1)  # five jobs point nowhere and count nowhere
    tables = [
        Marginal("by_sex", whole(book, "place"), whole(book, "sex")),
        Marginal("by_place", whole(book, "place"), ()),
    ]
    for wanted in (tables, tables[1:]):
        for each in (wanted, []):
            engine.prepare(book, rule, wanted, each)
            for table in wanted:
                (batch,) = engine.cells(table, batch=9)
                cells = batch.cells.opened()
                assert cells.counts.sum() == sum(sizes)
                assert cells.largest.tolist() == [max(sizes)]


IN_FILES = [
    (kind, case, RULES[(j + k) % 2]) for j, kind in enumerate(OPEN) for k, case in enumerate(CASES)
]
"""Every case in both databases, with one rule in the one and the other rule in the other."""

IN_POSTGRES = [
    *((POSTGRES[0], case, rule) for case in CASES for rule in RULES),
    *((kind, CASES[k], RULES[k % 2]) for kind in POSTGRES[1:] for k in (2, 5)),
]
"""Every case and rule with one collation; the other kinds of columns where both are collated."""


@pytest.mark.parametrize(("kind", "case", "rule"), IN_FILES)
def test_ids_are_told_apart_by_their_bytes(
    kind: str, case: Ids, rule: JobsRule, tmp_path: Path
) -> None:
    kinds = [COLLATED[kind] if one else "VARCHAR" for one in case.collated]
    with closing(OPEN[kind](str(tmp_path / "office.db"))) as connection:
        for statement in case.statements((kinds[0], kinds[1])):
            connection.execute(statement)
        connection.commit()
    with connect(sources(kind), tmp_path) as engine:
        require_truth(engine, case, rule, tmp_path)


@pytest.fixture(scope="module")
def socket() -> Iterator[Path]:
    with cluster() as home:
        with psycopg.connect(host=str(home), user="postgres", dbname="postgres") as connection:
            for statement in PREPARE:
                connection.execute(statement)
        yield home


@pytest.mark.parametrize(("kind", "case", "rule"), IN_POSTGRES)
def test_so_they_are_in_postgres(
    kind: str, case: Ids, rule: JobsRule, socket: Path, tmp_path: Path
) -> None:
    schema = f"ids_{abs(hash((kind, case, rule.name)))}"
    kinds = [kind if one else "text" for one in case.collated]
    with psycopg.connect(host=str(socket), user="postgres", dbname="postgres") as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
        for statement in case.statements((kinds[0], kinds[1]), f"{schema}."):
            connection.execute(statement)
    url = f"postgres://postgres@/postgres?host={socket}"
    with connect({name: f"{url}#{schema}.{name}" for name in TABLES}, tmp_path) as engine:
        require_truth(engine, case, rule, tmp_path)


@pytest.mark.usefixtures("unknown")
@pytest.mark.parametrize(
    ("case", "worker"),
    [
        (Ids(*ONE, (True, False), (5, 1)), ("sex",)),
        (Ids(*ONE, (True, False), (5, 1)), ()),
        (Ids(*TWO, (False, True), (10, 5, 1)), ("sex",)),  # sizes add up; workers do not
    ],
)
def test_elsewhere_sums_agree_or_are_refused(
    case: Ids, worker: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workplace, job = (COLLATED["sqlite"] if one else "VARCHAR" for one in case.collated)
    with closing(sqlite3.connect(tmp_path / "office.db")) as connection:
        for statement in case.statements((workplace, job)):
            connection.execute(statement)
        connection.commit()
    book = codebook(tmp_path, OWN)
    table = Marginal("t", whole(book, "place"), whole(book, *worker))
    with connect(sources("sqlite"), tmp_path) as engine:
        engine.prepare(book, EveryJob(), [table], [])
        (cells,) = engine.cells(table, batch=9)
        assert cells.cells.opened().counts.sum() == sum(case.sizes)
        assert cells.cells.opened().largest.tolist() == [max(case.sizes)]
        monkeypatch.setattr(
            "leeward.publishing.engines.tabulation.tidied", lambda _, tables, *__: tables
        )
        with pytest.raises(BadData, match="every job at one workplace and one worker"):
            engine.prepare(book, EveryJob(), [table], [])
