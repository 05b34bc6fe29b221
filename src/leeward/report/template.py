"""Template: how facts become HTML. Everything is escaped, and nothing may be missing."""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from leeward.report import number
from leeward.report.section import by


def breakable(name: str) -> Markup:
    """A name that may be broken after its joints, and nowhere else if it can be helped."""
    joints = {"_": "_<wbr>", "-": "-<wbr>"}
    return Markup("").join(Markup(joints[sign]) if sign in joints else sign for sign in name)  # noqa: S704 (constants of our own; what stands between them is escaped)


FILTERS = {
    "alpha": number.alpha,
    "amount_left": number.amount_left,
    "breakable": breakable,
    "by": by,
    "count": number.count,
    "counted": number.counted,
    "losses": number.losses,
    "margin": number.margin,
}


@cache
def template(name: str) -> Template:
    """A template of the package, wherever the package lies."""
    environment = Environment(
        loader=PackageLoader("leeward.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters.update(FILTERS)
    return environment.get_template(name)
