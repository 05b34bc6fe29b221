"""Tumult Analytics on a local Spark: geometric noise on a public list of cells."""

import os
import sys

from pyspark.sql import SparkSession  # type: ignore[import-not-found, unused-ignore]  # its own environment
from tmlt import analytics as tmlt  # type: ignore[import-not-found, unused-ignore]  # its own environment

from benchmarks.peers.tabulations import CODES, EPSILON, KINDS, WORKPLACE, arguments


def main() -> None:
    folder, kind, out = arguments()
    os.environ["PYSPARK_PYTHON"] = sys.executable  # Spark would take the first on the path
    spark = (
        SparkSession.builder.master("local[*]")
        .config("spark.driver.memory", "8g")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", str(os.cpu_count()))  # 200 is for clusters
        .config("spark.sql.adaptive.coalescePartitions.enabled", "false")  # noise on all cores
        .getOrCreate()
    )
    workplaces = spark.read.parquet(str(folder / "workplaces.parquet"))
    data = spark.read.parquet(str(folder / "jobs.parquet")).join(workplaces, on="workplace_id")
    cells = tmlt.KeySet.from_dataframe(workplaces.select(*WORKPLACE).distinct())
    if kind == "worker":
        data = data.join(spark.read.parquet(str(folder / "workers.parquet")), on="worker_id")
        cells = cells * tmlt.KeySet.from_dict({name: list(codes) for name, codes in CODES.items()})
    session = tmlt.Session.from_dataframe(
        privacy_budget=tmlt.PureDPBudget(EPSILON),
        source_id="jobs",
        dataframe=data.select(*KINDS[kind]),
        protected_change=tmlt.AddOneRow(),
    )
    query = tmlt.QueryBuilder("jobs").groupby(cells).count(name="jobs")
    session.evaluate(query, tmlt.PureDPBudget(EPSILON)).write.parquet(str(out))


if __name__ == "__main__":
    main()
