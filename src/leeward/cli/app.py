"""The `leeward` command: its options, its exit codes, and what it does with refusals.

Only the module of the requested command is imported, so that commands start fast.
"""

import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Annotated

import typer

import leeward
from leeward.cli.screen import DEBUGGING, guarded

COMMANDS = {
    "demo": "demo_command",
    "init": "init_command",
    "check": "check_command",
    "plan": "plan_command",
    "release": "release_command",
    "verify": "verify_command",
    "report": "report_command",
    "ledger": "ledger_app",
    "evaluate": "evaluate_command",
    "audit": "audit_command",
    "economy": "economy_command",
    "doctor": "doctor_command",
    "serve": "serve_command",
}
"""Commands by name; each is in the module of its name."""


def build(names: Iterable[str] = tuple(COMMANDS)) -> typer.Typer:
    """The program with these commands."""
    app = typer.Typer(
        name="leeward",
        help="Employment statistics that provably protect every worker and every employer.",
        epilog="Exit codes: 0 done, 1 refused, 2 wrong usage, 3 failed after the charge, "
        "130 interrupted.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.callback()(options)
    for name in names:
        command = getattr(import_module(f"leeward.cli.{name}"), COMMANDS[name])
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name)(guarded(command))
    return app


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"leeward {leeward.__version__}")
        raise typer.Exit


def options(
    version: Annotated[  # noqa: ARG001 (its callback does the work)
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show tracebacks; they may hold confidential values.")
    ] = False,
) -> None:
    """Employment statistics that provably protect every worker and every employer."""
    DEBUGGING.set(debug)


def main() -> None:
    """Run a command; --debug is accepted anywhere."""
    given = sys.argv[1:]
    arguments = [one for one in given if one != "--debug"]
    named = [one for one in arguments[:1] if one in COMMANDS]
    debug = ["--debug"] if "--debug" in given else []
    build(named or COMMANDS)([*debug, *arguments])
