"""`leeward synth`: what it writes, charges and refuses."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import duckdb
import pytest
from typer.testing import CliRunner

from leeward.interface.commands.app import build
from leeward.publishing.ledger import Ledger
from leeward.systems.synth import synthesis as running
from tests.systems.synth.scene import CODEBOOK, NAMES, answer, run, write

pytestmark = pytest.mark.usefixtures("folder")

PAID = ("--ledger", "ledger.sqlite", "--account", "people")
PRICES = {
    "random": ("--rows", "500"),
    "independent": ("--epsilon", "30"),
    "auto": ("--epsilon", "30", "--delta", "1e-9"),
    "tree": ("--epsilon", "30"),
    "correlated": ("--epsilon", "60", "--parents", "1"),
    "nist": ("--epsilon", "30", "--public", "earlier/people.csv"),
    "aim": ("--epsilon", "30", "--delta", "1e-9"),
}


WRONG = (
    "FROM ROWS WHERE age = 'young' AND school = 'degree' "
    "OR school = 'none' AND TRY_CAST(pay AS DOUBLE) > 99"
)
"""Rows that the codebook rules out; a CSV column without a number is read as text."""


def rows(folder: str, query: str) -> list[tuple[Any, ...]]:
    """A query of the Parquet file, which says the same as the CSV file."""
    held = [f"(FROM '{folder}/synthetic.parquet')", f"(FROM read_csv('{folder}/synthetic.csv'))"]
    parquet, csv = (duckdb.sql(query.replace("ROWS", one)).fetchall() for one in held)
    assert parquet == csv
    return parquet


@pytest.mark.parametrize("method", PRICES)
def test_every_method_writes_rows_of_the_codebook(method: str) -> None:
    write(Path("earlier"), 300)
    told = answer("--method", method, *PRICES[method], "--ranges", "4")
    assert told["method"] == ("tree" if method == "auto" else method)
    checksum = sha256(Path("earlier/people.csv").read_bytes()).hexdigest()
    assert (checksum in " ".join(told["says"])) == (method == "nist")
    assert sorted(one.name for one in Path("out").iterdir()) == [
        "description.json", "synthetic.csv", "synthetic.parquet",
    ]  # fmt: skip
    assert (told["total"] is None) == (method == "random")
    assert 450 <= told["rows"] <= 750
    assert tuple(told["columns"]) == NAMES
    (found,) = rows("out", "SELECT count(*), min(pay), max(pay), min(height), max(height), "
                    "count(DISTINCT sex), count(DISTINCT school) FROM ROWS")  # fmt: skip
    assert found[0] == told["rows"]
    assert 0 <= found[1] <= found[2] <= 999
    assert 1 <= found[3] <= found[4] <= 2
    assert found[5] == 2
    assert rows("out", WRONG) == []
    ((high,),) = rows("out", "SELECT avg((pay > 99)::INT) FROM ROWS WHERE age = 'old'")
    assert (high > 0.8) == (method not in ("random", "independent"))
    missing = rows("out", "SELECT avg((school IS NULL)::INT) FROM ROWS")[0][0]
    assert method == "random" or 0.05 < missing < 0.16


def test_a_description_gives_the_same_rows_for_a_seed_and_any_number() -> None:
    answer("--epsilon", "30", "--seed", "7")
    for out, more in (("same", ()), ("ten", ("--rows", "10")), ("other", ("--seed", "8"))):
        seed = () if "--seed" in more else ("--seed", "7")
        given = ["synth", "generate", "out/description.json", "--out", out, *seed, *more]
        assert CliRunner().invoke(build(), given).exit_code == 0
    read = {
        name: Path(name, "synthetic.csv").read_text() for name in ("out", "same", "ten", "other")
    }
    assert read["same"] == read["out"] != read["other"]
    assert len(read["ten"].splitlines()) == 11
    first, second = (Path(name, "description.json").read_bytes() for name in ("same", "out"))
    assert first == second


def test_the_ledger_is_charged_first_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger(Path("ledger.sqlite"))
    ledger.create("people", policy="worker", epsilon=8)
    told = answer("--epsilon", "5", *PAID, "--method", "independent")
    assert (told["charged"], told["entry"]) == (True, 2)
    assert "No account was charged" not in " ".join(told["says"])
    again = run("--epsilon", "5", *PAID, "--method", "independent", out="again")
    assert again.exit_code == 1
    assert not Path("again").exists()

    def broken(*_: object) -> None:
        raise ValueError("degree")

    monkeypatch.setattr(running, "write_folder", broken)
    failed = run("--epsilon", "2", *PAID, out="broken")
    assert failed.exit_code == 3
    assert "stays: epsilon 2" in failed.output.replace("ε = ", "epsilon ")
    assert "degree" not in failed.output
    assert not Path("broken").exists()


REFUSED: dict[str, tuple[tuple[str, ...], str]] = {
    "nothing to spend": ((), "--epsilon: must be given"),
    "a large delta": (("--epsilon", "1", "--delta", "2e-6"), "--delta: must be at most 1e-6"),
    "another method": (("--epsilon", "1", "--method", "magic"), "--method: must be one of"),
    "random at a price": (("--delta", "1e-9", "--method", "random", "--rows", "9"), "spends no"),
    "nist without a public table": (
        ("--epsilon", "1", "--method", "nist"), "--public: must be given with the method nist"
    ),
    "a public table for tree": (
        ("--epsilon", "1", "--public", "other.csv"), "--public: must be given with the method nist"
    ),
    "a public table that is the file": (
        ("--epsilon", "1", "--method", "nist", "--public", "people.csv"), "must be another table"
    ),
    "a public table that is none": (
        ("--epsilon", "1", "--method", "nist", "--public", "none.csv"), "--public: must be a file"
    ),
    "aim without a delta": (("--epsilon", "1", "--method", "aim"), "--delta: must be given with"),
    "parents of a tree": (("--epsilon", "1", "--parents", "2"), "--parents: is for the method"),
    "too many parents": (
        ("--epsilon", "1", "--method", "correlated", "--parents", "6"), "from 1 to 5"
    ),
    "random without rows": (("--method", "random"), "--rows: must be given"),
    "random with a ledger": (("--method", "random", "--rows", "9", *PAID), "reads nothing"),
    "no rows": (("--epsilon", "1", "--rows", "0"), "--rows: must be a whole number from 1"),
    "half an account": (("--epsilon", "1", *PAID[:2]), "must be given together"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_done_is_refused(name: str) -> None:
    options, said = REFUSED[name]
    result = run(*options)
    assert result.exit_code == 1
    assert said in result.output
    assert not Path("out").exists()


HEADER = "sex,age,school,pay,height,since"
HOSTILE: dict[str, tuple[str | bytes, str]] = {
    "an open quote": (f'{HEADER}\nF,"SECRET\n', "FILE: must be readable"),
    "not UTF-8": (HEADER.encode() + b"\nF,\xffSECRET,,,,\n", "FILE: must be readable"),
    "another column": ("sex,aged,school,pay,height,since\nF,SECRET,,,,\n", "Did you mean 'aged'?"),
    "no header": ("", "FILE"),
    "a column twice": ("sex,sex\nSECRET,M\n", "must name each column once"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_without_its_content(name: str) -> None:
    content, said = HOSTILE[name]
    Path("hostile.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    result = run("--epsilon", "1", file="hostile.csv")
    assert result.exit_code == 1
    assert said in result.output
    assert "SECRET" not in result.output
    assert not Path("out").exists()


def test_a_line_with_too_many_values_is_a_row_without_values() -> None:
    Path("odd.csv").write_text(f"{HEADER}\nF,SECRET,1,2,3,4,5\n")
    result = run("--epsilon", "1", file="odd.csv")
    assert result.exit_code == 0
    assert "SECRET" not in result.output


DESCRIBED = '{"format":"leeward synthetic description 2","x":'


@pytest.mark.parametrize(
    "text",
    [
        f"{DESCRIBED}0}}",
        f"{DESCRIBED}{'[' * 100_000}{']' * 100_000}}}",
        f"{DESCRIBED}[{'{},' * 600_000}0]}}",
        f"{DESCRIBED}{'1' * 100_000}}}",
    ],
    ids=["half", "deep", "many mappings", "a long number"],
)
def test_a_file_that_is_no_description_is_refused(text: str) -> None:
    Path("no.json").write_text(text)
    result = CliRunner().invoke(build(), ["synth", "generate", "no.json", "--out", "out"])
    assert result.exit_code == 1
    assert "DESCRIPTION: must be a whole description" in result.output


def test_noise_that_leaves_impossible_rows_alone_is_no_failure() -> None:
    """At this ε tables hold anything; a charge would already stand."""
    told = answer("--epsilon", "0.001", "--rows", "40")
    assert (told["rows"], rows("out", WRONG)) == (40, [])


def test_rules_that_leave_nothing_are_refused(folder: Path) -> None:
    attributes = {name: {"table": "workers", "codes": ["x"], "null_as": "x", "other": "x"}
                  for name in ("sex", "age")}  # fmt: skip
    book = {"attributes": attributes, "impossible": [{"sex": "x", "age": "x"}]}
    (folder / "codebook.yaml").write_text(json.dumps(book))
    assert "codebook.impossible: must leave" in run("--epsilon", "1").output


def test_a_column_that_is_declared_twice_is_refused(folder: Path) -> None:
    attributes = dict(CODEBOOK["attributes"])  # type: ignore[call-overload] # a mapping
    attributes["gender"] = {"table": "workers", "column": "sex", "codes": ["F", "M"]}
    write(folder)
    (folder / "codebook.yaml").write_text(json.dumps({"attributes": attributes}))
    assert "must declare a column of workers once" in run("--epsilon", "1").output
