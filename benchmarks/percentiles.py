"""Percentiles from classes: errors of the median, and how often intervals hold.

`python -m benchmarks.percentiles` draws made-up workplace cells (sizes log-normal with median 6 and
sd 1.25, pay log-normal with sd 0.72, a public list of ten classes), releases quartiles and prints
the median relative error of the median, that of the plan's prediction, the share of intervals with
the true median inside, and half of their median width over the median. Pay of an establishment may
be shifted as a whole, so that clipping is not neutral. Half a minute.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import exp
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from leeward import read_plan
from leeward.core.codebook import Entries
from leeward.core.codebook.cells import EMPTY
from leeward.core.mechanisms.measurement import Measurement

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
PAY = NormalDist(10.8, 0.72)
CLASSES = 10
CELLS = {10: 2000, 100: 600, 1000: 100}
"""How many workplace cells are drawn, by their number of establishments."""

SETTINGS = (
    *(("clipped", epsilon, margins) for epsilon in ("1", "2", "4") for margins in ("none", None)),
    *(("vector_pareto", epsilon, margins) for epsilon in ("2", "4") for margins in ("none", None)),
)


def edges() -> list[int]:
    """Tenths of the law of pay, from 0 to a number that few are above."""
    inner = [round(exp(PAY.inv_cdf(i / CLASSES))) for i in range(1, CLASSES)]
    return [0, *inner, round(exp(PAY.inv_cdf(0.999)))]


def measurement(mechanism: str, epsilon: str, margins: str | None) -> Measurement:
    """The measurement of a plan."""
    pay = {"table": "jobs", "type": "integer", "unit": "dollar", "period": "year", "cap": 10**7}
    written = {"name": "t", "by": [], "statistic": "percentiles", "of": "pay", "bins": edges()}
    written |= {"mechanism": mechanism, **({} if margins is None else {"margins": margins})}
    plan = read_plan(
        {
            "codebook": {"attributes": {"pay": {**pay, "classes": {"all": 10**7}}}},
            "account": "benchmark",
            "period": "now",
            "protect": {"policy": "strong", "alpha": "0.1", "epsilon": epsilon},
            "tables": [written],
        }
    )
    (table,) = plan.tables
    return table.measurement


@dataclass(frozen=True)
class Economy:
    """Workplace cells with their true medians."""

    entries: Entries
    medians: Floats

    @classmethod
    def drawn(cls, establishments: int, shift: float, random: np.random.Generator) -> "Economy":
        """Establishments whose logarithm of pay is shifted with this standard deviation."""
        w, bins = CELLS[establishments], np.array(edges())
        sizes = np.exp(random.normal(np.log(6), 1.25, w * establishments)).round().astype(np.int64)
        sizes = np.maximum(sizes, 1)
        place = np.repeat(np.arange(w), establishments)
        row = np.repeat(np.arange(sizes.size), sizes)
        spread = (PAY.variance - shift**2) ** 0.5
        logs = random.normal(0, shift, sizes.size)[row] + random.normal(PAY.mean, spread, row.size)
        pay = np.exp(logs).astype(np.int64)
        at = np.minimum(np.searchsorted(bins, pay, side="right") - 1, CLASSES - 1)
        listed, counts = np.unique(row * CLASSES + at, return_counts=True)
        entries = Entries(
            counts.astype(np.int64),
            listed % CLASSES,
            listed // CLASSES,
            sizes,
            place,
            (w, CLASSES),
            in_frame=np.full(w, establishments),
        )
        ends = np.searchsorted(place[row], np.arange(w + 1))
        return cls(entries, np.array([np.median(pay[a:b]) for a, b in pairwise(ends)]))


def lines(made: Measurement, economy: Economy) -> Iterator[str]:
    """Error, prediction, coverage and width of the median."""
    values, margins, _ = made.measure(economy.entries)
    value, true = values[:, 1], economy.medians
    errors = np.where(value == EMPTY, 1.0, np.abs(value - true) / true)
    yield f"{np.median(errors):.4f}"
    largest = int(np.median(economy.entries.largest()))
    shape = economy.entries.shape[0]
    predicted = made.expected_error(largest, economy.entries.sizes.size // shape)
    yield "–" if predicted is None else f"{predicted / np.median(true):.4f}"
    if "low" not in margins:
        return
    low, high = margins["low"][:, 1], margins["high"][:, 1]
    inside = (value == EMPTY) | ((low <= true) & ((high == EMPTY) | (true <= high)))
    yield f"{inside.mean():.3f}"
    wide = np.where(high == EMPTY, np.inf, (high - low) / (2 * true))
    yield f"{np.median(wide):.3f}"


def main() -> None:
    """Print a line for each setting, number of establishments and shift."""
    print("mechanism epsilon margins establishments shift: error predicted coverage half-width")
    for establishments in CELLS:
        for shift in (0.0, 0.4):
            economy = Economy.drawn(establishments, shift, np.random.default_rng(1))
            for mechanism, epsilon, margins in SETTINGS:
                made = measurement(mechanism, epsilon, margins)
                told = " ".join(lines(made, economy))
                print(f"{mechanism} {epsilon} {margins or 'auto'} {establishments} {shift}: {told}")


if __name__ == "__main__":
    main()
