"""App: the tabs of the page behind one guard."""

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from leeward.errors import LeewardError
from leeward.web import assets, ledger, plan, releases
from leeward.web.guard import Guard
from leeward.web.refusals import listed
from leeward.web.rendering import render, site_of
from leeward.web.site import Site

WORDS = {404: "There is no such page.", 405: "This address is asked in another way."}


def make_app(site: Site) -> Guard:
    """The page of a site; only what the guard lets through reaches it."""
    app = Starlette(
        routes=[
            Route("/", first),
            *assets.routes(),
            *plan.routes(),
            *releases.routes(),
            *ledger.routes(),
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
    """The first tab."""
    return RedirectResponse(f"{site_of(request).base}/plan", 303)


def not_there(request: Request, error: Exception) -> Response:
    """An address that leads nowhere."""
    status = getattr(error, "status_code", 404)
    words = WORDS.get(status, "This cannot be answered.")
    return render(request, "error.html.j2", status=status, words=words, refusals=())


def refused(request: Request, error: Exception) -> Response:
    """A refusal of the program, with its next step."""
    refusals = listed(error) if isinstance(error, LeewardError) else ()
    words = "This cannot be shown."
    return render(request, "error.html.j2", status=400, words=words, refusals=refusals)


def unexpected(_: Request, error: Exception) -> Response:
    """Something that nobody foresaw: its name alone, since its words may be confidential."""
    told = f"Unexpected {type(error).__name__}. The page is still up: go back and try again.\n"
    return PlainTextResponse(told, 500)
