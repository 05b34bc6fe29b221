"""Site: what one run of the page shows, and how its templates become pages."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from leeward.errors import LeewardError, Problems
from leeward.pictures import Picture
from leeward.privacy.words import alpha_text, number_text
from leeward.report.number import alpha, amount_left, count, counted, losses

ADDRESS = "127.0.0.1"
"""The page serves this machine alone: no option sets another address."""

TABS = {"plan": "Plan", "releases": "Releases", "ledger": "Ledger"}
UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")


@dataclass(frozen=True)
class Site:
    """The token in the address, the port, and the files that the tabs show."""

    token: str
    port: int
    plan: Path | None
    releases: Path
    ledger: Path | None

    @property
    def base(self) -> str:
        """The path that all addresses of the page begin with."""
        return f"/{self.token}"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names under which a browser of this machine reaches the page."""
        return f"{ADDRESS}:{self.port}", f"localhost:{self.port}"

    @property
    def url(self) -> str:
        """The address to open."""
        return f"http://{ADDRESS}:{self.port}{self.base}/"


def site_of(request: Request) -> Site:
    """The site that a request reached."""
    site: Site = request.app.state.site
    return site


def listed(error: LeewardError) -> tuple[LeewardError, ...]:
    """One refusal or several, each by itself."""
    return error.problems if isinstance(error, Problems) else (error,)


def page_number(text: str, pages: int) -> int:
    """The page that an address asks for, moved into 1 to `pages`."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 1
    return min(max(number, 1), pages)


def render(request: Request, template: str, *, status: int = 200, **values: object) -> HTMLResponse:
    """A page or a part of one; `base` begins every address in it."""
    site = site_of(request)
    page = _environment().get_template(template)
    text = page.render(base=site.base, site=site, tabs=TABS, **values)
    # JSON and YAML can hold lone surrogates, which UTF-8 cannot: they become question marks.
    return HTMLResponse(text.encode(errors="replace"), status_code=status)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    """Templates whose values are escaped; pictures alone are taken as they are."""
    made = Environment(
        loader=PackageLoader("leeward.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"drawn": drawn, "jobs": jobs, "number": number_text}
    made.globals["say"] = SimpleNamespace(
        alpha=alpha,
        amount_left=amount_left,
        cases=cases,
        count=count,
        counted=counted,
        losses=losses,
        size=size,
        time=time,
    )
    return made


def drawn(picture: Picture) -> Markup:
    """The SVG of a picture, which escapes its own texts."""
    return Markup(picture.svg)  # noqa: S704 (made by leeward.pictures)


def jobs(number: float | None) -> str:
    """An error in jobs, as `leeward plan` shows it."""
    if number is None:
        return "no mean"
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def size(number: int) -> str:
    """Bytes in the unit that leaves few digits."""
    amount, unit = float(number), 0
    while amount >= 1000 and unit < len(UNITS) - 1:
        amount, unit = amount / 1000, unit + 1
    return f"{amount:.3g} {UNITS[unit]}" if amount < 999.5 else f"{amount:.0f} {UNITS[unit]}"


def cases(share: Fraction) -> str:
    """How often something holds: in tenths where these are exact."""
    tenths = share * 10
    return f"{tenths} in 10 cases" if tenths.denominator == 1 else f"{alpha_text(share)} of cases"


def time(written: str) -> str:
    """A time of a certificate or a ledger, which both write in UTC, to the minute."""
    day, _, clock = written.partition("T")
    return f"{day} {clock[:5]} UTC" if clock else day
