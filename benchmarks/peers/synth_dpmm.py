"""dpmm: its MST, AIM or PrivBayes on a table of codes, without its own binning."""

import sys

import pandas as pd  # type: ignore[import-untyped, import-not-found, unused-ignore]  # its own environment
from dpmm.pipelines import (  # type: ignore[import-not-found, unused-ignore]  # as above
    AIMPipeline,
    MSTPipeline,
    PrivBayesPipeline,
)

from benchmarks.peers.synth_table import DELTA, EPSILON, arguments, sizes

PIPELINES = {"mst": MSTPipeline, "aim": AIMPipeline, "privbayes": PrivBayesPipeline}
MEGABYTES = 80
"""Most memory of a model: what dpmm's AIM takes itself; the pipelines would take no limit."""


def main() -> None:
    data, domain, out = arguments()
    pipeline = PIPELINES[sys.argv[4]](
        epsilon=EPSILON, delta=DELTA, max_model_size=MEGABYTES, disable_processing=True
    )
    rows = pd.read_csv(data)
    pipeline.fit(rows, domain=sizes(domain))
    pipeline.generate(n_records=len(rows)).to_csv(out, index=False)


if __name__ == "__main__":
    main()
