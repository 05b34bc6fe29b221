"""Laboratory: the pages of a gallery that `leeward attack all` wrote of made-up data.

They are files, read once when the page starts: an address is looked up among their names and never
becomes a path. They are answered under a content policy that allows no script and no form. A folder
with a page of confidential data is refused.
"""

from collections.abc import Mapping
from pathlib import Path
from stat import S_ISREG

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from leeward.core.errors import BadFile
from leeward.core.show.notebook import INTERNAL
from leeward.interface.web.site import LABORATORY, policy, site_of

INDEX = "index.html"
MOST_PAGES, MOST_BYTES = 100, 16 << 20
"""Maximum number of pages, and of bytes of all of them."""


def read_gallery(folder: Path) -> Mapping[str, str]:
    """The pages of a gallery by name; refuses one that is none, or that must stay inside."""
    try:
        paths = sorted(folder.glob("*.html"))
        states = [path.lstat() for path in paths]
        plain = all(S_ISREG(state.st_mode) for state in states)
        if not plain or len(paths) > MOST_PAGES or sum(s.st_size for s in states) > MOST_BYTES:
            raise _refused(folder, "must hold plain files, as they were written")
        pages = {path.name: path.read_text(encoding="utf-8") for path in paths}
    except (OSError, UnicodeDecodeError):
        raise _refused(folder, "must be a folder that can be read") from None
    if INDEX not in pages:
        raise _refused(folder, f"must hold the pages of a gallery, with {INDEX}")
    for name, content in pages.items():
        if INTERNAL in content:
            raise BadFile(
                "--gallery",
                rule="must be of made-up data: nothing that is internal is served",
                value=f"{name!r}, which is marked INTERNAL",
                next_step="Write another gallery without --data: leeward attack all --out gallery",
            )
    return pages


def _refused(folder: Path, rule: str) -> BadFile:
    return BadFile(
        "--gallery",
        rule=rule,
        value=repr(str(folder)),
        next_step="Write one: leeward attack all --out gallery",
    )


def routes() -> list[Route]:
    """The addresses of the gallery."""
    return [Route(f"/{LABORATORY}", first), Route(f"/{LABORATORY}/{{name}}", page)]


def first(request: Request) -> Response:
    """Redirect to the page with all attacks."""
    return RedirectResponse(f"{site_of(request).base}/{LABORATORY}/{INDEX}", 303)


def page(request: Request) -> Response:
    """One page of the gallery."""
    content = site_of(request).gallery.get(request.path_params["name"])
    if content is None:
        raise HTTPException(404)
    return HTMLResponse(content, headers={"Content-Security-Policy": policy(content)})
