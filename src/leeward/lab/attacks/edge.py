"""Edge: the size of an establishment under a promise that speaks of single jobs alone.

The attacker reads one published count: all jobs of one large employer. Its noise is discrete
Laplace noise of ε, as much as it takes to blur one job (edge differential privacy).

The law of that noise is public and the same for every count. So he takes the interval that
contains nineteen of twenty draws and reads the size of the establishment off it: the larger it is,
the better he knows it.
"""

from fractions import Fraction
from itertools import count

import numpy as np

from leeward.core.mechanisms.additive import Additive
from leeward.core.show.numbers import count as counted
from leeward.core.show.numbers import percent, significant
from leeward.core.show.plots import Plot, PlotSeries
from leeward.lab.attacks.finding import Against, AttackFinding, finds
from leeward.lab.attacks.released_counts import additive
from leeward.lab.attacks.world import ECONOMY
from leeward.lab.economy.establishments import build_frame

SURE = Fraction(19, 20)
"""How often the true size is inside the attacker's interval."""

SIZES = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000)


@finds("edge")
def attack(*, epsilon: str = "1", alpha: str = "0.1", size: int = 1_000) -> AttackFinding:
    """The interval of nineteen in twenty around the count of one establishment."""
    edge = additive("edge_laplace", epsilon=epsilon)
    slope = additive("slope", alpha=alpha, epsilon=epsilon)
    wide, inside = half_width(edge)
    low, high = ends(slope, size)
    ours = (high - low) / 2
    median = int(np.median(build_frame(ECONOMY.stream(0), ECONOMY).size))
    return AttackFinding(
        "Noise for single jobs shows the size of every large employer",
        wide,
        f"The size of an establishment is known to ± {wide} jobs in {percent(inside)} of all "
        f"releases, whatever it is: ± {percent(wide / size)} of {counted(size)} jobs, "
        f"± {percent(wide / 20_000)} of 20,000 (edge differential privacy, ε {epsilon}).",
        Against(
            ours,
            f"Nineteen in twenty released counts of {counted(size)} jobs are from "
            f"{counted(size + low)} to {counted(size + high)}: ± {percent(ours / size)}, and the "
            f"same share of every larger size (slope, α {alpha}, ε {epsilon}).",
            f"± {counted(round(ours))} jobs",
        ),
        Against(
            abs(size - median),
            f"He guesses the median size of an establishment, {counted(median)} jobs, and is off "
            f"by {counted(abs(size - median))}.",
            f"off by {counted(abs(size - median))} jobs",
        ),
        (_picture(wide, slope, epsilon),),
        further={
            "half_width": wide,
            "probability": inside,
            "relative": wide / size,
            "relative_against_leeward": ours / size,
        },
        text=f"± {wide} jobs",
    )


def half_width(mechanism: Additive) -> tuple[int, float]:
    """The smallest h with |noise| ≤ h nineteen times of twenty, and how often it is."""
    inside = ((h, mechanism.cdf(h, counts=0) - mechanism.cdf(-h - 1, counts=0)) for h in count())
    return next((h, float(share)) for h, share in inside if share >= SURE)


def ends(mechanism: Additive, size: int) -> tuple[int, int]:
    """The interval that contains nineteen of twenty draws of one establishment's noise."""
    tail = (1 - SURE) / 2
    low, high = (mechanism.quantile(share, size, size) for share in (tail, 1 - tail))
    return int(low), int(high)


def _picture(wide: int, slope: Additive, epsilon: str) -> Plot:
    ours = [(size, ends(slope, size)) for size in SIZES]
    return Plot(
        "The larger the employer, the better edge noise shows its size",
        "jobs of the establishment",
        "how well its size is known: ± per cent of it, nineteen times of twenty",
        (
            PlotSeries(
                f"noise for single jobs, ε {epsilon}: ± {significant(wide)} jobs",
                "theirs",
                [(size, 100 * wide / size) for size in SIZES],
            ),
            PlotSeries(
                f"Leeward, ε {epsilon}",
                "ours",
                [(size, 50 * (high - low) / size) for size, (low, high) in ours],
            ),
        ),
        log_x=True,
        log_y=True,
    )
