"""Jobs follow from wage records as by hand, in a file for its owner alone."""

import csv
import re
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leeward.core.codebook.wage_jobs import Quarter, WageColumns, WageJobs
from leeward.core.errors import LeewardError
from leeward.publishing.engines.wages import write_jobs
from tests.publishing.engines.wage_rows import CHOSEN, NAMES, ROWS, by_hand, records

SPRING = WageJobs(Quarter(2026, 2))


def in_csv(folder: Path) -> Path:
    with (folder / "wages.csv").open("w") as file:
        csv.writer(file).writerows([NAMES, *ROWS])
    return folder / "wages.csv"


def in_duckdb(folder: Path) -> str:
    wages = records()
    with closing(duckdb.connect(str(folder / "office.duckdb"))) as office:
        office.register("rows", wages)
        office.execute("CREATE TABLE wages AS FROM rows ORDER BY hash(worker_id)")
    return f"duckdb://{folder}/office.duckdb#wages"


@pytest.mark.parametrize(("kind", "one"), CHOSEN)
def test_jobs_are_those_found_by_hand(kind: str, one: str | None, tmp_path: Path) -> None:
    out = tmp_path / "jobs.parquet"
    made = write_jobs(records(), replace(SPRING, kind=kind, one=one), out)
    assert pq.read_table(out).to_pylist() == by_hand(kind, one)
    assert (made.path, made.jobs, made.missing) == (out, len(CHOSEN[kind, one]), ())


def test_every_source_gives_the_same_file_for_its_owner_alone(tmp_path: Path) -> None:
    pq.write_table(records(), tmp_path / "wages.parquet")
    sources = [tmp_path / "wages.parquet", in_csv(tmp_path), in_duckdb(tmp_path)]
    files = [tmp_path / f"jobs_{n}.parquet" for n in range(len(sources))]
    for source, out in zip(sources, files, strict=True):
        write_jobs(source if isinstance(source, str) else str(source), SPRING, out)
    assert pq.read_table(files[0]).to_pylist() == by_hand("any", None)
    assert len({one.read_bytes() for one in files}) == 1
    assert {one.stat().st_mode & 0o777 for one in files} == {0o600}
    assert not [one for one in tmp_path.iterdir() if one.name.startswith(".")]


def test_the_file_is_private_before_it_has_a_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what broke off leaves nothing."""
    seen: list[int] = []

    def break_off(*_: object) -> int:
        seen.extend(one.stat().st_mode & 0o777 for one in tmp_path.iterdir())
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("leeward.publishing.engines.private_file._row_groups", break_off)
    with pytest.raises(LeewardError, match="--out: must be a file that can be written"):
        write_jobs(records(), SPRING, tmp_path / "jobs.parquet")
    assert seen == [0o600]
    assert list(tmp_path.iterdir()) == []


def test_numbers_of_any_type_are_ids_and_pay(tmp_path: Path) -> None:
    wages = pa.table(
        {
            "pik": pa.array([1.0, 2.0, 3.5, 10.0]),
            "plant": pa.array([2**63, 7, 8, 9], pa.uint64()),
            "when": ["2026Q2"] * 4,
            "pay": pa.array([Decimal("10.99"), Decimal("0.99"), Decimal(5), Decimal("1e13")]),
        }
    )
    columns = WageColumns("pik", "plant", "when", "pay")
    made = write_jobs(wages, replace(SPRING, columns=columns), tmp_path / "jobs.parquet")
    assert pq.read_table(made.path).to_pylist() == [
        {"worker_id": 1, "workplace_id": str(2**63), "earnings": 10}
    ]
    assert made.missing == ("2026Q1", "2026Q3")


def test_quarters_go_on_in_the_next_year() -> None:
    assert str(Quarter.read("2026Q1").moved(-1)) == "2025Q4"
    assert str(Quarter.read("2026Q4").moved(1)) == "2027Q1"


def test_row_groups_do_not_depend_on_the_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leeward.publishing.engines.private_file.GROUP", 3)
    write_jobs(records(), SPRING, tmp_path / "jobs.parquet")
    written = pq.ParquetFile(tmp_path / "jobs.parquet")
    groups = [written.metadata.row_group(n).num_rows for n in range(written.num_row_groups)]
    assert groups == [3, 3, 2]
    assert written.read().to_pylist() == by_hand("any", None)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"quarter": "2026-Q2"}, "--quarter: must be a year of four digits, Q, and a number"),
        ({"kind": "first"}, "--kind: must be one of any, beginning, end, full; got 'first'"),
        ({"one": "best"}, "--one: must be one of primary, dominant"),
        ({"quarter": "2027Q1"}, "WAGES: must have records of 2027Q1; got none"),
        (
            {"quarter": "2025Q4", "kind": "full"},
            "WAGES: must have records of 2025Q3, by which full jobs are known; got none of that "
            "quarter. Add them, or give another --quarter, or --kind any.",
        ),
        ({"quarter": "2026Q3", "kind": "end"}, "records of 2026Q4, by which end jobs are known"),
        ({"quarter": "2025Q4", "one": "dominant"}, "2025Q3, by which dominant jobs are known"),
        ({"worker": "worker"}, "--worker: must be a column of WAGES.*Did you mean 'worker_id'?"),
        ({"workplace": "site"}, "--workplace: .*'site'. Name the column that says the establish"),
        ({"earnings": "flag"}, "--earnings: must hold numbers.*'flag', of the type boolean"),
        ({"quarter_column": "earnings"}, "--quarter-column: must hold texts such as 2026Q2"),
        ({"quarter_column": "worker_id"}, "--quarter-column: must hold a quarter such as 2026Q2"),
        (
            {"employer": "sein"},
            "--employer: needs --workplace, a column that says the establishment: .* is not "
            "guessed; got 'sein' alone. .* --workplace sein.",
        ),
        ({"employer": "worker_id", "workplace": "workplace_id"}, "that no two employers share"),
    ],
)
def test_what_cannot_be_done_is_refused(
    asked: dict[str, Any], message: str, tmp_path: Path
) -> None:
    wages = records().append_column("flag", pa.array([True] * len(ROWS)))
    given = {"quarter": "2026Q2", "kind": "any", "one": None} | asked
    columns = {"quarter_column": "quarter"} | {
        name: value for name, value in asked.items() if name not in ("quarter", "kind", "one")
    }
    with pytest.raises(LeewardError, match=message) as refusal:
        write_jobs(
            wages,
            WageJobs(
                Quarter.read(given["quarter"]),
                given["kind"],
                given["one"],
                WageColumns(quarter=columns.pop("quarter_column"), **columns),
            ),
            tmp_path / "jobs.parquet",
        )
    assert not re.search("Ada|Gus", str(refusal.value))
    assert list(tmp_path.iterdir()) == []


def test_an_establishment_may_pass_to_another_employer(tmp_path: Path) -> None:
    """But not two employers have it in one quarter."""
    owners = [f"firm of {workplace} in {quarter}" for _, workplace, quarter, _ in ROWS]
    wages = records().append_column("firm", pa.array(owners))
    columns = WageColumns(employer="firm", workplace="workplace_id")
    made = write_jobs(wages, replace(SPRING, columns=columns), tmp_path / "jobs.parquet")
    assert made.jobs == len(CHOSEN["any", None])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("jobs.csv", "must be the name of a file that ends in .parquet"),
        ("there.parquet", "must not exist: nothing is overwritten"),
        ("no/jobs.parquet", "must lie in a folder that exists"),
    ],
)
def test_no_file_is_overwritten(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "there.parquet").write_text("mine")
    with pytest.raises(LeewardError, match=message):
        write_jobs(records(), SPRING, tmp_path / name)
    assert (tmp_path / "there.parquet").read_text() == "mine"


def test_a_file_that_cannot_be_read_is_named_and_not_quoted(tmp_path: Path) -> None:
    (tmp_path / "wages.parquet").write_text("Ada")
    with pytest.raises(LeewardError, match=r"WAGES: must be a Parquet file; .* not shown"):
        write_jobs(tmp_path / "wages.parquet", SPRING, tmp_path / "jobs.parquet")
