"""Assets: styles, scripts and the icon, bundled with the package."""

from functools import lru_cache
from importlib.resources import files
from pathlib import PurePath

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from leeward.pictures.plain import STYLE

TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
PICTURES = "pictures.css"


def routes() -> list[Route]:
    """One address for each file."""
    return [Route("/static/{name}", file)]


def file(request: Request) -> Response:
    """A file that the package has under this name."""
    name = request.path_params["name"]
    content = _contents().get(name)
    if content is None:
        raise HTTPException(404)
    return Response(content, media_type=TYPES[PurePath(name).suffix])


@lru_cache(maxsize=1)
def _contents() -> dict[str, bytes]:
    """What there is, by name: an address is looked up here and never leads to a path."""
    listed = (files("leeward.web") / "static").iterdir()
    found = {one.name: one.read_bytes() for one in listed if PurePath(one.name).suffix in TYPES}
    return found | {PICTURES: STYLE.encode()}
