"""MOSE on a file of cells: χ, what the corner rule misses, and the errors to expect.

`python -m benchmarks.mose FILE` reads columns x, y and cell, or parent_rank, kid_rank and cell as
in the simulated file that Chetty and Friedman published with their example. A second. What it
prints is a function of the truth.
"""

import sys
from pathlib import Path

import numpy as np

from leeward.lab.evaluate.regression_cells import read_cells
from leeward.lab.evaluate.regressions import ESTIMANDS
from leeward.systems.regress.mose import METHODS, Envelope, Mose, UpperBound, prepared

EPSILONS = (1, 8, 16)


def main(path: Path) -> None:
    cells = read_cells(path)
    people = [one.fit.count for one in cells.values()]
    print(f"{len(cells)} cells of {min(people)} to {max(people)} people, {sum(people)} in all")
    for of in ESTIMANDS:
        corner = {name: one.fit.count * one.corner_sensitivity(of) for name, one in cells.items()}
        local = {name: one.fit.count * one.local_sensitivity(of) for name, one in cells.items()}
        missed = [name for name in cells if local[name] > corner[name] * (1 + 1e-9)]
        print(f"\n{of.name}: χ {Mose().envelopes(cells, of)['']}")
        print(f"  by a proved bound  {UpperBound().envelopes(cells, of)['']}")
        print(f"  by all points      {Envelope.largest(local)}")
        print(f"  cells where a removal or a point inside does more: {', '.join(missed) or 'none'}")
        print(f"  median over cells of E|error|, Laplace noise, ε = {EPSILONS}")
        for name, method in METHODS.items():
            spread = float(np.nanmedian(prepared(method, cells, of).sensitivity))
            print(f"    {name:12} {'  '.join(f'{spread / one:.4f}' for one in EPSILONS)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
