"""`leeward verify`: whether a bundle is what was sealed, and the ledger knows it."""

from pathlib import Path
from typing import Annotated

import typer

from leeward.bundle import verify_bundle
from leeward.cli.screen import REFUSED, counted, say
from leeward.release.witness import entry_findings


def verify_command(
    bundle: Annotated[Path, typer.Argument(help="The bundle's folder.")],
    ledger: Annotated[
        Path | None, typer.Option("--ledger", help="The ledger, to confirm the entry too.")
    ] = None,
) -> None:
    """Check a bundle: checksums, tables, certificate; with the ledger also its entry.

    Example: leeward verify bundle --ledger ledger.sqlite
    """
    findings = [*verify_bundle(bundle)]
    if ledger is not None and not findings:
        findings += entry_findings(bundle, ledger)
    for finding in findings:
        say(f"- {finding}")
    if findings:
        say(f"{bundle} is NOT sound: {counted(len(findings), 'finding')}.")
        raise typer.Exit(REFUSED)
    confirmed = "" if ledger is None else " and the ledger confirms it"
    say(f"{bundle} is sound{confirmed}.")
