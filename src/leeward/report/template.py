"""Template: how facts become HTML. Everything is escaped, and nothing may be missing."""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from leeward.report import number
from leeward.report.section import by

FILTERS = {
    "alpha": number.alpha,
    "amount_left": number.amount_left,
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
