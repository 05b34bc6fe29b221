"""Environment: the one Jinja environment, with the templates of every room that shows a page.

A template is named by its room: `report/report.html.j2`. Every value is escaped, and a missing
value is an error. A picture is a chart as one SVG file that needs no style sheet, for other
documents.
"""

import re
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, PrefixLoader, StrictUndefined, Template
from markupsafe import Markup

from leeward.core.exact import number_text
from leeward.core.show import notebook, numbers

if TYPE_CHECKING:
    from leeward.core.show.charts import Bars
    from leeward.core.show.heat import Map
    from leeward.core.show.point_charts import Trend

ROOMS = (
    *("core/show", "publishing/plan", "systems/synth", "systems/local"),
    *("lab/evaluate", "lab/attacks", "interface/report", "interface/web"),
)
FILTERS = (
    *(numbers.alpha, numbers.amount_left, numbers.capital, numbers.cases, numbers.correlation),
    *(
        numbers.bounded,
        numbers.count,
        numbers.counted,
        numbers.cut,
        numbers.error,
        numbers.loss,
        numbers.losses,
    ),
    *(numbers.percent, numbers.protected, numbers.reach, numbers.rest, numbers.share),
    *(numbers.short, numbers.significant, numbers.size, numbers.tick, numbers.tied, numbers.time),
)

COLOUR = re.compile(r"--([a-z0-9-]+): (#[0-9a-f]{6})")
WIDTH = 800
LETTERS = 46
"""Maximum length of a line of a label beside a bar, in characters."""


def template(name: str) -> Template:
    """A template by its room and file name."""
    return environment().get_template(name)


@cache
def environment() -> Environment:
    """The environment with its filters; `style` is the style sheet for a page in one file."""
    jinja = Environment(
        loader=PrefixLoader(
            {
                room.partition("/")[2]: PackageLoader("leeward", f"{room}/templates")
                for room in ROOMS
            }
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    jinja.filters |= {words.__name__: words for words in FILTERS}
    jinja.filters |= {"number": number_text, "breakable": breakable, "prose": prose}
    jinja.globals["style"] = style_sheet
    return jinja


@cache
def style_sheet() -> Markup:
    """The style sheet of every page."""
    text = files("leeward.core.show").joinpath("style.css").read_text(encoding="utf-8")
    return Markup(text)  # noqa: S704 (a file of the package)


def prose(text: object) -> Markup:
    """Words of a sentence, in which what is in backticks is code; all else is escaped."""
    done = hasattr(text, "__html__")
    return Markup(text if done else notebook.prose(text))  # noqa: S704 (escaped there)


def breakable(name: str) -> Markup:
    """A name of a table or file with places where a line may end."""
    joints = {sign: sign + Markup("<wbr>") for sign in "_-/"} | {".": Markup("<wbr>.")}
    return Markup("").join(joints.get(sign, sign) for sign in name)


def picture(chart: "Bars | Trend | Map", caption: str) -> str:
    """The chart with its title and a caption, in the colours of a light page."""
    page = template("show/picture.svg.j2")
    return page.render(chart=chart, lines=_lines(caption), colours=colours(), width=WIDTH)


@cache
def colours() -> dict[str, str]:
    """The colours of the style sheet by name; a light page has the first of each name."""
    first = dict[str, str]()
    for name, colour in COLOUR.findall(style_sheet()):
        first.setdefault(name, colour)
    return first


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
