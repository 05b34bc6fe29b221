"""Plan: the tab on which a release is planned; it opens no data."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from leeward.web.rendering import render


def routes() -> list[Route]:
    """The addresses of the tab."""
    return [Route("/plan", page)]


def page(request: Request) -> Response:
    """The plan as a form, with what it promises, costs and errs."""
    return render(request, "plan.html.j2")
