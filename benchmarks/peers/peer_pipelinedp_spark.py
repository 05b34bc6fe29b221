"""PipelineDP on a local Spark: Laplace noise on a public list of cells."""

import os
import sys

import pipeline_dp  # type: ignore[import-not-found, unused-ignore]  # its own environment
from pyspark.sql import SparkSession, functions  # type: ignore[import-not-found, unused-ignore]  # its own environment

from benchmarks.peers.pipelinedp import count
from benchmarks.peers.tabulations import CODES, KINDS, WORKPLACE, arguments


def main() -> None:
    folder, kind, out = arguments()
    names = KINDS[kind]
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
    cells = workplaces.select(*WORKPLACE).distinct()
    if kind == "worker":
        data = data.join(spark.read.parquet(str(folder / "workers.parquet")), on="worker_id")
        for name, codes in CODES.items():
            listed = functions.array(*(functions.lit(code) for code in codes))
            cells = cells.withColumn(name, functions.explode(listed))
    found = count(
        pipeline_dp.SparkRDDBackend(spark.sparkContext),
        data.select(*names).rdd.map(tuple),
        cells.select(*names).rdd.map(tuple),
    )
    rows = found.map(lambda row: (*row[0], float(row[1].count)))
    schema = ", ".join([*(f"{name} string" for name in names), "jobs double"])
    spark.createDataFrame(rows, schema).write.parquet(str(out))


if __name__ == "__main__":
    main()
