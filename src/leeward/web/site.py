"""Site: what one run of the page shows, and how its templates become pages."""

from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse

from leeward.errors import LeewardError, Problems
from leeward.show import environment

ADDRESS = "127.0.0.1"
"""The page serves this machine alone: no option sets another address."""

TABS = {"plan": "Plan", "releases": "Releases", "ledger": "Ledger"}


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
    page = environment.template(f"web/{template}")
    text = page.render(base=site.base, site=site, tabs=TABS, **values)
    # JSON and YAML can hold lone surrogates, which UTF-8 cannot: they become question marks.
    return HTMLResponse(text.encode(errors="replace"), status_code=status)
