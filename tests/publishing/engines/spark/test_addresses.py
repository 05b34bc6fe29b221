"""Addresses that Spark is given: what is one, what is refused, and what is not shown."""

from pathlib import Path

import pytest

from leeward.core.codebook import TABLES
from leeward.core.codebook.resources import Resources
from leeward.core.errors import InvalidParameter, LeewardError
from leeward.publishing.engines import connect
from leeward.publishing.engines.address import SparkAddress
from leeward.publishing.engines.address_reading import (
    read_addresses,
    read_spark_addresses,
    seen_from,
)
from leeward.publishing.engines.spark.session import chosen_remote
from tests.publishing.engines.small import economy, parquet
from tests.publishing.engines.spark.asking import SECRET, refusal

RULE = "must be Parquet or a table of Spark's catalog under `engine: spark`"
PATH = "Write a path such as workplaces.parquet, or #database.table."


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("", f"data.jobs: {RULE}; got nothing. {PATH}"),
        ("#", f"data.jobs: {RULE}; got '#'. {PATH}"),
        ("#a..b", f"data.jobs: {RULE}; got '#a..b'. {PATH}"),
        ("#a.b.c.d", f"data.jobs: {RULE}; got '#a.b.c.d'. {PATH}"),
        *(
            (
                name,
                f"data.jobs: {RULE}; got a file that ends in {end}. "
                "Write the table as Parquet, or register it in Spark's catalog as #table.",
            )
            for name, end in {
                "jobs.csv": ".csv",
                "jobs.CSV.gz": ".gz",
                "s3a://bucket/jobs.csv": ".csv",
            }.items()
        ),
        *(
            (
                f"{scheme}://me:{SECRET}@host/db#jobs",
                f"data.jobs: {RULE}; got {scheme}://… (not shown). "
                "Leave out `engine: spark`, or register the tables in Spark's catalog.",
            )
            for scheme in ("postgres", "postgresql", "duckdb", "spark", "pyspark", "sc")
        ),
        (
            "none.parquet",
            "data.jobs: must be a file that exists; got 'none.parquet'. "
            "Look at the name and the file.",
        ),
    ],
)
def test_what_spark_does_not_read(written: str, message: str, tmp_path: Path) -> None:
    sources = parquet(economy(8), tmp_path) | {"jobs": written}
    with pytest.raises(LeewardError) as caught:
        read_spark_addresses(sources, tmp_path)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("#office.jobs", "'#office.jobs'"),
        (f"spark://{SECRET}:7077/db#jobs", "'spark' before ://"),
        (f"pyspark://{SECRET}/db#jobs", "'pyspark' before ://"),
    ],
)
def test_spark_is_not_guessed(written: str, value: str, tmp_path: Path) -> None:
    sources = parquet(economy(8), tmp_path) | {"jobs": written}
    assert refusal(sources, tmp_path, Resources()) == (
        f"data.jobs: is read by Spark only if `engine` says so; got {value}. "
        "Write `engine: spark`, or --engine spark, and #database.table or a path of Parquet."
    )


def test_a_file_whose_name_begins_with_a_mark_is_a_file(tmp_path: Path) -> None:
    sources = parquet(economy(8), tmp_path)
    (tmp_path / "jobs.parquet").rename(tmp_path / "#jobs.parquet")
    assert read_addresses(sources | {"jobs": "#jobs.parquet"}, tmp_path)


@pytest.mark.parametrize(
    ("written", "url"),
    [
        ("jobs.parquet", "file:{}/jobs.parquet"),
        ("../jobs", "file:{}/../jobs"),
        ("/data/jobs", "file:/data/jobs"),
        ("hdfs:///data/jobs", "hdfs:///data/jobs"),
        ("s3a://bucket/jobs#1", "s3a://bucket/jobs#1"),
    ],
)
def test_a_path_is_on_this_machine_unless_it_says_where(
    written: str, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "leeward.publishing.engines.address_reading.refuse_unreadable", lambda *_: None
    )
    found = read_spark_addresses(dict.fromkeys(TABLES, written), tmp_path)
    assert {one.url for one in found} == {url.format(tmp_path)}
    assert written not in repr(found)


@pytest.mark.parametrize("written", ["plan", "environment"])
def test_a_server_is_given_no_relative_path(
    written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Known bad: it would be joined to a folder of the client. SPARK_REMOTE is a `remote` too."""
    remote = "sc://127.0.0.1:1" if written == "plan" else None
    monkeypatch.setenv("SPARK_REMOTE", "" if remote else "sc://127.0.0.1:1")
    sources = {"workplaces": "#office.a", "workers": "/data/b", "jobs": "jobs.parquet"}
    assert refusal(sources, tmp_path, Resources(engine="spark", remote=remote)) == (
        "data.jobs: must be an absolute path or a URL where a server reads it; "
        "got 'jobs.parquet'. "
        "Write where the server finds it, such as /data/jobs or s3a://bucket/jobs."
    )


@pytest.mark.parametrize(
    ("written", "known", "chosen"),
    [
        (None, None, None),
        (None, "", None),
        ("", "", None),
        (None, "sc://a", "sc://a"),
        ("sc://b", "sc://a", "sc://b"),
    ],
)
def test_the_plan_names_the_server_before_the_environment(
    written: str | None, known: str | None, chosen: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SPARK_REMOTE", raising=False)
    if known is not None:
        monkeypatch.setenv("SPARK_REMOTE", known)
    assert chosen_remote(written) == chosen


def test_a_table_of_the_catalog_may_have_three_names(tmp_path: Path) -> None:
    for written, name in (("#jobs", ("jobs",)), ("#lake.office.jobs", ("lake", "office", "jobs"))):
        (first, *_) = read_spark_addresses(dict.fromkeys(TABLES, written), tmp_path)
        assert first.name == name


@pytest.mark.parametrize("written", ["#jobs", "#office.jobs", "s3a://bucket/jobs", "hdfs:///jobs"])
def test_addresses_of_spark_are_the_same_from_everywhere(written: str) -> None:
    assert seen_from(written, Path("new")) == written


def test_a_server_must_be_one_of_spark_connect(tmp_path: Path) -> None:
    sources = {str(name): "#rows" for name in TABLES}
    with pytest.raises(InvalidParameter) as caught:
        connect(sources, tmp_path, Resources(engine="spark", remote=f"spark://{SECRET}"))
    assert str(caught.value) == (
        "data.remote: must be the address of a Spark Connect server, which begins with sc://; "
        "got another address (not shown). "
        "Write sc://host:15002, or leave it out for Spark on this machine."
    )


def test_addresses_are_not_shown() -> None:
    assert SECRET not in repr(SparkAddress("jobs", f"abfss://{SECRET}@x/jobs"))
