"""Rendering: templates become pages, and everything that they are given is escaped."""

from functools import lru_cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from leeward.pictures import Picture
from leeward.privacy.words import number_text
from leeward.web.site import Site

TABS = {"plan": "Plan", "releases": "Releases", "ledger": "Ledger"}


def render(request: Request, template: str, *, status: int = 200, **values: object) -> HTMLResponse:
    """A page or a part of one; `base` begins every address in it."""
    site = request.app.state.site
    page = _environment().get_template(template)
    text = page.render(base=site.base, site=site, tabs=TABS, **values)
    # YAML can hold half a character, which no page can: it is shown as a question mark.
    return HTMLResponse(text.encode(errors="replace"), status_code=status)


def drawn(picture: Picture) -> Markup:
    """The SVG of a picture, which escapes what it shows; nothing else is taken as it is."""
    return Markup(picture.svg)  # noqa: S704 (made by leeward.pictures)


def jobs(number: float | None) -> str:
    """An error in jobs, as `leeward plan` shows it."""
    if number is None:
        return "no mean"
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def site_of(request: Request) -> Site:
    """What this run of the page shows."""
    site: Site = request.app.state.site
    return site


@lru_cache(maxsize=1)
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("leeward.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"drawn": drawn, "jobs": jobs, "number": number_text}
    return made
