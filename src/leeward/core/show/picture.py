"""Picture: a chart as one SVG file that needs no style sheet, for other documents."""

import re
from functools import cache
from itertools import islice

from leeward.core.show.charts import Bars
from leeward.core.show.environment import style_sheet, template
from leeward.core.show.heat import Map
from leeward.core.show.point_charts import Trend

COLOUR = re.compile(r"--([a-z0-9-]+): (#[0-9a-f]{6})")
WIDTH = 800
LETTERS = 46
"""Maximum length of a line of a label beside a bar, in characters."""


def picture(chart: Bars | Trend | Map, caption: str) -> str:
    """The chart with its title and a caption, in the colours of a light page."""
    page = template("show/picture.svg.j2")
    return page.render(chart=chart, lines=_lines(caption), colours=colours(), width=WIDTH)


@cache
def colours() -> dict[str, str]:
    """The colours of the style sheet by name; a light page has the first of each name."""
    found = dict[str, str]()
    for name, colour in COLOUR.findall(style_sheet()):
        found.setdefault(name, colour)
    return found


def _lines(text: str, most: int = 110) -> list[str]:
    """A text in lines: SVG breaks none by itself."""
    lines, words = [""], iter(text.split())
    for word in islice(words, 200):
        room = len(lines[-1]) + len(word) < most
        if room:
            lines[-1] = f"{lines[-1]} {word}".strip()
        else:
            lines.append(word[:most])
    return lines
