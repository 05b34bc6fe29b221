"""Jobs that Spark finds in wage records are those of DuckDB, to the byte of the file."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from leeward.core.codebook.wage_jobs import Quarter, WageJobs
from leeward.publishing.engines.wages import write_jobs
from tests.publishing.engines.spark.asking import SPARK
from tests.publishing.engines.wage_rows import records


@pytest.mark.usefixtures("spark")
def test_spark_gives_the_same_file(tmp_path: Path) -> None:
    pq.write_table(records(), tmp_path / "wages.parquet")
    wages, asked = str(tmp_path / "wages.parquet"), WageJobs(Quarter(2026, 2), "any", "primary")
    here, far = tmp_path / "here.parquet", tmp_path / "far.parquet"
    write_jobs(wages, asked, here)
    write_jobs(wages, asked, far, SPARK)
    assert far.read_bytes() == here.read_bytes()
