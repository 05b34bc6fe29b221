"""`leeward report`: the page about a bundle that a review board reads and signs."""

from pathlib import Path
from typing import Annotated

import typer

from leeward.cli.screen import progress, say


def report_command(
    bundle: Annotated[Path, typer.Argument(help="The bundle's folder.")],
) -> None:
    """Write report.html into a sound bundle; an older one is replaced.

    It needs no network, and holds nothing that the other files of the bundle do not say.

    Example: leeward report bundle
    """
    with progress() as bar:
        bar.step("checking the bundle, writing the report")
        # Imported here: templates would slow the start of every other command.
        from leeward.report.writing import add_report  # noqa: PLC0415 (see above)

        written = add_report(bundle)
    say(f"Report: {written}")
