"""App: the tabs of the page, its static files and its error pages behind one guard."""

from functools import lru_cache
from importlib.resources import files
from pathlib import PurePath

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from leeward.core.errors import LeewardError
from leeward.core.show.environment import style_sheet
from leeward.interface.web import laboratory, ledger_tab, plan_tab, releases_tab
from leeward.interface.web.guard import Guard
from leeward.interface.web.site import Site, listed, render, site_of

WORDS = {404: "There is no such page.", 405: "This address is asked in another way."}
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
STYLE = "style.css"


def make_app(site: Site) -> Guard:
    """The page of a site; only requests that the guard accepts reach it."""
    app = Starlette(
        routes=[
            Route("/", first),
            Route("/static/{name}", static),
            Route("/glossary", glossary_page),
            *plan_tab.routes(),
            *releases_tab.routes(),
            *ledger_tab.routes(),
            *laboratory.routes(),
        ],
        exception_handlers={
            HTTPException: not_there,
            LeewardError: refused,
            Exception: unexpected,
        },
    )
    app.router.redirect_slashes = False
    app.state.site = site
    return Guard(app, site)


def first(request: Request) -> Response:
    """Redirect to the first tab."""
    return RedirectResponse(f"{site_of(request).base}/plan", 303)


def glossary_page(request: Request) -> Response:
    """Every term with its meaning."""
    return render(request, "glossary_page.html.j2")


def static(request: Request) -> Response:
    """A style sheet, a script or the icon, by its name in the package."""
    name = request.path_params["name"]
    content = _static_files().get(name)
    if content is None:
        raise HTTPException(404)
    return Response(content, media_type=TYPES[PurePath(name).suffix])


@lru_cache(maxsize=1)
def _static_files() -> dict[str, bytes]:
    """Contents by name: an address is looked up here and never becomes a path."""
    packaged = (files("leeward.interface.web") / "static").iterdir()
    contents = {
        file.name: file.read_bytes() for file in packaged if PurePath(file.name).suffix in TYPES
    }
    return contents | {STYLE: style_sheet().encode()}


def not_there(request: Request, error: Exception) -> Response:
    """The answer to an address without a page."""
    status = getattr(error, "status_code", 404)
    words = WORDS.get(status, "This cannot be answered.")
    return render(request, "error.html.j2", status=status, words=words, refusals=())


def refused(request: Request, error: Exception) -> Response:
    """A refusal of the program, with its next step."""
    refusals = listed(error) if isinstance(error, LeewardError) else ()
    words = "This cannot be shown."
    return render(request, "error.html.j2", status=400, words=words, refusals=refusals)


def unexpected(request: Request, error: Exception) -> Response:
    """The name of an unexpected exception; its message may be confidential and is not shown."""
    failed = site_of(request).failed
    if failed is not None:
        failed(error)
    name = type(error).__name__
    words = f"Unexpected {name}. The page is still up: go back and try again.\n"
    return PlainTextResponse(words, 500)
