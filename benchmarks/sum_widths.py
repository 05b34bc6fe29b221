"""Margins of sums: how many hold, and how wide they are for the errors that there are.

`python -m benchmarks.sum_widths` measures made-up workplace cells of four kinds, adds up 2, 10 and
100 of them, and prints the share of sums within their margins and the median margin over the 90 %
quantile of the errors. A quarter of a minute.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leeward import read_plan
from leeward.core.codebook import Cells
from leeward.core.codebook.cells import ends
from leeward.core.mechanisms.measurement import Measurement
from leeward.core.noise.scales import CellNoise
from leeward.core.noise.sums import ErrorDraws

Integers = NDArray[np.int64]
SETTINGS = (
    ("slope", "0.1", "1", None),
    ("slope", "0.1", "1", "1/10"),
    ("slope", "0.1", "0.5", None),
    ("slope", "0.05", "1", None),
    ("slope", "0.1", "1", "free"),
    ("staircase", "0.1", "2", None),
    ("staircase", "0.1", "4", None),
    ("log_laplace", "0.1", "1", None),
    ("log_laplace", "0.1", "2", None),
)
EACH = (2, 10, 100)
AT_ONCE, DRAWS = 2000, 1000


@dataclass(frozen=True)
class Kind:
    """Establishments of a workplace cell: how many at least and at most, and their sizes."""

    name: str
    fewest: int
    most: int
    middle: float
    spread: float

    def cells(self, number: int, random: np.random.Generator) -> Cells:
        in_frame = random.integers(self.fewest, self.most + 1, number)
        sizes = random.lognormal(self.middle, self.spread, in_frame.sum()).astype(np.int64)
        starts = np.cumsum(in_frame) - in_frame
        counts, largest = (one.reduceat(sizes, starts) for one in (np.add, np.maximum))
        return Cells(counts[:, None], largest, in_frame=in_frame)


KINDS = (
    Kind("a few jobs", 1, 3, 0.5, 0.8),
    Kind("mixed sizes", 1, 11, 2, 1.5),
    Kind("one establishment", 1, 1, 4, 1.2),
    Kind("thirty alike", 30, 30, 3, 0.5),
)


def measurement(mechanism: str, alpha: str, epsilon: str, margins: str | None) -> Measurement:
    place = {"table": "workplaces", "public": True, "codes": ["01"]}
    table = {"name": "t", "by": ["place"], "mechanism": mechanism}
    request = {
        "codebook": {"attributes": {"place": place}},
        "account": "office",
        "period": "2026Q2",
        "protect": {"policy": "strong", "alpha": alpha, "epsilon": epsilon},
        "tables": [table | ({} if margins is None else {"margins": margins})],
    }
    return read_plan(request).tables[0].measurement


def sums(made: Measurement, cells: Cells, each: int) -> tuple[float, float]:
    """The share of sums within their margins, and their width."""
    noise = made.cell_noise()
    if noise is None:
        raise SystemExit(f"{made.name} has no margins here")
    draws = ErrorDraws(CellNoise.read(noise.stated()), 7, DRAWS)  # as a reader of a bundle has it
    values, margins, _ = made.measure(cells)
    below = values - ends(values, margins)[0]
    held, wide, errors = [], [], []
    for start in range(0, len(values), step := AT_ONCE // each * each):
        part = slice(start, start + step)
        drawn = draws.draw(values[part], below[part], None).reshape(-1, each, 1, DRAWS).sum(1)
        true, noisy = (one[part].reshape(-1, each, 1).sum(1) for one in (cells.counts, values))
        low, high = ends(noisy, draws.margins(made.margin_columns, noisy, drawn))
        held.append((low <= true) & (true <= high))
        wide.append((high - low) / 2)
        errors.append(np.abs(noisy - true))
    needed = max(float(np.quantile(np.concatenate(errors), 0.9)), 0.5)
    return float(np.concatenate(held).mean()), float(np.median(np.concatenate(wide))) / needed


def main() -> None:
    random = np.random.default_rng(11)
    print("held / width over the 90 % quantile of errors, of sums of", *EACH)
    for setting in SETTINGS:
        made = measurement(*setting)
        for kind in KINDS:
            found = [
                sums(made, kind.cells(max(400, 4000 // each) * each, random), each) for each in EACH
            ]
            said = "  ".join(f"{held:.3f} / {wide:4.1f}" for held, wide in found)
            print(f"{made.name:9} {' '.join(map(str, setting[1:])):12} {kind.name:17} {said}")


if __name__ == "__main__":
    main()
