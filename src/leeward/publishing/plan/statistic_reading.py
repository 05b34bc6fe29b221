"""Statistic reading: what a table of a plan publishes, of which column and in which classes."""

import re
from collections.abc import Iterator
from itertools import pairwise
from math import exp
from statistics import NormalDist

from leeward.core.codebook import COUNT, STATISTICS, Attribute, Codebook, Statistic
from leeward.core.codebook.declaration import WHOLE
from leeward.core.codebook.known_statistics import MOST_JOBS, MOST_PAY
from leeward.core.errors import InvalidParameter, LeewardError, raise_all, shown
from leeward.publishing.plan.request import WrittenTable, as_list

PSEO = "pseo"
"""As `bins`: the classes of the Post-Secondary Employment Outcomes of the U.S. Census Bureau."""

LOG_NORMAL = NormalDist(11.00255, 0.75275)
"""The logarithm of yearly pay in dollars, from which PSEO takes its edges."""

FIRST, LAST = 10_000, (0.975, 0.999)
UNITS = {"dollar": 1, "dollars": 1, "USD": 1, "cent": 100, "cents": 100}
"""Names of units in which the edges of PSEO can be written, and how many of each are a dollar."""

QUARTILES = (25, 50, 75)
PERCENTAGE = re.compile("[1-9][0-9]?")

OF_A_STATISTIC = ("of", "bins", "at")
"""Keys that some statistics take."""


def read_statistic(written: WrittenTable, codebook: Codebook) -> Statistic:
    """What a table publishes, and of which column."""
    kind = STATISTICS.get(written.statistic)
    if kind is None:
        raise InvalidParameter.unknown(
            "statistic",
            written.statistic,
            STATISTICS,
            next_step="Leave it out to count jobs.",
        )
    for key in OF_A_STATISTIC:
        given = getattr(written, key)
        if given is not None and key not in kind.takes:
            raise InvalidParameter.unwanted(
                key,
                f"of a table whose statistic is {kind.name}",
                value=shown(given),
                next_step=f"Leave {key} out, or write another statistic.",
            )
    if "of" not in kind.takes:
        return COUNT
    of = _column(written, codebook, kind)
    if kind.in_classes():
        raise_all(
            InvalidParameter(
                key,
                rule=f"must not name the column of which {written.statistic} are published",
                value=shown(of.name),
                next_step=f"Leave it out of {key}: its classes are in the table already.",
            )
            for key, names in (("by", written.by), ("where", written.where))
            if of.name in names
        )
    if kind.capped:
        _require_cap(of)
    return of_column(kind, of, written)


def of_column(kind: type[Statistic], of: Attribute, written: WrittenTable) -> Statistic:
    """A statistic of this column, with the classes and percentages of a plan if it has any."""
    if "bins" not in kind.takes:
        return kind(of)
    edges = of.edges if written.bins is None else _edges(of, written.bins)
    classes = of.with_every_job() if written.bins is None else of.in_classes(edges)
    if kind.several_classes and len(edges) < 3:
        raise InvalidParameter(
            "bins",
            rule=f"must have at least three edges for {kind.name}: one class tells nothing",
            value=f"{len(edges)} edges",
            next_step="Write more edges; ten classes are a good number.",
        )
    if "at" not in kind.takes:
        return kind(classes, edges, ())
    if written.at is None:
        return kind(classes, edges, QUARTILES)
    wrong = [text for text in written.at if not PERCENTAGE.fullmatch(text)]
    percentages = [] if wrong else list(map(int, written.at))
    if wrong or not percentages or percentages != sorted(set(percentages)):
        raise InvalidParameter(
            "at",
            rule="must be a list of ascending whole percentages from 1 to 99",
            value=shown(wrong[0]) if wrong else f"[{', '.join(written.at)}]",
            next_step="Write at: [25, 50, 75], or leave it out for these.",
        )
    return kind(classes, edges, tuple(percentages))


def forbidden(written: WrittenTable) -> Iterator[LeewardError]:
    """Keys of a table that cannot stand beside its statistic."""
    kind = STATISTICS.get(written.statistic, Statistic)
    for key in kind.forbids:
        given = getattr(written, key, None)
        if given:
            yield kind.rejection(key, "true" if given is True else shown(given))


def _column(written: WrittenTable, codebook: Codebook, kind: type[Statistic]) -> Attribute:
    """A numeric column of workers or jobs, or the attribute whose codes a statistic requires.

    The codes of flows say whether a job was paid in the quarters before and after.
    """
    value = "nothing" if written.of is None else shown(written.of)
    if kind.requires:
        of = None if written.of is None else codebook.attribute(written.of, "of")
        if of is None or of.of_workplaces or {*of.codes} != {*kind.requires}:
            raise InvalidParameter(
                "of",
                rule="must name an attribute of jobs with the codes "
                f"{', '.join(kind.requires)} for statistic {kind.name}: paid in the quarter "
                "before, paid in the one after",
                value=value,
                next_step='Declare flow: {table: jobs, codes: ["11", "10", "01", "00"]} in the '
                "codebook and write of: flow. `leeward jobs` makes the column from wage records.",
            )
        return of
    numeric = {
        attribute.name: attribute
        for attribute in codebook.numeric
        if attribute.origin is None and not attribute.of_workplaces
    }
    if written.of not in numeric:
        declare = "Declare the column in the codebook with type: integer, unit, cap, cap_from and "
        raise InvalidParameter(
            "of",
            rule=f"must name a numeric column of workers or jobs for statistic {kind.name}",
            value=value,
            next_step=f"Write one of {', '.join(numeric)}." if numeric else f"{declare}classes.",
        )
    return numeric[written.of]


def _require_cap(column: Attribute) -> None:
    """Pay is counted from 0 up to a public cap that says where it comes from."""
    name, numbers = column.name, column.numeric_range
    if numbers.low < 0:
        raise InvalidParameter(
            "of",
            rule="must name a column whose low is 0 or more: pay below 0 has no proof",
            value=f"{shown(name)} from {numbers.low}",
            next_step=f"Write low: 0 for {name} in the codebook.",
        )
    if numbers.cap > MOST_PAY:
        raise InvalidParameter(
            "of",
            rule=f"must name a column whose cap is at most {MOST_PAY}: the pay of {MOST_JOBS} jobs "
            "must fit into 64 bits",
            value=f"{shown(name)} with cap {numbers.cap}",
            next_step=f"Write a lower cap for {name}, or give the column in a larger unit.",
        )
    if not numbers.cap_from:
        raise InvalidParameter(
            "of",
            rule="must name a column whose cap_from says where its public cap comes from",
            value=f"{shown(name)} with cap {numbers.cap}",
            next_step=f"Write cap_from for {name} in the codebook. A cap that was computed "
            "from these data is not public.",
        )


def pseo_edges() -> tuple[int, ...]:
    """The 22 edges of PSEO's 21 classes, in dollars a year.

    After the first edge come the twentieths of a log-normal law, and two edges in its upper tail.
    """
    shares = (*(number / 20 for number in range(1, 20)), *LAST)
    return (FIRST, *(round(exp(LOG_NORMAL.inv_cdf(share))) for share in shares))


def _edges(of: Attribute, written: list[str] | str) -> tuple[int, ...]:
    """The edges that a plan writes in the unit of the column.

    Those of PSEO are of yearly pay: twelve times the pay of a month is not the pay of a year.
    """
    if written == PSEO:
        if of.numbers is None or of.numbers.period != "year" or of.numbers.unit not in UNITS:
            per_period = "" if of.numbers is None else of.numbers.per_period
            raise InvalidParameter(
                "bins",
                rule=f"must not be {PSEO} for a column that is not in dollars or cents per year: "
                "these edges are dollars a year",
                value=f"{PSEO} for {of.name} in {per_period}",
                next_step="Write a list of edges in the unit of the column.",
            )
        return tuple(edge * UNITS[of.numbers.unit] for edge in pseo_edges())
    texts = as_list(written)
    wrong = [text for text in texts if not WHOLE.fullmatch(text)]
    if wrong or len(texts) < 2:
        raise InvalidParameter(
            "bins",
            rule=f"must be {PSEO}, or a list of at least two edges: whole numbers of at most 15 "
            "digits in the unit of the column",
            value=shown(wrong[0]) if wrong else f"{len(texts)} edges",
            next_step="Write bins: [0, 100000, 200000], or leave it out for the codebook's "
            "classes.",
        )
    edges = tuple(map(int, texts))
    for before, after in pairwise(edges):
        if after <= before:
            raise InvalidParameter(
                "bins",
                rule="must have ascending edges",
                value=f"{after} after {before}",
                next_step="Order the edges, each once.",
            )
    return edges
