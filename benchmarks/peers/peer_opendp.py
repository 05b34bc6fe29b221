"""OpenDP: the Polars context, integer Laplace noise on a public list of cells."""

import opendp.prelude as dp  # type: ignore[import-not-found, unused-ignore]  # its own environment
import polars as pl  # type: ignore[import-not-found, unused-ignore]  # its own environment

from benchmarks.peers.tabulations import CODES, EPSILON, KINDS, WORKPLACE, arguments


def main() -> None:
    dp.enable_features("contrib")
    folder, kind, out = arguments()
    names = KINDS[kind]
    workplaces = pl.scan_parquet(folder / "workplaces.parquet")
    data = pl.scan_parquet(folder / "jobs.parquet").join(workplaces, on="workplace_id")
    cells = workplaces.select(WORKPLACE).unique()
    if kind == "worker":
        data = data.join(pl.scan_parquet(folder / "workers.parquet"), on="worker_id")
        for name, codes in CODES.items():
            cells = cells.join(pl.LazyFrame({name: codes}), how="cross")
    context = dp.Context.compositor(
        data=data.select(names),
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=float(EPSILON)),
        split_evenly_over=1,
    )
    query = context.query().group_by(names).agg(dp.len(signed=True).alias("jobs")).with_keys(cells)
    # `query.release()` would search for the scale and build the measurement, list of cells and all,
    # a thousand times over. The scale is known; the context still checks it against its ε.
    measurement = dp.m.make_private_lazyframe(
        input_domain=context.accountant.input_domain,
        input_metric=context.accountant.input_metric,
        output_measure=context.accountant.output_measure,
        lazyframe=query.polars_plan,
        global_scale=1 / EPSILON,
    )
    context(measurement).collect().write_parquet(out)


if __name__ == "__main__":
    main()
