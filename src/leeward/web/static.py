"""Static: style, script and icon, bundled with the package."""

from functools import lru_cache
from importlib.resources import files

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

TYPES = {
    "style.css": "text/css",
    "page.js": "text/javascript",
    "favicon.svg": "image/svg+xml",
}


def routes() -> list[Route]:
    """One address for each file."""
    return [Route("/static/{name}", file)]


def file(request: Request) -> Response:
    """A file that the package has under this name."""
    name = request.path_params["name"]
    if name not in TYPES:
        raise HTTPException(404)
    return Response(_content(name), media_type=TYPES[name])


@lru_cache(maxsize=len(TYPES))
def _content(name: str) -> bytes:
    return (files("leeward.web") / "static" / name).read_bytes()
