"""The `leeward` command: its options, its exit codes, and the list of its commands.

A command's module is imported when the command is called or its help is asked for, so that
everything else starts fast.
"""

import gc
import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperGroup

import leeward
from leeward.interface.commands.screen import DEBUGGING, INTERRUPTED, guarded, note

if TYPE_CHECKING:
    from typer._click import Command, Context

COMMANDS = {
    "demo": "Make up an economy, plan, release, and compare with the truth.",
    "init": "Write a codebook and a plan from the headers of three tables.",
    "codes": "List the classifications that a codebook may name, or the codes of one of them.",
    "jobs": "Write the jobs of a quarter that follow from wage records. CONFIDENTIAL output.",
    "check": "Check plan, codebook and every row of the data. CONFIDENTIAL output.",
    "plan": "Show what a plan promises, costs and errs. Reads no data, spends nothing.",
    "explain": "Explain what SELECT statements would count and cost. Reads no data.",
    "release": "Charge the ledger, tabulate, add noise, write the bundle.",
    "verify": "Check bundles: checksums, tables, certificate; with the ledger also their entries.",
    "tidy": "Write a bundle whose tables add up, are not negative and are whole.",
    "read": "Sums, shares, changes, ratios and ranks of a published table, with margins.",
    "regress": "Regress y on x in every cell of a file: private, or INTERNAL output.",
    "synth": "Synthetic rows: describe a table with noise and draw rows of the description.",
    "local": "Surveys of workers without a trusted collector: randomise, then count.",
    "report": "Write report.html into a sound bundle; an older one is replaced.",
    "ledger": "Accounts of privacy loss: create, show, verify, commit, withdraw.",
    "evaluate": "Compare the mechanisms with one another and with today's noise infusion.",
    "attack": "Try what an attacker learns from other protections, from ours and from nothing.",
    "audit": "Compute the true privacy loss of every mechanism, and of known-bad controls.",
    "economy": "Make up an economy: three Parquet tables and their codebook.",
    "doctor": "Look at the machine and the installation; nothing confidential is touched.",
    "serve": "Serve a page with the tabs Plan, Releases and Ledger to a browser on this machine.",
}
"""Commands with the first line of their help; `check` is in `check_command.py`."""


SEVERAL = -1
"""How Typer counts an argument that takes several paths, whose help would show `list[Path]`."""


class LazyGroup(TyperGroup):
    """A group that lists its commands by their first lines and imports the one that is called."""

    def resolve_command(
        self, ctx: "Context", args: list[str]
    ) -> "tuple[str | None, Command | None, list[str]]":
        """The command that is called, from its own module."""
        name, listed, rest = super().resolve_command(ctx, args)
        return name, listed if name is None else load(name), rest


def load(name: str) -> "Command":
    """The command of this name, with its options; imports its module."""
    module = _imported(f"leeward.interface.commands.{name}_command")
    app: typer.Typer | None = getattr(module, f"{name}_app", None)
    if app is None:
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        app.command(name)(guarded(getattr(module, f"{name}_command")))
    loaded = typer.main.get_command(app)
    for parameter in loaded.params:
        if parameter.nargs == SEVERAL:
            text = "<str>" if parameter.name == "sql" else "<path>"
            vars(parameter)["display_type_rich"] = lambda ctx, text=text: text  # noqa: ARG005 (Typer's)
    if isinstance(loaded, TyperGroup):
        for command in loaded.commands.values():  # the whole first line, as in the list of commands
            command.short_help = (command.help or "").partition("\n")[0]
    return loaded


def group(name: str, **commands: Callable[..., None]) -> typer.Typer:
    """A command of the list that has commands of its own, by their names."""
    app = typer.Typer(
        name=name,
        help=COMMANDS[name],
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
    )
    for each, command in commands.items():
        app.command(each)(guarded(command))
    return app


def _imported(name: str) -> ModuleType:
    """The module; garbage collection waits, since imported objects stay alive."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        return import_module(name)
    except KeyboardInterrupt:
        note("leeward: interrupted; nothing was charged.")
        raise typer.Exit(INTERRUPTED) from None
    finally:
        gc.freeze()
        if collecting:
            gc.enable()


def build() -> typer.Typer:
    """The program with all commands."""
    app = typer.Typer(
        name="leeward",
        cls=LazyGroup,
        help="Employment statistics that provably protect every worker and every employer.",
        epilog="Exit codes: 0 done, 1 rejected, 2 wrong usage, 3 failed after the charge, "
        "4 done, but more rows are lost than allowed, 130 interrupted.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(options)
    for name, line in COMMANDS.items():
        app.command(name, short_help=line)(_listed)
    return app


def _listed() -> None:
    """Stand for a command in the list; the group calls the loaded one."""


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
    arguments = [text for text in given if text != "--debug"]
    debug = ["--debug"] if "--debug" in given else []
    build()([*debug, *arguments])
