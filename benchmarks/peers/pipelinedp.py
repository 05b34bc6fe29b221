"""The query of PipelineDP, the same on both backends."""

from typing import Any

import pipeline_dp  # type: ignore[import-not-found, unused-ignore]  # its own environment

from benchmarks.peers.tabulations import EPSILON


def count(backend: object, keys: object, cells: object) -> Any:  # noqa: ANN401  # as the backend
    """Noisy counts of the keys, one for each public cell: pairs of cell and metrics.

    What collections are depends on the backend: iterables here, RDDs there.
    """
    accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=EPSILON, total_delta=0)
    asked = pipeline_dp.AggregateParams(
        metrics=[pipeline_dp.Metrics.COUNT],
        noise_kind=pipeline_dp.NoiseKind.LAPLACE,
        max_partitions_contributed=1,
        max_contributions_per_partition=1,
        contribution_bounds_already_enforced=True,  # a row is a worker
        public_partitions_already_filtered=True,
    )
    extractors = pipeline_dp.DataExtractors(
        partition_extractor=lambda key: key, value_extractor=lambda _: 0
    )
    engine = pipeline_dp.DPEngine(accountant, backend)
    found = engine.aggregate(keys, asked, extractors, public_partitions=cells)
    accountant.compute_budgets()
    return found
