"""`leeward verify`: whether a bundle is what was sealed, and the ledger knows it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from leeward.bundle import verify_bundle
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
from leeward.cli.screen import REFUSED, counted, say
from leeward.errors import InvalidParameter
from leeward.release.witness import entry_findings


def verify_command(
    bundle: Annotated[Path, typer.Argument(help="The bundle's folder.")],
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
    """Check a bundle: checksums, tables, certificate; with the ledger also its entry.

    With --sign-off a sound bundle is signed: one person submits it, another one decides.

    Example: leeward verify bundle --ledger ledger.sqlite
    """
    given = {"--name": name, "--role": role, "--decision": decision}
    _check_options(given, sign_off)
    before = _digest_of(bundle) if sign_off else None
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
        raise typer.Exit(REFUSED)
    confirmed = "" if ledger is None else " and the ledger confirms it"
    say(f"{bundle} is sound{confirmed}.")
    if sign_off:
        sign(bundle, name or "", role or "", decision or "", verified=before)
        say(f"Recorded in {record_path(bundle)}.")
    for line in sign_off_lines(read_sign_offs(bundle), certificate_digest(bundle)):
        say(line)


def report_findings(bundle: Path) -> tuple[str, ...]:
    """What is wrong with the report of a bundle that has one."""
    if not (bundle / REPORT).exists():
        return ()
    # Loaded here: without a report nobody waits for templates.
    from leeward.report import addition  # noqa: PLC0415 (as said)

    return addition.report_findings(bundle)


def _check_options(given: dict[str, str | None], sign_off: bool) -> None:
    """Everything with --sign-off and nothing without it, before the bundle is read."""
    for option, value in given.items():
        if (value is not None) is not sign_off:
            rule = "must be given with --sign-off" if sign_off else "belongs to --sign-off"
            raise InvalidParameter(
                option,
                rule=rule,
                value="nothing" if value is None else repr(value),
                next_step="Sign with --sign-off --name … --role … --decision ….",
            )


def _digest_of(bundle: Path) -> str | None:
    """Which certificate is about to be verified; without one nothing will be signed."""
    return certificate_digest(bundle) if (bundle / CERTIFICATE).is_file() else None


def sign_off_lines(records: tuple[SignOff, ...], digest: str) -> Iterator[str]:
    """The record for a person; lines about another certificate are named as such."""
    for one in records:
        other = "" if one.certificate == digest else " (of another bundle of this name)"
        yield f"{one.date}  {one.decision} by {one.name}, {one.role}{other}"
    holds = standing(records, digest)
    if holds is not None:
        yield f"It stands {holds.decision}: the latest decision holds."
