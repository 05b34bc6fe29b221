"""Interpretation: the sentences that say how to read numbers with noise.

`leeward audit --promises` examines them: each has a probability that is computed from exact laws.
"""

from fractions import Fraction

from leeward.core.show.numbers import count, percent

MISSED = Fraction(1, 10)
"""How often a margin of 90 % may miss."""

OPEN = "not distinguishable from zero"
"""In legends: a number whose margin reaches zero."""

NOT_DISTINGUISHABLE = (
    "A number whose margin reaches zero is not distinguishable from zero; the true number may be "
    "as large as value + margin."
)

NOT_DISTINGUISHABLE_ENDS = (
    "A number whose low is not above 0 is not distinguishable from zero; the true number may be as "
    "large as high."
)

NET_CHANGES = "A net change is not distinguishable from zero if its interval includes 0."

LEVEL = Fraction(1, 10)
"""Which share of the cells that are called different may be noise, on average."""

FALSE_DISCOVERIES = (
    f"Of the cells that are called different, at most {percent(float(LEVEL))} are expected to be "
    "noise (the false discovery rate)."
)

TESTS = {
    True: "The test of all cells together is that of Benjamini and Hochberg: errors of cells are "
    "independent.",
    False: "The test of all cells together is that of Benjamini and Yekutieli: errors of cells in "
    "one workplace cell, or of tables of one product, are correlated.",
}
"""The test, by whether the errors of cells are independent."""

UNTESTED = (
    "No cell is called different: the certificates do not state a law of the noise that can be "
    "tested, so the share of noise among the larger differences is not known."
)


def picked_words(column: str, rows: int, covered: float | None, *, least: bool = False) -> str:
    """What coverage the intervals of rows have that are listed by a released number.

    `least` says that those of other rows include the true number in at least 90 % of cases.
    """
    covers = percent(1 - float(MISSED))
    reason = f"Sorted by {column}: rows picked by released numbers are picked for their noise too."
    if covered is None:
        return (
            f"{reason} Their intervals include the true number in less than {covers} of cases; how "
            "much less is not known for this table."
        )
    which = "this row" if rows == 1 else f"these {count(rows)} rows"
    return (
        f"{reason} The intervals of {which} include the true number in about "
        f"{percent(round(covered, 2))} of cases, those of rows not so picked in "
        f"{'at least ' if least else ''}{covers}. This is "
        "an estimate from all released values and the public law of the noise; no proof bounds it."
    )


RANKS = (
    "Ranks are those that a cell may have among all cells of the table. In at least "
    f"{percent(1 - float(MISSED))} of cases they include the true ranks of all cells, so also of "
    "those that are listed first."
)

RANKS_OF_GROUPS = (
    "Ranks from low to high are those that a group may have. In at least "
    f"{percent(1 - float(MISSED))} of cases they include the true ranks of all groups together."
)
