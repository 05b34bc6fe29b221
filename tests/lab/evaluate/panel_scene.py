"""A small figure to try: two panels, three lines, a gap, letters that need care."""

from leeward.lab.evaluate.panels import Direction, Facet, FacetPlot, Stroke, Trace, TracePoint

MARK = "INTERNAL: <not> for publication & so on."
TITLE = 'Ratio & "rank" <of> cells'
EPSILONS = (0.5, 1.0, 2.0, 4.0)
STROKES = (
    Stroke("#0072B2", width=2.5),
    Stroke("#E69F00", "6 3", "square"),
    Stroke("#56B4E9", "1 3", "diamond"),
)
LABELS = ("first <line>", "second line\nin two rows", "third line")


def points(height: float, *, gap: bool = False, bound: str = "") -> tuple[TracePoint, ...]:
    """A line that falls; with a gap at 1, or a bound at 4."""
    return tuple(
        TracePoint(x, None if gap and x == 1 else height / x, bound if x == 4 else "")
        for x in EPSILONS
    )


def plot(bound: str = "") -> FacetPlot:
    """Lines that end close together; the second has a gap."""
    facets = tuple(
        Facet(
            title,
            tuple(
                Trace(label, stroke, points(height * factor, gap=factor == 1.02, bound=bound))
                for label, stroke, factor in zip(LABELS, STROKES, (1.0, 1.02, 1.04), strict=True)
            ),
        )
        for title, height in (("left", 1.0), ("right", 3.0))
    )
    return FacetPlot(
        TITLE,
        Direction("privacy loss ε", log=True, ticks=EPSILONS),
        Direction("error ÷ error of infusion", log=True),
        facets,
        "What is seen.",
        (1, "as today"),
        MARK,
    )
