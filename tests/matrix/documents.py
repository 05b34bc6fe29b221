"""Plans and bundles that are left in a folder where a page of the documents was followed."""

from collections.abc import Iterator
from pathlib import Path

import yaml

from tests.browser.view import View
from tests.matrix import windows
from tests.matrix.consumers import OF_BUNDLES, OF_PLANS
from tests.matrix.gaps import differences, read_gaps
from tests.matrix.page import Visit
from tests.web.serving import serving

REJECTED = {
    "wrong.yaml": "own-data shows the error of this plan",
    "reports/plan.yaml": "a draft of umetrics, whose lists the reader fills",
    "reports/joint.yaml": "a draft of umetrics, whose lists the reader fills",
}
"""Plans that are rejected on their page, and why."""


MOST = 8
"""How many pages of one kind are opened: `test_matrix.py` opens all of them."""


ALIKE = ("/ledger", "/glossary", "/laboratory")
"""Pages that are looked at with the plans of the matrix."""


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
    outcomes = [
        *(one for plan in plans for consumer in OF_PLANS.values() for one in consumer(plan)),
        *(one for bundle in bundles for use in OF_BUNDLES.values() for one in use(bundle, None)),
    ]
    faults = differences(outcomes, read_gaps())
    for plan in plans:
        faults += visited(plan, folder, "/plan", view)
    for home in {bundle.parent for bundle in bundles}:
        faults += visited(None, home, "/", view)
    return faults


def visited(plan: Path | None, releases: Path, within: str, view: View) -> list[str]:
    """What is wrong with the pages whose addresses begin like this."""
    with serving(plan, releases) as page:
        start = "/plan" if plan else "/releases"
        visit = Visit(page, most=MOST, within=within).crawl(start)
        known = ALIKE if plan else (*ALIKE, "/plan")
        return visit.faults + windows.faults(visit, releases, view, known=known)
