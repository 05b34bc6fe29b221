"""Bins: the public edges of classes of pay in a plan, and the percentages of percentiles."""

import re
from collections.abc import Sequence
from itertools import pairwise
from math import exp
from statistics import NormalDist

from leeward.core.codebook import Attribute, Classes, Percentiles
from leeward.core.codebook.declaration import WHOLE
from leeward.core.errors import InvalidParameter, shown
from leeward.publishing.plan.request import WrittenTable

PSEO = "pseo"
"""As `bins`: the classes of the Post-Secondary Employment Outcomes of the U.S. Census Bureau."""

LOG_NORMAL = NormalDist(11.00255, 0.75275)
"""The logarithm of yearly pay in dollars, from which PSEO takes its edges."""

FIRST, LAST = 10_000, (0.975, 0.999)
UNITS = {"dollar": 1, "dollars": 1, "USD": 1, "cent": 100, "cents": 100}
"""Names of units in which the edges of PSEO can be written, and how many of each are a dollar."""

QUARTILES = (25, 50, 75)
PERCENTAGE = re.compile("[1-9][0-9]?")


def pseo_edges() -> tuple[int, ...]:
    """The 22 edges of PSEO's 21 classes, in dollars a year.

    After the first edge come the twentieths of a log-normal law, and two edges in its upper tail.
    """
    shares = (*(number / 20 for number in range(1, 20)), *LAST)
    return (FIRST, *(round(exp(LOG_NORMAL.inv_cdf(share))) for share in shares))


def read_classes(written: WrittenTable, of: Attribute) -> Classes:
    """The classes of a numeric column: those of the plan, or else those of the codebook."""
    if written.bins is None:
        return Classes(of.with_every_job(), of.edges)
    edges = _pseo(of) if written.bins == PSEO else _edges(written.bins)
    return Classes(of.in_classes(edges), edges)


def read_percentiles(written: WrittenTable, of: Attribute) -> Percentiles:
    """Percentiles from the same classes, of which there must be several."""
    classes = read_classes(written, of)
    if len(classes.edges) < 3:
        raise InvalidParameter(
            "bins",
            rule="must have at least three edges for percentiles: one class tells nothing",
            value=f"{len(classes.edges)} edges",
            next_step="Write more edges; ten classes are a good number.",
        )
    return Percentiles(classes.of, classes.edges, _percentages(written.at))


def _edges(written: Sequence[str] | str) -> tuple[int, ...]:
    listed = [written] if isinstance(written, str) else list(written)
    wrong = [one for one in listed if not WHOLE.fullmatch(one)]
    if wrong or len(listed) < 2:
        raise InvalidParameter(
            "bins",
            rule=f"must be {PSEO}, or a list of at least two edges: whole numbers of at most 15 "
            "digits in the unit of the column",
            value=shown(wrong[0]) if wrong else f"{len(listed)} edges",
            next_step="Write bins: [0, 100000, 200000], or leave it out for the codebook's "
            "classes.",
        )
    edges = tuple(map(int, listed))
    for before, after in pairwise(edges):
        if after <= before:
            raise InvalidParameter(
                "bins",
                rule="must have ascending edges",
                value=f"{after} after {before}",
                next_step="Order the edges, each once.",
            )
    return edges


def _pseo(of: Attribute) -> tuple[int, ...]:
    """The edges of PSEO in the unit of a column of yearly pay.

    Pay of another period is refused: twelve times the pay of a month is not the pay of a year.
    """
    if of.numbers is None or of.numbers.period != "year" or of.numbers.unit not in UNITS:
        raise InvalidParameter(
            "bins",
            rule=f"must not be {PSEO} for a column that is not in dollars or cents per year: these "
            "edges are dollars a year",
            value=f"{PSEO} for {of.name} in {'' if of.numbers is None else of.numbers.per_period}",
            next_step="Write a list of edges in the unit of the column.",
        )
    return tuple(edge * UNITS[of.numbers.unit] for edge in pseo_edges())


def _percentages(written: Sequence[str] | None) -> tuple[int, ...]:
    if written is None:
        return QUARTILES
    wrong = [one for one in written if not PERCENTAGE.fullmatch(one)]
    found = [] if wrong else list(map(int, written))
    if wrong or not found or found != sorted(set(found)):
        raise InvalidParameter(
            "at",
            rule="must be a list of ascending whole percentages from 1 to 99",
            value=shown(wrong[0]) if wrong else f"[{', '.join(written)}]",
            next_step="Write at: [25, 50, 75], or leave it out for these.",
        )
    return tuple(found)
