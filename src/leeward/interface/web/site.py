"""Site: what one run of the page shows, and how its templates become pages."""

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse

from leeward.core.errors import LeewardError, Problems
from leeward.core.show import environment
from leeward.interface.report.glossary import glossary
from leeward.interface.web.geography import Geography

ADDRESS = "127.0.0.1"
"""The page serves this machine alone: no option sets another address."""

LABORATORY = "laboratory"
TABS = {"plan": "Plan", "releases": "Releases", "ledger": "Ledger"}
STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)


@dataclass(frozen=True)
class Site:
    """The token in the address, the port, and the files that the tabs show."""

    token: str
    port: int
    plan: Path | None
    releases: Path
    ledger: Path | None
    gallery: Mapping[str, str] = field(default_factory=dict)
    """The pages of the laboratory by name, of made-up data alone."""

    tables: Path | None = None
    """The folder whose tables a plan may be drafted from."""

    geography: Geography | None = None

    failed: Callable[[Exception], None] | None = None
    """Called with each unexpected exception; `--debug` shows its traceback on the terminal."""

    @property
    def tabs(self) -> Mapping[str, str]:
        """Tabs by address; the laboratory is one if there is a gallery."""
        return {**TABS, **({LABORATORY: "Laboratory"} if self.gallery else {})}

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
    text = page.render(base=site.base, site=site, tabs=site.tabs, glossary=glossary(), **values)
    # JSON and YAML can hold lone surrogates, which UTF-8 cannot: they become question marks.
    return HTMLResponse(text.encode(errors="replace"), status_code=status)


def policy(page: str) -> str:
    """A content policy without scripts and forms; it allows the styles of this page alone."""
    styles = [f"'sha256-{_digest(style)}'" for style in STYLE.findall(page)] or ["'none'"]
    return (
        f"default-src 'none'; style-src {' '.join(styles)}; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'; sandbox allow-downloads"
    )


def _digest(style: str) -> str:
    return b64encode(sha256(style.encode()).digest()).decode()
