"""Releases: the tab that shows the bundles of a folder, their tables, and two of them compared."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from leeward.bundle import Bundle
from leeward.report.writing import refuse_unsound
from leeward.web import releases_words as say
from leeward.web.releases_bundle import Verification, checked, facts
from leeward.web.releases_comparison import comparison
from leeward.web.releases_folder import Shown, listing, opened
from leeward.web.releases_report import report_answer
from leeward.web.releases_table import table
from leeward.web.rendering import render, site_of


def routes() -> list[Route]:
    """The addresses of the tab. A bundle may have any name, so a comparison has its own."""
    return [
        Route("/releases", folder),
        Route("/releases/{name}", bundle),
        Route("/releases/{name}/verification", verification),
        Route("/releases/{name}/report", report),
        Route("/releases/{name}/tables/{table}", table),
        Route("/comparison", comparison),
    ]


def folder(request: Request) -> Response:
    """What lies in the folder."""
    asked = request.query_params
    found = listing(site_of(request).releases)
    shown = Shown.of_listing(found, asked.get("search", "").strip(), asked.get("page", ""))
    return render(request, "releases.html.j2", shown=shown, say=say)


def bundle(request: Request) -> Response:
    """One bundle; nothing of its tables is read."""
    asked = opened(site_of(request).releases, request.path_params["name"])
    return _bundle_page(request, asked, None)


def verification(request: Request) -> Response:
    """The same, with everything checked that can be. It changes nothing."""
    site = site_of(request)
    asked = opened(site.releases, request.path_params["name"])
    return _bundle_page(request, asked, checked(asked.path, site.ledger))


def _bundle_page(request: Request, asked: Bundle, found: Verification | None) -> Response:
    page = "releases_bundle.html.j2"
    return render(request, page, facts=facts(asked), verification=found, say=say)


def report(request: Request) -> Response:
    """The report of a bundle that is sound, made anew."""
    asked = opened(site_of(request).releases, request.path_params["name"])
    refuse_unsound(asked.path)
    return report_answer(asked)
