"""`leeward verify`: whether bundles are what was sealed, agree, and the ledger knows them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from leeward.bundle import read_bundle, verify_bundle
from leeward.bundle.history import history_findings
from leeward.bundle.layout import CERTIFICATE, REPORT
from leeward.bundle.signoff import (
    DECISIONS,
    SignOff,
    certificate_digest,
    read_sign_offs,
    record_path,
    sign,
    standing,
)
from leeward.cli.screen import REFUSED, say
from leeward.errors import InvalidParameter
from leeward.publishing.ledger_check import entry_findings
from leeward.show.numbers import counted


def verify_command(
    bundle: Annotated[
        list[Path], typer.Argument(help="The bundle's folder; several are also compared.")
    ],
    ledger: Annotated[
        Path | None, typer.Option("--ledger", help="The ledger, to confirm the entry too.")
    ] = None,
    sign_off: Annotated[
        bool, typer.Option("--sign-off", help="Record a decision beside a sound bundle.")
    ] = False,
    name: Annotated[str | None, typer.Option(help="Who signs, with --sign-off.")] = None,
    role: Annotated[str | None, typer.Option(help="In which role, with --sign-off.")] = None,
    decision: Annotated[
        str | None, typer.Option(help=f"With --sign-off: {', '.join(DECISIONS)}.")
    ] = None,
) -> None:
    """Check bundles: checksums, tables, certificate; with the ledger also their entries.

    Several bundles of one ledger must agree with each other: an old copy of the ledger that was
    put back and used shows without the ledger. With --sign-off one sound bundle is signed: one
    person submits it, another one decides.

    Example: leeward verify bundle --ledger ledger.sqlite
    """
    given = {"--name": name, "--role": role, "--decision": decision}
    _check_options(given, sign_off)
    _check_signed(bundle, sign_off)
    before = _digest_of(bundle[0]) if sign_off else None
    sound = [one for one in bundle if _is_sound(one, ledger, sign_off)]
    agree = _agree(sound)
    if len(sound) < len(bundle) or not agree:
        raise typer.Exit(REFUSED)
    if sign_off:
        sign(bundle[0], name or "", role or "", decision or "", verified=before)
        say(f"Recorded in {record_path(bundle[0])}.")
    for one in bundle:
        for line in sign_off_lines(read_sign_offs(one), certificate_digest(one)):
            say(line if len(bundle) == 1 else f"{one}: {line}")


def _is_sound(bundle: Path, ledger: Path | None, sign_off: bool) -> bool:
    """Whether a bundle has no findings; findings are printed."""
    findings = [*verify_bundle(bundle)]
    if not findings:
        findings += report_findings(bundle)
    if ledger is not None and not findings:
        findings += entry_findings(bundle, ledger)
    for finding in findings:
        say(f"- {finding}")
    if findings:
        signed = " Nothing was signed." if sign_off else ""
        say(f"{bundle} is NOT sound: {counted(len(findings), 'finding')}.{signed}")
        return False
    confirmed = "" if ledger is None else " and the ledger confirms it"
    say(f"{bundle} is sound{confirmed}.")
    return True


def _agree(bundles: list[Path]) -> bool:
    """Whether bundles agree on one history of their ledger; a single one always does."""
    if len(bundles) == 1:
        return True
    findings = history_findings({str(one): read_bundle(one).certificate for one in bundles})
    for finding in findings:
        say(f"- {finding}")
    if findings:
        say(f"These bundles do NOT agree: {counted(len(findings), 'finding')}.")
    elif bundles:
        say("They agree with each other.")
    return not findings


def report_findings(bundle: Path) -> tuple[str, ...]:
    """What is wrong with the report of a bundle that has one."""
    if not (bundle / REPORT).exists():
        return ()
    # Imported here: without a report no templates are needed.
    from leeward.report import writing  # noqa: PLC0415 (see above)

    return writing.report_findings(bundle)


def _check_options(given: dict[str, str | None], sign_off: bool) -> None:
    """Require all options of a sign-off with --sign-off and none without it."""
    for option, value in given.items():
        if (value is not None) is not sign_off:
            rule = "must be given with --sign-off" if sign_off else "belongs to --sign-off"
            raise InvalidParameter(
                option,
                rule=rule,
                value="nothing" if value is None else repr(value),
                next_step="Sign with --sign-off --name … --role … --decision ….",
            )


def _check_signed(bundles: list[Path], sign_off: bool) -> None:
    """A signature is about one bundle."""
    if sign_off and len(bundles) > 1:
        raise InvalidParameter(
            "--sign-off",
            rule="must be about one bundle",
            value=f"{len(bundles)} bundles",
            next_step="Verify and sign one after the other.",
        )


def _digest_of(bundle: Path) -> str | None:
    """The digest of the certificate before it is verified, if there is one."""
    return certificate_digest(bundle) if (bundle / CERTIFICATE).is_file() else None


def sign_off_lines(records: tuple[SignOff, ...], digest: str) -> Iterator[str]:
    """The sign-offs for a person; those of another certificate are marked."""
    for one in records:
        other = "" if one.certificate == digest else " (of another bundle of this name)"
        yield f"{one.date}  {one.decision} by {one.name}, {one.role}{other}"
    holds = standing(records, digest)
    if holds is not None:
        yield f"It stands {holds.decision}: the latest decision holds."
