"""`leeward synth`: synthetic rows of a table or a release; a module for each command."""

import typer

from leeward.interface.commands.screen import guarded
from leeward.interface.commands.synth_generate import generate_command
from leeward.interface.commands.synth_inspect import inspect_command
from leeward.interface.commands.synth_linked import linked_command
from leeward.interface.commands.synth_table import table_command

synth_app = typer.Typer(
    name="synth",
    help="Synthetic rows: describe a table with noise and draw rows of the description.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)
synth_app.command("table")(guarded(table_command))
synth_app.command("generate")(guarded(generate_command))
synth_app.command("inspect")(guarded(inspect_command))
synth_app.command("linked")(guarded(linked_command))
