"""What the page on Spark says, done: a whole release, its values beside the truth."""

import csv
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from leeward.interface.commands.app import build
from tests.docs.page import ROOT, Reader

PAGE = ROOT / "docs" / "how-to" / "spark.md"
NOT_RUN = "<!-- not run -->\n"


def laptop_part(page: Path, folder: Path) -> Path:
    """The part for a laptop, its commands run but for the installation."""
    text = page.read_text(encoding="utf-8")
    part = text.split("## On a laptop")[1].split("\n## ")[0]
    install, rest = part.split("\n\n", 1)[1].split("```\n", 1)
    assert "pip install" in install
    found = folder / "page.md"
    found.write_text(rest.replace(NOT_RUN, ""), encoding="utf-8")
    return found


def true_counts(folder: Path) -> Counter[tuple[str, str]]:
    frame = pq.read_table(folder / "workplaces.parquet").to_pylist()
    cells = {row["workplace_id"]: (row["place"], row["sector"]) for row in frame}
    jobs = pq.read_table(folder / "jobs.parquet")["workplace_id"].to_pylist()
    return Counter(cells[one] for one in jobs)


@pytest.mark.usefixtures("spark")
def test_the_page_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Reader().follow(laptop_part(PAGE, tmp_path))
    truth = true_counts(tmp_path / "office")
    with (tmp_path / "bundle" / "tables" / "by_sector.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["status"] for row in rows} == {"1"}
    assert set(truth) <= {(row["place"], row["sector"]) for row in rows}
    within = [
        abs(int(row["value"]) - truth[row["place"], row["sector"]]) <= int(row["margin"])
        for row in rows
    ]
    assert sum(within) >= 0.75 * len(within)  # nine of ten are meant to be


@pytest.mark.usefixtures("spark")
def test_a_draft_for_spark_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    made = ["economy", "--out", "in", "--jobs", "300", "--establishments", "20"]
    assert runner.invoke(build(), made).exit_code == 0
    tables = [f"--{name}=in/{name}.parquet" for name in ("workplaces", "workers", "jobs")]
    done = runner.invoke(build(), ["init", *tables, "--engine", "spark", "--out", "draft"])
    assert done.exit_code == 0
    plan = (tmp_path / "draft" / "plan.yaml").read_text()
    assert '  jobs: "../in/jobs.parquet"\n  engine: "spark"\n' in plan
    wrong = runner.invoke(build(), ["init", *tables, "--engine", "polars", "--out", "other"])
    assert "data.engine: must be one of duckdb, spark; got 'polars'" in wrong.output


def test_the_doctor_names_spark_and_never_fails_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "ok   Spark: PySpark " in CliRunner().invoke(build(), ["doctor"]).output
    monkeypatch.setenv("JAVA_HOME", "nowhere")
    done = CliRunner().invoke(build(), ["doctor"])
    assert "no Java: Spark Connect only" in done.output
    assert done.exit_code == 0
