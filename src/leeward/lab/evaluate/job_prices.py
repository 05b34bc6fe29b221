"""Job prices: what a cap on one job beside a size costs in error, on a made-up economy.

Errors are closed forms of the mechanism that a plan would take, at the sizes of the economy.
Nothing is drawn, and no table pays for margins.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from leeward.core.codebook import EveryJob, Marginal
from leeward.core.codebook.size_profile import SizeProfile
from leeward.core.errors import LeewardError
from leeward.core.mechanisms.choice import choose
from leeward.core.privacy import Guarantee
from leeward.core.show.numbers import significant
from leeward.lab.economy import Economy
from leeward.lab.evaluate.panel_sheet import PanelPicture, panel_picture
from leeward.lab.evaluate.panels import Direction, Facet, FacetPlot, Stroke, Trace, TracePoint
from leeward.lab.evaluate.presets import economy_words, open_economy
from leeward.lab.evaluate.truth import PLACE, Truth, read_truths
from leeward.lab.evaluate.workloads import WORKPLACE, exact, six_workloads, table

ECONOMY = Economy(200_000, 10_000, seed=7)
ALPHA = Fraction(1, 10)

PAIRS = tuple(
    (epsilon, job)
    for epsilon in exact("8", "4", "2")
    for job in exact("8", "4", "2", "1", "0.5", "0.25")
    if job <= epsilon <= 8 * job
)
"""ε of a size and of one job; the same number is a plan without a cap."""

EXACT, STEPS = 40, 20
"""Sizes below are taken as they are, others by this number of steps of a factor e."""

STROKES = (
    Stroke("#0072b2", "", "circle"),
    Stroke("#d55e00", "6 3", "square"),
    Stroke("#009e73", "2 3", "diamond"),
    Stroke("#882255", "8 3 2 3", "triangle-up"),
)


@dataclass(frozen=True)
class JobPrice:
    """The mean error of a table under both numbers; without a mechanism where none keeps them.

    `least` is the floor Δ of the noise.
    """

    load: str
    epsilon: Fraction
    epsilon_job: Fraction
    mechanism: str = ""
    least: Fraction | None = None
    error: float | None = None

    @classmethod
    def of(
        cls,
        load: str,
        marginal: Marginal,
        alpha: Fraction,
        pair: tuple[Fraction, Fraction],
        profile: SizeProfile,
    ) -> "JobPrice":
        """What a plan with both numbers would have; `pair` is ε of a size and of one job."""
        epsilon, job = pair
        wanted = Guarantee("strong", alpha, epsilon, epsilon_job=None if job == epsilon else job)
        try:
            best, _ = choose(marginal, wanted, None, profile)
        except LeewardError:
            return cls(load, *pair)
        error = profile.mean(profile.of(best.expected_error))
        return cls(load, *pair, best.name, best.parameters.least, error)

    @property
    def text(self) -> str:
        """The error in jobs, with the mechanism and its floor."""
        if self.error is None or self.least is None:
            return "–"
        floor = f", Δ {float(self.least):.3g}" if self.epsilon_job < self.epsilon else ""
        return f"{significant(self.error)} ({self.mechanism}{floor})"


def job_prices(
    alpha: Fraction = ALPHA,
    pairs: Sequence[tuple[Fraction, Fraction]] = PAIRS,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> tuple[JobPrice, ...]:
    """Of all jobs, of eight kinds of workers and of six breakdowns of every workplace cell."""
    with open_economy(ECONOMY, progress) as (engine, book):
        loads = {
            "all jobs": table("all_jobs", WORKPLACE, book),
            "sex × education": table("blocks", (*WORKPLACE, "sex", "education"), book),
            "six breakdowns": six_workloads(book)[0].marginal,
        }
        counted = next(iter(loads.values()))
        profile = profile_of(read_truths(engine, book, EveryJob(), [counted], PLACE)[counted])
    return tuple(
        JobPrice.of(name, marginal, alpha, pair, profile)
        for name, marginal in loads.items()
        for pair in pairs
    )


def profile_of(truth: Truth) -> SizeProfile:
    """The largest establishments of all workplace cells; beyond EXACT jobs in small steps.

    Each class of size has the mean number of establishments of its cells, rounded up.
    """
    largest = truth.cells.largest
    number = np.bincount(truth.entries.workplace, minlength=largest.size)
    stepped = np.exp(np.rint(np.log(np.maximum(largest, 1)) * STEPS) / STEPS)
    sizes = np.where(largest < EXACT, largest, np.rint(stepped).astype(np.int64))
    kinds, place, cells = np.unique(sizes, return_inverse=True, return_counts=True)
    mean = np.ceil(np.bincount(place, number) / cells).astype(np.int64)
    counts = np.maximum(mean, 1)
    return SizeProfile(tuple(kinds.tolist()), tuple(cells.tolist()), True, tuple(counts.tolist()))


def price_rows(prices: Sequence[JobPrice]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Head and rows: ε, ε of one job, and of each load the mechanism, Δ and the error in jobs."""
    loads = list(dict.fromkeys(price.load for price in prices))
    by_place = {(price.load, price.epsilon, price.epsilon_job): price for price in prices}
    pairs = list(dict.fromkeys((price.epsilon, price.epsilon_job) for price in prices))
    rows = [
        (
            f"{float(epsilon):g}",
            f"{float(job):g}",
            *(by_place[load, epsilon, job].text for load in loads),
        )
        for epsilon, job in pairs
    ]
    return ("ε", "ε of one job", *loads), rows


def price_lines(prices: Sequence[JobPrice], alpha: Fraction) -> Iterator[str]:
    """The table as lines of text, and what it is about."""
    head, rows = price_rows(prices)
    wide = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for row in (head, *rows):
        yield "  ".join(f"{text:<{width}}" for text, width in zip(row, wide, strict=True)).rstrip()
    yield ""
    yield (
        f"Mean absolute error in jobs at α = {float(alpha):g}, without margins, by the mechanism "
        f"that auto takes: place × sector × ownership of {economy_words(ECONOMY)}."
    )


def price_picture(prices: Sequence[JobPrice], alpha: Fraction) -> PanelPicture:
    """A panel for each load, a line for each ε, errors by the ε of one job."""
    loads = list(dict.fromkeys(price.load for price in prices))
    epsilons = list(dict.fromkeys(price.epsilon for price in prices))
    facets = []
    for load in loads:
        traces = []
        for epsilon, stroke in zip(epsilons, STROKES, strict=False):
            some = [p for p in prices if (p.load, p.epsilon) == (load, epsilon)]
            points = [TracePoint(float(p.epsilon_job), p.error) for p in reversed(some)]
            traces.append(Trace(f"ε = {float(epsilon):g}", stroke, tuple(points)))
        facets.append(Facet(load, tuple(traces)))
    return panel_picture(
        FacetPlot(
            "What a cap on one job costs",
            Direction("ε of one job", log=True, ticks=(0.25, 0.5, 1, 2, 4, 8)),
            Direction("mean absolute error, jobs", log=True),
            tuple(facets),
            f"The right end of each line is a plan without a cap. α = {float(alpha):g}.",
        )
    )
