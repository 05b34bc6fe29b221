"""Plans and bundles that are left in a folder where a page of the documents was followed."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import yaml

import leeward
from tests.browser.view import View
from tests.interface.web.serving import serving
from tests.matrix import windows
from tests.matrix.consumers import OF_BUNDLES, OF_PLANS
from tests.matrix.gaps import differences, read_gaps
from tests.matrix.page import Visit

REJECTED = {
    "wrong.yaml": "own-data shows the error of this plan",
    "reports/plan.yaml": "a draft of umetrics, whose lists the reader fills",
    "reports/joint.yaml": "a draft of umetrics, whose lists the reader fills",
}
"""Plans that are rejected on their page, and why."""


MOST = 4
"""How many pages of one kind are opened: `test_matrix.py` opens all of them."""


SEEN: set[tuple[str, "Kind"]] = set()
"""The routes and kinds of bundles that were looked at in a browser in this process."""

READ: set["Kind"] = set()
"""The kinds of bundles that went through every consumer in this process."""

ALIKE = ("/ledger", "/glossary", "/laboratory")
"""Pages that are looked at with the plans of the matrix."""


Kind = tuple[bool, tuple[tuple[object, ...], ...]]


def plans_in(folder: Path) -> Iterator[Path]:
    """The plan files of a folder, of its own and in folders inside."""
    for path in sorted(folder.rglob("*.yaml")):
        written = yaml.safe_load(path.read_text(encoding="utf-8"))
        is_plan = isinstance(written, dict) and {"protect", "tables", "data"} <= written.keys()
        if is_plan and str(path.relative_to(folder)) not in REJECTED:
            yield path


def bundles_in(folder: Path) -> Iterator[Path]:
    """The bundles of releases: those that `leeward tidy` made come up on their way."""
    for path in sorted(folder.rglob("tables")):
        if path.is_dir() and (path.parent / "certificate.json").is_file():
            yield path.parent


def faults_in(folder: Path, view: View) -> list[str]:
    """What is wrong where all plans and bundles of a folder go through every consumer."""
    plans, bundles = [*plans_in(folder)], [*bundles_in(folder)]
    unread = {kind: bundle for bundle in bundles if (kind := kind_of(bundle)) not in READ}
    READ.update(unread)
    outcomes = [
        *(one for plan in plans for consumer in OF_PLANS.values() for one in consumer(plan)),
        *(one for bundle in unread.values() for use in OF_BUNDLES.values()
          for one in use(bundle, None)),
    ]  # fmt: skip
    faults = differences(outcomes, read_gaps())
    for plan in plans:
        with serving(plan, folder) as page:
            faults += _faults_of(Visit(page, MOST, "/plan").crawl("/plan"), folder, view)
    for home in {bundle.parent for bundle in bundles}:
        with serving(None, home) as page:
            faults += _faults_of(Visit(page, MOST).crawl("/releases"), home, view)
    return faults


def _faults_of(visit: Visit, releases: Path, view: View) -> list[str]:
    return visit.faults + windows.faults(visit, unseen(visit, releases), releases, view)


def unseen(visit: Visit, releases: Path) -> Iterator[str]:
    """An address for each page, and for each kind of bundle that was not looked at before."""
    but = ALIKE if visit.page.site.plan else (*ALIKE, "/plan")
    for route, opened in windows.pages(visit, but):
        if not route.startswith("/releases/{name}"):
            yield opened[0]
            continue
        for address in opened:
            kind = (route, kind_of(releases / address.split("/")[2]))
            if kind not in SEEN:
                SEEN.add(kind)
                yield address


@cache
def kind_of(bundle: Path) -> "Kind":
    """What the pages of a bundle differ by: its tables, and whether they were settled."""
    certificate = leeward.read_bundle(bundle).certificate
    tables = ((one.identifiers, one.statistic, one.mechanism) for one in certificate.tables)
    return certificate.made_from is None, tuple(tables)
