"""Site: what one run of the page shows, and how its templates become pages."""

import re
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TypeVar
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import HTMLResponse

from leeward.core.errors import InvalidParameter, LeewardError, Problems
from leeward.core.show import environment
from leeward.interface.report.glossary import glossary
from leeward.interface.web.geography import Geography

ADDRESS = "127.0.0.1"
"""The page serves this machine alone: no option sets another address."""

Item = TypeVar("Item")
Fields = list[tuple[str, str]]
"""Names and texts of a form, in the order of the page."""

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


def read_form(body: bytes) -> Fields:
    """The fields that a browser sent; the guard has limited the size of the body."""
    try:
        return parse_qsl(body.decode("ascii"), keep_blank_values=True, errors="strict")
    except ValueError:
        raise InvalidParameter(
            "form",
            rule="must hold fields of text in UTF-8",
            value="something else",
            next_step="Go back and send the form of the page.",
        ) from None


def listed(error: LeewardError) -> tuple[LeewardError, ...]:
    """One refusal or several, each by itself."""
    return error.problems if isinstance(error, Problems) else (error,)


def attempt(make: Callable[[], Item]) -> tuple[Item | None, tuple[LeewardError, ...]]:
    """What an address asks for, or the refusals that a page shows in its place."""
    try:
        return make(), ()
    except LeewardError as error:
        return None, listed(error)


def one_page(items: Sequence[Item], text: str, size: int) -> tuple[Sequence[Item], int, int]:
    """The items of the page that an address asks for, its number from 1 on, and that of pages."""
    pages = max(1, -(-len(items) // size))
    wanted = int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 1
    number = min(max(wanted, 1), pages)
    return items[(number - 1) * size : number * size], number, pages


def render(request: Request, template: str, *, status: int = 200, **values: object) -> HTMLResponse:
    """A page or a part of one; `base` begins every address in it."""
    site = site_of(request)
    page = environment.template(f"web/{template}")
    text = page.render(base=site.base, site=site, tabs=site.tabs, glossary=glossary(), **values)
    # JSON and YAML can hold lone surrogates, which UTF-8 cannot: they become question marks.
    return HTMLResponse(text.encode(errors="replace"), status_code=status)


def policy(page: str) -> str:
    """A content policy without scripts and forms; it allows the styles of this page alone."""
    digests = (sha256(style.encode()).digest() for style in STYLE.findall(page))
    styles = [f"'sha256-{b64encode(digest).decode()}'" for digest in digests] or ["'none'"]
    return (
        f"default-src 'none'; style-src {' '.join(styles)}; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'; sandbox allow-downloads"
    )
