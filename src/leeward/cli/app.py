"""The `leeward` command: its options, its exit codes, and what it does with refusals."""

import sys
from typing import Annotated

import typer

import leeward
from leeward.cli.audit import audit_command
from leeward.errors import LeewardError

REFUSED = 1

app = typer.Typer(
    name="leeward",
    help="Employment statistics that provably protect every worker and every employer.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("audit")(audit_command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"leeward {leeward.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Employment statistics that provably protect every worker and every employer."""


def main() -> None:
    """Run a command; a refusal is one message and exit code 1."""
    try:
        app()
    except LeewardError as refusal:
        typer.echo(f"leeward: {refusal}", err=True)
        sys.exit(REFUSED)
