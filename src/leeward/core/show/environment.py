"""Environment: the one Jinja environment, with the templates of every room that shows a page.

A template is named by its room: `report/report.html.j2`. Every value is escaped, and a missing
value is an error.
"""

from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, PrefixLoader, StrictUndefined, Template
from markupsafe import Markup

from leeward.core.exact import number_text
from leeward.core.show import notebook, numbers

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


def template(name: str) -> Template:
    """A template by its room and file name."""
    return environment().get_template(name)


@cache
def environment() -> Environment:
    """The environment with its filters; `style` is the style sheet for a page in one file."""
    made = Environment(
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
    made.filters |= {one.__name__: one for one in FILTERS}
    made.filters |= {"number": number_text, "breakable": breakable, "prose": prose}
    made.globals["style"] = style_sheet
    return made


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
