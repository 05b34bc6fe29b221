"""Releases tab: the bundles, and the page of one with its verification, report and sign-offs.

The file report.html of a bundle is not under its checksums, so it is never served: the report is
made again from the bundle, under a content policy that allows no script and no form.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from stat import S_ISREG

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Route

from leeward.core.errors import Damaged, LeewardError
from leeward.core.show.notebook import Figure
from leeward.derived.settle.tidy_statements import restated_findings
from leeward.interface.report.document import report
from leeward.interface.report.glance import budget_figure
from leeward.interface.report.promise import Saying, promised, unprotected
from leeward.interface.report.writing import refuse_unsound, report_findings
from leeward.interface.web.releases_comparison import comparison_page, series_file, series_page
from leeward.interface.web.releases_files import file_answer
from leeward.interface.web.releases_folder import ShownBundles, bundle_of, listing, unchanged
from leeward.interface.web.releases_map import map_page, map_picture
from leeward.interface.web.releases_outputs import (
    output_file,
    output_page,
    output_report,
    output_verification,
    shelf,
)
from leeward.interface.web.releases_pivot import pivot_page
from leeward.interface.web.releases_print import print_page, print_pivot
from leeward.interface.web.releases_table import table_page
from leeward.interface.web.site import listed, policy, read_form, render, site_of
from leeward.publishing.bundle import Bundle, read_bundle, verify_bundle
from leeward.publishing.bundle.bundle_files import TABLES
from leeward.publishing.bundle.signoff import (
    DECISIONS,
    SignOff,
    certificate_digest,
    read_sign_offs,
    record_path,
    sign,
    standing,
)
from leeward.publishing.bundle.software import not_compared
from leeward.publishing.release.ledger_check import entry_findings


@dataclass(frozen=True)
class BundleCheck:
    """The findings about a bundle; `ledger` says whether its ledger was checked too.

    `note` says what was not compared, since another version made the bundle.
    """

    findings: tuple[str, ...]
    ledger: bool
    refusals: tuple[LeewardError, ...] = ()
    note: str | None = None

    @property
    def sound(self) -> bool:
        """Whether there are no findings and no refusals."""
        return not self.findings and not self.refusals

    @property
    def may_be_signed(self) -> bool:
        """Whether it is sound, and all was compared or the ledger confirms it."""
        return self.sound and (self.note is None or self.ledger)


@dataclass(frozen=True)
class SignOffs:
    """The sign-off records of a bundle, and the digest of its present certificate."""

    records: tuple[SignOff, ...]
    digest: str
    refusals: tuple[LeewardError, ...] = ()

    @property
    def standing(self) -> SignOff | None:
        """The latest decision about the present certificate."""
        return standing(self.records, self.digest)


SIGNED = ("name", "role", "decision")
"""The fields of a sign-off."""


@dataclass(frozen=True)
class Signing:
    """The fields of a sign-off that was asked for, and what became of it."""

    name: str = ""
    role: str = ""
    decision: str = ""
    refusals: tuple[LeewardError, ...] = ()
    done: bool = False


@dataclass(frozen=True)
class Facts:
    """The contents of the certificate for a person, and the sign-offs."""

    bundle: Bundle
    promised: tuple[Saying, ...]
    unprotected: tuple[Saying, ...]
    account: Figure | None
    sign_offs: SignOffs


def routes() -> list[Route]:
    """The addresses of the tab. A bundle may have any name, so a comparison has its own."""
    return [
        Route("/releases", folder_page),
        Route("/releases/{name}", bundle_page),
        Route("/releases/{name}/verification", verification_page),
        Route("/releases/{name}/report", report_page),
        Route("/releases/{name}/tables/{table}.{form}", published_file),  # no table has a dot
        Route("/releases/{name}/tables/{table}", table_page),
        Route("/releases/{name}/sign-off", sign_off, methods=["POST"]),
        Route("/releases/{name}/tables/{table}/files/{file}", file_answer),
        Route("/releases/{name}/tables/{table}/pivot", pivot_page),
        Route("/releases/{name}/tables/{table}/print", print_page),
        Route("/releases/{name}/tables/{table}/pivot/print", print_pivot),
        Route("/releases/{name}/tables/{table}/map", map_page),
        Route("/releases/{name}/tables/{table}/map/{file}", map_picture),
        Route("/releases/{name}/tables/{table}/series", series_page),
        Route("/releases/{name}/tables/{table}/series/{file}", series_file),
        Route("/comparison", comparison_page),
        Route("/outputs/{name}", output_page),
        Route("/outputs/{name}/verification", output_verification),
        Route("/outputs/{name}/report", output_report),
        Route("/outputs/{name}/files/{file}", output_file),
    ]


def folder_page(request: Request) -> Response:
    """The list of bundles."""
    query = request.query_params
    folder = site_of(request).releases
    bundles = listing(folder)
    shown = ShownBundles.of_listing(bundles, query.get("search", "").strip(), query.get("page", ""))
    return render(request, "releases.html.j2", shown=shown, shelf=shelf(folder))


def bundle_page(request: Request) -> Response:
    """One bundle; its tables are not read."""
    return _bundle_answer(request, bundle_of(request), None)


def verification_page(request: Request) -> Response:
    """The same page after a verification, which writes nothing."""
    bundle = bundle_of(request)
    return _bundle_answer(request, bundle, checked(bundle.path, site_of(request).ledger))


def sign_off(request: Request) -> Response:
    """Verify the bundle, then record a decision beside it, as `leeward verify --sign-off` does."""
    bundle, fields = bundle_of(request), dict(read_form(request.state.body))
    name, role, decision = (fields.get(key, "").strip() for key in SIGNED)
    signing = Signing(name, role, decision)
    before = certificate_digest(bundle.path)
    verification = checked(bundle.path, site_of(request).ledger)
    if verification.may_be_signed:
        try:
            _refuse_strange(record_path(bundle.path))
            sign(bundle.path, name, role, decision, verified=before)
            signing = Signing(done=True)
        except LeewardError as error:
            signing = replace(signing, refusals=listed(error))
    return _bundle_answer(request, bundle, verification, signing)


def _bundle_answer(
    request: Request,
    bundle: Bundle,
    verification: BundleCheck | None,
    signing: Signing | None = None,
) -> Response:
    refused = signing is not None and not signing.done
    return render(
        request,
        "releases_bundle.html.j2",
        status=422 if refused else 200,
        facts=facts(bundle),
        verification=verification,
        signing=signing or Signing(),
        decisions=DECISIONS,
    )


def report_page(request: Request) -> Response:
    """The report of a sound bundle, made again."""
    bundle = bundle_of(request)
    refuse_unsound(bundle.path)
    page = report(bundle)
    return HTMLResponse(page, headers={"Content-Security-Policy": policy(page)})


def published_file(request: Request) -> Response:
    """A file of a table as it was published, which the report links to."""
    address, bundle = request.path_params, bundle_of(request)
    name = f"{TABLES}/{address['table']}.{address['form']}"
    stamp, path = bundle.certificate.files.get(name), bundle.path / name
    if stamp is None:
        raise HTTPException(404)
    return FileResponse(unchanged(path, stamp), filename=path.name)


def checked(path: Path, ledger: Path | None) -> BundleCheck:
    """The checks of `leeward verify`: the ledger is checked only for a sound bundle."""
    findings = verify_bundle(path) or report_findings(path) or restated_findings(read_bundle(path))
    note = None if findings else not_compared(read_bundle(path).certificate)
    if ledger is None or findings:
        return BundleCheck(findings, ledger=False, note=note)
    try:
        entry = entry_findings(read_bundle(path).certificate, ledger)
        return BundleCheck(tuple(entry), ledger=True, note=note)
    except LeewardError as error:
        return BundleCheck((), ledger=True, refusals=listed(error))


def facts(bundle: Bundle) -> Facts:
    """The facts of a bundle, read without opening a table."""
    certificate, digest = bundle.certificate, certificate_digest(bundle.path)
    try:
        _refuse_strange(record_path(bundle.path))
        sign_offs = SignOffs(read_sign_offs(bundle.path), digest)
    except LeewardError as error:
        sign_offs = SignOffs((), digest, listed(error))
    return Facts(
        bundle,
        promised(certificate),
        unprotected(certificate),
        budget_figure(certificate.budget),
        sign_offs,
    )


def _refuse_strange(record: Path) -> None:
    """Refuse anything but a regular file: reading from a pipe would never end."""
    try:
        plain = S_ISREG(record.lstat().st_mode)
    except OSError:  # missing or unreadable: the reader says so
        return
    if not plain:
        raise Damaged(
            "sign-off",
            rule="must be a file, not a link",
            value=repr(str(record)),
            next_step="Put the record itself beside the bundle.",
        )
