"""smartnoise-synth: one of its synthesizers on a table of codes, every column a category."""

import sys

import pandas as pd  # type: ignore[import-untyped, import-not-found, unused-ignore]  # its own environment
from snsynth import Synthesizer  # type: ignore[import-not-found, unused-ignore]  # as above
from snsynth.transform import (  # type: ignore[import-not-found, unused-ignore]  # as above
    LabelTransformer,
    TableTransformer,
)

from benchmarks.peers.synth_table import DELTA, EPSILON, arguments, sizes


def main() -> None:
    data, domain, out = arguments()
    declared = sizes(domain)
    rows = pd.read_csv(data)
    # Codes are in the table already; a label transformer that has seen the whole list keeps them.
    transformers = [LabelTransformer(nullable=False) for _ in declared]
    for one, size in zip(transformers, declared.values(), strict=True):
        one.fit(list(range(size)))
    synthesizer = Synthesizer.create(sys.argv[4], epsilon=EPSILON, delta=DELTA)
    synthesizer.fit(rows, transformer=TableTransformer(transformers))
    synthesizer.sample(len(rows)).to_csv(out, index=False)


if __name__ == "__main__":
    main()
