"""The import hook for the SQL compilers of Ibis: one is loaded, and every name can be used."""

import subprocess
import sys

HOOKED = """\
import sys
from leeward.publishing.engines.import_hooks import import_compilers_lazily
import_compilers_lazily()
import ibis.backends.sql.compilers as sc
"""


def run(program: str) -> list[str]:
    words = [sys.executable, "-c", HOOKED + program]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()


def test_one_compiler_is_loaded() -> None:
    program = "sc.duckdb.compiler; print(*(n for n in sys.modules if n.startswith(sc.__name__)))"
    loaded = {name.rpartition(".")[2] for name in run(program)}
    assert "duckdb" in loaded
    assert loaded.isdisjoint({"athena", "bigquery", "snowflake", "trino", "clickhouse"})


def test_every_name_of_the_package_can_be_used() -> None:
    program = "print(sc.TrinoCompiler.__name__, sc.DuckDBCompiler.__name__, *sc.__all__)"
    first, second, *names = run(program)
    assert (first, second) == ("TrinoCompiler", "DuckDBCompiler")
    assert len(names) > 15


def test_a_name_that_is_not_in_the_package_is_an_attribute_error() -> None:
    assert run("print(hasattr(sc, 'NoCompiler'))") == ["False"]
