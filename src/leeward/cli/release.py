"""`leeward release`: from a plan to a bundle that may be published."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import pyarrow as pa
import typer

from leeward.bundle import read_bundle
from leeward.cli.check import Memory, Spill, allowing
from leeward.cli.screen import note, progress, say
from leeward.errors import LeewardError
from leeward.exact import number_text
from leeward.publishing.plan import Plan, read_plan
from leeward.publishing.run import AS_PLANNED, Choices, Released, release_plan

LedgerFile = Annotated[Path, typer.Option("--ledger", help="The ledger file.")]


def release_command(  # noqa: PLR0913 (a parameter for each option)
    plan: Annotated[Path, typer.Argument(help="The plan file.")],
    out: Annotated[Path, typer.Option("--out", help="The bundle's folder; must not exist.")],
    ledger: LedgerFile,
    *,
    again: Annotated[
        bool, typer.Option("--again", help="Release the same plan on the same data once more.")
    ] = False,
    corrects: Annotated[
        int | None, typer.Option(help="Entry of an earlier release that this one corrects.")
    ] = None,
    same_establishments: Annotated[
        str | None,
        typer.Option(
            metavar="REASON",
            help="Release although another account holds most of these establishments; the "
            "ledger keeps the reason.",
        ),
    ] = None,
    memory: Memory = None,
    spill: Spill = None,
) -> None:
    """Charge the ledger, tabulate, add noise, write the bundle.

    Everything is checked before the charge. What is charged stays charged, whatever happens.

    Example: leeward release plan.yaml --out bundle --ledger ledger.sqlite
    """
    asked = read_plan(plan)
    if memory is not None or spill is not None:
        asked = allowing(asked, memory, spill)
    chosen = Choices(again, corrects, same_establishments)
    done = run(asked, out, ledger, chosen)
    with suppress(OSError):  # a closed stream does not undo the release
        for line in summary(done):
            say(line)
    report(done.bundle)


def run(asked: Plan, out: Path, ledger: Path, chosen: Choices = AS_PLANNED) -> Released:
    """The whole release with a progress bar."""
    pa.set_memory_pool(pa.system_memory_pool())  # the other pools keep freed memory
    with progress() as bar:
        return release_plan(asked, out, ledger, bar, chosen)


def report(bundle: Path) -> Path | None:
    """Add the report to a published bundle; a failure does not undo the release."""
    try:
        # Imported after the release, which does not need templates.
        from leeward.report.writing import write_report  # noqa: PLC0415 (see above)

        with progress() as bar:
            bar.step("writing the report")
            return write_report(read_bundle(bundle))
    except Exception as error:  # noqa: BLE001 (the bundle is published)
        reason = error if isinstance(error, LeewardError) else f"{type(error).__name__}."
        with suppress(OSError):  # the stream may be closed
            note(f"{bundle} is published without a report: {reason} `leeward report` adds it.")
        return None


def summary(done: Released) -> list[str]:
    """What was published, what it cost and what is left."""
    charge, paid, left = done.entry.charge, done.entry.paid, done.account.left
    spent = "" if charge is None else number_text(charge.epsilon)
    if charge is not None and paid is not None and paid.epsilon != charge.epsilon:
        spent += f", which is {number_text(paid.epsilon)} at the alpha of the account,"
    return [
        f"Published: {done.bundle}",
        f"Charged:   epsilon {spent} to account {done.account.name} "
        f"(entry {done.entry.number}); {number_text(left.epsilon)} left.",
    ]
