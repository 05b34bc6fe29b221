"""The `leeward` command: its options, its exit codes, and what it does with refusals."""

import sys
from typing import Annotated

import typer

import leeward
from leeward.cli.audit import audit_command
from leeward.cli.check import check_command
from leeward.cli.demo import demo_command
from leeward.cli.doctor import doctor_command
from leeward.cli.economy import economy_command
from leeward.cli.init import init_command
from leeward.cli.ledger import ledger_app
from leeward.cli.plan import plan_command
from leeward.cli.release import release_command
from leeward.cli.screen import DEBUGGING, guarded
from leeward.cli.verify import verify_command

app = typer.Typer(
    name="leeward",
    help="Employment statistics that provably protect every worker and every employer.",
    epilog="Exit codes: 0 done, 1 refused, 2 wrong usage, 3 failed after the charge, "
    "130 interrupted.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("demo")(guarded(demo_command))
app.command("init")(guarded(init_command))
app.command("check")(guarded(check_command))
app.command("plan")(guarded(plan_command))
app.command("release")(guarded(release_command))
app.command("verify")(guarded(verify_command))
app.command("audit")(guarded(audit_command))
app.command("economy")(guarded(economy_command))
app.command("doctor")(guarded(doctor_command))
app.add_typer(ledger_app, name="ledger")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"leeward {leeward.__version__}")
        raise typer.Exit


@app.callback()
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
    """Run a command; --debug may stand anywhere."""
    arguments = sys.argv[1:]
    if "--debug" in arguments:
        arguments = ["--debug", *(one for one in arguments if one != "--debug")]
    app(arguments)
