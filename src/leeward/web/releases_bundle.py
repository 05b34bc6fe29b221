"""Bundle: what the page tells about one bundle, and what it finds when it looks closely."""

from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG

from leeward.bundle import Bundle, verify_bundle
from leeward.bundle.signoff import (
    SignOff,
    certificate_digest,
    read_sign_offs,
    record_path,
    standing,
)
from leeward.errors import Damaged, LeewardError
from leeward.publishing.ledger_check import entry_findings
from leeward.report.figure import Figure, account
from leeward.report.promise import Saying, promised, unprotected
from leeward.report.writing import report_findings
from leeward.web.refusals import listed


@dataclass(frozen=True)
class Verification:
    """What was found; `ledger` says whether the ledger was asked too."""

    findings: tuple[str, ...]
    ledger: bool
    refusals: tuple[LeewardError, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether nothing speaks against the bundle."""
        return not self.findings and not self.refusals


@dataclass(frozen=True)
class SignOffs:
    """Who signed; `digest` is the certificate that lies there now."""

    records: tuple[SignOff, ...]
    digest: str
    refusals: tuple[LeewardError, ...] = ()

    @property
    def standing(self) -> SignOff | None:
        """The decision that holds."""
        return standing(self.records, self.digest)


def checked(path: Path, ledger: Path | None) -> Verification:
    """As `leeward verify` does it: the ledger is asked only about a bundle that is sound."""
    findings = verify_bundle(path) or report_findings(path)
    if ledger is None or findings:
        return Verification(findings, ledger=False)
    try:
        return Verification(tuple(entry_findings(path, ledger)), ledger=True)
    except LeewardError as error:
        return Verification((), ledger=True, refusals=listed(error))


@dataclass(frozen=True)
class Facts:
    """What the certificate says, and who signed."""

    bundle: Bundle
    promised: tuple[Saying, ...]
    unprotected: tuple[Saying, ...]
    account: Figure | None
    sign_offs: SignOffs


def facts(bundle: Bundle) -> Facts:
    """What is known without opening a table."""
    certificate = bundle.certificate
    return Facts(
        bundle,
        promised(certificate),
        unprotected(certificate),
        account(certificate.budget),
        _sign_offs(bundle.path),
    )


def _sign_offs(bundle: Path) -> SignOffs:
    digest = certificate_digest(bundle)
    try:
        _refuse_strange(record_path(bundle))
        return SignOffs(read_sign_offs(bundle), digest)
    except LeewardError as error:
        return SignOffs((), digest, listed(error))


def _refuse_strange(record: Path) -> None:
    """Nothing but a plain file is opened: reading from a pipe would never end."""
    try:
        plain = S_ISREG(record.lstat().st_mode)
    except OSError:  # not there, or not to be looked at: the reader says so
        return
    if not plain:
        raise Damaged(
            "sign-off",
            rule="must be a file, not a link",
            value=repr(str(record)),
            next_step="Put the record itself beside the bundle.",
        )
