"""Databases that take different texts for equal must not count a job twice."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from leeward.engines import Finding, connect
from leeward.model import SingleJob
from tests.engines.small import codebook

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


def findings(kind: str, text: str, folder: Path) -> tuple[Finding, ...]:
    with closing(OPEN[kind](str(folder / "office.db"))) as connection:
        for statement in ROWS:
            connection.execute(statement)
        connection.commit()
    sources = {t: f"{kind}://office.db#{t}" for t in ("workplaces", "workers", "jobs")}
    with connect(sources, folder) as engine:
        return engine.check(codebook(folder, text), SingleJob())


@pytest.mark.parametrize("kind", OPEN)
def test_a_text_that_is_two_codes_to_the_database_is_found(kind: str, tmp_path: Path) -> None:
    (wrong,) = findings(kind, OWN, tmp_path)
    assert (wrong.problem, wrong.column, wrong.rows) == ("ambiguous code", "sex", 2)
    assert wrong.examples == ("a",)
    assert "binary collation" in wrong.remedy


@pytest.mark.parametrize("kind", OPEN)
def test_so_is_one_that_two_attributes_list_differently(kind: str, tmp_path: Path) -> None:
    (wrong,) = findings(kind, SHARED, tmp_path)
    assert (wrong.problem, wrong.column, wrong.rows) == ("ambiguous code", "sex", 3)


@pytest.mark.parametrize("kind", OPEN)
def test_codes_that_differ_in_more_are_no_problem(kind: str, tmp_path: Path) -> None:
    assert findings(kind, OWN.replace("a, A, b", "A, b"), tmp_path) == ()
