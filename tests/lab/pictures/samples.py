"""A small chart to try: two panels, three lines, a gap, letters that need care."""

from collections.abc import Iterator

from leeward.lab.pictures import Axis, Panels, Reference, Series

MARK = "INTERNAL: <not> for publication & so on."
TITLE = 'Ratio & "rank" <of> cells'

CHART = Panels(
    TITLE,
    Axis("epsilon", "privacy loss ε", log=True, ticks=(0.5, 1, 2, 4)),
    Axis("ratio", "error ÷ error of infusion", log=True),
    (
        Series("a", "first <line>", "#0072B2", width=2.5),
        Series("b", "second line\nin two rows", "#E69F00", (6, 3), "square"),
        Series("c", "third line", "#56B4E9", (1, 3), "diamond"),
    ),
    subtitle="What is seen.",
    reference=Reference(1, "as today"),
    mark=MARK,
)


def rows() -> Iterator[dict[str, object]]:
    """Lines that end close together; the second has a gap at 1."""
    for panel, height in (("left", 1.0), ("right", 3.0)):
        for series, factor in (("a", 1.0), ("b", 1.02), ("c", 1.04)):
            for epsilon in (0.5, 1.0, 2.0, 4.0):
                gap = series == "b" and epsilon == 1
                ratio = None if gap else height * factor / epsilon
                yield {"panel": panel, "series": series, "epsilon": epsilon, "ratio": ratio}
