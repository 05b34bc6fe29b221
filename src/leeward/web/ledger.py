"""Ledger: a tab of the page."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from leeward.web.rendering import render


def routes() -> list[Route]:
    """The addresses of the tab."""
    return [Route("/ledger", page)]


def page(request: Request) -> Response:
    """The tab."""
    return render(request, "ledger.html.j2")
